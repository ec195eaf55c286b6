//! Change points in histories of runs: the energy distance splits where resampling says that something shifts, Student's t
//! keeps the sure ones, weak points are merged away.

use super::remembered;
use crate::StatsError;
use crate::series::check;
use crate::special::student_tail;

/// Longest history; a table of so many squared values is kept (8 MB).
pub const LONGEST_HISTORY: usize = 1000;
/// A split is kept for the merging when its p is at most so many times the demanded one.
const WEAK_FACTOR: f64 = 10.0;

/// What a change point must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demands {
    /// Largest p of Student's test between the stretches on both sides.
    pub p_max: f64,
    /// Largest chance of so great a shift anywhere in a history of one level whose runs resemble those before.
    pub chance_max: f64,
    /// Least relative change of the mean, 0.05 for 5 %.
    pub magnitude_min: f64,
}

impl Default for Demands {
    /// 0.001, because the split was searched for and a test at a searched place is too easily passed; 0.03; and 5 %.
    fn default() -> Self {
        Self { p_max: 0.001, chance_max: 0.03, magnitude_min: 0.05 }
    }
}

/// A level shift between two runs of a history.
#[derive(Clone, Debug, PartialEq)]
pub struct Shift {
    /// The first run of the new level.
    pub at: usize,
    /// Mean of the runs before, back to the shift before it.
    pub before: f64,
    /// Mean of the runs from here up to the next shift.
    pub after: f64,
    /// Student's t between the two.
    pub t: f64,
    /// Its two-sided p; anti-conservative, as the place was searched.
    pub p: f64,
    /// Chance of so great a shift anywhere in a history of one level, the memory of runs allowed for, by resampling.
    pub chance: f64,
}

impl Shift {
    /// Relative change, `after/before - 1`; infinite when it came from 0.
    pub fn change(&self) -> f64 {
        if self.after == self.before { 0.0 } else { (self.after - self.before) / self.before.abs() }
    }
}

/// The best candidate of a stretch: largest energy distance between `[from, at)` and `[at, to)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Where the new level begins.
    pub at: usize,
    /// Behind the last value that was compared.
    pub to: usize,
    /// The energy distance Q, in the values' unit.
    pub distance: f64,
}

/// The largest energy distance over all splits `at` and all ends `to`.
///
/// `values`: 2 up to [`LONGEST_HISTORY`].
/// `Q = 2/(m+n)·ΣΣ|x−y| − 2m/((m+n)(n−1))·Σ|x−x'| − 2n/((m+n)(m−1))·Σ|y−y'|`, pairs counted once.
///
/// # Errors
/// [`StatsError::TooFew`], [`StatsError::NotFinite`], [`StatsError::OutOfRange`].
/// Source: D. S. Matteson, N. A. James, JASA 109, 2014.
pub fn candidate(values: &[f64]) -> Result<Candidate, StatsError> {
    check_history(values, 2)?;
    Distances::of(values).candidate(0, values.len()).ok_or(StatsError::TooFew { have: values.len() as u64, need: 2 })
}

/// Level shifts in a history of runs, oldest first, one value a run.
///
/// # Errors
/// [`StatsError::NotFinite`]; [`StatsError::OutOfRange`] for more than [`LONGEST_HISTORY`]. A short history has no shifts.
/// Source: Matteson & James 2014; M. Fleming et al., "Hunter", ICPE 2023 (t test instead of permutations, and merging).
/// Standard deviations divide by `n - 1`.
pub fn shifts(values: &[f64], demands: Demands) -> Result<Vec<Shift>, StatsError> {
    check_history(values, 0)?;
    let distances = Distances::of(values);
    let mut points = Vec::new();
    split(values, &distances, (0, values.len()), demands, &mut points);
    points.sort_unstable_by_key(|(at, _)| *at);
    loop {
        let found = shifts_at(values, &points);
        let weakest = found.iter().enumerate().max_by(|a, b| a.1.p.total_cmp(&b.1.p));
        let smallest = found.iter().enumerate().min_by(|a, b| a.1.change().abs().total_cmp(&b.1.change().abs()));
        match (weakest, smallest) {
            (Some((place, shift)), _) if shift.p > demands.p_max => points.remove(place),
            (_, Some((place, shift))) if shift.change().abs() < demands.magnitude_min => points.remove(place),
            _ => return Ok(found),
        };
    }
}

