//! The slowest closes of each leg, kept in memory that does not grow with their number.

use crate::rows::SlowRow;
use terms::Nanos;

/// So many of the slowest of each leg and step are kept.
pub const SLOWEST_MAX: usize = 10;

/// The slowest of one thread, of the step in hand and of those that something still ended in since the last drain.
///
/// A close that is not among a thread's slowest of a step so far cannot be among the slowest of the whole step, so only
/// those that are leave a row: some hundred in an hour, and never more than [`SLOWEST_MAX`] for each leg in a second. The
/// slowest of all are those of the rows of all seconds and threads.
#[derive(Debug, Default)]
pub(crate) struct Slowest {
    steps: Vec<OfStep>,
}

#[derive(Debug)]
struct OfStep {
    step: u32,
    /// By the leg's place in the arrays.
    legs: Vec<OfLeg>,
}

#[derive(Clone, Debug)]
struct OfLeg {
    /// What is not above it is not kept.
    floor: Nanos,
    /// Rows, and whether each is new since the last drain.
    rows: Vec<(SlowRow, bool)>,
}

impl Default for OfLeg {
    fn default() -> Self {
        Self { floor: Nanos(i64::MIN), rows: Vec::new() }
    }
}

impl Slowest {
    /// Takes a close of a leg of which there are so many in all; `row` is asked for only where it is kept.
    #[inline]
    pub(crate) fn see(&mut self, step: u32, (leg, legs): (usize, usize), time: Nanos, row: impl FnOnce() -> SlowRow) {
        let place = match self.steps.iter().position(|known| known.step == step) {
            Some(place) => place,
            None => {
                self.steps.push(OfStep { step, legs: vec![OfLeg::default(); legs] });
                self.steps.len() - 1
            }
        };
        let of_leg = &mut self.steps[place].legs[leg];
        if time > of_leg.floor {
            of_leg.keep(row());
        }
    }

    /// Appends the rows that are new. Of other steps than `step` nothing is remembered: what still ends in them comes
    /// late, and is compared with nothing.
    pub(crate) fn drain(&mut self, step: u32, into: &mut Vec<SlowRow>) {
        for (row, is_new) in self.steps.iter_mut().flat_map(|of| &mut of.legs).flat_map(|leg| &mut leg.rows) {
            if std::mem::take(is_new) {
                into.push(*row);
            }
        }
        self.steps.retain(|known| known.step == step);
    }
}

impl OfLeg {
    #[cold]
    fn keep(&mut self, row: SlowRow) {
        if self.rows.len() < SLOWEST_MAX {
            self.rows.reserve_exact(SLOWEST_MAX - self.rows.len());
            self.rows.push((row, true));
        } else if let Some(least) = self.rows.iter_mut().min_by_key(|(row, _)| row.time) {
            *least = (row, true);
        }
        if self.rows.len() == SLOWEST_MAX {
            self.floor = self.rows.iter().map(|(row, _)| row.time).min().unwrap_or(self.floor);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use terms::Outcome;

    fn row(step: u32, leg: u8, time: i64) -> SlowRow {
        let (at, time) = (Nanos(time / 7), Nanos(time));
        SlowRow { at, step, exchange: 0, leg, outcome: Outcome::Ok, time, trace: None }
    }

    fn slowest(mut times: Vec<i64>) -> Vec<i64> {
        times.sort_unstable_by_key(|time| std::cmp::Reverse(*time));
        times.truncate(SLOWEST_MAX);
        times
    }

    proptest! {
        /// Threads, each a list of seconds, each with the step in hand and closes: step, leg, time. Steps before the one in
        /// hand are those of calls that end late.
        #[test]
        fn the_slowest_of_all_rows_are_the_slowest_of_all_closes(
            threads in vec(vec(vec((0u32..3, 0u8..2, 0i64..500), 0..60), 0..8), 1..4),
        ) {
            let mut rows = Vec::new();
            for seconds in &threads {
                let mut slowest = Slowest::default();
                for (second, closes) in seconds.iter().enumerate() {
                    let before = rows.len();
                    for (step, leg, time) in closes {
                        slowest.see(*step, (usize::from(*leg), 2), Nanos(*time), || row(*step, *leg, *time));
                    }
                    slowest.drain(second as u32 / 3, &mut rows);
                    prop_assert!(slowest.steps.len() <= 1);
                    for (step, leg) in (0..3).flat_map(|step| [(step, 0), (step, 1)]) {
                        let own = rows[before..].iter().filter(|row| (row.step, row.leg) == (step, leg)).count();
                        prop_assert!(own <= SLOWEST_MAX);
                    }
                }
            }
            for (step, leg) in (0..3).flat_map(|step| [(step, 0), (step, 1)]) {
                let closes = threads.iter().flatten().flatten();
                let all = closes.filter(|close| (close.0, close.1) == (step, leg)).map(|close| close.2).collect();
                let kept = rows.iter().filter(|row| (row.step, row.leg) == (step, leg)).map(|row| row.time.0).collect();
                prop_assert_eq!(slowest(kept), slowest(all));
            }
        }
    }

    #[test]
    fn a_step_of_any_length_leaves_few_rows() {
        let (mut slowest, mut rows) = (Slowest::default(), Vec::new());
        for second in 0..3600u64 {
            for call in 0..100 {
                let time = (terms::seed::hash(3, second * 100 + call) >> 20) as i64;
                slowest.see(0, (0, 1), Nanos(time), || row(0, 0, time));
            }
            slowest.drain(0, &mut rows);
        }
        // 10 × (1 + ln(360 000 / 10)) = 115 records expected of values in random order, standard deviation 10.
        assert!((65..=165).contains(&rows.len()), "{}", rows.len());
        // Times that only rise are the worst case.
        rows.clear();
        for time in 0..100_000 {
            slowest.see(1, (0, 1), Nanos(time), || row(1, 0, time));
        }
        slowest.drain(1, &mut rows);
        assert_eq!(rows.len(), SLOWEST_MAX);
    }
}
