//! Percentiles of samples and of histograms, and their order-statistic intervals. Page: `docs/methods/percentiles.md`.

use crate::memory::Effects;
use crate::special::{binomial_at_least, binomial_at_most};
use crate::{Estimate, StatsError, check_confidence, check_design_effect};
use terms::{Buckets, Histogram, Nanos};

/// The nine definitions of a sample percentile, by their numbers in Hyndman & Fan.
///
/// Reports use [`Self::Type1`], the nearest rank: a value that really occurred. The others exist to reproduce what
/// other tools print: JMeter type 6, k6 type 7.
/// Source: R. J. Hyndman, Y. Fan, "Sample quantiles in statistical packages", The American Statistician 50 (4), 1996.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QuantileType {
    /// Nearest rank: the value of rank `ceil(q·n)`.
    Type1,
    /// As type 1, but the mean of two neighbours where `q·n` is whole.
    Type2,
    /// The value whose rank is nearest to `q·n`, even rank on a tie (SAS definition 2).
    Type3,
    /// Linear between values at `k/n`.
    Type4,
    /// Linear between values at `(k - 1/2)/n`.
    Type5,
    /// Linear between values at `k/(n + 1)`: NIST, JMeter.
    Type6,
    /// Linear between values at `(k - 1)/(n - 1)`: R, NumPy, k6.
    Type7,
    /// Linear between values at `(k - 1/3)/(n + 1/3)`.
    Type8,
    /// Linear between values at `(k - 3/8)/(n + 1/4)`.
    Type9,
}

impl QuantileType {
    /// All nine, in order of their numbers.
    pub const ALL: [Self; 9] = [
        Self::Type1,
        Self::Type2,
        Self::Type3,
        Self::Type4,
        Self::Type5,
        Self::Type6,
        Self::Type7,
        Self::Type8,
        Self::Type9,
    ];
}

/// The nearest-rank percentile (type 1): the value of rank `max(1, ceil(q·n))`.
///
/// `sorted`: at least one value, ascending, any unit; `q` in 0..=1. The answer is one of the values.
///
/// # Errors
/// [`StatsError::TooFew`] when empty, [`StatsError::NotSorted`], [`StatsError::NotFinite`],
/// [`StatsError::OutOfRange`] for `q`.
pub fn nearest_rank(sorted: &[f64], q: f64) -> Result<f64, StatsError> {
    by_type(sorted, q, QuantileType::Type1)
}

/// The percentile by any of the nine definitions.
///
/// `sorted`: at least one value, ascending, any unit; `q` in 0..=1. The answer lies between the least and the greatest
/// value, in their unit.
///
/// # Errors
/// As [`nearest_rank`].
/// Source: Hyndman & Fan 1996, equations for Q1 to Q9.
pub fn by_type(sorted: &[f64], q: f64, definition: QuantileType) -> Result<f64, StatsError> {
    check_sorted(sorted)?;
    check_quantile(q, false)?;
    // Rank 0 stands for the first value and rank n+1 for the last: percentiles do not leave the sample.
    let at = |rank: f64| sorted[(rank.max(1.0) as usize).min(sorted.len()) - 1];
    let place = whole_if_nearly(q * sorted.len() as f64);
    let shift = match definition {
        QuantileType::Type1 => return Ok(at(place.ceil())),
        QuantileType::Type2 if place.fract() == 0.0 => return Ok(middle(at(place), at(place + 1.0), 0.5)),
        QuantileType::Type2 => return Ok(at(place.ceil())),
        QuantileType::Type3 => return Ok(at(place.round_ties_even())),
        QuantileType::Type4 => 0.0,
        QuantileType::Type5 => 0.5,
        QuantileType::Type6 => q,
        QuantileType::Type7 => 1.0 - q,
        QuantileType::Type8 => (q + 1.0) / 3.0,
        QuantileType::Type9 => q / 4.0 + 0.375,
    };
    let place = whole_if_nearly(q * sorted.len() as f64 + shift);
    Ok(middle(at(place.floor()), at(place.floor() + 1.0), place.fract()))
}

