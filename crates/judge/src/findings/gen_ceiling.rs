//! A load near to what the generator can send.

use super::{RuleInput, finding};
use crate::Scope;
use crate::findings::declare::{Given, PerSecond, Share, declare};
use crate::{Finding, Gravity};
use terms::Phase;

declare! {
    /// A hold sends more than half of what the generator on this machine sent on time to a target that does nothing,
    /// when its [ceiling](08-can-i-trust-the-figures.md#what-this-machine-can-send) was tried before the run. A notice:
    /// the cost of a real target may use up the rest.
    NearCeiling = "GEN-CEILING" {
        ceiling: PerSecond,
        limit: Given<Share>,
        rate: PerSecond,
        share: Share,
    }
}

/// Share of the ceiling from which a load is near it: generator and system share what the probe had for itself.
const CEILING_NEAR: f64 = 0.5;

/// GEN-CEILING: the load is at more than half of what the generator sent in time when it was probed before the run.
pub(super) fn near_ceiling(seen: &RuleInput<'_>) -> Vec<Finding> {
    let Some(ceiling) = seen.index.head().ceiling.as_ref().map(|probed| probed.per_s).filter(|per_s| *per_s > 0.0)
    else {
        return Vec::new();
    };
    let mut loads: Vec<(Scope, f64)> = Vec::new();
    for (span, step) in seen.index.evidence.steps.iter().zip(seen.steps).filter(|(span, _)| span.phase == Phase::Hold) {
        let (scope, planned) = (seen.index.shared_scope(span), step.exchanges.iter().map(|exchange| exchange.intended));
        let per_s = if step.seconds > 0.0 { planned.sum::<f64>() / step.seconds } else { 0.0 };
        match loads.iter_mut().find(|(known, _)| *known == scope) {
            Some((_, sum)) => *sum += per_s,
            None => loads.push((scope, per_s)),
        }
    }
    let greatest = loads.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let near = greatest.filter(|(_, per_s)| *per_s > CEILING_NEAR * ceiling);
    near.map(|(scope, per_s)| {
        let args = NearCeiling {
            ceiling: PerSecond(ceiling),
            limit: Given(Share(CEILING_NEAR)),
            rate: PerSecond(per_s),
            share: Share(per_s / ceiling),
        };
        finding(Gravity::Notice, &scope, args)
    })
    .into_iter()
    .collect()
}
