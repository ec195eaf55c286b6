//! Instances of a metric joined moment by moment.

use crate::row::Points;
use std::collections::BTreeMap;
use terms::Nanos;

/// A period begins so long before its sample is due, in parts of it: clocks of other machines, by which their samples are
/// placed, are known to a few milliseconds. A sample may be late by the rest.
const EARLY: i64 = 8;

/// Joins instances moment by moment as the metric says. A moment is a period of the monitor. Where an instance has several
/// values in one, each stands, beside as many of the others or their last: none is replaced unseen. Where an instance
/// should have had a value and has none, a sum or mean of the others is not a value either; the greatest of the others is
/// a lower bound, and is kept.
pub(super) fn join(series: &[&Points], across: &str, every_s: f64) -> Vec<(Nanos, f64)> {
    let every = length(every_s);
    let mut moments: BTreeMap<i64, Moment> = BTreeMap::new();
    for (instance, points) in series.iter().enumerate() {
        for (at, value) in points.iter() {
            let known = moments.entry(period(*at, every)).or_default().0.entry(instance).or_default();
            known.extend(value.map(|value| (*at, value)));
        }
    }
    moments.into_values().flat_map(|moment| moment.joined(across)).collect()
}

/// The last value of each period.
pub(super) fn last_of_periods(joined: Vec<(Nanos, f64)>, every_s: f64) -> Vec<(Nanos, f64)> {
    let every = length(every_s);
    let periods = joined.chunk_by(|one, next| period(one.0, every) == period(next.0, every));
    periods.filter_map(|period| period.last().copied()).collect()
}

fn length(every_s: f64) -> Nanos {
    let every = if every_s.is_finite() { Nanos::from_secs_f64(every_s.clamp(0.001, 3600.0)) } else { Nanos::SECOND };
    every.max(Nanos::MILLISECOND)
}

/// Number of the period whose sample this one is.
fn period(at: Nanos, every: Nanos) -> i64 {
    let begin = contract::sample_phase(every) - Nanos(every.0 / EARLY);
    at.0.saturating_sub(begin.0).div_euclid(every.0)
}

/// Values of one period by instance; an instance without any has a gap.
#[derive(Default)]
struct Moment(BTreeMap<usize, Vec<(Nanos, f64)>>);

impl Moment {
    fn joined(mut self, across: &str) -> Vec<(Nanos, f64)> {
        self.0.values_mut().for_each(|values| values.sort_by_key(|(at, _)| *at));
        let most = self.0.values().map(Vec::len).max().unwrap_or_default();
        (0..most).filter_map(|turn| self.turn(turn, across)).collect()
    }

    /// The values that came in this turn of the period, and the last ones of instances that had fewer.
    fn turn(&self, turn: usize, across: &str) -> Option<(Nanos, f64)> {
        let at = self.0.values().filter_map(|values| values.get(turn)).map(|(at, _)| *at).min()?;
        let values = self.0.values().map(|values| values.get(turn).or(values.last()).map(|(_, value)| *value));
        let joined = match across {
            "max" => values.flatten().reduce(f64::max)?,
            _ => {
                let sum = values.sum::<Option<f64>>()?;
                if across == "mean" { sum / self.0.len() as f64 } else { sum }
            }
        };
        (across == "max" || joined.is_finite()).then_some((at, joined))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(values: &[(f64, Option<f64>)]) -> Points {
        values.iter().map(|(at, value)| (Nanos::from_secs_f64(*at), *value)).collect()
    }

    fn of(series: &[&Points], across: &str, every_s: f64) -> Vec<f64> {
        join(series, across, every_s).iter().map(|(_, value)| *value).collect()
    }

    #[test]
    fn two_samples_of_one_instance_in_a_second_are_not_added_up() {
        let one = points(&[(0.0, Some(10.0)), (0.5, Some(12.0)), (1.0, Some(14.0))]);
        assert_eq!(of(&[&one], "sum", 0.5), [10.0, 12.0, 14.0]);
        assert_eq!(of(&[&one], "sum", 1.0), [10.0, 12.0, 14.0], "and none is left out");
    }

    #[test]
    fn a_moment_without_one_instance_is_no_sum() {
        let a = points(&[(1.0, Some(10.0)), (2.0, Some(11.0)), (3.0, Some(12.0))]);
        let b = points(&[(1.0, Some(20.0)), (2.0, None), (3.0, Some(22.0))]);
        assert_eq!(of(&[&a, &b], "sum", 1.0), [30.0, 34.0]);
        assert_eq!(of(&[&a, &b], "mean", 1.0), [15.0, 17.0]);
        assert_eq!(of(&[&a, &b], "max", 1.0), [20.0, 11.0, 22.0], "the greatest of the others is a lower bound");
    }

    /// Samples are due at 0.4873 s; a busy second holds them up, and by then the machine was at its most.
    #[test]
    fn a_sample_that_comes_late_is_that_of_its_own_period() {
        for late in [0.0, 0.013, 0.2, 0.85] {
            let cpu = points(&[(0.4873, Some(93.0)), (1.4873 + late, Some(100.0)), (2.4873, Some(92.0))]);
            assert_eq!(of(&[&cpu], "max", 1.0), [93.0, 100.0, 92.0], "{late}");
            let other = points(&[(0.4873, Some(1.0)), (1.4873, Some(2.0)), (2.4873, Some(3.0))]);
            assert_eq!(of(&[&cpu, &other], "sum", 1.0), [94.0, 102.0, 95.0], "{late}");
        }
    }

    #[test]
    fn of_two_values_in_a_period_neither_is_lost_in_a_sum() {
        // So late that it comes in the next period, and a last sample at the end of the run.
        let one = points(&[(0.4873, Some(10.0)), (2.37, Some(90.0)), (2.4873, Some(12.0)), (2.9, Some(11.0))]);
        let two = points(&[(0.4873, Some(1.0)), (2.4873, Some(2.0))]);
        assert_eq!(of(&[&one, &two], "sum", 1.0), [11.0, 92.0, 14.0, 13.0]);
        assert_eq!(of(&[&one, &two], "max", 1.0), [10.0, 90.0, 12.0, 11.0]);
        let last = last_of_periods(join(&[&one], "sum", 1.0), 1.0);
        assert_eq!(last.iter().map(|(_, value)| *value).collect::<Vec<_>>(), [10.0, 11.0]);
    }
}
