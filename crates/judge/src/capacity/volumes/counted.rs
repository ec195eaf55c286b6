//! Drains of legs that a watched count closes: what is accepted and not through at the end of a load takes time, too.

use super::Drain;
use crate::evidence::StepSpan;
use crate::requirements::FormulaValue;
use crate::rows::{Index, metric_number};
use study::BACKLOG;
use study::rule::{Clause, Rule, State, Subject};
use terms::Nanos;

/// One for each counted leg of each load that a formula looks at.
pub(super) fn drains(found: &FormulaValue, index: &Index<'_>) -> Vec<Drain> {
    let steps = &index.evidence.steps;
    let mut loads: Vec<(usize, u32)> = Vec::new();
    for step in steps.iter().filter(|step| found.own_steps.contains(&step.number)) {
        let load = (step.scenario, index.repetition(step));
        if !loads.contains(&load) {
            loads.push(load);
        }
    }
    loads.into_iter().flat_map(|load| of_load(found, index, load)).collect()
}

fn of_load(found: &FormulaValue, index: &Index<'_>, (scenario, repetition): (usize, u32)) -> Vec<Drain> {
    let of_load = |step: &&StepSpan| (step.scenario, index.repetition(step)) == (scenario, repetition);
    let own: Vec<&StepSpan> = index.evidence.steps.iter().filter(of_load).collect();
    let Some(end) = own.iter().filter(|step| step.phase.has_load()).map(|step| step.to).max() else {
        return Vec::new();
    };
    let looked_at = own.iter().filter(|step| found.own_steps.contains(&step.number));
    let load_s: f64 = looked_at.map(|step| (step.to - step.from).as_secs_f64()).sum();
    let mut drains = Vec::new();
    for (number, exchange) in index.head().exchanges.iter().enumerate() {
        let is_run = own.iter().any(|step| {
            let load = index.load_of(step);
            load.is_some_and(|load| load.most_per_iteration.get(number).is_some_and(|most| *most > 0.0))
        });
        for leg in exchange.counted.iter().filter(|_| is_run) {
            let name = format!("{}.{}", exchange.name, leg.leg);
            let begin = own.iter().filter(|step| step.phase.has_load()).map(|step| step.from).min().unwrap_or(end);
            let is_known = |at: &Nanos| index.evidence.went_back(&name, begin..*at).is_none();
            let drained = drained_at(index, &name, end).filter(is_known);
            let drain_s = drained.map_or(0.0, |at| (at - end).as_secs_f64());
            drains.push(Drain { rule: format!("drained({name})"), is_unfinished: drained.is_none(), drain_s, load_s });
        }
    }
    drains
}

/// The first look from a moment on that finds nothing left, before the next load begins.
fn drained_at(index: &Index<'_>, monitor: &str, end: Nanos) -> Option<Nanos> {
    let (metric, _) = metric_number(index, &(monitor.to_owned(), BACKLOG.to_owned()))?;
    let until = index.next_load(end).unwrap_or(Nanos::MAX);
    let points = index.samples(metric, end..until).into_iter().flat_map(|(_, points)| points);
    points.filter(|(_, value)| *value == Some(0.0)).map(|(at, _)| at).min()
}

/// Whether a rule waits for counted legs and for nothing else.
pub(super) fn is_counted(rule: &Rule, index: &Index<'_>) -> bool {
    rule.clauses.iter().all(|clause| match clause {
        Clause::State { state: State::Drained, subject, .. } => {
            matches!(&subject.subject, Subject::Metric { monitor, .. } if index.evidence.is_derived(monitor))
        }
        _ => false,
    })
}
