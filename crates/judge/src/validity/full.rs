//! Threads of the generator that had no time left, and which rate was in time all the same.

use super::pace::{self, Pace};
use super::{least, limits, plain};
use crate::Scope;
use crate::evidence::StepSpan;
use crate::rows::{Index, seconds_touched, seconds_within};
use crate::{Arg, Sign, StepResult, WireValidity};
use std::collections::BTreeMap;
use terms::Nanos;

/// Arrivals that wait for a connection wait on the system's account, unless the generator itself had no time left to
/// take the answers that would have freed one.
pub(super) fn overloaded(index: &Index<'_>, span: &StepSpan, result: &StepResult, scope: &Scope) -> Option<Sign> {
    let share = overloaded_share(index, span)?;
    let state = match share > limits::OVERLOADED_SECONDS {
        true if ended_per_s(index, span) < limits::ENDED_LEAST * result.offered_per_s => WireValidity::Invalid,
        true => WireValidity::Questionable,
        false => WireValidity::Valid,
    };
    let mut sign = plain("overloaded", scope, state, []);
    (sign.value, sign.questionable) = (Some(Arg::Share(share)), Some(Arg::Share(limits::OVERLOADED_SECONDS)));
    Some(sign)
}

/// Share of a step's seconds in which a thread had no time left while arrivals waited; `None` where no thread was seen.
pub(super) fn overloaded_share(index: &Index<'_>, span: &StepSpan) -> Option<f64> {
    let within = seconds_within(span.from, span.to);
    let seconds = if within.is_empty() { seconds_touched(span.from, span.to) } else { within };
    let rows = || index.evidence.engine.iter().filter(|row| seconds.contains(&row.second));
    rows().next()?;
    let stolen = Stolen::of_run(index);
    let mut full: Vec<i64> =
        rows().filter(|row| pace::is_full(row, stolen.of(row.second))).map(|row| row.second).collect();
    full.sort_unstable();
    full.dedup();
    Some(full.len() as f64 / (seconds.end - seconds.start).max(1) as f64)
}

/// Iterations that ended a second, well or not, in the whole seconds within a step; in one that holds none, its own
/// over its length, whenever they ended.
fn ended_per_s(index: &Index<'_>, span: &StepSpan) -> f64 {
    let seconds = seconds_within(span.from, span.to);
    if seconds.is_empty() {
        let books = index.books(span.number);
        return (books.completed + books.failed) as f64 / (span.to - span.from).as_secs_f64().max(1e-3);
    }
    let steps = index.steps_of_part(span.scenario, index.part(span));
    let rows = steps.flat_map(|step| index.iterations(step.number)).filter(|row| seconds.contains(&row.end_s));
    let ended: u64 = rows.map(|row| row.books.completed + row.books.failed).sum();
    ended as f64 / (seconds.end - seconds.start) as f64
}

/// What rate was in time, where the planned one was not: the fastest second of the scenario's whole load, ramp and
/// warm-up included, all parts together. It is a lower bound: nobody tried what lies between it and the plan.
pub(super) fn rate(
    index: &Index<'_>,
    span: &StepSpan,
    result: &StepResult,
    scope: &Scope,
    state: WireValidity,
) -> Sign {
    let repetition = index.repetition(span);
    let of_load = index.evidence.steps_of(span.scenario, None).filter(|step| step.phase.has_load());
    let mut pace = Pace::default();
    for step in of_load.filter(|step| index.repetition(step) == repetition) {
        index.iterations(step.number).for_each(|row| pace.add_iterations(&row));
        index.starts_of(step.number).for_each(|row| pace.add_starts(&row));
    }
    let stolen = Stolen::of_run(index);
    index.evidence.engine.iter().for_each(|row| pace.add_thread(row, stolen.of(row.second)));
    // Held against service times: response times hold the lateness itself.
    let late_ms = limits::LATENESS_QUESTIONABLE_MS
        .max(limits::LATENESS_QUESTIONABLE_SHARE * least(result, |leg| leg.service.as_ref()));
    let clean = pace.highest(Nanos::from_secs_f64(late_ms / 1e3));
    // The plan is that of all parts of a mix, so what ended is, too.
    let parts = || index.evidence.steps.iter().filter(|step| index.shared_scope(step) == *scope);
    let planned: u64 = parts().map(|step| index.books_of_span(step).intended).sum();
    let planned = planned as f64 / (span.to - span.from).as_secs_f64().max(1e-3);
    let ended: f64 = parts().map(|part| ended_per_s(index, part)).sum();
    let found = match clean {
        None => "none",
        Some(clean) if clean >= limits::RATE_KEPT * planned => "planned",
        Some(_) => "below",
    };
    let args = [
        ("clean", Arg::PerSecond(clean.unwrap_or(0.0))),
        ("ended", Arg::PerSecond(ended)),
        ("found", Arg::Text(found.into())),
        ("planned", Arg::PerSecond(planned)),
    ];
    plain("rate", scope, state, args)
}

/// Share of processor time that other machines took, by second, as the generator or the host saw it.
struct Stolen(BTreeMap<i64, f64>);

impl Stolen {
    fn of_run(index: &Index<'_>) -> Self {
        let samples =
            super::stolen(index).map_or_else(Vec::new, |metric| index.samples(metric, Nanos::ZERO..Nanos::MAX));
        // A sample stands at the end of what it was taken over, a second.
        let share = |(at, value): (Nanos, Option<f64>)| Some(((at - Nanos::from_millis(500)).second(), value?));
        let shares = samples.into_iter().flat_map(|(_, points)| points).filter_map(share);
        Self(shares.filter(|(_, share)| *share > 0.0).collect())
    }

    /// Of one second; 0 where nobody looked.
    fn of(&self, second: i64) -> f64 {
        self.0.get(&second).copied().unwrap_or(0.0)
    }
}
