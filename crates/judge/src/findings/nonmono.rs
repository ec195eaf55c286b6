//! A load that held although a lower one did not.

use super::across_loads::{evidence, load, several};
use super::{RuleInput, finding};
use crate::findings::declare::declare;
use crate::levels::{Level, is_same};
use crate::{Arg, Finding, Gravity};

declare! {
    /// The same work failed at one load and held at a higher one. Either a disturbance, or a limit that does not
    /// grow with the load. Repeat the lower load; until then the capacity is taken below it.
    NotMonotone = "NONMONO" {
        failed: Arg,
        held: Arg,
        r#where: String,
    }
}

/// NONMONO: a load held although a lower one did not.
pub(super) fn not_monotone(seen: &RuleInput<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for family in several(seen) {
        let Some(failed) = family.levels.iter().find(|level| level.held == Some(false)) else { continue };
        // The same load, once held and once failed, is no higher one.
        let is_higher = |level: &&Level| level.load > failed.load && !is_same(level.load, failed.load);
        let held = family.levels.iter().filter(|level| level.held == Some(true)).filter(is_higher);
        for held in held {
            let args = NotMonotone {
                failed: load(family, failed.load),
                held: load(family, held.load),
                r#where: held.scope.to_string(),
            };
            let mut found = finding(Gravity::Warning, &failed.scope, args);
            found.evidence = evidence(&[failed, held]);
            findings.push(found);
        }
    }
    findings
}
