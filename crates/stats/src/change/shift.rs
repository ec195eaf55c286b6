//! Whether the level of a series shifts, told from slow wandering: a test that needs no estimate of the memory.

use crate::StatsError;
use crate::series::check;

/// Fewest values; with fewer there is nothing to compare.
pub const FEWEST: usize = 24;
/// Most values. With more there are more places to look at, and the chances would be greater than stated.
pub const MOST: usize = 60;
/// Places between two ends up to which, and from which on, the series is looked at.
const STEP: usize = 6;

/// Chances that the statistic of independent normal values without a shift is exceeded, and what they exceed: of
/// 1 000 000 simulated series of 60 values. Shorter series exceed it less often.
const EXCEEDED: [(f64, f64); 13] = [
    (1.0, 0.0),
    (0.5, 46.0),
    (0.2, 75.0),
    (0.1, 96.9),
    (0.05, 119.5),
    (0.02, 151.3),
    (0.01, 178.0),
    (0.005, 205.5),
    (0.002, 244.3),
    (0.001, 276.9),
    (0.0005, 309.7),
    (0.0001, 394.7),
    (0.000_01, 525.9),
];

/// Chance that a series of one level looks as if it shifted this much, once or several times; 0.00001 stands for all
/// that is less.
///
/// `values`: evenly spaced, oldest first, [`FEWEST`] to [`MOST`], each the mean of a batch where there are more. Each
/// place is looked at within the series up to several ends, and from several beginnings on. There, both sides are
/// compared, and the distance divided by how far the sums of the same values stray within either side: values that
/// resemble their neighbours stray further, so no design effect is needed, and a shift at that place does not enlarge
/// what it is divided by. A level that rises and comes back shows in the two scans as one that does not.
///
/// # Errors
/// [`StatsError::TooFew`], [`StatsError::NotFinite`], [`StatsError::OutOfRange`].
/// Source: X. Shao, X. Zhang, JASA 105, 2010 (the self-normalised statistic, its limits 40.1, 68.6 and 121.9 at 5, 1
/// and 0.1 % for one scan); T. Zhang, L. Lavitas, JASA 113, 2018 (two scans, for any number of shifts).
pub fn chance(values: &[f64]) -> Result<f64, StatsError> {
    check(values, FEWEST)?;
    if values.len() > MOST {
        return Err(StatsError::OutOfRange("at most 60 values; shorten the series first"));
    }
    let backwards: Vec<f64> = values.iter().rev().copied().collect();
    Ok(chance_of(scanned(values) + scanned(&backwards)))
}

/// The greatest [`statistic`] of the series up to an end.
fn scanned(values: &[f64]) -> f64 {
    let n = values.len();
    let ends = (FEWEST..n).step_by(STEP).chain([n]);
    ends.map(|end| statistic(&values[..end])).fold(0.0, f64::max)
}

/// The greatest self-normalised distance between both sides of a place: G of Shao and Zhang.
pub(crate) fn statistic(values: &[f64]) -> f64 {
    let n = values.len();
    let mean = values.iter().sum::<f64>() / n as f64;
    let mut sums = vec![0.0];
    for value in values {
        sums.push(sums[sums.len() - 1] + value - mean);
    }
    // What rounding leaves; a series that does not vary at all must not be divided by it.
    let scale = values.iter().fold(0.0f64, |most, value| most.max(value.abs()));
    let rounding = (n as f64 * scale * f64::EPSILON).powi(2) * n as f64;
    let edge = (n / 20).max(2);
    let mut greatest = 0.0f64;
    for at in edge..=n - edge {
        let (left, right) = (sums[at], sums[n] - sums[at]);
        let mut squares = rounding;
        for (t, sum) in sums.iter().enumerate().take(at + 1).skip(1) {
            squares += (sum - t as f64 / at as f64 * left).powi(2);
        }
        for (t, sum) in sums.iter().enumerate().take(n).skip(at) {
            squares += (sums[n] - sum - (n - t) as f64 / (n - at) as f64 * right).powi(2);
        }
        let distance = left - at as f64 / n as f64 * sums[n];
        if squares > 0.0 {
            // n⁻¹·distance² over n⁻²·squares.
            greatest = greatest.max(n as f64 * distance * distance / squares);
        }
    }
    greatest
}

/// Chance of a statistic this great; its logarithm is interpolated over the square root, as tails of this kind fall.
fn chance_of(statistic: f64) -> f64 {
    for pair in EXCEEDED.windows(2) {
        let [(p, low), (next_p, high)] = [pair[0], pair[1]];
        if statistic < high {
            let part = (statistic.sqrt() - low.sqrt()) / (high.sqrt() - low.sqrt());
            return (p.ln() + part * (next_p.ln() - p.ln())).exp();
        }
    }
    EXCEEDED[EXCEEDED.len() - 1].0
}
