//! Evenly spaced series: shortening, middle values, noise. What the methods over time share.
//!
//! Methods that compare all pairs take at most [`LONGEST`] values; a day at one value a second is shortened first
//! ([`shortened`]), and the means of neighbours are what such methods want anyway.

use crate::StatsError;

/// Longest series for methods that compare values in pairs: 12.5 million pairs, well under a second.
pub const LONGEST: usize = 5_000;

/// Checks that values are finite and neither too few nor too many.
pub(crate) fn check(values: &[f64], need: usize) -> Result<(), StatsError> {
    if values.len() < need {
        return Err(StatsError::TooFew { have: values.len() as u64, need: need as u64 });
    }
    if values.len() > LONGEST {
        return Err(StatsError::OutOfRange("at most 5000 values; shorten the series first"));
    }
    if values.iter().any(|value| !value.is_finite()) {
        return Err(StatsError::NotFinite);
    }
    Ok(())
}

/// Means of neighbours, so that at most `most` values are left.
///
/// `values`: oldest first, evenly spaced. Returns the means and how many values each stands for (1 when nothing had to
/// be shortened). A rest at the end that does not fill a batch is left out. `most` 0 counts as 1.
pub fn shortened(values: &[f64], most: usize) -> (Vec<f64>, usize) {
    let width = values.len().div_ceil(most.max(1)).max(1);
    (batch_means(values, width), width)
}

/// Means of consecutive batches of `width` values; a rest at the end is left out. `width` 0 counts as 1.
pub fn batch_means(values: &[f64], width: usize) -> Vec<f64> {
    let width = width.max(1);
    values.chunks_exact(width).map(|batch| batch.iter().sum::<f64>() / width as f64).collect()
}

/// Median absolute deviations in one standard deviation of a normal sample.
const NORMAL: f64 = 1.4826;

/// The middle value; of an even number the mean of both. `None` without values.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    median_of_sorted(&sorted)
}

/// Standard deviation about the median, which outliers hardly move: `1.4826 · MAD`, in the values' unit; of a normal sample
/// it is the standard deviation. `None` without values.
pub fn robust_deviation(values: &[f64]) -> Option<f64> {
    let middle = median(values)?;
    let distances: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    Some(NORMAL * median(&distances)?)
}

pub(crate) fn median_of_sorted(sorted: &[f64]) -> Option<f64> {
    let middle = sorted.len() / 2;
    let upper = sorted.get(middle)?;
    Some(if sorted.len() % 2 == 1 { *upper } else { 0.5 * (sorted[middle - 1] + upper) })
}

/// Standard deviation of the noise about a level that may shift: `1.4826 · MAD(Δx) / √2`, in the values' unit.
///
/// Differences of neighbours take no notice of the level, and the median absolute deviation takes no notice of the few
/// differences in which the level shifts. When more than half of the differences are equal, that deviation is 0; then
/// the standard deviation of the differences over √2 stands in, and 0 is left for a series without any change.
///
/// # Errors
/// [`StatsError::TooFew`] for fewer than 3; [`StatsError::NotFinite`]; [`StatsError::OutOfRange`] above [`LONGEST`].
/// Source: F. R. Hampel, JASA 69, 1974 (MAD; the factor makes it a standard deviation for normal values).
pub fn noise(values: &[f64]) -> Result<f64, StatsError> {
    check(values, 3)?;
    let differences: Vec<f64> = values.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let middle = median(&differences).unwrap_or(0.0);
    let distances: Vec<f64> = differences.iter().map(|difference| (difference - middle).abs()).collect();
    let robust = NORMAL * median(&distances).unwrap_or(0.0) / std::f64::consts::SQRT_2;
    if robust > 0.0 {
        return Ok(robust);
    }
    Ok((crate::moments::variance(&differences)? / 2.0).sqrt())
}

/// Σx and Σx² from the first value on, about the mean of all, so that sums over any stretch keep their digits.
pub(crate) struct Sums {
    first: Vec<f64>,
    second: Vec<f64>,
    centre: f64,
}

impl Sums {
    /// `values`: finite, at least one.
    pub(crate) fn of(values: &[f64]) -> Self {
        let centre = values.iter().sum::<f64>() / values.len().max(1) as f64;
        let (mut first, mut second) = (vec![0.0], vec![0.0]);
        let (mut sum, mut squares) = (0.0, 0.0);
        for value in values {
            let distance = value - centre;
            sum += distance;
            squares += distance * distance;
            first.push(sum);
            second.push(squares);
        }
        Self { first, second, centre }
    }

    /// Mean of the stretch `from..to`, which is not empty.
    pub(crate) fn mean(&self, from: usize, to: usize) -> f64 {
        self.centre + (self.first[to] - self.first[from]) / (to - from) as f64
    }

    /// Sum of the squared distances from the stretch's own mean.
    pub(crate) fn squares(&self, from: usize, to: usize) -> f64 {
        squares(self.first[to] - self.first[from], self.second[to] - self.second[from], (to - from) as f64)
    }

    /// Σx and Σx² of all before a place, about the mean of all.
    pub(crate) fn to(&self, place: usize) -> (f64, f64) {
        (self.first[place], self.second[place])
    }
}

/// Sum of the squared distances of `count` values from their own mean, by their sum and that of their squares.
#[inline]
pub(crate) fn squares(first: f64, second: f64, count: f64) -> f64 {
    (second - first * first / count).max(0.0)
}
