//! A level that falls and stays down.

use super::shift::{self, chance};
use super::{Level, levels};
use crate::StatsError;
use crate::series::shortened;

/// The first fall of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fall {
    /// Place at which the lower level begins.
    pub at: usize,
    /// Mean of the level before.
    pub before: f64,
    /// Mean of the level from there on.
    pub after: f64,
}

/// The first level that lies below the one before it by more than the part `by` of that, and by more than either strays.
///
/// `values`: oldest first, evenly spaced, 3 up to [`crate::series::LONGEST`]. `least`: fewest values of a level. A short
/// standstill pulls the mean of its stretch down; what is a level lies close about its mean. `p_max`: chance that a series
/// of one level that wanders as slowly as this one may look as if it shifted, by [`chance`].
///
/// # Errors
/// [`StatsError::TooFew`], [`StatsError::NotFinite`], [`StatsError::OutOfRange`].
pub fn first_fall(values: &[f64], by: f64, least: usize, p_max: f64) -> Result<Option<Fall>, StatsError> {
    let levels = levels(values, least)?;
    let is_fall = |pair: &&[Level]| {
        let fallen = pair[0].mean - pair[1].mean;
        fallen > by * pair[0].mean && fallen > pair[0].deviation.max(pair[1].deviation)
    };
    let Some(pair) = levels.windows(2).find(is_fall) else { return Ok(None) };
    let is_shift = chance(&shortened(values, shift::MOST).0)? <= p_max;
    Ok(is_shift.then(|| Fall { at: pair[1].from, before: pair[0].mean, after: pair[1].mean }))
}
