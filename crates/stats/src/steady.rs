//! Where the warm-up ends, and whether there is a steady state at all. Page: `docs/methods/steady-state.md`.

use crate::change::{Cost, pelt};
use crate::series::{Sums, batch_means, check};
use crate::{StatsError, series};

/// Batch size of MSER-5.
pub const MSER_BATCH: usize = 5;
/// Fewest batches for the MSER rule.
const FEWEST_BATCHES: usize = 10;

/// What the MSER rule would cut off.
#[derive(Clone, Debug, PartialEq)]
pub struct Truncation {
    /// Number of values at the beginning to leave out; a multiple of the batch size.
    pub cut: usize,
    /// Squared standard error of the mean of what is kept, as if its batches were independent.
    pub statistic: f64,
    /// Mean of what is kept.
    pub mean: f64,
    /// Mean of everything.
    pub mean_of_all: f64,
}

/// Finds where the warm-up ends, by the MSER rule.
///
/// `values`: one value a second (or for each hundred calls), oldest first, without gaps: throughput, or the logarithm
/// of the mean service time. `batch`: values to a batch, normally [`MSER_BATCH`]; at least ten batches are needed. The
/// cut is the number of batches `d <= n/2` for which `Σ(Z_i - mean)² / (n - d)²` over the batches from `d` on is least.
///
/// # Errors
/// [`StatsError::TooFew`] (counting values): run longer, or state the warm-up. [`StatsError::NoSteadyState`] when the
/// best cut lies at the bound `n/2`. [`StatsError::NotFinite`].
///
/// Source: K. P. White, "An effective truncation heuristic for bias reduction in simulation output", Simulation 69 (6),
/// 1997; K. Hoad, S. Robinson, R. Davies, JORS 61, 2010 (MSER-5 chosen among 44 rules).
pub fn warm_up(values: &[f64], batch: usize) -> Result<Truncation, StatsError> {
    let batch = batch.max(1);
    if values.iter().any(|value| !value.is_finite()) {
        return Err(StatsError::NotFinite);
    }
    let means = batch_means(values, batch);
    if means.len() < FEWEST_BATCHES {
        return Err(StatsError::TooFew { have: values.len() as u64, need: (FEWEST_BATCHES * batch) as u64 });
    }
    let statistics = mser_statistics(&means);
    let least = (0..statistics.len()).fold(0, |best, d| if statistics[d].0 < statistics[best].0 { d } else { best });
    if least > 0 && least + 1 == statistics.len() {
        return Err(StatsError::NoSteadyState);
    }
    let (statistic, mean) = statistics[least];
    Ok(Truncation { cut: least * batch, statistic, mean, mean_of_all: statistics[0].1 })
}

/// The MSER statistic and the mean of what is kept, for cuts of 0 up to half of the batches.
pub(crate) fn mser_statistics(means: &[f64]) -> Vec<(f64, f64)> {
    let half = means.len() / 2;
    let mut statistics = vec![(0.0, 0.0); half + 1];
    // From the last batch backwards, by Welford's update: equal values give exactly 0.
    let (mut count, mut mean, mut squares) = (0.0, 0.0, 0.0);
    for (d, value) in means.iter().enumerate().rev() {
        count += 1.0;
        let step = value - mean;
        mean += step / count;
        squares += step * (value - mean);
        if d <= half {
            statistics[d] = (squares / (count * count), mean);
        }
    }
    statistics
}

/// How a series of times develops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// All stretches are like the last one.
    Flat,
    /// Earlier stretches are slower than the last one.
    WarmUp,
    /// Some earlier stretch is faster than the last one.
    Slowdown,
    /// The level still changes within the last third.
    NoSteadyState,
}

/// A stretch of one level.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretch {
    /// First value.
    pub from: usize,
    /// Behind the last value.
    pub to: usize,
    /// Mean without outliers.
    pub mean: f64,
    /// Standard error of that mean, as if values were independent.
    pub standard_error: f64,
    /// Whether its mean is that of the last stretch, within 2 % or one standard error of the last, whichever is more.
    pub is_like_last: bool,
}

