//! Other work on the machine that takes the processors from the system.

use super::{RuleInput, finding};
use crate::bottleneck::limits;
use crate::findings::declare::{Cores, Given, Share, declare};
use crate::processors::{OWN_LEAST, shared};
use crate::{Finding, Gravity};
use terms::Phase;

declare! {
    /// The processors of the machine were busier than 70 %, and the watched processes and the generator together used
    /// less than half of that time. Other work took it, or an unwatched part of the system. Evaluated where the
    /// machine, a process of the system and the generator were all watched. A warning.
    OtherWork = "OTHER-WORK" {
        busy: Cores,
        cores: Cores,
        limit: Given<Share>,
        own: Cores,
    }
}

/// OTHER-WORK: the processors were busy, and the watched processes and the generator used less than half of that time. How
/// many tasks are ready to run says nothing here: whoever counts them once a second wakes up with others that do.
pub(super) fn other_work(seen: &RuleInput<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for span in seen.index.evidence.steps.iter().filter(|span| span.phase == Phase::Hold) {
        let Some(shared) = shared(seen.index, span).filter(|shared| shared.is_others()) else { continue };
        if shared.busy < limits::UNUSED * shared.cores {
            continue;
        }
        let args = OtherWork {
            busy: Cores(shared.busy),
            cores: Cores(shared.cores),
            limit: Given(Share(OWN_LEAST)),
            own: Cores(shared.own),
        };
        findings.push(finding(Gravity::Warning, &seen.index.shared_scope(span), args));
    }
    findings
}
