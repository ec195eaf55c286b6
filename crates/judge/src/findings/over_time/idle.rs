//! Processors in the idle phase.

use super::around::{baseline, mean};
use super::{Watched, arg, of_series, text};
use crate::findings::declare::{Seconds, declare};
use crate::{Arg, Finding, Gravity};
use contract::Role;
use std::collections::BTreeMap;

declare! {
    /// Processor time in the idle phase beside that of the hold, both as means; of each monitor the instance that rises
    /// most. The baseline is measured, not read from a graph, and is the same in the tables, the figures, NO-RETURN and
    /// `settled`.
    IdleLevel = "IDLE" {
        baseline: Arg,
        instance: String,
        load: Arg,
        seconds: Seconds,
        series: String,
    }
}

/// IDLE: processors in the idle phase against the hold; of each scenario and monitor the instance and hold with the
/// greatest rise, for of several steps each would say the same.
pub(super) fn idle(watched: &Watched<'_>) -> Vec<Finding> {
    let mut greatest: BTreeMap<(usize, &str), (f64, Finding)> = BTreeMap::new();
    for hold in watched.windows() {
        for series in watched.series.iter().filter(|series| series.metric.role() == Some(Role::Processor)) {
            let Some(baseline) = baseline(watched, hold, series) else { continue };
            let Some(load) = mean(&series.values(hold.span.from, hold.span.to)) else { continue };
            let (rise, key) = (load - baseline.level, (hold.span.scenario, series.monitor.name.as_str()));
            if rise <= 0.0 || greatest.get(&key).is_some_and(|(other, _)| *other >= rise) {
                continue;
            }
            let args = IdleLevel {
                baseline: arg(series.kind(), baseline.level),
                instance: text(series.instance),
                load: arg(series.kind(), load),
                seconds: Seconds(baseline.seconds),
                series: text(series.name()),
            };
            greatest.insert(key, (rise, of_series(Gravity::Info, &hold.shared, series, args)));
        }
    }
    greatest.into_values().map(|(_, finding)| finding).collect()
}
