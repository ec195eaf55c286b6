//! Which rows a window of a run takes.

use crate::rows::{seconds_touched, seconds_within};
use std::ops::Range;
use terms::Nanos;

/// A window of a run. A step's number alone says which iterations are its own: an intended start belongs to one step,
/// also where a step begins within a second. Only a part of a phase is cut by seconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// Steps whose iterations count.
    pub steps: Vec<u32>,
    /// Steps whose ends count for throughput: all of the scenario.
    pub ends_of: Vec<u32>,
    /// Exchanges that are looked at; `None` for all.
    pub exchanges: Option<Vec<u16>>,
    /// Seconds of intended starts, for a part of a phase; `None` takes all of the steps' own.
    pub intended: Option<Vec<Range<i64>>>,
    /// Whole seconds in which an end counts for throughput.
    pub ends: Vec<Range<i64>>,
    /// Stretches of time whose samples count.
    pub moments: Vec<Range<Nanos>>,
    /// From these seconds on, so many lie between this hold or repetition and what was looked at before: seconds that are
    /// not part of the window. In order.
    pub gaps: Vec<(i64, i64)>,
    /// What is kept by second is kept by so many seconds of a long window, and stands at the first of them; 0 is 1.
    pub width: i64,
}

/// More seconds than this of a window are taken together by twos, threes and so on: an hour. What is kept by second
/// tells how calls depend on each other, in thirty batches of the window, and takes most of what judging takes.
const APART_SECONDS_MAX: i64 = 3600;

/// How many seconds of so long a window are taken together.
pub(crate) fn width(seconds: f64) -> i64 {
    1 + (seconds.max(0.0) as i64).saturating_sub(1) / APART_SECONDS_MAX
}

/// Where the ends that count for the throughput of some stretches of time are looked for.
pub(crate) struct Ends {
    /// Seconds in which they lie.
    pub(crate) ends: Vec<Range<i64>>,
    /// Steps whose ends count.
    pub(crate) ends_of: Vec<u32>,
    /// Seconds that they are divided by.
    pub(crate) length: f64,
}

impl Ends {
    /// What ended in the whole seconds within the stretches, in any step of `all`. Where none holds a whole second, what
    /// `own` steps ended in the seconds that they touch, over the real length.
    pub(crate) fn of(moments: &[Range<Nanos>], own: &[u32], all: Vec<u32>) -> Self {
        let ends: Vec<_> = moments.iter().map(|moment| seconds_within(moment.start, moment.end)).collect();
        let length: i64 = ends.iter().map(|seconds| seconds.end - seconds.start).sum();
        if length > 0 {
            return Self { ends, ends_of: all, length: length as f64 };
        }
        let length = moments.iter().map(|moment| (moment.end - moment.start).as_secs_f64()).sum();
        let ends = moments.iter().map(|moment| seconds_touched(moment.start, moment.end)).collect();
        Self { ends, ends_of: own.to_vec(), length }
    }
}

impl Selection {
    pub(super) fn takes(&self, step: u32, second: i64) -> bool {
        let is_in = |seconds: &Vec<Range<i64>>| seconds.iter().any(|seconds| seconds.contains(&second));
        self.steps.contains(&step) && self.intended.as_ref().is_none_or(is_in)
    }

    /// A second with what lies between holds and repetitions taken out, so that they follow each other; of a long window the first
    /// of those that are taken together.
    pub(super) fn closed_up(&self, second: i64) -> i64 {
        let second = second - self.gaps.iter().filter(|(from, _)| second >= *from).map(|(_, gap)| gap).sum::<i64>();
        second - second.rem_euclid(self.width.max(1))
    }

    pub(super) fn looks_at(&self, exchange: u16) -> bool {
        self.exchanges.as_ref().is_none_or(|exchanges| exchanges.contains(&exchange))
    }

    pub(super) fn takes_end(&self, step: u32, second: i64) -> bool {
        self.ends_of.contains(&step) && self.ends.iter().any(|seconds| seconds.contains(&second))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_of_a_long_window_stand_at_the_first_of_a_few() {
        assert_eq!([0.4, 60.0, 3600.0, 3601.0, 7200.0, 86_400.0].map(width), [1, 1, 1, 2, 2, 24]);
        let selection = Selection { width: 12, ..Selection::default() };
        assert_eq!([-1, 0, 11, 12, 86_399].map(|second| selection.closed_up(second)), [-12, 0, 0, 12, 86_388]);
        let repeated = Selection { width: 2, gaps: vec![(100, 41)], ..Selection::default() };
        assert_eq!([99, 141, 142].map(|second| repeated.closed_up(second)), [98, 100, 100]);
    }
}
