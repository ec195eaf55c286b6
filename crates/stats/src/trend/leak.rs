//! Does something grow without end, and what growth would have been noticed? Page: `docs/methods/trends.md`.

use super::{BATCHES, Line, MannKendall, mann_kendall, theil_sen, twelve};
use crate::{Estimate, StatsError};

/// A trend is told below this p (two-sided).
pub const P_MAX: f64 = 0.01;
/// Chance with which [`Growth::detectable`] would have been told.
pub const POWER: f64 = 0.8;
/// Slope that is told with that chance at [`P_MAX`], in standard deviations of the 12 batch means per batch, that
/// deviation being estimated from their distances to the line. By simulation of 400 000 pairs of series; known noise
/// would need 0.413, the rest pays for the estimate. A test repeats it with another generator.
pub const DETECTABLE_STEP: f64 = 0.445;

/// How a series grows, from its 12 batch means.
#[derive(Clone, Debug, PartialEq)]
pub struct Growth {
    /// The test on the batch means.
    pub trend: MannKendall,
    /// The line through them; its slope has a 95 % interval, in the values' unit per unit of time.
    pub line: Line,
    /// The line's value at the end of the series.
    pub level: f64,
    /// Slope that would have been told with 80 % power, of either sign.
    pub detectable: f64,
    /// Length of the series, in its unit of time.
    pub length: f64,
}

/// Slope of an evenly spaced series that resembles itself from value to value.
///
/// `values`: oldest first, at least 24. `spacing`: time between two values, above 0; slopes are per its unit.
///
/// # Errors
/// [`StatsError::TooFew`], [`StatsError::NotFinite`], [`StatsError::OutOfRange`].
pub fn growth(values: &[f64], spacing: f64) -> Result<Growth, StatsError> {
    if !(spacing > 0.0 && spacing.is_finite()) {
        return Err(StatsError::OutOfRange("`spacing` must be above 0"));
    }
    let means = twelve(values)?;
    let batch = (values.len() / BATCHES) as f64 * spacing;
    let points: Vec<(f64, f64)> =
        means.iter().enumerate().map(|(place, mean)| ((place as f64 + 0.5) * batch, *mean)).collect();
    let line = theil_sen(&points, 0.95)?;
    let length = values.len() as f64 * spacing;
    let residuals: f64 = points.iter().map(|&(time, value)| (value - line.at(time)).powi(2)).sum();
    let noise = (residuals / (BATCHES as f64 - 2.0)).sqrt();
    Ok(Growth {
        trend: mann_kendall(&means)?,
        level: line.at(length),
        detectable: noise * DETECTABLE_STEP / batch,
        line,
        length,
    })
}

/// What is asked of a growing series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Question {
    /// What it may grow to, in its unit; `None` when nobody knows.
    pub capacity: Option<f64>,
    /// Time over which growth is projected, in the series' unit of time.
    pub horizon: f64,
    /// Allowed growth over the horizon as a share of the capacity, or of the level when that is not known.
    pub allowed: f64,
    /// Largest p at which a rise is told; [`P_MAX`] for one series, less when many are looked at.
    pub p_max: f64,
}

/// What can be said about a leak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leak {
    /// It rises, and would grow by more than is allowed.
    Suspected,
    /// Growth as large as is not allowed would have been told, and was not: or the slope's interval stays below it.
    Excluded,
    /// Neither.
    CannotTell,
}

impl Growth {
    /// Growth over a time, with its interval.
    pub fn over(&self, time: f64) -> Estimate {
        let slope = &self.line.slope;
        Estimate { value: slope.value * time, low: slope.low * time, high: slope.high * time, ..slope.clone() }
    }

    /// The gate: whether the series rises so that it matters.
    pub fn leak(&self, question: &Question) -> Leak {
        let whole = question.capacity.unwrap_or(self.level).abs();
        let allowed = question.allowed * whole;
        let projected = self.over(question.horizon);
        let is_exhausted = question.capacity.is_some_and(|capacity| self.level + projected.value >= capacity);
        let is_rising = self.trend.s > 0 && self.trend.p < question.p_max && projected.low > 0.0;
        if is_rising && (projected.value > allowed || is_exhausted) {
            Leak::Suspected
        } else if projected.high <= allowed || (!is_rising && self.detectable * question.horizon <= allowed) {
            Leak::Excluded
        } else {
            Leak::CannotTell
        }
    }

    /// Whether even the low end of the slope's interval grows by more than is allowed, or reaches the capacity.
    pub fn is_proven(&self, question: &Question) -> bool {
        let allowed = question.allowed * question.capacity.unwrap_or(self.level).abs();
        let least = self.over(question.horizon).low;
        least > allowed || question.capacity.is_some_and(|capacity| self.level + least >= capacity)
    }

    /// Time from the end of the series until a capacity is reached: the value, and both ends by the slope's interval.
    /// An end is infinite where the slope does not rise; `None` where not even the slope itself does.
    pub fn time_to(&self, capacity: f64) -> Option<(f64, f64, f64)> {
        time_to_exhaustion(self.level, capacity, &self.line.slope)
    }
}

/// `(capacity − level)/slope`, its least by the slope's upper bound and its greatest by the lower: value, low, high.
///
/// 0 when the level is above the capacity already; an infinite end where that bound does not rise; `None` when the
/// slope itself does not.
pub fn time_to_exhaustion(level: f64, capacity: f64, slope: &Estimate) -> Option<(f64, f64, f64)> {
    let room = (capacity - level).max(0.0);
    let time = |slope: f64| if slope > 0.0 { room / slope } else { f64::INFINITY };
    (slope.value > 0.0).then(|| (time(slope.value), time(slope.high), time(slope.low)))
}
