//! What more replicas bring: how much sooner the same work is done, and how much of what they could bring that is.
//!
//! The ratio of times and its interval are those of `compare`, so that a requirement with `change(…)`, the table of a
//! comparison and this one say the same of the same cells.

use super::{Grid, GridLoad};
use crate::comparison::{Recorded, RowVerdict, RunIndex, mean_within};
use crate::judgement::Reason;
use crate::rows::Index;
use std::collections::BTreeSet;
use study::Study;
use terms::{Phase, Population};

/// One exchange over the cells of a grid that differ in the number of replicas of one instance.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaling {
    pub exchange: String,
    /// What its calls carry, where the study names a unit.
    pub unit: Option<String>,
    /// The instance that has replicas.
    pub instance: String,
    /// The grid's other variables with the numbers of their values.
    pub others: Vec<(usize, usize)>,
    /// By rising number of replicas; the first is what the others are measured against.
    pub levels: Vec<ScalingLevel>,
}

/// One number of replicas.
#[derive(Clone, Debug, PartialEq)]
pub struct ScalingLevel {
    /// Number of the cell in its grid.
    pub cell: usize,
    pub replicas: u32,
    /// Calls that succeeded.
    pub calls: u64,
    pub repetitions: u32,
    /// Mean time of a call that succeeded, seconds; `None` where none did.
    pub mean_s: Option<f64>,
    /// Units that the calls that succeeded carried; `None` where the study names none.
    pub units: Option<f64>,
    /// Time of the first level by the time of this one; `None` of the first, and where it cannot be formed.
    pub speed_up: Option<Gain>,
    /// The speed-up by the factor by which the replicas are more: 1 where each brings as much as those of the first level.
    pub efficiency: Option<Gain>,
    /// Why there is no speed-up, or none with an interval.
    pub reason: Option<Reason>,
}

/// A ratio with its interval, where one can be told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gain {
    pub value: f64,
    /// 95 % interval.
    pub interval: Option<(f64, f64)>,
}

impl Gain {
    /// A multiple of it.
    fn times(self, factor: f64) -> Self {
        let interval = self.interval.map(|(low, high)| (low * factor, high * factor));
        Self { value: self.value * factor, interval }
    }
}

impl ScalingLevel {
    /// Units a second of a call's time; `None` where nothing is carried.
    pub fn units_per_s(&self) -> Option<f64> {
        let seconds = self.mean_s? * self.calls as f64;
        self.units.filter(|_| seconds > 0.0).map(|units| units / seconds)
    }
}

/// A closed load asks for the next piece of work when one is done, so its times say how fast the work goes; those of an
/// open load say how long it waits.
pub(super) fn scaling(study: &Study, index: &Index<'_>, grid: &Grid) -> Vec<Scaling> {
    if grid.load != GridLoad::Closed {
        return Vec::new();
    }
    let lines = lines(study, grid);
    if lines.is_empty() {
        return Vec::new();
    }
    let run = RunIndex::new(Recorded { evidence: index.evidence, study: &study.effective });
    let of_line = |line: &Line| {
        let exchanges: BTreeSet<u16> =
            line.cells.iter().flat_map(|(cell, _)| carried_out(index, grid, *cell)).collect();
        exchanges.into_iter().map(|exchange| of_exchange(study, &run, grid, line, exchange)).collect::<Vec<_>>()
    };
    lines
        .iter()
        .flat_map(of_line)
        .filter(|found| found.levels.iter().filter(|level| level.calls > 0).count() > 1)
        .collect()
}

/// Cells that differ in one variable, by which an instance has other replicas.
struct Line {
    instance: String,
    others: Vec<(usize, usize)>,
    /// Number of the cell, and of the replicas in it; rising.
    cells: Vec<(usize, u32)>,
}

