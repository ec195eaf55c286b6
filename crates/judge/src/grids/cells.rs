//! What was measured of the cells of a grid.

use super::names::Written;
use super::{GridCell, GridConnections, GridLoad, GridSent, GridShare};
use crate::evidence::StepSpan;
use crate::rows::{Index, joined};
use crate::steps::carried_out;
use crate::times::{CONFIDENCE, Censoring, times, without_gaps};
use crate::{RequirementResult, StepResult, Times};
use contract::Closes;
use record::{LegRow, ScenarioHead};
use stats::memory::Memory;
use std::collections::{BTreeMap, BTreeSet};
use study::Study;
use terms::{Histogram, Nanos, Phase, Population, Severity, Validity, Verdict};

/// What is known of a run.
pub(super) struct Inputs<'a> {
    pub(super) study: &'a Study,
    pub(super) index: &'a Index<'a>,
    pub(super) steps: &'a [StepResult],
    pub(super) results: &'a [RequirementResult],
}

/// How much a cell asks for, as numbers: what tells the roles of its variables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Asked {
    pub(super) load: GridLoad,
    /// Connections, users or arrivals a second.
    pub(super) count: f64,
    /// Messages a second on each connection.
    pub(super) each: f64,
    pub(super) ramp_s: f64,
}

/// Cells that came to a hold with something planned, in the order of the grid, and what each asks for.
pub(super) fn cells(known: &Inputs<'_>, written: &Written) -> (Vec<Asked>, Vec<GridCell>) {
    let mut values: Vec<Vec<&str>> = vec![Vec::new(); written.variables.len()];
    for (_, own) in &written.cells {
        for (all, value) in values.iter_mut().zip(own) {
            if !all.contains(&value.as_str()) {
                all.push(value);
            }
        }
    }
    let mut found = (Vec::new(), Vec::new());
    for (scenario, own) in &written.cells {
        let numbers = own.iter().zip(&values).map(|(value, all)| all.iter().position(|it| it == value).unwrap_or(0));
        if let Some((asked, cell)) = cell(known, scenario, numbers.collect()) {
            found.0.push(asked);
            found.1.push(cell);
        }
    }
    found
}

fn cell(known: &Inputs<'_>, scenario: &str, values: Vec<usize>) -> Option<(Asked, GridCell)> {
    let index = known.index;
    let number = index.head().scenarios.iter().position(|head| head.name == scenario)?;
    let all: Vec<(&StepSpan, &StepResult)> =
        index.evidence.steps.iter().zip(known.steps).filter(|(span, _)| span.scenario == number).collect();
    let holds: Vec<(&StepSpan, &StepResult)> = all
        .iter()
        .copied()
        .filter(|(span, step)| span.phase == Phase::Hold && step.seconds > 0.0 && step.books.intended > 0)
        .collect();
    let asked = asked(index, number, &holds)?;
    let books = holds.iter().fold(terms::Books::default(), |mut sum, (_, step)| {
        sum += step.books;
        sum
    });
    let rounds = rounds(index, &holds);
    let rates = |of: fn(&Round) -> f64| rounds.iter().map(of).collect::<Vec<f64>>();
    let delivered = rates(|round| round.delivered_per_s);
    let validity = holds.iter().filter_map(|(_, step)| step.validity).max().unwrap_or(Validity::Valid);
    let is_held = asked.load == GridLoad::Held;
    let cell = GridCell {
        scenario: scenario.to_owned(),
        values,
        repetitions: rounds.len() as u32,
        seconds: rounds.iter().map(|round| round.seconds).sum(),
        planned: books.intended,
        ok: books.completed,
        errors: books.failed + books.dropped,
        error_share: error_share(&rounds),
        sent: if is_held { sent(known, &holds) } else { None },
        connections: is_held.then(|| connections(known, number, &all, rounds.len())).flatten(),
        times: cell_times(index, &holds),
        offered_per_s: mean(&rates(|round| round.offered_per_s)),
        delivered_per_s: mean(&delivered),
        delivered_interval: over_rounds(&delivered),
        ramp_s: asked.ramp_s,
        verdict: verdict(known, scenario),
        validity,
        is_whole: holds.iter().all(|(span, _)| span.is_ended && !span.is_inner),
    };
    Some((asked, cell))
}

/// What one repetition of a cell came to.
struct Round {
    seconds: f64,
    offered_per_s: f64,
    delivered_per_s: f64,
    errors: u64,
    planned: u64,
    /// Errors and all by second of the intended start.
    by_second: Vec<(u64, u64)>,
}

