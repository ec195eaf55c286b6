//! Values that look at a series over time: its slope, its first drop, its rate between stalls, and how long it takes after the load.

use super::falls::{self, rates_of};
use super::load::Of;
use super::metric::Metric;
use super::{Evaluator, Kind, NoValue, Sureness, Value, metric_kind};
use crate::figures::Around;
use crate::findings::Piece;
use crate::rows::seconds_within;
use std::collections::BTreeMap;
use std::ops::Range;
use study::rule::{Book, Function, What};
use terms::{Nanos, Outcome};

/// "Settled" is this near to the idle level: percentage points of a share, else a part of the level.
pub(crate) const BAND: f64 = 0.05;
/// So many samples in a row must be settled.
pub(crate) const SETTLED_SAMPLES: usize = 3;

impl Evaluator<'_> {
    /// `slope(m)`, `drop_at(m)` and `working_rate(m)`.
    pub(super) fn over_time(&self, function: Function, metric: Metric<'_>) -> Result<Value, NoValue> {
        let points = self.joined_in(&self.figures.samples, metric)?;
        let unit = metric_kind(&metric.of.unit);
        match (function, metric.of.kind.as_str()) {
            (Function::Slope, _) => slope(&points, unit),
            (Function::DropAt, "counter") => {
                // A counter says how much there is: what came before the first look, and between two holds, is in it.
                let (pieces, begun) = self.pieces(&points, metric);
                falls::drop_at(&pieces, |at| {
                    begun.iter().rev().find(|(from, _)| *from <= at).or(begun.first()).map_or(0.0, |(_, begun)| *begun)
                })
            }
            (Function::WorkingRate, "counter") => {
                let kind = if unit == Kind::Time { Kind::Cores } else { Kind::PerSecond };
                falls::working_rate(&self.pieces(&points, metric).0, kind)
            }
            _ => Err(NoValue::NotYet),
        }
    }

    /// A counter's growth from look to look within each stretch of the window: between two holds nothing is asked of it. And
    /// for each stretch, from its first look on, what the counter had beyond what grew in the window before.
    fn pieces(&self, points: &[(Nanos, f64)], metric: Metric<'_>) -> (Vec<Piece>, Vec<(Nanos, f64)>) {
        let (mut pieces, mut begun, mut grown) = (Vec::new(), Vec::new(), 0.0);
        for stretch in self.stretches(metric) {
            let own: Vec<(Nanos, f64)> = points.iter().copied().filter(|(at, _)| stretch.contains(at)).collect();
            begun.extend(own.first().map(|(at, value)| (*at, value - grown)));
            let own = rates_of(&own);
            grown += own.iter().map(|piece| piece.amount).sum::<f64>();
            pieces.extend(own);
        }
        (pieces, begun)
    }

    /// `drop_at(x)` and `working_rate(x)`: of what succeeded, by the second of the end.
    pub(super) fn over_throughput(&self, function: Function, of: &Of<'_>) -> Result<Value, NoValue> {
        if !matches!(of.what, What::Itself | What::Outcome(Outcome::Ok) | What::Book(Book::Completed)) {
            return Err(NoValue::NotYet);
        }
        self.check_one_leg(of)?;
        let points: Vec<Piece> = self
            .ended_by_second(of.exchanges, of.leg())
            .into_iter()
            .map(|(second, count)| Piece { at: Nanos::from_secs(second), seconds: 1.0, amount: count as f64 })
            .collect();
        match function {
            Function::DropAt => falls::drop_at(&points, |_| 0.0),
            _ => falls::working_rate(&points, Kind::PerSecond),
        }
    }

    /// Succeeded in each second from the first to the last, the empty ones too, but for those between two holds.
    pub(crate) fn ended_by_second(&self, exchanges: &[u16], leg: u8) -> BTreeMap<i64, u64> {
        let mut seconds: BTreeMap<i64, u64> = BTreeMap::new();
        for leg in exchanges.iter().filter_map(|number| self.leg(*number, leg)) {
            for (second, count) in &leg.ended_seconds {
                *seconds.entry(*second).or_default() += count;
            }
        }
        fill(&mut seconds, &self.figures.stretches);
        seconds
    }

    /// `drain_time(m)` and `settle_time(m)`, of several repetitions the longest: what was not reached took longer than was
    /// watched, nobody knows how long.
    pub(super) fn time_after_load(&self, function: Function, metric: Metric<'_>) -> Result<Value, NoValue> {
        let (mut longest, mut is_reached, mut count) = (None::<f64>, true, 0);
        for around in &self.figures.around {
            let after = self.joined_in(&around.after, metric)?;
            let reached = if function == Function::DrainTime {
                let empty = self.empty_level(around, metric);
                first_moment(&after, 1, |value| value <= empty)
            } else {
                let band = self.idle_band(around, metric, BAND).ok_or(NoValue::NoSamples)?;
                first_moment(&after, SETTLED_SAMPLES, |value| band.0 <= value && value <= band.1)
            };
            let took = (reached.unwrap_or(around.seen_to) - around.load_end).as_secs_f64().max(0.0);
            longest = Some(longest.map_or(took, |longest| longest.max(took)));
            is_reached &= reached.is_some();
            count += after.len() as u64;
        }
        let longest = longest.ok_or(NoValue::NoSamples)?;
        Ok(if is_reached {
            Value::new(longest, Kind::Time, Sureness::Census, count)
        } else {
            at_least(longest, Kind::Time, count)
        })
    }

    /// What counts as empty: nothing, or what was there in the idle phase already.
    pub(crate) fn empty_level(&self, around: &Around, metric: Metric<'_>) -> f64 {
        let idle = self.joined_in(&around.idle, metric).unwrap_or_default();
        idle.iter().map(|(_, value)| *value).fold(0.0, f64::max)
    }

    /// Least and greatest value that is near the idle level; `None` without an idle phase.
    pub(crate) fn idle_band(&self, around: &Around, metric: Metric<'_>, band: f64) -> Option<(f64, f64)> {
        let idle: Vec<f64> = self.joined_in(&around.idle, metric).ok()?.into_iter().map(|(_, value)| value).collect();
        // The level that the report prints of this window is its mean, too.
        let level = (!idle.is_empty()).then(|| idle.iter().sum::<f64>() / idle.len() as f64)?;
        let spread = stats::moments::variance(&idle).map_or(0.0, f64::sqrt);
        let of = if metric.of.unit == "share" { 1.0 } else { level.abs() };
        let reach = (band * of).max(2.0 * spread);
        Some((level - reach, level + reach))
    }
}

