//! Calls that wait again and again in one rhythm.

use super::{Calls, Hold, Watched, finding, others, text};
use crate::Scope;
use crate::findings::declare::{Count, Seconds, Share, declare};
use crate::rows::seconds_within;
use crate::series::Looked;
use crate::{Arg, Finding, Gravity};
use stats::periodic::{Fold, fold, period};

declare! {
    /// Calls are slow, or fewer end, again and again in one [rhythm](../methods/periods.md). The period, how long
    /// an episode lasts, its depth, and the share of calls in it; also what else has the same rhythm, among watched
    /// series and events.
    Stalls = "STALL" {
        affected: Share,
        during: Arg,
        duty: Share,
        every: Seconds,
        exchange: String,
        figure: String,
        lasts: Seconds,
        others: Count,
        repeats: Count,
        usual: Arg,
        with: String,
    }
}

/// Shorter holds tell no rhythm, seconds.
const STALL_HOLD: f64 = 100.0;
/// Shorter periods are not told, seconds.
const STALL_PERIOD: f64 = 4.0;
/// A stall multiplies the mean time by this, at least.
const STALL_SLOWER: f64 = 1.5;
/// Or it takes away this part of the throughput.
const STALL_LOST: f64 = 0.3;
/// The rhythm explains this part of the variance, at least.
const STALL_EXPLAINED: f64 = 0.3;
/// Throughput has no rhythm of its own with fewer calls a second.
const STALL_CALLS: f64 = 20.0;
/// So many series and events of the same rhythm are named.
const STALL_NAMED: usize = 3;
/// A kind of event falls together with the stalls when it is seen at this share of them.
const STALL_TOGETHER: f64 = 0.8;
/// Chance must reach that share with at most this probability.
const STALL_CHANCE: f64 = 0.2;
/// Two rhythms are one when their periods differ by less.
const SAME_PERIOD: f64 = 0.05;

/// A rhythm that was found.
pub(super) struct StallFound {
    pub(super) scope: Scope,
    pub(super) finding: Finding,
}

struct Rhythm {
    name: String,
    fold: Fold,
    repeats: f64,
    /// Of mean times; else of throughput.
    is_of_times: bool,
    /// Share of the calls that fall into episodes.
    affected: f64,
    usual: f64,
    during: f64,
}

/// STALL: every so many seconds calls are slow, or fewer end well.
pub(super) fn stalls(watched: &Watched<'_>) -> Vec<StallFound> {
    let mut found = Vec::new();
    for hold in watched.holds.iter().filter(|hold| hold.seconds() >= STALL_HOLD) {
        let mut rhythms: Vec<Rhythm> = watched.calls(hold).iter().filter_map(rhythm).collect();
        rhythms.sort_by(|a, b| (b.during / b.usual).total_cmp(&(a.during / a.usual)));
        while !rhythms.is_empty() {
            let lead = rhythms.remove(0);
            let all = rhythms.len() + 1;
            let length = lead.fold.length;
            rhythms.retain(|other| (other.fold.length / length - 1.0).abs() > SAME_PERIOD);
            let same = all - rhythms.len();
            found.push(stall(watched, hold, &lead, same));
        }
    }
    found
}

fn stall(watched: &Watched<'_>, hold: &Hold<'_>, rhythm: &Rhythm, exchanges: usize) -> StallFound {
    let value = |value: f64| if rhythm.is_of_times { Arg::Milliseconds(value * 1e3) } else { Arg::PerSecond(value) };
    let args = Stalls {
        affected: Share(rhythm.affected),
        during: value(rhythm.during),
        duty: Share(rhythm.fold.duty),
        every: Seconds(rhythm.fold.length),
        exchange: text(&rhythm.name),
        figure: text(if rhythm.is_of_times { "times" } else { "throughput" }),
        lasts: Seconds(rhythm.fold.duty * rhythm.fold.length),
        others: others(exchanges),
        repeats: Count(rhythm.repeats.floor()),
        usual: value(rhythm.usual),
        with: text(company(watched, hold, &rhythm.fold)),
    };
    let finding = finding(Gravity::Warning, &hold.scope.within(&rhythm.name), args);
    StallFound { scope: hold.scope.clone(), finding }
}

/// Values without what shifts between lasting levels, which would correlate at every lag.
fn levelled(values: &[f64]) -> Vec<f64> {
    let Ok(levels) = stats::change::levels(values, 60) else { return values.to_vec() };
    levels.iter().flat_map(|level| values[level.from..level.to].iter().map(|value| value - level.mean)).collect()
}

