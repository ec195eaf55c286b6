//! When virtual users of a closed load begin.

use terms::Nanos;

/// Users begin one after another over the ramp, or in levels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UserRamp {
    /// Number of virtual users.
    pub count: u32,
    /// Length of the ramp.
    pub over: Nanos,
    /// Users added at each level; `None` for one after another.
    pub by: Option<u32>,
}

impl UserRamp {
    /// When user `number` (from 0) begins, as offset from the load's beginning. All have begun when the ramp is over.
    pub fn begins(&self, number: u32) -> Nanos {
        match self.by {
            None => Nanos((i128::from(self.over.0) * i128::from(number) / i128::from(self.count.max(1))) as i64),
            Some(by) => {
                let by = by.max(1);
                let levels = levels_below(self.count, by);
                let level = (number / by).min(levels);
                if levels == 0 {
                    Nanos::ZERO
                } else {
                    Nanos((i128::from(self.over.0) * i128::from(level) / i128::from(levels)) as i64)
                }
            }
        }
    }
}

/// Number of levels `by`, 2·`by` … that stand below full load.
pub(crate) fn levels_below(full: u32, by: u32) -> u32 {
    full.div_ceil(by.max(1)).saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_begin_evenly_or_in_levels_below_full_load() {
        let smooth = UserRamp { count: 4, over: Nanos::from_secs(8), by: None };
        assert_eq!((0..4).map(|n| smooth.begins(n).as_secs_f64()).collect::<Vec<_>>(), [0.0, 2.0, 4.0, 6.0]);
        let stepped = UserRamp { count: 10, over: Nanos::from_secs(6), by: Some(4) };
        let begins: Vec<_> = (0..10).map(|n| stepped.begins(n).as_secs_f64()).collect();
        assert_eq!(begins, [0.0, 0.0, 0.0, 0.0, 3.0, 3.0, 3.0, 3.0, 6.0, 6.0]);
    }
}