/// At least this much, and how much more is not known.
pub(super) fn at_least(value: f64, kind: Kind, count: u64) -> Value {
    Value::new(value, kind, Sureness::Mean { low: value, high: f64::INFINITY, design_effect: 1.0, reach: None }, count)
}

/// The first of so many moments in a row at which `is_there` holds.
pub(crate) fn first_moment(points: &[(Nanos, f64)], in_a_row: usize, is_there: impl Fn(f64) -> bool) -> Option<Nanos> {
    points.windows(in_a_row.max(1)).find(|row| row.iter().all(|(_, value)| is_there(*value))).map(|row| row[0].0)
}

/// Every second between the first and the last that lies in one of the stretches has an entry; of more than a week, only
/// those that are there.
fn fill(seconds: &mut BTreeMap<i64, u64>, stretches: &[Range<Nanos>]) {
    const LONGEST: i64 = 7 * 86_400;
    let (Some((&first, _)), Some((&last, _))) = (seconds.first_key_value(), seconds.last_key_value()) else { return };
    if last.saturating_sub(first) > LONGEST {
        return;
    }
    let all = || std::iter::once(first..last);
    let within = |stretch: &Range<Nanos>| {
        let whole = seconds_within(stretch.start, stretch.end);
        whole.start.max(first)..whole.end.min(last)
    };
    let ranges: Vec<Range<i64>> =
        if stretches.is_empty() { all().collect() } else { stretches.iter().map(within).collect() };
    for second in ranges.into_iter().flatten() {
        seconds.entry(second).or_default();
    }
}

/// Seconds between two values, on average.
pub(crate) fn spacing(points: &[(Nanos, f64)]) -> f64 {
    match points {
        [(first, _), .., (last, _)] => (*last - *first).as_secs_f64() / (points.len() - 1) as f64,
        _ => 0.0,
    }
}

/// A second: the slope's unit is that of the metric a second.
fn slope(points: &[(Nanos, f64)], unit: Kind) -> Result<Value, NoValue> {
    let kind = match unit {
        Kind::Time => Kind::Cores,
        Kind::Bytes | Kind::Count => Kind::PerSecond,
        other => other,
    };
    let values: Vec<f64> = points.iter().map(|(_, value)| *value).collect();
    let count = values.len() as u64;
    let growth = stats::trend::leak::growth(&values, spacing(points)).map_err(|error| match error {
        stats::StatsError::TooFew { have, need } => {
            let every = spacing(points).max(1.0);
            NoValue::TooShort { have: (have as f64 * every) as u64, need: (need as f64 * every).ceil() as u64 }
        }
        _ => NoValue::NoSamples,
    })?;
    let slope = growth.line.slope;
    let sureness = Sureness::Mean { low: slope.low, high: slope.high, design_effect: 1.0, reach: None };
    Ok(Value::new(slope.value, kind, sureness, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_in_a_row_is_there() {
        let points: Vec<(Nanos, f64)> =
            [5.0, 0.0, 4.0, 0.0, 0.0, 0.0].iter().enumerate().map(|(s, v)| (Nanos::from_secs(s as i64), *v)).collect();
        assert_eq!(first_moment(&points, 1, |value| value <= 0.0), Some(Nanos::from_secs(1)));
        assert_eq!(first_moment(&points, 3, |value| value <= 0.0), Some(Nanos::from_secs(3)));
        assert_eq!(first_moment(&points, 4, |value| value <= 0.0), None);
    }
}
