//! WARM-UP: a hold that was not steady from its start. Nothing is cut; what the beginning does to the figures is stated.

use super::drop::DropFound;
use super::{Calls, Found, Hold, Watched, finding, others, text};
use crate::Scope;
use crate::findings::declare::{Count, Seconds, Share, declare};
use crate::rows::seconds_within;
use crate::{Arg, Finding, Gravity};
use stats::StatsError;
use stats::steady::{MSER_BATCH, Shape, classify, warm_up};
use study::{Model, Profile};
use terms::Phase;

declare! {
    /// A hold that was not steady from its start: [MSER-5](../methods/steady-state.md), on the times and on the
    /// throughput of each exchange, would cut off its beginning, and without it the mean moves by more than
    /// `WARM_UP_MOVED` and by more than chance (the interval of what is left, over `WARM_UP_BATCHES` batches of time;
    /// its p is divided by the number of looks). Most of the beginning (`WARM_UP_AGREE`) must lie on the side to which
    /// it moves the mean, beyond the scatter of what is left: one spike is not a beginning. From `WARM_UP_GRAVE` it is
    /// a warning. Given with it are how long the beginning lasts, the figure with and without it, the warm-up that was
    /// declared, and the line to type.
    ///
    /// **Nothing is cut.** Judging begins where the study says; verdicts and figures cover the whole hold. Where MSER-5
    /// finds no steady state in the first half, and the other method (stretches of one level) finds none either, that
    /// is stated instead, unless a DRIFT already says so. Times that a beginning explains are not a DRIFT. Not
    /// examined: trials, holds under `HOLD_SECONDS`, holds with a DROP, and exchanges with fewer than 50 pieces of
    /// `WARM_UP_CALLS` calls.
    WarmUp = "WARM-UP" {
        after: Arg,
        before: Arg,
        cut: Seconds,
        declared: Seconds,
        exchange: String,
        figure: String,
        moved: Share,
        others: Count,
        shape: String,
        typed: String,
    }
}

/// A value of the series has this many calls on average; with fewer a second, seconds are combined.
const WARM_UP_CALLS: f64 = 20.0;
/// A beginning that moves the mean by less is left alone.
const WARM_UP_MOVED: f64 = 0.02;
/// From here it is a warning.
const WARM_UP_GRAVE: f64 = 0.1;
/// A mean time that moves by less is left alone, seconds.
const WARM_UP_TIME: f64 = 0.0001;
/// The interval of what is kept rests on this many batches of time.
const WARM_UP_BATCHES: usize = 12;
/// This much of the beginning lies on the side to which it moves the mean: one spike is not a beginning.
const WARM_UP_AGREE: f64 = 0.6;
/// A warm-up to type is a multiple of this, seconds.
const WARM_UP_ROUND: f64 = 5.0;

/// An exchange that was not steady from the start of a hold.
struct Unsteady {
    exchange: String,
    is_of_times: bool,
    /// Whether it settled in the first half of the hold, and after how many seconds.
    settled_after: Option<f64>,
    /// Over the whole hold: mean time in seconds, or succeeded a second.
    whole: f64,
    /// The same without the beginning; where nothing settled, over the last half.
    kept: f64,
}

impl Unsteady {
    fn moved(&self) -> f64 {
        (self.whole / self.kept - 1.0).abs()
    }
}

/// All that was found in one hold.
pub(super) struct WarmUpFound {
    /// `nominal/hold`.
    scope: Scope,
    all: Vec<Unsteady>,
}

impl WarmUpFound {
    /// Whether a beginning explains that the times of this exchange fell.
    pub(super) fn explains(&self, scope: &Scope, exchange: &str) -> bool {
        let is_this = |found: &Unsteady| {
            found.exchange == exchange && found.is_of_times && found.settled_after.is_some() && found.whole > found.kept
        };
        self.scope == *scope && self.all.iter().any(is_this)
    }
}

