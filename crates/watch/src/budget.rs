//! A bound on what an expensive reading costs.

use terms::Nanos;

/// Share of one core that a reading may take on average: one part in this many.
const SHARE: i64 = 100;

/// Decides whether an expensive reading is due: only so often that it takes at most a hundredth of one core.
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
    fn a_reading_of_30_ms_is_made_every_3_seconds() {
        let mut budget = Budget::default();
        assert!(budget.allows(Nanos::ZERO));
        budget.spent(Nanos::ZERO, Nanos::from_millis(30));
        assert!(!budget.allows(Nanos::from_millis(3029)));
        assert!(budget.allows(Nanos::from_millis(3030)));
    }
}
