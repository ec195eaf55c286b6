//! Drains of legs that a watched count closes: what is accepted and not through at the end of a load takes time, too.

use super::Drain;
use crate::evidence::StepSpan;
use crate::requirements::FormulaValue;
use crate::rows::Index;
use crate::views::CountedPoint;
use study::rule::{Clause, Rule, State, Subject};
use terms::Nanos;

/// A part of a unit that is the arithmetic's.
const SLACK: f64 = 1e-3;

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
    let loads = || own.iter().filter(|step| step.phase.has_load());
    let (Some(begin), Some(end)) = (loads().map(|step| step.from).min(), loads().map(|step| step.to).max()) else {
        return Vec::new();
    };
    let looked_at = || own.iter().filter(|step| found.own_steps.contains(&step.number));
    let load_s: f64 = looked_at().map(|step| (step.to - step.from).as_secs_f64()).sum();
    let from = looked_at().map(|step| step.from).min().unwrap_or(begin);
    let to = looked_at().map(|step| step.to).max().unwrap_or(end);
    let mut drains = Vec::new();
    for (number, exchange) in index.head().exchanges.iter().enumerate() {
        let is_run = own.iter().any(|step| {
            let load = index.load_of(step);
            load.is_some_and(|load| load.most_per_iteration.get(number).is_some_and(|most| *most > 0.0))
        });
        for leg in exchange.counted.iter().filter(|_| is_run) {
            let name = format!("{}.{}", exchange.name, leg.leg);
            let points = known(index, &exchange.name, &leg.leg);
            let level = index.evidence.at_rest_before(&name, begin);
            let next = index.next_load(end).unwrap_or(Nanos::MAX);
            let is_known = |at: &Nanos| index.evidence.went_back(&name, begin..*at).is_none();
            // Behind the load all that is left is its own. Within it, what follows goes on to be accepted, so what a hold
            // brought is through when as much is through as was accepted by its end.
            let drained = match to < end {
                true => through_at(&points, to, level, next),
                false => {
                    points.iter().find(|(at, it)| (to..next).contains(at) && it.backlog <= level + SLACK).map(|it| it.0)
                }
            };
            let drained = drained.filter(is_known);
            // What a hold found outstanding is of those before it.
            let late = |at: Nanos, moment: Nanos| (at - moment).as_secs_f64().max(0.0);
            let before = through_at(&points, from, level, next).filter(|_| from > begin);
            let drain_s = drained.map_or(0.0, |at| late(at, to) - before.map_or(0.0, |at| late(at, from)));
            let rule = format!("drained({name})");
            drains.push(Drain { rule, is_unfinished: drained.is_none(), drain_s: drain_s.max(0.0), load_s });
        }
    }
    drains
}

/// What is known of a leg, look by look.
fn known(index: &Index<'_>, exchange: &str, leg: &str) -> Vec<(Nanos, CountedPoint)> {
    let views = index.evidence.counted().into_iter().filter(|view| view.exchange == exchange && view.leg == leg);
    views.flat_map(|view| view.points).filter_map(|(at, point)| Some((at, point?))).collect()
}

/// The first look, before a moment, that finds through what had been accepted by another; but for a level that was at
/// rest before the load, and is lost.
fn through_at(points: &[(Nanos, CountedPoint)], accepted_by: Nanos, level: f64, before: Nanos) -> Option<Nanos> {
    let (_, point) = points.iter().find(|(at, _)| *at >= accepted_by)?;
    let enough = point.accepted - level;
    let reached = |(at, it): &&(Nanos, CountedPoint)| *at >= accepted_by && it.through >= enough - SLACK;
    points.iter().find(reached).map(|(at, _)| *at).filter(|at| *at < before)
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
