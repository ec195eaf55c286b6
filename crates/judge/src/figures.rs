//! Merged rows of one window: what every statistic of a rule is read from, after a run and while it goes on.

mod gather;
mod selection;
mod unfinished;

pub(crate) use gather::reach;
pub use selection::Selection;
pub(crate) use selection::{Ends, width};
pub(crate) use unfinished::Unfinished;

use crate::evidence::Evidence;
use crate::limits::{AskedLimit, Bracket, Limit};
use crate::row::Points;
use crate::rows::Each;
use record::{Head, ScenarioHead};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use terms::{Books, Histogram, Nanos, Outcome};

/// Series by monitor, metric and instance.
pub type Sampled = BTreeMap<(u16, u16, String), Points>;

/// What was watched around a load that was carried out once: before it, and from its end on until the next one.
#[derive(Clone, Debug, Default)]
pub struct Around {
    /// Samples of the scenario's idle phase.
    pub idle: Sampled,
    /// Samples from the end of the load on.
    pub after: Sampled,
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
    pub count: u64,
    /// Units that the exchanges carried, where their answers say so.
    pub units: u64,
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
    /// Succeeded.
    pub ok: PopulationFigures,
    /// Ended badly.
    pub failed: PopulationFigures,
    /// By second of the intended start: succeeded, failed.
    pub seconds: BTreeMap<i64, [Second; 2]>,
    /// By class.
    pub outcomes: [u64; 16],
    /// By class and second of the intended start.
    pub outcome_seconds: BTreeMap<(u8, i64), u64>,
    /// Of those by class, what was cut off because the run was stopped.
    pub cut_off: u64,
    /// Succeeded within the window, whenever it was intended.
    pub ended_ok: u64,
    /// Units of these.
    pub ended_units: u64,
    /// The same by the second of the end.
    pub ended_seconds: BTreeMap<i64, u64>,
}

/// Starts of one exchange.
#[derive(Clone, Debug, Default)]
pub struct StartFigures {
    pub started: u64,
    /// The generator's lateness.
    pub lateness: Histogram,
    /// By second of the intended start.
    pub seconds: BTreeMap<i64, Second>,
}

/// What one part of a scenario planned; a scenario that is not a mix has one.
#[derive(Clone, Debug, Default)]
struct PartFigures {
    books: Books,
    /// Iterations that a run which did not end as planned left unfinished.
    unfinished: i64,
    intended: BTreeMap<i64, u64>,
    /// By exchange.
    started: BTreeMap<u16, u64>,
    /// How often an iteration carries an exchange out, by its number.
    each: Vec<Each>,
    /// How many of these are calls; the others are transactions.
    calls: usize,
    /// Whether the study bounds its connections: an arrival that never got one is on the system's account.
    is_bounded: bool,
    /// Iterations by second of the intended start: succeeded, failed.
    closed: BTreeMap<i64, [u64; 2]>,
    /// Iterations that succeeded within the window, by the second of the end.
    ended: BTreeMap<i64, u64>,
}

/// An exchange as a whole: it succeeded where all its legs did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WholeFigures {
    /// By second of the intended start: succeeded, failed.
    pub closed: BTreeMap<i64, [u64; 2]>,
    /// Succeeded within the window, by the second of the end.
    pub ended: BTreeMap<i64, u64>,
}

impl WholeFigures {
    /// Succeeded, and failed, whenever they ended.
    pub fn counts(&self) -> [u64; 2] {
        self.closed.values().fold([0, 0], |[ok, failed], [o, f]| [ok + o, failed + f])
    }
}

impl PartFigures {
    fn each(&self, exchange: u16) -> Each {
        self.each.get(usize::from(exchange)).copied().unwrap_or_default()
    }

    /// Whether an iteration is this exchange and nothing else.
    fn is_only(&self, exchange: u16) -> bool {
        self.each(exchange) == Each { mean: 1.0, most: 1.0 }
            && self.each.iter().take(self.calls).map(|each| each.most).sum::<f64>() == 1.0
    }
}

/// Tables that are left out, the first of each kind: nothing is known of what they held, and nothing is zero for it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LeftOut {
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
    /// Whether it is a part of a phase, cut by seconds: what an iteration of it did may lie outside.
    pub(crate) is_cut_by_seconds: bool,
    /// Its stretches of time, in order.
    pub(crate) stretches: Vec<Range<Nanos>>,
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
    /// The same of these instances alone: before the load they were looked for in vain.
    pub begins_unseen: BTreeSet<String>,
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
            each: (0..head.exchanges.len()).map(|number| Each::of(Some(load), number as u16)).collect(),
            calls: head.calls(),
            is_bounded: load.max_in_flight.is_some(),
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

    /// A leg's figures, when anything closed.
    pub fn leg(&self, exchange: u16, leg: u8) -> Option<&LegFigures> {
        self.legs.get(&(exchange, leg))
    }

    /// An exchange of several legs as a whole; `None` where iterations carry out more than it, for then no row says which
    /// of its legs belong together.
    pub fn whole(&self, exchange: u16) -> Option<WholeFigures> {
        let mut whole = WholeFigures::default();
        for part in self.parts.iter().filter(|part| part.each(exchange).is_possible()) {
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
            part.each(exchange).planned(&part.books, started)
        };
        self.parts.iter().map(of_part).sum::<f64>().round() as u64
    }

    /// How many of an exchange the iterations that were dropped would have carried out.
    pub fn dropped(&self, exchange: u16) -> u64 {
        let of_part = |part: &PartFigures| part.books.dropped as f64 * part.each(exchange).mean;
        self.parts.iter().map(of_part).sum::<f64>().round() as u64
    }

    /// Calls of an exchange that were planned and neither succeeded nor failed, of which nobody knows what they would have
    /// come to: cut off when the drain was over, never sent since an exchange before them failed, or still without a
    /// connection where the study bounds them. Starts that the generator lost are a matter of validity and not among them,
    /// nor is what an interrupted run leaves `unfinished`. `closed` succeeded or failed, in the first leg or as a whole.
    pub fn unsettled(&self, exchange: u16, closed: u64, unfinished: u64) -> u64 {
        let of_part = |part: &PartFigures| {
            let started = part.started.get(&exchange).copied().unwrap_or(0);
            part.each(exchange).due(&part.books, started, part.is_bounded)
        };
        let due = self.parts.iter().map(of_part).sum::<f64>().round() as u64;
        due.saturating_sub(unfinished).saturating_sub(closed)
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
                *due.entry(*second).or_default() += *intended as f64 * part.each(exchange).mean;
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
