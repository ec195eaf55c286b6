//! The knee of a curve by Kneedle: an annotation on a capacity curve, never a capacity. Page:
//! `docs/methods/knee.md`.

use crate::StatsError;
use crate::trend::mann_kendall;

/// The chance at which a straight line may be called bent.
pub const BEND_P: f64 = 0.05;

/// Whether a curve of throughput against load bends downwards by more than chance explains: throughput over load falls.
///
/// `points`: `(load, throughput)`, loads above 0 and ascending, at least 4, each measured on its own. Kendall's test of
/// `throughput/load`, one-sided; on a straight line it is indifferent to how much the values stray, as long as they
/// stray alike at all loads.
///
/// # Errors
/// [`StatsError::TooFew`] for fewer than 4 points; [`StatsError::OutOfRange`] for loads that are not above 0;
/// [`StatsError::NotFinite`].
pub fn bends(points: &[(f64, f64)]) -> Result<bool, StatsError> {
    if points.iter().any(|(load, _)| *load <= 0.0) {
        return Err(StatsError::OutOfRange("loads must be above 0"));
    }
    let of_one: Vec<f64> = points.iter().map(|(load, throughput)| throughput / load).collect();
    Ok(1.0 - mann_kendall(&of_one)?.p_rising() <= BEND_P)
}

/// The knee of a rising curve that bends downwards: the `x` after which more of it brings clearly less `y`.
///
/// `points`: `(x, y)` with `x` strictly ascending, at least 3; `sensitivity` `S`, 0 or more (1 is usual; larger asks for a
/// sharper bend). Returns the `x` of the first knee, `None` when the curve does not bend enough. The answer depends on
/// the range that was tried and on `S`.
///
/// The difference curve is `y - x` on the unit square. From each local maximum above the chord on, a knee is found when
/// the curve falls below that maximum minus `S` times the mean distance in `x`; after a local minimum, when it falls
/// below 0.
///
/// # Errors
/// [`StatsError::TooFew`] for fewer than 3 points; [`StatsError::NotSorted`]; [`StatsError::NotFinite`];
/// [`StatsError::OutOfRange`] for a negative sensitivity.
/// Source: V. Satopää, J. Albrecht, D. Irwin, B. Raghavan, "Finding a 'Kneedle' in a haystack", ICDCSW 2011.
pub fn kneedle(points: &[(f64, f64)], sensitivity: f64) -> Result<Option<f64>, StatsError> {
    if points.len() < 3 {
        return Err(StatsError::TooFew { have: points.len() as u64, need: 3 });
    }
    if points.iter().any(|(x, y)| !x.is_finite() || !y.is_finite()) || !sensitivity.is_finite() {
        return Err(StatsError::NotFinite);
    }
    if points.windows(2).any(|pair| pair[0].0 >= pair[1].0) {
        return Err(StatsError::NotSorted);
    }
    if sensitivity < 0.0 {
        return Err(StatsError::OutOfRange("`sensitivity` must be 0 or more"));
    }
    let difference = difference_curve(points);
    Ok(first_knee(&difference, sensitivity).map(|index| points[index].0))
}

/// `y - x` of every point on the unit square; all 0 for a curve without height.
fn difference_curve(points: &[(f64, f64)]) -> Vec<f64> {
    let (first, last) = (points[0].0, points[points.len() - 1].0);
    let low = points.iter().map(|point| point.1).fold(f64::INFINITY, f64::min);
    let high = points.iter().map(|point| point.1).fold(f64::NEG_INFINITY, f64::max);
    if high <= low {
        return vec![0.0; points.len()];
    }
    points.iter().map(|(x, y)| (y - low) / (high - low) - (x - first) / (last - first)).collect()
}

fn first_knee(difference: &[f64], sensitivity: f64) -> Option<usize> {
    let last = difference.len() - 1;
    // The points are spread over the unit interval, so their mean distance is one over their number less one.
    let allowance = sensitivity / last as f64;
    let mut knee = None;
    let mut threshold = f64::NEG_INFINITY;
    for index in 1..last {
        let (before, here, after) = (difference[index - 1], difference[index], difference[index + 1]);
        if here >= before && here >= after && here > 0.0 {
            (knee, threshold) = (Some(index), here - allowance);
        } else if here <= before && here <= after && knee.is_some() {
            threshold = 0.0;
        }
        if after < threshold {
            return knee;
        }
    }
    None
}
