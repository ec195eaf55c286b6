//! Means with Student's interval, from values or from batches of seconds. Page: `docs/methods/means.md`.

use crate::batches::ratio_of_batches;
use crate::memory::Memory;
use crate::moments::{finite, plain, variance, variance_of_histogram};
use crate::special::{normal_quantile, student_two_sided};
use crate::{Estimate, StatsError, check_confidence, check_design_effect};
use terms::{Buckets, Histogram};

/// How many calls of a kind may all be missed by chance: with more of them expected, at least one is seen in 95 %.
const MISSED: f64 = 3.0;
/// Fewest and most calls by which the tail is known.
const TAIL: (u64, u64) = (20, 1000);
/// Beyond this part of the mean the upper reach is stretched no more steeply, so that it remains finite.
const STRETCHED_MOST: f64 = 0.8;

/// The mean of values with Student's two-sided interval.
///
/// `values`: at least 2, any unit and order: batch means, one value a run, or single values with a design effect of
/// at least 1 from [`crate::batches::design_effect_of_mean`]. The answer is in their unit.
/// Half width: `t(n-1) · sqrt(D · s²/n)`; the variance `s²` divides by `n - 1`.
///
/// # Errors
/// [`StatsError::TooFew`] for fewer than 2; [`StatsError::NotFinite`]; [`StatsError::OutOfRange`].
/// Source: Student, Biometrika 6 (1), 1908.
pub fn estimate(values: &[f64], confidence: f64, design_effect: f64) -> Result<Estimate, StatsError> {
    check_confidence(confidence)?;
    check_design_effect(design_effect.into())?;
    let value = plain(values)?;
    let n = values.len() as f64;
    let error = (design_effect * variance(values)? / n).sqrt();
    let half = error * student_two_sided(n - 1.0, confidence);
    estimate_around(value, half, confidence, values.len() as u64, design_effect, "Student's t")
}

/// The mean of all samples of a phase with the batch-means interval, which allows for dependence between neighbours.
///
/// `per_second`: `(count, sum of the values)` of each second, oldest first, without gaps (an empty second is
/// `(0, 0.0)`); at least [`crate::batches::FEWEST`] seconds with samples. `variance` of the single values in the square
/// of their unit ([`variance_of_histogram`]). `batches` as in [`crate::batches::design_effect_of_share`].
/// The answer is in the values' unit. Half width: `t(B-1) · sqrt(D · variance/n)`, so the interval is never narrower
/// than that of independent samples.
///
/// # Errors
/// [`StatsError::TooFew`] for too few batches: run longer; [`StatsError::NotFinite`]; [`StatsError::OutOfRange`].
/// Source: A. M. Law, "Simulation Modeling and Analysis", 5th edition, section 9.5.3 (batch means).
pub fn by_batches(
    per_second: &[(u64, f64)],
    variance: f64,
    batches: usize,
    confidence: f64,
) -> Result<Estimate, StatsError> {
    check_confidence(confidence)?;
    let design_effect = crate::batches::design_effect_of_mean(per_second, variance, batches)?;
    let ratio = ratio_of_batches(per_second, batches)?;
    let error = ratio.variance.max(variance / ratio.total).sqrt();
    let half = error * student_two_sided(ratio.batches as f64 - 1.0, confidence);
    let count = per_second.iter().fold(0u64, |sum, (count, _)| sum.saturating_add(*count));
    estimate_around(ratio.value, half, confidence, count, design_effect, "batch means")
}

/// How single times spread, and what they leave unseen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Their variance, in the square of their unit.
    pub variance: f64,
    /// By how much the mean may lie higher because of times greater than any that was seen, in their unit.
    pub unseen: f64,
}

impl Spread {
    /// That of a histogram, in milliseconds.
    ///
    /// # Errors
    /// As [`variance_of_histogram`].
    pub fn of_histogram(histogram: &Histogram) -> Result<Self, StatsError> {
        let variance = variance_of_histogram(histogram)?;
        let mean = histogram.sum_ns() / 1e6 / histogram.total() as f64;
        let centres: Vec<(f64, u64)> =
            histogram.nonzero().map(|(index, count)| (Buckets::low(index).as_millis_f64(), count)).collect();
        let max = histogram.max().map_or(0.0, |max| max.as_millis_f64());
        Ok(Self { variance, unseen: unseen(centres.into_iter().rev(), histogram.total(), mean, max) })
    }

    /// That of single times, ascending, in their unit.
    ///
    /// # Errors
    /// As [`variance`].
    pub fn of_sorted(values: &[f64]) -> Result<Self, StatsError> {
        let (variance, mean) = (variance(values)?, plain(values)?);
        let descending = values.iter().rev().map(|value| (*value, 1));
        let max = values.last().copied().unwrap_or(0.0);
        Ok(Self { variance, unseen: unseen(descending, values.len() as u64, mean, max) })
    }

    /// How far the ends lie away for so many calls, for a two-sided confidence between 0 and 1.
    pub fn reach(&self, count: u64, confidence: f64) -> Reach {
        let of_one = normal_quantile(0.5 + confidence / 2.0) * (self.variance / count as f64).sqrt();
        Reach { of_one, unseen: self.unseen }
    }
}

