//! The evidence by step, exchange and leg, once for everything that reads it.

use crate::Scope;
use crate::evidence::{Evidence, StepSpan};
use crate::row::{Points, afterwards};
use record::{EventRow, Head, PackedRows, SKIPPED, ScenarioHead, StepHead};
use record::{IterationRow, LegRow, OutcomeRow, StartRow};
use std::collections::BTreeSet;
use std::ops::Range;
use terms::{Books, Histogram, Nanos, Outcome};

/// More than a thousand times an iteration no exchange is carried out, for what comes from a file.
const EACH_MAX: f64 = 1e6;

/// The evidence by step, exchange and leg.
pub(crate) struct Index<'a> {
    pub(crate) evidence: &'a Evidence,
    /// How many numbers are those of calls; what has a higher one is a transaction.
    calls: u16,
}

/// Rows that take back what the books say: iterations that succeeded, at these two seconds, and were refused
/// afterwards. They are written as `late` on the leg of such refusals.
pub fn taken_back<'a>(head: &Head, rows: &'a [OutcomeRow]) -> impl Iterator<Item = &'a OutcomeRow> + use<'a> {
    let legs: BTreeSet<(u16, u8)> = afterwards(head).collect();
    rows.iter().filter(move |row| row.outcome == Outcome::Late && legs.contains(&(row.exchange, row.leg)))
}

impl<'a> Index<'a> {
    pub(crate) fn new(evidence: &'a Evidence) -> Self {
        Self { evidence, calls: evidence.head.calls() as u16 }
    }

    /// Whether a number is that of a transaction, whose calls are booked by themselves, too.
    pub(crate) fn is_transaction(&self, exchange: u16) -> bool {
        exchange >= self.calls
    }

