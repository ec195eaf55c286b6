//! Grids: a scenario that was written once and carried out for each combination of its variables, side by side.
//!
//! Everything is counted against what was planned. A connection that failed sends nothing, so a share of what was sent
//! hides it; a share of what was planned does not.

mod cells;
mod lines;
mod names;
mod scaling;

pub use lines::{GridLine, Sure};
pub use scaling::{Gain, Scaling, ScalingLevel};

use crate::rows::Index;
use crate::{RequirementResult, StepResult, Times};
use names::Written;
use study::Study;
use terms::{Validity, Verdict};

/// Confidence with which the share of errors of a cell without any is bounded, one-sided.
pub const SURE: f64 = 0.95;

/// What a grid's load is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridLoad {
    /// Connections that are held open, with messages on them.
    Held,
    /// Arrivals at a rate.
    Open,
    /// Virtual users.
    Closed,
    /// Parts of several kinds at once.
    Mixed,
}

impl GridLoad {
    /// As files have it: the models of `run.json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Open => "open",
            Self::Closed => "closed",
            Self::Mixed => "mix",
        }
    }
}

/// What a variable changes in the load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridRole {
    /// How many connections, users or arrivals a second there are.
    Count,
    /// How many messages a second each connection has.
    Each,
    /// How long the ramp takes.
    Ramp,
    /// Nothing of it: a size, a setting of the system.
    Other,
}

impl GridRole {
    /// As files have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Each => "each",
            Self::Ramp => "ramp",
            Self::Other => "other",
        }
    }
}

/// What a grid was carried out with several values of.
#[derive(Clone, Debug, PartialEq)]
pub struct GridVariable {
    pub name: String,
    /// Its values as written, in the order in which they were carried out.
    pub values: Vec<String>,
    pub role: GridRole,
}

/// Connections of a cell, over all its steps and repetitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GridConnections {
    /// So many were to be opened, where the plan says.
    pub planned: Option<u64>,
    /// Opened or failed to.
    pub attempted: u64,
    pub failed: u64,
}

/// A share with its interval, where one can be told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridShare {
    pub value: f64,
    /// 95 % interval.
    pub interval: Option<(f64, f64)>,
}

/// What became of the messages that were sent on connections that stood: what a share of errors is that leaves out
/// everything that never was sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridSent {
    /// Messages that were sent whole.
    pub count: u64,
    /// Of them not answered, or wrongly.
    pub wrong: u64,
}

impl GridSent {
    /// `wrong` of all; `None` where nothing was sent.
    pub fn share(&self) -> Option<f64> {
        (self.count > 0).then(|| self.wrong as f64 / self.count as f64)
    }
}

/// One combination: its holds, all repetitions together.
#[derive(Clone, Debug, PartialEq)]
pub struct GridCell {
    /// Its scenario, as it is typed.
    pub scenario: String,
    /// Of each variable the number of its value.
    pub values: Vec<usize>,
    /// How often it was carried out, as far as it came to a hold.
    pub repetitions: u32,
    /// Length of its holds, seconds.
    pub seconds: f64,
    /// Iterations that were due: messages of a held load.
    pub planned: u64,
    /// Of them those that succeeded.
    pub ok: u64,
    /// Failed, or never sent.
    pub errors: u64,
    /// Errors of all that was planned; `None` where nothing was.
    pub error_share: Option<GridShare>,
    /// What became of what was sent; `None` where the protocol does not tell sending from being answered.
    pub sent: Option<GridSent>,
    /// `None` where the load holds none open.
    pub connections: Option<GridConnections>,
    /// Times of what succeeded: response times, in a closed load service times.
    pub times: Option<Times>,
    /// Planned a second.
    pub offered_per_s: f64,
    /// Succeeded a second; the mean over repetitions.
    pub delivered_per_s: f64,
    /// 95 % interval of it over repetitions; `None` where there was one.
    pub delivered_interval: Option<(f64, f64)>,
    /// Length of the ramp as planned, seconds.
    pub ramp_s: f64,
    /// What every *must* of it comes to; `None` where nothing is demanded.
    pub verdict: Option<Verdict>,
    pub validity: Validity,
    /// Whether every hold ended as planned.
    pub is_whole: bool,
}

impl GridCell {
    /// Whether every planned message and every connection was right, and the cell can be trusted.
    pub fn is_clean(&self) -> bool {
        let connected = |known: GridConnections| {
            known.failed == 0 && known.planned.is_none_or(|planned| known.attempted >= planned)
        };
        self.is_whole
            && self.planned > 0
            && self.ok == self.planned
            && self.connections.is_none_or(connected)
            && self.validity != Validity::Invalid
    }

