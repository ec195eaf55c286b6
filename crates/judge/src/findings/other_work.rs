//! Other work on the machine that takes the processors from the system.

use super::{RuleInput, finding};
use crate::bottleneck::limits;
use crate::findings::declare::{Cores, Given, Share, declare};
use crate::processors::{OWN_LEAST, run_queue, shared};
use crate::{Finding, Gravity};
use terms::Phase;

declare! {
    /// The processors of the machine were busier than 70 %, or more tasks were ready to run than there are cores,
    /// and the watched processes and the generator together used less than half of that time. Other work took it,
    /// or a part of the system that nobody watched. Looked at where the machine, a process of the system and the
    /// generator were all seen. A warning.
    OtherWork = "OTHER-WORK" {
        busy: Cores,
        cores: Cores,
        limit: Given<Share>,
        own: Cores,
    }
}

/// OTHER-WORK: the processors were busy, or more was ready to run than there are cores, and the watched processes and the
/// generator used less than half of that time.
pub(super) fn other_work(seen: &RuleInput<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for span in seen.index.evidence.steps.iter().filter(|span| span.phase == Phase::Hold) {
        let Some(shared) = shared(seen.index, span).filter(|shared| shared.is_others()) else { continue };
        let is_queueing = run_queue(seen.index, span).is_some_and(|(_, mean)| mean > shared.cores);
        if shared.busy < limits::UNUSED * shared.cores && !is_queueing {
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
