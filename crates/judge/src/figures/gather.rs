//! Adding rows and samples to the figures of a window.

use super::{Figures, PartFigures, Selection};
use crate::counters::began_at_nothing;
use crate::limits::{Bracket, Limit, Timed};
use crate::row::{Points, is_histogram, times_of};
use crate::rows::{Index, joined};
use record::{Folded, Head, IterationRow, LegRow, OutcomeRow, SampleRow, StartRow};
use std::ops::Range;
use terms::{Books, Nanos, Outcome, Population};

impl Figures {
    /// Adds rows that the selection takes.
    pub fn add(&mut self, rows: &Folded, selection: &Selection) {
        rows.legs
            .iter()
            .filter(|row| is_histogram(&row.response) && is_histogram(&row.service))
            .for_each(|row| self.add_leg(row, selection));
        rows.starts.iter().filter(|row| is_histogram(&row.lateness)).for_each(|row| self.add_start(row, selection));
        rows.outcomes.iter().for_each(|row| self.add_outcome(row, selection));
        rows.iterations.iter().for_each(|row| self.add_iteration(row, selection));
        rows.outcomes.iter().for_each(|row| self.take_back(row, selection));
    }

    /// Iterations that were added as succeeded have failed, as this row says if it is one of those that say so; see
    /// [`crate::rows::taken_back`].
    fn take_back(&mut self, row: &OutcomeRow, selection: &Selection) {
        if row.outcome != Outcome::Late || !self.afterwards.contains(&(row.exchange, row.leg)) {
            return;
        }
        let is_taken = selection.takes(row.step, row.intended_s);
        let second = selection.closed_up(row.intended_s);
        let mut all = Books::default();
        if let Some(part) = self.part_mut(row.step) {
            if let Some(ended) = part.ended.get_mut(&row.end_s) {
                *ended = ended.saturating_sub(row.count);
            }
            if is_taken {
                let taken = row.count.min(part.books.completed);
                part.books.completed -= taken;
                part.books.failed += taken;
                let [ok, failed] = part.closed.entry(second).or_default();
                (*ok, *failed) = (ok.saturating_sub(taken), *failed + taken);
                all.failed = taken;
            }
        }
        self.books.completed = self.books.completed.saturating_sub(all.failed);
        self.books += all;
    }

    /// Adds a run's rows that the selection takes. They are not merge's: a selection cuts steps where a requirement says,
    /// and counts begins and ends in different seconds.
    pub(crate) fn add_index(&mut self, index: &Index<'_>, selection: &Selection) {
        self.width = selection.width;
        for &step in &selection.ends_of {
            index.evidence.rows.legs_of(step).for_each(|row| self.add_leg(&row, selection));
            index.iterations(step).for_each(|row| self.add_iteration(&row, selection));
        }
        for &step in &selection.steps {
            index.evidence.rows.starts_of(step).for_each(|row| self.add_start(&row, selection));
            index.evidence.rows.outcomes_of(step).for_each(|row| self.add_outcome(&row, selection));
        }
    }

    /// As `add_index` for many at once: each row goes to the one of its stream. `place` gives its number by step and
    /// stream.
    pub(crate) fn add_index_by_stream(
        all: &mut [Self],
        index: &Index<'_>,
        selection: &Selection,
        place: &dyn Fn(u32, u16) -> Option<usize>,
    ) {
        all.iter_mut().for_each(|own| own.width = selection.width);
        let mut with = |step: u32, stream: u16, add: &dyn Fn(&mut Self)| {
            if let Some(figures) = place(step, stream).and_then(|place| all.get_mut(place)) {
                add(figures);
            }
        };
        for &step in &selection.ends_of {
            index
                .evidence
                .rows
                .legs_of(step)
                .for_each(|row| with(step, row.stream, &|own| own.add_leg(&row, selection)));
            let iterations = index.iterations(step);
            iterations.for_each(|row| with(step, row.stream, &|own| own.add_iteration(&row, selection)));
        }
        for &step in &selection.steps {
            index
                .evidence
                .rows
                .starts_of(step)
                .for_each(|row| with(step, row.stream, &|own| own.add_start(&row, selection)));
            index
                .evidence
                .rows
                .outcomes_of(step)
                .for_each(|row| with(step, row.stream, &|own| own.add_outcome(&row, selection)));
        }
    }

