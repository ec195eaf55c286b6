//! Many rows judged together: how sure each claim is, and which claims stand when all are looked at.

use crate::StatsError;
use crate::special::{normal_quantile, student_tail, student_two_sided, upper_normal};

/// Share of the claims of a family that may be wrong, on average; where nothing differs, the chance of any claim.
pub const FALSE_CLAIMS: f64 = 0.05;

/// From so many degrees of freedom on, Student's t is the normal distribution to six digits.
const NORMAL: f64 = 1e9;

/// Chance that a value which lies on an edge is seen so far beyond it: the two-sided p at which the interval would reach
/// just to the edge.
///
/// `value` with `end`, the end of its interval that is nearer to the `edge`, on a scale on which errors are symmetric: the
/// logarithms of ratios, differences of shares as they are. `confidence` of the interval, `freedom`: degrees of freedom
/// of its Student's t, above 0; infinite for the normal distribution. 1 where the value is not beyond the edge.
pub fn chance_beyond(value: f64, end: f64, edge: f64, confidence: f64, freedom: f64) -> f64 {
    let (reach, distance) = ((value - end).abs(), (value - edge).abs());
    let is_beyond = if value > edge { end <= value } else { value < edge && end >= value };
    if !is_beyond || freedom.is_nan() || freedom <= 0.0 || !(reach.is_finite() && distance.is_finite()) {
        return 1.0;
    }
    if reach == 0.0 {
        return 0.0;
    }
    let times = distance / reach;
    let tail = if freedom < NORMAL {
        student_tail(freedom, student_two_sided(freedom, confidence) * times)
    } else {
        upper_normal(normal_quantile(0.5 + confidence / 2.0) * times)
    };
    (2.0 * tail).min(1.0)
}

/// P values after Benjamini and Hochberg: each is the least share of false claims at which its own claim is made.
///
/// `p`: any number of values in 0..=1, in any order; the answer is in the same order. Valid where the values are
/// independent, or where those of equal sides rise and fall together, as percentiles of the same calls do.
///
/// # Errors
/// [`StatsError::OutOfRange`] for a value outside 0..=1, or that is not a number.
/// Source: Y. Benjamini, Y. Hochberg, Journal of the Royal Statistical Society B 57 (1), 1995; Y. Benjamini,
/// D. Yekutieli, Annals of Statistics 29 (4), 2001 (positive dependence).
pub fn benjamini_hochberg(p: &[f64]) -> Result<Vec<f64>, StatsError> {
    if p.iter().any(|value| !(0.0..=1.0).contains(value)) {
        return Err(StatsError::OutOfRange("a p value must lie between 0 and 1"));
    }
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[b].total_cmp(&p[a]));
    let mut adjusted = vec![1.0; p.len()];
    let mut least = 1.0f64;
    for (above, &place) in order.iter().enumerate() {
        let rank = p.len() - above;
        least = least.min(p[place] * p.len() as f64 / rank as f64);
        adjusted[place] = least;
    }
    Ok(adjusted)
}
