//! A straight line through a few independent values, such as one of each load: does it rise, and by how much.
//! Page: `docs/methods/trends.md`.

use crate::series::check;
use crate::special::student_two_sided;
use crate::{Estimate, StatsError, check_confidence};

/// Fewer points than this carry no statement: with three degrees of freedom left a line may just be told from chance.
pub const FEWEST_POINTS: usize = 5;
/// Confidence of the slopes of a few values. Iterations follow one another, so their values may resemble those before;
/// at 95 % a correlation of a half would claim a trend in 12 to 19 % of runs that have none, at 99 % in 3 to 8 %.
pub const FEW_CONFIDENCE: f64 = 0.99;

/// The slope of the line of least squares, with Student's interval of the slope.
///
/// `points`: (place, value), at least [`FEWEST_POINTS`], not all at one place, each value measured by itself. Slope: unit
/// of the value over that of the place. The scatter about the line is that of the interval: a curve that bends widens it.
///
/// # Errors
/// [`StatsError::TooFew`], [`StatsError::NotFinite`], [`StatsError::OutOfRange`] where all places are one.
/// Source: N. R. Draper, H. Smith, "Applied Regression Analysis", 3rd ed. 1998, section 1.4.
pub fn slope(points: &[(f64, f64)], confidence: f64) -> Result<Estimate, StatsError> {
    check_confidence(confidence)?;
    let (places, values): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
    check(&places, FEWEST_POINTS)?;
    check(&values, FEWEST_POINTS)?;
    let count = points.len() as f64;
    let mean = |all: &[f64]| all.iter().sum::<f64>() / count;
    let (middle, level) = (mean(&places), mean(&values));
    let spread: f64 = places.iter().map(|place| (place - middle).powi(2)).sum();
    if spread <= f64::EPSILON * count * middle.abs().max(f64::MIN_POSITIVE).powi(2) {
        return Err(StatsError::OutOfRange("all values are of one place"));
    }
    let value = points.iter().map(|(x, y)| (x - middle) * (y - level)).sum::<f64>() / spread;
    let off: f64 = points.iter().map(|(x, y)| (y - level - value * (x - middle)).powi(2)).sum();
    let freedom = count - 2.0;
    let half = student_two_sided(freedom, confidence) * (off / freedom / spread).sqrt();
    if !value.is_finite() || !half.is_finite() {
        return Err(StatsError::NotFinite);
    }
    Ok(Estimate {
        value,
        low: value - half,
        high: value + half,
        confidence,
        sample_count: points.len() as u64,
        design_effect: 1.0,
        method: "least squares, Student's t",
    })
}

/// The factor by which values change where the load doubles, with its interval: 2 to the power of the slope of their
/// logarithms. 1 is not a change, 2 is growth in proportion.
///
/// `points`: (load, value), all above 0, otherwise as in [`slope`].
///
/// # Errors
/// As [`slope`]; [`StatsError::OutOfRange`] for what is not above 0.
pub fn factor_per_doubling(points: &[(f64, f64)], confidence: f64) -> Result<Estimate, StatsError> {
    if points.iter().any(|(load, value)| *load <= 0.0 || *value <= 0.0) {
        return Err(StatsError::OutOfRange("loads and values must be above 0"));
    }
    let logs: Vec<(f64, f64)> = points.iter().map(|(load, value)| (load.log2(), value.ln())).collect();
    let slope = slope(&logs, confidence)?;
    let factor = |slope: f64| slope.exp();
    Ok(Estimate { value: factor(slope.value), low: factor(slope.low), high: factor(slope.high), ..slope })
}
