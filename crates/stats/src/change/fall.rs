//! A level that falls and stays down.

use super::place::{between, decline};
use super::shift::{self, chance};
use super::{Level, levels_apart};
use crate::StatsError;
use crate::series::{batch_means, noise, shortened};
use std::ops::Range;

/// The first fall of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fall {
    /// Place at which the lower level begins.
    pub at: usize,
    /// First and last place at which it may begin: in 95 % of falls it does.
    pub low: usize,
    pub high: usize,
    /// Whether it sank all the way from `low` to `high`.
    pub is_gradual: bool,
    /// Mean of the level before.
    pub before: f64,
    /// Mean of the level from there on.
    pub after: f64,
    /// Whether it is told: slow wandering does not look like this by chance. One that is not told may be wandering alone.
    pub is_told: bool,
}

/// The first level that lies below the one before it by more than the part `by` of that, and by more than either strays;
/// or the first decline over several levels that does.
///
/// `values`: oldest first, evenly spaced, 3 up to [`crate::series::LONGEST`]. `least`: fewest values of a level. Levels are
/// cut by [`super::levels_apart`] with what the memory of the values makes of their noise. A short standstill pulls the mean
/// of its stretch down; what is a level lies close about its mean. `p_max`: chance that a series of one level that wanders
/// as slowly as this one may look as if it shifted, by [`chance`], up to the end of the decline or to the end of all. The
/// first fall that this tells is the answer; without one the first that it does not.
///
/// # Errors
/// [`StatsError::TooFew`], [`StatsError::NotFinite`], [`StatsError::OutOfRange`].
pub fn first_fall(values: &[f64], by: f64, least: usize, p_max: f64) -> Result<Option<Fall>, StatsError> {
    let levels = levels_apart(values, least, remembered(values)?)?;
    let is_fall = |upper: &Level, lower: &Level| {
        let fallen = upper.mean - lower.mean;
        fallen > by * upper.mean && fallen > upper.deviation.max(lower.deviation)
    };
    let is_told = |end: usize| -> Result<bool, StatsError> {
        Ok(end >= shift::FEWEST && chance(&shortened(&values[..end], shift::MOST).0)? <= p_max)
    };
    let is_shift = chance(&shortened(values, shift::MOST).0)? <= p_max;
    let (mut first, mut place) = (None, 0);
    while place + 1 < levels.len() {
        let end = place + levels[place..].windows(2).take_while(|pair| pair[1].mean < pair[0].mean).count();
        if end > place && is_fall(&levels[place], &levels[end]) {
            let fall = Fall { is_told: false, ..placed(values, &levels[place..=end], is_fall)? };
            if is_told(levels[end].to)? {
                return Ok(Some(Fall { is_told: true, ..fall }));
            }
            first.get_or_insert(fall);
        }
        place = end.max(place + 1);
    }
    // Where one is the only one, it is what shifts.
    Ok(first.map(|fall| Fall { is_told: is_shift, ..fall }))
}

/// Where a staircase falls: at the first step that is a fall by itself and half as deep as the deepest one, or along all of
/// it. Wandering before a deep fall makes smaller steps.
fn placed(values: &[f64], stairs: &[Level], is_fall: impl Fn(&Level, &Level) -> bool) -> Result<Fall, StatsError> {
    let depth = |pair: &[Level]| pair[0].mean - pair[1].mean;
    let deepest = stairs.windows(2).map(depth).fold(0.0, f64::max);
    let step = stairs.windows(2).find(|pair| is_fall(&pair[0], &pair[1]) && depth(pair) >= 0.5 * deepest);
    let (from, to) = step.map_or((stairs[0].from, stairs[stairs.len() - 1].to), |pair| (pair[0].from, pair[1].to));
    let part = &values[from..to];
    let mut found = match step {
        Some(_) => between(part, &left_over(values, stairs, from..to))?,
        None => decline(part)?,
    };
    let mut begun = from;
    if step.is_some() && found.is_gradual {
        // One of its stairs is deep enough, but it is not a step: the whole staircase is one decline.
        begun = stairs[0].from;
        found = decline(&values[begun..stairs[stairs.len() - 1].to])?;
    }
    let (upper, lower) = match step {
        Some(pair) if !found.is_gradual => (&pair[0], &pair[1]),
        _ => (&stairs[0], &stairs[stairs.len() - 1]),
    };
    Ok(Fall {
        at: begun + found.at,
        low: begun + found.low,
        high: begun + found.high,
        is_gradual: found.is_gradual,
        before: upper.mean,
        after: lower.mean,
        is_told: false,
    })
}

/// What the levels leave of the values.
fn left_over(values: &[f64], levels: &[Level], within: Range<usize>) -> Vec<f64> {
    let of = |level: &Level| {
        let mean = level.mean;
        values[level.from.max(within.start)..level.to.min(within.end).max(level.from.max(within.start))]
            .iter()
            .map(move |value| value - mean)
            .collect::<Vec<_>>()
    };
    levels.iter().flat_map(of).collect()
}

/// The noise that levels are told from, where values may resemble their neighbours: that of means of batches, as single
/// values of as great a memory would have it; the greatest of several widths. A batch must be short against a level.
fn remembered(values: &[f64]) -> Result<f64, StatsError> {
    let mut greatest = noise(values)?;
    let mut width = 2;
    while values.len() / width >= shift::FEWEST {
        greatest = greatest.max((width as f64).sqrt() * noise(&batch_means(values, width))?);
        width *= 2;
    }
    Ok(greatest)
}
