//! Where a series without a clock belongs: the lag at which it follows the load best. Page:
//! `docs/methods/clock-alignment.md`.

use crate::StatsError;

/// A stretch of load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadStep {
    /// Start in seconds, in the lab's clock.
    pub start_s: f64,
    /// End in seconds, after the start.
    pub end_s: f64,
    /// The load in that time: users, a rate.
    pub load: f64,
}

/// The load at each grid point `i·interval_s`, `points` of them, from the steps; 0 between steps.
///
/// # Errors
/// [`StatsError::NotFinite`], [`StatsError::OutOfRange`] for an interval that is not above 0.
pub fn profile(steps: &[LoadStep], interval_s: f64, points: usize) -> Result<Vec<f64>, StatsError> {
    if !interval_s.is_finite()
        || steps.iter().any(|step| !step.start_s.is_finite() || !step.end_s.is_finite() || !step.load.is_finite())
    {
        return Err(StatsError::NotFinite);
    }
    if interval_s <= 0.0 {
        return Err(StatsError::OutOfRange("`interval_s` must be above 0"));
    }
    let load_at =
        |time: f64| steps.iter().find(|step| (step.start_s..step.end_s).contains(&time)).map_or(0.0, |step| step.load);
    Ok((0..points).map(|index| load_at(index as f64 * interval_s)).collect())
}

/// A lag that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alignment {
    /// Samples by which the series lies behind the profile: sample `i + lag` belongs to profile point `i`.
    pub lag: usize,
    /// Correlation there, -1..=1.
    pub correlation: f64,
    /// The higher correlation of the two neighbours at `gap` samples to either side.
    pub at_neighbours: f64,
    /// Whether it may be used: correlation above 0.8 and both neighbours lower.
    pub is_accepted: bool,
}

/// Correlation that a lag must exceed to be accepted.
pub const LEAST_CORRELATION: f64 = 0.8;

/// Finds the lag of at most `most_lag` samples at which `series` correlates best with `profile`.
///
/// Both on the same grid. `gap`: samples in one gap between steps, at least 1; neighbours at that distance must correlate
/// less, else the profile repeats itself and the answer is arbitrary. A series that cannot be placed is good for
/// statistics of the whole run only.
///
/// # Errors
/// [`StatsError::TooFew`] when fewer than 30 points overlap at the largest lag; [`StatsError::NotFinite`];
/// [`StatsError::OutOfRange`] when a side does not vary or `gap` is 0.
/// Source: maximum of the cross-correlation; Box & Jenkins, "Time Series Analysis", chapter 11.
pub fn align(profile: &[f64], series: &[f64], most_lag: usize, gap: usize) -> Result<Alignment, StatsError> {
    const FEWEST: usize = 30;
    if profile.iter().chain(series).any(|number| !number.is_finite()) {
        return Err(StatsError::NotFinite);
    }
    if gap == 0 {
        return Err(StatsError::OutOfRange("`gap` must be 1 or more"));
    }
    let overlap = profile.len().min(series.len().saturating_sub(most_lag));
    if overlap < FEWEST {
        return Err(StatsError::TooFew { have: overlap as u64, need: FEWEST as u64 });
    }
    let at = |lag: usize| {
        let length = profile.len().min(series.len() - lag);
        correlation(&profile[..length], &series[lag..lag + length])
    };
    let all: Vec<Option<f64>> = (0..=most_lag).map(at).collect();
    let best = (0..=most_lag).filter_map(|lag| Some((lag, all[lag]?))).max_by(|a, b| a.1.total_cmp(&b.1));
    let Some((lag, correlation)) = best else {
        return Err(StatsError::OutOfRange("a series that does not vary cannot be placed"));
    };
    let neighbour = |place: Option<usize>| place.and_then(|lag| all.get(lag).copied().flatten());
    let sides = [neighbour(lag.checked_sub(gap)), neighbour(lag.checked_add(gap))];
    let at_neighbours = sides.into_iter().flatten().fold(-1.0, f64::max);
    let is_accepted = correlation > LEAST_CORRELATION && at_neighbours < correlation;
    Ok(Alignment { lag, correlation, at_neighbours, is_accepted })
}

/// The difference in seconds between the wall time a series covers and `samples · interval_s`: how far its stated
/// interval drifts. Positive when the real interval is longer.
#[must_use]
pub fn drift_s(samples: u64, interval_s: f64, wall_s: f64) -> f64 {
    wall_s - samples as f64 * interval_s
}

/// Pearson's correlation of two slices of equal length; `None` when one does not vary.
fn correlation(a: &[f64], b: &[f64]) -> Option<f64> {
    let n = a.len() as f64;
    let (mean_a, mean_b) = (a.iter().sum::<f64>() / n, b.iter().sum::<f64>() / n);
    let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
    for (x, y) in a.iter().zip(b) {
        let (x, y) = (x - mean_a, y - mean_b);
        ab += x * y;
        aa += x * x;
        bb += y * y;
    }
    let r = ab / (aa * bb).sqrt();
    r.is_finite().then(|| r.clamp(-1.0, 1.0))
}
