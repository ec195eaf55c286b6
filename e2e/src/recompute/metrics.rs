//! What a rule's window holds of a watched series: levels, growth, durations.

use super::language::Call;
use super::rows::{Evidence, Points, SECOND};
use super::window::{Window, has_load};
use record::MetricHead;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A count that is asked a little after a moment may hold some of what came before.
const MARGIN: i64 = SECOND / 2;
/// A monitor of which a greater part is missing says nothing.
const MISSING_MOST: f64 = 0.1;

/// A metric of a monitor in a window.
pub(super) struct Metric<'a> {
    evidence: &'a Evidence,
    window: &'a Window,
    number: (u16, u16),
    pub(super) head: &'a MetricHead,
    every_s: f64,
    /// Restricts it to one instance.
    instance: Option<&'a str>,
    /// Restricts it to one stream, among the labels of all of its load.
    stream: Option<(&'a str, BTreeSet<String>)>,
}

/// What one statistic of it came to.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    pub(super) value: f64,
    /// Samples behind it.
    pub(super) count: u64,
    /// The joined values in order of time, of a mean or percentile, which is estimated.
    pub(super) values: Option<Vec<f64>>,
    /// Hits and all by second, of a share.
    pub(super) seconds: Option<BTreeMap<i64, (u64, u64)>>,
}

impl<'a> Metric<'a> {
    /// `None` where the names are not those of a metric.
    pub(super) fn of(
        evidence: &'a Evidence,
        window: &'a Window,
        names: &[String],
        (instance, stream): (Option<&'a str>, Option<&'a str>),
    ) -> Option<Self> {
        let [monitor, metric] = names else { return None };
        let monitors = &evidence.head.monitors;
        let number = monitors.iter().position(|known| known.name == *monitor)?;
        let place = monitors[number].metrics.iter().position(|known| known.name == *metric)?;
        Some(Self {
            evidence,
            window,
            number: (number as u16, place as u16),
            head: &monitors[number].metrics[place],
            every_s: monitors[number].every_s,
            instance,
            stream: stream.map(|label| (label, labels(evidence, window))),
        })
    }

