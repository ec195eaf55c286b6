//! No load that was tried failed.

use super::across_loads::{load, several};
use super::{RuleInput, finding};
use crate::findings::declare::{Count, PerSecond, declare};
use crate::{Arg, Finding, Gravity};

declare! {
    /// Several loads were tried and none failed. The highest is a lower bound of the capacity, not the capacity.
    NotReached = "NOT-REACHED" {
        load: Arg,
        loads: Count,
        throughput: PerSecond,
    }
}

/// NOT-REACHED: no load failed, so the highest that held is a lower bound.
pub(super) fn not_reached(seen: &RuleInput<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for family in several(seen) {
        let has_failed = family.levels.iter().any(|level| level.held == Some(false));
        let Some(highest) = family.levels.iter().rev().find(|level| level.held == Some(true)).filter(|_| !has_failed)
        else {
            continue;
        };
        let args = NotReached {
            load: load(family, highest.load),
            loads: Count(family.loads().len() as f64),
            throughput: PerSecond(highest.throughput_per_s),
        };
        findings.push(finding(Gravity::Info, &highest.scope, args));
    }
    findings
}
