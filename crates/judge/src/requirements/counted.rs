//! What watched counts grew by: from the last value before the load until one after it, so that nothing of the load is
//! missing at either end.

use crate::counters::{began_at_nothing, growth_of};
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
/// A series that begins within the load and was not missing before counted from nothing: a query grouped by a label has no
/// row for what does not exist yet.
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
    let head = monitor.metrics.get(metric.1);
    let is_counter = head.is_some_and(|metric| metric.kind == "counter");
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
    let key = (metric.0 as u16, metric.1 as u16);
    let rows = &index.evidence.rows;
    let series = |place: usize, within: Range<Nanos>| -> Vec<(Nanos, f64)> {
        let points = rows.points(key, place, within).into_iter();
        points.filter_map(|(at, value)| Some((at, value?))).collect()
    };
    let places = || rows.instances(key).iter().enumerate();
    let looks: Vec<_> = places().map(|(place, _)| series(place, last_end..until)).collect();
    let mut looks = looks.iter().filter(|looks| !looks.is_empty()).peekable();
    into.is_still &= looks.peek().is_some() && looks.all(|looks| is_still(looks));
    for (place, instance) in places() {
        let points = series(place, Nanos(i64::MIN)..until);
        let Some((first, value)) = points.first().copied() else {
            // It was looked for all along, and never seen.
            if rows.has_sample_before(key, place, until, |_| true) {
                into.begins_unseen.insert(instance.name.clone());
            }
            continue;
        };
        let before = points.partition_point(|(at, _)| *at < begin);
        let base = match before.checked_sub(1) {
            Some(last) => points[last].1,
            None if began_at_nothing(index, metric, place, first) => 0.0,
            // A counter's first value of the load stands for the moment at which the load began.
            None if is_counter && first <= from + reach => value,
            None => {
                into.begins_unseen.insert(instance.name.clone());
                continue;
            }
        };
        let within = &points[before..];
        let grown = match head {
            Some(head) if is_counter => grown(base, within, growth_of(head)),
            _ => within.last().map_or(0.0, |(_, last)| last - base),
        };
        *into.grown.entry(instance.name.clone()).or_default() += grown;
    }
}

/// Whether the last two looks, of two at least, brought the same.
fn is_still(looks: &[(Nanos, f64)]) -> bool {
    matches!(looks, [.., (_, before), (_, last)] if before == last)
}

/// Growth of a counter from a value on.
fn grown(base: f64, points: &[(Nanos, f64)], growth: fn(f64, f64) -> f64) -> f64 {
    let step = |(last, sum): (f64, f64), (_, value): &(Nanos, f64)| (*value, sum + growth(last, *value));
    points.iter().fold((base, 0.0), step).1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counters;

    #[test]
    fn a_counter_that_starts_again_has_grown_all_the_same() {
        let points = [(Nanos(1), 150.0), (Nanos(2), 20.0), (Nanos(3), 60.0)];
        assert_eq!(grown(100.0, &points, counters::grown), 50.0 + 20.0 + 40.0);
        assert_eq!(grown(0.0, &[(Nanos(1), 7.0)], counters::grown), 7.0);
        assert_eq!(grown(7.0, &[], counters::grown), 0.0);
    }
}
