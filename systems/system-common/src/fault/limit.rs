//! A store that falls off.

use std::time::Duration;

use terms::Unit;

use super::{map, number};

/// Most rows at which commits become slow, and most times as long that they take then.
const ROWS_MAX: f64 = 1e12;
const TIMES_MAX: f64 = 10_000.0;

/// When a store falls off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// Rows that are stored at the usual speed.
    pub rows: u64,
    /// How many times as long each commit takes from then on, more than once.
    pub times: f64,
}

impl Limit {
    /// How much longer a commit takes than it took, when so many rows were stored before it.
    pub fn wait(&self, stored: u64, took: Duration) -> Duration {
        if stored < self.rows { Duration::ZERO } else { took.mul_f64(self.times - 1.0) }
    }
}

/// `1000000/4`, or `at:1000000,times:4` in either order. Of one time as long nothing is left; nor of no rows.
pub(super) fn read(text: &str) -> Result<Option<Limit>, String> {
    let (at, times) = if let Some((at, times)) = text.split_once('/') {
        (at, times)
    } else {
        let parts = map(text, &["at", "times"])?;
        let part = |name: &str| parts.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
        (part("at").ok_or("`at` is missing")?, part("times").ok_or("`times` is missing")?)
    };
    let rows = number(at, &Unit::Count, "a number", 0.0, ROWS_MAX)? as u64;
    let times = number(times, &Unit::Count, "a number", 1.0, TIMES_MAX)?;
    Ok((rows > 0 && times > 1.0).then_some(Limit { rows, times }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_become_slow_when_there_are_so_many_rows() {
        let limit = Limit { rows: 1000, times: 4.0 };
        let took = Duration::from_millis(10);
        assert_eq!(limit.wait(999, took), Duration::ZERO);
        assert_eq!(limit.wait(1000, took), Duration::from_millis(30), "with what it took, four times as long");
    }
}
