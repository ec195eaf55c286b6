//! The mean and the variance of values, and of the times of a histogram.

use crate::StatsError;
use terms::{Buckets, Histogram};

/// The variance of values about their mean; divides by `n - 1`. In the square of their unit.
///
/// # Errors
/// [`StatsError::TooFew`] for fewer than 2; [`StatsError::NotFinite`].
pub fn variance(values: &[f64]) -> Result<f64, StatsError> {
    let mean = plain(values)?;
    if values.len() < 2 {
        return Err(StatsError::TooFew { have: values.len() as u64, need: 2 });
    }
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    finite(squares / (values.len() as f64 - 1.0))
}

/// The variance of the times of a histogram in ms², each taken at the middle of its bucket; divides by `n - 1`.
///
/// The buckets' width (at most 0.1 %) enters the standard deviation by less than 0.05 % of the largest times.
///
/// # Errors
/// [`StatsError::TooFew`] for fewer than 2; [`StatsError::Saturated`] when times were too long for the histogram.
pub fn variance_of_histogram(histogram: &Histogram) -> Result<f64, StatsError> {
    let total = histogram.total();
    let (Some(min), Some(max)) = (histogram.min(), histogram.max()) else {
        return Err(StatsError::TooFew { have: 0, need: 2 });
    };
    if total < 2 {
        return Err(StatsError::TooFew { have: total, need: 2 });
    }
    if histogram.saturated() > 0 {
        return Err(StatsError::Saturated { count: histogram.saturated() });
    }
    let centres: Vec<(f64, f64)> = histogram
        .nonzero()
        .map(|(index, count)| {
            let (low, high) = (Buckets::low(index).max(min), Buckets::high(index).min(max));
            (0.5 * (low.as_millis_f64() + high.as_millis_f64()), count as f64)
        })
        .collect();
    let mean = centres.iter().map(|(centre, count)| centre * count).sum::<f64>() / total as f64;
    let squares: f64 = centres.iter().map(|(centre, count)| count * (centre - mean).powi(2)).sum();
    finite(squares / (total as f64 - 1.0))
}

/// The arithmetic mean of at least one finite value.
pub(crate) fn plain(values: &[f64]) -> Result<f64, StatsError> {
    if values.is_empty() {
        return Err(StatsError::TooFew { have: 0, need: 1 });
    }
    if values.iter().any(|value| !value.is_finite()) {
        return Err(StatsError::NotFinite);
    }
    finite(values.iter().sum::<f64>() / values.len() as f64)
}

/// A sum that has not overflowed.
pub(crate) fn finite(value: f64) -> Result<f64, StatsError> {
    if value.is_finite() { Ok(value) } else { Err(StatsError::NotFinite) }
}
