//! How a load node stands with whoever conducts its run, as the thread that hears orders and the one that obeys them see
//! it.

use std::sync::atomic::{AtomicU8, Ordering};

/// No load is on.
const IDLE: u8 = 0;
/// A load is on, and so is one with abort rules, which somebody has to look at.
const DRIVING: u8 = 1;
const GUARDED: u8 = 2;
/// A load is on, or was and is not cleaned up, and nobody is heard who conducts it.
const ALONE: u8 = 3;

/// Whether a load is on, and whether anybody can be heard who conducts it.
#[derive(Default)]
pub(super) struct Standing(AtomicU8);

impl Standing {
    /// A load begins.
    pub(super) fn begins(&self, is_guarded: bool) {
        self.0.store(if is_guarded { GUARDED } else { DRIVING }, Ordering::Release);
    }

    /// It is over, and so is what comes after it.
    pub(super) fn over(&self) {
        self.0.store(IDLE, Ordering::Release);
    }

    /// Somebody gave an order.
    pub(super) fn heard(&self) {
        let _ = self.0.compare_exchange(ALONE, DRIVING, Ordering::AcqRel, Ordering::Acquire);
    }

    /// Nothing was heard for long. None where there is nothing to go on with; else whether the load has to stop.
    pub(super) fn silence(&self) -> Option<bool> {
        let was = self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, |now| (now != IDLE).then_some(ALONE));
        was.ok().map(|was| was == GUARDED)
    }

    /// Whether nobody is heard who conducts the load.
    pub(super) fn is_alone(&self) -> bool {
        self.0.load(Ordering::Acquire) == ALONE
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
}