/// How far the ends of a mean's interval lie away where the calls are independent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// Half the width, `z·sqrt(variance/n)`; it grows with the root of the design effect.
    pub of_one: f64,
    /// What is added to the upper end, whatever the design effect.
    pub unseen: f64,
}

impl Reach {
    /// The same in another unit.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self { of_one: self.of_one * factor, unseen: self.unseen * factor }
    }

    /// The design effect at which the interval of a mean reaches a limit; `None` where none does or every one would.
    pub fn effect_at(&self, mean: f64, limit: f64) -> Option<f64> {
        let distance = if limit > mean { unstretched(mean, limit - mean) - self.unseen } else { mean - limit };
        let effect = (distance.max(0.0) / self.of_one).powi(2);
        effect.is_finite().then_some(effect)
    }
}

/// What times beyond the greatest may add to a mean: as many as may have been missed by chance, each as far beyond it as
/// the slowest hundredth lies, on average, beyond where it begins.
///
/// Of a tail that falls by a power, the mean beyond any point is the same multiple of that point; of lighter tails it is
/// less, so that too much is allowed for. `descending`: times with their counts.
fn unseen(descending: impl Iterator<Item = (f64, u64)>, total: u64, mean: f64, max: f64) -> f64 {
    let tail = (total / 100).clamp(TAIL.0, TAIL.1).min(total / 2).max(1);
    let (mut sum, mut left, mut begin) = (0.0, tail, max);
    for (time, count) in descending {
        let taken = count.min(left);
        (sum, left, begin) = (sum + time * taken as f64, left - taken, time);
        if left == 0 {
            break;
        }
    }
    let beyond = if begin > 0.0 { sum / tail as f64 / begin } else { 1.0 };
    MISSED / total as f64 * (max * beyond.max(1.0) - mean).max(0.0)
}

/// How far above a mean its upper end lies, `reach` being how far it would lie if the spread were known.
///
/// The spread is taken from the same quiet or busy minute as the mean, and of a queue it grows with the square of the mean:
/// its memory lasts as `1/(1-ρ)²` does where its times grow as `1/(1-ρ)`. Of such a process `1/mean` has the same spread
/// at any level, so its interval is taken and turned back: `mean/(1 - reach/mean)`. A reach that is small against the mean
/// stays what it is; from four fifths of the mean on it goes along the tangent. Means of 0 or less are left alone.
///
/// Sources: M. S. Bartlett, "The use of transformations", Biometrics 3, 1947 (transformations that make the spread
/// constant); W. Whitt, "Planning queueing simulations", Management Science 35, 1989 (spread of a queue's mean).
pub(crate) fn stretched(mean: f64, reach: f64) -> f64 {
    let part = reach / mean;
    if mean <= 0.0 || part <= 0.0 {
        return reach;
    }
    let below = part.min(STRETCHED_MOST);
    mean * (below / (1.0 - below) + (part - below) / (1.0 - below).powi(2))
}

/// The reach that [`stretched`] makes this distance of.
pub(crate) fn unstretched(mean: f64, distance: f64) -> f64 {
    let part = distance / mean;
    if mean <= 0.0 || part <= 0.0 {
        return distance;
    }
    let bend = STRETCHED_MOST / (1.0 - STRETCHED_MOST);
    let below = part.min(bend);
    mean * (below / (1.0 + below) + (part - below) * (1.0 - STRETCHED_MOST).powi(2))
}

/// The mean of all samples of a phase with an interval that allows for the memory of the process, and for a heavy tail.
///
/// `per_second` as in [`by_batches`], `spread` of the single times. The ends lie `z·sqrt(D·variance/n)` away, with the two
/// effects of [`crate::memory::Memory::effects`], which hold Student's t and the skewness of the batches; the upper one
/// farther by what times greater than any that was seen may add, and by what the spread of a busier time may add.
///
/// # Errors
/// [`StatsError::TooFew`] in seconds where the phase is too short against its memory, or in batches;
/// [`StatsError::NotFinite`]; [`StatsError::OutOfRange`].
pub fn by_memory(per_second: &[(u64, f64)], spread: Spread, confidence: f64) -> Result<Estimate, StatsError> {
    check_confidence(confidence)?;
    let memory = Memory::of_sums(per_second, spread.variance)?.checked()?;
    let effects = memory.effects(confidence);
    let count = per_second.iter().fold(0u64, |sum, (count, _)| sum.saturating_add(*count));
    let value = per_second.iter().map(|(_, sum)| sum).sum::<f64>() / count as f64;
    let reach = spread.reach(count, confidence);
    let low = value - reach.of_one * effects.low.sqrt();
    let high = value + stretched(value, reach.of_one * effects.high.sqrt() + reach.unseen);
    if !low.is_finite() || !high.is_finite() {
        return Err(StatsError::NotFinite);
    }
    let design_effect = effects.greater();
    Ok(Estimate { value, low, high, confidence, sample_count: count, design_effect, method: "batches, with memory" })
}

fn estimate_around(
    value: f64,
    half: f64,
    confidence: f64,
    sample_count: u64,
    design_effect: f64,
    method: &'static str,
) -> Result<Estimate, StatsError> {
    finite(value)?;
    finite(half)?;
    Ok(Estimate { value, low: value - half, high: value + half, confidence, sample_count, design_effect, method })
}
