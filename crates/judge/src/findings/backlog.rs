//! More came than was answered, and what was in flight grew for it.

use super::{RuleInput, finding};
use crate::capacity::is_behind;
use crate::evidence::StepSpan;
use crate::findings::declare::{Count, PerSecond, declare};
use crate::rows::{Index, seconds_within};
use crate::{Finding, Gravity, StepResult};
use std::ops::Range;
use terms::Phase;

declare! {
    /// In an open load more came than was answered, and the work in flight (due but not ended, whether waiting for a
    /// connection, the system or a reply) grew throughout a hold of fifteen whole seconds or more. It must have grown
    /// by `CLEAR` times the square root of what ended, which is the noise of that count, or by `CLEAR_BEHIND` times
    /// that where less than 99 % of what was offered was answered, the condition that refuses a volume; and by
    /// `GROWTH_MIN` iterations. It must still have grown in the last third, and calls of that third must have waited
    /// behind earlier ones: a hold that begins with nothing in flight, and calls that take as long as the hold, fill up
    /// too. A blocker, since such a hold never reaches a steady state: times depend on how long it lasted. A closed
    /// load has no backlog.
    Backlog = "BACKLOG" {
        ended: PerSecond,
        from: Count,
        offered: PerSecond,
        to: Count,
    }
}

/// Over fewer whole seconds than this nothing is reported about growth.
const SECONDS_MIN: i64 = 15;
/// Fewer iterations than this are not a backlog.
const GROWTH_MIN: f64 = 10.0;
/// What ended is a count, whose own noise is its square root; the growth is this many times that.
const CLEAR: f64 = 3.0;
/// The same, where answers fall so far behind that a volume is refused.
const CLEAR_BEHIND: f64 = 2.0;
/// From the second to the last third it must still grow by this part of what it did from the first to the second:
/// filling up once is not a backlog.
const STILL: f64 = 0.5;

/// BACKLOG: an open load whose answers fall behind, so that the work in flight grows all through the hold.
pub(super) fn backlog(seen: &RuleInput<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (span, step) in seen.index.evidence.steps.iter().zip(seen.steps) {
        let is_open = step.users.is_none() && seen.index.load_of(span).is_some_and(|load| load.model != "closed");
        if span.phase != Phase::Hold || !is_open {
            continue;
        }
        let Some(work) = work(seen.index, span).filter(|work| work.grows(is_behind(step))) else { continue };
        findings.push(finding(Gravity::Blocker, &step.scope, figures(step, &work)));
    }
    findings
}

fn figures(step: &StepResult, work: &Work) -> Backlog {
    Backlog {
        ended: PerSecond(work.ended / work.in_flight.len().max(1) as f64),
        from: Count(work.in_flight.first().copied().unwrap_or(0.0)),
        offered: PerSecond(step.offered_per_s),
        to: Count(work.in_flight.last().copied().unwrap_or(0.0)),
    }
}

/// Iterations that had come due and not ended yet, at the end of each whole second of a hold: those that wait for a
/// connection and those that wait for a reply among them.
struct Work {
    in_flight: Vec<f64>,
    /// Iterations that ended in these seconds, well or not.
    ended: f64,
    /// Mean time of the iterations that came due in the first third and in the last, seconds.
    times: Option<(f64, f64)>,
}

fn work(index: &Index<'_>, span: &StepSpan) -> Option<Work> {
    let seconds = seconds_within(span.from, span.to);
    let length = usize::try_from(seconds.end - seconds.start).ok().filter(|length| *length < 1_000_000)?;
    if seconds.end - seconds.start < SECONDS_MIN {
        return None;
    }
    let place = |second: i64| usize::try_from(second.max(seconds.start) - seconds.start).unwrap_or(usize::MAX);
    let (mut change, mut ended) = (vec![0.0; length], 0.0);
    let repetition = index.repetition(span);
    let steps = index.steps_of_part(span.scenario, index.part(span));
    for step in steps.filter(|step| step.phase.has_load() && index.repetition(step) == repetition) {
        for row in index.iterations(step.number) {
            let begun = row.books.intended.saturating_sub(row.books.dropped) as f64;
            let over = (row.books.completed + row.books.failed + row.books.aborted) as f64;
            if let Some(at) = change.get_mut(place(row.intended_s)) {
                *at += begun;
            }
            if let Some(at) = change.get_mut(place(row.end_s)) {
                *at -= over;
            }
            ended += if seconds.contains(&row.end_s) { over } else { 0.0 };
        }
    }
    let mut sum = 0.0;
    let in_flight = change.into_iter().map(|by| {
        sum += by;
        sum
    });
    Some(Work { in_flight: in_flight.collect(), ended, times: times(index, span, &seconds) })
}

/// Mean time of the iterations that came due in a hold's first third, seconds.
pub(crate) fn first_time(index: &Index<'_>, span: &StepSpan, seconds: &Range<i64>) -> Option<f64> {
    mean_time(index, span, seconds.start..seconds.start + (seconds.end - seconds.start) / 3)
}

/// Mean times of the iterations of a hold's first and last third. Rows are of whole seconds, which evens out over many.
fn times(index: &Index<'_>, span: &StepSpan, seconds: &Range<i64>) -> Option<(f64, f64)> {
    let third = (seconds.end - seconds.start) / 3;
    Some((first_time(index, span, seconds)?, mean_time(index, span, seconds.end - third..seconds.end)?))
}

fn mean_time(index: &Index<'_>, span: &StepSpan, within: Range<i64>) -> Option<f64> {
    let (mut count, mut sum) = (0.0, 0.0);
    for row in index.iterations(span.number).filter(|row| within.contains(&row.intended_s)) {
        let over = (row.books.completed + row.books.failed + row.books.aborted) as f64;
        count += over;
        sum += over * (row.end_s - row.intended_s).max(0) as f64;
    }
    (count > 0.0).then(|| sum / count)
}

impl Work {
    /// Whether it grows all through the hold, by more than noise, and calls wait longer for it. Calls that take as
    /// long as
    /// the hold fill it up too, but the last of them takes no longer than the first.
    fn grows(&self, is_behind: bool) -> bool {
        let length = self.in_flight.len();
        let mean = |part: usize| {
            let part = &self.in_flight[part * length / 3..(part + 1) * length / 3];
            part.iter().sum::<f64>() / part.len().max(1) as f64
        };
        let (first, second, last) = (mean(0), mean(1), mean(2));
        let growth = self.in_flight.last().unwrap_or(&0.0) - self.in_flight.first().unwrap_or(&0.0);
        let clear = if is_behind { CLEAR_BEHIND } else { CLEAR };
        let is_clear = growth >= GROWTH_MIN && growth >= clear * self.ended.sqrt();
        let is_still = second > first && last - second >= STILL * (second - first);
        // Of a queue in order, a call waits for what stood there when it came.
        let rate = self.ended / length.max(1) as f64;
        let is_waiting =
            self.times.is_some_and(|(early, late)| rate > 0.0 && late - early >= STILL * (last - first) / rate);
        is_clear && is_still && is_waiting
    }
}
