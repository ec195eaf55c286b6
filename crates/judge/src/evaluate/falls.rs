//! Where a rate falls, and how fast work goes between stalls.

use super::over_time::at_least;
use super::{Kind, NoValue, Sureness, Value};
use crate::findings::{LEVEL_SECONDS, Piece, first_drop};
use crate::times::VERDICT_CONFIDENCE;
use stats::StatsError;
use stats::working::{Working, working};
use std::ops::Range;
use terms::Nanos;

/// What is stated beside a value and its interval. Times are seconds from the beginning of what was looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Told {
    /// The rate fell.
    Fell {
        /// When, and the first and last moment at which it may have.
        at_s: f64,
        low_s: f64,
        high_s: f64,
        /// Level before and after, a second.
        before: f64,
        after: f64,
        /// Whether it sank from `low_s` to `high_s`.
        is_gradual: bool,
    },
    /// It may have fallen, after so many seconds at the earliest; or it only wandered.
    Perhaps { low_s: f64 },
    /// It did not fall in so many seconds.
    Stayed { seconds: f64 },
    /// Work went on in this part of the time.
    Worked {
        duty: f64,
        stalls: usize,
        /// Mean length of a stall, seconds.
        lasts_s: f64,
        /// Rate over all of the time.
        mean: f64,
        /// Part of what would have been done without stalls.
        lost: f64,
    },
}

/// What a counter grew by between samples.
pub(crate) fn rates_of(points: &[(Nanos, f64)]) -> Vec<Piece> {
    let piece = |pair: &[(Nanos, f64)]| Piece {
        at: pair[0].0,
        seconds: (pair[1].0 - pair[0].0).as_secs_f64(),
        amount: crate::counters::grown(pair[0].1, pair[1].1),
    };
    points.windows(2).map(piece).filter(|piece| piece.seconds > 0.0).collect()
}

/// Cumulative count at the first drop, beyond what had `begun` before that moment. Without one, it lies beyond all that
/// came; where one is neither told nor ruled out, beyond what came before it.
pub(super) fn drop_at(pieces: &[Piece], begun: impl Fn(Nanos) -> f64) -> Result<Value, NoValue> {
    let (drop, total) = first_drop(pieces, 1)?;
    let count = pieces.len() as u64;
    let first = pieces.first().map_or(Nanos::ZERO, |piece| piece.at);
    let since = |at: Nanos| (at - first).as_secs_f64();
    let (value, told) = match drop {
        Some(drop) if drop.is_told => {
            let told = Told::Fell {
                at_s: since(drop.at),
                low_s: since(drop.between.0),
                high_s: since(drop.between.1),
                before: drop.from,
                after: drop.to,
                is_gradual: drop.is_gradual,
            };
            let begun = begun(drop.at);
            let (low, high) = (begun + drop.count.0, begun + drop.count.1);
            let sureness = Sureness::Mean { low, high, design_effect: 1.0, reach: None };
            (Value::new(begun + drop.before_it, Kind::Count, sureness, count), told)
        }
        Some(drop) => {
            let low = begun(drop.at) + drop.count.0;
            (at_least(low, Kind::Count, count), Told::Perhaps { low_s: since(drop.between.0) })
        }
        None => {
            let seconds = pieces.iter().map(|piece| piece.seconds).sum();
            let begun = pieces.last().map_or(0.0, |piece| begun(piece.at));
            (at_least(begun + total, Kind::Count, count), Told::Stayed { seconds })
        }
    };
    Ok(Value { told: Some(told), ..value })
}

/// Work between stalls, with what its values stand for.
#[derive(Clone, Debug)]
pub(crate) struct Worked {
    pub(crate) work: Working,
    /// Seconds of a value.
    pub(crate) every: f64,
    /// When work stood still.
    pub(crate) stalls: Vec<Range<Nanos>>,
}

/// Work between stalls; an error where the rate has no single level.
pub(crate) fn working_of(pieces: &[Piece]) -> Result<Worked, NoValue> {
    let length: f64 = pieces.iter().map(|piece| piece.seconds).sum();
    let rates: Vec<f64> = pieces.iter().map(|piece| piece.amount / piece.seconds).collect();
    let (rates, width) = stats::series::shortened(&rates, stats::series::LONGEST);
    let every = length / rates.len().max(1) as f64;
    let longest = (LEVEL_SECONDS / every.max(1e-3)).ceil() as usize;
    let work = working(&rates, longest, VERDICT_CONFIDENCE).map_err(|error| match error {
        StatsError::TooFew { have, need } => {
            NoValue::TooShort { have: (have as f64 * every) as u64, need: (need as f64 * every).ceil() as u64 }
        }
        StatsError::OutOfRange(_) => NoValue::RateShifts,
        _ => NoValue::NoSamples,
    })?;
    let stalls =
        work.stalls.iter().filter_map(|places| span(pieces, width * places.start..width * places.end)).collect();
    Ok(Worked { work, every, stalls })
}

/// From the begin of the first of these pieces to the end of the last.
pub(crate) fn span(pieces: &[Piece], places: Range<usize>) -> Option<Range<Nanos>> {
    let of = pieces.get(places)?;
    Some(of.first()?.at..of.last()?.ends())
}

/// The rate between stalls, with the part of the time in which it was measured.
pub(super) fn working_rate(pieces: &[Piece], kind: Kind) -> Result<Value, NoValue> {
    if first_drop(pieces, 1).is_ok_and(|(drop, _)| drop.is_some_and(|drop| drop.is_told)) {
        return Err(NoValue::RateShifts);
    }
    let Worked { work: found, every, .. } = working_of(pieces)?;
    let sureness = Sureness::Mean { low: found.low, high: found.high, design_effect: 1.0, reach: None };
    let told = Told::Worked {
        duty: found.duty,
        stalls: found.stalls.len(),
        lasts_s: found.lasts * every,
        mean: found.mean,
        lost: found.lost(),
    };
    Ok(Value { told: Some(told), ..Value::new(found.rate, kind, sureness, found.measured as u64) })
}