fn rounds(index: &Index<'_>, holds: &[(&StepSpan, &StepResult)]) -> Vec<Round> {
    let numbers: BTreeSet<u32> = holds.iter().map(|(span, _)| index.repetition(span)).collect();
    let round = |number: u32| {
        let own: Vec<_> = holds.iter().filter(|(span, _)| index.repetition(span) == number).collect();
        // Parts of a mix hold at the same time.
        let spans = joined(own.iter().map(|(span, _)| span.from..span.to));
        let seconds: f64 = spans.iter().map(|span| (span.end - span.start).as_secs_f64()).sum();
        let sum =
            |of: &dyn Fn(&StepResult) -> f64| own.iter().map(|(_, step)| of(step)).sum::<f64>() / seconds.max(1e-9);
        let mut by_second: BTreeMap<i64, (u64, u64)> = BTreeMap::new();
        for row in own.iter().flat_map(|(span, _)| index.iterations(span.number)) {
            let second = by_second.entry(row.intended_s).or_default();
            second.0 += row.books.failed + row.books.dropped;
            second.1 += row.books.intended;
        }
        by_second.values_mut().for_each(|(errors, all)| *errors = (*errors).min(*all));
        Round {
            seconds,
            offered_per_s: sum(&|step| step.books.intended as f64),
            delivered_per_s: sum(&|step| step.throughput_per_s * step.seconds),
            errors: own.iter().map(|(_, step)| step.books.failed + step.books.dropped).sum(),
            planned: own.iter().map(|(_, step)| step.books.intended).sum(),
            by_second: without_gaps(&by_second),
        }
    };
    numbers.into_iter().map(round).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Student's interval over repetitions; `None` of fewer than two, and of equal ones, whose spread is not known.
fn over_rounds(values: &[f64]) -> Option<(f64, f64)> {
    let found = stats::mean::estimate(values, CONFIDENCE, 1.0).ok()?;
    (found.low < found.high).then_some((found.low.max(0.0), found.high))
}

/// Errors of everything planned. Over repetitions that had any, their spread is the interval; of one, what its own seconds
/// show; of none, the exact one.
fn error_share(rounds: &[Round]) -> Option<GridShare> {
    let (errors, planned) = rounds.iter().fold((0, 0), |sum, round| (sum.0 + round.errors, sum.1 + round.planned));
    if planned == 0 {
        return None;
    }
    let errors = errors.min(planned);
    let exact = |effects: stats::memory::Effects| {
        let found = stats::share::interval(errors, planned, CONFIDENCE, effects).ok()?;
        Some((found.low, found.high))
    };
    let value = errors as f64 / planned as f64;
    let shares: Vec<f64> = rounds.iter().map(|round| round.errors as f64 / round.planned.max(1) as f64).collect();
    let interval = match rounds {
        _ if errors == 0 || errors == planned => exact(1.0.into()),
        [only] => {
            let memory = Memory::of_share(&only.by_second).and_then(Memory::checked).ok();
            memory.and_then(|memory| exact(memory.effects(CONFIDENCE)))
        }
        // Equal repetitions do not make a share certain: the interval is never narrower than that of single messages.
        _ => exact(1.0.into()).map(|own| {
            let (low, high) = over_rounds(&shares).unwrap_or(own);
            (low.min(own.0), high.max(own.1).min(1.0))
        }),
    };
    Some(GridShare { value, interval })
}

/// Legs of what a step carries out, with the closes of each: exchange, number of the leg.
fn legs<'a>(
    known: &Inputs<'a>,
    span: &'a StepSpan,
    is_meant: fn(Closes) -> bool,
) -> impl Iterator<Item = (u16, u8)> + 'a {
    let (study, index) = (known.study, known.index);
    carried_out(index, span).flat_map(move |exchange| {
        let legs = study.exchanges.get(usize::from(exchange)).map_or(&[][..], |exchange| exchange.legs);
        let own = legs.iter().zip(0u8..).filter(move |(leg, _)| is_meant(leg.closes));
        own.map(move |(_, number)| (exchange, number))
    })
}

/// Rows of a leg, succeeded and failed.
fn counted(index: &Index<'_>, step: u32, (exchange, leg): (u16, u8)) -> (u64, u64) {
    let of = |wanted: Population| {
        index.legs(step, exchange, leg).filter(|row| row.population == wanted).map(|row| row.count).sum()
    };
    (of(Population::Ok), of(Population::Failed))
}

/// Connections of all steps: they open on the ramp, before anything is judged.
fn connections(
    known: &Inputs<'_>,
    scenario: usize,
    all: &[(&StepSpan, &StepResult)],
    rounds: usize,
) -> Option<GridConnections> {
    let (mut opened, mut failed) = (0, 0);
    let mut has_leg = false;
    for (span, _) in all {
        for leg in legs(known, span, |closes| closes == Closes::Opening) {
            let (ok, bad) = counted(known.index, span.number, leg);
            (has_leg, opened, failed) = (true, opened + ok, failed + bad);
        }
    }
    let planned = known.index.head().scenarios.get(scenario).and_then(|head| head.connections);
    let planned = planned.map(|planned| u64::from(planned) * rounds as u64);
    has_leg.then_some(GridConnections { planned, attempted: opened + failed, failed })
}