    /// All series of the metric, by instance, whenever they were sampled.
    fn series(&self) -> impl Iterator<Item = (&'a str, &'a Points)> + '_ {
        let (monitor, metric) = self.number;
        let own = self.evidence.watched.range((monitor, metric, String::new())..);
        let own = own.take_while(move |((m, n, _), _)| (*m, *n) == (monitor, metric));
        let is_meant = |(instance, _): &(&str, &Points)| self.instance.is_none_or(|only| only == *instance);
        own.map(|((.., instance), points)| (instance.as_str(), points)).filter(is_meant)
    }

    /// Whether an instance is that of the stream which is asked for; `None` where it is of no stream.
    fn is_of_stream(&self, instance: &str) -> Option<bool> {
        let (label, all) = self.stream.as_ref()?;
        let own = std::iter::once(instance).chain(instance.split(" / ")).find(|name| all.contains(*name))?;
        Some(own == *label)
    }

    /// Its series, of those that are watched by stream only the one's that is asked for; and whether any is.
    fn of_stream(&self) -> (Vec<&'a Points>, bool) {
        let is_by_stream = self.series().any(|(instance, _)| self.is_of_stream(instance).is_some());
        let is_wanted = |instance: &str| !is_by_stream || self.is_of_stream(instance) == Some(true);
        let series = self.series().filter(|(instance, _)| is_wanted(instance)).map(|(_, points)| points);
        (series.collect(), is_by_stream)
    }

    /// Those within the window; of a counter with the samples that stand for its edges.
    fn sampled(&self) -> Vec<Points> {
        let half = (self.every_s / 2.0).clamp(0.0, 3600.0) * 1e9;
        let reach = if self.head.kind == "counter" { half.round() as i64 } else { 0 };
        let of = |points: &Points| -> Points {
            points.iter().copied().filter(|(at, _)| self.window.has(*at, reach)).collect()
        };
        self.of_stream().0.into_iter().map(of).filter(|points| !points.is_empty()).collect()
    }

    /// A statistic; `None` where there is none, or where it is not recomputed.
    pub(super) fn statistic(&self, call: &Call) -> Option<Found> {
        let kind = self.head.kind.as_str();
        let is_counted = matches!(call.function.as_str(), "count" | "rate");
        let is_all = self.window.is_all;
        if is_counted && (kind == "gauge" || (kind == "counter" && is_all)) {
            let counted = self.counted(is_all);
            match (counted, call.function.as_str()) {
                (Some(value), "count") => {
                    return Some(Found { value, count: value.max(0.0) as u64, ..Found::default() });
                }
                (Some(value), _) if kind == "gauge" => {
                    let count = value.max(0.0) as u64;
                    return Some(Found { value: value / self.window.seconds, count, ..Found::default() });
                }
                (None, _) if kind == "gauge" => return None,
                _ => {}
            }
        }
        let series = self.sampled();
        match kind {
            "distribution" => self.of_each(&series, call),
            "counter" if matches!(call.function.as_str(), "count" | "growth" | "rate") => {
                let (grown, length, count) = growth(&series)?;
                let value = if call.function == "rate" { grown / length } else { grown };
                Some(Found { value, count, ..Found::default() })
            }
            _ => of_values(&self.joined(&series), call),
        }
    }

    /// Instances joined period by period, as the metric says. Where one that should have a value has none, there is no
    /// sum and no mean; the maximum of the others is kept.
    fn joined(&self, series: &[Points]) -> Vec<f64> {
        self.joined_at(series).into_iter().map(|(_, value)| value).collect()
    }

    /// The same with their moments. A period begins an eighth of itself before its sample is due; where an instance has
    /// several values in one, each stands, beside as many of the others or their last.
    fn joined_at(&self, series: &[Points]) -> Vec<(i64, f64)> {
        let every = ((self.every_s.clamp(0.001, 3600.0) * 1e9).round() as i64).max(1_000_000);
        let begin = every / 10_000 * 4873 - every / 8;
        let mut periods: BTreeMap<i64, BTreeMap<usize, Points>> = BTreeMap::new();
        for (instance, points) in series.iter().enumerate() {
            for (at, value) in points {
                let period = periods.entry((at - begin).div_euclid(every)).or_default();
                let known = period.entry(instance).or_default();
                if value.is_some() {
                    known.push((*at, *value));
                }
            }
        }
        let mut joined = Vec::new();
        for period in periods.values() {
            let turns = period.values().map(Vec::len).max().unwrap_or_default();
            for turn in 0..turns {
                let at = period.values().filter_map(|points| points.get(turn)).map(|(at, _)| *at).min();
                let values = period.values().map(|points| points.get(turn).or(points.last()).and_then(|point| point.1));
                let value = match self.head.across.as_str() {
                    "max" => values.flatten().reduce(f64::max),
                    across => {
                        let values: Option<Vec<f64>> = values.collect();
                        let sum = values.map(|values| values.iter().sum::<f64>());
                        sum.map(|sum| if across == "mean" { sum / period.len() as f64 } else { sum })
                    }
                };
                joined.extend(at.zip(value));
            }
        }
        joined
    }

    /// Values that each stand for themselves, such as the durations of an access log.
    fn of_each(&self, series: &[Points], call: &Call) -> Option<Found> {
        let values = series.iter().flatten().filter_map(|(at, value)| Some((*at, (*value)?)));
        let mut all: Vec<(i64, f64)> = values.collect();
        all.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let count = all.len() as u64;
        let is_hit = |value: f64| match &call.condition {
            None => true,
            Some((operator, limit)) => match operator.as_str() {
                "<" => value < limit.value,
                "<=" => value <= limit.value,
                ">" => value > limit.value,
                ">=" => value >= limit.value,
                _ => value == limit.value,
            },
        };
        let hits = all.iter().filter(|(_, value)| is_hit(*value)).count() as u64;
        match call.function.as_str() {
            "count" => Some(Found { value: hits as f64, count, ..Found::default() }),
            "rate" => Some(Found { value: count as f64 / self.window.seconds, count, ..Found::default() }),
            "share" => {
                let mut seconds: BTreeMap<i64, (u64, u64)> = BTreeMap::new();
                for (at, value) in &all {
                    let second = seconds.entry(at.div_euclid(SECOND)).or_default();
                    *second = (second.0 + u64::from(is_hit(*value)), second.1 + 1);
                }
                let value = hits as f64 / count as f64;
                (count > 0).then_some(Found { value, count, seconds: Some(seconds), values: None })
            }
            _ => of_values(&all.into_iter().map(|(_, value)| value).collect::<Vec<_>>(), call),
        }
    }

    /// What a count grew by from the last value before the load until it was seen after it, those of each repetition
    /// together; `None` where either was not seen.
    fn counted(&self, is_all: bool) -> Option<f64> {
        let evidence = self.evidence;
        let mut stretches: BTreeMap<u32, Range<i64>> = BTreeMap::new();
        for step in &self.window.steps {
            let planned = evidence.planned(*step);
            let span = evidence.span(*step)?;
            if is_all && !has_load(&planned.phase) {
                continue;
            }
            let piece = self.window.piece(span);
            let known = stretches.entry(evidence.repetition(*step)).or_insert(piece.clone());
            *known = known.start.min(piece.start)..known.end.max(piece.end);
        }
        stretches.into_values().map(|stretch| self.counted_over(stretch, is_all)).sum()
    }

    fn counted_over(&self, stretch: Range<i64>, is_all: bool) -> Option<f64> {
        let reach = ((self.every_s / 2.0).clamp(0.0, 3600.0) * 1e9).round() as i64;
        let loads = || self.evidence.spans.iter().filter(|span| has_load(&self.evidence.planned(span.number).phase));
        let next = loads().map(|span| span.from).filter(|from| *from >= stretch.end).min();
        let mut until = if is_all { next.unwrap_or(i64::MAX) } else { stretch.end + reach };
        let mut begin = if is_all { stretch.start + 1 } else { stretch.start + reach };
        // Near a load a value may hold some of it, so one that is half a second away is preferred.
        if is_all && self.looked(i64::MIN..begin - MARGIN) {
            begin -= MARGIN;
        }
        if !self.looked(i64::MIN..begin) {
            return None;
        }
        let of_load = loads().filter(|span| span.from < stretch.end && span.to > stretch.start);
        let ended = |span: &super::rows::Span| {
            let ends = self.evidence.iterations(span.number).iter().map(|row| row.end_s).max();
            ends.map_or(span.to, |second| second * SECOND)
        };
        let last_end = of_load.map(ended).max().unwrap_or(stretch.end);
        if is_all && !self.looked(last_end..until) {
            return None;
        }
        if is_all && until != i64::MAX && self.looked(last_end..until - MARGIN) {
            until -= MARGIN;
        }
        let (series, is_by_stream) = self.of_stream();
        if self.stream.is_some() && !is_by_stream && !series.is_empty() {
            return None;
        }
        let mut sum = 0.0;
        for points in series {
            let known = points.iter().filter(|(at, _)| *at < until).filter_map(|(at, value)| Some((*at, (*value)?)));
            let known: Vec<(i64, f64)> = known.collect();
            let base = known.iter().rev().find(|(at, _)| *at < begin).map_or(0.0, |(_, value)| *value);
            let within: Vec<f64> = known.iter().filter(|(at, _)| *at >= begin).map(|(_, value)| *value).collect();
            if self.head.kind == "counter" {
                let mut last = base;
                for value in within {
                    sum += if value < last { value.max(0.0) } else { value - last };
                    last = value;
                }
            } else {
                sum += within.last().map_or(0.0, |last| last - base);
            }
        }
        Some(sum)
    }

    /// Whether the monitor brought any value in a stretch of time.
    fn looked(&self, within: Range<i64>) -> bool {
        let monitor = self.number.0;
        let own =
            self.evidence.watched.range((monitor, 0, String::new())..).take_while(|((known, ..), _)| *known == monitor);
        own.into_iter().any(|(_, points)| points.iter().any(|(at, value)| within.contains(at) && value.is_some()))
    }
}

