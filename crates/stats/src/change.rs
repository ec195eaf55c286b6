//! Change points within a run and in histories of runs. Page: `docs/methods/change-points.md`.

pub mod alarm;
pub mod divisive;
pub mod fall;
pub mod place;
mod remembered;
pub mod shift;

use crate::StatsError;
use crate::series::{Sums, check, noise, squares};

/// What a stretch costs that is described by one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// `Σ(x - mean)²`: the level shifts, the noise stays. Scale the values by their noise first.
    Mean,
    /// Twice the negative logarithm of the normal likelihood: level and noise may both shift.
    MeanVariance,
}

/// The change points with the least total cost, `Σ cost + penalty · number`, exactly.
///
/// `values`: oldest first, evenly spaced, up to [`crate::series::LONGEST`]. `penalty` for each change point, 0 or more.
/// `least`: fewest values between two of them, at least 1 (2 for [`Cost::MeanVariance`]). Returns the places at which a
/// new stretch begins, in order; none when the series is too short for two stretches.
///
/// Time about n where change points are frequent, n²/2 where there are none.
///
/// # Errors
/// [`StatsError::TooFew`] without values; [`StatsError::NotFinite`]; [`StatsError::OutOfRange`].
/// Source: R. Killick, P. Fearnhead, I. A. Eckley, JASA 107, 2012. With a least length, a beginning may be dropped only
/// from so many places later on, which is done here; otherwise the optimum can be missed.
pub fn pelt(values: &[f64], cost: Cost, penalty: f64, least: usize) -> Result<Vec<usize>, StatsError> {
    check(values, 1)?;
    if !(penalty >= 0.0 && penalty.is_finite()) {
        return Err(StatsError::OutOfRange("`penalty` must be 0 or more"));
    }
    let least = least.max(if cost == Cost::MeanVariance { 2 } else { 1 });
    let costs = Costs::of(values, cost);
    let n = values.len();
    let mut best = vec![f64::INFINITY; n + 1];
    best[0] = -penalty;
    let mut begins = vec![0; n + 1];
    let mut candidates = Candidates::default();
    let mut totals: Vec<f64> = Vec::new();
    for end in least..=n {
        if best[end - least].is_finite() {
            candidates.push(end - least, costs.sums.to(end - least), best[end - least]);
        }
        candidates.drop_until(end);
        candidates.totals(&costs, end, &mut totals);
        let (mut least_total, mut chosen) = (f64::INFINITY, None);
        for (number, total) in totals.iter().enumerate() {
            if *total < least_total {
                (least_total, chosen) = (*total, Some(number));
            }
        }
        let Some(chosen) = chosen else { continue };
        best[end] = least_total + penalty;
        begins[end] = candidates.place[chosen] as usize;
        for (until, total) in candidates.until.iter_mut().zip(&totals) {
            if *total > best[end] {
                *until = (*until).min(end + least);
            }
        }
    }
    let mut points = Vec::new();
    let mut end = if best[n].is_finite() { n } else { 0 };
    while end > 0 {
        end = begins[end];
        points.push(end);
    }
    points.reverse();
    Ok(points.into_iter().filter(|&place| place > 0).collect())
}

/// Beginnings that may still be best. Lists of numbers, so that several are reckoned at once: nearly all of the time is
/// spent with them.
#[derive(Default)]
struct Candidates {
    place: Vec<f64>,
    /// Sums up to there.
    first: Vec<f64>,
    second: Vec<f64>,
    /// What the best cut up to there costs.
    best: Vec<f64>,
    /// The end from which on each cannot be best.
    until: Vec<usize>,
}

impl Candidates {
    fn push(&mut self, place: usize, (first, second): (f64, f64), best: f64) {
        self.place.push(place as f64);
        self.first.push(first);
        self.second.push(second);
        self.best.push(best);
        self.until.push(usize::MAX);
    }

    /// Drops those that cannot be best from an end on.
    fn drop_until(&mut self, end: usize) {
        let Self { place, first, second, best, until } = self;
        if until.iter().all(|until| end < *until) {
            return;
        }
        for list in [place, first, second, best] {
            let mut until = until.iter();
            list.retain(|_| until.next().is_none_or(|until| end < *until));
        }
        until.retain(|until| end < *until);
    }

    /// What the best cut up to `end` costs whose last stretch begins with each of them.
    fn totals(&self, costs: &Costs, end: usize, totals: &mut Vec<f64>) {
        let (first, second) = costs.sums.to(end);
        let sums = self.first.iter().zip(&self.second);
        let all = self.best.iter().zip(&self.place).zip(sums).map(|((best, place), sums)| {
            let count = end as f64 - place;
            (best, count, squares(first - sums.0, second - sums.1, count))
        });
        totals.clear();
        match costs.cost {
            Cost::Mean => totals.extend(all.map(|(best, _, squares)| best + squares)),
            Cost::MeanVariance => totals.extend(all.map(|(best, count, squares)| best + costs.of_both(count, squares))),
        }
    }
}

