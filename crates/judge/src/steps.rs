//! One entry for each step and phase that took place: rates, books, times.

use crate::evidence::{Evidence, StepSpan};
use crate::times::times;
use crate::{ExchangeResult, LegResult, StepResult};
use contract::recorder::LegRow;
use terms::{Books, Histogram, Nanos, OUTCOMES, Outcome, Population};

/// Statistics of every step, in order of time.
pub(crate) fn step_results(evidence: &Evidence) -> Vec<StepResult> {
    evidence.steps.iter().map(|step| step_result(evidence, step)).collect()
}

fn step_result(evidence: &Evidence, step: &StepSpan) -> StepResult {
    let planned = evidence.head.steps.get(step.number as usize).cloned().unwrap_or_default();
    let scenario = evidence.head.scenarios.get(step.scenario).cloned().unwrap_or_default();
    let seconds = (step.to - step.from).as_secs_f64();
    let books = books_of(evidence, step.number);
    let per_second = |count: f64| if seconds > 0.0 { count / seconds } else { 0.0 };
    let ended_ok = ended_within(evidence, step);
    let lateness = lateness_of(evidence, step.number);
    let is_closed = scenario.model == "closed";
    let set_up_only = |number: usize| scenario.per_iteration.get(number).is_none_or(|each| *each <= 0.0);
    let exchanges = (0..evidence.head.exchanges.len())
        .filter(|number| step.phase.has_load() && !set_up_only(*number))
        .map(|number| {
            exchange_result(
                evidence,
                step,
                number as u16,
                books.intended as f64 * scenario.per_iteration[number],
                is_closed,
            )
        })
        .collect();
    StepResult {
        number: step.number,
        scenario: scenario.name.clone(),
        id: step.id.clone(),
        phase: step.phase.name().into(),
        seconds,
        users: planned.users,
        offered_per_s: per_second(books.intended as f64),
        achieved_per_s: per_second(books.started as f64),
        throughput_per_s: per_second(ended_ok as f64),
        judged_from: 0.0,
        books,
        lateness_p99_ms: lateness.quantile(0.99).map(Nanos::as_millis_f64),
        cpu_share: cpu_share(evidence, step),
        validity: None,
        variables: planned.variables,
        repetition: planned.repetition.max(1),
        exchanges,
    }
}

/// Books of the iterations whose intended start lies in a step.
pub(crate) fn books_of(evidence: &Evidence, step: u32) -> Books {
    let mut books = Books::default();
    evidence.rows.iterations.iter().filter(|row| row.step == step).for_each(|row| books += row.books);
    books
}

/// Iterations of the scenario that ended well within the step's time, whenever they were intended.
fn ended_within(evidence: &Evidence, step: &StepSpan) -> u64 {
    let of_scenario: Vec<u32> = evidence.steps_of(step.scenario, None).map(|step| step.number).collect();
    let is_within = |second: i64| {
        let middle = Nanos::from_secs(second) + Nanos::from_millis(500);
        step.from <= middle && middle < step.to
    };
    let rows = evidence.rows.iterations.iter().filter(|row| of_scenario.contains(&row.step) && is_within(row.end_s));
    rows.map(|row| row.books.completed).sum()
}

/// The generator's lateness over all starts of a step.
pub(crate) fn lateness_of(evidence: &Evidence, step: u32) -> Histogram {
    let mut lateness = Histogram::new();
    evidence.rows.starts.iter().filter(|row| row.step == step).for_each(|row| lateness.merge_sparse(&row.lateness));
    lateness
}

/// Processor time of the generator's threads, as share of what they could have used.
fn cpu_share(evidence: &Evidence, step: &StepSpan) -> Option<f64> {
    let rows: Vec<_> = evidence.engine.iter().filter(|row| row.step == step.number).collect();
    (!rows.is_empty()).then(|| rows.iter().map(|row| row.cpu_s).sum::<f64>() / rows.len() as f64)
}

fn exchange_result(
    evidence: &Evidence,
    step: &StepSpan,
    number: u16,
    intended: f64,
    is_closed: bool,
) -> ExchangeResult {
    let head = &evidence.head.exchanges[usize::from(number)];
    let started = evidence.rows.starts.iter().filter(|row| row.step == step.number && row.exchange == number);
    let timeout = Nanos(head.timeout_ns);
    let mut legs = Vec::new();
    for (leg, kind) in head.legs.iter().enumerate() {
        let rows: Vec<&LegRow> = evidence
            .rows
            .legs
            .iter()
            .filter(|row| row.step == step.number && row.exchange == number && usize::from(row.leg) == leg)
            .collect();
        let outcomes = outcomes_of(evidence, step.number, number, leg as u8);
        for population in ["ok", "failed", "all"] {
            let chosen: Vec<&LegRow> = rows
                .iter()
                .copied()
                .filter(|row| match population {
                    "ok" => row.population == Population::Ok,
                    "failed" => row.population == Population::Failed,
                    _ => true,
                })
                .collect();
            let is_in = |outcome: Outcome| match population {
                "ok" => outcome == Outcome::Ok,
                "failed" => outcome.is_failed(),
                _ => true,
            };
            let named = OUTCOMES.into_iter().filter(|outcome| is_in(*outcome) && outcomes[*outcome as usize] > 0);
            legs.push(LegResult {
                id: kind.name.clone(),
                outcome: population.into(),
                count: chosen.iter().map(|row| row.count).sum(),
                classes: named.map(|outcome| (outcome.name().to_owned(), outcomes[outcome as usize])).collect(),
                response: if is_closed { None } else { times(&chosen, |row| &row.response, timeout) },
                service: times(&chosen, |row| &row.service, timeout),
            });
        }
    }
    ExchangeResult { id: head.name.clone(), intended, started: started.map(|row| row.started).sum(), legs }
}

fn outcomes_of(evidence: &Evidence, step: u32, exchange: u16, leg: u8) -> [u64; 16] {
    let mut counts = [0; 16];
    for row in &evidence.rows.outcomes {
        if (row.step, row.exchange, row.leg) == (step, exchange, leg) {
            counts[row.outcome as usize] += row.count;
        }
    }
    counts
}
