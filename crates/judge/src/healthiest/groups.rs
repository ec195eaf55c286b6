//! Which steps are held against each other: those of one scenario as the study writes it, of a grid those of one row.

use super::{Candidate, Inputs, Round};
use crate::Scope;
use crate::grids::Grid;
use std::collections::BTreeSet;
use study::Scenario;
use terms::Phase;

/// Steps among which one is chosen.
pub(super) struct Group<'a> {
    pub(super) scenario: String,
    pub(super) row: Vec<(String, String)>,
    pub(super) candidates: Vec<Candidate<'a>>,
}

/// The groups of a study whose scenarios have steps, in the order in which they ran.
pub(super) fn groups<'a>(known: &Inputs<'a>) -> Vec<Group<'a>> {
    let mut whole: Vec<Group<'a>> = Vec::new();
    for (number, scenario) in known.study.scenarios.iter().enumerate().filter(|(_, scenario)| scenario.has_steps()) {
        let name = written(scenario);
        let found = candidates(known, number, scenario);
        match whole.iter_mut().find(|group| group.scenario == name) {
            Some(group) => group.candidates.extend(found),
            None => whole.push(Group { scenario: name.to_owned(), row: Vec::new(), candidates: found }),
        }
    }
    whole.into_iter().flat_map(|group| rows(known.grids, group)).collect()
}

/// The scenario that the study writes, of which this one is a cell or an attempt.
fn written(scenario: &Scenario) -> &str {
    let point = scenario.point.as_ref().map(|point| point.search.name.as_str());
    point.or_else(|| scenario.cell.as_ref().map(|cell| cell.grid.as_str())).unwrap_or(&scenario.name)
}

/// Holds of a scenario that had something to do, each with all of its repetitions.
fn candidates<'a>(known: &Inputs<'a>, number: usize, scenario: &'a Scenario) -> Vec<Candidate<'a>> {
    let mut found: Vec<Candidate<'a>> = Vec::new();
    let all = known.index.evidence.steps.iter().zip(known.steps);
    let is_its = known.index.head().scenarios.get(number).is_some_and(|head| head.name == scenario.name);
    let holds = all.filter(|(span, step)| {
        is_its && span.scenario == number && span.phase == Phase::Hold && step.seconds > 0.0 && step.books.intended > 0
    });
    for (span, step) in holds {
        let scope = Scope::step(&scenario.name, &span.id, None);
        let repetition = known.index.repetition(span);
        let place = found.iter().position(|known| known.scope == scope).unwrap_or_else(|| {
            found.push(Candidate { number, scenario: &scenario.name, scope, rounds: Vec::new() });
            found.len() - 1
        });
        let rounds = &mut found[place].rounds;
        match rounds.iter_mut().find(|round| round.repetition == repetition) {
            Some(round) => round.holds.push((span, step)),
            None => rounds.push(Round { repetition, holds: vec![(span, step)] }),
        }
    }
    found
}

/// A group for each row of a grid whose load rises in it, the smallest first; any other group stays whole.
fn rows<'a>(grids: &[Grid], group: Group<'a>) -> Vec<Group<'a>> {
    let Some(grid) = grids.iter().find(|grid| grid.name == group.scenario && grid.lines.len() > 1) else {
        return vec![group];
    };
    let mut left = group.candidates;
    let mut found = Vec::new();
    for line in &grid.lines {
        let names: Vec<&str> = line.cells.iter().map(|cell| grid.cells[*cell].scenario.as_str()).collect();
        let own: BTreeSet<&str> = names.iter().copied().collect();
        let (mut candidates, others): (Vec<_>, Vec<_>) =
            left.into_iter().partition(|candidate| own.contains(candidate.scenario));
        left = others;
        candidates.sort_by_key(|candidate| names.iter().position(|name| *name == candidate.scenario));
        let row = line.others.iter().filter_map(|(variable, value)| {
            let known = grid.variables.get(*variable).filter(|known| known.values.len() > 1)?;
            Some((known.name.clone(), known.values.get(*value)?.clone()))
        });
        found.push(Group { scenario: group.scenario.clone(), row: row.collect(), candidates });
    }
    found
}
