//! States over time: does not drift, is empty, is back at its idle level.

use super::decision::{Decision, args, cannot_tell, reason, unit_arg};
use super::no_value;
use super::scopes::ScopeOf;
use crate::Arg;
use crate::evaluate::{BAND, Evaluator, Kind, NoValue, metric_kind};
use crate::figures::Around;
use crate::rows::{Index, seconds_within};
use crate::series::{self, Looked};
use std::ops::Range;
use study::rule::{Function, Series, State, Subject, What};
use terms::{Nanos, Quantity, Verdict};

/// Change that `steady` allows when the rule does not say.
const GROWTH: f64 = 0.1;
/// Time over which the growth of memory is projected when the rule does not say: a day, seconds.
const HORIZON_S: f64 = 86_400.0;
/// Shorter holds tell nothing about memory: seconds.
const MEMORY_SECONDS: f64 = 1800.0;
/// Shorter holds tell nothing about anything else: seconds.
const SHORTEST_SECONDS: f64 = 60.0;
/// A projection whose interval is wider than so many times the whole is not printed: it only says that nothing is known.
const WIDEST_PROJECTION: f64 = 10.0;

/// A rule that asks for a state, such as `steady(x)`.
pub(crate) struct StateRule<'a> {
    pub(crate) state: State,
    pub(crate) function: Option<Function>,
    pub(crate) subject: &'a Series,
    pub(crate) options: &'a [(String, Quantity)],
}

impl StateRule<'_> {
    pub(super) fn option(&self, name: &str) -> Option<f64> {
        self.options.iter().find(|(known, _)| known == name).map(|(_, value)| value.value)
    }
}

/// The verdict of a state in one scope.
pub(super) fn state(index: &Index<'_>, scope: &ScopeOf<'_>, asked: &StateRule<'_>) -> Decision {
    if asked.subject.scenario.is_some_and(|other| other != scope.figures.scenario) {
        return cannot_tell("not_yet", []);
    }
    let evaluator = Evaluator {
        head: index.head(),
        figures: &scope.figures,
        elsewhere: &scope.elsewhere,
        exchange: scope.exchange,
        instance: scope.instance.as_deref(),
        stream: scope.stream.as_ref(),
    };
    match asked.state {
        State::Steady => {
            let spans: Vec<_> = scope.pieces.iter().map(|piece| piece.from..piece.to).collect();
            steady(&evaluator, &spans, asked)
        }
        _ => after_loads(&evaluator, asked),
    }
}

/// `drained` and `settled`, after each repetition's load by itself; the worst decides, for what one left behind is not
/// made good by the next.
fn after_loads(evaluator: &Evaluator<'_>, asked: &StateRule<'_>) -> Decision {
    let of = |around| after_load(evaluator, asked, around).unwrap_or_else(no_value);
    worst(evaluator.figures.around.iter().map(of).collect())
}

/// The first that is not met, else the first that cannot be told, else the last; nothing seen is nothing told.
fn worst(decisions: Vec<Decision>) -> Decision {
    let of = |verdict| decisions.iter().find(move |decision: &&Decision| decision.verdict == verdict);
    let deciding = of(Verdict::NotMet).or_else(|| of(Verdict::CannotTell)).or(decisions.last());
    deciding.cloned().unwrap_or_else(|| cannot_tell("no_samples", []))
}

/// At the end of what was watched after one load.
fn after_load(evaluator: &Evaluator<'_>, asked: &StateRule<'_>, around: &Around) -> Result<Decision, NoValue> {
    let Subject::Metric { monitor, metric } = &asked.subject.subject else { return Err(NoValue::NotYet) };
    let metric = evaluator.metric(monitor, metric)?;
    let after = evaluator.joined_in(&around.after, metric)?;
    let kind = metric_kind(&metric.of.unit);
    let last: Vec<f64> = after.iter().rev().take(3).map(|(_, value)| *value).collect();
    let (value, low, high, limit) = if asked.state == State::Drained {
        let empty = evaluator.empty_level(around, metric);
        (last.first().copied(), f64::NEG_INFINITY, empty, empty)
    } else {
        let band = asked.option("band").unwrap_or(BAND);
        let Some((low, high)) = evaluator.idle_band(around, metric, band) else {
            return Ok(cannot_tell("no_baseline", []));
        };
        (stats::series::median(&last), low, high, 0.5 * (low + high))
    };
    let value = value.ok_or(NoValue::NoSamples)?;
    let is_there = low <= value && value <= high;
    Ok(Decision {
        verdict: if is_there { Verdict::Met } else { Verdict::NotMet },
        reason: reason("census", args([])),
        value: Some(value),
        low: Some(value),
        high: Some(value),
        limit: Some(limit),
        kind,
        is_census: true,
        count: after.len() as u64,
        ..cannot_tell("", [])
    })
}

