//! Several runs of each kind: one value a run, and how many runs a question needs.

use crate::mean::{plain, variance};
use crate::special::{ln_gamma, normal_quantile, student_two_sided, upper_normal};
use crate::{Estimate, StatsError, check_confidence};

/// Beyond this many runs a side, "repeat it" is no advice any more.
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

/// Standard deviation divided by the mean, of one value a run; the deviation divides by `n - 1`.
///
/// # Errors
/// [`StatsError::TooFew`] below two; [`StatsError::NotFinite`]; [`StatsError::OutOfRange`] for a mean of 0 or below.
pub fn coefficient_of_variation(values: &[f64]) -> Result<f64, StatsError> {
    let deviation = variance(values)?.sqrt();
    let mean = plain(values)?;
    if mean > 0.0 { Ok(deviation / mean) } else { Err(StatsError::OutOfRange("the mean must be above 0")) }
}

/// The least relative change that `runs` against `runs` runs detect with the chance `power`.
///
/// `variation`: the coefficient of variation from run to run, above 0 (0.03 for 3 %); `runs` 2 to 1000 a side; `alpha`:
/// two-sided chance of a false alarm, normally 0.05; `power` above `alpha`, normally 0.8. The answer is a share: 0.06 is
/// 6 %. Exact for Student's test: the noncentrality at which the noncentral t passes its critical value with that
/// power, times `variation·sqrt(2/runs)`.
///
/// # Errors
/// [`StatsError::OutOfRange`], [`StatsError::NotFinite`].
/// Source: J. Cohen, "Statistical Power Analysis", chapter 2; the noncentral t as a mixture over the chi distribution.
pub fn minimum_detectable_change(variation: f64, runs: u64, alpha: f64, power: f64) -> Result<f64, StatsError> {
    check_power(variation, runs, alpha, power)?;
    let freedom = 2.0 * runs as f64 - 2.0;
    let critical = student_two_sided(freedom, 1.0 - alpha);
    let (mut low, mut high) = (0.0, 2.0 * critical + 20.0);
    // The bracket halves each time; 60 times leaves nothing of a width of a few tens.
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if power_of_t(middle, critical, freedom) < power {
            low = middle;
        } else {
            high = middle;
        }
    }
    Ok(high * variation * (2.0 / runs as f64).sqrt())
}

/// [`minimum_detectable_change`] by the normal approximation `(z(1-alpha/2) + z(power))·variation·sqrt(2/runs)`, which
/// is too small for few runs; kept because tables and other tools print it.
///
/// # Errors
/// As [`minimum_detectable_change`].
pub fn minimum_detectable_change_normal(variation: f64, runs: u64, alpha: f64, power: f64) -> Result<f64, StatsError> {
    check_power(variation, runs, alpha, power)?;
    let reach = normal_quantile(1.0 - alpha / 2.0) + normal_quantile(power);
    Ok(reach * variation * (2.0 / runs as f64).sqrt())
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

/// The chance that |T| passes `critical`, T noncentral t: the normal tail averaged over the sample's deviation `s`,
/// whose density is that of `sqrt(chi²(freedom)/freedom)`, by Simpson's rule.
fn power_of_t(noncentrality: f64, critical: f64, freedom: f64) -> f64 {
    const PANELS: u32 = 400;
    // Beyond this deviation less than 1e-15 of the weight is left, for any freedom from 1 on.
    let widest = 1.0 + 9.0 / freedom.sqrt();
    let constant = 2f64.ln() + freedom / 2.0 * (freedom / 2.0).ln() - ln_gamma(freedom / 2.0);
    let at = |s: f64| {
        let weight = if s > 0.0 {
            (constant + (freedom - 1.0) * s.ln() - freedom * s * s / 2.0).exp()
        } else if freedom == 1.0 {
            constant.exp()
        } else {
            0.0
        };
        weight * (upper_normal(critical * s - noncentrality) + upper_normal(critical * s + noncentrality))
    };
    let step = widest / f64::from(PANELS);
    let inner: f64 =
        (1..PANELS).map(|panel| if panel % 2 == 1 { 4.0 } else { 2.0 } * at(f64::from(panel) * step)).sum();
    step / 3.0 * (at(0.0) + inner + at(widest))
}

fn check_power(variation: f64, runs: u64, alpha: f64, power: f64) -> Result<(), StatsError> {
    if !(variation.is_finite() && alpha.is_finite() && power.is_finite()) {
        return Err(StatsError::NotFinite);
    }
    if variation <= 0.0 || !(2..=RUNS_MOST).contains(&runs) {
        return Err(StatsError::OutOfRange("`variation` must be above 0 and `runs` 2 to 1000"));
    }
    if alpha <= 0.0 || power >= 1.0 || power <= alpha {
        return Err(StatsError::OutOfRange("`alpha` must be above 0 and below `power`, and `power` below 1"));
    }
    Ok(())
}
