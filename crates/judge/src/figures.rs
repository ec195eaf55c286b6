//! Merged rows of one window: what every statistic of a rule is read from, after a run and while it goes on.

mod selection;
mod unfinished;

pub use selection::Selection;
pub(crate) use selection::{Ends, width};
pub(crate) use unfinished::Unfinished;

use crate::evidence::Evidence;
use crate::limits::{AskedLimit, Bracket, Limit, Timed};
use crate::row::{Points, is_histogram, times_of};
use crate::rows::{Index, each, joined, planned};
use record::{Folded, IterationRow, LegRow, OutcomeRow, StartRow};
use record::{Head, SampleRow, ScenarioHead};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use terms::{Books, Histogram, Nanos, Outcome, Population};

/// Series by monitor, metric and instance.
pub type Sampled = BTreeMap<(u16, u16, String), Points>;

/// What was watched around a load that was carried out once: before it, and from its end on until the next one.
#[derive(Clone, Debug, Default)]
pub struct Around {
    /// Samples of the scenario's idle phase.
    pub idle: Sampled,
    /// Samples from the end of the load on.
    pub after: Sampled,
    /// End of the load.
    pub load_end: Nanos,
    /// Up to when `after` was watched.
    pub seen_to: Nanos,
}

/// One population of a leg.
#[derive(Clone, Debug, Default)]
pub struct PopulationFigures {
    /// Response times, in a closed load service times.
    pub response: Histogram,
    /// Service times.
    pub service: Histogram,
    /// Closes.
    pub count: u64,
}

/// One second of a population.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Second {
    /// Closes, or starts.
    pub count: u64,
    /// Sum of response times (in a closed load of service times; of starts the lateness), ms.
    pub response_ms: f64,
    /// Sum of service times, ms.
    pub service_ms: f64,
    /// How many lie on the low side of each limit that is asked about.
    pub below: Vec<Bracket>,
}

/// One leg of one exchange.
#[derive(Clone, Debug, Default)]
pub struct LegFigures {
    /// Ended well.
    pub ok: PopulationFigures,
    /// Ended badly.
    pub failed: PopulationFigures,
    /// By second of the intended start: ended well, ended badly.
    pub seconds: BTreeMap<i64, [Second; 2]>,
    /// By class.
    pub outcomes: [u64; 16],
    /// By class and second of the intended start.
    pub outcome_seconds: BTreeMap<(u8, i64), u64>,
    /// Of those by class, what was cut off because the run was stopped.
    pub cut_off: u64,
    /// Ended well within the window, whenever it was intended.
    pub ended_ok: u64,
    /// The same by the second of the end.
    pub ended_seconds: BTreeMap<i64, u64>,
}

/// Starts of one exchange.
#[derive(Clone, Debug, Default)]
pub struct StartFigures {
    /// Started.
    pub started: u64,
    /// The generator's lateness.
    pub lateness: Histogram,
    /// By second of the intended start.
    pub seconds: BTreeMap<i64, Second>,
}

/// What one part of a scenario planned; a scenario that is no mix has one.
#[derive(Clone, Debug, Default)]
struct PartFigures {
    books: Books,
    /// Iterations that a run which did not end as planned left unfinished.
    unfinished: i64,
    intended: BTreeMap<i64, u64>,
    /// By exchange.
    started: BTreeMap<u16, u64>,
    /// How often an iteration carries an exchange out, by its number.
    each: Vec<f64>,
    /// Iterations by second of the intended start: ended well, ended badly.
    closed: BTreeMap<i64, [u64; 2]>,
    /// Iterations that ended well within the window, by the second of the end.
    ended: BTreeMap<i64, u64>,
}

/// An exchange as a whole: it ended well where all its legs did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WholeFigures {
    /// By second of the intended start: ended well, ended badly.
    pub closed: BTreeMap<i64, [u64; 2]>,
    /// Ended well within the window, by the second of the end.
    pub ended: BTreeMap<i64, u64>,
}

impl WholeFigures {
    /// Ended well, and ended badly, whenever they ended.
    pub fn counts(&self) -> [u64; 2] {
        self.closed.values().fold([0, 0], |[ok, failed], [o, f]| [ok + o, failed + f])
    }
}

impl PartFigures {
    fn each(&self, exchange: u16) -> f64 {
        self.each.get(usize::from(exchange)).copied().unwrap_or(0.0)
    }

    /// Whether an iteration is this exchange and nothing else.
    fn is_only(&self, exchange: u16) -> bool {
        self.each(exchange) == 1.0 && self.each.iter().sum::<f64>() == 1.0
    }
}

/// Tables that are left out, the first of each kind: nothing is known of what they held, and nothing is zero for it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LeftOut {
    /// Of the load.
    pub(crate) load: Option<&'static str>,
    /// That of starts, without which what chance chose to plan is not known.
    pub(crate) starts: Option<&'static str>,
    /// Of what is watched.
    pub(crate) watch: Option<&'static str>,
}

