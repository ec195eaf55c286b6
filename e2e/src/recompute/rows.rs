//! The rows of a run as they lie in its folder, by what they belong to.

use record::{
    EngineRow, Head, IterationRow, LegRow, OutcomeRow, Run, RunState, ScenarioHead, SlowRow, StartRow, StepHead,
};
use std::collections::BTreeMap;
use std::ops::Range;
use terms::{Books, Outcome};

/// The leg of what is refused after it had succeeded.
const REFUSED_LATER: &str = "error";
/// Nanoseconds of a second.
pub(super) const SECOND: i64 = 1_000_000_000;

/// Moments and values of one watched series, oldest first; `None` for a sample that did not come.
pub(super) type Points = Vec<(i64, Option<f64>)>;
/// Rows that take back iterations: step, stream, second of the start, second of the end.
type Late = (u32, u16, i64, i64);

/// When a step took place, nanoseconds of the run's clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    pub(super) number: u32,
    pub(super) from: i64,
    pub(super) to: i64,
}

impl Span {
    pub(super) fn seconds(&self) -> f64 {
        (self.to - self.from).max(0) as f64 / 1e9
    }
}

/// All rows of a run.
#[derive(Default)]
pub(super) struct Evidence {
    pub(super) head: Head,
    /// Steps that began, in order of time.
    pub(super) spans: Vec<Span>,
    /// Request accounting by step, with what was refused later among the failed.
    pub(super) iterations: BTreeMap<u32, Vec<IterationRow>>,
    /// By step, exchange, leg.
    pub(super) legs: BTreeMap<(u32, u16, u8), Vec<LegRow>>,
    /// As `legs`.
    pub(super) outcomes: BTreeMap<(u32, u16, u8), Vec<OutcomeRow>>,
    /// As `legs`, as they came.
    pub(super) slowest: BTreeMap<(u32, u16, u8), Vec<SlowRow>>,
    /// By step and exchange.
    pub(super) starts: BTreeMap<(u32, u16), Vec<StartRow>>,
    pub(super) engine: Vec<EngineRow>,
    /// By monitor, metric and instance.
    pub(super) watched: BTreeMap<(u16, u16, String), Points>,
    /// Whether nothing of it is lost, changed or without an end: else steps have no certain length, and the last
    /// iterations of it no certain end.
    pub(super) is_whole: bool,
}

impl Evidence {
    /// Reads every table of a run. What lies behind the place where a record breaks off is left out.
    pub(super) fn read(run: &Run) -> Result<Self, record::RecordError> {
        let cut = run.cut().map_or(i64::MAX, |cut| cut.0);
        let is_seen = |intended: i64, end: i64| cut == i64::MAX || intended.max(end) < cut.div_euclid(SECOND);
        let mut all = Self { head: run.head.clone(), ..Self::default() };
        let mut late: BTreeMap<Late, u64> = BTreeMap::new();
        for row in run.outcomes()? {
            let row = row?;
            if !is_seen(row.intended_s, row.end_s) {
                continue;
            }
            let leg = all
                .head
                .exchanges
                .get(usize::from(row.exchange))
                .and_then(|known| known.legs.get(usize::from(row.leg)));
            if row.outcome == Outcome::Late && leg.is_some_and(|leg| leg.name == REFUSED_LATER) {
                *late.entry((row.step, row.stream, row.intended_s, row.end_s)).or_default() += row.count;
            }
            all.outcomes.entry((row.step, row.exchange, row.leg)).or_default().push(row);
        }
        for row in run.iterations()? {
            let mut row = row?;
            if !is_seen(row.intended_s, row.end_s) {
                continue;
            }
            if let Some(left) = late.get_mut(&(row.step, row.stream, row.intended_s, row.end_s)) {
                let taken = row.books.completed.min(*left);
                row.books.completed -= taken;
                row.books.failed += taken;
                *left -= taken;
            }
            all.iterations.entry(row.step).or_default().push(row);
        }
        for row in run.legs()? {
            let row = row?;
            if is_seen(row.intended_s, row.end_s) {
                all.legs.entry((row.step, row.exchange, row.leg)).or_default().push(row);
            }
        }
        for row in run.starts()? {
            let row = row?;
            if is_seen(row.intended_s, row.intended_s) {
                all.starts.entry((row.step, row.exchange)).or_default().push(row);
            }
        }
        for row in run.slowest()? {
            let row = row?;
            if row.at.0 + row.time.0 < cut {
                all.slowest.entry((row.step, row.exchange, row.leg)).or_default().push(row);
            }
        }
        for row in run.engine()? {
            let row = row?;
            if is_seen(row.second, row.second) {
                all.engine.push(row);
            }
        }
        for row in run.samples()? {
            let row = row?;
            let monitor = all.head.monitors.get(usize::from(row.monitor));
            if row.at.0 < cut && monitor.is_some_and(|known| usize::from(row.metric) < known.metrics.len()) {
                let value = row.value.filter(|value| value.is_finite());
                all.watched.entry((row.monitor, row.metric, row.instance)).or_default().push((row.at.0, value));
            }
        }
        all.watched.values_mut().for_each(|points| points.sort_by_key(|(at, _)| *at));
        let has_ends = all.place(&run.steps()?);
        super::counted::derive(&mut all);
        let is_torn = matches!(run.state, RunState::Torn { .. });
        all.is_whole = has_ends && run.cut().is_none() && run.altered.is_empty() && !is_torn;
        Ok(all)
    }

