//! Times of calls: what waited before it was sent, what forms groups, where the middle lies.

use crate::findings::SHAPE_TAIL;
use std::collections::BTreeMap;

/// From this ratio of response to service time on, calls waited: a tenth is far above the width of a bucket (0.1 %).
const WAITED: f64 = 1.1;
/// From this ratio of mean to median on, slow calls pull the mean up.
const SKEWED: f64 = 1.1;
/// From this on, the mean describes neither the usual calls nor the slow ones.
const FAR: f64 = 2.0;
/// A group of times apart from the others has at least so many calls, and one in a hundred of all.
const GROUP_CALLS: u64 = 10;
const GROUP_PER_CENT: u64 = 1;
/// Bins of times that lie this far apart have at least one empty bin between them.
const GROUP_APART: u16 = 2;
/// Fewer periods than this are not repetition.
const PERIODS_MIN: f64 = 3.0;
/// A shorter period, seconds, has no shape: rows are of whole seconds.
const PERIOD_MIN_S: f64 = 2.0;

/// Response times beside service times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Waiting {
    /// At this place of those given, calls waited most before they were sent.
    Waited(usize),
    /// At this place they are farthest apart, and the generator itself was as late as that.
    Late(usize),
    /// They lie together.
    Together,
}

/// Response time, service time and the generator's own lateness at several quantiles, in one unit.
///
/// What lies apart by no more than the generator was late did not wait for the system, nor for a free connection.
pub fn waiting(times: &[(f64, f64, f64)]) -> Waiting {
    let most = |late: fn(f64) -> f64| {
        let apart = |&(response, service, own): &(f64, f64, f64)| (response - late(own)) / service.max(1e-6);
        let found = times.iter().map(apart).enumerate().max_by(|one, other| one.1.total_cmp(&other.1));
        found.filter(|found| found.1 > WAITED).map(|found| found.0)
    };
    match (most(|own| own), most(|_| 0.0)) {
        (Some(at), _) => Waiting::Waited(at),
        (None, Some(at)) => Waiting::Late(at),
        (None, None) => Waiting::Together,
    }
}

/// Groups of times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Groups {
    /// One, and nothing outside of it.
    One,
    /// One, and so many calls outside of it, too few to be a group.
    Outliers(u64),
    /// So many.
    Several(usize),
}

/// Calls by logarithmic bin of their time.
pub fn groups(bins: &BTreeMap<u16, u64>) -> Groups {
    let total: u64 = bins.values().sum();
    let (mut groups, mut last) = (Vec::<u64>::new(), None::<u16>);
    for (bin, count) in bins {
        match (last, groups.last_mut()) {
            (Some(before), Some(group)) if bin - before <= GROUP_APART => *group += count,
            _ => groups.push(*count),
        }
        last = Some(*bin);
    }
    let is_group = |count: &u64| *count >= GROUP_CALLS && count.saturating_mul(100) >= total * GROUP_PER_CENT;
    let outside: u64 = groups.iter().filter(|count| !is_group(count)).sum();
    match (groups.iter().filter(|count| is_group(count)).count(), outside) {
        (0 | 1, 0) => Groups::One,
        (0 | 1, outside) => Groups::Outliers(outside),
        (several, _) => Groups::Several(several),
    }
}

/// Mean beside median.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Centre {
    /// The mean is so many times the median.
    Far(f64),
    /// The mean lies this share above the median.
    Skewed(f64),
    /// They differ by this share.
    Even(f64),
}

/// Mean and median, in one unit.
pub fn centre(mean: f64, median: f64) -> Centre {
    let ratio = mean / median.max(1e-6);
    match () {
        () if ratio > FAR => Centre::Far(ratio),
        () if ratio > SKEWED => Centre::Skewed(ratio - 1.0),
        () => Centre::Even((ratio - 1.0).abs()),
    }
}

/// Whether a p99 of so many times the median is the long tail of the finding SHAPE.
pub fn is_long_tail(ratio: f64) -> bool {
    ratio >= SHAPE_TAIL
}

/// Whether so many seconds hold enough periods of this length to be folded at it.
pub fn repeats(seconds: f64, period_s: f64) -> bool {
    period_s.is_finite() && period_s >= PERIOD_MIN_S && seconds >= PERIODS_MIN * period_s
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quantile_that_waited_most_is_named() {
        assert_eq!(waiting(&[(1.0, 1.0, 0.0), (5.0, 2.0, 0.1), (9.0, 8.5, 0.2)]), Waiting::Waited(1));
        assert_eq!(waiting(&[(1.0, 1.0, 0.0), (9.0, 8.5, 0.0)]), Waiting::Together);
        // A tenth of a millisecond of lateness is an eighth of so short a time.
        assert_eq!(waiting(&[(0.95, 0.845, 0.105), (2.0, 1.9, 0.2)]), Waiting::Late(0));
        assert_eq!(waiting(&[]), Waiting::Together);
    }

    #[test]
    fn a_group_stands_apart_and_is_large_enough() {
        let bins = |all: &[(u16, u64)]| all.iter().copied().collect::<BTreeMap<_, _>>();
        assert_eq!(groups(&bins(&[(5, 100), (6, 50), (8, 20)])), Groups::One, "one empty bin parts nothing");
        assert_eq!(groups(&bins(&[(5, 100), (20, 100)])), Groups::Several(2));
        assert_eq!(groups(&bins(&[(5, 100), (20, 9)])), Groups::Outliers(9));
        assert_eq!(groups(&bins(&[(5, 10_000), (20, 50)])), Groups::Outliers(50), "less than one in a hundred");
        assert_eq!(groups(&bins(&[])), Groups::One);
    }

    #[test]
    fn what_repeats_was_seen_three_times() {
        assert!(repeats(30.0, 10.0) && !repeats(29.0, 10.0) && !repeats(30.0, 1.5) && !repeats(30.0, f64::NAN));
    }

    #[test]
    fn mean_and_median_in_three_cases() {
        assert_eq!(centre(5.0, 2.0), Centre::Far(2.5));
        assert_eq!(centre(1.5, 1.0), Centre::Skewed(0.5));
        assert_eq!(centre(0.75, 1.0), Centre::Even(0.25));
    }
}
