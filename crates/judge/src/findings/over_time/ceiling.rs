//! What stands at its limit.

use super::{Found, Hold, Series, Watched, arg, of_series, text};
use crate::findings::declare::{Share, declare};
use crate::{Arg, Finding, Gravity};

declare! {
    /// Something with a limit (memory of a group, connections of a database) reached it. A heap is full before each
    /// collection, and may be fully committed from the start: neither is a finding. It is one when collections leave
    /// `HEAP_FULL` of the old generation's maximum, or more, in use.
    Ceiling = "CEILING" {
        ceiling: Arg,
        instance: String,
        of: String,
        reached: Share,
        series: String,
        time: Share,
    }
}

/// At this part of the ceiling or above counts as at it.
const CEILING_REACHED: f64 = 0.95;
/// And it must do so for this share of the time.
const CEILING_TIME: f64 = 0.05;

/// The greatest value of what bounds a series.
pub(super) fn ceiling_of(watched: &Watched<'_>, hold: &Hold<'_>, series: &Series<'_>) -> Option<f64> {
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
                finding.scope == hold.shared
                    && matches!(&finding.found, Found::Ceiling(found) if found.instance == series.instance)
            });
            if values.len() < 10 || time < CEILING_TIME || is_said {
                continue;
            }
            let args = Ceiling {
                ceiling: arg(series.kind(), ceiling),
                instance: text(series.instance),
                of: text("time"),
                reached: Share(greatest / ceiling),
                series: text(series.name()),
                time: Share(time),
            };
            findings.push(of_series(Gravity::Warning, &hold.shared, series, args));
        }
    }
    findings
}
