//! IDLE, NO-RETURN and STATE: what was there before the load, what is left after it, and what it began upon.

use super::{Hold, Series, Watched, arg, of_series, others, text};
use crate::evaluate::Kind;
use crate::{Arg, Finding, Gravity};
use stats::series::median;
use std::collections::BTreeMap;
use terms::{Nanos, Phase};

/// A shorter idle phase is no baseline, seconds.
const IDLE_SECONDS: f64 = 10.0;
/// Nor are fewer samples.
const IDLE_SAMPLES: usize = 5;
/// After a shorter time a return is not expected, seconds.
const RETURN_SECONDS: f64 = 60.0;
/// After this time a missing return is a warning, seconds.
const RETURN_LONG: f64 = 300.0;
/// The level after the load is that of the last so many seconds.
const RETURN_LAST: f64 = 30.0;
/// A store at the beginning of a later hold is fuller by this part than at the first.
const STATE_FULLER: f64 = 0.1;

pub(super) fn all(watched: &Watched<'_>) -> Vec<Finding> {
    let mut findings = idle(watched);
    findings.extend(no_return(watched));
    findings.extend(state(watched));
    findings
}

/// What a series shows in its scenario's idle phase: mean, spread, seconds. The mean, for that is what every table and
/// figure of the report has of the same window: one window has one level.
struct Baseline {
    level: f64,
    spread: f64,
    seconds: f64,
}

fn baseline(watched: &Watched<'_>, hold: &Hold<'_>, series: &Series<'_>) -> Option<Baseline> {
    let steps = watched.seen.index.evidence.steps_of(hold.span.scenario, Some(Phase::Idle));
    let idle = steps.filter(|step| step.to <= hold.span.from).max_by_key(|step| step.to)?;
    let seconds = (idle.to - idle.from).as_secs_f64();
    let values = series.values(idle.from, idle.to);
    if seconds < IDLE_SECONDS || values.len() < IDLE_SAMPLES {
        return None;
    }
    let spread = stats::mean::variance(&values).map_or(0.0, f64::sqrt);
    Some(Baseline { level: mean(&values)?, spread, seconds })
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// How far above the baseline a series is still at its baseline.
fn reach(kind: Kind, baseline: &Baseline) -> f64 {
    let least = match kind {
        Kind::Share => 0.05,
        Kind::Cores => 0.1,
        _ => (0.1 * baseline.level.abs()).max(2.0),
    };
    least.max(3.0 * baseline.spread)
}

/// IDLE: processors in the idle phase against the hold; of each scenario and monitor the instance and hold with the
/// greatest rise, for of several steps each would say the same.
fn idle(watched: &Watched<'_>) -> Vec<Finding> {
    let mut greatest: BTreeMap<(usize, &str), (f64, Finding)> = BTreeMap::new();
    for hold in watched.windows() {
        for series in watched.series.iter().filter(|series| series.metric.name == "cpu") {
            let Some(baseline) = baseline(watched, hold, series) else { continue };
            let Some(load) = mean(&series.values(hold.span.from, hold.span.to)) else { continue };
            let (rise, key) = (load - baseline.level, (hold.span.scenario, series.monitor.name.as_str()));
            if rise <= 0.0 || greatest.get(&key).is_some_and(|(other, _)| *other >= rise) {
                continue;
            }
            let args = [
                ("series", text(series.name())),
                ("instance", text(series.instance)),
                ("baseline", arg(series.kind(), baseline.level)),
                ("load", arg(series.kind(), load)),
                ("seconds", Arg::Seconds(baseline.seconds)),
            ];
            greatest.insert(key, (rise, of_series("IDLE", Gravity::Info, &hold.shared, series, args)));
        }
    }
    greatest.into_values().map(|(_, finding)| finding).collect()
}

/// NO-RETURN: raised by the load, and not back at the idle level when the watching ended.
fn no_return(watched: &Watched<'_>) -> Vec<Finding> {
    const LOOKED_AT: [&str; 7] = ["cpu", "threads", "connected", "connections", "descriptors", "lag", "run_queue"];
    let mut findings = Vec::new();
    for hold in watched.windows() {
        let Some((from, to)) = after(watched, hold) else { continue };
        let mut left: Vec<(f64, Finding)> = Vec::new();
        for series in &watched.series {
            if series.metric.kind != "gauge" || !LOOKED_AT.contains(&series.metric.name.as_str()) {
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
            let watched_for = (to - from).as_secs_f64();
            let severity = if watched_for >= RETURN_LONG { Gravity::Warning } else { Gravity::Notice };
            let args = [
                ("series", text(series.name())),
                ("instance", text(series.instance)),
                ("baseline", arg(series.kind(), baseline.level)),
                ("value", arg(series.kind(), end)),
                ("watched", Arg::Seconds(watched_for)),
                ("others", Arg::Count(0.0)),
            ];
            let part = (end - baseline.level) / (held - baseline.level);
            left.push((part, of_series("NO-RETURN", severity, &hold.shared, series, args)));
        }
        let count = left.len();
        let lead = left.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, finding)| finding);
        findings.extend(lead.map(|mut finding| {
            finding.args.insert("others".into(), others(count));
            finding
        }));
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

/// STATE: a later hold began upon a fuller store than the first.
fn state(watched: &Watched<'_>) -> Vec<Finding> {
    const STORED: [&str; 5] = ["size", "lag", "depth", "rows", "records"];
    let mut findings = Vec::new();
    let holds: Vec<&Hold<'_>> = watched.windows().collect();
    let Some((first, later)) = holds.split_first() else { return findings };
    for series in watched.series.iter().filter(|series| STORED.contains(&series.metric.name.as_str())) {
        let at = |hold: &Hold<'_>| {
            let every = Nanos::from_secs_f64(series.monitor.every_s.clamp(1.0, 3600.0));
            let near = series.within(hold.span.from - every, hold.span.from + every + every);
            (series.metric.kind == "gauge").then(|| near.first().map(|(_, value)| *value)).flatten()
        };
        let Some(base) = at(first).filter(|base| *base > 0.0) else { continue };
        let fuller = later.iter().filter_map(|hold| Some((hold, at(hold)?)));
        let Some((hold, now)) = fuller.max_by(|a, b| a.1.total_cmp(&b.1)) else { continue };
        if now / base - 1.0 <= STATE_FULLER {
            continue;
        }
        let args = [
            ("series", text(series.name())),
            ("instance", text(series.instance)),
            ("first", text(&first.shared)),
            ("before", arg(series.kind(), base)),
            ("now", arg(series.kind(), now)),
            ("change", Arg::Share(now / base - 1.0)),
        ];
        findings.push(of_series("STATE", Gravity::Notice, &hold.shared, series, args));
    }
    findings
}
