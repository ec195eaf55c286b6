//! A load that held although a lower one did not.

use super::across_loads::{evidence, load, several};
use super::{RuleInput, finding};
use crate::findings::declare::declare;
use crate::grids::Grid;
use crate::levels::{Level, is_same, scenario_of};
use crate::{Arg, Finding, Gravity, Scope};
use terms::Verdict;

declare! {
    /// The same work failed at one load and held at a higher one. Either a disturbance, or a limit that does not grow
    /// with the load. Repeat the lower load; until then the capacity is taken to be below it. In a grid, cells that
    /// differ in one variable are compared: neither of 400 connections with a message a second and 100 with ten is more
    /// load. A variable that is not a load, such as the size of a message, counts by its number.
    NotMonotone = "NONMONO" {
        failed: Arg,
        held: Arg,
        r#where: String,
    }
}

/// NONMONO: a load held although a lower one did not.
pub(super) fn not_monotone(seen: &RuleInput<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for family in several(seen) {
        let held = family.levels.iter().filter(|level| level.held == Some(true));
        for held in held {
            // The same load, once held and once failed, is no higher one.
            let is_lower = |level: &&Level| level.load < held.load && !is_same(level.load, held.load);
            let is_comparable = |level: &&Level| {
                let names = (scenario_of(&level.scenario), scenario_of(&held.scenario));
                !seen.grids.iter().any(|grid| grid.are_askew(names.0, names.1))
            };
            let failed = family.levels.iter().filter(|level| level.held == Some(false));
            let Some(failed) = failed.filter(is_lower).find(is_comparable) else { continue };
            let args = NotMonotone {
                failed: load(family, failed.load),
                held: load(family, held.load),
                r#where: held.scope.to_string(),
            };
            let mut found = finding(Gravity::Warning, &failed.scope, args);
            found.evidence = evidence(&[failed, held]);
            findings.push(found);
        }
    }
    findings.extend(seen.grids.iter().flat_map(by_other_variables));
    findings
}

/// The same along variables that change no load, such as a size.
fn by_other_variables(grid: &Grid) -> Vec<Finding> {
    let mut findings = Vec::new();
    for variable in grid.sizes() {
        for line in grid.along(variable) {
            let verdict = |place: usize| grid.cells[line[place]].verdict;
            let Some(failed) = (0..line.len()).find(|place| verdict(*place) == Some(Verdict::NotMet)) else { continue };
            for held in (failed + 1..line.len()).filter(|place| verdict(*place) == Some(Verdict::Met)) {
                let of = |place: usize| {
                    let cell = &grid.cells[line[place]];
                    (grid.value(cell, variable).to_owned(), Scope::step(&cell.scenario, "hold", None))
                };
                let ((low, at), (high, there)) = (of(failed), of(held));
                let args = NotMonotone { failed: Arg::Text(low), held: Arg::Text(high), r#where: there.to_string() };
                let mut found = finding(Gravity::Warning, &at, args);
                found.evidence = vec![format!("load:{at}"), format!("load:{there}")];
                findings.push(found);
            }
        }
    }
    findings
}