    /// Finds when each step began and ended; whether both are known of all that began.
    fn place(&mut self, marks: &[record::StepMark]) -> bool {
        let mut found: BTreeMap<u32, (Option<i64>, Option<i64>)> = BTreeMap::new();
        for mark in marks.iter().filter(|mark| (mark.step as usize) < self.head.steps.len()) {
            let (begin, end) = found.entry(mark.step).or_default();
            let moment = if mark.is_end { end } else { begin };
            moment.get_or_insert(mark.at.0);
        }
        let both = |(number, (begin, end)): (&u32, &(Option<i64>, Option<i64>))| {
            Some(Span { number: *number, from: (*begin)?, to: (*end)? })
        };
        self.spans = found.iter().filter_map(both).collect();
        self.spans.sort_by_key(|span| (span.from, span.number));
        self.spans.len() == found.len()
    }

    /// A step as it was planned.
    pub(super) fn planned(&self, number: u32) -> &StepHead {
        &self.head.steps[number as usize]
    }

    pub(super) fn span(&self, number: u32) -> Option<&Span> {
        self.spans.iter().find(|span| span.number == number)
    }

    /// Which time its scenario was carried out, from 1.
    pub(super) fn repetition(&self, number: u32) -> u32 {
        self.planned(number).repetition.max(1)
    }

    /// Steps of a scenario, or those of one part of it and those that its parts share, in order of time.
    pub(super) fn steps_of(&self, (scenario, part): (usize, Option<usize>)) -> impl Iterator<Item = &Span> {
        self.spans.iter().filter(move |span| {
            let planned = self.planned(span.number);
            let is_part = part.is_none_or(|part| planned.part.is_none_or(|own| usize::from(own) == part));
            usize::from(planned.scenario) == scenario && is_part
        })
    }

    /// Whose load a step has: its part's, else its scenario's.
    pub(super) fn load_of(&self, number: u32) -> Option<&ScenarioHead> {
        self.head.load_of(self.planned(number))
    }

    /// Scenario and part of a step.
    pub(super) fn place_of(&self, number: u32) -> (usize, Option<usize>) {
        let planned = self.planned(number);
        (usize::from(planned.scenario), planned.part.map(usize::from))
    }

    pub(super) fn iterations(&self, step: u32) -> &[IterationRow] {
        self.iterations.get(&step).map_or(&[], Vec::as_slice)
    }

    pub(super) fn legs(&self, step: u32, exchange: u16, leg: u8) -> &[LegRow] {
        self.legs.get(&(step, exchange, leg)).map_or(&[], Vec::as_slice)
    }