    /// Whether nearly all of what was planned was delivered in its time.
    pub fn is_delivered(&self) -> bool {
        self.delivered_per_s >= self.offered_per_s * crate::capacity::KEPT_UP
    }

    /// Planned and not delivered, a second.
    pub fn lost_per_s(&self) -> f64 {
        (self.offered_per_s - self.delivered_per_s).max(0.0)
    }
}

/// Cells of one scenario, side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// Its scenario as the study writes it: `websocket`.
    pub name: String,
    pub load: GridLoad,
    /// The first is the outermost.
    pub variables: Vec<GridVariable>,
    /// Those that were carried out, in order of time.
    pub cells: Vec<GridCell>,
    /// Cells that differ in the load's size only, by rising size; one for each combination of the other variables.
    pub lines: Vec<GridLine>,
    /// What more replicas of an instance bring, for each exchange; empty where no variable changes their number, or the load is
    /// not closed.
    pub scaling: Vec<Scaling>,
}

impl Grid {
    /// The variable along which [`Grid::lines`] run.
    pub fn rising(&self) -> Option<usize> {
        let of = |role: GridRole| self.variables.iter().position(|variable| variable.role == role);
        of(GridRole::Count).or_else(|| of(GridRole::Each))
    }

    /// The value of a cell's variable, as written.
    pub fn value(&self, cell: &GridCell, variable: usize) -> &str {
        let number = cell.values.get(variable).copied().unwrap_or(usize::MAX);
        self.variables.get(variable).and_then(|known| known.values.get(number)).map_or("", String::as_str)
    }

    /// `websocket (1/s, 100)`: what readers call a cell.
    pub fn short_name(&self, cell: &GridCell) -> String {
        let values: Vec<&str> = (0..self.variables.len()).map(|variable| self.value(cell, variable)).collect();
        short_name(&self.name, &values)
    }

    /// Variables that change no load and whose values have an order all the same: sizes, and not times.
    pub(crate) fn sizes(&self) -> Vec<usize> {
        let is_size = |variable: &usize| {
            let known = &self.variables[*variable];
            known.role == GridRole::Other && lines::sizes(&known.values).is_some()
        };
        (0..self.variables.len()).filter(is_size).collect()
    }

    /// Cells that differ in one variable only, by its rising value; none where its values have no order.
    pub(crate) fn along(&self, variable: usize) -> Vec<Vec<usize>> {
        if self.rising() == Some(variable) {
            return self.lines.iter().map(|line| line.cells.clone()).collect();
        }
        lines::along(self, variable)
    }

    /// Cells that differ in one variable only, in the order in which they were written.
    fn beside(&self, variable: usize) -> Vec<Vec<usize>> {
        lines::beside(self, variable)
    }

    /// Whether two scenarios are cells of it that differ in several variables: neither is more load than the other.
    pub(crate) fn are_askew(&self, one: &str, other: &str) -> bool {
        let find = |name: &str| self.cells.iter().find(|cell| cell.scenario == name);
        let differ =
            |one: &GridCell, other: &GridCell| one.values.iter().zip(&other.values).filter(|(a, b)| a != b).count();
        find(one).zip(find(other)).is_some_and(|(one, other)| differ(one, other) > 1)
    }
}

/// Short names of the cells of a study's grids, carried out or not: what is typed, and what readers see.
pub fn short_names(study: &Study) -> Vec<(String, String)> {
    let cells = names::written(study).into_iter().flat_map(|grid| {
        let name = grid.name;
        grid.cells.into_iter().map(move |(scenario, values)| (scenario, short_name(&name, &values)))
    });
    cells.collect()
}

fn short_name<S: AsRef<str>>(grid: &str, values: &[S]) -> String {
    let values: Vec<&str> = values.iter().map(AsRef::as_ref).collect();
    format!("{grid} ({})", values.join(", "))
}

/// The grids of a study, with what was measured of their cells; those of which fewer than two cells were carried out are
/// left out.
pub(crate) fn grids(
    study: &Study,
    index: &Index<'_>,
    steps: &[StepResult],
    results: &[RequirementResult],
) -> Vec<Grid> {
    if index.evidence.lacks_load() {
        return Vec::new();
    }
    let known = cells::Inputs { study, index, steps, results };
    let grid = |written: &Written| {
        let (loads, cells) = cells::cells(&known, written);
        let mut grid = (cells.len() > 1).then(|| lines::grid(written, &loads, cells))?;
        grid.scaling = scaling::scaling(study, index, &grid);
        Some(grid)
    };
    names::written(study).iter().filter_map(grid).collect()
}