    fn add_iteration(&mut self, row: &IterationRow, selection: &Selection) {
        if row.books.completed > 0
            && selection.takes_end(row.step, row.end_s)
            && let Some(part) = self.part_mut(row.step)
        {
            *part.ended.entry(row.end_s).or_default() += row.books.completed;
        }
        if selection.takes(row.step, row.intended_s) {
            self.books += row.books;
            let second = selection.closed_up(row.intended_s);
            if row.books.intended > 0 {
                *self.intended.entry(second).or_default() += row.books.intended;
            }
            let unfinished = self.breaks_off.iterations(row);
            if let Some(part) = self.part_mut(row.step) {
                part.books += row.books;
                part.unfinished += unfinished;
                if row.books.completed + row.books.failed > 0 {
                    let closed = part.closed.entry(second).or_default();
                    *closed = [closed[0] + row.books.completed, closed[1] + row.books.failed];
                }
                if row.books.intended > 0 {
                    *part.intended.entry(second).or_default() += row.books.intended;
                }
            }
        }
    }

    fn part_mut(&mut self, step: u32) -> Option<&mut PartFigures> {
        let part = self.part_of.get(step as usize).copied().unwrap_or(0);
        self.parts.get_mut(part)
    }

    fn add_start(&mut self, row: &StartRow, selection: &Selection) {
        if !selection.looks_at(row.exchange) || !selection.takes(row.step, row.intended_s) {
            return;
        }
        if let Some(part) = self.part_mut(row.step) {
            *part.started.entry(row.exchange).or_default() += row.started;
        }
        let starts = self.starts.entry(row.exchange).or_default();
        starts.started += row.started;
        starts.lateness.merge_sparse(&row.lateness);
        let second = starts.seconds.entry(selection.closed_up(row.intended_s)).or_default();
        second.count += row.started;
        second.response_ms += row.lateness.sum_ns / 1e6;
        let limits = self.limits.get(&(row.exchange, 0)).map_or(&[][..], Vec::as_slice);
        add_brackets(&mut second.below, limits, |limit| {
            (limit.timed == Timed::Lateness).then(|| Bracket::of(&row.lateness, limit))
        });
    }

    fn add_outcome(&mut self, row: &OutcomeRow, selection: &Selection) {
        if selection.looks_at(row.exchange) && selection.takes(row.step, row.intended_s) {
            let is_cut_off = self.breaks_off.cuts_off(row);
            let leg = self.legs.entry((row.exchange, row.leg)).or_default();
            leg.outcomes[row.outcome as usize] += row.count;
            leg.cut_off += if is_cut_off { row.count } else { 0 };
            let second = selection.closed_up(row.intended_s);
            *leg.outcome_seconds.entry((row.outcome as u8, second)).or_default() += row.count;
        }
    }

    fn add_leg(&mut self, row: &LegRow, selection: &Selection) {
        if !selection.looks_at(row.exchange) {
            return;
        }
        if row.population == Population::Ok && selection.takes_end(row.step, row.end_s) {
            let leg = self.legs.entry((row.exchange, row.leg)).or_default();
            leg.ended_ok += row.count;
            leg.ended_units += row.units;
            *leg.ended_seconds.entry(row.end_s).or_default() += row.count;
        }
        if !selection.takes(row.step, row.intended_s) {
            return;
        }
        let leg = self.legs.entry((row.exchange, row.leg)).or_default();
        let times = times_of(row);
        let second = selection.closed_up(row.intended_s);
        let second = &mut leg.seconds.entry(second).or_default()[row.population as usize];
        second.count += row.count;
        second.response_ms += times.sum_ns / 1e6;
        second.service_ms += row.service.sum_ns / 1e6;
        let limits = self.limits.get(&(row.exchange, row.leg)).map_or(&[][..], Vec::as_slice);
        add_brackets(&mut second.below, limits, |limit| limit.count(row));
        let population = if row.population == Population::Ok { &mut leg.ok } else { &mut leg.failed };
        population.count += row.count;
        population.units += row.units;
        population.response.merge_sparse(times);
        population.service.merge_sparse(&row.service);
    }

