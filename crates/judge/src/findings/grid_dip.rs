//! Fewer errors at a larger value of a grid's variable.

use super::{RuleInput, finding};
use crate::findings::declare::{Share, declare};
use crate::grids::{Grid, GridCell, GridRole};
use crate::{Finding, Gravity, Scope};

declare! {
    /// Of two cells of a grid that differ in one variable, the one with more load (more connections, a higher rate, a
    /// larger message) had fewer errors, and the 95 % intervals of their shares of planned messages do not touch.
    /// Whatever the reason, one measurement of each does not say how many errors belong to which value. Repeat both. In
    /// each line of cells the two furthest apart are named.
    ErrorsFall = "GRID-DIP" {
        high: String,
        high_share: Share,
        low: String,
        low_share: Share,
        variable: String,
        r#where: String,
    }
}

/// GRID-DIP: provably fewer errors with more load.
pub(super) fn errors_fall(seen: &RuleInput<'_>) -> Vec<Finding> {
    let of = |grid: &Grid| {
        let loads = (0..grid.variables.len())
            .filter(|variable| matches!(grid.variables[*variable].role, GridRole::Count | GridRole::Each));
        let variables: Vec<usize> = loads.chain(grid.sizes()).collect();
        variables.into_iter().flat_map(|variable| along(grid, variable)).collect::<Vec<_>>()
    };
    seen.grids.iter().flat_map(of).collect()
}

fn along(grid: &Grid, variable: usize) -> Vec<Finding> {
    let worst = |line: Vec<usize>| {
        let pairs =
            line.iter().enumerate().flat_map(|(place, low)| line[place + 1..].iter().map(move |high| (*low, *high)));
        let apart = pairs.filter_map(|(low, high)| Some((gap(&grid.cells[low], &grid.cells[high])?, low, high)));
        let (_, low, high) = apart.max_by(|one, other| one.0.total_cmp(&other.0))?;
        Some(found(grid, variable, (&grid.cells[low], &grid.cells[high])))
    };
    grid.along(variable).into_iter().filter_map(worst).collect()
}

/// How far the interval with more load lies below that with less; `None` where they touch.
fn gap(low: &GridCell, high: &GridCell) -> Option<f64> {
    let gap = low.error_share?.interval?.0 - high.error_share?.interval?.1;
    (gap > 0.0).then_some(gap)
}

fn found(grid: &Grid, variable: usize, (low, high): (&GridCell, &GridCell)) -> Finding {
    let share = |cell: &GridCell| Share(cell.error_share.map_or(0.0, |share| share.value));
    let scope = |cell: &GridCell| Scope::step(&cell.scenario, "hold", None);
    let args = ErrorsFall {
        high: grid.value(high, variable).to_owned(),
        high_share: share(high),
        low: grid.value(low, variable).to_owned(),
        low_share: share(low),
        variable: grid.variables[variable].name.clone(),
        r#where: scope(high).to_string(),
    };
    let mut found = finding(Gravity::Warning, &scope(low), args);
    found.evidence = vec![format!("load:{}", scope(low)), format!("load:{}", scope(high))];
    found
}