/// Ranks `(low, high)` of the two order statistics between which the true `q`-percentile lies with at least the given
/// confidence, each side missing it with at most half of the rest. 1-based, `1 <= low < high <= n`.
///
/// `n`: number of samples of a common distribution, which carry as much as `n / D` independent ones; `q` and
/// `confidence` strictly between 0 and 1. `None` when `n / D` is below [`minimum_n`] or an argument out of its range.
///
/// The same binomial test with all counts divided by the design effect, so that interval and verdict on the share
/// ([`crate::share::judge_at_most`]) always agree. `effects` at least 1, of the share *above* the percentile: if that
/// share is low, so is the percentile; else `None`.
/// Source: H. A. David, H. N. Nagaraja, "Order Statistics", 3rd edition, section 7.1.
pub fn ranks_with_design_effect(n: u64, q: f64, confidence: f64, effects: impl Into<Effects>) -> Option<(u64, u64)> {
    let effects = effects.into();
    check_quantile(q, true).ok()?;
    check_confidence(confidence).ok()?;
    check_design_effect(effects).ok()?;
    let miss = (1.0 - confidence) / 2.0;
    // The truth lies below the value of rank r with the chance that fewer than r samples lie below the truth.
    let counted = |rank: u64, effect: f64| (rank as f64 / effect, n as f64 / effect);
    let too_low = |rank: u64| {
        let (rank, n) = counted(rank - 1, effects.low);
        binomial_at_most(rank, n, q) <= miss
    };
    let too_high = |rank: u64| {
        let (rank, n) = counted(rank, effects.high);
        binomial_at_least(rank, n, q) <= miss
    };
    if n == 0 || !too_low(1) || !too_high(n) {
        return None;
    }
    let low = last_true(1, n, too_low);
    let high = n + 1 - last_true(1, n, |back| too_high(n + 1 - back));
    Some((low, high))
}

/// The least number of independent samples for which [`ranks_with_design_effect`] gives an interval.
///
/// `q` and `confidence` strictly between 0 and 1; otherwise no number is enough and the answer is `u64::MAX`.
/// Source: the greatest of n values lies below the percentile with the chance q^n.
pub fn minimum_n(q: f64, confidence: f64) -> u64 {
    if check_quantile(q, true).is_err() || check_confidence(confidence).is_err() {
        return u64::MAX;
    }
    least_effective(q, confidence).ceil() as u64
}

/// [`minimum_n`] before it is made whole, for checked arguments.
fn least_effective(q: f64, confidence: f64) -> f64 {
    let rarer = q.max(1.0 - q);
    ((1.0 - confidence) / 2.0).ln() / rarer.ln()
}

/// A percentile of times with its order-statistic interval.
///
/// `histogram`: the times of one phase, step or run; `q` strictly between 0 and 1 (the maximum is exact: read it from
/// the histogram); `effects` from [`crate::memory::Memory::effects`] of the share above the percentile.
/// All three numbers of the answer are in milliseconds. The interval takes the outer edges of its buckets, so the
/// histogram's error (at most 0.1 %) is inside it.
///
/// # Errors
/// [`StatsError::TooFew`] when the greatest value is not an upper bound yet ([`minimum_n`], times the design effect); [`StatsError::Saturated`] when a
/// rank lies among times of over an hour; [`StatsError::OutOfRange`], [`StatsError::NotFinite`] for arguments.
pub fn estimate(
    histogram: &Histogram,
    q: f64,
    confidence: f64,
    effects: impl Into<Effects>,
) -> Result<Estimate, StatsError> {
    let effects = effects.into();
    let total = histogram.total();
    let (low_rank, high_rank) = checked_ranks(total, q, confidence, effects)?;
    if high_rank > total.saturating_sub(histogram.saturated()) {
        return Err(StatsError::Saturated { count: histogram.saturated() });
    }
    let value = histogram.quantile(q).expect("invariant: a histogram with ranks is not empty");
    let (low, _) = edges_at(histogram, low_rank);
    let (_, high) = edges_at(histogram, high_rank);
    Ok(Estimate {
        value: value.as_millis_f64(),
        low: low.as_millis_f64(),
        high: high.as_millis_f64(),
        confidence,
        sample_count: total,
        design_effect: effects.greater(),
        method: METHOD,
    })
}

/// Makes the bounds of intervals of rising percentiles of one sample rise as the percentiles do.
///
/// `intervals`: one for each percentile, in the order of the percentiles, `(low, high)` in one unit; `None` where there is
/// none, which says nothing of its neighbours. Each has a design effect of its own, so the wide interval of a lower
/// percentile may reach beyond the narrow one of a higher. What is above a percentile bounds the lower ones as well, but the
/// lesser of several upper bounds is wrong more often than each by itself; so bounds only ever move outwards: an upper one
/// is at least those of the lower percentiles, a lower one at most those of the higher. Each interval then covers its
/// percentile at least as often as before.
pub fn ascending(intervals: &mut [Option<(f64, f64)>]) {
    let mut most = f64::NEG_INFINITY;
    for (_, high) in intervals.iter_mut().flatten() {
        most = high.max(most);
        *high = most;
    }
    let mut least = f64::INFINITY;
    for (low, _) in intervals.iter_mut().rev().flatten() {
        least = low.min(least);
        *low = least;
    }
}

