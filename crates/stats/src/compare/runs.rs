//! Several runs of each kind: one value a run, and how many runs a question needs.

use crate::moments::plain;
use crate::special::{student_two_sided, upper_normal};
use crate::{Estimate, StatsError, check_confidence};

/// More runs a side than this are not recommended: nobody would repeat it so often.
const RUNS_MOST: u64 = 1000;
/// The chance with which the advised number of runs settles the question, over all that the ratio may be. By simulation,
/// at ratios that are not the edge itself it is then 87 to 100 %.
const SETTLED: f64 = 0.7;
/// Into how many equally likely parts what the true ratio may be is cut; even.
const TRUTHS: usize = 40;

/// The ratio `other / base` of two kinds of runs by Student's t on the logarithms of one value a run.
///
/// Values above 0 in one unit, one for each run (or repetition), at least one on each side and three in all; the
/// variance is taken to be the same on both sides and pooled over `m + n - 2` degrees of freedom. For four runs and
/// more on each side [`super::hodges_lehmann_ratio`] assumes less.
///
/// # Errors
/// [`StatsError::TooFew`] counting all runs; [`StatsError::NotFinite`]; [`StatsError::OutOfRange`] for values of 0 or
/// below. Source: Student 1908; on logarithms, so that the answer is a ratio.
pub fn ratio_of_runs(base: &[f64], other: &[f64], confidence: f64) -> Result<Estimate, StatsError> {
    check_confidence(confidence)?;
    let (base, other) = (logarithms(base)?, logarithms(other)?);
    let count = base.len() + other.len();
    if base.is_empty() || other.is_empty() || count < 3 {
        return Err(StatsError::TooFew { have: count as u64, need: 3 });
    }
    let freedom = count as f64 - 2.0;
    let shift = plain(&other)? - plain(&base)?;
    let spread = (squares(&base) + squares(&other)) / freedom;
    let error = (spread * (1.0 / base.len() as f64 + 1.0 / other.len() as f64)).sqrt();
    let half = error * student_two_sided(freedom, confidence);
    let (value, low, high) = (shift.exp(), (shift - half).exp(), (shift + half).exp());
    if !high.is_finite() {
        return Err(StatsError::NotFinite);
    }
    let method = "Student's t on logarithms of runs";
    Ok(Estimate { value, low, high, confidence, sample_count: count as u64, design_effect: 1.0, method })
}

/// The difference `other - base` of two kinds of runs by Student's t on one value a run, in the unit of the values.
///
/// At least one value on each side and three in all; the variance is taken to be the same on both sides and pooled over
/// `m + n - 2` degrees of freedom. Runs that came out all alike give an interval without width.
///
/// # Errors
/// [`StatsError::TooFew`] counting all runs; [`StatsError::NotFinite`]. Source: Student 1908.
pub fn difference_of_runs(base: &[f64], other: &[f64], confidence: f64) -> Result<Estimate, StatsError> {
    check_confidence(confidence)?;
    let count = base.len() + other.len();
    if base.is_empty() || other.is_empty() || count < 3 {
        return Err(StatsError::TooFew { have: count as u64, need: 3 });
    }
    let freedom = count as f64 - 2.0;
    let value = plain(other)? - plain(base)?;
    let spread = (squares(base) + squares(other)) / freedom;
    let error = (spread * (1.0 / base.len() as f64 + 1.0 / other.len() as f64)).sqrt();
    let half = error * student_two_sided(freedom, confidence);
    if !(value.is_finite() && half.is_finite()) {
        return Err(StatsError::NotFinite);
    }
    let (low, high, method) = (value - half, value + half, "Student's t on runs");
    Ok(Estimate { value, low, high, confidence, sample_count: count as u64, design_effect: 1.0, method })
}

/// What runs so far say of a ratio, as far as the next runs are to be planned by it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pilot {
    /// The ratio, above 0.
    pub ratio: f64,
    /// Standard deviation of the logarithm of one run's value, 0 or more.
    pub deviation: f64,
    /// Degrees of freedom of that, above 0.
    pub freedom: f64,
    /// Runs of both sides.
    pub runs: (usize, usize),
}

/// How many runs a side would settle a comparison in four of five cases and more, the runs so far not counted.
///
/// The true ratio may be any that the runs so far leave possible, each as likely as Student's t about theirs makes it.
/// A number of runs settles a ratio if the estimate then lies farther from the nearest edge of the band than the half
/// width `t(2r-2)·deviation·sqrt(2/r)`: outside the band that proves a difference, inside it equivalence. `band` and
/// `confidence` as in [`super::judge_ratio`] and for "different". From 2; `None` where a thousand would not do, or on
/// bad arguments.
pub fn runs_needed(pilot: &Pilot, band: f64, confidence: f64) -> Option<u64> {
    check_confidence(confidence).ok()?;
    let Pilot { ratio, deviation, freedom, runs } = *pilot;
    let is_sound = deviation >= 0.0 && deviation.is_finite() && ratio > 0.0 && ratio.is_finite() && freedom > 0.0;
    if !is_sound || band <= 0.0 || runs.0 == 0 || runs.1 == 0 {
        return None;
    }
    let error = deviation * (1.0 / runs.0 as f64 + 1.0 / runs.1 as f64).sqrt();
    let distances: Vec<f64> = (0..TRUTHS / 2)
        .map(|truth| student_two_sided(freedom, (truth as f64 + 0.5) / (TRUTHS / 2) as f64) * error)
        .flat_map(|away| [ratio.ln() - away, ratio.ln() + away])
        .map(|truth| (truth.abs() - band.ln_1p()).abs())
        .collect();
    let is_enough = |runs: u64| {
        let error = deviation * (2.0 / runs as f64).sqrt();
        let half = student_two_sided(2.0 * runs as f64 - 2.0, confidence) * error;
        let chance = |distance: &f64| {
            if error > 0.0 { upper_normal((half - distance) / error) } else { f64::from(u8::from(*distance > 0.0)) }
        };
        distances.iter().map(chance).sum::<f64>() >= SETTLED * TRUTHS as f64
    };
    if !is_enough(RUNS_MOST) {
        return None;
    }
    let (mut short, mut enough) = (1, RUNS_MOST);
    while enough - short > 1 {
        let middle = (short + enough) / 2;
        if is_enough(middle) { enough = middle } else { short = middle }
    }
    Some(enough)
}

/// Natural logarithms of values above 0.
pub(super) fn logarithms(values: &[f64]) -> Result<Vec<f64>, StatsError> {
    if values.iter().any(|value| !value.is_finite()) {
        return Err(StatsError::NotFinite);
    }
    if values.iter().any(|&value| value <= 0.0) {
        return Err(StatsError::OutOfRange("a ratio needs values above 0"));
    }
    Ok(values.iter().map(|value| value.ln()).collect())
}

/// Sum of squares about the mean; 0 for one value.
fn squares(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| (value - mean).powi(2)).sum()
}