    pub(crate) fn head(&self) -> &'a Head {
        &self.evidence.head
    }

    /// Whether a scenario was left out each time, since what it depends on did not come to pass.
    pub(crate) fn is_left_out(&self, scenario: usize) -> bool {
        let Some(name) = self.head().scenarios.get(scenario).map(|scenario| scenario.name.as_str()) else {
            return false;
        };
        let is_its = |row: &&EventRow| {
            let (subject, again) = row.subject.split_once('#').unwrap_or((&row.subject, "1"));
            row.kind == SKIPPED && subject == name && again.parse::<u32>().is_ok()
        };
        let left_out = self.evidence.events.iter().filter(is_its).count();
        left_out > 0 && left_out >= self.head().repetitions(scenario as u16) as usize
    }

    /// Samples of a monitor's metric within a stretch of time, all its instances: each with its moments and values.
    pub(crate) fn samples(&self, metric: (usize, usize), within: Range<Nanos>) -> Vec<(&'a str, Points)> {
        let metric = (metric.0 as u16, metric.1 as u16);
        let rows = &self.evidence.rows;
        let instances = rows.instances(metric).iter().enumerate();
        instances
            .map(|(place, instance)| (instance.name.as_str(), rows.points(metric, place, within.clone())))
            .collect()
    }

    /// Whether a monitor brought any value in a stretch of time.
    pub(crate) fn looked(&self, monitor: usize, within: Range<Nanos>) -> bool {
        let metrics = self.head().monitors.get(monitor).map_or(0, |monitor| monitor.metrics.len());
        let is_there = |points: &Points| points.iter().any(|(_, value)| value.is_some());
        (0..metrics)
            .any(|metric| self.samples((monitor, metric), within.clone()).iter().any(|(_, points)| is_there(points)))
    }

    /// When the next load begins after a moment; `None` where none does.
    pub(crate) fn next_load(&self, after: Nanos) -> Option<Nanos> {
        let loads = self.evidence.steps.iter().filter(|step| step.phase.has_load());
        loads.map(|step| step.from).filter(|from| *from >= after).min()
    }

    /// The end of the last second in which anything ended that was intended from one moment to another; the end of the
    /// load itself where nothing did.
    pub(crate) fn last_end(&self, from: Nanos, to: Nanos) -> Nanos {
        let steps = self.evidence.steps.iter().filter(|step| step.from < to && step.to > from);
        let loads = steps.filter(|step| step.phase.has_load());
        loads.map(|step| self.ended_at(step)).max().unwrap_or(to)
    }

    fn ended_at(&self, step: &StepSpan) -> Nanos {
        let ends = self.iterations(step.number).map(|row| row.end_s).max();
        ends.map_or(step.to, Nanos::from_secs)
    }

    pub(crate) fn legs(&self, step: u32, exchange: u16, leg: u8) -> PackedRows<'a, LegRow> {
        self.evidence.rows.legs(step, exchange, leg)
    }

    /// Rows of all legs of a step, exchange by exchange, without those of transactions: each call once.
    pub(crate) fn legs_of(&self, step: u32) -> impl Iterator<Item = LegRow> + use<'a> {
        let calls = self.calls;
        self.evidence.rows.legs_of(step).filter(move |row| row.exchange < calls)
    }

    pub(crate) fn outcomes(&self, step: u32, exchange: u16, leg: u8) -> PackedRows<'a, OutcomeRow> {
        self.evidence.rows.outcomes(step, exchange, leg)
    }

    /// As [`Index::legs_of`], by class.
    pub(crate) fn outcomes_of(&self, step: u32) -> impl Iterator<Item = OutcomeRow> + use<'a> {
        let calls = self.calls;
        self.evidence.rows.outcomes_of(step).filter(move |row| row.exchange < calls)
    }

    pub(crate) fn starts(&self, step: u32, exchange: u16) -> PackedRows<'a, StartRow> {
        self.evidence.rows.starts(step, exchange)
    }

    /// As [`Index::legs_of`], of starts.
    pub(crate) fn starts_of(&self, step: u32) -> impl Iterator<Item = StartRow> + use<'a> {
        let calls = self.calls;
        self.evidence.rows.starts_of(step).filter(move |row| row.exchange < calls)
    }

    /// Books of iterations as they were in truth: what was refused after it had succeeded has failed.
    pub(crate) fn iterations(&self, step: u32) -> PackedRows<'a, IterationRow> {
        self.evidence.rows.iterations(step)
    }

    /// Number of closes of a class in a step, all exchanges and legs.
    pub(crate) fn count_outcome(&self, step: u32, outcome: Outcome) -> u64 {
        self.outcomes_of(step).filter(|row| row.outcome == outcome).map(|row| row.count).sum()
    }

    /// Books of the iterations whose intended start lies in a step. What had not been seen to start or end where a record
    /// breaks off is open: the generator books a start when its first exchange has ended.
    pub(crate) fn books(&self, step: u32) -> Books {
        self.books_in(step, |_| true)
    }

    /// Books that a step's rates are made of: all of them, or what was intended in the seconds that surely lie within it.
    pub(crate) fn books_of_span(&self, step: &StepSpan) -> Books {
        let seconds = seconds_within(step.from, step.to);
        self.books_in(step.number, |second| !step.is_inner || seconds.contains(&second))
    }

    fn books_in(&self, step: u32, is_in: impl Fn(i64) -> bool) -> Books {
        let mut books = Books::default();
        self.iterations(step).filter(|row| is_in(row.intended_s)).for_each(|row| books += row.books);
        if self.evidence.cut.is_some() {
            books.started += books.intended.saturating_sub(books.started + books.dropped);
        }
        books
    }

    /// The generator's lateness over all starts of a step.
    pub(crate) fn lateness(&self, step: u32) -> Histogram {
        let mut lateness = Histogram::new();
        self.starts_of(step).for_each(|row| lateness.merge_sparse(&row.lateness));
        lateness
    }

    /// A quantile of the lateness of what was scheduled. An exchange that follows another in its iteration starts when that
    /// has ended, so it is hardly ever late and would thin the late ones out; where one is late all the same, this is an
    /// upper bound.
    pub(crate) fn lateness_quantile(&self, step: u32, quantile: f64) -> Option<Nanos> {
        let lateness = self.lateness(step);
        lateness.quantile(of_scheduled(quantile, self.books(step).started, lateness.total()))
    }

    /// Starts of one exchange in a step.
    pub(crate) fn started(&self, step: u32, exchange: u16) -> u64 {
        self.starts(step, exchange).map(|row| row.started).sum()
    }

    /// How many of an exchange a step planned; see [`Each::planned`].
    pub(crate) fn planned(&self, step: &StepSpan, exchange: u16) -> f64 {
        let each = Each::of(self.load_of(step), exchange);
        each.planned(&self.books(step.number), self.started(step.number, exchange))
    }

    /// A step as it was planned.
    pub(crate) fn planned_step(&self, step: &StepSpan) -> Option<&'a StepHead> {
        self.head().steps.get(step.number as usize)
    }

    /// Whose load a step has: its part's, else its scenario's.
    pub(crate) fn load_of(&self, step: &StepSpan) -> Option<&'a ScenarioHead> {
        self.planned_step(step).and_then(|planned| self.head().load_of(planned))
    }

    /// The label of a stream in a step: as the head names it, else its number from 1; `None` where it is none.
    pub(crate) fn stream_label(&self, step: u32, stream: u16) -> Option<String> {
        if stream == contract::NO_STREAM {
            return None;
        }
        let planned = self.head().steps.get(step as usize)?;
        let known = self.head().streams_of(planned).get(usize::from(stream)).cloned();
        Some(known.unwrap_or_else(|| (u32::from(stream) + 1).to_string()))
    }

    /// Number of a step's part; `None` where its scenario is not a mix, and for phases that parts share.
    pub(crate) fn part(&self, step: &StepSpan) -> Option<usize> {
        self.planned_step(step).and_then(|planned| planned.part).map(usize::from)
    }

    /// Which time its scenario was carried out, from 1.
    pub(crate) fn repetition(&self, step: &StepSpan) -> u32 {
        self.planned_step(step).map_or(1, |planned| planned.repetition.max(1))
    }

    /// Steps of a scenario that a part has, and those that all parts share; all steps for `None`.
    pub(crate) fn steps_of_part(
        &self,
        scenario: usize,
        part: Option<usize>,
    ) -> impl Iterator<Item = &'a StepSpan> + '_ {
        let all = self.evidence.steps_of(scenario, None);
        all.filter(move |step| part.is_none() || self.part(step).is_none_or(|own| Some(own) == part))
    }

    /// Name of a step as scopes have it: `nominal/hold`; where the order is carried out several times `nominal/hold#2`,
    /// and in a mix `high_all/hold/rih`.
    pub(crate) fn scope(&self, step: &StepSpan) -> Scope {
        let part = self.planned_step(step).and_then(|planned| self.head().part_of(planned));
        let shared = self.shared_scope(step);
        part.map_or(shared.clone(), |part| shared.within(part))
    }

    /// As `scope`, for what concerns all parts of a mix together.
    pub(crate) fn shared_scope(&self, step: &StepSpan) -> Scope {
        let scenario = self.head().scenarios.get(step.scenario).map_or("", |scenario| scenario.name.as_str());
        let is_repeated = self.head().repetitions(step.scenario as u16) > 1;
        Scope::step(scenario, &step.id, is_repeated.then(|| self.repetition(step)))
    }
}

