//! Cells that differ in one variable, by rising load: up to where all of it went right.

use super::cells::Asked;
use super::names::Written;
use super::{Grid, GridCell, GridRole, GridVariable, SURE};
use terms::{Quantity, Unit};

/// Two numbers of a load closer than this are one.
const SAME: f64 = 1e-9;

/// Cells of one combination of all variables but that which makes the load larger.
#[derive(Clone, Debug, PartialEq)]
pub struct GridLine {
    /// The other variables with the numbers of their values.
    pub others: Vec<(usize, usize)>,
    /// Numbers of the cells, the smallest load first.
    pub cells: Vec<usize>,
    /// Number of the largest cell in which every planned message and every connection was right.
    pub clean: Option<usize>,
    /// Cells below that one in which something was not: whether it can be relied on is open until they are repeated.
    pub unclean_below: Vec<usize>,
    /// How sure the largest one is; `None` without one.
    pub sure: Option<Sure>,
}

/// What stands behind "no error": the more was planned, the less can hide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sure {
    pub planned: u64,
    pub repetitions: u32,
    /// With a confidence of [`SURE`], no more of the planned messages are errors than this share: the exact upper limit of
    /// none of them, as if each were independent of the others.
    pub error_share_at_most: f64,
    /// The same of connections that failed; `None` where none are held.
    pub failed_connections_at_most: Option<f64>,
}

/// The grid of these cells, each with what it asks for.
pub(super) fn grid(written: &Written, asked: &[Asked], cells: Vec<GridCell>) -> Grid {
    let variables = written.variables.iter().enumerate().map(|(place, name)| {
        let mut values: Vec<String> = Vec::new();
        for (_, own) in &written.cells {
            if let Some(value) = own.get(place).filter(|value| !values.contains(value)) {
                values.push(value.clone());
            }
        }
        GridVariable { name: name.clone(), values, role: role(place, asked, &cells) }
    });
    let load = asked.first().map_or(super::GridLoad::Open, |first| first.load);
    let load = if asked.iter().all(|one| one.load == load) { load } else { super::GridLoad::Mixed };
    let mut grid = Grid {
        name: written.name.clone(),
        load,
        variables: variables.collect(),
        cells,
        lines: Vec::new(),
        scaling: Vec::new(),
    };
    grid.lines = lines(&grid, asked);
    grid
}

/// What changes in the load between cells that differ in this variable only.
fn role(variable: usize, asked: &[Asked], cells: &[GridCell]) -> GridRole {
    let is_only = |one: &GridCell, other: &GridCell| {
        let differ = one.values.iter().zip(&other.values).enumerate().filter(|(_, (a, b))| a != b);
        differ.map(|(place, _)| place).eq([variable])
    };
    let changes = |of: fn(&Asked) -> f64| {
        let pairs = cells.iter().zip(asked).enumerate();
        pairs.clone().any(|(place, (one, load))| {
            let others = cells.iter().zip(asked).skip(place + 1).filter(|(other, _)| is_only(one, other));
            others
                .into_iter()
                .any(|(_, other)| (of(load) - of(other)).abs() > SAME * of(load).abs().max(of(other).abs()))
        })
    };
    if changes(|asked| asked.count) {
        GridRole::Count
    } else if changes(|asked| asked.each) {
        GridRole::Each
    } else if changes(|asked| asked.ramp_s) {
        GridRole::Ramp
    } else {
        GridRole::Other
    }
}

/// The values of a variable as numbers of one unit; `None` where they are not, and of times: a longer ramp or a longer wait is
/// not more load.
pub(super) fn sizes(values: &[String]) -> Option<Vec<f64>> {
    let parsed: Vec<Quantity> = values.iter().map(|value| Quantity::parse(value).ok()).collect::<Option<_>>()?;
    let unit = parsed.first().map(|first| first.unit.clone()).filter(|unit| *unit != Unit::Time)?;
    parsed.into_iter().map(|one| (one.unit == unit).then_some(one.value)).collect()
}

/// Cells that differ in one variable only, by its value.
pub(super) fn along(grid: &Grid, variable: usize) -> Vec<Vec<usize>> {
    let Some(sizes) = grid.variables.get(variable).and_then(|known| sizes(&known.values)) else { return Vec::new() };
    let size =
        |cell: usize| grid.cells[cell].values.get(variable).and_then(|value| sizes.get(*value)).copied().unwrap_or(0.0);
    let mut found = beside(grid, variable);
    found.iter_mut().for_each(|line| line.sort_by(|one, other| size(*one).total_cmp(&size(*other))));
    found
}

/// Cells that differ in one variable only, in their order.
pub(super) fn beside(grid: &Grid, variable: usize) -> Vec<Vec<usize>> {
    let others = |cell: &GridCell| {
        let all = cell.values.iter().copied().enumerate();
        all.filter(|(place, _)| *place != variable).collect::<Vec<_>>()
    };
    let mut found: Vec<Vec<usize>> = Vec::new();
    for (number, cell) in grid.cells.iter().enumerate() {
        let is_beside =
            |line: &&mut Vec<usize>| line.first().is_some_and(|first| others(&grid.cells[*first]) == others(cell));
        match found.iter_mut().find(is_beside) {
            Some(line) => line.push(number),
            None => found.push(vec![number]),
        }
    }
    found
}

fn lines(grid: &Grid, asked: &[Asked]) -> Vec<GridLine> {
    let Some(rising) = grid.rising() else { return Vec::new() };
    let size = |cell: usize| match grid.variables[rising].role {
        GridRole::Count => asked[cell].count,
        _ => asked[cell].each,
    };
    let mut lines: Vec<GridLine> = Vec::new();
    for (number, cell) in grid.cells.iter().enumerate() {
        let others = cell.values.iter().copied().enumerate().filter(|(variable, _)| *variable != rising).collect();
        match lines.iter_mut().find(|line| line.others == others) {
            Some(line) => line.cells.push(number),
            None => {
                let cells = vec![number];
                lines.push(GridLine { others, cells, clean: None, unclean_below: Vec::new(), sure: None });
            }
        }
    }
    for line in &mut lines {
        line.cells.sort_by(|one, other| size(*one).total_cmp(&size(*other)));
        line.clean = line.cells.iter().copied().rfind(|cell| grid.cells[*cell].is_clean());
        let Some(clean) = line.clean else { continue };
        let below = line.cells.iter().copied().take_while(|cell| *cell != clean);
        line.unclean_below = below.filter(|cell| !grid.cells[*cell].is_clean()).collect();
        line.sure = Some(sure(&grid.cells[clean]));
    }
    lines
}

fn sure(cell: &GridCell) -> Sure {
    let none_of = |all: u64| stats::share::clopper_pearson_one_sided(0.0, all as f64, 1.0 - SURE).1;
    Sure {
        planned: cell.planned,
        repetitions: cell.repetitions,
        error_share_at_most: none_of(cell.planned),
        failed_connections_at_most: cell.connections.filter(|all| all.attempted > 0).map(|all| none_of(all.attempted)),
    }
}
