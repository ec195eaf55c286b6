//! Throughput that falls and stays down.

use super::{Calls, Hold, SAME_MOMENT, Series, Watched, finding, text};
use crate::evaluate::{NoValue, rates_of};
use crate::findings::declare::{Count, PerSecond, Seconds, declare};
use crate::rows::seconds_within;
use crate::{Finding, Gravity};
use terms::Nanos;

declare! {
    /// Throughput of calls, or of watched counts that close a leg or that a requirement names, fell by `DROP` or more
    /// and stayed there, while the offered load did not fall. Fluctuation alone looks like this in at most `DROP_ALARM`
    /// of hours. Both axes are given, time and count, each with [the interval](../methods/change-points.md) in which
    /// the fall lies; only another run at another rate tells them apart. For a slow decline the interval runs from its
    /// beginning to its end.
    ThroughputDrop = "DROP" {
        after: PerSecond,
        at: Seconds,
        at_high: Seconds,
        at_low: Seconds,
        before: PerSecond,
        count: Count,
        count_high: Count,
        count_low: Count,
        exchange: String,
        figure: String,
        others: Count,
        shape: String,
    }
}

/// A level must fall by this part to be called a drop.
const DROP: f64 = 0.2;
/// Chance, per hour, of reporting a drop in throughput that only fluctuates, over all exchanges of a hold.
const DROP_ALARM: f64 = 0.02;
/// A level lasts at least this long, seconds: a short standstill is a stall.
pub(crate) const LEVEL_SECONDS: f64 = 30.0;
/// A level has at least this many values: fewer have no deviation to compare with.
const LEVEL_VALUES: usize = 5;
/// Shortest stretch in which a drop is looked for: two levels.
const SHORTEST_FOR_LEVELS: u64 = 2 * LEVEL_SECONDS as u64;
/// Throughput is taken in pieces of this many calls, so that chance does not look like a drop.
const DROP_CALLS: f64 = 20.0;
/// A drop stays below this part of the level before it.
const DROP_LASTS: f64 = 0.9;
/// It is not a drop of the system when the offered load fell by this part of what the throughput fell by.
const DROP_OFFERED: f64 = 0.5;

/// What came in a piece of time.
pub(crate) struct Piece {
    pub(crate) at: Nanos,
    pub(crate) seconds: f64,
    pub(crate) amount: f64,
}

impl Piece {
    pub(crate) fn ends(&self) -> Nanos {
        self.at + Nanos::from_secs_f64(self.seconds)
    }
}

/// A drop of a rate.
#[derive(Clone, Debug)]
pub(crate) struct Drop {
    /// When the lower level began, and the first and last moment at which it may have begun.
    pub(crate) at: Nanos,
    pub(crate) between: (Nanos, Nanos),
    /// How much had come by then, and by those moments.
    pub(crate) before_it: f64,
    pub(crate) count: (f64, f64),
    /// Whether it sank from the first of these moments to the last; else it fell at once, somewhere between them.
    pub(crate) is_gradual: bool,
    /// Whether it is reported; else it may be wandering alone.
    pub(crate) is_told: bool,
    /// Level before, a second.
    pub(crate) from: f64,
    /// Level after, a second.
    pub(crate) to: f64,
}

/// The first level that is lower than the one before it by [`DROP`], told where chance does not explain it; and how much
/// came in all. `looks`: how many series are asked.
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
    let end = pieces.last().map_or(Nanos::ZERO, |last| last.at + Nanos::from_secs_f64(last.seconds));
    let moment = |place: usize| pieces.get(place * width).map_or(end, |piece| piece.at);
    let by = |place: usize| pieces.iter().take(place * width).map(|piece| piece.amount).sum();
    let drop = fall.map(|fall| Drop {
        at: moment(fall.at),
        between: (moment(fall.low), moment(fall.high)),
        before_it: by(fall.at),
        count: (by(fall.low), by(fall.high)),
        is_gradual: fall.is_gradual,
        is_told: fall.is_told,
        from: fall.before,
        to: fall.after,
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
        let all = watched.calls(hold);
        let counts: Vec<&Series<'_>> = watched.work_counts().filter(|_| watched.is_window(hold)).collect();
        let looks = all.len() + counts.len();
        let is_of_system = |drop: &Drop| !offered_fell(watched, hold, drop);
        let mut fallen: Vec<Fallen> = Vec::new();
        let of_calls = crate::parallel::each(all, |calls| drop_of(calls, begin, looks));
        for (calls, drop) in all.iter().zip(of_calls) {
            let drop = drop.filter(is_of_system);
            fallen.extend(drop.map(|drop| Fallen { drop, name: calls.name.clone(), is_of_calls: true }));
        }
        for series in counts {
            let drop = drop_of_count(series, hold, looks).filter(is_of_system);
            fallen.extend(drop.map(|drop| Fallen { drop, name: series.name(), is_of_calls: false }));
        }
        fallen.sort_by(|a, b| a.left().total_cmp(&b.left()));
        while !fallen.is_empty() {
            let lead = fallen.remove(0);
            let before = fallen.len();
            fallen.retain(|other| (other.drop.at - lead.drop.at).as_secs_f64().abs() > SAME_MOMENT);
            found.push(lead.found(hold, before - fallen.len()));
        }
    }
    found
}