impl LeftOut {
    pub(crate) fn of(evidence: &Evidence) -> Self {
        let first = |tables: &[&'static str]| tables.iter().copied().find(|table| evidence.lacks(table));
        Self {
            load: first(&["load/legs.parquet", "load/outcomes.parquet", "load/starts.parquet"]),
            starts: first(&["load/starts.parquet"]),
            watch: first(&["watch/samples.parquet"]),
        }
    }
}

/// Everything about one window.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// Number of the scenario.
    pub scenario: usize,
    /// Number of the part, where only one is looked at.
    pub part: Option<usize>,
    /// Real length, seconds.
    pub seconds: f64,
    /// Length of the whole seconds in which ends are counted.
    pub end_seconds: f64,
    /// Seconds of intended starts that stand together; 0 is 1.
    pub(crate) width: i64,
    /// Books of iterations.
    pub books: Books,
    /// Iterations by second of the intended start.
    pub intended: BTreeMap<i64, u64>,
    /// By exchange and leg.
    pub legs: BTreeMap<(u16, u8), LegFigures>,
    /// Starts and lateness by exchange.
    pub starts: BTreeMap<u16, StartFigures>,
    parts: Vec<PartFigures>,
    /// Part of each step, by the step's number; the first where there is none.
    part_of: Vec<usize>,
    /// Whether what ended is all that was planned: while the run goes on, for what is open may still end.
    pub is_live: bool,
    /// Tables without which there is no figure.
    pub(crate) left_out: LeftOut,
    /// Where a run that did not end as planned leaves things unfinished.
    pub(crate) breaks_off: Unfinished,
    /// Exchange and leg of refusals that come when everything had ended.
    afterwards: BTreeSet<(u16, u8)>,
    /// Limits that are asked about, by exchange and leg, in the order of `below`.
    pub limits: BTreeMap<(u16, u8), Vec<Limit>>,
    /// Samples by monitor, metric and instance.
    pub samples: Sampled,
    /// What was watched around the load, once for each repetition, for rules that look there.
    pub around: Vec<Around>,
    /// What watched counts grew by, by monitor and metric, for rules that count them.
    pub counted: BTreeMap<(u16, u16), Counted>,
}

/// What a watched count grew by over a window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counted {
    /// By instance; for values of a query by the labels of its rows.
    pub grown: BTreeMap<String, f64>,
    /// Nothing was counted before the load, so that what stood there already is not known.
    pub is_begin_unseen: bool,
    /// Nothing was counted after the load, so that the last of it may be missing.
    pub is_end_unseen: bool,
    /// Whether two looks at least, from the last end of the load on, brought the same counts: nothing was still to come.
    pub is_still: bool,
}

impl Figures {
    /// Nothing measured yet in a scenario. `asked`: the limits that will be asked about.
    pub fn new(head: &Head, scenario: usize, asked: &[AskedLimit]) -> Self {
        let own = head.scenarios.get(scenario);
        let loads: Vec<&ScenarioHead> = own.map_or_else(Vec::new, |own| match own.parts.as_slice() {
            [] => vec![own],
            parts => parts.iter().collect(),
        });
        let part = |load: &&ScenarioHead| PartFigures {
            each: (0..head.exchanges.len()).map(|number| each(Some(load), number as u16)).collect(),
            ..PartFigures::default()
        };
        Self {
            scenario,
            parts: loads.iter().map(part).collect(),
            part_of: head.steps.iter().map(|step| step.part.map_or(0, usize::from)).collect(),
            afterwards: crate::row::afterwards(head).collect(),
            limits: crate::limits::limits(head, asked),
            ..Self::default()
        }
    }

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

    /// Iterations that were added as ended well have failed, as this row says if it is one of those that say so; see
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

