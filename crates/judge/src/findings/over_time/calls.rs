//! DROP and STALL: throughput that falls and stays down, and calls that wait again and again in one rhythm.

use super::{Calls, Hold, SAME_MOMENT, Watched, finding, others, text};
use crate::evaluate::{Drop, Piece, first_drop};
use crate::rows::seconds_within;
use crate::series::Looked;
use crate::{Arg, Finding, Gravity};
use stats::periodic::{Fold, fold, period};
use terms::Nanos;

/// Throughput is looked at in pieces of so many calls, so that chance does not look like a drop.
const DROP_CALLS: f64 = 20.0;
/// A drop stays below this part of the level before it.
const DROP_LASTS: f64 = 0.9;
/// It is no drop of the system when the offered load fell by this part of what the throughput fell by.
const DROP_OFFERED: f64 = 0.5;
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
/// Two rhythms are one when their periods differ by less.
const SAME_PERIOD: f64 = 0.05;

/// A drop that was found.
pub(super) struct DropFound {
    /// Second of the run.
    pub(super) at_s: f64,
    pub(super) finding: Finding,
}

/// DROP: from some moment on, fewer end well a second, although as many are offered.
pub(super) fn drops(watched: &Watched<'_>) -> Vec<DropFound> {
    let mut found: Vec<DropFound> = Vec::new();
    for hold in &watched.holds {
        let begin = seconds_within(hold.span.from, hold.span.to).start;
        let mut fallen: Vec<(Drop, String)> = Vec::new();
        for calls in watched.calls(hold) {
            let drop = drop_of(&calls, begin).filter(|drop| !offered_fell(watched, hold, drop));
            fallen.extend(drop.map(|drop| (drop, calls.name)));
        }
        fallen.sort_by(|a, b| (a.0.to / a.0.from).total_cmp(&(b.0.to / b.0.from)));
        while !fallen.is_empty() {
            let (lead, name) = fallen.remove(0);
            let before = fallen.len();
            fallen.retain(|(other, _)| (other.at - lead.at).as_secs_f64().abs() > SAME_MOMENT);
            let after_s = (lead.at - hold.span.from).as_secs_f64().max(0.0);
            let scope = format!("{}/{name}", hold.scope);
            let args = [
                ("exchange", text(&name)),
                ("at", Arg::Seconds(after_s)),
                ("count", Arg::Count(lead.before_it.round())),
                ("before", Arg::PerSecond(lead.from)),
                ("after", Arg::PerSecond(lead.to)),
                ("others", Arg::Count((before - fallen.len()) as f64)),
            ];
            let finding = finding("DROP", Gravity::Warning, &scope, args);
            found.push(DropFound { at_s: lead.at.as_secs_f64(), finding });
        }
    }
    found
}

fn drop_of(calls: &Calls, begin: i64) -> Option<Drop> {
    let total: f64 = calls.ended.iter().sum();
    let width = ((DROP_CALLS * calls.ended.len() as f64 / total.max(1.0)).ceil() as usize).max(1);
    let pieces: Vec<Piece> = calls
        .ended
        .chunks_exact(width)
        .enumerate()
        .map(|(place, chunk)| Piece {
            at: Nanos::from_secs(begin + (place * width) as i64),
            seconds: width as f64,
            amount: chunk.iter().sum(),
        })
        .collect();
    let drop = first_drop(&pieces).ok()?.0?;
    let after: Vec<f64> = pieces.iter().filter(|piece| piece.at >= drop.at).map(|piece| piece.amount).collect();
    let (means, _) = stats::series::shortened(&after, 4);
    let is_lasting = means.iter().all(|mean| mean / (width as f64) < DROP_LASTS * drop.from);
    is_lasting.then_some(drop)
}

/// Whether fewer were intended from then on: then nothing was lost.
fn offered_fell(watched: &Watched<'_>, hold: &Hold<'_>, drop: &Drop) -> bool {
    if hold.step.users.is_some() {
        return false;
    }
    let seconds = seconds_within(hold.span.from, hold.span.to);
    let at = drop.at.second().clamp(seconds.start, seconds.end);
    let offered = |from: i64, to: i64| {
        let rows = watched.seen.index.iterations(hold.span.number).iter();
        let intended: u64 = rows.filter(|row| (from..to).contains(&row.intended_s)).map(|row| row.books.intended).sum();
        intended as f64 / ((to - from).max(1)) as f64
    };
    let (before, after) = (offered(seconds.start, at), offered(at, seconds.end));
    before > 0.0 && 1.0 - after / before > DROP_OFFERED * (1.0 - drop.to / drop.from)
}

/// A rhythm that was found.
pub(super) struct StallFound {
    pub(super) scope: String,
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
    let args = [
        ("exchange", text(&rhythm.name)),
        ("others", others(exchanges)),
        ("figure", text(if rhythm.is_of_times { "times" } else { "throughput" })),
        ("every", Arg::Seconds(rhythm.fold.length)),
        ("lasts", Arg::Seconds(rhythm.fold.duty * rhythm.fold.length)),
        ("duty", Arg::Share(rhythm.fold.duty)),
        ("repeats", Arg::Count(rhythm.repeats.floor())),
        ("usual", value(rhythm.usual)),
        ("during", value(rhythm.during)),
        ("affected", Arg::Share(rhythm.affected)),
        ("with", text(company(watched, hold, &rhythm.fold))),
    ];
    let finding = finding("STALL", Gravity::Warning, &format!("{}/{}", hold.scope, rhythm.name), args);
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
        found.is_ok_and(|found| found.share >= 0.8 && found.p <= 0.2)
    };
    kinds.into_iter().filter(|(_, places)| falls_together(places)).map(|(kind, _)| kind.to_owned()).collect()
}