/// What fell.
struct Fallen {
    drop: Drop,
    name: String,
    is_of_calls: bool,
}

impl Fallen {
    /// What is left of the level.
    fn left(&self) -> f64 {
        self.drop.to / self.drop.from
    }

    fn found(self, hold: &Hold<'_>, others: usize) -> DropFound {
        let Self { drop, name, is_of_calls } = self;
        let since = |at: Nanos| Seconds((at - hold.span.from).as_secs_f64().max(0.0));
        let args = ThroughputDrop {
            after: PerSecond(drop.to),
            at: since(drop.at),
            at_high: since(drop.between.1),
            at_low: since(drop.between.0),
            before: PerSecond(drop.from),
            count: Count(drop.before_it.round()),
            count_high: Count(drop.count.1.round()),
            count_low: Count(drop.count.0.round()),
            exchange: text(&name),
            figure: text(if is_of_calls { "calls" } else { "watched" }),
            others: Count(others as f64),
            shape: text(if drop.is_gradual { "decline" } else { "step" }),
        };
        let scope = if is_of_calls { &hold.scope } else { &hold.shared };
        let finding = finding(Gravity::Warning, &scope.within(&name), args);
        let evidence = if is_of_calls { finding.evidence.clone() } else { vec![format!("watch:{name}")] };
        DropFound { at_s: drop.at.as_secs_f64(), finding: Finding { evidence, ..finding } }
    }
}

/// Of a watched count, which says how much there is: what came before the hold is in it.
fn drop_of_count(series: &Series<'_>, hold: &Hold<'_>, looks: usize) -> Option<Drop> {
    let points = series.within(hold.span.from, hold.span.to);
    let (_, begun) = *points.first()?;
    let pieces = rates_of(&points);
    let drop = first_drop(&pieces, looks).ok()?.0.filter(|drop| drop.is_told && lasts(&pieces, drop))?;
    let count = (drop.count.0 + begun, drop.count.1 + begun);
    Some(Drop { before_it: drop.before_it + begun, count, ..drop })
}

/// Whether it stays below the level before it.
fn lasts(pieces: &[Piece], drop: &Drop) -> bool {
    let after = pieces.iter().filter(|piece| piece.at >= drop.at);
    let rates: Vec<f64> = after.map(|piece| piece.amount / piece.seconds).collect();
    let (means, _) = stats::series::shortened(&rates, 4);
    means.iter().all(|mean| *mean < DROP_LASTS * drop.from)
}

fn drop_of(calls: &Calls, begin: i64, looks: usize) -> Option<Drop> {
    let ended = calls.ended();
    let total: f64 = ended.iter().sum();
    let width = ((DROP_CALLS * ended.len() as f64 / total.max(1.0)).ceil() as usize).max(1);
    let pieces: Vec<Piece> = ended
        .chunks_exact(width)
        .enumerate()
        .map(|(place, chunk)| Piece {
            at: Nanos::from_secs(begin + (place * width) as i64),
            seconds: width as f64,
            amount: chunk.iter().sum(),
        })
        .collect();
    first_drop(&pieces, looks).ok()?.0.filter(|drop| drop.is_told && lasts(&pieces, drop))
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
            assert!(found.is_none_or(|drop| !drop.is_told) && total > 0.0, "{none:?}");
        }
        assert!(matches!(first_drop(&pieces(&[(1.0, 59)]), 1), Err(NoValue::TooShort { have: 59, need: 60 })));
    }
}
