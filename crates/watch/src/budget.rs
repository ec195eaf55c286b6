//! A bound on what an expensive reading costs.

use terms::Nanos;

/// Share of one core that a reading may take on average: one part in this many. Reading the socket tables takes 8 ms
/// on a machine with 24 GiB, however few sockets there are.
const SHARE: i64 = 400;

/// Decides whether an expensive reading is due: only so often that it takes at most a quarter of a hundredth of one core.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Budget {
    next: Nanos,
}

impl Budget {
    /// Whether the reading may be made now.
    pub(crate) fn allows(&self, now: Nanos) -> bool {
        now >= self.next
    }

    /// Tells how long the reading took.
    pub(crate) fn spent(&mut self, from: Nanos, to: Nanos) {
        self.next = to + (to - from).or_zero() * SHARE;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_of_10_ms_is_made_every_4_seconds() {
        let mut budget = Budget::default();
        assert!(budget.allows(Nanos::ZERO));
        budget.spent(Nanos::ZERO, Nanos::from_millis(10));
        assert!(!budget.allows(Nanos::from_millis(4009)));
        assert!(budget.allows(Nanos::from_millis(4010)));
    }
}