/// Every hold whose beginning moves its figures, in order of time. A shortened trial shortens the warm-up as well, and
/// says nothing of it; a lasting drop is a drop.
pub(super) fn beginnings(watched: &Watched<'_>, drops: &[DropFound]) -> Vec<WarmUpFound> {
    if watched.is_trial {
        return Vec::new();
    }
    // Times and throughput of each exchange in each hold.
    let looks: usize = watched.holds.iter().map(|hold| 2 * watched.calls(hold).len()).sum();
    let has_drop = |hold: &Hold<'_>| {
        let (from, to) = (hold.span.from.as_secs_f64(), hold.span.to.as_secs_f64());
        drops.iter().any(|drop| from <= drop.at_s && drop.at_s < to)
    };
    let of_hold = |hold| {
        let all = crate::parallel::each(watched.calls(hold), |calls| of_exchange(watched, hold, calls, looks));
        let all: Vec<Unsteady> = all.into_iter().flatten().collect();
        (!all.is_empty()).then(|| WarmUpFound { scope: hold.scope.clone(), all })
    };
    watched.holds.iter().filter(|hold| !has_drop(hold)).filter_map(of_hold).collect()
}

/// WARM-UP: one finding for each hold, led by the exchange whose figures move most. What never settled and is told as a
/// drift already is not told again.
pub(super) fn findings(watched: &Watched<'_>, found: Vec<WarmUpFound>, drifts: &[Finding]) -> Vec<Finding> {
    let of = |WarmUpFound { scope, mut all }: WarmUpFound| {
        let is_drift = |drift: &Finding| {
            matches!(&drift.found, Found::Drift(found) if found.figure == "times") && drift.scope.is_in(&scope)
        };
        if drifts.iter().any(is_drift) {
            all.retain(|unsteady| unsteady.settled_after.is_some());
        }
        let hold = watched.holds.iter().find(|hold| hold.scope == scope)?;
        told(watched, hold, &all)
    };
    found.into_iter().filter_map(of).collect()
}

fn told(watched: &Watched<'_>, hold: &Hold<'_>, all: &[Unsteady]) -> Option<Finding> {
    let lead = all.iter().max_by(|a, b| a.moved().total_cmp(&b.moved()))?;
    // The load settles when the last of its exchanges has; one that never did leaves nothing to type.
    let settled = all.iter().map(|unsteady| unsteady.settled_after).try_fold(0.0f64, |most, at| Some(most.max(at?)));
    let value = |value: f64| if lead.is_of_times { Arg::Milliseconds(value * 1e3) } else { Arg::PerSecond(value) };
    let declared = declared(watched, hold);
    let typed = settled.zip(declared).map(|(settled, declared)| typed(declared + settled));
    let args = WarmUp {
        after: value(lead.kept),
        before: value(lead.whole),
        cut: Seconds(settled.unwrap_or(hold.seconds() / 2.0)),
        declared: Seconds(declared.unwrap_or(0.0)),
        exchange: text(&lead.exchange),
        figure: text(if lead.is_of_times { "times" } else { "throughput" }),
        moved: Share(lead.moved()),
        others: others(all.len()),
        shape: text(if settled.is_some() { "settles" } else { "never" }),
        typed: text(typed.unwrap_or_else(|| "none".into())),
    };
    let severity = if lead.moved() >= WARM_UP_GRAVE { Gravity::Warning } else { Gravity::Notice };
    Some(finding(severity, &hold.scope, args))
}