/// Numbers of monitor and metric, and its kind.
pub(crate) fn metric_number<'a>(
    index: &Index<'a>,
    (monitor, metric): &(String, String),
) -> Option<((usize, usize), &'a str)> {
    let monitors = &index.head().monitors;
    let number = monitors.iter().position(|known| known.name == *monitor)?;
    let place = monitors[number].metrics.iter().position(|known| known.name == *metric)?;
    Some(((number, place), monitors[number].metrics[place].kind.as_str()))
}

/// A metric, and the one that bounds it.
pub(crate) fn with_ceiling(head: &record::Head, monitor: usize, metric: usize) -> Vec<(u16, u16)> {
    let metrics = &head.monitors[monitor].metrics;
    let bound = metrics[metric].ceiling.as_ref().and_then(|bound| metrics.iter().position(|it| it.name == *bound));
    [Some(metric), bound].into_iter().flatten().map(|metric| (monitor as u16, metric as u16)).collect()
}

/// How often an iteration carries out an exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Each {
    /// On average where chance decides, at least where a condition does.
    pub(crate) mean: f64,
    /// What no iteration exceeds.
    pub(crate) most: f64,
}

impl Each {
    /// That of a load; never for an exchange that it does not carry out.
    pub(crate) fn of(load: Option<&ScenarioHead>, exchange: u16) -> Self {
        let of = |calls: &[f64]| calls.get(usize::from(exchange)).copied().filter(|calls| calls.is_finite());
        let mean = load.and_then(|load| of(&load.per_iteration)).unwrap_or(0.0).clamp(0.0, EACH_MAX);
        let most = load.and_then(|load| of(&load.most_per_iteration)).unwrap_or(0.0).clamp(0.0, EACH_MAX);
        Self { mean, most: most.max(mean.ceil()) }
    }

