//! Levels before the load: what everything after it is held against.

use super::{Hold, Series, Watched};
use terms::Phase;

/// A shorter idle phase is not a baseline, seconds.
const IDLE_SECONDS: f64 = 10.0;
/// Nor are fewer samples.
const IDLE_SAMPLES: usize = 5;

/// What a series shows in its scenario's idle phase: mean, spread, seconds. The mean, for that is what every table and
/// figure of the report has of the same window: one window has one level.
pub(super) struct Baseline {
    pub(super) level: f64,
    pub(super) spread: f64,
    pub(super) seconds: f64,
}

pub(super) fn baseline(watched: &Watched<'_>, hold: &Hold<'_>, series: &Series<'_>) -> Option<Baseline> {
    let steps = watched.seen.index.evidence.steps_of(hold.span.scenario, Some(Phase::Idle));
    let idle = steps.filter(|step| step.to <= hold.span.from).max_by_key(|step| step.to)?;
    let seconds = (idle.to - idle.from).as_secs_f64();
    let values = series.values(idle.from, idle.to);
    if seconds < IDLE_SECONDS || values.len() < IDLE_SAMPLES {
        return None;
    }
    let spread = stats::moments::variance(&values).map_or(0.0, f64::sqrt);
    Some(Baseline { level: mean(&values)?, spread, seconds })
}

pub(super) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
