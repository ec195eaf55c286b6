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
    /// Ended well: every exchange `ok`.
    pub completed: u64,
    /// Ended badly, on the account of network or target.
    pub failed: u64,
    /// Cut off by the end of the run, an abort rule, or a fault of study or generator.
    pub aborted: u64,
}

impl Books {
    /// Started and not seen to end: zero unless the run was killed, or it still goes on.
    pub fn open(&self) -> u64 {
        self.started.saturating_sub(self.completed + self.failed + self.aborted)
    }

    /// Whether both sums add up.
    pub fn balances(&self) -> bool {
        self.intended == self.started + self.dropped && self.started >= self.completed + self.failed + self.aborted
    }
}

impl AddAssign for Books {
    fn add_assign(&mut self, other: Self) {
        self.intended += other.intended;
        self.started += other.started;
        self.dropped += other.dropped;
        self.completed += other.completed;
        self.failed += other.failed;
        self.aborted += other.aborted;
    }
}