fn lines(study: &Study, grid: &Grid) -> Vec<Line> {
    let replicas = |cell: usize, instance: &str| {
        let scenario = study.scenarios.iter().find(|known| known.name == grid.cells[cell].scenario)?;
        let bound = study.instances_of(scenario);
        bound.iter().map(|bound| &bound.instance).find(|known| known.name == instance).map(|known| known.replicas)
    };
    let mut found = Vec::new();
    for instance in study.system.instances.iter().filter(|instance| instance.written.replicas.is_some()) {
        for variable in 0..grid.variables.len() {
            for cells in grid.beside(variable) {
                let mut cells: Vec<(usize, u32)> =
                    cells.into_iter().filter_map(|cell| Some((cell, replicas(cell, &instance.name)?))).collect();
                cells.sort_by_key(|(_, replicas)| *replicas);
                let is_rising = cells.windows(2).all(|pair| pair[0].1 < pair[1].1);
                if cells.len() > 1 && is_rising {
                    let own = grid.cells[cells[0].0].values.iter().copied().enumerate();
                    let others = own.filter(|(place, _)| *place != variable).collect();
                    found.push(Line { instance: instance.name.clone(), others, cells });
                }
            }
        }
    }
    found
}

fn carried_out(index: &Index<'_>, grid: &Grid, cell: usize) -> Vec<u16> {
    holds(index, &grid.cells[cell].scenario).flat_map(|step| crate::steps::carried_out(index, step)).collect()
}

fn holds<'a>(index: &'a Index<'a>, scenario: &str) -> impl Iterator<Item = &'a crate::evidence::StepSpan> {
    let number = index.head().scenarios.iter().position(|known| known.name == scenario);
    index.evidence.steps.iter().filter(move |step| step.phase == Phase::Hold && Some(step.scenario) == number)
}

fn of_exchange(study: &Study, run: &RunIndex<'_>, grid: &Grid, line: &Line, exchange: u16) -> Scaling {
    let index = &run.index;
    let number_of = |cell: usize| study.scenarios.iter().position(|known| known.name == grid.cells[cell].scenario);
    let mut levels: Vec<ScalingLevel> = Vec::new();
    for &(cell, replicas) in &line.cells {
        let (calls, units) = ended(index, &grid.cells[cell].scenario, exchange);
        let repetitions = grid.cells[cell].repetitions;
        let mut level = ScalingLevel {
            cell,
            replicas,
            calls,
            repetitions,
            mean_s: None,
            units,
            speed_up: None,
            efficiency: None,
            reason: None,
        };
        // The base beside itself gives its mean.
        let base = levels.first().map_or(cell, |first| first.cell);
        let row =
            number_of(base).zip(number_of(cell)).and_then(|(base, own)| mean_within(study, run, exchange, base, own));
        if let Some(row) = row {
            level.mean_s = row.other.map(|ms| ms / 1e3);
            if let Some(first) = levels.first() {
                let is_comparable = row.verdict != RowVerdict::NotComparable;
                level.speed_up = row.value.filter(|ratio| is_comparable && *ratio > 0.0).map(|ratio| Gain {
                    value: ratio.recip(),
                    interval: row
                        .low
                        .zip(row.high)
                        .filter(|(low, _)| *low > 0.0)
                        .map(|(low, high)| (high.recip(), low.recip())),
                });
                level.efficiency =
                    level.speed_up.map(|gain| gain.times(f64::from(first.replicas) / f64::from(replicas)));
                level.reason = level.speed_up.and_then(|gain| gain.interval).is_none().then_some(row.reason);
            }
        }
        levels.push(level);
    }
    let name = index.head().exchanges.get(usize::from(exchange)).map_or_else(String::new, |head| head.name.clone());
    let unit =
        index.head().scenarios.iter().flat_map(|scenario| &scenario.carries).find(|known| known.exchange == exchange);
    let unit = unit.map(|known| known.unit.clone());
    Scaling { exchange: name, unit, instance: line.instance.clone(), others: line.others.clone(), levels }
}

/// Calls that succeeded, and the units that they carried.
fn ended(index: &Index<'_>, scenario: &str, exchange: u16) -> (u64, Option<f64>) {
    let (mut calls, mut units) = (0, None);
    for step in holds(index, scenario) {
        let carries = index.head().scenarios.get(step.scenario).map(|head| head.carries.as_slice()).unwrap_or_default();
        let carried = carries.iter().find(|known| known.exchange == exchange);
        for row in index.legs(step.number, exchange, 0).filter(|row| row.population == Population::Ok) {
            calls += row.count;
            if let Some(carried) = carried {
                *units.get_or_insert(0.0) += crate::evidence::units(&row, Some(Some(carried)));
            }
        }
    }
    (calls, units)
}
