//! The only source of time: the system's clock and a simulated one.
//!
//! # Place in the pipeline
//! Beside `terms` at the bottom. `drive`, `watch` and every plug-in are handed a [`Clock`]; nobody else asks the
//! system for the time (`clippy.toml` enforces it).
//!
//! # Ideas
//! All times are [`Nanos`] since one origin, the run's start, on the monotonic clock. Wall-clock time appears only as
//! pairs (monotonic, wall) that the record keeps, so that a stepped wall clock cannot move a sample.
//! The simulated clock moves when somebody sleeps on it or sets it, so an hour of load runs in milliseconds.
//!
//! # Example
//! ```
//! use clock::Clock;
//! use terms::Nanos;
//! let clock = Clock::simulated();
//! clock.sleep_until(Nanos::from_secs(3600));
//! assert_eq!(clock.now(), Nanos::from_secs(3600));
//! ```
//!
//! # Not here
//! Waiting for sockets with a deadline is `drive`'s loop; offsets between hosts are `record`'s.
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, reason = "this crate is the one that may ask the system for the time")]

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use terms::Nanos;

/// A clock with one origin; copies share it.
#[derive(Clone, Debug)]
pub struct Clock(Source);

#[derive(Clone, Debug)]
enum Source {
    System { origin: Instant },
    Simulated { now: Arc<AtomicI64> },
}

impl Clock {
    /// The system's monotonic clock, its origin now.
    pub fn system() -> Self {
        Self(Source::System { origin: Instant::now() })
    }

    /// The system's monotonic clock with the origin that makes it show `now` at this moment: the clock of another
    /// process, as far as it is known here. Not below zero.
    pub fn that_shows(now: Nanos) -> Self {
        let here = Instant::now();
        Self(Source::System { origin: here.checked_sub(now.or_zero().to_std()).unwrap_or(here) })
    }

    /// A clock that stands at zero until somebody sleeps on it or advances it.
    pub fn simulated() -> Self {
        Self(Source::Simulated { now: Arc::default() })
    }

    /// The machine's monotonic clock, which all of its processes share; its origin is the boot.
    pub fn machine() -> Nanos {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        Nanos::from_secs(now.tv_sec) + Nanos(now.tv_nsec)
    }

    /// Time since the origin.
    #[inline]
    pub fn now(&self) -> Nanos {
        match &self.0 {
            Source::System { origin } => origin.elapsed().into(),
            Source::Simulated { now } => Nanos(now.load(Ordering::Relaxed)),
        }
    }

    /// Wall-clock time as nanoseconds since 1970-01-01 UTC; a simulated clock began at 2000-01-01.
    pub fn wall(&self) -> Nanos {
        match &self.0 {
            Source::System { .. } => SystemTime::now().duration_since(UNIX_EPOCH).map_or(Nanos::ZERO, Nanos::from),
            Source::Simulated { .. } => Nanos::from_secs(946_684_800) + self.now(),
        }
    }

    /// Waits until that moment; a moment in the past returns at once. A simulated clock jumps there.
    pub fn sleep_until(&self, moment: Nanos) {
        match &self.0 {
            Source::System { .. } => {
                let left = moment - self.now();
                if left > Nanos::ZERO {
                    std::thread::sleep(left.to_std());
                }
            }
            Source::Simulated { .. } => self.advance_to(moment),
        }
    }

    /// Moves a simulated clock forward to that moment; it never goes back. The system's clock takes no notice.
    pub fn advance_to(&self, moment: Nanos) {
        if let Source::Simulated { now } = &self.0 {
            now.fetch_max(moment.0, Ordering::Relaxed);
        }
    }

    /// Whether this is the simulated clock.
    pub fn is_simulated(&self) -> bool {
        matches!(self.0, Source::Simulated { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_simulated_clock_moves_only_forward_and_only_when_told() {
        let clock = Clock::simulated();
        let copy = clock.clone();
        clock.advance_to(Nanos(5));
        clock.advance_to(Nanos(3));
        assert_eq!(copy.now(), Nanos(5));
    }

    #[test]
    fn the_clock_of_another_process_goes_on_from_what_it_showed() {
        for shown in [Nanos::ZERO, Nanos::from_secs(3), Nanos::from_secs(40 * 86_400)] {
            let clock = Clock::that_shows(shown);
            let now = clock.now();
            assert!(now >= shown && now < shown + Nanos::from_secs(60), "{now:?}");
        }
    }

    #[test]
    fn the_system_clock_does_not_go_back() {
        let clock = Clock::system();
        let before = clock.now();
        clock.sleep_until(before + Nanos::MILLISECOND);
        assert!(clock.now() >= before + Nanos::MILLISECOND);
    }
}