/// A classified series.
#[derive(Clone, Debug, PartialEq)]
pub struct Classification {
    pub shape: Shape,
    /// Stretches in order.
    pub stretches: Vec<Stretch>,
    /// Number of values that were left out as outliers.
    pub outliers: usize,
}

/// Classifies a series of times (lower is better; negate a throughput) as flat, warm-up, slowdown or no steady state.
///
/// `values`: oldest first, evenly spaced, 20 up to [`series::LONGEST`]. Outliers beyond the median ± 3·(p90 − p10) of
/// the 200 values around are left out; change points of mean and variance are found with the penalty `15·ln n`; every
/// stretch is compared with the last.
///
/// # Errors
/// [`StatsError::TooFew`], [`StatsError::NotFinite`], [`StatsError::OutOfRange`].
///
/// Source: E. Barrett, C. F. Bolz-Tereick, R. Killick, S. Mount, L. Tratt, "Virtual machine warmup blows hot and cold",
/// OOPSLA 2017. Ours: a margin of 2 % where theirs is 1 ms, the standard error where theirs is the variance (which is
/// no length of time), and the last third where theirs is the last 500 values.
pub fn classify(values: &[f64]) -> Result<Classification, StatsError> {
    check(values, 20)?;
    let kept = without_outliers(values);
    let clean: Vec<f64> = kept.iter().map(|&place| values[place]).collect();
    let penalty = 15.0 * (clean.len() as f64).ln();
    let mut edges = vec![0];
    edges.extend(pelt(&clean, Cost::MeanVariance, penalty, 2)?);
    edges.push(clean.len());
    let sums = Sums::of(&clean);
    let error = |from: usize, to: usize| {
        let count = (to - from) as f64;
        (sums.squares(from, to) / (count - 1.0).max(1.0) / count).sqrt()
    };
    let last = edges.len() - 2;
    let (last_mean, last_error) = (sums.mean(edges[last], edges[last + 1]), error(edges[last], edges[last + 1]));
    let margin = f64::max(0.02 * last_mean.abs(), last_error);
    let stretches: Vec<Stretch> = edges
        .windows(2)
        .map(|edge| {
            let mean = sums.mean(edge[0], edge[1]);
            Stretch {
                from: if edge[0] == 0 { 0 } else { kept[edge[0]] },
                to: kept.get(edge[1]).copied().unwrap_or(values.len()),
                mean,
                standard_error: error(edge[0], edge[1]),
                is_like_last: (mean - last_mean).abs() <= margin,
            }
        })
        .collect();
    let shape = shape_of(&stretches, last_mean, values.len());
    Ok(Classification { shape, stretches, outliers: values.len() - kept.len() })
}

fn shape_of(stretches: &[Stretch], last_mean: f64, length: usize) -> Shape {
    let mut unlike = stretches.iter().filter(|stretch| !stretch.is_like_last).peekable();
    if unlike.peek().is_none() {
        return Shape::Flat;
    }
    let unlike: Vec<&Stretch> = unlike.collect();
    if unlike.iter().any(|stretch| 3 * stretch.to > 2 * length) {
        Shape::NoSteadyState
    } else if unlike.iter().any(|stretch| stretch.mean < last_mean) {
        Shape::Slowdown
    } else {
        Shape::WarmUp
    }
}

/// Places of the values within the median ± 3·(p90 − p10) of the 200 values around them.
fn without_outliers(values: &[f64]) -> Vec<usize> {
    const WINDOW: usize = 200;
    let mut kept = Vec::with_capacity(values.len());
    for (place, value) in values.iter().enumerate() {
        let from = place.saturating_sub(WINDOW / 2);
        let mut around = values[from..(place + WINDOW / 2).min(values.len())].to_vec();
        around.sort_by(f64::total_cmp);
        let at = |share: f64| around[((around.len() - 1) as f64 * share).round() as usize];
        let middle = series::median_of_sorted(&around).unwrap_or(*value);
        if (value - middle).abs() <= 3.0 * (at(0.9) - at(0.1)) || at(0.9) == at(0.1) {
            kept.push(place);
        }
    }
    kept
}
