//! What the load raised and did not let go.

use super::around::{Baseline, baseline};
use super::{Hold, Series, Watched, arg, of_series, others, text};
use crate::evaluate::Kind;
use crate::findings::declare::{Count, Seconds, declare};
use crate::{Arg, Finding, Gravity};
use contract::Role;
use stats::series::median;
use terms::{Nanos, Phase};

declare! {
    /// What the load raised had not returned to its idle level when watching ended. Needs an idle phase and a recovery
    /// of a minute or more.
    NoReturn = "NO-RETURN" {
        baseline: Arg,
        instance: String,
        others: Count,
        series: String,
        value: Arg,
        watched: Seconds,
    }
}

/// After a shorter time a return is not expected, seconds.
const RETURN_SECONDS: f64 = 60.0;
/// After this time a missing return is a warning, seconds.
const RETURN_LONG: f64 = 300.0;
/// The level after the load is taken over this many final seconds.
const RETURN_LAST: f64 = 30.0;

/// A share this far above the baseline has returned.
const RETURN_SHARE: f64 = 0.05;
/// So have busy cores within this many of it.
const RETURN_CORES: f64 = 0.1;
/// Anything else has returned within this part of its level.
const RETURN_PART: f64 = 0.1;
/// A difference of this many has always returned: one connection more is not a leak.
const RETURN_COUNT: f64 = 2.0;
/// Within this many standard deviations of the baseline, anything has returned.
const RETURN_DEVIATIONS: f64 = 3.0;

/// How far above the baseline a series is still at its baseline.
fn reach(kind: Kind, baseline: &Baseline) -> f64 {
    let least = match kind {
        Kind::Share => RETURN_SHARE,
        Kind::Cores => RETURN_CORES,
        _ => (RETURN_PART * baseline.level.abs()).max(RETURN_COUNT),
    };
    least.max(RETURN_DEVIATIONS * baseline.spread)
}

/// NO-RETURN: raised by the load, and not back at the idle level when the watching ended.
pub(super) fn no_return(watched: &Watched<'_>) -> Vec<Finding> {
    const LOOKED_AT: [Role; 7] = [
        Role::Processor,
        Role::Threads,
        Role::Connected,
        Role::Connections,
        Role::Descriptors,
        Role::Lag,
        Role::RunQueue,
    ];
    let mut findings = Vec::new();
    for hold in watched.windows() {
        let Some((from, to)) = after(watched, hold) else { continue };
        let mut left: Vec<(f64, &Series<'_>, NoReturn)> = Vec::new();
        for series in &watched.series {
            if !series.is_level_of(&LOOKED_AT) {
                continue;
            }
            let Some(baseline) = baseline(watched, hold, series) else { continue };
            let last = to - Nanos::from_secs_f64(RETURN_LAST);
            let level = |from, to| median(&series.values(from, to));
            let (Some(held), Some(end)) = (level(hold.span.from, hold.span.to), level(last, to)) else { continue };
            let limit = baseline.level + reach(series.kind(), &baseline);
            if held <= limit || end <= limit {
                continue;
            }
            let found = NoReturn {
                baseline: arg(series.kind(), baseline.level),
                instance: text(series.instance),
                others: Count(0.0),
                series: text(series.name()),
                value: arg(series.kind(), end),
                watched: Seconds((to - from).as_secs_f64()),
            };
            left.push(((end - baseline.level) / (held - baseline.level), series, found));
        }
        let others = others(left.len());
        let severity = if (to - from).as_secs_f64() >= RETURN_LONG { Gravity::Warning } else { Gravity::Notice };
        let lead = left.into_iter().max_by(|a, b| a.0.total_cmp(&b.0));
        findings.extend(
            lead.map(|(_, series, found)| of_series(severity, &hold.shared, series, NoReturn { others, ..found })),
        );
    }
    findings
}

/// From the end of a hold's load to the next load, or to the end of the run, when that is long enough. Of several holds
/// of one load the last is followed.
fn after(watched: &Watched<'_>, hold: &Hold<'_>) -> Option<(Nanos, Nanos)> {
    let evidence = watched.seen.index.evidence;
    let loads = evidence.steps.iter().filter(|step| step.phase.has_load() && step.phase != Phase::Drain);
    let next = loads.filter(|step| step.from >= hold.span.to).map(|step| step.from).min();
    let to = next.unwrap_or(evidence.end);
    let drains = evidence.steps_of(hold.span.scenario, Some(Phase::Drain));
    let from = drains.filter(|step| step.from >= hold.span.to && step.to <= to).map(|step| step.to).min();
    let from = from.unwrap_or(hold.span.to);
    ((to - from).as_secs_f64() >= RETURN_SECONDS).then_some((from, to))
}