/// Cost of any stretch in constant time.
pub(crate) struct Costs {
    sums: Sums,
    cost: Cost,
    /// Least variance that a stretch is given, so that equal values are not infinitely likely.
    floor: f64,
}

impl Costs {
    pub(crate) fn of(values: &[f64], cost: Cost) -> Self {
        let sums = Sums::of(values);
        let variance = sums.squares(0, values.len()) / values.len() as f64;
        // As a share of the whole variance, so that the answer does not depend on the unit.
        Self { sums, cost, floor: (1e-9 * variance).max(f64::MIN_POSITIVE) }
    }

    #[cfg(test)]
    pub(crate) fn cost(&self, from: usize, to: usize) -> f64 {
        let squares = self.sums.squares(from, to);
        match self.cost {
            Cost::Mean => squares,
            Cost::MeanVariance => self.of_both((to - from) as f64, squares),
        }
    }

    /// The likelihood's maximum over all variances from the floor upwards: splitting never costs more.
    fn of_both(&self, count: f64, squares: f64) -> f64 {
        let variance = (squares / count).max(self.floor);
        count * variance.ln() + squares / variance
    }
}

/// The split into two stretches that leaves the least sum of squares.
#[derive(Clone, Debug, PartialEq)]
pub struct Split {
    /// Where the second stretch begins.
    pub at: usize,
    /// Mean before.
    pub before: f64,
    /// Mean from there on.
    pub after: f64,
    /// Sum of squares about one mean.
    pub squares_whole: f64,
    /// Sum of squares about the two means.
    pub squares_split: f64,
}

/// The best split into two, whether or not it means anything.
///
/// `values`: at least 2, at most [`crate::series::LONGEST`].
///
/// # Errors
/// [`StatsError::TooFew`], [`StatsError::NotFinite`], [`StatsError::OutOfRange`].
pub fn best_split(values: &[f64]) -> Result<Split, StatsError> {
    check(values, 2)?;
    let (sums, n) = (Sums::of(values), values.len());
    let left = |at: usize| sums.squares(0, at) + sums.squares(at, n);
    let at = (1..n).min_by(|a, b| left(*a).total_cmp(&left(*b))).unwrap_or(1);
    Ok(Split {
        at,
        before: sums.mean(0, at),
        after: sums.mean(at, n),
        squares_whole: sums.squares(0, n),
        squares_split: left(at),
    })
}

/// A stretch of one level between two shifts.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// First value.
    pub from: usize,
    /// Behind the last value.
    pub to: usize,
    pub mean: f64,
    /// Standard deviation about it; divides by `n - 1`, 0 for a single value.
    pub deviation: f64,
}

/// The levels of a series: one, when nothing shifts.
///
/// `values`: oldest first, evenly spaced, 3 up to [`crate::series::LONGEST`]; means of batches at least as long as the
/// memory of the process, for otherwise slow wandering looks like shifts. `least`: fewest values of a level; 5 and half
/// a minute are good. Change points by [`pelt`] with [`Cost::Mean`] on `x/σ̂`, `σ̂` by [`noise`], penalty `3·ln n`.
///
/// # Errors
/// [`StatsError::TooFew`], [`StatsError::NotFinite`], [`StatsError::OutOfRange`].
pub fn levels(values: &[f64], least: usize) -> Result<Vec<Level>, StatsError> {
    levels_apart(values, least, noise(values)?)
}

/// The same for another deviation of the noise, in the values' unit: that of sums of them where they have a memory.
pub(crate) fn levels_apart(values: &[f64], least: usize, scale: f64) -> Result<Vec<Level>, StatsError> {
    let points = if scale > 0.0 {
        let scaled: Vec<f64> = values.iter().map(|value| value / scale).collect();
        pelt(&scaled, Cost::Mean, 3.0 * (values.len() as f64).ln(), least)?
    } else {
        Vec::new()
    };
    let sums = Sums::of(values);
    let edges: Vec<usize> = [0].into_iter().chain(points).chain([values.len()]).collect();
    let level = |edge: &[usize]| {
        let (from, to) = (edge[0], edge[1]);
        let deviation = (sums.squares(from, to) / ((to - from) as f64 - 1.0).max(1.0)).sqrt();
        Level { from, to, mean: sums.mean(from, to), deviation }
    };
    Ok(edges.windows(2).map(level).collect())
}
