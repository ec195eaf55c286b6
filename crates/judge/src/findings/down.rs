//! An instance that ended or was started again.

use super::{RuleInput, finding};
use crate::Scope;
use crate::findings::declare::{Count, Seconds, declare};
use crate::{Finding, Gravity};
use record::EventRow;

declare! {
    /// An instance ended or was restarted during the run. One that is gone by the end cannot be asked for its identity;
    /// it is dead, not replaced: what failed has failed, and only another one answering for it makes the run invalid
    /// (`identity`). One loss is often noticed several times: by its process, by a virtual machine in it, by an address
    /// that no longer answers; what follows within `LOSS_SECONDS` is the same loss.
    InstanceDown = "DOWN" {
        at: Seconds,
        instance: String,
        kind: String,
        last: Option<Seconds>,
        noticed: Count,
    }
}

/// Events of one instance and one kind within this many seconds of each other are one loss.
const LOSS_SECONDS: u64 = 5;

/// DOWN: an instance ended or was restarted while it was measured.
pub(super) fn down(seen: &RuleInput<'_>) -> Vec<Finding> {
    let events = seen.index.evidence.events.iter();
    let noticed = events.filter(|event| matches!(event.kind.as_str(), "gone" | "restart"));
    let mut losses: Vec<Vec<&EventRow>> = Vec::new();
    for event in noticed {
        // Only the newest loss of the instance can go on: one that was started again and ends is another loss.
        let newest = losses.iter_mut().rev().find(|loss| loss[0].subject == event.subject);
        match newest.filter(|loss| is_same(loss, event)) {
            Some(loss) => loss.push(event),
            None => losses.push(vec![event]),
        }
    }
    losses.into_iter().map(|loss| told(&loss)).collect()
}

fn is_same(loss: &[&EventRow], event: &EventRow) -> bool {
    let is_near = |last: &&EventRow| event.at.0.abs_diff(last.at.0) <= LOSS_SECONDS * 1_000_000_000;
    loss[0].kind == event.kind && loss.last().is_some_and(is_near)
}

fn told(loss: &[&EventRow]) -> Finding {
    let first = loss[0];
    let last = loss.last().filter(|_| loss.len() > 1);
    let args = InstanceDown {
        at: Seconds(first.at.as_secs_f64()),
        instance: first.subject.clone(),
        kind: first.kind.clone(),
        last: last.map(|event| Seconds(event.at.as_secs_f64())),
        noticed: Count(loss.len() as f64),
    };
    let evidence = vec![format!("events:{}", first.subject)];
    Finding { evidence, ..finding(Gravity::Warning, &Scope::named(first.subject.as_str()), args) }
}
