//! Statistics of watched metrics.

use super::joined::{join, last_of_periods};
use super::{Evaluator, Kind, MISSING_SHARE_MAX, NoValue, Sureness, Value, metric_kind};
use crate::counters::growth_of;
use crate::figures::Sampled;
use crate::limits::Bracket;
use crate::row::Points;
use crate::times::{VERDICT_CONFIDENCE, without_gaps};
use record::MetricHead;
use std::collections::BTreeMap;
use std::ops::Range;
use study::rule::{Comparison, Function, Statistic};
use terms::Nanos;

/// A metric of a monitor.
#[derive(Clone, Copy)]
pub(crate) struct Metric<'a> {
    /// Numbers of monitor and metric.
    pub(crate) number: (usize, usize),
    pub(crate) of: &'a MetricHead,
    /// Seconds between samples.
    pub(crate) every_s: f64,
}

impl<'a> Evaluator<'a> {
    /// A metric by its names.
    pub(crate) fn metric(&self, monitor: &str, metric: &str) -> Result<Metric<'a>, NoValue> {
        let known = self.head.monitors.iter().position(|known| known.name == monitor).ok_or(NoValue::NoSamples)?;
        let head = &self.head.monitors[known];
        let place = head.metrics.iter().position(|known| known.name == metric).ok_or(NoValue::NoSamples)?;
        Ok(Metric { number: (known, place), of: &head.metrics[place], every_s: head.every_s })
    }

    /// Its series, one for each instance that is looked at.
    pub(crate) fn series_in<'b>(&self, samples: &'b Sampled, metric: Metric<'_>) -> Vec<&'b Points> {
        let is_ours = |monitor: u16, number: u16, instance: &str| {
            (usize::from(monitor), usize::from(number)) == metric.number
                && self.instance.is_none_or(|only| only == instance)
        };
        let ours = || samples.iter().filter(|((m, n, i), _)| is_ours(*m, *n, i));
        // What is watched by stream is looked at by stream; anything else is of the whole.
        let stream = self.stream.filter(|stream| ours().any(|((.., i), _)| stream.is_of(i).is_some()));
        let is_wanted = |instance: &str| stream.is_none_or(|stream| stream.is_of(instance) == Some(true));
        ours().filter(|((.., i), _)| is_wanted(i)).map(|(_, points)| points).collect()
    }

    /// The stretches of the window, each as far beyond its edges as a counter's sample may lie that stands for one.
    pub(super) fn stretches(&self, metric: Metric<'_>) -> Vec<Range<Nanos>> {
        if self.figures.stretches.is_empty() {
            return vec![Nanos(i64::MIN)..Nanos::MAX];
        }
        let reach = crate::figures::reach(self.head, (metric.number.0 as u16, metric.number.1 as u16));
        let widened = |stretch: &Range<Nanos>| stretch.start - reach..stretch.end + reach;
        self.figures.stretches.iter().map(widened).collect()
    }

    /// Its values, instances joined moment by moment.
    ///
    /// # Errors
    /// [`NoValue::NoSamples`] and [`NoValue::SamplesMissing`].
    pub(crate) fn joined_in(&self, samples: &Sampled, metric: Metric<'_>) -> Result<Vec<(Nanos, f64)>, NoValue> {
        let series = self.series_in(samples, metric);
        check_missing(&series)?;
        Ok(joined(&series, metric))
    }

    /// The last so many of them, whatever is missing before these: somebody who could not be asked for a while has been asked
    /// since. `None` where there are fewer, or where samples are missing among them or since.
    pub(crate) fn last_joined_in(
        &self,
        samples: &Sampled,
        metric: Metric<'_>,
        count: usize,
    ) -> Option<Vec<(Nanos, f64)>> {
        let series = self.series_in(samples, metric);
        let mut joined = joined(&series, metric);
        let last = joined.split_off(joined.len().checked_sub(count)?);
        let since = last.first()?.0;
        let of_these = |points: &&Points| points.iter().filter(|(at, _)| *at >= since).copied().collect::<Points>();
        let tails: Vec<Points> = series.iter().map(of_these).collect();
        check_missing(&tails.iter().collect::<Vec<_>>()).ok()?;
        Some(last)
    }

    /// What a watched count grew by, from before the load until after it; `None` where it was not looked at so.
    ///
    /// # Errors
    /// Where its begin or its end was not seen. For a counter the samples within the window stand in for them.
    fn counted(&self, metric: Metric<'_>, is_counter: bool) -> Result<Option<f64>, NoValue> {
        let key = (metric.number.0 as u16, metric.number.1 as u16);
        let Some(counted) = self.figures.counted.get(&key) else { return Ok(None) };
        if is_counter && (counted.is_begin_unseen || counted.is_end_unseen) {
            return Ok(None);
        }
        if counted.is_begin_unseen {
            return Err(NoValue::NotCountedBefore);
        }
        if counted.is_end_unseen {
            return Err(NoValue::NotCountedAfter);
        }
        let is_ours = |instance: &&String| self.instance.is_none_or(|only| only == instance.as_str());
        let is_of_others = |name: &str| self.stream.is_some_and(|stream| stream.is_of(name) == Some(false));
        if counted.begins_unseen.iter().filter(is_ours).any(|name| !is_of_others(name)) {
            return Err(NoValue::NotCountedBefore);
        }
        let ours = || counted.grown.iter().filter(|(instance, _)| is_ours(instance));
        let Some(stream) = self.stream else { return Ok(Some(whole(ours().map(|(_, grown)| *grown)))) };
        // A row that never came for a stream is a count of nothing; a count that knows no streams is none of them.
        let of_streams: Vec<_> = ours().filter_map(|(name, grown)| Some((stream.is_of(name)?, *grown))).collect();
        if of_streams.is_empty() && ours().next().is_some() {
            return Err(NoValue::NoSamples);
        }
        Ok(Some(whole(of_streams.into_iter().filter(|(is_own, _)| *is_own).map(|(_, grown)| grown))))
    }

    pub(super) fn of_metric(&self, statistic: &Statistic, monitor: &str, metric: &str) -> Result<Value, NoValue> {
        let metric = self.metric(monitor, metric)?;
        let of = metric.of;
        if statistic.of.is_some() || (statistic.condition.is_some() && of.kind != "distribution") {
            return Err(NoValue::NotYet);
        }
        let is_counted = matches!(statistic.function, Function::Count | Function::Rate);
        if is_counted && let Some(counted) = self.counted(metric, of.kind == "counter")? {
            let count = counted.max(0.0) as u64;
            if statistic.function == Function::Count {
                return Ok(Value { count, ..Value::growing(counted, Kind::Count) });
            }
            if of.kind == "gauge" && self.figures.seconds > 0.0 {
                return Ok(Value::census(counted / self.figures.seconds, Kind::PerSecond, count));
            }
        }
        let series = self.series_in(&self.figures.samples, metric);
        if matches!(statistic.function, Function::DrainTime | Function::SettleTime) {
            return self.time_after_load(statistic.function, metric);
        }
        check_missing(&series)?;
        let unit = metric_kind(&of.unit);
        if matches!(statistic.function, Function::Slope | Function::DropAt | Function::WorkingRate) {
            return self.over_time(statistic.function, metric);
        }
        if of.kind == "distribution" {
            return distribution(statistic, &series, unit, self.figures.seconds);
        }
        if matches!(statistic.function, Function::Count | Function::Growth | Function::Rate) && of.kind == "counter" {
            return growth(&series, (statistic.function, growth_of(of)), unit, &self.stretches(metric));
        }
        let joined = join(&series, &of.across, metric.every_s);
        of_gauge(&joined, statistic.function, unit)
    }
}

