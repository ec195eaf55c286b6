//! One entry for each step and phase that took place: rates, books, times.

use crate::evidence::StepSpan;
use crate::figures::LeftOut;
use crate::merge::LegMerge;
use crate::parallel;
use crate::rows::{Each, Index, seconds_within};
use crate::times::{Censoring, Course, Part};
use crate::{ExchangeResult, LegResult, StepResult};
use crate::{failures, slowest};
use record::{EngineRow, LegPer};
use std::collections::BTreeMap;
use terms::{Nanos, OUTCOMES, Outcome, Phase, Population};

/// What statistics of times are of: those that succeeded, those that failed, both.
const POPULATIONS: [(&str, Option<Population>); 3] =
    [("ok", Some(Population::Ok)), ("failed", Some(Population::Failed)), ("all", None)];

/// Statistics of every step, in order of time.
pub(crate) fn step_results(index: &Index<'_>) -> Vec<StepResult> {
    index.evidence.steps.iter().map(|step| step_result(index, step)).collect()
}

fn step_result(index: &Index<'_>, step: &StepSpan) -> StepResult {
    let planned = index.planned_step(step).cloned().unwrap_or_default();
    let name = index.head().scenarios.get(step.scenario).map_or("", |scenario| scenario.name.as_str());
    let seconds = (step.to - step.from).as_secs_f64().max(0.0);
    let (books, timed) = (index.books(step.number), index.books_of_span(step));
    let per_second = |count: f64| if seconds > 0.0 { count / seconds } else { 0.0 };
    let is_closed = index.load_of(step).is_some_and(|load| load.model == "closed");
    let results =
        |numbers: Vec<u16>| parallel::each(&numbers, |number| exchange_result(index, step, *number, is_closed));
    StepResult {
        number: step.number,
        scenario: name.to_owned(),
        part: index.head().part_of(&planned).map(str::to_owned),
        scope: index.scope(step),
        id: step.id.clone(),
        phase: step.phase.name().into(),
        seconds,
        users: planned.users,
        offered_per_s: per_second(timed.intended as f64),
        achieved_per_s: per_second(timed.started as f64),
        throughput_per_s: throughput(index, step),
        filling: if is_closed { 0.0 } else { filling(index, step, timed.intended as f64, seconds) },
        judged_from: 0.0,
        books,
        lateness_p99_ms: index.lateness_quantile(step.number, 0.99).map(Nanos::as_millis_f64),
        cpu_share: ThreadShares::of(index, step, |row| row.cpu_s).map(|shares| shares.mean),
        in_flight: None,
        validity: None,
        variables: planned.variables,
        repetition: planned.repetition.max(1),
        exchanges: results(carried_out(index, step).collect()),
        transactions: results(transactions(index, step).collect()),
        streams: crate::streams::streams(index, step),
    }
}

/// Exchanges that a step's iterations carry out.
pub(crate) fn carried_out(index: &Index<'_>, step: &StepSpan) -> impl Iterator<Item = u16> {
    booked(index, step).filter(|number| !index.is_transaction(*number))
}

/// Transactions that a step's iterations go through.
pub(crate) fn transactions(index: &Index<'_>, step: &StepSpan) -> impl Iterator<Item = u16> {
    booked(index, step).filter(|number| index.is_transaction(*number))
}

fn booked(index: &Index<'_>, step: &StepSpan) -> impl Iterator<Item = u16> {
    // Without one of the tables of calls, none of their counts is known, and none is zero.
    let has_load = step.phase.has_load() && LeftOut::of(index.evidence).load.is_none();
    let load = index.load_of(step);
    (0..index.head().exchanges.len() as u16).filter(move |number| has_load && Each::of(load, *number).is_possible())
}

/// Iterations of the scenario, in a mix of the step's part, that succeeded a second within the step's time, whenever
/// they were intended.
///
/// Ends are known to the second, so what ended in the whole seconds within the step is divided by their number. In a
/// step that holds no whole second, its own iterations are counted, whenever they ended.
fn throughput(index: &Index<'_>, step: &StepSpan) -> f64 {
    let seconds = seconds_within(step.from, step.to);
    let length = (seconds.end - seconds.start) as f64;
    let all = index.steps_of_part(step.scenario, index.part(step));
    let ended = all.flat_map(|step| index.iterations(step.number)).filter(|row| seconds.contains(&row.end_s));
    if length > 0.0 {
        return ended.map(|row| row.books.completed).sum::<u64>() as f64 / length;
    }
    let real = (step.to - step.from).as_secs_f64();
    if real > 0.0 { index.books(step.number).completed as f64 / real } else { 0.0 }
}

/// Of a hold whose calls take longer than this part of it nobody tells filling up from falling behind.
const FILLS_MOST: f64 = 0.1;

/// See [`StepResult::filling`]: what is in flight follows from the rate and the mean time of the first third, in which no
/// queue has grown long yet.
fn filling(index: &Index<'_>, step: &StepSpan, intended: f64, seconds: f64) -> f64 {
    let whole = seconds_within(step.from, step.to);
    let first = (step.phase == Phase::Hold).then(|| crate::findings::first_time(index, step, &whole)).flatten();
    let Some(first) = first.filter(|first| *first <= FILLS_MOST * seconds) else { return 0.0 };
    let repetition = index.repetition(step);
    let before = index.steps_of_part(step.scenario, index.part(step));
    let before = before.filter(|other| other.number != step.number && index.repetition(other) == repetition);
    let taken_over: f64 = before
        .flat_map(|other| index.iterations(other.number))
        .map(|row| {
            let begun = row.books.intended.saturating_sub(row.books.dropped) as f64;
            let over = (row.books.completed + row.books.failed + row.books.aborted) as f64;
            let is_before = |second: i64| f64::from(u8::from(second < whole.start));
            begun * is_before(row.intended_s) - over * is_before(row.end_s)
        })
        .sum();
    (intended / seconds.max(1e-9) * first - taken_over.max(0.0)).max(0.0)
}