    /// Whether any iteration carries it out.
    pub(crate) fn is_possible(self) -> bool {
        self.most > 0.0
    }

    /// Whether every iteration carries it out so often; else chance or a condition decides.
    pub(crate) fn is_fixed(self) -> bool {
        self.mean == self.most
    }

    /// How many were planned: intended iterations times how often each carries it out.
    ///
    /// Where chance or a condition decides, the plan is what was started, and the expected part of the iterations that
    /// were never started: only of those it is unknown what they would have done.
    pub(crate) fn planned(self, books: &Books, started: u64) -> f64 {
        if self.is_fixed() {
            books.intended as f64 * self.mean
        } else {
            started as f64 + books.dropped as f64 * self.mean
        }
    }

    /// How many of those that were planned are on the system's account: without what the generator lost of an open load. An
    /// arrival that never got one of so many connections as the study allows waited for the system.
    pub(crate) fn due(self, books: &Books, started: u64, is_bounded: bool) -> f64 {
        let lost = if is_bounded { 0.0 } else { books.dropped as f64 * self.mean };
        self.planned(books, started) - lost
    }
}

/// The whole seconds of a stretch of time, half-open: those whose middle lies in it, so that stretches that follow each
/// other share no second and lose none.
pub(crate) fn seconds_of(from: Nanos, to: Nanos) -> Range<i64> {
    let edge = |moment: Nanos| moment.0.saturating_add(499_999_999).div_euclid(1_000_000_000);
    edge(from)..edge(to).max(edge(from))
}

/// The whole seconds that lie within a stretch of time: whatever ended in one of them ended within the stretch. Of the
/// seconds at its edges nobody knows on which side something ended, so no figure of what ended is made from them.
pub(crate) fn seconds_within(from: Nanos, to: Nanos) -> Range<i64> {
    let first = from.0.saturating_add(999_999_999).div_euclid(1_000_000_000);
    first..to.second().max(first)
}

/// Every second that a stretch of time touches.
pub(crate) fn seconds_touched(from: Nanos, to: Nanos) -> Range<i64> {
    let last = to.0.saturating_add(999_999_999).div_euclid(1_000_000_000);
    from.second()..last.max(from.second())
}

/// Stretches that overlap or follow each other, such as the holds of the parts of a mix, as one.
pub(crate) fn joined<T: Ord + Copy>(spans: impl Iterator<Item = Range<T>>) -> Vec<Range<T>> {
    let mut spans: Vec<Range<T>> = spans.filter(|span| span.start < span.end).collect();
    spans.sort_by_key(|span| span.start);
    let mut joined: Vec<Range<T>> = Vec::new();
    for span in spans {
        match joined.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => joined.push(span),
        }
    }
    joined
}