    /// Adds samples within the window. A counter's samples stand for the moments nearest to the window's edges, so that
    /// its growth is that of the window and not of the samples inside it.
    pub fn add_samples<'a>(
        &mut self,
        head: &Head,
        rows: impl IntoIterator<Item = &'a SampleRow>,
        selection: &Selection,
    ) {
        for row in rows {
            let reach = reach(head, (row.monitor, row.metric));
            if selection.moments.iter().any(|stretch| widened(stretch, reach).contains(&row.at)) {
                let key = (row.monitor, row.metric, row.instance.clone());
                self.samples.entry(key).or_default().push((row.at, row.value.filter(|value| value.is_finite())));
            }
        }
    }

    /// Adds what series stand at before their first value, where `began_at_zero` knows it of its points.
    pub(crate) fn add_begins(
        &mut self,
        head: &Head,
        window: &Range<Nanos>,
        began_at_zero: impl Fn(&(u16, u16, String), &Points) -> bool,
    ) {
        for (series, points) in &mut self.samples {
            let reach = reach(head, (series.0, series.1));
            if began_at_zero(series, points) {
                begin_at_zero(points, &widened(window, reach), reach);
            }
        }
    }

    /// As `add_samples`, of some metrics of a recorded run: numbers of monitor and metric.
    pub(crate) fn add_watched(&mut self, index: &Index<'_>, selection: &Selection, metrics: &[(u16, u16)]) {
        let rows = &index.evidence.rows;
        for &metric in metrics {
            let reach = reach(index.head(), metric);
            let moments = joined(selection.moments.iter().map(|stretch| widened(stretch, reach)));
            for (place, instance) in rows.instances(metric).iter().enumerate() {
                let points: Points =
                    moments.iter().flat_map(|stretch| rows.points(metric, place, stretch.clone())).collect();
                if !points.is_empty() {
                    let points = with_begin(index, (metric, place), &moments, points);
                    self.samples.insert((metric.0, metric.1, instance.name.clone()), points);
                }
            }
        }
    }
}

/// With the zero that a counter begins at within a stretch, where that is known.
fn with_begin(
    index: &Index<'_>,
    (metric, place): ((u16, u16), usize),
    moments: &[Range<Nanos>],
    mut points: Points,
) -> Points {
    let Some((first, Some(_))) = points.first().copied() else { return points };
    let Some(stretch) = moments.iter().find(|stretch| stretch.contains(&first)) else { return points };
    let number = (usize::from(metric.0), usize::from(metric.1));
    if began_at_nothing(index, number, place, first) {
        begin_at_zero(&mut points, stretch, reach(index.head(), metric));
    }
    points
}

/// Puts zeros before the points of a counter that began within a stretch: at the first look of the stretch, and at the last
/// before its first value. A value at the edge stands for it, and what came before that is not of the window.
fn begin_at_zero(points: &mut Points, stretch: &Range<Nanos>, reach: Nanos) {
    let every = reach * 2;
    let Some((first, _)) = points.first().copied() else { return };
    if every > Nanos::ZERO && first > stretch.start + every {
        let looks = (first - stretch.start).0 / every.0;
        points.insert(0, (first - every, Some(0.0)));
        if looks > 1 {
            points.insert(0, (first - every * looks, Some(0.0)));
        }
    }
}

/// How far beside a window a sample may lie that stands for its edge: of a counter half a period.
pub(crate) fn reach(head: &Head, (monitor, metric): (u16, u16)) -> Nanos {
    let monitor = head.monitors.get(usize::from(monitor));
    let metric = monitor.and_then(|monitor| monitor.metrics.get(usize::from(metric)));
    let half = monitor.map_or(0.0, |monitor| monitor.every_s) / 2.0;
    let is_counter = metric.is_some_and(|metric| metric.kind == "counter");
    if is_counter { Nanos::from_secs_f64(half.clamp(0.0, 3600.0)) } else { Nanos::ZERO }
}

fn widened(stretch: &Range<Nanos>, by: Nanos) -> Range<Nanos> {
    stretch.start - by..stretch.end + by
}

fn add_brackets(into: &mut Vec<Bracket>, limits: &[Limit], count: impl Fn(&Limit) -> Option<Bracket>) {
    into.resize(limits.len(), Bracket::default());
    for (into, limit) in into.iter_mut().zip(limits) {
        if let Some(found) = count(limit) {
            into.sure += found.sure;
            into.maybe += found.maybe;
        }
    }
}
