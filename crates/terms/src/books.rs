//! The books: every planned iteration ends in exactly one place.

use std::ops::AddAssign;

/// Counts of iterations. `intended = started + dropped` and `started = completed + failed + aborted + open`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Books {
    /// Planned starts that came due.
    pub intended: u64,
    /// Started: the first byte was given to the kernel, or the connection was asked for.
    pub started: u64,
    /// Due, and never started.
    pub dropped: u64,
    /// Succeeded: every exchange `ok`.
    pub completed: u64,
    /// Ended badly, on the account of network or target.
    pub failed: u64,
    /// Cut off by the end of the run, an abort rule, or a fault of study or generator.
    pub aborted: u64,
}

impl Books {
    /// Started and not seen to end: zero unless the run was killed, or it still goes on.
    pub fn open(&self) -> u64 {
        self.started.saturating_sub(self.ended())
    }

    /// Whether both sums add up.
    pub fn balances(&self) -> bool {
        Some(self.intended) == self.started.checked_add(self.dropped) && self.started >= self.ended()
    }

    /// However it ended. Forged evidence holds counts whose sum is beyond all numbers.
    fn ended(&self) -> u64 {
        self.completed.saturating_add(self.failed).saturating_add(self.aborted)
    }
}

impl AddAssign for Books {
    fn add_assign(&mut self, other: Self) {
        self.intended = self.intended.saturating_add(other.intended);
        self.started = self.started.saturating_add(other.started);
        self.dropped = self.dropped.saturating_add(other.dropped);
        self.completed = self.completed.saturating_add(other.completed);
        self.failed = self.failed.saturating_add(other.failed);
        self.aborted = self.aborted.saturating_add(other.aborted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forged_counts_neither_wrap_nor_balance() {
        let all = u64::MAX;
        let forged = Books { intended: 1, started: all, dropped: 2, completed: all, failed: all, aborted: 0 };
        let mut sum = forged;
        sum += forged;
        assert_eq!((sum.started, sum.open()), (all, 0));
        assert!(!forged.balances());
    }
}