/// Each step of constant load by itself; the worst decides, for a change between two levels of load is not a drift.
fn steady(evaluator: &Evaluator<'_>, spans: &[Range<Nanos>], asked: &StateRule<'_>) -> Decision {
    let of_piece = |span: &Range<Nanos>| match looked_at(evaluator, span, asked) {
        Ok(looked) => steady_in(&looked, asked),
        Err(why) => no_value(why),
    };
    worst(spans.iter().map(of_piece).collect())
}

/// Whether it is steady over one stretch of time, while the run goes on; `None` where that cannot be told. With it the
/// change that was found, as part of the level or of what it may grow to.
pub(crate) fn steady_now(
    evaluator: &Evaluator<'_>,
    span: &Range<Nanos>,
    asked: &StateRule<'_>,
) -> Option<(bool, Option<f64>)> {
    let decision = steady(evaluator, std::slice::from_ref(span), asked);
    match decision.verdict {
        Verdict::CannotTell => None,
        verdict => Some((verdict == Verdict::Met, decision.value)),
    }
}

/// How far back a state looks at least: shorter stretches tell nothing.
pub(crate) fn looks_back(is_memory: bool) -> Nanos {
    Nanos::from_secs_f64(if is_memory { MEMORY_SECONDS } else { SHORTEST_SECONDS })
}

/// The series in one piece of time.
fn looked_at(evaluator: &Evaluator<'_>, span: &Range<Nanos>, asked: &StateRule<'_>) -> Result<Looked, NoValue> {
    match &asked.subject.subject {
        Subject::Metric { monitor, metric } => {
            let metric = evaluator.metric(monitor, metric)?;
            let is_in = |at: Nanos| span.contains(&at);
            let all = &evaluator.figures.samples;
            if metric.of.kind == "counter" {
                let points = evaluator.joined_in(all, metric)?;
                let points: Vec<_> = points.into_iter().filter(|(at, _)| is_in(*at)).collect();
                return Ok(Looked::rate_of(&points, metric_kind(&metric.of.unit)));
            }
            let mut points = evaluator.joined_in(all, metric)?;
            points.retain(|(at, _)| is_in(*at));
            let capacity = metric.of.ceiling.as_deref().and_then(|ceiling| {
                let ceiling = evaluator.metric(monitor, ceiling).ok()?;
                let values = evaluator.joined_in(all, ceiling).ok()?;
                values.into_iter().map(|(_, value)| value).filter(|value| *value > 0.0).reduce(f64::max)
            });
            let is_memory = metric.of.unit == "bytes" && metric.of.of.is_none();
            Ok(Looked { capacity, is_memory, ..Looked::level_of(&points, metric_kind(&metric.of.unit)) })
        }
        Subject::Exchanges { exchanges, leg, what } => {
            let chosen = exchanges.iter().filter(|number| evaluator.exchange.is_none_or(|only| only == **number));
            let exchanges: Vec<u16> = chosen.copied().collect();
            let seconds = seconds_within(span.start, span.end);
            let leg = leg.unwrap_or(0);
            if asked.function == Some(Function::Rate) {
                let counted = match what {
                    What::Itself | What::Outcome(terms::Outcome::Ok) | What::Book(study::rule::Book::Completed) => {
                        evaluator.ended_by_second(&exchanges, leg)
                    }
                    _ => return Err(NoValue::NotYet),
                };
                let values = seconds.clone().map(|second| counted.get(&second).copied().unwrap_or(0) as f64);
                return Ok(Looked::by_second(values.collect(), Kind::PerSecond));
            }
            let times = exchanges.iter().filter_map(|number| evaluator.figures.leg(*number, leg));
            let width = evaluator.figures.width.max(1);
            let values = series::mean_times(times, seconds, width, *what == What::Service);
            Ok(Looked { spacing_s: width as f64, ..Looked::by_second(values, Kind::Time) })
        }
        _ => Err(NoValue::NotYet),
    }
}

