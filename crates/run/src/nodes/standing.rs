//! How a load node stands with whoever conducts its run, as the thread that hears orders and the one that obeys them see
//! it.

use std::sync::atomic::{AtomicI64, AtomicU8, Ordering};
use terms::Nanos;

/// No load is on.
const IDLE: u8 = 0;
/// A load is on, and so is one with abort rules, which somebody has to look at.
const DRIVING: u8 = 1;
const GUARDED: u8 = 2;
/// A load is on, or was and is not cleaned up, and nobody is heard who conducts it.
const ALONE: u8 = 3;

/// Whether a load is on, and whether anybody can be heard who conducts it.
#[derive(Default)]
pub(super) struct Standing {
    state: AtomicU8,
    /// Until when it watches load of others by itself, on the machine's clock; none where there is no load.
    watches_until: AtomicI64,
}

impl Standing {
    /// A load begins.
    pub(super) fn begins(&self, is_guarded: bool) {
        self.state.store(if is_guarded { GUARDED } else { DRIVING }, Ordering::Release);
    }

    /// It is over, and so is what comes after it.
    pub(super) fn over(&self) {
        self.state.store(IDLE, Ordering::Release);
    }

    /// Somebody gave an order.
    pub(super) fn heard(&self) {
        let _ = self.state.compare_exchange(ALONE, DRIVING, Ordering::AcqRel, Ordering::Acquire);
    }

    /// Nothing was heard for long. None where there is nothing to go on with; else whether the load has to stop.
    pub(super) fn silence(&self) -> Option<bool> {
        let was = self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, |now| (now != IDLE).then_some(ALONE));
        was.ok().map(|was| was == GUARDED)
    }

    /// Load of others is on, which it watches until then even where nobody is heard any more; or it is over.
    pub(super) fn watches(&self, until: Option<Nanos>) {
        self.watches_until.store(until.map_or(0, |until| until.0), Ordering::Release);
    }

    /// Whether it watches load that may still be on.
    pub(super) fn still_watches(&self, now: Nanos) -> bool {
        now.0 < self.watches_until.load(Ordering::Acquire)
    }

    /// Whether nobody is heard who conducts the load.
    pub(super) fn is_alone(&self) -> bool {
        self.state.load(Ordering::Acquire) == ALONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_goes_on_alone_unless_it_is_guarded() {
        let standing = Standing::default();
        assert_eq!(standing.silence(), None, "nothing is on");
        standing.begins(false);
        assert!(!standing.is_alone());
        assert_eq!(standing.silence(), Some(false));
        assert!(standing.is_alone());
        standing.heard();
        assert!(!standing.is_alone());
        assert_eq!(standing.silence(), Some(false));
        standing.over();
        assert_eq!((standing.is_alone(), standing.silence()), (false, None));
        standing.begins(true);
        standing.heard();
        assert_eq!(standing.silence(), Some(true));
        assert_eq!(standing.silence(), Some(false), "it has been stopped");
    }

    #[test]
    fn who_only_watches_goes_on_as_long_as_there_can_be_load() {
        let standing = Standing::default();
        assert!(!standing.still_watches(Nanos(5)));
        standing.watches(Some(Nanos(10)));
        assert!(standing.still_watches(Nanos(9)) && !standing.still_watches(Nanos(10)));
        standing.watches(None);
        assert!(!standing.still_watches(Nanos(5)));
        assert_eq!(standing.silence(), None);
    }
}
