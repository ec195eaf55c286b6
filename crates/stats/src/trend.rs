//! Trends: Mann-Kendall, Theil-Sen, and what both make of dependent values. Page: `docs/methods/trends.md`.

pub mod leak;
pub mod line;

use crate::series::{check, median};
use crate::special::{normal_quantile, upper_normal};
use crate::{Estimate, StatsError, check_confidence};

/// Number of batches on which a trend is tested: enough for a p of 0.00001, few enough that their means are nearly
/// independent.
pub const BATCHES: usize = 12;
/// Longest series for slopes of all pairs: two million of them are kept (16 MB).
pub const LONGEST_FOR_SLOPES: usize = 2_000;

/// The test of Mann and Kendall.
#[derive(Clone, Debug, PartialEq)]
pub struct MannKendall {
    /// Rising pairs minus falling pairs.
    pub s: i64,
    /// Variance of `s` without trend, ties allowed for.
    pub variance: f64,
    /// `(s ∓ 1)/√variance`, 0 for `s` 0.
    pub z: f64,
    /// Two-sided p.
    pub p: f64,
    /// `s` over the number of pairs, -1..=1.
    pub tau: f64,
    /// Number of values.
    pub count: usize,
}

impl MannKendall {
    fn of(s: i64, variance: f64, count: usize) -> Self {
        let pairs = count as f64 * (count as f64 - 1.0) / 2.0;
        let z = if variance > 0.0 { (s - s.signum()) as f64 / variance.sqrt() } else { 0.0 };
        let p = (2.0 * upper_normal(z.abs())).min(1.0);
        Self { s, variance, z, p, tau: s as f64 / pairs, count }
    }

    /// p that the values rise by chance; small for a rise, near 1 for a fall.
    pub fn p_rising(&self) -> f64 {
        upper_normal(self.z)
    }
}

/// Whether independent values rise or fall.
///
/// `values`: in order of time, 4 up to [`crate::series::LONGEST`]. Values that resemble their neighbours raise false
/// alarms (half of all series at a correlation of 0.8): [`leak::growth`] gives it means of [`BATCHES`] batches.
///
/// # Errors
/// [`StatsError::TooFew`], [`StatsError::NotFinite`], [`StatsError::OutOfRange`].
/// Source: H. B. Mann, Econometrica 13, 1945; M. G. Kendall, "Rank correlation methods", 1975 (ties).
pub fn mann_kendall(values: &[f64]) -> Result<MannKendall, StatsError> {
    check(values, 4)?;
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    // -0.0 and 0.0 are one value.
    sorted.dedup_by(|a, b| a == b);
    let mut seen = Ranks(vec![0; sorted.len() + 1]);
    let mut s = 0i64;
    let mut ties = vec![0u64; sorted.len()];
    for (before, value) in values.iter().enumerate() {
        let rank = sorted.partition_point(|other| other < value);
        let below = seen.up_to(rank);
        let above = before as i64 - seen.up_to(rank + 1);
        s += below - above;
        seen.add(rank);
        ties[rank] += 1;
    }
    let spread = |t: f64| t * (t - 1.0) * (2.0 * t + 5.0);
    let tied: f64 = ties.iter().map(|&count| spread(count as f64)).sum();
    Ok(MannKendall::of(s, (spread(values.len() as f64) - tied) / 18.0, values.len()))
}

/// Counts of ranks, as a Fenwick tree: S in n·log n.
struct Ranks(Vec<i64>);

impl Ranks {
    fn add(&mut self, rank: usize) {
        let mut place = rank + 1;
        while place < self.0.len() {
            self.0[place] += 1;
            place += place & place.wrapping_neg();
        }
    }

    /// How many ranks below `rank` were added.
    fn up_to(&self, rank: usize) -> i64 {
        let (mut place, mut sum) = (rank.min(self.0.len() - 1), 0);
        while place > 0 {
            sum += self.0[place];
            place -= place & place.wrapping_neg();
        }
        sum
    }
}

/// Means of [`BATCHES`] batches of equal length.
pub(crate) fn twelve(values: &[f64]) -> Result<Vec<f64>, StatsError> {
    if values.len() < 2 * BATCHES {
        return Err(StatsError::TooFew { have: values.len() as u64, need: 2 * BATCHES as u64 });
    }
    if values.iter().any(|value| !value.is_finite()) {
        return Err(StatsError::NotFinite);
    }
    let mut means = crate::series::batch_means(values, values.len() / BATCHES);
    means.truncate(BATCHES);
    Ok(means)
}

/// A line through the middle of all slopes.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Slope, values' unit over times' unit.
    pub slope: Estimate,
    /// Median value at the median time.
    pub middle: (f64, f64),
}

impl Line {
    /// The line's value at a time.
    pub fn at(&self, time: f64) -> f64 {
        self.middle.1 + self.slope.value * (time - self.middle.0)
    }
}

/// The slope by Theil and Sen: the median of the slopes of all pairs, with the interval of their ranks.
///
/// `points`: (time, value), 4 up to [`LONGEST_FOR_SLOPES`], not all at one time. The interval is that of independent
/// values; give it batch means when they are not.
///
/// # Errors
/// [`StatsError::TooFew`], [`StatsError::NotFinite`], [`StatsError::OutOfRange`].
/// Source: H. Theil, 1950; P. K. Sen, JASA 63, 1968 (ranks `(N ∓ z·√Var)/2` among the N slopes, ties of values in Var).
pub fn theil_sen(points: &[(f64, f64)], confidence: f64) -> Result<Line, StatsError> {
    check_confidence(confidence)?;
    let (times, values): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
    check(&times, 4)?;
    check(&values, 4)?;
    if points.len() > LONGEST_FOR_SLOPES {
        return Err(StatsError::OutOfRange("at most 2000 points; shorten the series first"));
    }
    let mut slopes = Vec::with_capacity(points.len() * (points.len() - 1) / 2);
    for (place, early) in points.iter().enumerate() {
        let later = points[place + 1..].iter().filter(|late| late.0 != early.0);
        slopes.extend(later.map(|late| (late.1 - early.1) / (late.0 - early.0)));
    }
    if slopes.is_empty() {
        return Err(StatsError::OutOfRange("all values are of one time"));
    }
    if slopes.iter().any(|slope| !slope.is_finite()) {
        return Err(StatsError::NotFinite);
    }
    slopes.sort_by(f64::total_cmp);
    let value = crate::series::median_of_sorted(&slopes).unwrap_or(0.0);
    let reach = normal_quantile(0.5 + confidence / 2.0) * mann_kendall(&values)?.variance.sqrt();
    let count = slopes.len() as f64;
    let high = (((count + reach) / 2.0).round() as usize).min(slopes.len() - 1);
    let low = (((count - reach) / 2.0).round().max(1.0) as usize - 1).min(slopes.len() - 1);
    let slope = Estimate {
        value,
        low: slopes[low].min(value),
        high: slopes[high].max(value),
        confidence,
        sample_count: points.len() as u64,
        design_effect: 1.0,
        method: "Theil-Sen",
    };
    let middle = (median(&times).unwrap_or(0.0), median(&values).unwrap_or(0.0));
    Ok(Line { slope, middle })
}
