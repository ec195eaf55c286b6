//! Times that do not depend on the load.

use super::across_loads::{evidence, load, several};
use super::{RuleInput, finding};
use crate::findings::declare::{Milliseconds, Share, declare};
use crate::{Arg, Finding, Gravity};
use stats::trend::mann_kendall;

declare! {
    /// Over `FLAT_LOADS` loads or more, the time of an iteration spread by less than `FLAT_SPREAD` and had no trend
    /// (Mann-Kendall, p above `TREND_P`): no queue formed in the tested range.
    FlatTimes = "FLAT-R" {
        from: Arg,
        mean: Milliseconds,
        spread: Share,
        to: Arg,
    }
}

/// Spread of the times, as coefficient of variation, up to which they count as the same at every load.
const FLAT_SPREAD: f64 = 0.05;
/// Loads that a statement about all of them needs.
const FLAT_LOADS: usize = 3;
/// A trend with this p or less is one.
const TREND_P: f64 = 0.05;

/// FLAT-R: the time of an iteration does not depend on the load.
pub(super) fn flat_times(seen: &RuleInput<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for family in several(seen).filter(|family| family.loads().len() >= FLAT_LOADS) {
        let times: Vec<f64> = family.levels.iter().filter_map(|level| level.time_ms).collect();
        let Ok(variance) = stats::moments::variance(&times) else { continue };
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        let spread = variance.sqrt() / mean;
        let has_trend = mann_kendall(&times).is_ok_and(|test| test.p <= TREND_P);
        if times.len() < family.levels.len() || mean <= 0.0 || spread > FLAT_SPREAD || has_trend {
            continue;
        }
        let (Some(lowest), Some(highest)) = (family.levels.first(), family.levels.last()) else { continue };
        let args = FlatTimes {
            from: load(family, lowest.load),
            mean: Milliseconds(mean),
            spread: Share(spread),
            to: load(family, highest.load),
        };
        let mut found = finding(Gravity::Info, &family.scope(), args);
        found.evidence = evidence(&family.levels.iter().collect::<Vec<_>>());
        findings.push(found);
    }
    findings
}
