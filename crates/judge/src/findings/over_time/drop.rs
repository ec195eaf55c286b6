//! Throughput that falls and stays down.

use super::{Calls, Hold, SAME_MOMENT, Watched, finding, text};
use crate::evaluate::NoValue;
use crate::findings::declare::{Count, PerSecond, Seconds, declare};
use crate::rows::seconds_within;
use crate::{Finding, Gravity};
use terms::Nanos;

declare! {
    /// Throughput fell by `DROP` or more, stayed there, and the load offered did not fall. Wandering alone looks like
    /// this in at most `DROP_ALARM` of hours. Both axes are given, time and count; only
    /// another run at another rate tells them apart.
    ThroughputDrop = "DROP" {
        after: PerSecond,
        at: Seconds,
        before: PerSecond,
        count: Count,
        exchange: String,
        others: Count,
    }
}

/// A level must fall by this part to be called a drop.
const DROP: f64 = 0.2;
/// Chance, per hour, of reporting a drop in throughput that only wanders, over all exchanges of a hold.
const DROP_ALARM: f64 = 0.02;
/// A level lasts at least so long, seconds: a few of standstill are a stall.
const LEVEL_SECONDS: f64 = 30.0;
/// A level has at least this many values: fewer have no deviation to compare with.
const LEVEL_VALUES: usize = 5;
/// Shortest stretch in which a drop is looked for: two levels.
const SHORTEST_FOR_LEVELS: u64 = 2 * LEVEL_SECONDS as u64;
/// Throughput is looked at in pieces of so many calls, so that chance does not look like a drop.
const DROP_CALLS: f64 = 20.0;
/// A drop stays below this part of the level before it.
const DROP_LASTS: f64 = 0.9;
/// It is no drop of the system when the offered load fell by this part of what the throughput fell by.
const DROP_OFFERED: f64 = 0.5;

/// What came in a piece of time.
pub(crate) struct Piece {
    pub(crate) at: Nanos,
    pub(crate) seconds: f64,
    pub(crate) amount: f64,
}

/// A drop of a rate.
pub(crate) struct Drop {
    /// When the lower level began.
    pub(crate) at: Nanos,
    /// How much had come by then.
    pub(crate) before_it: f64,
    /// Level before, a second.
    pub(crate) from: f64,
    /// Level after, a second.
    pub(crate) to: f64,
}

/// The first level that is lower than the one before it by [`DROP`], where chance does not explain it; and how much came
/// in all. `looks`: how many series are asked.
pub(crate) fn first_drop(pieces: &[Piece], looks: usize) -> Result<(Option<Drop>, f64), NoValue> {
    let length: f64 = pieces.iter().map(|piece| piece.seconds).sum();
    if length < SHORTEST_FOR_LEVELS as f64 {
        return Err(NoValue::TooShort { have: length as u64, need: SHORTEST_FOR_LEVELS });
    }
    let rates: Vec<f64> = pieces.iter().map(|piece| piece.amount / piece.seconds).collect();
    let (means, width) = stats::series::shortened(&rates, stats::series::LONGEST);
    let every = length / means.len().max(1) as f64;
    let least = LEVEL_VALUES.max((LEVEL_SECONDS / every).ceil() as usize);
    let allowed = DROP_ALARM * (length / 3600.0).min(1.0) / looks.max(1) as f64;
    let fall = stats::change::fall::first_fall(&means, DROP, least, allowed).map_err(|error| match error {
        stats::StatsError::TooFew { have, need } => {
            NoValue::TooShort { have: (have as f64 * every) as u64, need: (need as f64 * every).ceil() as u64 }
        }
        _ => NoValue::NoSamples,
    })?;
    let total = pieces.iter().map(|piece| piece.amount).sum();
    let drop = fall.map(|fall| {
        let place = fall.at * width;
        Drop {
            at: pieces[place].at,
            before_it: pieces[..place].iter().map(|piece| piece.amount).sum(),
            from: fall.before,
            to: fall.after,
        }
    });
    Ok((drop, total))
}

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
        let all = watched.calls(hold);
        let looks = all.len();
        for calls in all {
            let drop = drop_of(&calls, begin, looks).filter(|drop| !offered_fell(watched, hold, drop));
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

fn drop_of(calls: &Calls, begin: i64, looks: usize) -> Option<Drop> {
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
    let drop = first_drop(&pieces, looks).ok()?.0?;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(levels: &[(f64, usize)]) -> Vec<Piece> {
        let all = levels.iter().flat_map(|&(level, length)| std::iter::repeat_n(level, length));
        all.enumerate()
            // A little uneven, so that there is a noise to measure by.
            .map(|(second, level)| Piece {
                at: Nanos::from_secs(second as i64),
                seconds: 1.0,
                amount: level + (second % 3) as f64,
            })
            .collect()
    }

    #[test]
    fn a_drop_is_a_lower_level_and_no_dip() {
        let (found, _) = first_drop(&pieces(&[(100.0, 90), (40.0, 60)]), 1).unwrap();
        let found = found.unwrap();
        assert_eq!((found.at, found.before_it), (Nanos::from_secs(90), 90.0 * 101.0));
        for none in [&[(100.0, 150)][..], &[(100.0, 90), (90.0, 60)], &[(100.0, 70), (10.0, 8), (100.0, 70)]] {
            let (found, total) = first_drop(&pieces(none), 1).unwrap();
            assert!(found.is_none() && total > 0.0, "{none:?}");
        }
        assert!(matches!(first_drop(&pieces(&[(1.0, 59)]), 1), Err(NoValue::TooShort { have: 59, need: 60 })));
    }
}
