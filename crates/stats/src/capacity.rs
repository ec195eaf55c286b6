//! Capacity: growth against load from step to step, and the interval in which the limit lies. Page:
//! `docs/methods/capacity.md`.
//!
//! Capacity is an interval: the highest load that held and the lowest that did not ([`capacity_interval`]). Where
//! nothing failed it is a lower bound. No fitted curve enters it.

use crate::special::normal_quantile;
use crate::{Estimate, StatsError, check_confidence, check_design_effect};

/// What is counted over one step: its rate is `count / seconds`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CountedOver {
    /// Iterations that succeeded; at least 1.
    pub count: u64,
    /// Length of the window in seconds, above 0.
    pub seconds: f64,
    /// How many of the counts are worth one independent count, at least 1; 1 for a Poisson count.
    pub design_effect: f64,
}

/// The ratio of two rates, `after / before`, with an interval on the logarithmic scale.
///
/// The relative standard error of a count `n` is `sqrt(D/n)`; both errors add in squares. `confidence` two-sided.
/// Returns a ratio without unit.
///
/// # Errors
/// [`StatsError::TooFew`] when a count is 0; [`StatsError::NotFinite`]; [`StatsError::OutOfRange`].
/// Source: the delta method on the logarithm of a Poisson count; G. A. Barnard's form of the ratio of two rates.
pub fn rate_ratio(before: CountedOver, after: CountedOver, confidence: f64) -> Result<Estimate, StatsError> {
    check_confidence(confidence)?;
    for side in [before, after] {
        check_design_effect(side.design_effect.into())?;
        if !side.seconds.is_finite() {
            return Err(StatsError::NotFinite);
        }
        if side.seconds <= 0.0 {
            return Err(StatsError::OutOfRange("`seconds` must be above 0"));
        }
        if side.count == 0 {
            return Err(StatsError::TooFew { have: 0, need: 1 });
        }
    }
    let rate = |side: CountedOver| side.count as f64 / side.seconds;
    let error = (before.design_effect / before.count as f64 + after.design_effect / after.count as f64).sqrt();
    let spread = (error * normal_quantile(0.5 + confidence / 2.0)).exp();
    let value = rate(after) / rate(before);
    if !spread.is_finite() || !value.is_finite() {
        return Err(StatsError::NotFinite);
    }
    Ok(Estimate {
        value,
        low: value / spread,
        high: value * spread,
        confidence,
        sample_count: before.count.saturating_add(after.count),
        design_effect: before.design_effect.max(after.design_effect),
        method: "ratio of counts, logarithmic",
    })
}

/// One load that was tried, and whether it held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriedLoad {
    /// The load, in any unit that grows with it: arrivals a second, users.
    pub load: f64,
    /// `Some(true)` held, `Some(false)` did not, `None` cannot tell.
    pub held: Option<bool>,
}

/// Where the capacity lies.
#[derive(Clone, Debug, PartialEq)]
pub struct CapacityInterval {
    /// The highest load that held and lies below every load that did not; `None` when there is none.
    pub highest_held: Option<f64>,
    /// The lowest load that did not hold; `None`: no load failed, so `highest_held` is only a lower bound.
    pub lowest_failed: Option<f64>,
    /// Loads that held although a lower one did not, ascending: the lower one should be repeated.
    pub held_above_a_failure: Vec<f64>,
}

/// The pair of bounds from loads that were tried, in any order.
///
/// A load that both held and failed in repetitions counts as failed. Loads that could not be told bound nothing.
///
/// # Errors
/// [`StatsError::NotFinite`].
/// Source: RFC 9971 (2026), the relevant upper bound (the smallest load known to be too high) and the relevant lower
/// bound (the largest load known to hold below it).
pub fn capacity_interval(tried: &[TriedLoad]) -> Result<CapacityInterval, StatsError> {
    if tried.iter().any(|one| !one.load.is_finite()) {
        return Err(StatsError::NotFinite);
    }
    let loads = |held: bool| tried.iter().filter(move |one| one.held == Some(held)).map(|one| one.load);
    let lowest_failed = loads(false).min_by(f64::total_cmp);
    let limit = lowest_failed.unwrap_or(f64::INFINITY);
    let highest_held = loads(true).filter(|&load| load < limit).max_by(f64::total_cmp);
    let mut held_above_a_failure: Vec<f64> = loads(true).filter(|&load| load > limit).collect();
    held_above_a_failure.sort_by(f64::total_cmp);
    held_above_a_failure.dedup();
    Ok(CapacityInterval { highest_held, lowest_failed, held_above_a_failure })
}

/// Whether throughput has stopped growing: the ratio to the lower load's throughput, beside that of the loads.
///
/// True when the upper bound of the throughput's growth stays below a tenth of the load's growth
/// (`1 + 0.1·(load_ratio - 1)`), the flat part of the curve; false when the lower bound lies above that; `None` between.
#[must_use]
pub fn is_flat(growth: &Estimate, load_ratio: f64) -> Option<bool> {
    /// The share of the load's growth below which a curve is called flat: well under the 60 % of the NSP rule.
    const FLAT_SHARE: f64 = 0.1;
    let line = 1.0 + FLAT_SHARE * (load_ratio - 1.0);
    if load_ratio.is_nan() || load_ratio <= 1.0 {
        return None;
    }
    if growth.high < line {
        Some(true)
    } else if growth.low > line {
        Some(false)
    } else {
        None
    }
}