/// A sum; of nothing it is nought, and not the minus nought that sums of fractions begin with.
fn whole(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |sum, value| sum + value)
}

/// Instances joined moment by moment.
fn joined(series: &[&Points], metric: Metric<'_>) -> Vec<(Nanos, f64)> {
    let joined = join(series, &metric.of.across, metric.every_s);
    // Of durations, which have no level, the last of a period stands for it.
    if metric.of.kind == "distribution" { last_of_periods(joined, metric.every_s) } else { joined }
}

/// That enough is there of each instance: what twenty of them are like says nothing of the one that nobody saw.
fn check_missing(series: &[&Points]) -> Result<(), NoValue> {
    let missing = |points: &Points| points.iter().filter(|(_, value)| value.is_none()).count();
    if series.iter().all(|points| missing(points) == points.len()) {
        return Err(NoValue::NoSamples);
    }
    let is_whole = |points: &&Points| missing(points) as f64 <= points.len() as f64 * MISSING_SHARE_MAX;
    if series.iter().all(is_whole) { Ok(()) } else { Err(NoValue::SamplesMissing) }
}

/// What a counter grew by within each of these stretches, all instances together: what it grew by between two holds is of
/// neither.
fn growth(
    series: &[&Points],
    (function, grows): (Function, fn(f64, f64) -> f64),
    unit: Kind,
    stretches: &[Range<Nanos>],
) -> Result<Value, NoValue> {
    let (mut grown, mut length, mut count) = (0.0, 0.0, 0);
    for stretch in stretches {
        let (mut first, mut last) = (None::<Nanos>, None::<Nanos>);
        for points in series {
            let known = points.iter().filter_map(|(at, value)| value.map(|value| (*at, value)));
            let mut points: Vec<(Nanos, f64)> = known.filter(|(at, _)| stretch.contains(at)).collect();
            points.sort_by_key(|(at, _)| *at);
            grown += points.windows(2).map(|pair| grows(pair[0].1, pair[1].1)).sum::<f64>();
            if let (Some(begin), Some(end)) = (points.first(), points.last()) {
                first = Some(first.map_or(begin.0, |first| first.min(begin.0)));
                last = Some(last.map_or(end.0, |last| last.max(end.0)));
            }
            count += points.len() as u64;
        }
        length += first.zip(last).map_or(0.0, |(first, last)| (last - first).as_secs_f64());
    }
    if !grown.is_finite() || length <= 0.0 {
        return Err(NoValue::NoSamples);
    }
    match function {
        // Processor seconds a second are cores.
        Function::Rate if unit == Kind::Time => Ok(Value::census(grown / length, Kind::Cores, count)),
        Function::Rate => Ok(Value::census(grown / length, Kind::PerSecond, count)),
        Function::Count => Ok(Value { count, ..Value::growing(grown, Kind::Count) }),
        _ => Ok(Value { count, ..Value::growing(grown, unit) }),
    }
}

