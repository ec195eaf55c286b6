//! The target's own clock: nanoseconds of the monotonic clock since its start.

use std::time::Instant;

/// Counts nanoseconds since it was made.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    origin: Instant,
}

impl Clock {
    /// A clock that stands at 0 now.
    pub fn start() -> Self {
        Clock { origin: Instant::now() }
    }

    /// Nanoseconds since the start; never falls.
    pub fn now_ns(&self) -> u64 {
        // 2^64 ns are 584 years.
        u64::try_from(self.origin.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}