/// Seconds of warm-up right before a hold; `None` for a profile of pieces, beside which no warm-up can be typed.
fn declared(watched: &Watched<'_>, hold: &Hold<'_>) -> Option<f64> {
    let index = watched.seen.index;
    let scenario = index.head().scenarios.get(hold.span.scenario)?;
    let known = watched.seen.study.scenarios.iter().find(|known| known.name == scenario.name)?;
    let part = known.parts.get(index.part(hold.span).unwrap_or(0))?;
    if matches!(part.load.model, Model::Arrivals { profile: Profile::Pieces(_), .. }) {
        return None;
    }
    let own = index.steps_of_part(hold.span.scenario, index.part(hold.span));
    let before = own.filter(|step| step.to <= hold.span.from && step.phase.has_load()).max_by_key(|step| step.to);
    let warm_up =
        before.filter(|step| step.phase == Phase::WarmUp && index.repetition(step) == index.repetition(hold.span));
    Some(warm_up.map_or(0.0, |step| (step.to - step.from).as_secs_f64()))
}

/// What to write into the study.
fn typed(seconds: f64) -> String {
    // A warm-up of 29.99 s was typed as 30 s.
    let seconds = ((seconds / WARM_UP_ROUND - 0.01).ceil() * WARM_UP_ROUND) as u64;
    if seconds.is_multiple_of(60) { format!("warm_up: {}m", seconds / 60) } else { format!("warm_up: {seconds}s") }
}

/// The later of the two beginnings that times and throughput have; of both, the figure that moves more.
fn of_exchange(watched: &Watched<'_>, hold: &Hold<'_>, calls: &Calls, looks: usize) -> Option<Unsteady> {
    let confidence = 1.0 - Watched::p_max(looks);
    let times = calls.each(|second| (second.count, second.count as f64 * second.mean));
    let ended: Vec<(u64, f64)> = ended(watched, hold, calls).into_iter().map(|ended| (1, ended)).collect();
    let of_times = beginning(&BySecond { of: times, calls: calls.count() as f64, is_of_times: true }, confidence)
        .filter(|found| (found.whole - found.kept).abs() >= WARM_UP_TIME);
    let all: f64 = ended.iter().map(|(_, ended)| ended).sum();
    let of_ended = beginning(&BySecond { of: ended, calls: all, is_of_times: false }, confidence)
        .filter(|found| !was_offered(watched, hold, found));
    let both = [(true, of_times), (false, of_ended)].into_iter().filter_map(|(is_of_times, found)| {
        let Beginning { settled_after, whole, kept } = found?;
        Some(Unsteady { exchange: calls.name.clone(), is_of_times, settled_after, whole, kept })
    });
    both.reduce(|a, b| {
        let settled_after = a.settled_after.zip(b.settled_after).map(|(a, b)| a.max(b));
        let lead = if b.moved() > a.moved() { b } else { a };
        Unsteady { settled_after, ..lead }
    })
}

/// Succeeded in each second of the hold, whenever it was intended.
fn ended(watched: &Watched<'_>, hold: &Hold<'_>, calls: &Calls) -> Vec<f64> {
    let index = watched.seen.index;
    let seconds = seconds_within(hold.span.from, hold.span.to);
    let length = usize::try_from(seconds.end - seconds.start).unwrap_or(0).min(stats::series::LONGEST);
    let mut ended = calls.ended();
    ended.resize(length, 0.0);
    let Some(exchange) = index.head().exchanges.iter().position(|head| head.name == calls.name) else { return ended };
    let own = index.steps_of_part(hold.span.scenario, index.part(hold.span));
    for step in own.filter(|step| step.number != hold.span.number) {
        for (second, sums) in crate::merge::sums(index, step.number, exchange as u16, 0) {
            let place = usize::try_from(second - seconds.start).ok();
            if let Some(ended) = place.and_then(|place| ended.get_mut(place)) {
                *ended += sums.ended_ok as f64;
            }
        }
    }
    ended
}