/// The last so many seconds that the method takes.
fn newest(values: &[f64]) -> &[f64] {
    &values[values.len().saturating_sub(stats::series::LONGEST)..]
}

fn rhythm(calls: &Calls) -> Option<Rhythm> {
    of_times(calls).or_else(|| of_throughput(calls))
}

fn of_times(calls: &Calls) -> Option<Rhythm> {
    let means = calls.means();
    let means = newest(&means);
    if means.iter().any(|mean| *mean <= 0.0) {
        return None;
    }
    // Stalls multiply; on a logarithmic scale one very slow second does not outweigh all others.
    let logs: Vec<f64> = means.iter().map(|mean| mean.ln()).collect();
    let found = period(&levelled(&logs)).ok()??;
    let fold = fold(&logs, found.length).ok()?;
    let (usual, during) = (fold.usual.exp(), fold.episode.exp());
    if fold.length < STALL_PERIOD || fold.explained < STALL_EXPLAINED || during < STALL_SLOWER * usual {
        return None;
    }
    let counts: Vec<u64> = calls.times.iter().map(|(count, _)| *count).collect();
    let counts = &counts[counts.len() - means.len()..];
    // The middle between both levels, as the fold cut them.
    let middle = (0.5 * (fold.usual + fold.episode)).exp();
    let slow: u64 = counts.iter().zip(means).filter(|(_, mean)| **mean > middle).map(|(count, _)| count).sum();
    let affected = slow as f64 / counts.iter().sum::<u64>().max(1) as f64;
    let name = calls.name.clone();
    Some(Rhythm { name, repeats: found.repeats, is_of_times: true, affected, usual, during, fold })
}

fn of_throughput(calls: &Calls) -> Option<Rhythm> {
    let ended = newest(&calls.ended);
    if ended.iter().sum::<f64>() < STALL_CALLS * ended.len() as f64 {
        return None;
    }
    let found = period(&levelled(ended)).ok()??;
    let fold = fold(ended, found.length).ok()?;
    if fold.length < STALL_PERIOD || fold.explained < STALL_EXPLAINED || fold.depth() > -STALL_LOST {
        return None;
    }
    let name = calls.name.clone();
    let (usual, during, affected) = (fold.usual, fold.episode, fold.lost().max(0.0));
    Some(Rhythm { name, repeats: found.repeats, is_of_times: false, affected, usual, during, fold })
}

/// Watched series with the same rhythm, and kinds of events that fall together with it: what to look at first.
fn company(watched: &Watched<'_>, hold: &Hold<'_>, rhythm: &Fold) -> String {
    let mut named: Vec<(f64, String)> = Vec::new();
    for series in &watched.series {
        let Some(Looked { values, spacing_s, .. }) = series.looked(hold.span.from, hold.span.to) else { continue };
        if spacing_s <= 0.0 || rhythm.length / spacing_s < 3.0 {
            continue;
        }
        let Ok(Some(found)) = period(&levelled(newest(&values))) else { continue };
        if (found.length * spacing_s / rhythm.length - 1.0).abs() <= SAME_PERIOD {
            named.push((found.correlation, series.subject()));
        }
    }
    named.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut names: Vec<String> = named.into_iter().map(|(_, name)| name).collect();
    names.extend(events_with(watched, hold, rhythm));
    names.truncate(STALL_NAMED);
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

/// Kinds of events of which one stands at nearly every episode, and at few other moments. Two clocks of one period fall
/// together after every whole turn, so p cannot be small; it only keeps out what happens all the time.
fn events_with(watched: &Watched<'_>, hold: &Hold<'_>, rhythm: &Fold) -> Vec<String> {
    let seconds = seconds_within(hold.span.from, hold.span.to);
    let length = usize::try_from(seconds.end - seconds.start).unwrap_or(0);
    let skipped = length.saturating_sub(stats::series::LONGEST);
    let mut kinds: std::collections::BTreeMap<&str, Vec<usize>> = std::collections::BTreeMap::new();
    for event in &watched.seen.index.evidence.events {
        let place =
            usize::try_from(event.at.second() - seconds.start).ok().and_then(|place| place.checked_sub(skipped));
        if let Some(place) = place.filter(|place| *place < length - skipped) {
            kinds.entry(&event.kind).or_default().push(place);
        }
    }
    let falls_together = |places: &Vec<usize>| {
        let found = stats::periodic::co_occurrence(&rhythm.begins, places, length - skipped, 1);
        found.is_ok_and(|found| found.share >= STALL_TOGETHER && found.p <= STALL_CHANCE)
    };
    kinds.into_iter().filter(|(_, places)| falls_together(places)).map(|(kind, _)| kind.to_owned()).collect()
}