fn steady_in(looked: &Looked, asked: &StateRule<'_>) -> Decision {
    let is_memory = looked.is_memory;
    let allowed = asked.option("growth").unwrap_or(GROWTH);
    let horizon = asked.option("horizon").unwrap_or(if is_memory { HORIZON_S } else { looked.seconds() });
    let (have, need) = (looked.seconds(), if is_memory { MEMORY_SECONDS } else { SHORTEST_SECONDS });
    let Ok(growth) = looked.growth() else {
        return no_value(NoValue::TooShort { have: have as u64, need: need as u64 });
    };
    let whole = looked.capacity.unwrap_or(growth.level).abs();
    if whole <= 0.0 {
        return no_value(NoValue::NoSamples);
    }
    let projected = growth.over(horizon);
    let mut decision = Decision {
        value: Some(projected.value / whole),
        low: Some(projected.low / whole),
        high: Some(projected.high / whole),
        limit: Some(allowed),
        kind: Kind::Share,
        count: looked.values.len() as u64,
        ..cannot_tell("", [])
    };
    let is_figure = projected.high - projected.low <= WIDEST_PROJECTION * whole;
    // A sample short of the whole hold is the whole hold.
    if have + 2.0 * looked.spacing_s < need {
        decision.withdraw("too_short", [("have", Arg::Seconds(have)), ("needed", Arg::Seconds(need))]);
        return if is_figure { decision } else { without_projection(decision) };
    }
    let question =
        stats::trend::leak::Question { capacity: looked.capacity, horizon, allowed, p_max: stats::trend::leak::P_MAX };
    let verdict = if is_memory { one_sided(&growth, &question) } else { two_sided(&growth, horizon, allowed * whole) };
    let hourly = |value: f64| unit_arg(looked.kind, value * 3600.0);
    let over = || ("horizon", Arg::Seconds(horizon));
    let spread = || ("spread", Arg::Share(variation(&looked.values)));
    (decision.verdict, decision.reason) = match verdict {
        Verdict::NotMet => {
            (verdict, reason("drifts", args([("hourly", hourly(growth.line.slope.value)), over(), spread()])))
        }
        Verdict::Met => {
            (verdict, reason("steady", args([("detectable", hourly(growth.detectable)), over(), spread()])))
        }
        Verdict::CannotTell => {
            (verdict, reason("drift_unclear", args([("detectable", hourly(growth.detectable)), over(), spread()])))
        }
    };
    if !is_memory && let Some(shift) = looked.level_shift(allowed, 1) {
        let given = [
            ("at", Arg::Seconds(shift.after_s)),
            ("before", unit_arg(looked.kind, shift.before)),
            ("after", unit_arg(looked.kind, shift.after)),
        ];
        (decision.verdict, decision.reason) = (Verdict::NotMet, reason("level_shift", args(given)));
    }
    if is_figure || decision.verdict != Verdict::CannotTell { decision } else { without_projection(decision) }
}

/// Half a minute says nothing about a day: a projection of −19 000 to 240 000 % is not a figure to print.
fn without_projection(decision: Decision) -> Decision {
    Decision { value: None, low: None, high: None, ..decision }
}

/// Coefficient of variation: the standard deviation of the values of the whole stretch over their mean.
fn variation(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let variation = (squares / (count - 1.0)).sqrt() / mean.abs();
    if variation.is_finite() { variation } else { 0.0 }
}

/// Not more than is allowed. That a leak is suspected is not proof that it is too large: the growth must be by its interval.
fn one_sided(growth: &stats::trend::leak::Growth, question: &stats::trend::leak::Question) -> Verdict {
    match growth.leak(question) {
        stats::trend::leak::Leak::Suspected if growth.is_proven(question) => Verdict::NotMet,
        stats::trend::leak::Leak::Excluded => Verdict::Met,
        _ => Verdict::CannotTell,
    }
}

/// Neither up nor down by more than `allowed` over the horizon.
fn two_sided(growth: &stats::trend::leak::Growth, horizon: f64, allowed: f64) -> Verdict {
    let projected = growth.over(horizon);
    let is_trend = growth.trend.p < stats::trend::leak::P_MAX && (projected.low > 0.0 || projected.high < 0.0);
    if is_trend && (projected.low > allowed || projected.high < -allowed) {
        Verdict::NotMet
    } else if (projected.low >= -allowed && projected.high <= allowed)
        || (!is_trend && growth.detectable * horizon <= allowed)
    {
        Verdict::Met
    } else {
        Verdict::CannotTell
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_coefficient_of_variation_is_that_of_the_textbook() {
        // Mean 5, squares 32, n - 1 = 7.
        let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        assert!((variation(&values) - (32.0f64 / 7.0).sqrt() / 5.0).abs() < 1e-12);
        assert_eq!(variation(&[0.65, 0.65, 0.65]), 0.0);
        assert_eq!((variation(&[]), variation(&[3.0]), variation(&[0.0, 0.0])), (0.0, 0.0, 0.0));
    }
}