/// Whether as many more or fewer were intended in the beginning of an open load: then the plan was uneven, not the system.
fn was_offered(watched: &Watched<'_>, hold: &Hold<'_>, found: &Beginning) -> bool {
    if hold.step.users.is_some() {
        return false;
    }
    let seconds = seconds_within(hold.span.from, hold.span.to);
    let cut = seconds.start + found.settled_after.unwrap_or(hold.seconds() / 2.0) as i64;
    let offered = |from: i64| {
        let rows = watched.seen.index.iterations(hold.span.number);
        let intended: u64 =
            rows.filter(|row| (from..seconds.end).contains(&row.intended_s)).map(|row| row.books.intended).sum();
        intended as f64 / (seconds.end - from).max(1) as f64
    };
    let (whole, kept) = (offered(seconds.start), offered(cut));
    let (planned, seen) = (whole / kept - 1.0, found.whole / found.kept - 1.0);
    kept <= 0.0 || planned / seen > 0.5
}

/// A hold second by second: how many, and their sum.
struct BySecond {
    of: Vec<(u64, f64)>,
    /// Calls in all.
    calls: f64,
    /// Times multiply, so they are looked at on a logarithmic scale.
    is_of_times: bool,
}

struct Beginning {
    settled_after: Option<f64>,
    whole: f64,
    kept: f64,
}

impl BySecond {
    /// Values of so many seconds each that hold enough calls, with that number. A piece without calls keeps the value
    /// before it.
    fn values(&self) -> Option<(Vec<f64>, usize)> {
        let width = ((WARM_UP_CALLS * self.of.len() as f64 / self.calls.max(1.0)).ceil() as usize).max(1);
        let mut last = None;
        let value = |piece: &[(u64, f64)]| {
            let mean = ratio(piece).filter(|mean| *mean > 0.0 || !self.is_of_times);
            last = mean.map(|mean| if self.is_of_times { mean.ln() } else { mean }).or(last);
            last
        };
        let values: Vec<Option<f64>> = self.of.chunks_exact(width).map(value).collect();
        let first = values.iter().flatten().next().copied()?;
        Some((values.into_iter().map(|value| value.unwrap_or(first)).collect(), width))
    }
}

fn ratio(seconds: &[(u64, f64)]) -> Option<f64> {
    let (count, sum) = seconds.iter().fold((0, 0.0), |all, second| (all.0 + second.0, all.1 + second.1));
    (count > 0).then(|| sum / count as f64)
}

/// What MSER-5 would cut, where that moves the mean by more than a little and by more than chance does.
fn beginning(seconds: &BySecond, confidence: f64) -> Option<Beginning> {
    let (values, width) = seconds.values()?;
    let (cut, is_settled) = match warm_up(&values, MSER_BATCH) {
        Ok(found) if found.cut > 0 => (found.cut, true),
        Err(StatsError::NoSteadyState) => (values.len() / 2, false),
        _ => return None,
    };
    let at = (cut * width).min(seconds.of.len());
    let (whole, kept) = (ratio(&seconds.of)?, ratio(&seconds.of[at..])?);
    // The spread between batches of time alone: neighbouring seconds are not independent ones.
    let interval = stats::mean::by_batches(&seconds.of[at..], 0.0, WARM_UP_BATCHES, confidence).ok()?;
    let is_proven = whole < interval.low || interval.high < whole;
    let matters = kept > 0.0 && (whole / kept - 1.0).abs() > WARM_UP_MOVED;
    // Beyond the scatter of what is left, or half of what is steady would lie there by chance.
    let level = values[cut..].iter().sum::<f64>() / (values.len() - cut).max(1) as f64;
    let scatter = stats::moments::variance(&values[cut..]).map_or(0.0, f64::sqrt);
    let is_there = |value: &&f64| if whole > kept { **value > level + scatter } else { **value < level - scatter };
    let agree = values[..cut].iter().filter(is_there).count() as f64 / cut.max(1) as f64;
    // That there is no steady state at all is stated when the second way of looking sees one level as little as the first.
    let is_agreed = is_settled || classify(&values).is_ok_and(|classification| classification.shape != Shape::Flat);
    let is_found = is_proven && matters && agree >= WARM_UP_AGREE && is_agreed;
    is_found.then_some(Beginning { settled_after: is_settled.then_some(at as f64), whole, kept })
}
