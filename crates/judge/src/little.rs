//! Little's law on one step: the number in flight that the generator measured, against the times that it recorded.
//!
//! `N = X·(R + Z)` holds for averages in a steady state. In its exact form it needs none: the area under the number in
//! flight over a window is the sum of the times that iterations spent within that window. So a queue that grows all
//! through a step, which the averages would call a contradiction, is none.

use crate::evidence::StepSpan;
use crate::merge::{self, Span};
use crate::rows::{Index, seconds_within};
use contract::Closes;
use record::{LegPer, ScenarioHead};
use std::collections::BTreeSet;
use std::ops::Range;
use study::Study;
use terms::Books;

/// Fewer iterations than this say too little.
const ITERATIONS_MIN: u64 = 100;
/// Rows are of whole seconds: over a shorter window its edges would decide.
const SECONDS_MIN: i64 = 10;
/// More dropped than this, and too much of the time in flight belongs to arrivals of which no time is recorded.
const DROPPED_MAX: f64 = 0.001;

/// Standard deviations of think time that are left to chance: a normal sum is further off once in 1.7 million steps.
const DEVIATIONS: f64 = 5.0;

/// Measured and recorded concurrency of one step; in a mix of all its parts together, for the generator counts what is
/// in flight for all of them at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Balance {
    /// Mean number in flight, as the generator measured it.
    pub(crate) concurrency: f64,
    /// Iterations a second.
    pub(crate) rate: f64,
    /// `nearest / concurrency - 1`, from the nearest concurrency that the rows allow. They are of whole seconds, which
    /// leaves open how much of a call lies on which side of the window's edge, and the generator's own lateness may or
    /// may not be part of what it counted.
    pub(crate) off: f64,
    /// The concurrency nearest to the measured one that the recorded times allow: what it is off from.
    pub(crate) nearest: f64,
}

/// Steps that take place at once: the parts of a mix in one phase.
fn at_once<'a>(index: &Index<'a>, step: &StepSpan) -> Vec<&'a StepSpan> {
    let key = |step: &StepSpan| (step.id.clone(), index.repetition(step), index.part(step).is_some());
    let own = key(step);
    index.evidence.steps_of(step.scenario, Some(step.phase)).filter(|other| key(other) == own).collect()
}

/// The balance of a step; `None` where it has no load, is too short, or where not every time is recorded.
pub(crate) fn balance(index: &Index<'_>, study: Option<&Study>, step: &StepSpan) -> Option<Balance> {
    let seconds = seconds_within(step.from, step.to);
    let parts = at_once(index, step);
    let books = parts.iter().fold(Books::default(), |mut sum, part| {
        sum += index.books(part.number);
        sum
    });
    // A leg that others close keeps its iteration open and its connection free: what is in flight knows the first only.
    let is_later = |number: usize, leg: usize| {
        let kind = study.and_then(|study| study.exchanges.get(number)).and_then(|exchange| exchange.legs.get(leg));
        kind.is_some_and(|kind| kind.closes != Closes::Here)
    };
    let mut exchanges = index.head().exchanges.iter().enumerate();
    // Of held connections what is in flight is what is being sent, not what waits for its answer.
    let is_held = parts.iter().any(|part| index.load_of(part).is_some_and(|load| load.model == "held"));
    let has_one_leg = exchanges.all(|(number, head)| {
        let mut further = head.legs.iter().enumerate().skip(1);
        further.all(|(leg, kind)| kind.per == LegPer::Occasion || is_later(number, leg))
    });
    let is_countable = step.phase.has_load()
        && step.is_ended
        && has_one_leg
        && !is_held
        && books.intended >= ITERATIONS_MIN
        && books.dropped as f64 <= books.intended as f64 * DROPPED_MAX
        && seconds.end - seconds.start >= SECONDS_MIN;
    if !is_countable {
        return None;
    }
    let length = (seconds.end - seconds.start) as f64;
    let engine = index.evidence.engine.iter().filter(|row| seconds.contains(&row.second));
    let concurrency = engine.map(|row| row.in_flight_mean).filter(|mean| mean.is_finite()).sum::<f64>() / length;
    let spent = spent(index, step, &seconds);
    // The time of an arrival runs from its intended start, that of a user's iteration from its first byte; the
    // generator counts both as in flight from the moment at which it took them up, or was to.
    let is_closed = |part: &StepSpan| index.load_of(part).is_some_and(|load| load.model == "closed");
    let late = |closed: bool| -> f64 {
        parts.iter().filter(|part| is_closed(part) == closed).map(|part| lateness(index, part)).sum()
    };
    let (least, most) = ((spent.least - late(false)) / length, (spent.most + late(true)) / length);
    if concurrency <= 0.0 || !least.is_finite() || !most.is_finite() {
        return None;
    }
    let nearest = concurrency.clamp(least.max(0.0), most.max(0.0));
    // Between the two nothing is off.
    let off = if (nearest - concurrency).abs() <= 1e-9 * concurrency { 0.0 } else { nearest / concurrency - 1.0 };
    let rate = books.intended as f64 / (step.to - step.from).as_secs_f64();
    Some(Balance { concurrency, rate, off, nearest })
}

