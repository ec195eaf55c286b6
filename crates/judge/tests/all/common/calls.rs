//! Calls made by hand, and the rows that the recorder would have made of them.

use record::{Folded, IterationRow, LegRow, OutcomeRow, StartRow};
use record::{Head, ThresholdHead};
use std::collections::BTreeMap;
use terms::{Books, Buckets, Nanos, Outcome, Population, SparseHistogram};

/// A call of the first exchange of an iteration unless `is_later`.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    pub step: u32,
    pub exchange: u16,
    /// Intended start, seconds.
    pub at: f64,
    pub took: Nanos,
    pub outcome: Outcome,
    /// The generator's lateness.
    pub late: Nanos,
    /// Whether it carries no iteration of its own: another exchange of the same iteration does.
    pub is_later: bool,
}

/// A call that ends well.
pub fn call(step: u32, at: f64, took_ms: f64) -> Call {
    let took = Nanos::from_secs_f64(took_ms / 1e3);
    Call { step, exchange: 0, at, took, outcome: Outcome::Ok, late: Nanos::ZERO, is_later: false }
}

impl Call {
    pub fn ended(self, outcome: Outcome) -> Self {
        Self { outcome, ..self }
    }

    pub fn of(self, exchange: u16) -> Self {
        Self { exchange, ..self }
    }

    pub fn later(self) -> Self {
        Self { is_later: true, ..self }
    }

    pub fn late(self, ms: f64) -> Self {
        Self { late: Nanos::from_secs_f64(ms / 1e3), ..self }
    }
}

/// `per_second` calls in each of `seconds` from `from`, evenly spaced; `of(number)` makes each.
pub fn evenly(step: u32, from: i64, seconds: i64, per_second: u64, of: impl Fn(u64, Call) -> Call) -> Vec<Call> {
    let at = |number: u64| from as f64 + number as f64 / per_second as f64;
    (0..seconds as u64 * per_second).map(|number| of(number, call(step, at(number) + 1e-6, 10.0))).collect()
}

/// Whether the `number`-th of `all` is one of `chosen` that are spread evenly over them.
pub fn spread(number: u64, chosen: u64, all: u64) -> bool {
    (number + 1) * chosen / all > number * chosen / all
}

/// Rows of calls as the recorder would have made them.
pub fn fold(head: &Head, calls: &[Call]) -> Folded {
    let mut legs: BTreeMap<(u32, u16, Population, i64, i64), Vec<&Call>> = BTreeMap::new();
    let mut starts: BTreeMap<(u32, u16, i64), Vec<&Call>> = BTreeMap::new();
    let mut outcomes: BTreeMap<(u32, u16, Outcome, i64, i64), u64> = BTreeMap::new();
    let mut iterations: BTreeMap<(u32, i64, i64), Books> = BTreeMap::new();
    for call in calls {
        let at = Nanos::from_secs_f64(call.at);
        let (intended_s, end_s) = (at.second(), (at + call.took).second());
        let is_started = !matches!(call.outcome, Outcome::Dropped | Outcome::NoResource);
        if let Some(population) = call.outcome.population() {
            legs.entry((call.step, call.exchange, population, intended_s, end_s)).or_default().push(call);
        }
        if is_started {
            starts.entry((call.step, call.exchange, intended_s)).or_default().push(call);
        }
        if call.outcome != Outcome::Dropped {
            *outcomes.entry((call.step, call.exchange, call.outcome, intended_s, end_s)).or_default() += 1;
        }
        if !call.is_later {
            let begun = iterations.entry((call.step, intended_s, intended_s)).or_default();
            begun.intended += 1;
            begun.started += u64::from(is_started);
            begun.dropped += u64::from(!is_started);
            let ended = iterations.entry((call.step, intended_s, end_s)).or_default();
            match call.outcome {
                Outcome::Ok => ended.completed += 1,
                outcome if outcome.is_failed() => ended.failed += 1,
                _ => ended.aborted += u64::from(is_started),
            }
        }
    }
    let is_closed = |step: u32| {
        let scenario = head.steps[step as usize].scenario;
        head.scenarios[usize::from(scenario)].model == "closed"
    };
    let leg = |((step, exchange, population, intended_s, end_s), calls): (_, Vec<&Call>)| {
        let response: Vec<Nanos> = calls.iter().map(|call| call.took).collect();
        let service: Vec<Nanos> = calls.iter().map(|call| call.took - call.late).collect();
        let below = |threshold: &ThresholdHead| {
            let of = if threshold.measure == "service" { &service } else { &response };
            let is_below =
                |time: &&Nanos| time.0 < threshold.limit_ns || (threshold.inclusive && time.0 == threshold.limit_ns);
            of.iter().filter(is_below).count() as u64
        };
        LegRow {
            stream: contract::NO_STREAM,
            step,
            exchange,
            leg: 0,
            population,
            intended_s,
            end_s,
            count: calls.len() as u64,
            units: calls.len() as u64,
            bytes: 100 * calls.len() as u64,
            below: head.exchanges[usize::from(exchange)].thresholds.iter().map(below).collect(),
            response: if is_closed(step) { SparseHistogram::default() } else { sparse(&response) },
            service: sparse(&service),
        }
    };
    let start = |((step, exchange, intended_s), calls): ((u32, u16, i64), Vec<&Call>)| {
        let lateness: Vec<Nanos> = calls.iter().map(|call| call.late).collect();
        StartRow {
            step,
            exchange,
            stream: contract::NO_STREAM,
            intended_s,
            started: calls.len() as u64,
            lateness: sparse(&lateness),
        }
    };
    let outcome = |((step, exchange, outcome, intended_s, end_s), count)| OutcomeRow {
        stream: contract::NO_STREAM,
        step,
        exchange,
        leg: 0,
        outcome,
        intended_s,
        end_s,
        count,
    };
    Folded {
        legs: legs.into_iter().map(leg).collect(),
        starts: starts.into_iter().map(start).collect(),
        outcomes: outcomes.into_iter().map(outcome).collect(),
        iterations: iterations
            .into_iter()
            .map(|((step, intended_s, end_s), books)| IterationRow {
                step,
                stream: contract::NO_STREAM,
                intended_s,
                end_s,
                books,
            })
            .collect(),
        notes: Vec::new(),
        slowest: Vec::new(),
    }
}

pub fn sparse(times: &[Nanos]) -> SparseHistogram {
    let mut buckets: BTreeMap<u32, u64> = BTreeMap::new();
    times.iter().for_each(|time| *buckets.entry(Buckets::index(*time)).or_default() += 1);
    SparseHistogram {
        buckets: buckets.into_iter().collect(),
        min: times.iter().copied().min().unwrap_or_default(),
        max: times.iter().copied().max().unwrap_or_default(),
        sum_ns: times.iter().map(|time| time.0 as f64).sum(),
    }
}

pub fn append(into: &mut Folded, more: Folded) {
    into.legs.extend(more.legs);
    into.starts.extend(more.starts);
    into.outcomes.extend(more.outcomes);
    into.iterations.extend(more.iterations);
    into.notes.extend(more.notes);
    into.slowest.extend(more.slowest);
}