/// Durations, each by itself, of all instances together.
fn distribution(statistic: &Statistic, series: &[&Points], unit: Kind, seconds: f64) -> Result<Value, NoValue> {
    let mut all: Vec<(Nanos, f64)> =
        series.iter().flat_map(|points| points.iter()).filter_map(|(at, value)| value.map(|v| (*at, v))).collect();
    all.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let count = all.len() as u64;
    match statistic.function {
        Function::Count => {
            let hits = all.iter().filter(|(_, value)| is_hit(statistic, *value)).count();
            Ok(Value { count, ..Value::growing(hits as f64, Kind::Count) })
        }
        Function::Rate if seconds > 0.0 => Ok(Value::census(count as f64 / seconds, Kind::PerSecond, count)),
        Function::Share => share(statistic, &all),
        _ => of_gauge(&all, statistic.function, unit),
    }
}

/// Of all that the distribution holds.
fn share(statistic: &Statistic, all: &[(Nanos, f64)]) -> Result<Value, NoValue> {
    if statistic.condition.is_none() {
        return Err(NoValue::NotYet);
    }
    let mut by_second: BTreeMap<i64, (u64, u64)> = BTreeMap::new();
    for (at, value) in all {
        let second = by_second.entry(at.second()).or_default();
        *second = (second.0 + u64::from(is_hit(statistic, *value)), second.1 + 1);
    }
    let hits = by_second.values().map(|(hits, _)| hits).sum::<u64>();
    let total = all.len() as u64;
    let sureness = Sureness::Share {
        hits: Bracket { sure: hits, maybe: hits },
        total,
        seconds: without_gaps(&by_second),
        times: None,
    };
    Ok(Value::new(hits as f64 / total as f64, Kind::Share, sureness, total))
}