/// Least and greatest time that can have been spent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Spent {
    least: f64,
    most: f64,
}

impl Spent {
    fn add(&mut self, calls: u64, (least, most): (f64, f64)) {
        self.least += calls as f64 * least;
        self.most += calls as f64 * most;
    }
}

/// Seconds that iterations of the scenario spent within the window, thinking included. No row says how long an iteration
/// thought: where chance decides, their sum is taken to lie within [`DEVIATIONS`] of its mean, and what a condition
/// decides may be all or nothing.
fn spent(index: &Index<'_>, step: &StepSpan, window: &Range<i64>) -> Spent {
    let mut spent = Spent::default();
    let mut variance = 0.0;
    for other in index.evidence.steps_of(step.scenario, None) {
        let load = index.load_of(other);
        let of_load = |of: fn(&ScenarioHead) -> f64| load.map_or(0.0, of).max(0.0);
        let (think_s, more_s) = (of_load(|load| load.think_s), of_load(|load| load.think_more_s));
        let of_one = of_load(|load| load.think_sd_s).powi(2);
        // Calls at once overlap: in their place stands what was booked of all together.
        let parallel = load.map_or(&[][..], |load| &load.parallel);
        for (number, calls) in merge::spans(index, other.number) {
            let (least, most) = within(&calls, window);
            let overlaps = parallel.iter().any(|all| all.calls.contains(&number));
            // No row says which calls of an exchange were made by themselves.
            match overlaps.then(|| load.is_some_and(|load| load.also_alone.contains(&number))) {
                None => spent.add(calls.count, (least, most)),
                Some(true) => spent.add(calls.count, (0.0, most)),
                Some(false) => {}
            }
        }
        let wholes: BTreeSet<u16> = parallel.iter().map(|all| all.transaction).collect();
        for calls in wholes.into_iter().flat_map(|whole| merge::spans_of(index, other.number, whole)) {
            spent.add(calls.count, within(&calls, window));
        }
        for row in index.iterations(other.number).filter(|_| think_s + more_s > 0.0) {
            let part = part_within(row.intended_s, row.end_s, window);
            let ended = row.books.completed + row.books.failed;
            let (least, most) = thought(row.intended_s..row.end_s, think_s, more_s);
            spent.add(ended, (least * part, most * part));
            variance += ended as f64 * of_one * part;
        }
    }
    let chance = DEVIATIONS * variance.sqrt();
    Spent { least: spent.least - chance, most: spent.most + chance }
}

fn lateness(index: &Index<'_>, step: &StepSpan) -> f64 {
    index.starts_of(step.number).map(|row| row.lateness.sum_ns.max(0.0) / 1e9).sum()
}

