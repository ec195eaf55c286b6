//! Comparing two samples, two runs, or several runs of two kinds. Page: `docs/methods/comparisons.md`.
//!
//! A comparison ends in one of three ways. *Different* and *equivalent* are both claims that need proof; a wide interval
//! proves neither. "No significant difference" is not among them, because a short run would earn it for nothing.

mod family;
mod ranks;
mod runs;

pub use family::{FALSE_CLAIMS, benjamini_hochberg, chance_beyond};
pub use ranks::{MannWhitney, hodges_lehmann, hodges_lehmann_ratio, mann_whitney};
pub use runs::{Pilot, difference_of_runs, ratio_of_runs, runs_needed};

use crate::StatsError;

/// How much two sides may differ and still count as equal, unless the study says otherwise: 5 %.
pub const USUAL_BAND: f64 = 0.05;

/// What a comparison proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// The whole interval lies outside the band: the change is real, and larger than the band.
    Different,
    /// The whole interval lies inside the band.
    Equivalent,
    /// The interval reaches across an edge of the band.
    Inconclusive,
}

/// Judges a ratio against the band `1/(1+band) ..= 1+band`.
///
/// `wide`: the interval for "different", normally of 95 %; `narrow`: that for "equivalent", of 90 %, which makes two
/// one-sided tests at 5 % each. Both are ratios above 0, low end first; `band` above 0, for example 0.05. Numbers that
/// are not finite, or out of order, prove nothing.
///
/// Source: D. J. Schuirmann, "A comparison of the two one-sided tests procedure and the power approach for assessing
/// the equivalence of average bioavailability", Journal of Pharmacokinetics and Biopharmaceutics 15 (6), 1987.
pub fn judge_ratio(wide: (f64, f64), narrow: (f64, f64), band: f64) -> Comparison {
    let sound = |(low, high): (f64, f64)| low > 0.0 && low <= high && high.is_finite();
    if !sound(wide) || !sound(narrow) || band.is_nan() || band <= 0.0 || band.is_infinite() {
        return Comparison::Inconclusive;
    }
    let (low_edge, high_edge) = (1.0 / (1.0 + band), 1.0 + band);
    if wide.0 > high_edge || wide.1 < low_edge {
        return Comparison::Different;
    }
    if narrow.0 >= low_edge && narrow.1 <= high_edge {
        return Comparison::Equivalent;
    }
    Comparison::Inconclusive
}

/// Judges a difference of shares against the band `-band ..= band`, both in shares of one (0.01 is one percentage
/// point). Intervals as in [`judge_ratio`]; they may be negative.
pub fn judge_difference(wide: (f64, f64), narrow: (f64, f64), band: f64) -> Comparison {
    let sound = |(low, high): (f64, f64)| low.is_finite() && low <= high && high.is_finite();
    if !sound(wide) || !sound(narrow) || band.is_nan() || band <= 0.0 {
        return Comparison::Inconclusive;
    }
    if wide.0 > band || wide.1 < -band {
        return Comparison::Different;
    }
    if -band <= narrow.0 && narrow.1 <= band {
        return Comparison::Equivalent;
    }
    Comparison::Inconclusive
}

/// A change with the interval that the rounding of its inputs leaves open. All three are shares: 0.58 is +58 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// `other/base - 1`.
    pub value: f64,
    /// The least change that values rounding to these inputs can have.
    pub low: f64,
    pub high: f64,
}

/// The relative change from `base` to `other`, two values that were rounded to a step of `2·half_step`.
///
/// Both in one unit, `base > half_step`, `other >= 0`, `half_step >= 0`: 0.024 s and 0.038 s given to a millisecond
/// have the half step 0.0005 s. The interval is `[(other-h)/(base+h) - 1, (other+h)/(base-h) - 1]`; it says nothing
/// about chance, only about digits.
///
/// # Errors
/// [`StatsError::NotFinite`], [`StatsError::OutOfRange`].
pub fn percent_change(base: f64, other: f64, half_step: f64) -> Result<Change, StatsError> {
    if !(base.is_finite() && other.is_finite() && half_step.is_finite()) {
        return Err(StatsError::NotFinite);
    }
    if half_step < 0.0 || other < 0.0 {
        return Err(StatsError::OutOfRange("`other` and `half_step` must not be negative"));
    }
    if base <= half_step {
        return Err(StatsError::OutOfRange("`base` must be above its rounding, else the change has no upper end"));
    }
    let change = Change {
        value: other / base - 1.0,
        low: (other - half_step).max(0.0) / (base + half_step) - 1.0,
        high: (other + half_step) / (base - half_step) - 1.0,
    };
    if change.value.is_finite() && change.high.is_finite() { Ok(change) } else { Err(StatsError::NotFinite) }
}