/// Closes of a leg by the second in which they were, as [`throughput`] counts iterations: those that succeeded, and those
/// that failed.
fn ended_per_s(index: &Index<'_>, step: &StepSpan, (exchange, leg): (u16, u8)) -> Option<[f64; 2]> {
    let seconds = seconds_within(step.from, step.to);
    let length = seconds.end - seconds.start;
    if length <= 0 {
        return None;
    }
    let all = index.steps_of_part(step.scenario, index.part(step));
    let rows = all.flat_map(|step| index.legs(step.number, exchange, leg));
    let mut ended = [0u64; 2];
    for row in rows.filter(|row| seconds.contains(&row.end_s)) {
        ended[usize::from(row.population != Population::Ok)] += row.count;
    }
    Some(ended.map(|count| count as f64 / length as f64))
}

/// A figure of the generator's threads as share of the time they had.
pub(crate) struct ThreadShares {
    /// Over all threads.
    pub(crate) mean: f64,
    /// Of the thread with the greatest.
    pub(crate) greatest: f64,
}

impl ThreadShares {
    /// `None` where no thread was seen in the step's time. A row stands for one second of one thread.
    pub(crate) fn of(index: &Index<'_>, step: &StepSpan, part: fn(&EngineRow) -> f64) -> Option<Self> {
        let seconds = seconds_within(step.from, step.to);
        // The rows' own step goes on through the drain, so the time decides; a step without a whole second takes its own.
        let is_in = |row: &&EngineRow| {
            if seconds.is_empty() { row.step == step.number } else { seconds.contains(&row.second) }
        };
        let mut threads: BTreeMap<u16, (f64, f64)> = BTreeMap::new();
        for row in index.evidence.engine.iter().filter(is_in).filter(|row| part(row).is_finite()) {
            let (sum, count) = threads.entry(row.worker).or_default();
            *sum += part(row).max(0.0);
            *count += 1.0;
        }
        let all = threads.values().fold((0.0, 0.0), |all, thread| (all.0 + thread.0, all.1 + thread.1));
        let greatest = threads.values().map(|(sum, count)| sum / count).reduce(f64::max)?;
        Some(Self { mean: all.0 / all.1, greatest })
    }
}

fn exchange_result(index: &Index<'_>, step: &StepSpan, number: u16, is_closed: bool) -> ExchangeResult {
    let head = &index.head().exchanges[usize::from(number)];
    let mut legs = Vec::new();
    for (leg, kind) in head.legs.iter().enumerate() {
        let merge = LegMerge::of(index, step.number, number, leg as u8);
        let outcomes = merge.closes.outcomes;
        // What there is on occasion is spoken of where there was an occasion.
        if kind.per == LegPer::Occasion && merge.is_empty() {
            continue;
        }
        let has_timeouts = outcomes[Outcome::Timeout as usize] + outcomes[Outcome::Missing as usize] > 0;
        let ended = ended_per_s(index, step, (number, leg as u8));
        let all = merge.closes.ok.clone().with(&merge.closes.failed);
        let closes = |only: Option<Population>| match only {
            Some(Population::Ok) => &merge.closes.ok,
            Some(Population::Failed) => &merge.closes.failed,
            None => &all,
        };
        let mut courses = POPULATIONS.map(|(_, only)| {
            let response: Part = |row| &row.response;
            let service: Part = |row| &row.service;
            let response = if is_closed { None } else { Course::of(&closes(only).response, response) };
            [response, Course::of(&closes(only).service, service)]
        });
        for row in index.legs(step.number, number, leg as u8) {
            for ((_, only), courses) in POPULATIONS.iter().zip(&mut courses) {
                if only.is_none_or(|only| row.population == only) {
                    courses.iter_mut().flatten().for_each(|course| course.add(&row));
                }
            }
        }
        for ((name, only), courses) in POPULATIONS.into_iter().zip(courses) {
            let is_in = |population: Population| only.is_none_or(|only| population == only);
            let is_named = |outcome: &Outcome| {
                outcomes[*outcome as usize] > 0 && outcome.population().map_or(only.is_none(), is_in)
            };
            let censoring = Censoring {
                // Where no call timed out none was cut off, however long some waited for a connection.
                timeout: Nanos(if has_timeouts { head.timeout_ns } else { 0 }),
                has_timeouts: has_timeouts && only != Some(Population::Ok),
            };
            let [response, service] = courses.map(|course| course.map(|course| course.times(censoring)));
            legs.push(LegResult {
                id: kind.name.clone(),
                outcome: name.into(),
                count: closes(only).count,
                ended_per_s: ended.map(|[ok, failed]| match only {
                    Some(Population::Ok) => ok,
                    Some(Population::Failed) => failed,
                    None => ok + failed,
                }),
                classes: OUTCOMES
                    .into_iter()
                    .filter(is_named)
                    .map(|outcome| (outcome.name().to_owned(), outcomes[outcome as usize]))
                    .collect(),
                response,
                service,
            });
        }
    }
    ExchangeResult {
        id: head.name.clone(),
        intended: index.planned(step, number),
        started: index.started(step.number, number),
        legs,
        failures: failures::of_exchange(index, step.number, number),
        slowest: slowest::of_exchange(index, step.number, number),
    }
}
