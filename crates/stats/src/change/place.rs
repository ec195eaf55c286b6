//! Where a level fell: the places at which the lower one may have begun.

use crate::StatsError;
use crate::series::{Sums, check};
use crate::special::normal_quantile;

/// Places that fit nearly as well as the best one are kept up to this many long-run variances: 95 % of falls lie among
/// them. Source: J. Bai, Review of Economics and Statistics 79, 1997 (the distribution of the best place); Y. Eo, J. Morley,
/// Quantitative Economics 6, 2015 (its inversion, `-2·ln(1 - √0.95)`).
const LEVEL: f64 = 7.352;
/// A slow decline is looked for among so many points at most: all pairs of them.
const POINTS: usize = 96;
/// A slow decline lasts at least so many values, else it is a fall that a value lies in the middle of.
const DECLINE: usize = 5;
/// Fewest batches of which a spread is taken.
const BATCHES: usize = 6;

/// Where the lower level may have begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Between {
    /// The place that describes the values best.
    pub at: usize,
    /// First and last place; what lies before `low` belongs to the upper level, what lies from `high` on to the lower one.
    pub low: usize,
    pub high: usize,
    /// Whether it sank all the way from `low` to `high`; else it fell at once, somewhere between them.
    pub is_gradual: bool,
}

/// The places at which a level may have fallen, by how well a fall at each of them describes the values.
///
/// `values`: evenly spaced, of two levels with one fall between them, 6 up to [`crate::series::LONGEST`]; `rest`: what
/// the levels of the series leave of each. Noise may have a memory: places are held against the greatest variance that
/// sums of the rest show, at any width of which there are six batches. Noise may have bursts, such as stalls: they are also
/// held against the greatest disturbance of either level that would have moved the place, had it been there. One value is
/// added at both ends, for a fall that came in the middle of one. Where values that sink along a line describe it better by
/// as much as is kept, the ends are those of the line.
///
/// # Errors
/// [`StatsError::TooFew`], [`StatsError::NotFinite`], [`StatsError::OutOfRange`] above the length.
pub fn between(values: &[f64], rest: &[f64]) -> Result<Between, StatsError> {
    check(values, 6)?;
    let n = values.len();
    let sums = Sums::of(values);
    let left = |at: usize| sums.squares(0, at) + sums.squares(at, n);
    let at = (1..n).min_by(|a, b| left(*a).total_cmp(&left(*b))).unwrap_or(1);
    let least = left(at);
    let by_memory = LEVEL * wandering(rest, 0.5);
    let (line, squares_by_line) = line(values);
    if line.high - line.low >= DECLINE && least - squares_by_line > by_memory {
        return Ok(line);
    }
    let kept = by_memory.max(worst(values, at, (sums.mean(0, at), sums.mean(at, n))));
    let is_kept = |at: &usize| left(*at) - least <= kept;
    let low = (1..n).find(is_kept).unwrap_or(at);
    let high = (1..n).rev().find(is_kept).unwrap_or(at);
    Ok(Between { at, is_gradual: false, ..widened(low, high, n) })
}

/// The ends of a decline, from the first level to the last.
///
/// # Errors
/// As [`between`].
pub fn decline(values: &[f64]) -> Result<Between, StatsError> {
    check(values, 6)?;
    Ok(line(values).0)
}

fn widened(low: usize, high: usize, n: usize) -> Between {
    Between { at: low, low: low.saturating_sub(1), high: (high + 1).min(n), is_gradual: false }
}

/// The most that a stretch of values on one side of a place speaks for the level of the other side.
fn worst(values: &[f64], at: usize, (before, after): (f64, f64)) -> f64 {
    let excess = |values: &[f64], own: f64, other: f64| {
        let (mut sum, mut most) = (0.0f64, 0.0f64);
        for value in values {
            sum = (sum + (value - own).powi(2) - (value - other).powi(2)).max(0.0);
            most = most.max(sum);
        }
        most
    };
    excess(&values[..at], before, after).max(excess(&values[at..], after, before))
}

/// The line from one level to another that describes the values best, and what it leaves of them.
fn line(values: &[f64]) -> (Between, f64) {
    let n = values.len();
    let step = n.div_ceil(POINTS).max(1);
    let points: Vec<f64> = values.chunks(step).map(|part| part.iter().sum::<f64>() / part.len() as f64).collect();
    let mut best = (f64::INFINITY, 1, 1);
    for from in 1..points.len() {
        for to in from..points.len() {
            let squares = fit(&points, from as f64, to as f64).squares(&points);
            if squares < best.0 {
                best = (squares, from, to);
            }
        }
    }
    let (from, to) = (best.1 * step, (best.2 * step).min(n));
    let squares = fit(values, from as f64, to as f64).squares(values);
    (Between { at: from, is_gradual: true, ..widened(from, to, n) }, squares)
}

/// A level, a line down, a level.
struct Fit {
    from: f64,
    to: f64,
    level: f64,
    change: f64,
}

impl Fit {
    /// 0 on the first level, 1 on the second.
    fn part(&self, at: f64) -> f64 {
        if at < self.from {
            0.0
        } else if at >= self.to {
            1.0
        } else {
            (at - self.from + 0.5) / (self.to - self.from)
        }
    }

    fn at(&self, at: f64) -> f64 {
        self.level + self.change * self.part(at)
    }

    fn squares(&self, values: &[f64]) -> f64 {
        values.iter().enumerate().map(|(at, value)| (value - self.at(at as f64)).powi(2)).sum()
    }
}

/// Least squares of both levels, for a line between these two places.
fn fit(values: &[f64], from: f64, to: f64) -> Fit {
    let mut fit = Fit { from, to, level: 0.0, change: 0.0 };
    let n = values.len() as f64;
    let (mut x, mut y, mut xx, mut xy) = (0.0, 0.0, 0.0, 0.0);
    for (at, value) in values.iter().enumerate() {
        let part = fit.part(at as f64);
        (x, y, xx, xy) = (x + part, y + value, xx + part * part, xy + part * value);
    }
    let spread = xx - x * x / n;
    fit.change = if spread > 0.0 { (xy - x * y / n) / spread } else { 0.0 };
    fit.level = (y - fit.change * x) / n;
    fit
}

/// The long-run variance of values about nought: of sums of `w` of them, divided by `w`, at the width at which it is
/// greatest, and as great as it may be with this probability, where there are few batches of that width.
///
/// `values`: evenly spaced, about their level; `sure` from a half on, which takes the spread as it looks.
pub(crate) fn wandering(values: &[f64], sure: f64) -> f64 {
    let mut greatest = 0.0f64;
    let mut width = 1;
    while values.len() / width >= BATCHES {
        let batches = (values.len() / width) as f64;
        let squares: f64 = values.chunks_exact(width).map(|batch| batch.iter().sum::<f64>().powi(2)).sum();
        greatest = greatest.max(squares / (batches * width as f64) * doubt(batches - 1.0, sure));
        width *= 2;
    }
    greatest
}

/// By how much the variance of so many degrees of freedom may be greater than it looks: `d/χ²`, by Wilson and Hilferty.
fn doubt(freedom: f64, sure: f64) -> f64 {
    let part = 2.0 / (9.0 * freedom);
    1.0 / (1.0 - part - normal_quantile(sure) * part.sqrt()).powi(3).max(0.1)
}
