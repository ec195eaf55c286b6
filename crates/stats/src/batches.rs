//! Batch means: how much less dependent samples say than independent ones. Page: `docs/methods/design-effect.md`.

use crate::StatsError;

/// Number of batches unless there is a reason for another: enough for a variance with 29 degrees of freedom, few
/// enough that a batch is long against the memory of the process. Source: L. Schmeiser, "Batch size effects in the
/// analysis of simulation output", Operations Research 30 (3), 1982 (10 to 30 batches).
pub const USUAL: usize = 30;
/// Below this number of batches with calls in them, the variance between them is too uncertain to use.
pub const FEWEST: usize = 10;

/// The design effect of a share: by how much the variance of the share over time exceeds that of independent calls.
///
/// `per_second`: `(hits, calls)` of each second of the phase, oldest first, without gaps (a second without calls is
/// `(0, 0)`), at least [`FEWEST`] seconds. `batches`: at most so many batches of consecutive seconds, normally
/// [`USUAL`]; fewer when there are fewer seconds. Returns 1 or more; exactly 1 when no call, or every call, is a hit,
/// for then the data say nothing about it.
///
/// `D = max(1, V / (p(1-p)/n))`, where `V` is the variance of `p = Σh/Σn` as a ratio of batch sums,
/// `V = B/(B-1) · Σ(h_b - p·n_b)² / n²`; for equal batches this is the variance of the batch shares over `B`.
///
/// # Errors
/// [`StatsError::TooFew`] (counting batches with calls) for fewer than [`FEWEST`]: run longer.
/// [`StatsError::OutOfRange`] when a second has more hits than calls, or `batches` is below [`FEWEST`].
/// Source: W. G. Cochran, "Sampling Techniques", 3rd edition, section 6.3 (ratio); Kish 1965 (design effect).
pub fn design_effect_of_share(per_second: &[(u64, u64)], batches: usize) -> Result<f64, StatsError> {
    if per_second.iter().any(|(hits, calls)| hits > calls) {
        return Err(StatsError::OutOfRange("a second has more hits than calls"));
    }
    let pairs: Vec<(u64, f64)> = per_second.iter().map(|&(hits, calls)| (calls, hits as f64)).collect();
    let ratio = ratio_of_batches(&pairs, batches)?;
    let independent = ratio.value * (1.0 - ratio.value) / ratio.total;
    Ok(if independent > 0.0 { (ratio.variance / independent).max(1.0) } else { 1.0 })
}

/// The design effect of a mean.
///
/// `per_second`: `(count, sum of the values)` of each second, as in [`design_effect_of_share`]. `variance`: of the
/// single values, in the square of their unit, for example [`crate::moments::variance`] or
/// [`crate::moments::variance_of_histogram`]. Returns 1 or more; exactly 1 when all values are equal.
///
/// # Errors
/// [`StatsError::TooFew`], [`StatsError::NotFinite`], [`StatsError::OutOfRange`] for a negative variance.
/// Source: as [`design_effect_of_share`].
pub fn design_effect_of_mean(per_second: &[(u64, f64)], variance: f64, batches: usize) -> Result<f64, StatsError> {
    if !variance.is_finite() {
        return Err(StatsError::NotFinite);
    }
    if variance < 0.0 {
        return Err(StatsError::OutOfRange("`variance` must not be negative"));
    }
    let ratio = ratio_of_batches(per_second, batches)?;
    let independent = variance / ratio.total;
    Ok(if independent > 0.0 { (ratio.variance / independent).max(1.0) } else { 1.0 })
}

/// The correlation of a series with itself `lag` steps earlier, -1..=1.
///
/// `values`: oldest first, evenly spaced, more than `lag + 1` of them, not all equal.
///
/// # Errors
/// [`StatsError::TooFew`], [`StatsError::NotFinite`], [`StatsError::OutOfRange`] when all values are equal.
/// Source: G. Box, G. Jenkins, G. Reinsel, "Time Series Analysis", section 2.1 (sums over n, one common mean).
pub fn autocorrelation(values: &[f64], lag: usize) -> Result<f64, StatsError> {
    let mean = crate::moments::plain(values)?;
    if values.len() < lag + 2 {
        return Err(StatsError::TooFew { have: values.len() as u64, need: lag as u64 + 2 });
    }
    let product = |a: &f64, b: &f64| (a - mean) * (b - mean);
    let all: f64 = values.iter().map(|v| product(v, v)).sum();
    let lagged: f64 = values.iter().zip(&values[lag..]).map(|(early, late)| product(early, late)).sum();
    if all > 0.0 { Ok(lagged / all) } else { Err(StatsError::OutOfRange("all values are equal")) }
}

/// A ratio `Σsum / Σcount` and its variance from the spread of the batches.
pub(crate) struct Ratio {
    pub(crate) value: f64,
    pub(crate) variance: f64,
    /// Number of samples.
    pub(crate) total: f64,
    /// Number of batches with samples.
    pub(crate) batches: usize,
}

/// Cuts the seconds into batches of nearly equal length and takes the ratio over them.
pub(crate) fn ratio_of_batches(per_second: &[(u64, f64)], batches: usize) -> Result<Ratio, StatsError> {
    if batches < FEWEST {
        return Err(StatsError::OutOfRange("`batches` must be 10 or more"));
    }
    if per_second.iter().any(|(_, sum)| !sum.is_finite()) {
        return Err(StatsError::NotFinite);
    }
    let wanted = batches.min(per_second.len());
    // Batch i holds the seconds from i·S/B up to (i+1)·S/B: lengths differ by one second at most.
    let edge = |batch: usize| batch * per_second.len() / wanted;
    let sums: Vec<(f64, f64)> = (0..wanted)
        .map(|batch| {
            let seconds = &per_second[edge(batch)..edge(batch + 1)];
            let count: f64 = seconds.iter().map(|&(count, _)| count as f64).sum();
            let sum: f64 = seconds.iter().map(|&(_, sum)| sum).sum();
            (count, sum)
        })
        .filter(|&(count, _)| count > 0.0)
        .collect();
    if sums.len() < FEWEST {
        return Err(StatsError::TooFew { have: sums.len() as u64, need: FEWEST as u64 });
    }
    let total: f64 = sums.iter().map(|&(count, _)| count).sum();
    let value = sums.iter().map(|&(_, sum)| sum).sum::<f64>() / total;
    let squares: f64 = sums.iter().map(|&(count, sum)| (sum - value * count).powi(2)).sum();
    let used = sums.len() as f64;
    let variance = used / (used - 1.0) * squares / (total * total);
    // Sums near the end of the floating-point range can still overflow here.
    if !value.is_finite() || !variance.is_finite() {
        return Err(StatsError::NotFinite);
    }
    Ok(Ratio { value, variance, total, batches: sums.len() })
}
