//! Other work on the machine that takes the processors from the system.

use super::{Seen, finding};
use crate::bottleneck::{OWN_LEAST, limits, run_queue, shared};
use crate::{Arg, Finding, Gravity};
use terms::Phase;

/// OTHER-WORK: the processors were busy, or more was ready to run than there are cores, and the watched processes and the
/// generator used less than half of that time.
pub(super) fn other_work(seen: &Seen<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for span in seen.index.evidence.steps.iter().filter(|span| span.phase == Phase::Hold) {
        let Some(shared) = shared(seen.index, span).filter(|shared| shared.is_others()) else { continue };
        let is_queueing = run_queue(seen.index, span).is_some_and(|(_, mean)| mean > shared.cores);
        if shared.busy < limits::UNUSED * shared.cores && !is_queueing {
            continue;
        }
        let args = [
            ("busy", Arg::Cores(shared.busy)),
            ("cores", Arg::Cores(shared.cores)),
            ("limit", Arg::Share(OWN_LEAST)),
            ("own", Arg::Cores(shared.own)),
        ];
        findings.push(finding("OTHER-WORK", Gravity::Warning, &seen.index.shared_scope(span), args));
    }
    findings
}
