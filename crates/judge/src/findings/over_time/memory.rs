//! LEAK and CEILING: memory that grows without end, and what stands at its limit.

use super::{Hold, Series, Watched, arg, of_series, text};
use crate::series::Looked;
use crate::{Arg, Finding, Gravity};
use stats::trend::leak::{Growth, Leak, Question};

/// A rise is told from here on, seconds; and is suspected to be a leak only from here on.
const SHORTEST_RISE: f64 = 300.0;
const SHORTEST_LEAK: f64 = 1800.0;
/// Least growth within the hold: a part of the level, and bytes.
const GROWN: f64 = 0.02;
const GROWN_BYTES: f64 = 1e6;
/// Growth over a day that is allowed, and the day in seconds.
const ALLOWED: f64 = 0.1;
const DAY: f64 = 86_400.0;
/// What fills up grows less and less. In the last third, steady growth has a third of the whole; less than this, and
/// it is filling up.
const LAST_THIRD: f64 = 0.15;
/// "At the ceiling" from this part of it on, for this part of the time.
const CEILING: f64 = 0.95;
const CEILING_TIME: f64 = 0.05;

/// LEAK: resident memory rises all through the hold. Without knowledge of a collector never more than suspected.
pub(super) fn leaks(watched: &Watched<'_>) -> Vec<Finding> {
    if watched.is_trial {
        return Vec::new();
    }
    let candidates = candidates(watched);
    let looks = candidates.len() * watched.holds.len();
    let mut findings = Vec::new();
    for hold in watched.holds.iter().filter(|hold| hold.seconds() >= SHORTEST_RISE) {
        for series in &candidates {
            findings.extend(leak(watched, hold, series, Watched::p_max(looks)));
        }
    }
    findings
}

/// One series for each instance: of several measures of the same memory the first that its monitor names. Of the whole
/// machine only where nothing finer is watched.
fn candidates<'a>(watched: &'a Watched<'_>) -> Vec<&'a Series<'a>> {
    let mut chosen: Vec<&Series<'_>> = Vec::new();
    for series in watched.series.iter().filter(|series| series.is_memory()) {
        let is_same =
            |other: &&Series<'_>| other.monitor.name == series.monitor.name && other.instance == series.instance;
        if !chosen.iter().any(|other| is_same(other)) {
            chosen.push(series);
        }
    }
    let is_machine = |series: &&Series<'_>| series.monitor.kind == "host";
    if !chosen.iter().all(|series| is_machine(series)) {
        chosen.retain(|series| !is_machine(series));
    }
    chosen
}

fn leak(watched: &Watched<'_>, hold: &Hold<'_>, series: &Series<'_>, p_max: f64) -> Option<Finding> {
    let looked = series.looked(hold.span.from, hold.span.to)?;
    let growth = looked.growth().ok()?;
    let capacity = ceiling_of(watched, hold, series);
    let question = Question { capacity, horizon: DAY, allowed: ALLOWED, p_max };
    let grown = growth.over(growth.length).value;
    let matters = grown >= GROWN * growth.level.abs() && grown >= GROWN_BYTES;
    if growth.leak(&question) != Leak::Suspected || !matters || fills_up(&looked, &growth) {
        return None;
    }
    let is_long = hold.seconds() + 2.0 * looked.spacing_s >= SHORTEST_LEAK;
    let slope = &growth.line.slope;
    let calls = hold.step.throughput_per_s;
    let full = capacity.and_then(|capacity| growth.time_to(capacity));
    let args = [
        ("instance", text(series.instance)),
        ("series", text(series.name())),
        ("grade", text(if is_long { "suspected" } else { "possible" })),
        ("hourly", Arg::Bytes(slope.value * 3600.0)),
        ("hourly_low", Arg::Bytes(slope.low * 3600.0)),
        ("hourly_high", Arg::Bytes(slope.high * 3600.0)),
        ("per_call", if calls > 0.0 { Arg::Bytes(slope.value / calls) } else { text("none") }),
        ("level", Arg::Bytes(growth.level)),
        ("hold", Arg::Seconds(hold.seconds())),
        ("full", full.map_or_else(|| text("none"), |(time, ..)| Arg::Seconds(time))),
    ];
    let severity = if is_long { Gravity::Warning } else { Gravity::Notice };
    Some(of_series("LEAK", severity, &hold.scope, series, args))
}

/// Whether the last third of the hold has hardly any of the growth.
fn fills_up(looked: &Looked, growth: &Growth) -> bool {
    let third = looked.values.len() / 12;
    let least = |range: std::ops::Range<usize>| looked.values[range].iter().copied().fold(f64::INFINITY, f64::min);
    let n = looked.values.len();
    if third == 0 {
        return false;
    }
    let (first, late, last) =
        (least(0..third), least(n * 2 / 3 - third / 2..n * 2 / 3 + third / 2 + 1), least(n - third..n));
    let whole = (last - first).max(growth.over(growth.length).value * 0.5);
    last - late < LAST_THIRD * whole
}

/// The greatest value of what bounds a series.
fn ceiling_of(watched: &Watched<'_>, hold: &Hold<'_>, series: &Series<'_>) -> Option<f64> {
    let name = series.metric.ceiling.as_deref()?;
    let bounds = watched.series.iter().filter(|other| {
        other.monitor.name == series.monitor.name
            && other.metric.name == name
            && (other.instance == series.instance || other.instance == other.monitor.name)
    });
    let values = bounds.flat_map(|bound| bound.values(hold.span.from, hold.span.to));
    values.filter(|value| *value > 0.0).reduce(f64::max)
}

/// CEILING: what is bounded stands at its bound.
pub(super) fn ceilings(watched: &Watched<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for hold in &watched.holds {
        for series in watched.series.iter().filter(|series| series.metric.kind == "gauge") {
            let Some(ceiling) = ceiling_of(watched, hold, series) else { continue };
            let values = series.values(hold.span.from, hold.span.to);
            let at = values.iter().filter(|value| **value >= CEILING * ceiling).count() as f64;
            let time = at / values.len().max(1) as f64;
            let greatest = values.iter().copied().fold(0.0, f64::max);
            // `used` and `rss` stand at one limit: once is enough.
            let is_said = findings.iter().any(|finding| {
                finding.scope == hold.scope && finding.args.get("instance") == Some(&text(series.instance))
            });
            if values.len() < 10 || time < CEILING_TIME || is_said {
                continue;
            }
            let args = [
                ("instance", text(series.instance)),
                ("series", text(series.name())),
                ("ceiling", arg(series.kind(), ceiling)),
                ("reached", Arg::Share(greatest / ceiling)),
                ("time", Arg::Share(time)),
            ];
            findings.push(of_series("CEILING", Gravity::Warning, &hold.scope, series, args));
        }
    }
    findings
}