/// How long it took until nothing was left.
pub(super) struct Drained {
    pub(super) seconds: f64,
    /// Whether nothing was left after every load.
    pub(super) is_over: bool,
    /// Samples after the loads.
    pub(super) count: u64,
}

impl Metric<'_> {
    /// Of the longest repetition from the end of its load on. Nothing is left where no more is than there was in the idle
    /// phase. `None` where too many samples are missing.
    pub(super) fn drained(&self) -> Option<Drained> {
        let mut all = Drained { seconds: 0.0, is_over: true, count: 0 };
        let evidence = self.evidence;
        let mut repetitions: Vec<u32> = self.window.steps.iter().map(|step| evidence.repetition(*step)).collect();
        repetitions.sort_unstable();
        repetitions.dedup();
        for repetition in repetitions {
            let is_own = |number: u32| evidence.repetition(number) == repetition;
            let own = self.window.steps.iter().filter(|step| is_own(**step));
            let last = own.filter_map(|step| Some(self.window.piece(evidence.span(*step)?).end)).max()?;
            let is_loaded = |number: u32| has_load(&evidence.planned(number).phase);
            let steps = || evidence.steps_of((self.window.place.0, None)).filter(|span| is_own(span.number));
            let loads = steps().filter(|span| is_loaded(span.number) && span.from < last);
            let load_end = loads.map(|span| span.to).max()?.min(last);
            let others = evidence.spans.iter().filter(|span| is_loaded(span.number) && span.from >= load_end);
            let end = evidence.head.ending.as_ref().map_or(load_end, |ending| ending.at_ns);
            let seen_to = others.map(|span| span.from).min().unwrap_or(end).max(load_end);
            let idle = steps().filter(|span| evidence.planned(span.number).phase == "idle");
            let idle: Vec<Range<i64>> = idle.map(|span| span.from..span.to).collect();
            let quiet = self.moments(&idle).unwrap_or_default();
            let empty = quiet.iter().map(|(_, value)| *value).fold(0.0, f64::max);
            let after = self.moments(std::slice::from_ref(&(load_end..seen_to)))?;
            let reached = after.iter().find(|(_, value)| *value <= empty).map(|(at, _)| *at);
            all.seconds = all.seconds.max((reached.unwrap_or(seen_to) - load_end).max(0) as f64 / 1e9);
            all.is_over &= reached.is_some();
            all.count += after.len() as u64;
        }
        Some(all)
    }

    /// Its joined values in some stretches of time, each at the first sample of its period.
    fn moments(&self, within: &[Range<i64>]) -> Option<Vec<(i64, f64)>> {
        let is_in = |at: i64| within.iter().any(|stretch| stretch.contains(&at));
        let series: Vec<Points> = self
            .of_stream()
            .0
            .into_iter()
            .map(|points| points.iter().copied().filter(|(at, _)| is_in(*at)).collect::<Points>())
            .filter(|points| !points.is_empty())
            .collect();
        let all: usize = series.iter().map(Vec::len).sum();
        let missing = series.iter().flatten().filter(|(_, value)| value.is_none()).count();
        if all == missing || missing as f64 > all as f64 * MISSING_MOST {
            return None;
        }
        Some(self.joined_at(&series))
    }
}

