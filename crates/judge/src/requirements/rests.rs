//! What waits around a load are for, at a moment: whether what is watched is drained or settled by now.

use super::StateRule;
use crate::evaluate::{BAND, Evaluator, Kind, SETTLED_SAMPLES, metric_kind};
use crate::figures::{Around, Sampled};
use study::QUIET;
use study::rule::{State, Subject};
use terms::Nanos;

/// Fewer samples than this tell nothing of an idle phase, however far apart they are.
pub(crate) const QUIET_SAMPLES: usize = 5;

/// How a metric stands against what a wait is for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Standing {
    pub(crate) holds: bool,
    pub(crate) state: State,
    pub(crate) kind: Kind,
    /// Of `drained` the last value, in an idle phase the greatest of those that count; of `settled` the median of them.
    pub(crate) value: f64,
    /// Between these it would hold.
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// When the first of the samples that count was taken.
    pub(crate) since: Nanos,
}

/// After a load, by the last sample, and of `settled` by as many in a row as `settle_time` asks for. `None` where that
/// cannot be told (yet).
pub(crate) fn after_load(evaluator: &Evaluator<'_>, asked: &StateRule<'_>, around: &Around) -> Option<Standing> {
    let Subject::Metric { monitor, metric } = &asked.subject.subject else { return None };
    let metric = evaluator.metric(monitor, metric).ok()?;
    let (count, low, high) = match asked.state {
        State::Drained => (1, f64::NEG_INFINITY, evaluator.empty_level(around, metric)),
        _ => {
            let (low, high) = evaluator.idle_band(around, metric, asked.option("band").unwrap_or(BAND))?;
            (SETTLED_SAMPLES, low, high)
        }
    };
    let last = evaluator.last_joined_in(&around.after, metric, count)?;
    Some(standing(asked.state, metric_kind(&metric.of.unit), &last, (low, high)))
}

/// Before a load there is no level to compare with: drained is nothing at all, and settled is near the mean of the last
/// [`QUIET`] time, in which there are five samples at least. `None` where that cannot be told (yet).
pub(crate) fn before_load(evaluator: &Evaluator<'_>, asked: &StateRule<'_>, seen: &Sampled) -> Option<Standing> {
    let Subject::Metric { monitor, metric } = &asked.subject.subject else { return None };
    let metric = evaluator.metric(monitor, metric).ok()?;
    let points = evaluator.joined_in(seen, metric).ok()?;
    let begin = points.last()?.0 - QUIET;
    let long_ago = points.iter().rposition(|(at, _)| *at <= begin)?;
    let last = &points[long_ago.min(points.len().checked_sub(QUIET_SAMPLES)?)..];
    let bounds = match asked.state {
        State::Drained => (f64::NEG_INFINITY, 0.0),
        _ => {
            let mean = last.iter().map(|(_, value)| value).sum::<f64>() / last.len() as f64;
            let of = if metric.of.unit == "share" { 1.0 } else { mean.abs() };
            let reach = asked.option("band").unwrap_or(BAND) * of;
            (mean - reach, mean + reach)
        }
    };
    Some(standing(asked.state, metric_kind(&metric.of.unit), last, bounds))
}

/// Of some samples, at least one, that must all lie within bounds.
fn standing(state: State, kind: Kind, last: &[(Nanos, f64)], (low, high): (f64, f64)) -> Standing {
    let values: Vec<f64> = last.iter().map(|(_, value)| *value).collect();
    let value = match state {
        State::Drained => values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        _ => stats::series::median(&values).unwrap_or_default(),
    };
    Standing {
        holds: values.iter().all(|value| low <= *value && *value <= high),
        state,
        kind,
        value,
        low,
        high,
        since: last.first().map_or(Nanos::ZERO, |(at, _)| *at),
    }
}