/// The quantile of all starts that is this one of the scheduled ones, if those that were not scheduled come before it.
pub(crate) fn of_scheduled(quantile: f64, scheduled: u64, all: u64) -> f64 {
    if scheduled == 0 || scheduled >= all { quantile } else { 1.0 - (1.0 - quantile) * scheduled as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_that_follow_each_other_share_no_second_and_lose_none() {
        let millis = Nanos::from_millis;
        assert_eq!(seconds_of(millis(0), millis(10_000)), 0..10);
        assert_eq!(seconds_of(millis(0), millis(6667)), 0..7);
        assert_eq!(seconds_of(millis(6667), millis(30_000)), 7..30);
        assert_eq!(seconds_of(millis(6500), millis(6500)), 6..6);
        assert_eq!(seconds_of(millis(6500), millis(6501)), 6..7);
    }

    #[test]
    fn a_second_at_an_edge_is_touched_and_not_within() {
        let millis = Nanos::from_millis;
        assert_eq!(
            (seconds_within(millis(0), millis(12_600)), seconds_touched(millis(0), millis(12_600))),
            (0..12, 0..13)
        );
        assert_eq!(
            (seconds_within(millis(2500), millis(12_000)), seconds_touched(millis(2500), millis(12_000))),
            (3..12, 2..12)
        );
        assert_eq!(seconds_within(millis(6600), millis(7900)), 7..7);
        assert_eq!(seconds_within(millis(6600), millis(6900)), 7..7);
        assert_eq!(seconds_within(Nanos(i64::MIN), Nanos::MAX).end, Nanos::MAX.second());
    }

    #[test]
    fn what_overlaps_is_one_stretch() {
        let found = joined([4..9, 0..3, 3..5, 20..20].into_iter());
        assert_eq!((found.len(), found.first()), (1, Some(&(0..9))));
        assert_eq!(joined([0..3, 4..5].into_iter()), [0..3, 4..5]);
    }

    #[test]
    fn what_chance_decides_is_planned_as_it_was_started() {
        let books = Books { intended: 1000, started: 990, dropped: 10, ..Books::default() };
        let each = |mean, most| Each { mean, most };
        assert_eq!(each(2.0, 2.0).planned(&books, 1980), 2000.0);
        assert_eq!(each(0.3, 1.0).planned(&books, 310), 313.0);
        // Two calls in half of the iterations are one on average, and by chance all the same.
        assert_eq!(each(1.0, 2.0).planned(&books, 1012), 1022.0);
        // A loop that answers decide: nobody knows what the dropped ones would have done.
        assert_eq!(each(0.0, 5.0).planned(&books, 1980), 1980.0);
    }

    #[test]
    fn heads_of_earlier_versions_say_the_mean_alone() {
        let load = |most: Vec<f64>| ScenarioHead {
            per_iteration: vec![1.0, 0.25, 0.0],
            most_per_iteration: most,
            ..ScenarioHead::default()
        };
        let each = |load: &ScenarioHead| [0, 1, 2, 3].map(|exchange| Each::of(Some(load), exchange));
        let [one, chance, never, unknown] = each(&load(Vec::new()));
        assert!(one.is_fixed() && !chance.is_fixed() && chance.most == 1.0);
        assert!(!never.is_possible() && !unknown.is_possible());
        let [one, chance, condition, _] = each(&load(vec![1.0, 3.0, 5.0]));
        assert!(one.is_fixed() && chance.most == 3.0 && condition.is_possible() && !condition.is_fixed());
        // A bound below the mean cannot be.
        assert_eq!(each(&load(vec![0.0, f64::NAN, -1.0]))[0], Each { mean: 1.0, most: 1.0 });
    }
}
