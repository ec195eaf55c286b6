//! Throughput that falls and stays down.

use super::{Calls, Hold, SAME_MOMENT, Watched, finding, text};
use crate::evaluate::{Drop, Piece, first_drop};
use crate::findings::declare::{Count, PerSecond, Seconds, declare};
use crate::rows::seconds_within;
use crate::{Finding, Gravity};
use terms::Nanos;

declare! {
    /// Throughput fell by a fifth or more, stayed there, and the load offered did not fall. Both axes are given,
    /// time and count; only another run at another rate tells them apart.
    ThroughputDrop = "DROP" {
        after: PerSecond,
        at: Seconds,
        before: PerSecond,
        count: Count,
        exchange: String,
        others: Count,
    }
}

/// Throughput is looked at in pieces of so many calls, so that chance does not look like a drop.
const DROP_CALLS: f64 = 20.0;
/// A drop stays below this part of the level before it.
const DROP_LASTS: f64 = 0.9;
/// It is no drop of the system when the offered load fell by this part of what the throughput fell by.
const DROP_OFFERED: f64 = 0.5;

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
            let scope = hold.scope.within(&name);
            let args = ThroughputDrop {
                after: PerSecond(lead.to),
                at: Seconds(after_s),
                before: PerSecond(lead.from),
                count: Count(lead.before_it.round()),
                exchange: text(&name),
                others: Count((before - fallen.len()) as f64),
            };
            let finding = finding(Gravity::Warning, &scope, args);
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
        let rows = watched.seen.index.iterations(hold.span.number);
        let intended: u64 = rows.filter(|row| (from..to).contains(&row.intended_s)).map(|row| row.books.intended).sum();
        intended as f64 / ((to - from).max(1)) as f64
    };
    let (before, after) = (offered(seconds.start, at), offered(at, seconds.end));
    before > 0.0 && 1.0 - after / before > DROP_OFFERED * (1.0 - drop.to / drop.from)
}
