//! Little's law on one step: the number in flight that the generator measured, against the times that it recorded.
//!
//! `N = X·(R + Z)` holds for averages in a steady state. In its exact form it needs none: the area under the number in
//! flight over a window is the sum of the times that iterations spent within that window. So a queue that grows all
//! through a step, which the averages would call a contradiction, is none.

use crate::evidence::StepSpan;
use crate::figures::times_of;
use crate::rows::{Index, seconds_of};
use std::ops::Range;
use terms::Outcome;

/// Fewer iterations than this say too little.
const ITERATIONS_MIN: u64 = 100;
/// Rows are of whole seconds: over a shorter window its edges would decide.
const SECONDS_MIN: i64 = 10;
/// More dropped than this, and too much of the time in flight belongs to arrivals of which no time is recorded.
const DROPPED_MAX: f64 = 0.001;

/// Measured and recorded concurrency of one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Balance {
    /// Mean number in flight, as the generator measured it.
    pub(crate) concurrency: f64,
    /// Mean number in flight that the recorded times come to.
    pub(crate) expected: f64,
    /// Iterations a second.
    pub(crate) rate: f64,
    /// Mean time of an iteration within the window, seconds: `expected / rate`.
    pub(crate) time_s: f64,
    /// `expected / concurrency - 1`, taken from the nearest concurrency that the generator's lateness allows: an arrival
    /// is in flight from the moment at which the generator saw it, and its time runs from the intended one.
    pub(crate) off: f64,
}

/// The balance of a step; `None` where it has no load, is too short, or where not every time is recorded.
pub(crate) fn balance(index: &Index<'_>, step: &StepSpan) -> Option<Balance> {
    let seconds = seconds_of(step.from, step.to);
    let books = index.books(step.number);
    let has_one_leg = index.head().exchanges.iter().all(|exchange| exchange.legs.len() <= 1);
    let is_countable = step.phase.has_load()
        && step.is_ended
        && has_one_leg
        && books.intended >= ITERATIONS_MIN
        && books.dropped as f64 <= books.intended as f64 * DROPPED_MAX
        && seconds.end - seconds.start >= SECONDS_MIN;
    if !is_countable {
        return None;
    }
    let length = (seconds.end - seconds.start) as f64;
    let engine = index.evidence.engine.iter().filter(|row| seconds.contains(&row.second));
    let concurrency = engine.map(|row| row.in_flight_mean).filter(|mean| mean.is_finite()).sum::<f64>() / length;
    let spent = spent(index, step, &seconds) / length;
    let late = lateness(index, step) / length;
    if concurrency <= 0.0 || !spent.is_finite() {
        return None;
    }
    let nearest = concurrency.clamp((spent - late).max(0.0), spent.max(0.0));
    // Inside the bracket nothing is off.
    let off = if nearest == concurrency { 0.0 } else { nearest / concurrency - 1.0 };
    let rate = books.intended as f64 / length;
    Some(Balance { concurrency, expected: spent, rate, time_s: spent / rate, off })
}

/// Seconds that iterations of the scenario spent within the window, thinking included.
fn spent(index: &Index<'_>, step: &StepSpan, window: &Range<i64>) -> f64 {
    let mut spent = 0.0;
    let scenario = index.head().scenarios.get(step.scenario);
    let think_s = scenario.map_or(0.0, |scenario| scenario.think_s);
    for other in index.evidence.steps_of(step.scenario, None) {
        for row in index.legs_of(other.number).filter(|row| row.leg == 0) {
            spent += times_of(row).sum_ns / 1e9 * part_within(row.intended_s, row.end_s, window);
        }
        // Of what was cut off only the seconds of its begin and end are known.
        for row in index.outcomes_of(other.number).filter(|row| row.leg == 0 && row.outcome == Outcome::Aborted) {
            let length = (row.end_s - row.intended_s).max(0) as f64;
            spent += row.count as f64 * length * part_within(row.intended_s, row.end_s, window);
        }
        for row in index.iterations(other.number) {
            let ended = (row.books.completed + row.books.failed) as f64;
            spent += ended * think_s * part_within(row.intended_s, row.end_s, window);
        }
    }
    spent
}

fn lateness(index: &Index<'_>, step: &StepSpan) -> f64 {
    index.starts_of(step.number).map(|row| row.lateness.sum_ns.max(0.0) / 1e9).sum()
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

/// Balances of every step, in order of time.
pub(crate) fn balances(index: &Index<'_>) -> Vec<Option<Balance>> {
    index.evidence.steps.iter().map(|step| balance(index, step)).collect()
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
}
