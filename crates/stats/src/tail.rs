//! What mean and percentile together say about the slowest calls. Page: `docs/methods/tail-bound.md`.

use crate::StatsError;

/// The least mean that the calls above a percentile can have had: `(mean - q·x_q) / (1 - q)`.
///
/// `mean` and `percentile` in one unit, 0 or more; `q` strictly between 0 and 1, for example 0.9 for the slowest
/// 10 %. The answer is in that unit. It holds for any distribution, for no call of the lower share is above the
/// percentile. When the mean is below the percentile the answer may be below the percentile too, and says nothing.
///
/// # Errors
/// [`StatsError::NotFinite`], [`StatsError::OutOfRange`].
/// Source: the mean is the weighted sum of the means of both parts.
pub fn least_mean_above(mean: f64, percentile: f64, q: f64) -> Result<f64, StatsError> {
    if !mean.is_finite() || !percentile.is_finite() || !q.is_finite() {
        return Err(StatsError::NotFinite);
    }
    if mean < 0.0 || percentile < 0.0 {
        return Err(StatsError::OutOfRange("`mean` and `percentile` must not be negative"));
    }
    if q <= 0.0 || q >= 1.0 {
        return Err(StatsError::OutOfRange("`q` must lie strictly between 0 and 1"));
    }
    Ok((mean - q * percentile) / (1.0 - q))
}

/// [`least_mean_above`] for the 90th percentile: the least mean of the slowest 10 %.
///
/// Worth saying when the mean is above the 90th percentile: a few calls then carry the mean.
///
/// # Errors
/// As [`least_mean_above`].
pub fn least_mean_of_slowest_tenth(mean: f64, p90: f64) -> Result<f64, StatsError> {
    least_mean_above(mean, p90, 0.9)
}