/// Least and greatest part of the time of one of these calls that lies within a window.
fn within(calls: &Span, window: &Range<i64>) -> (f64, f64) {
    let &Span { from, to, mean_s: length, .. } = calls;
    if window.contains(&from) && window.contains(&to) {
        return (length, length);
    }
    if !calls.touches(window) {
        return (0.0, 0.0);
    }
    let (begin, end) = (window.start as f64, window.end as f64);
    let overlap = |at: f64| ((at + length).min(end) - at.max(begin)).max(0.0);
    let (mut first, mut last) =
        ((from as f64).max(to as f64 - length), (from as f64 + 1.0).min(to as f64 + 1.0 - length));
    if first > last {
        // Times of several lengths in one row: anywhere in the second.
        (first, last) = (from as f64, from as f64 + 1.0);
    }
    // The overlap rises, stays, and falls as the begin moves: its extremes lie at the ends or where it turns.
    let turns = [first, last, begin.clamp(first, last), (end - length).clamp(first, last)];
    let (mut least, mut most) = (f64::INFINITY, 0.0f64);
    for at in turns {
        least = least.min(overlap(at));
        most = most.max(overlap(at));
    }
    (least, most)
}

/// Least and most that an iteration of these seconds can have thought. Who is still thinking when the load is over is not
/// waited for, so no thought is longer than its iteration.
fn thought(seconds: Range<i64>, think_s: f64, more_s: f64) -> (f64, f64) {
    let longest = (seconds.end - seconds.start).max(0) as f64 + 1.0;
    if think_s > longest { (0.0, longest) } else { (think_s, (think_s + more_s).min(longest)) }
}

/// Which part of the time from one second to another lies within a window; from middle to middle where they differ.
fn part_within(from: i64, to: i64, window: &Range<i64>) -> f64 {
    if to <= from {
        return if window.contains(&from) { 1.0 } else { 0.0 };
    }
    let middle = |second: i64| second as f64 + 0.5;
    let (begin, end) = (middle(from).max(window.start as f64), middle(to).min(window.end as f64));
    ((end - begin) / (to - from) as f64).clamp(0.0, 1.0)
}

/// Balances of every step, in order of time. Which legs others close is known of the study alone; without it, only
/// exchanges of one leg are looked at.
pub(crate) fn balances(index: &Index<'_>, study: Option<&Study>) -> Vec<Option<Balance>> {
    // Of a table that is gone no time was spent, and the two sides would contradict each other.
    let lacks_any = index.evidence.lacks_load();
    let of = |step: &StepSpan| if lacks_any { None } else { balance(index, study, step) };
    index.evidence.steps.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_within_a_window_is_that_of_its_seconds() {
        assert_eq!(part_within(3, 3, &(0..10)), 1.0);
        assert_eq!(part_within(10, 10, &(0..10)), 0.0);
        assert_eq!(part_within(0, 10, &(0..10)), 0.95, "from 0.5 to 10.5, of which 9.5 s lie within");
        assert_eq!(part_within(-10, 30, &(0..10)), 0.25);
        assert_eq!(part_within(20, 30, &(0..10)), 0.0);
    }

    #[test]
    fn nobody_thinks_longer_than_the_iteration_lasts() {
        assert_eq!(thought(3..9, 5.0, 0.0), (5.0, 5.0));
        assert_eq!(thought(3..9, 5.0, 4.0), (5.0, 7.0));
        // 300 s of thought that the end of the load cut off.
        assert_eq!(thought(349..406, 300.0, 0.0), (0.0, 58.0));
    }

    fn call(from: i64, to: i64, mean_s: f64) -> Span {
        Span { from, to, count: 1, mean_s }
    }

    #[test]
    fn what_crosses_an_edge_lies_within_by_its_least_and_its_most() {
        let window = 0..10;
        assert_eq!(within(&call(3, 4, 0.2), &window), (0.2, 0.2));
        assert_eq!(within(&call(12, 13, 0.2), &window), (0.0, 0.0));
        // Over the edge at 10 s by 0.2 s: anything between nothing and all of it.
        let (least, most) = within(&call(9, 10, 0.2), &window);
        assert!(least.abs() < 1e-9 && (most - 0.2).abs() < 1e-9);
        // 15 s that begin in second 8: between 1 and 2 s of them.
        let (least, most) = within(&call(8, 23, 15.0), &window);
        assert!((least - 1.0).abs() < 1e-9 && (most - 2.0).abs() < 1e-9, "{least} {most}");
        // Longer than the window: all of it.
        assert_eq!(within(&call(-5, 20, 25.0), &window), (10.0, 10.0));
    }
}