    pub(super) fn outcomes(&self, step: u32, exchange: u16, leg: u8) -> &[OutcomeRow] {
        self.outcomes.get(&(step, exchange, leg)).map_or(&[], Vec::as_slice)
    }

    pub(super) fn starts(&self, step: u32, exchange: u16) -> &[StartRow] {
        self.starts.get(&(step, exchange)).map_or(&[], Vec::as_slice)
    }

    /// Request accounting of a step.
    pub(super) fn books(&self, step: u32) -> Books {
        let mut sum = Books::default();
        self.iterations(step).iter().for_each(|row| sum += row.books);
        sum
    }

    /// Number of the exchange or transaction of a name.
    pub(super) fn exchange(&self, name: &str) -> Option<u16> {
        let place = self.head.exchanges.iter().position(|known| known.name == name)?;
        u16::try_from(place).ok()
    }

    /// Monitor and metric of the count that closes a leg, where the names are those of such a leg.
    pub(super) fn counted_by(&self, names: &[String]) -> Option<[String; 2]> {
        let [exchange, leg] = names else { return None };
        let exchange = self.head.exchanges.iter().find(|known| known.name == *exchange)?;
        let counted = exchange.counted.iter().find(|known| known.leg == *leg)?;
        Some([counted.monitor.clone(), counted.metric.clone()])
    }

    /// Monitor and metric of what is derived of a leg that is counted: `x.stored.backlog`, and with `drain` `x.stored` for it.
    pub(super) fn derived(&self, names: &[String], drain: bool) -> Option<[String; 2]> {
        let (leg, metric) = match names {
            [_, _] if drain => (names, "backlog"),
            [leg @ .., metric] if leg.len() == 2 => (leg, metric.as_str()),
            _ => return None,
        };
        self.counted_by(leg)?;
        Some([leg.join("."), metric.to_owned()])
    }

    /// Number of a leg of it.
    pub(super) fn leg(&self, exchange: u16, name: &str) -> Option<u8> {
        let legs = &self.head.exchanges.get(usize::from(exchange))?.legs;
        u8::try_from(legs.iter().position(|known| known.name == name)?).ok()
    }

    /// Exchanges that an iteration of a load can carry out: its mean, and what it is at most.
    pub(super) fn each(load: &ScenarioHead, exchange: u16) -> (f64, f64) {
        let of = |list: &[f64]| list.get(usize::from(exchange)).copied().unwrap_or(0.0).max(0.0);
        let mean = of(&load.per_iteration);
        (mean, of(&load.most_per_iteration).max(mean.ceil()))
    }

    /// How many of an exchange were planned: what every iteration carries out, or, where chance or a condition decides,
    /// what was started and what the dropped ones would have on average.
    pub(super) fn planned_calls(load: &ScenarioHead, exchange: u16, books: &Books, started: u64) -> f64 {
        let (mean, most) = Self::each(load, exchange);
        if mean == most { books.intended as f64 * mean } else { started as f64 + books.dropped as f64 * mean }
    }
}

/// Whole seconds within a stretch of time.
pub(super) fn seconds_within(from: i64, to: i64) -> Range<i64> {
    let first = (from + SECOND - 1).div_euclid(SECOND);
    first..to.div_euclid(SECOND).max(first)
}

/// Seconds whose middle lies in a stretch of time.
pub(super) fn seconds_nearest(from: i64, to: i64) -> Range<i64> {
    let edge = |moment: i64| (moment + SECOND / 2 - 1).div_euclid(SECOND);
    edge(from)..edge(to).max(edge(from))
}

/// Seconds that a stretch of time touches.
pub(super) fn seconds_touched(from: i64, to: i64) -> Range<i64> {
    let first = from.div_euclid(SECOND);
    first..(to + SECOND - 1).div_euclid(SECOND).max(first)
}

/// Stretches that overlap or touch, as one.
pub(super) fn joined(mut spans: Vec<Range<i64>>) -> Vec<Range<i64>> {
    spans.retain(|span| span.start < span.end);
    spans.sort_by_key(|span| span.start);
    let mut all: Vec<Range<i64>> = Vec::new();
    for span in spans {
        match all.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => all.push(span),
        }
    }
    all
}
