//! What watched counts grew by: from the last value before the load until one after it, so that nothing of the load is
//! missing at either end.

use crate::evidence::StepSpan;
use crate::figures::Counted;
use crate::rows::{Index, joined};
use std::collections::BTreeMap;
use std::ops::Range;
use terms::Nanos;

/// Of a window that is only a part of the load, a value this near to its edges stands for them, in periods.
const REACH: f64 = 0.5;
/// A query's answer is of some moment between when it was asked and so much later, mostly.
const MARGIN: Nanos = Nanos::from_millis(500);

/// A stretch of one step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'a> {
    pub(super) step: &'a StepSpan,
    pub(super) from: Nanos,
    pub(super) to: Nanos,
}

/// Growth of one metric over these pieces of time. `is_all`: they are the whole of a load, and the count is to hold
/// everything that came of it, in each repetition as a whole; else what it grew by between two holds is of neither.
///
/// A series that begins within the load, of a monitor that had looked before, counted from nothing: a query grouped by
/// a label has no row for what does not exist yet.
pub(super) fn counted(index: &Index<'_>, metric: (usize, usize), pieces: &[Piece<'_>], is_all: bool) -> Counted {
    let mut counted = Counted { is_still: is_all, ..Counted::default() };
    if !is_all {
        for stretch in joined(pieces.iter().map(|piece| piece.from..piece.to)) {
            add(index, metric, (stretch.start, stretch.end), is_all, &mut counted);
        }
        return counted;
    }
    let mut repetitions: BTreeMap<u32, (Nanos, Nanos)> = BTreeMap::new();
    for piece in pieces.iter().filter(|piece| piece.step.phase.has_load()) {
        let span = repetitions.entry(index.repetition(piece.step)).or_insert((piece.from, piece.to));
        *span = (span.0.min(piece.from), span.1.max(piece.to));
    }
    for (from, to) in repetitions.into_values() {
        add(index, metric, (from, to), is_all, &mut counted);
    }
    counted
}

fn add(index: &Index<'_>, metric: (usize, usize), (from, to): (Nanos, Nanos), is_all: bool, into: &mut Counted) {
    let Some(monitor) = index.head().monitors.get(metric.0) else { return };
    let is_counter = monitor.metrics.get(metric.1).is_some_and(|metric| metric.kind == "counter");
    let reach = Nanos::from_secs_f64((monitor.every_s * REACH).clamp(0.0, 3600.0));
    let looked = |within| index.looked(metric.0, within);
    // What others send later is not of this load.
    let until = match is_all {
        true => index.next_load(to).unwrap_or(Nanos::MAX),
        false => to + reach,
    };
    let begin = if is_all { from + Nanos(1) } else { from + reach };
    // A value may be counted a little after the moment that it bears: near a load it may hold some of it.
    let earlier = |moment: Nanos, since: Nanos| {
        let early = moment.0.saturating_sub(MARGIN.0);
        if is_all && looked(since..Nanos(early)) { Nanos(early) } else { moment }
    };
    let begin = earlier(begin, Nanos(i64::MIN));
    if !looked(Nanos(i64::MIN)..begin) {
        (into.is_begin_unseen, into.is_still) = (true, false);
        return;
    }
    let last_end = index.last_end(from, to);
    if is_all && !looked(last_end..until) {
        (into.is_end_unseen, into.is_still) = (true, false);
        return;
    }
    let until = if until == Nanos::MAX { until } else { earlier(until, last_end) };
    let series = |within: Range<Nanos>| {
        let known = |(at, value): (Nanos, Option<f64>)| value.map(|value| (at, value));
        let series = index.samples(metric, within).into_iter();
        let series = series.map(|(instance, points)| (instance, points.into_iter().filter_map(known).collect()));
        series.filter(|(_, points): &(&str, Vec<(Nanos, f64)>)| !points.is_empty()).collect::<BTreeMap<_, _>>()
    };
    let looks = series(last_end..until);
    into.is_still &= !looks.is_empty() && looks.values().all(|looks| is_still(looks));
    for (instance, points) in series(Nanos(i64::MIN)..until) {
        let before = points.partition_point(|(at, _)| *at < begin);
        let base = before.checked_sub(1).map(|last| points[last].1);
        let within = &points[before..];
        let grown = if is_counter {
            grown(base, within)
        } else {
            within.last().map_or(0.0, |(_, last)| last - base.unwrap_or(0.0))
        };
        *into.grown.entry(instance.to_owned()).or_default() += grown;
    }
}

/// Whether the last two looks, of two at least, brought the same.
fn is_still(looks: &[(Nanos, f64)]) -> bool {
    matches!(looks, [.., (_, before), (_, last)] if before == last)
}

/// Growth of a counter; after a restart it counts from nothing.
fn grown(base: Option<f64>, points: &[(Nanos, f64)]) -> f64 {
    let (mut last, mut sum) = (base.unwrap_or(0.0), 0.0);
    for (_, value) in points {
        sum += if *value < last { value.max(0.0) } else { value - last };
        last = *value;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_that_starts_again_has_grown_all_the_same() {
        let points = [(Nanos(1), 150.0), (Nanos(2), 20.0), (Nanos(3), 60.0)];
        assert_eq!(grown(Some(100.0), &points), 50.0 + 20.0 + 40.0);
        assert_eq!(grown(None, &[(Nanos(1), 7.0)]), 7.0);
        assert_eq!(grown(Some(7.0), &[]), 0.0);
    }
}
