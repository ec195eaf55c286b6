//! The rate of work between stalls, apart from the mean over all of the time. Page: `docs/methods/periods.md`.

use crate::StatsError;
use crate::change::best_split;
use crate::mean::{Spread, by_memory};
use crate::series::check;
use std::ops::Range;

/// A stall has less than this part of the rate between stalls.
const DEEP: f64 = 0.5;
/// Both levels lie apart by so many standard deviations of the higher one: halves of one level that wanders lie 2.7 of
/// their own apart where it is normal, and 3.5 where all of its values are equally likely.
const APART: f64 = 5.0;
/// Fewest stalls; one is an incident.
const FEWEST: usize = 2;
/// Fewest values between stalls.
const FEWEST_VALUES: usize = 12;

/// How fast work goes while it goes, and what of the time it does.
#[derive(Clone, Debug, PartialEq)]
pub struct Working {
    /// Mean of the values between stalls, in the values' unit, with its ends.
    pub rate: f64,
    pub low: f64,
    pub high: f64,
    /// How many values that is the mean of.
    pub measured: usize,
    /// Mean over all of the time.
    pub mean: f64,
    /// Mean within stalls; `None` without one.
    pub stalled: Option<f64>,
    /// Part of the time in which work went on: what makes `mean` of `rate` and `stalled`. 1 without stalls.
    pub duty: f64,
    /// Places of the stalls in the series, in order.
    pub stalls: Vec<Range<usize>>,
    /// Mean and greatest length of a stall, in values.
    pub lasts: f64,
    pub longest: usize,
}

impl Working {
    /// What the stalls took away, as a part of what would have been done without them, 0 to 1.
    pub fn lost(&self) -> f64 {
        if self.rate > 0.0 { (1.0 - self.mean / self.rate).clamp(0.0, 1.0) } else { 0.0 }
    }
}

/// Work between stalls, of a rate at one level.
///
/// `values`: evenly spaced, oldest first, 24 up to [`crate::series::LONGEST`], none negative. `longest`: longest stall in
/// values; what lasts longer is a level of its own. A stall is a stretch below the middle of two levels of which the lower
/// has less than half of the higher, takes less than half of the values, and lies five deviations of the higher apart. The
/// values beside a stall are partly in it, and belong to neither level. Without stalls all values are between them.
/// `confidence` of the interval of the mean, which allows for memory.
///
/// # Errors
/// [`StatsError::TooFew`], also where too little lies between stalls; [`StatsError::OutOfRange`] where a stretch below the
/// middle lasts longer than `longest`: the level shifts, and one rate does not describe it.
pub fn working(values: &[f64], longest: usize, confidence: f64) -> Result<Working, StatsError> {
    check(values, 2 * FEWEST_VALUES)?;
    let mean = crate::moments::plain(values)?;
    let Some(is_low) = lower(values)? else { return whole(values, mean, confidence) };
    let stalls = stretches(&is_low);
    let stretch_max = stalls.iter().map(Range::len).max().unwrap_or(0);
    if stretch_max > longest {
        return Err(StatsError::OutOfRange("the level shifts: one rate does not describe it"));
    }
    if stalls.len() < FEWEST {
        return whole(values, mean, confidence);
    }
    let is_beside = |at: usize| (at > 0 && is_low[at - 1]) || is_low.get(at + 1).copied().unwrap_or(false);
    let between: Vec<f64> =
        values.iter().enumerate().filter(|(at, _)| !is_low[*at] && !is_beside(*at)).map(|(_, value)| *value).collect();
    // Where stalls are longer than two values, their first and last are partly between stalls.
    let is_inside = |at: usize| is_low[at] && at > 0 && is_low[at - 1] && is_low.get(at + 1).copied().unwrap_or(false);
    let mut inside: Vec<f64> = (0..values.len()).filter(|&at| is_inside(at)).map(|at| values[at]).collect();
    if inside.is_empty() {
        inside = (0..values.len()).filter(|&at| is_low[at]).map(|at| values[at]).collect();
    }
    let stalled = crate::moments::plain(&inside)?;
    let work = whole(&between, mean, confidence)?;
    let duty = if work.rate > stalled { ((mean - stalled) / (work.rate - stalled)).clamp(0.0, 1.0) } else { 1.0 };
    Ok(Working {
        stalled: Some(stalled),
        duty,
        lasts: (1.0 - duty) * values.len() as f64 / stalls.len() as f64,
        stalls,
        longest: stretch_max,
        ..work
    })
}

/// Which values lie on a lower level, if there is one.
fn lower(values: &[f64]) -> Result<Option<Vec<bool>>, StatsError> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let split = best_split(&sorted)?;
    let above = &sorted[split.at..];
    let deviation = crate::moments::variance(above).map_or(0.0, f64::sqrt);
    let is_stall = split.before < DEEP * split.after
        && 2 * split.at < values.len()
        && split.after - split.before >= APART * deviation;
    let middle = 0.5 * (split.before + split.after);
    Ok(is_stall.then(|| values.iter().map(|value| *value < middle).collect()))
}

fn stretches(is_low: &[bool]) -> Vec<Range<usize>> {
    let mut begin = 0;
    let runs = is_low.chunk_by(|a, b| a == b).map(|run| {
        let from = begin;
        begin += run.len();
        (run[0], from..begin)
    });
    runs.filter(|(is_low, _)| *is_low).map(|(_, places)| places).collect()
}

fn whole(values: &[f64], mean: f64, confidence: f64) -> Result<Working, StatsError> {
    if values.len() < FEWEST_VALUES {
        return Err(StatsError::TooFew { have: values.len() as u64, need: FEWEST_VALUES as u64 });
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let spread = Spread::of_sorted(&sorted)?;
    let seconds: Vec<(u64, f64)> = values.iter().map(|value| (1, *value)).collect();
    let (rate, low, high) = if spread.variance > 0.0 {
        let found = by_memory(&seconds, spread, confidence)?;
        (found.value, found.low, found.high)
    } else {
        (sorted[0], sorted[0], sorted[0])
    };
    Ok(Working {
        rate,
        low,
        high,
        measured: values.len(),
        mean,
        stalled: None,
        duty: 1.0,
        stalls: Vec::new(),
        lasts: 0.0,
        longest: 0,
    })
}
