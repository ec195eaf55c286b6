//! The zone of stamps that do not say theirs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What was given as the zone of such stamps, and whether a file has any. Copies share what they have seen: several
/// threads may read one file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Zone {
    given: Option<i64>,
    is_used: Arc<AtomicBool>,
}

impl Zone {
    /// `given`: seconds by which it is ahead of UTC.
    pub(crate) fn of(given: Option<i64>) -> Self {
        Self { given, ..Self::default() }
    }

    /// Seconds by which a stamp that says no zone is ahead of UTC: as given, else none. Asked only for such a stamp.
    pub(crate) fn offset(&self) -> i64 {
        self.offset_if_given().unwrap_or(0)
    }

    /// The same for a stamp that cannot be read without.
    pub(crate) fn offset_if_given(&self) -> Option<i64> {
        // Asked for each of millions of stamps, and news only once.
        if !self.is_used() {
            self.is_used.store(true, Ordering::Relaxed);
        }
        self.given
    }

    /// Whether there was such a stamp.
    pub(crate) fn is_used(&self) -> bool {
        self.is_used.load(Ordering::Relaxed)
    }
}