/// Chance that a history of one level looks, somewhere, as if it had shifted as much as this one does, the memory of runs
/// allowed for; 1 where it is surely above `most`.
///
/// # Errors
/// As [`shifts`]. By resampling, so 0.0005 or, of a thousand runs, 0.002 is the least; 0 without any spread. Where it is
/// one of a `family` of so many that are judged together, half of what one of them must fall below is the least.
pub fn chance(values: &[f64], most: f64, family: usize) -> Result<f64, StatsError> {
    check_history(values, 0)?;
    Ok(remembered::chance(values, most, family))
}

fn check_history(values: &[f64], need: usize) -> Result<(), StatsError> {
    check(values, need)?;
    if values.len() > LONGEST_HISTORY {
        return Err(StatsError::OutOfRange("at most 1000 runs; leave the oldest out"));
    }
    Ok(())
}

fn split(
    values: &[f64],
    distances: &Distances,
    (from, to): (usize, usize),
    demands: Demands,
    points: &mut Vec<(usize, f64)>,
) {
    let Some(best) = distances.candidate(from, to) else { return };
    if student(&values[from..best.at], &values[best.at..to]).1 > WEAK_FACTOR * demands.p_max {
        return;
    }
    let chance = remembered::chance(&values[from..to], demands.chance_max, 1);
    if chance <= demands.chance_max {
        points.push((best.at, chance));
        split(values, distances, (from, best.at), demands, points);
        split(values, distances, (best.at, to), demands, points);
    }
}

fn shifts_at(values: &[f64], points: &[(usize, f64)]) -> Vec<Shift> {
    let shift = |(place, (at, chance)): (usize, &(usize, f64))| {
        let from = if place == 0 { 0 } else { points[place - 1].0 };
        let to = points.get(place + 1).map_or(values.len(), |next| next.0);
        let (early, late) = (&values[from..*at], &values[*at..to]);
        let (t, p) = student(early, late);
        Shift { at: *at, before: mean(early), after: mean(late), t, p, chance: *chance }
    };
    points.iter().enumerate().map(shift).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Student's t for equal variances and its two-sided p. Without any spread, equal means have p 1 and others p 0; with
/// fewer than three values in all there is nothing to test, and p is 1.
fn student(early: &[f64], late: &[f64]) -> (f64, f64) {
    let freedom = (early.len() + late.len()) as f64 - 2.0;
    if freedom < 1.0 {
        return (0.0, 1.0);
    }
    let (a, b) = (mean(early), mean(late));
    let squares = |values: &[f64], mean: f64| values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    let pooled = (squares(early, a) + squares(late, b)) / freedom;
    let error = (pooled * (1.0 / early.len() as f64 + 1.0 / late.len() as f64)).sqrt();
    if a == b {
        return (0.0, 1.0);
    }
    if error == 0.0 {
        return (f64::INFINITY.copysign(a - b), 0.0);
    }
    let t = (a - b) / error;
    (t, 2.0 * student_tail(freedom, t.abs()))
}

/// Distances between all pairs, as running sums.
struct Distances {
    n: usize,
    /// Row `k` at `i`: `Σ_{j<i} |x_j − x_k|`, for `i` up to `k`.
    rows: Vec<f64>,
}

impl Distances {
    fn of(values: &[f64]) -> Self {
        let n = values.len();
        let mut rows = vec![0.0; n * (n + 1)];
        for k in 0..n {
            for i in 0..k {
                rows[k * (n + 1) + i + 1] = rows[k * (n + 1) + i] + (values[i] - values[k]).abs();
            }
        }
        Self { n, rows }
    }

    /// `Σ |x_j − x_k|` over `from <= j < k`.
    fn to_earlier(&self, k: usize, from: usize) -> f64 {
        let row = k * (self.n + 1);
        self.rows[row + k] - self.rows[row + from]
    }

    fn candidate(&self, from: usize, to: usize) -> Option<Candidate> {
        // Within `[from, end)`, for each end.
        let mut within = vec![0.0];
        for end in from..to {
            within.push(within[end - from] + self.to_earlier(end, from));
        }
        let mut best: Option<Candidate> = None;
        for at in from + 1..to {
            let n = (at - from) as f64;
            let early = within[at - from];
            let mut late = 0.0;
            for end in at + 1..=to {
                late += self.to_earlier(end - 1, at);
                let m = (end - at) as f64;
                let between = within[end - from] - early - late;
                let mut distance = 2.0 / (m + n) * between;
                distance -= if n > 1.0 { 2.0 * m / (m + n) / (n - 1.0) * early } else { 0.0 };
                distance -= if m > 1.0 { 2.0 * n / (m + n) / (m - 1.0) * late } else { 0.0 };
                if best.is_none_or(|best| distance > best.distance) {
                    best = Some(Candidate { at, to: end, distance });
                }
            }
        }
        best
    }
}
