//! Work in bulk: how many units a scenario carried, how long that took, and at which rate. What was accepted and what is
//! through are two rates, and the mean over all of the time and the rate between stalls are two more; none stands for
//! another.

use crate::Scope;
use crate::evaluate::{Worked, rates_of, working_of};
use crate::evidence::{StepSpan, units};
use crate::findings::Piece;
use crate::rows::{Index, seconds_within};
use crate::steps::carried_out;
use record::CarriedHead;
use std::collections::BTreeMap;
use std::ops::Range;
use study::Study;
use terms::{Nanos, Phase, Population};

/// One unit of one exchange in one hold that ends with a number of units or calls, not with a time.
#[derive(Clone, Debug, PartialEq)]
pub struct Bulk {
    pub scope: Scope,
    pub scenario: String,
    pub exchange: String,
    /// What is carried: `events`.
    pub unit: String,
    /// Iterations that were begun, and how many the study plans; fewer where the load was bounded, or stopped.
    pub begun: u64,
    pub planned: Option<u64>,
    /// Carried by calls that succeeded.
    pub accepted: Carried,
    /// Of each leg that a watched count closes, by its name.
    pub through: Vec<Through>,
}

/// How much, and how fast.
#[derive(Clone, Debug, PartialEq)]
pub struct Carried {
    /// How many, in all.
    pub units: f64,
    /// Time that this took: the hold.
    pub seconds: f64,
    /// Bytes of the units, where a call says how many it carried.
    pub bytes: f64,
    /// Rate between stalls; `None` where the time is too short, or the rate has no single level.
    pub working: Option<WorkingRate>,
}

impl Bulk {
    /// How many iterations were begun of how many, where the count was not reached.
    pub fn short(&self) -> Option<(u64, u64)> {
        self.planned.filter(|planned| self.begun < *planned).map(|planned| (self.begun, planned))
    }
}

impl Carried {
    /// Units a second over all of the time.
    pub fn mean_per_s(&self) -> f64 {
        self.units / self.seconds.max(1e-9)
    }
}

/// A rate between stalls, and how much of the time it was measured in.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkingRate {
    pub per_s: f64,
    /// Interval, at the confidence of verdicts.
    pub interval: (f64, f64),
    /// Part of the time between stalls.
    pub duty: f64,
    /// What the stalls took away, as a part of what would have been carried without them.
    pub lost: f64,
    /// Each stall, in order of time.
    pub stalls: Vec<Range<Nanos>>,
}

/// What a watched count says is through.
#[derive(Clone, Debug, PartialEq)]
pub struct Through {
    pub leg: String,
    /// The count: `ingest.durable`.
    pub counted_by: String,
    /// Within the hold.
    pub carried: Carried,
    /// Accepted and not through when the hold ended; `None` where it is not known.
    pub left: Option<f64>,
    /// Seconds from the end of the hold until nothing was left; `None` where that was not seen.
    pub drained_s: Option<f64>,
}

/// Holds whose length was not planned, with what their calls carry. Cells of a grid have their own place, side by side.
pub(crate) fn bulks(study: &Study, index: &Index<'_>) -> Vec<Bulk> {
    let mut found = Vec::new();
    let is_cell = |step: &StepSpan| study.scenarios.get(step.scenario).is_some_and(|scenario| scenario.cell.is_some());
    for step in index.evidence.steps.iter().filter(|step| step.phase == Phase::Hold) {
        if is_cell(step) || index.planned_step(step).is_none_or(|planned| planned.seconds.is_some()) {
            continue;
        }
        let carries = index.head().scenarios.get(step.scenario).map(|head| head.carries.as_slice()).unwrap_or_default();
        for exchange in carried_out(index, step) {
            let own = carries.iter().filter(|known| known.exchange == exchange);
            found.extend(own.filter_map(|carried| bulk(index, step, carried)));
        }
    }
    found
}

fn bulk(index: &Index<'_>, step: &StepSpan, carried: &CarriedHead) -> Option<Bulk> {
    let head = index.head();
    let exchange = head.exchanges.get(usize::from(carried.exchange))?;
    let seconds = (step.to - step.from).as_secs_f64();
    let (mut sum, mut bytes, mut by_second) = (0.0, 0.0, BTreeMap::<i64, f64>::new());
    for row in index.legs(step.number, carried.exchange, 0).filter(|row| row.population == Population::Ok) {
        let units = units(&row, Some(Some(carried)));
        sum += units;
        bytes += row.bytes as f64;
        *by_second.entry(row.end_s).or_default() += units;
    }
    if sum <= 0.0 || seconds <= 0.0 {
        return None;
    }
    // Seconds that are wholly within the hold; one in which nothing ended is one of standstill.
    let within = seconds_within(step.from, step.to);
    let piece = |second: i64| Piece {
        at: Nanos::from_secs(second),
        seconds: 1.0,
        amount: by_second.get(&second).copied().unwrap_or_default(),
    };
    let accepted = Carried { units: sum, seconds, bytes, working: working(&within.map(piece).collect::<Vec<_>>()) };
    let through = exchange.counted.iter().filter(|leg| leg.unit.as_deref() == Some(carried.unit.as_str()));
    Some(Bulk {
        scope: index.scope(step),
        scenario: head.scenarios.get(step.scenario).map_or_else(String::new, |scenario| scenario.name.clone()),
        exchange: exchange.name.clone(),
        unit: carried.unit.clone(),
        begun: index.books(step.number).intended,
        planned: index.planned_step(step).and_then(|planned| planned.iterations),
        accepted,
        through: through.filter_map(|leg| self::through(index, step, carried.exchange, leg)).collect(),
    })
}

fn through(index: &Index<'_>, step: &StepSpan, exchange: u16, leg: &record::CountedHead) -> Option<Through> {
    let evidence = index.evidence;
    let looks = evidence.counts_of(leg);
    // From the last look before the hold, so that what came before the first one within it is counted.
    let first = looks.iter().rposition(|(at, _)| *at <= step.from).unwrap_or(0);
    let last = looks.iter().rposition(|(at, _)| *at <= step.to)?;
    let looks = looks.get(first..=last).filter(|looks| looks.len() > 1)?;
    let pieces = rates_of(looks);
    let carried = Carried {
        units: pieces.iter().map(|piece| piece.amount).sum(),
        seconds: pieces.iter().map(|piece| piece.seconds).sum(),
        bytes: 0.0,
        working: working(&pieces),
    };
    let name = &index.head().exchanges.get(usize::from(exchange))?.name;
    let backlog = evidence.backlog(&format!("{name}.{}", leg.leg), Nanos(i64::MIN)..Nanos(i64::MAX));
    let left = backlog.iter().take_while(|(at, _)| *at <= step.to).last().map(|(_, left)| *left);
    let empty = backlog.iter().find(|(at, left)| *at >= step.to && *left <= 0.0);
    Some(Through {
        leg: leg.leg.clone(),
        counted_by: format!("{}.{}", leg.monitor, leg.metric),
        carried,
        left,
        drained_s: empty.map(|(at, _)| (*at - step.to).as_secs_f64()),
    })
}

fn working(pieces: &[Piece]) -> Option<WorkingRate> {
    let Worked { work, stalls, .. } = working_of(pieces).ok()?;
    Some(WorkingRate { per_s: work.rate, interval: (work.low, work.high), duty: work.duty, lost: work.lost(), stalls })
}