/// Labels of all streams that a window's steps have.
fn labels(evidence: &Evidence, window: &Window) -> BTreeSet<String> {
    let of = |step: &u32| evidence.head.streams_of(evidence.planned(*step)).iter().cloned();
    window.steps.iter().flat_map(of).collect()
}

/// What counters grew by, all instances together, over which time, and samples. One that starts again counts from nothing.
fn growth(series: &[Points]) -> Option<(f64, f64, u64)> {
    let (mut grown, mut count, mut begin, mut end) = (0.0, 0, i64::MAX, i64::MIN);
    for points in series {
        let known: Vec<(i64, f64)> = points.iter().filter_map(|(at, value)| Some((*at, (*value)?))).collect();
        for pair in known.windows(2) {
            grown += if pair[1].1 < pair[0].1 { pair[1].1.max(0.0) } else { pair[1].1 - pair[0].1 };
        }
        for (at, _) in &known {
            (begin, end) = (begin.min(*at), end.max(*at));
        }
        count += known.len() as u64;
    }
    (begin < end).then(|| (grown, (end - begin) as f64 / 1e9, count))
}

fn of_values(values: &[f64], call: &Call) -> Option<Found> {
    let (first, last) = (values.first()?, values.last()?);
    let count = values.len() as u64;
    let mean = || values.iter().sum::<f64>() / values.len() as f64;
    let estimated = |value: f64| (value, Some(values.to_vec()));
    let (value, values) = match call.function.as_str() {
        "max" => (values.iter().copied().fold(f64::NEG_INFINITY, f64::max), None),
        "min" => (values.iter().copied().fold(f64::INFINITY, f64::min), None),
        "last" => (*last, None),
        "growth" => (last - first, None),
        "mean" => estimated(mean()),
        "sd" if values.len() > 1 => {
            let squares: f64 = values.iter().map(|value| (value - mean()).powi(2)).sum();
            ((squares / (values.len() - 1) as f64).sqrt(), None)
        }
        _ => {
            let quantile = call.quantile()?;
            let mut sorted = values.to_vec();
            sorted.sort_by(f64::total_cmp);
            let rank = super::times::nearest_rank(quantile, sorted.len() as u64) as usize;
            estimated(sorted[rank - 1])
        }
    };
    Some(Found { value, count, values, seconds: None })
}