/// [`estimate`] on the values themselves, ascending, any unit; the answer is in that unit.
///
/// # Errors
/// As [`estimate`] and [`nearest_rank`].
pub fn estimate_sorted(
    sorted: &[f64],
    q: f64,
    confidence: f64,
    effects: impl Into<Effects>,
) -> Result<Estimate, StatsError> {
    let effects = effects.into();
    let value = nearest_rank(sorted, q)?;
    let (low, high) = checked_ranks(sorted.len() as u64, q, confidence, effects)?;
    Ok(Estimate {
        value,
        low: sorted[low as usize - 1],
        high: sorted[high as usize - 1],
        confidence,
        sample_count: sorted.len() as u64,
        design_effect: effects.greater(),
        method: METHOD,
    })
}

const METHOD: &str = "nearest rank, order-statistic interval";

fn checked_ranks(n: u64, q: f64, confidence: f64, effects: Effects) -> Result<(u64, u64), StatsError> {
    check_quantile(q, true)?;
    check_confidence(confidence)?;
    check_design_effect(effects)?;
    let need = (least_effective(q, confidence) * effects.greater()).ceil() as u64;
    ranks_with_design_effect(n, q, confidence, effects).ok_or(StatsError::TooFew { have: n, need })
}

/// Least and greatest time that the value of this rank can have had.
fn edges_at(histogram: &Histogram, rank: u64) -> (Nanos, Nanos) {
    let min = histogram.min().expect("invariant: a histogram with ranks is not empty");
    let max = histogram.max().expect("invariant: a histogram with ranks is not empty");
    let mut seen = 0;
    for (index, count) in histogram.nonzero() {
        seen += count;
        if seen >= rank {
            return (Buckets::low(index).max(min).min(max), Buckets::high(index).min(max).max(min));
        }
    }
    (max, max)
}

/// The last of `first..=last` for which a test holds that holds for `first` and, once false, stays false.
fn last_true(first: u64, last: u64, holds: impl Fn(u64) -> bool) -> u64 {
    let (mut good, mut end) = (first, last);
    while good < end {
        let middle = good + (end - good).div_ceil(2);
        if holds(middle) {
            good = middle;
        } else {
            end = middle - 1;
        }
    }
    good
}

/// A product that should be whole is not lifted by rounding noise: 0.07·100 is 7, not 7.000000000000001.
fn whole_if_nearly(place: f64) -> f64 {
    let rounded = place.round();
    if (place - rounded).abs() < 1e-9 * place.abs().max(1.0) { rounded } else { place }
}

/// The value at `part` of the way from `a` to `b`; exactly `a` when they are equal, and never beyond either.
fn middle(a: f64, b: f64, part: f64) -> f64 {
    if part == 0.0 || a == b { a } else { (a * (1.0 - part) + b * part).clamp(a, b) }
}

fn check_sorted(sorted: &[f64]) -> Result<(), StatsError> {
    let (Some(first), Some(last)) = (sorted.first(), sorted.last()) else {
        return Err(StatsError::TooFew { have: 0, need: 1 });
    };
    // A value that is not a number compares with none, so `is_sorted` finds it wherever it hides.
    if !first.is_finite() || !last.is_finite() {
        return Err(StatsError::NotFinite);
    }
    if sorted.is_sorted() {
        return Ok(());
    }
    Err(if sorted.iter().any(|value| value.is_nan()) { StatsError::NotFinite } else { StatsError::NotSorted })
}

fn check_quantile(q: f64, strictly_inside: bool) -> Result<(), StatsError> {
    if !q.is_finite() {
        return Err(StatsError::NotFinite);
    }
    if strictly_inside && (q <= 0.0 || q >= 1.0) {
        return Err(StatsError::OutOfRange("`q` must lie strictly between 0 and 1; minimum and maximum are exact"));
    }
    if !(0.0..=1.0).contains(&q) {
        return Err(StatsError::OutOfRange("`q` must lie between 0 and 1"));
    }
    Ok(())
}