/// Whether a value is on the side of the limit that is counted; without a limit every one is.
fn is_hit(statistic: &Statistic, value: f64) -> bool {
    let Some((comparison, limit)) = &statistic.condition else { return true };
    match comparison {
        Comparison::Less => value < limit.value,
        Comparison::AtMost => value <= limit.value,
        Comparison::Greater => value > limit.value,
        Comparison::AtLeast => value >= limit.value,
        Comparison::Equal => value == limit.value,
    }
}

fn of_gauge(joined: &[(Nanos, f64)], function: Function, unit: Kind) -> Result<Value, NoValue> {
    let (Some(first), Some(last)) = (joined.first(), joined.last()) else { return Err(NoValue::NoSamples) };
    let count = joined.len() as u64;
    let values = || joined.iter().map(|(_, value)| *value);
    let of = |value: f64, sureness| Ok(Value::new(value, unit, sureness, count));
    match function {
        Function::Max => of(values().fold(f64::NEG_INFINITY, f64::max), Sureness::Census),
        Function::Min => of(values().fold(f64::INFINITY, f64::min), Sureness::Census),
        Function::Last => of(last.1, Sureness::Census),
        Function::Growth => of(last.1 - first.1, Sureness::Census),
        Function::Mean => of(values().sum::<f64>() / joined.len() as f64, mean(joined)),
        Function::Sd => {
            let values: Vec<f64> = values().collect();
            let variance = stats::moments::variance(&values).map_err(|_| NoValue::NoSamples)?;
            of(variance.sqrt(), Sureness::Compound)
        }
        Function::Percentile(quantile) => {
            let mut sorted: Vec<f64> = values().collect();
            sorted.sort_by(f64::total_cmp);
            let value = stats::quantile::nearest_rank(&sorted, quantile).map_err(|_| NoValue::NoSamples)?;
            of(value, Sureness::MetricPercentile { quantile, values: values().collect() })
        }
        _ => Err(NoValue::NotYet),
    }
}

fn mean(points: &[(Nanos, f64)]) -> Sureness {
    let values: Vec<f64> = points.iter().map(|(_, value)| *value).collect();
    let seconds: Vec<(u64, f64)> = values.iter().map(|value| (1, *value)).collect();
    let mut sorted = values;
    sorted.sort_by(f64::total_cmp);
    let spread = stats::mean::Spread::of_sorted(&sorted);
    let of = |spread: stats::mean::Spread| {
        let mean = stats::mean::by_memory(&seconds, spread, VERDICT_CONFIDENCE)?;
        let reach = spread.reach(mean.sample_count, VERDICT_CONFIDENCE);
        Ok((mean, reach))
    };
    match spread.and_then(of) {
        Ok((mean, reach)) => {
            let (low, high, design_effect) = (mean.low, mean.high, mean.design_effect);
            Sureness::Mean { low, high, design_effect, reach: Some(reach) }
        }
        Err(stats::StatsError::TooFew { have, need }) => Sureness::MeanWithoutInterval { batches: have, needed: need },
        Err(_) => Sureness::Compound,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counters;

    fn points(values: &[(f64, Option<f64>)]) -> Points {
        values.iter().map(|(at, value)| (Nanos::from_secs_f64(*at), *value)).collect()
    }

    #[test]
    fn a_counter_that_starts_again_has_grown_all_the_same() {
        let one = points(&[(0.0, Some(100.0)), (1.0, Some(150.0)), (2.0, Some(20.0)), (3.0, Some(60.0))]);
        let two = points(&[(0.0, Some(5.0)), (3.0, Some(6.0))]);
        let all = [Nanos(i64::MIN)..Nanos::MAX];
        let grown = growth(&[&one, &two], (Function::Growth, counters::grown), Kind::Count, &all).unwrap();
        assert_eq!(grown.value, 50.0 + 20.0 + 40.0 + 1.0);
        let rate = growth(&[&one], (Function::Rate, counters::grown), Kind::Count, &all).unwrap();
        assert_eq!((rate.value, rate.kind), (110.0 / 3.0, Kind::PerSecond));
    }
}