    /// Adds a run's rows that the selection takes.
    pub(crate) fn add_index(&mut self, index: &Index<'_>, selection: &Selection) {
        self.width = selection.width;
        for &step in &selection.ends_of {
            index.legs_of(step).for_each(|row| self.add_leg(&row, selection));
            index.iterations(step).for_each(|row| self.add_iteration(&row, selection));
        }
        for &step in &selection.steps {
            index.starts_of(step).for_each(|row| self.add_start(&row, selection));
            index.outcomes_of(step).for_each(|row| self.add_outcome(&row, selection));
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
            index.legs_of(step).for_each(|row| with(step, row.stream, &|own| own.add_leg(&row, selection)));
            let iterations = index.iterations(step);
            iterations.for_each(|row| with(step, row.stream, &|own| own.add_iteration(&row, selection)));
        }
        for &step in &selection.steps {
            index.starts_of(step).for_each(|row| with(step, row.stream, &|own| own.add_start(&row, selection)));
            index.outcomes_of(step).for_each(|row| with(step, row.stream, &|own| own.add_outcome(&row, selection)));
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
                    self.samples.insert((metric.0, metric.1, instance.name.clone()), points);
                }
            }
        }
    }

    /// A leg's figures, when anything closed.
    pub fn leg(&self, exchange: u16, leg: u8) -> Option<&LegFigures> {
        self.legs.get(&(exchange, leg))
    }

    /// An exchange of several legs as a whole; `None` where iterations carry out more than it, for then no row says which
    /// of its legs belong together.
    pub fn whole(&self, exchange: u16) -> Option<WholeFigures> {
        let mut whole = WholeFigures::default();
        for part in self.parts.iter().filter(|part| part.each(exchange) > 0.0) {
            if !part.is_only(exchange) {
                return None;
            }
            for (second, [ok, failed]) in &part.closed {
                let closed = whole.closed.entry(*second).or_default();
                *closed = [closed[0] + ok, closed[1] + failed];
            }
            for (second, count) in &part.ended {
                *whole.ended.entry(*second).or_default() += count;
            }
        }
        Some(whole)
    }

    /// How many of an exchange were planned. While the run goes on, what ended: what is open may still end.
    pub fn planned(&self, exchange: u16) -> u64 {
        if self.is_live {
            return self.leg(exchange, 0).map_or(0, |leg| leg.ok.count + leg.failed.count);
        }
        let of_part = |part: &PartFigures| {
            let started = part.started.get(&exchange).copied().unwrap_or(0);
            planned(part.each(exchange), &part.books, started)
        };
        self.parts.iter().map(of_part).sum::<f64>().round() as u64
    }

    /// How many of an exchange the iterations that were dropped would have carried out.
    pub fn dropped(&self, exchange: u16) -> u64 {
        let of_part = |part: &PartFigures| part.books.dropped as f64 * part.each(exchange);
        self.parts.iter().map(of_part).sum::<f64>().round() as u64
    }

    /// Calls of an exchange by second, for design effects: those that were started stand in their own second, those that
    /// never were in the second in which their iteration was intended.
    pub fn calls_by_second(&self, exchange: u16, leg: u8) -> BTreeMap<i64, u64> {
        let mut calls: BTreeMap<i64, u64> = BTreeMap::new();
        if let Some(starts) = self.starts.get(&exchange) {
            calls.extend(starts.seconds.iter().map(|(second, starts)| (*second, starts.count)));
        }
        for (second, [ok, failed]) in self.leg(exchange, leg).iter().flat_map(|leg| &leg.seconds) {
            let closed = calls.entry(*second).or_default();
            *closed = (*closed).max(ok.count + failed.count);
        }
        let known: u64 = calls.values().sum();
        let missing = self.planned(exchange).saturating_sub(known);
        if missing > 0 {
            self.spread(exchange, missing, &mut calls);
        }
        calls
    }

    /// Adds calls that were never seen to the seconds in which fewer were seen than planned, in proportion.
    fn spread(&self, exchange: u16, missing: u64, calls: &mut BTreeMap<i64, u64>) {
        let mut due: BTreeMap<i64, f64> = BTreeMap::new();
        for part in &self.parts {
            for (second, intended) in &part.intended {
                *due.entry(*second).or_default() += *intended as f64 * part.each(exchange);
            }
        }
        let short = |second: &i64, due: f64| (due - calls.get(second).copied().unwrap_or(0) as f64).max(0.0);
        let gaps: Vec<(i64, f64)> = due.iter().map(|(second, due)| (*second, short(second, *due))).collect();
        let all: f64 = gaps.iter().map(|(_, gap)| gap).sum();
        let (mut seen, mut given) = (0.0, 0u64);
        for (second, gap) in gaps {
            seen += gap;
            // By running total, so that rounding loses none.
            let due = if all > 0.0 { (missing as f64 * seen / all).round() as u64 } else { 0 };
            *calls.entry(second).or_default() += due.saturating_sub(given);
            given = given.max(due);
        }
    }

    /// Closes of a class by second of the intended start.
    pub fn class_by_second(&self, exchange: u16, leg: u8, outcome: Outcome) -> BTreeMap<i64, u64> {
        let rows = self.leg(exchange, leg).map(|leg| {
            leg.outcome_seconds.range((outcome as u8, i64::MIN)..=(outcome as u8, i64::MAX)).map(|((_, s), n)| (*s, *n))
        });
        rows.into_iter().flatten().collect()
    }
}

/// How far beside a window a sample may lie that stands for its edge: of a counter half a period.
fn reach(head: &Head, (monitor, metric): (u16, u16)) -> Nanos {
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
