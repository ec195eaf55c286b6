//! What samples cost, and how often an expensive one may be taken.

use terms::Nanos;

/// An expensive reading may take this part of the time on average: one part in so many.
pub(crate) const SHARE: i64 = 20;
/// The same while there is no load that it could hold up.
pub(crate) const SHARE_QUIET: i64 = 4;

/// What readings cost, in time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cost {
    count: i64,
    sum: Nanos,
    most: Nanos,
}

impl Cost {
    pub(crate) fn add(&mut self, took: Nanos) {
        self.count += 1;
        self.sum += took;
        self.most = self.most.max(took);
    }

    /// `mean 1.2ms, most 3ms, of 60`; `None` when there were none.
    pub(crate) fn in_words(&self) -> Option<String> {
        (self.count > 0).then(|| format!("mean {}, most {}, of {}", self.sum / self.count, self.most, self.count))
    }
}

/// Decides whether an expensive reading is due: only so often that it takes at most a twentieth of the time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    next: Nanos,
}

impl Default for Budget {
    fn default() -> Self {
        Self { next: Nanos(i64::MIN) }
    }
}

impl Budget {
    pub(crate) fn allows(&self, at: Nanos) -> bool {
        at >= self.next
    }

    pub(crate) fn spent(&mut self, at: Nanos, took: Nanos) {
        self.spent_of(at, took, SHARE);
    }

    /// The same of another share.
    pub(crate) fn spent_of(&mut self, at: Nanos, took: Nanos, share: i64) {
        self.next = at + took * share;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_of_100_ms_is_made_every_2_seconds() {
        let mut budget = Budget::default();
        assert!(budget.allows(Nanos::ZERO));
        budget.spent(Nanos::ZERO, Nanos::from_millis(100));
        assert!(!budget.allows(Nanos::from_millis(1999)) && budget.allows(Nanos::from_secs(2)));
    }

    #[test]
    fn costs_in_words() {
        let mut cost = Cost::default();
        assert_eq!(cost.in_words(), None);
        cost.add(Nanos::from_millis(1));
        cost.add(Nanos::from_millis(3));
        assert_eq!(cost.in_words().unwrap(), "mean 2ms, most 3ms, of 2");
    }
}