/// What was sent whole on a connection that stood, and how much of it was not answered rightly: known where sending is a leg
/// of its own beside that of the answer.
fn sent(known: &Inputs<'_>, holds: &[(&StepSpan, &StepResult)]) -> Option<GridSent> {
    let (mut count, mut right, mut has_leg) = (0, 0, false);
    for (span, _) in holds {
        let answers: BTreeSet<u16> = legs(known, span, |closes| closes == Closes::Matched).map(|leg| leg.0).collect();
        for (exchange, leg) in legs(known, span, |closes| closes == Closes::Here) {
            if answers.contains(&exchange) {
                has_leg = true;
                count += counted(known.index, span.number, (exchange, leg)).0;
            }
        }
        for leg in legs(known, span, |closes| closes == Closes::Matched) {
            right += counted(known.index, span.number, leg).0;
        }
    }
    has_leg.then(|| GridSent { count, wrong: count.saturating_sub(right) })
}

/// Times of what succeeded in the first leg of every exchange, all holds together.
fn cell_times(index: &Index<'_>, holds: &[(&StepSpan, &StepResult)]) -> Option<Times> {
    let is_closed = holds.iter().any(|(span, _)| index.load_of(span).is_some_and(|load| load.model == "closed"));
    let part: fn(&LegRow) -> &terms::SparseHistogram = if is_closed { |row| &row.service } else { |row| &row.response };
    let rows = || {
        let calls = holds.iter().flat_map(|(span, _)| carried_out(index, span).map(|exchange| (span.number, exchange)));
        calls.flat_map(|(step, exchange)| index.legs(step, exchange, 0)).filter(|row| row.population == Population::Ok)
    };
    let mut merged = Histogram::new();
    rows().for_each(|row| merged.merge_sparse(part(&row)));
    let calls = holds.iter().flat_map(|(span, _)| carried_out(index, span));
    let timeouts = calls.filter_map(|exchange| index.head().exchanges.get(usize::from(exchange)));
    let timeout = Nanos(timeouts.map(|head| head.timeout_ns).min().unwrap_or(0));
    times(&merged, rows(), part, Censoring { timeout, has_timeouts: false })
}

/// What every *must* of a scenario comes to, those of all its repetitions.
fn verdict(known: &Inputs<'_>, scenario: &str) -> Option<Verdict> {
    let own =
        known.results.iter().filter(|result| result.severity == Severity::Must && result.scope.is_of(scenario, None));
    let verdicts: Vec<Verdict> = own.map(|result| result.verdict).collect();
    let first = [Verdict::NotMet, Verdict::CannotTell, Verdict::Met];
    first.into_iter().find(|verdict| verdicts.contains(verdict))
}

/// `None` where the cell came to no hold.
fn asked(index: &Index<'_>, scenario: usize, holds: &[(&StepSpan, &StepResult)]) -> Option<Asked> {
    let head = index.head().scenarios.get(scenario)?;
    let first = holds.first()?;
    let round = index.repetition(first.0);
    let parts: Vec<&ScenarioHead> = if head.parts.is_empty() { vec![head] } else { head.parts.iter().collect() };
    let load = match parts.as_slice() {
        all if all.iter().all(|part| part.model == "held") => GridLoad::Held,
        all if all.iter().all(|part| part.model == "closed") => GridLoad::Closed,
        all if all.iter().all(|part| part.model == "open") => GridLoad::Open,
        _ => GridLoad::Mixed,
    };
    let own = || holds.iter().filter(|(span, _)| index.repetition(span) == round);
    let offered = |(span, step): &(&StepSpan, &StepResult)| {
        let planned = index.planned_step(span).and_then(|planned| planned.offered_to);
        planned.unwrap_or(step.offered_per_s)
    };
    let count = match load {
        GridLoad::Held => parts.iter().filter_map(|part| part.connections).map(f64::from).sum(),
        GridLoad::Closed => own().filter_map(|(_, step)| step.users).map(f64::from).fold(0.0, f64::max),
        GridLoad::Open | GridLoad::Mixed => own().map(offered).fold(0.0, f64::max),
    };
    let each = parts.iter().filter_map(|part| part.every_s).filter(|every| *every > 0.0).map(|every| 1.0 / every).sum();
    let ramps = index.head().steps.iter().filter(|step| {
        usize::from(step.scenario) == scenario && step.repetition.max(1) == round && step.phase == Phase::Ramp.name()
    });
    // Parts of a mix ramp at the same time.
    let ramp_s = ramps.filter(|step| step.part.unwrap_or(0) == 0).filter_map(|step| step.seconds).sum();
    Some(Asked { load, count, each, ramp_s })
}
