//! An instance that ended or was started again.

use super::{RuleInput, finding};
use crate::Scope;
use crate::findings::declare::{Seconds, declare};
use crate::{Finding, Gravity};

declare! {
    /// An instance ended, or was started again, during the run. One that is gone by the end cannot be asked who it
    /// is; that is its death and no stranger: what failed has failed, and only somebody else who answers for it
    /// makes the run invalid (`identity`).
    InstanceDown = "DOWN" {
        at: Seconds,
        instance: String,
        kind: String,
    }
}

/// DOWN: an instance ended or was restarted while it was measured.
pub(super) fn down(seen: &RuleInput<'_>) -> Vec<Finding> {
    let events = seen.index.evidence.events.iter();
    let lost = events.filter(|event| matches!(event.kind.as_str(), "gone" | "restart"));
    lost.map(|event| {
        let args = InstanceDown {
            at: Seconds(event.at.as_secs_f64()),
            instance: event.subject.clone(),
            kind: event.kind.clone(),
        };
        let evidence = vec![format!("events:{}", event.subject)];
        Finding { evidence, ..finding(Gravity::Warning, &Scope::named(event.subject.as_str()), args) }
    })
    .collect()
}
