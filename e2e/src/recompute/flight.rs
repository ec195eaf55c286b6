//! Little's law: the number in flight that the recorded times come to, beside the one that the generator counted.
//!
//! The area under the number in flight over a window is the time that iterations spent within it. Rows are of whole
//! seconds, so of what crosses an edge of the window only the minimum and the maximum are known.

use super::rows::{Evidence, Span, seconds_within};
use super::times::response_of;
use std::ops::Range;
use terms::Outcome;

/// Standard deviations that are left to chance where it decides how long is thought.
const DEVIATIONS: f64 = 5.0;

/// Seconds spent, at least and at most.
#[derive(Clone, Copy, Default)]
struct Spent {
    least: f64,
    most: f64,
}

impl Spent {
    /// So many calls that begin in one second and end in another, each of this length.
    fn add(&mut self, (from, to): (i64, i64), count: u64, length: f64, window: &Range<i64>) {
        let (least, most) = within((from, to), length, window);
        self.least += count as f64 * least;
        self.most += count as f64 * most;
    }
}

/// Mean number in flight as it was counted in the whole seconds of a step; of all parts of a mix together.
pub(super) fn counted(evidence: &Evidence, span: &Span) -> f64 {
    let seconds = seconds_within(span.from, span.to);
    let own = evidence.engine.iter().filter(|row| seconds.contains(&row.second)).map(|row| row.in_flight_mean);
    own.filter(|mean| mean.is_finite()).sum::<f64>() / (seconds.end - seconds.start) as f64
}

/// The number nearest to it that the recorded times allow.
pub(super) fn recorded(evidence: &Evidence, span: &Span) -> f64 {
    let window = seconds_within(span.from, span.to);
    let length = (window.end - window.start) as f64;
    let scenario = evidence.place_of(span.number).0;
    let mut spent = Spent::default();
    let mut variance = 0.0;
    for other in evidence.steps_of((scenario, None)) {
        add_calls(evidence, other.number, &window, &mut spent);
        let Some(load) = evidence.load_of(other.number) else { continue };
        let (think, more, deviation) = (load.think_s.max(0.0), load.think_more_s.max(0.0), load.think_sd_s.max(0.0));
        for row in evidence.iterations(other.number).iter().filter(|_| think + more > 0.0) {
            let part = part_within(row.intended_s, row.end_s, &window);
            let ended = (row.books.completed + row.books.failed) as f64 * part;
            // Nobody thinks longer than the iteration lasted: the end of the load cuts thoughts off.
            let longest = (row.end_s - row.intended_s).max(0) as f64 + 1.0;
            spent.least += if think > longest { 0.0 } else { ended * think };
            spent.most += ended * (think + more).min(longest);
            variance += ended * deviation * deviation;
        }
    }
    let chance = DEVIATIONS * variance.sqrt();
    // An arrival's time runs from when it was due, a user's from its first byte; both are counted from when they were
    // taken up, or were to be.
    let late = |is_closed: bool| -> f64 {
        let parts = at_once(evidence, span);
        let own = parts
            .iter()
            .filter(|number| evidence.load_of(**number).is_some_and(|load| load.model == "closed") == is_closed);
        let calls = evidence.head.calls() as u16;
        let starts = own.flat_map(|number| (0..calls).flat_map(|exchange| evidence.starts(*number, exchange)));
        starts.map(|row| row.lateness.sum_ns.max(0.0) / 1e9).sum()
    };
    let least = (spent.least - chance - late(false)) / length;
    let most = (spent.most + chance + late(true)) / length;
    counted(evidence, span).max(least.max(0.0)).min(most.max(0.0).max(least.max(0.0)))
}

/// The parts of a mix that take place with a step.
fn at_once(evidence: &Evidence, span: &Span) -> Vec<u32> {
    let key = |number: u32| {
        let planned = evidence.planned(number);
        (planned.scenario, &planned.phase, &planned.id, evidence.repetition(number), planned.part.is_some())
    };
    let all = evidence.spans.iter().map(|other| other.number);
    all.filter(|number| key(*number) == key(span.number)).collect()
}

/// First legs of a step's calls. Calls that are made at once overlap: in their place stands what they are booked as.
fn add_calls(evidence: &Evidence, step: u32, window: &Range<i64>, spent: &mut Spent) {
    let parallel = evidence.load_of(step).map_or(&[][..], |load| &load.parallel);
    let is_alone = |number: u16| evidence.load_of(step).is_some_and(|load| load.also_alone.contains(&number));
    for number in 0..evidence.head.exchanges.len() as u16 {
        let is_whole = evidence.head.exchanges[usize::from(number)].is_transaction;
        let is_part = parallel.iter().any(|all| all.calls.contains(&number));
        let is_left_out = is_whole && parallel.iter().all(|all| all.transaction != number);
        if is_left_out || (is_part && !is_alone(number)) {
            continue;
        }
        let before = *spent;
        for row in evidence.legs(step, number, 0).iter().filter(|row| row.count > 0) {
            let length = response_of(row).sum_ns / 1e9 / row.count as f64;
            spent.add((row.intended_s, row.end_s), row.count, length, window);
        }
        for row in evidence.outcomes(step, number, 0).iter().filter(|row| row.outcome == Outcome::Aborted) {
            let length = (row.end_s - row.intended_s).max(0) as f64;
            spent.add((row.intended_s, row.end_s), row.count, length, window);
        }
        if is_part {
            // Which of them were made by themselves is in no row.
            spent.least = before.least;
        }
    }
}

/// Minimum and maximum part of a call within a window, by where in its first second it can have begun.
fn within((from, to): (i64, i64), length: f64, window: &Range<i64>) -> (f64, f64) {
    if window.contains(&from) && window.contains(&to) {
        return (length, length);
    }
    if to < window.start || from >= window.end {
        return (0.0, 0.0);
    }
    let (begin, end) = (window.start as f64, window.end as f64);
    let earliest = (from as f64).max(to as f64 - length);
    let latest = (from as f64 + 1.0).min(to as f64 + 1.0 - length);
    let (earliest, latest) = if earliest > latest { (from as f64, from as f64 + 1.0) } else { (earliest, latest) };
    let inside = |at: f64| ((at + length).min(end) - at.max(begin)).max(0.0);
    // It grows, stays and falls as the beginning moves.
    let edges = [inside(earliest), inside(latest)];
    let turns = [begin, end - length].map(|at| inside(at.clamp(earliest, latest)));
    let all = edges.into_iter().chain(turns);
    (all.clone().fold(f64::INFINITY, f64::min), all.fold(0.0, f64::max))
}

/// Which part of the time from the middle of one second to that of another lies within a window.
fn part_within(from: i64, to: i64, window: &Range<i64>) -> f64 {
    if to <= from {
        return f64::from(u8::from(window.contains(&from)));
    }
    let (begin, end) = ((from as f64 + 0.5).max(window.start as f64), (to as f64 + 0.5).min(window.end as f64));
    ((end - begin) / (to - from) as f64).clamp(0.0, 1.0)
}
