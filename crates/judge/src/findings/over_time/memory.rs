//! LEAK and CEILING_REACHED: memory that grows without end, and what stands at its limit.

use super::{Hold, Series, Watched, arg, of_series, text};
use crate::series::Looked;
use crate::{Arg, Finding, Gravity};
use stats::trend::leak::{Growth, Leak, Question};

/// Shorter holds tell no rise of memory, seconds.
const RISE_SECONDS: f64 = 300.0;
/// Shorter holds tell no leak from what fills up, seconds: a leak is possible, not suspected.
const LEAK_SECONDS: f64 = 1800.0;
/// A leak grows by this part of the level within the hold, at least.
const LEAK_GROWN: f64 = 0.02;
/// A leak grows by so many bytes within the hold, at least.
const LEAK_BYTES: f64 = 1e6;
/// A leak would grow by this part of its limit, or of its level, within a day.
const LEAK_A_DAY: f64 = 0.1;
/// The day over which growth is projected, seconds.
const DAY_SECONDS: f64 = 86_400.0;
/// What grows steadily has a third of its growth in the last third of the hold; with less than this share it is filling up.
const LEAK_LAST_THIRD: f64 = 0.15;
/// At the ceiling is what stands at this part of it.
const CEILING_REACHED: f64 = 0.95;
/// And does so for this share of the time.
const CEILING_TIME: f64 = 0.05;

/// LEAK: resident memory rises all through the hold. Without knowledge of a collector never more than suspected.
pub(super) fn leaks(watched: &Watched<'_>) -> Vec<Finding> {
    if watched.is_trial {
        return Vec::new();
    }
    let candidates = candidates(watched);
    let looks = candidates.len() * watched.windows().count();
    let mut findings = Vec::new();
    for hold in watched.windows().filter(|hold| hold.seconds() >= RISE_SECONDS) {
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
        if !chosen.iter().any(is_same) {
            chosen.push(series);
        }
    }
    let is_machine = |series: &&Series<'_>| series.monitor.kind == "host";
    if !chosen.iter().all(is_machine) {
        chosen.retain(|series| !is_machine(series));
    }
    chosen
}

fn leak(watched: &Watched<'_>, hold: &Hold<'_>, series: &Series<'_>, p_max: f64) -> Option<Finding> {
    let looked = series.looked(hold.span.from, hold.span.to)?;
    let growth = looked.growth().ok()?;
    let capacity = ceiling_of(watched, hold, series);
    let question = Question { capacity, horizon: DAY_SECONDS, allowed: LEAK_A_DAY, p_max };
    let grown = growth.over(growth.length).value;
    let matters = grown >= LEAK_GROWN * growth.level.abs() && grown >= LEAK_BYTES;
    if growth.leak(&question) != Leak::Suspected || !matters || fills_up(&looked, &growth) {
        return None;
    }
    let is_long = hold.seconds() + 2.0 * looked.spacing_s >= LEAK_SECONDS;
    let slope = &growth.line.slope;
    let iterations = watched.throughput(hold);
    let full = capacity.and_then(|capacity| growth.time_to(capacity));
    let args = [
        ("instance", text(series.instance)),
        ("series", text(series.name())),
        ("grade", text(if is_long { "suspected" } else { "possible" })),
        ("hourly", Arg::Bytes(slope.value * 3600.0)),
        ("hourly_low", Arg::Bytes(slope.low * 3600.0)),
        ("hourly_high", Arg::Bytes(slope.high * 3600.0)),
        ("per_iteration", if iterations > 0.0 { Arg::Bytes(slope.value / iterations) } else { text("none") }),
        ("level", Arg::Bytes(growth.level)),
        ("hold", Arg::Seconds(hold.seconds())),
        ("full", full.map_or_else(|| text("none"), |(time, ..)| Arg::Seconds(time))),
        ("full_low", text("none")),
        ("full_high", text("none")),
        ("collections", text("none")),
    ];
    let severity = if is_long { Gravity::Warning } else { Gravity::Notice };
    Some(of_series("LEAK", severity, &hold.shared, series, args))
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
    last - late < LEAK_LAST_THIRD * whole
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

/// CEILING_REACHED: what is bounded stands at its bound.
pub(super) fn ceilings(watched: &Watched<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for hold in watched.windows() {
        for series in watched.series.iter().filter(|series| series.metric.kind == "gauge") {
            let Some(ceiling) = ceiling_of(watched, hold, series) else { continue };
            let values = series.values(hold.span.from, hold.span.to);
            let at = values.iter().filter(|value| **value >= CEILING_REACHED * ceiling).count() as f64;
            let time = at / values.len().max(1) as f64;
            let greatest = values.iter().copied().fold(0.0, f64::max);
            // `used` and `rss` stand at one limit: once is enough.
            let is_said = findings.iter().any(|finding| {
                finding.scope == hold.shared && finding.args.get("instance") == Some(&text(series.instance))
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
                ("of", text("time")),
            ];
            findings.push(of_series("CEILING", Gravity::Warning, &hold.shared, series, args));
        }
    }
    findings
}
