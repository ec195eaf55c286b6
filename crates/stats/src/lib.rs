//! Statistics as pure functions: percentiles, shares and means with intervals, design effects, Little's law, queues.
//!
//! # Place in the pipeline
//! `judge` calls these functions with what it has read from the run folder. They take slices and
//! [`terms::Histogram`]s, and know no clock, no file and no random number but from a given seed.
//!
//! # Ideas
//! * No number without its interval: an estimate is an [`Estimate`], which names its confidence level, the number of
//!   samples, the design effect and the method.
//! * A requirement on a percentile is a statement about a share ("at most 5 % are slower than 300 ms"), so it is
//!   judged on counts, exactly ([`share::judge_at_most`]). The percentile itself is for reading ([`quantile`]).
//! * Calls of one run resemble their neighbours in time. How much less a sample is worth for that reason is its
//!   design effect `D` ([`batches`]); `n` calls count as `n/D` independent ones.
//! * Nothing is rounded and nothing is printed; what is not a number, empty or too short is refused by [`StatsError`].
//!
//! One page for each method, with its weak spots, is in `docs/methods`.
//!
//! # Example
//! ```
//! use stats::share::{ShareVerdict, judge_at_most};
//!
//! // 18 of 837 calls were slower than 6.5 s; at most 5 % may be.
//! let judgement = judge_at_most(18, 837, 0.05, 0.05, 1.0);
//! assert_eq!(judgement.verdict, ShareVerdict::Pass);
//! assert!(judgement.high < 0.032);
//! ```
//!
//! # Not here
//! Which requirement is met is decided in `judge`; words and rounding are in `report`. The buckets of histograms are
//! in `terms`. Exact statements about a run (`min`, `max`, counts, sums, shares demanded at 0 % or 100 %) need no
//! statistics and are read from the counts.

pub mod align;
pub mod batches;
pub mod bootstrap;
pub mod bottleneck;
pub mod capacity;
pub mod capacity_nsp;
pub mod change;
pub mod compare;
mod correlation;
pub mod extrapolate;
pub mod few;
pub mod fluid;
pub mod knee;
pub mod little;
pub mod looks;
pub mod mean;
pub mod memory;
pub mod moments;
pub mod outliers;
pub mod periodic;
pub mod quantile;
pub mod queues;
pub mod reference;
pub mod search;
pub mod series;
pub mod share;
pub mod skew;
mod special;
pub mod steady;
pub mod tail;
pub mod trend;
pub mod usl;
pub mod working;

#[cfg(test)]
mod tests;

/// A number estimated from a sample, with the interval that covers the truth in a share `confidence` of all runs.
///
/// Always `low <= value <= high`, all finite. The unit is that of the function's input unless its text says otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// The point estimate.
    pub value: f64,
    /// Lower bound of the interval.
    pub low: f64,
    /// Upper bound of the interval.
    pub high: f64,
    /// Confidence level of the two-sided interval, for example `0.95`.
    pub confidence: f64,
    /// Number of samples as counted, not divided by the design effect.
    pub sample_count: u64,
    /// How many of these samples are worth one independent sample; at least 1.
    pub design_effect: f64,
    /// Name of the method, as the pages in `docs/methods` have it.
    pub method: &'static str,
}

/// Why a number is not given.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StatsError {
    /// The sample is too small for this question at this confidence. Measure longer, or ask for less.
    #[error("too few: {have} given, at least {need} needed")]
    TooFew {
        /// How many there were: samples, seconds or batches, as the function's text says.
        have: u64,
        /// How many would be enough.
        need: u64,
    },
    /// An input is not a number or infinite.
    #[error("an input is not a finite number")]
    NotFinite,
    /// The best place to cut off a warm-up lies at the bound: what follows still changes. Run longer.
    #[error("no steady state: the series still changes in its second half")]
    NoSteadyState,
    /// Values must be in ascending order.
    #[error("the values are not in ascending order")]
    NotSorted,
    /// An argument lies outside its range; the text names the argument and the range.
    #[error("{0}")]
    OutOfRange(&'static str),
    /// The percentile or its bound lies among times too long for the histogram.
    #[error("{count} times were too long for the histogram (over one hour), and the percentile lies among them")]
    Saturated {
        /// Number of times in the last bucket.
        count: u64,
    },
    /// The queue has no steady state: work arrives as fast as it can be done, or faster.
    #[error("no steady state: the utilisation is {utilisation}, it must be below 1")]
    Unstable {
        /// Offered load divided by the number of servers.
        utilisation: f64,
    },
}

/// Checks that a confidence level lies strictly between 0 and 1.
fn check_confidence(confidence: f64) -> Result<(), StatsError> {
    if !confidence.is_finite() {
        return Err(StatsError::NotFinite);
    }
    if confidence <= 0.0 || confidence >= 1.0 {
        return Err(StatsError::OutOfRange("`confidence` must lie between 0 and 1, for example 0.95"));
    }
    Ok(())
}

/// Checks that design effects are at least 1.
fn check_design_effect(effects: memory::Effects) -> Result<(), StatsError> {
    if !effects.low.is_finite() || !effects.high.is_finite() {
        return Err(StatsError::NotFinite);
    }
    if effects.low < 1.0 || effects.high < 1.0 {
        return Err(StatsError::OutOfRange("`design_effect` must be 1 or more"));
    }
    Ok(())
}
