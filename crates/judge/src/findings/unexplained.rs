//! A system that is much slower under load while nothing that was watched says why.

use super::{RuleInput, finding};
use crate::bottleneck::limits::EXPLODED;
use crate::findings::declare::{Milliseconds, declare};
use crate::{Finding, Gravity};

declare! {
    /// Calls take `EXPLODED` times as long as at the lowest load of the same work, or more, and no rung of the ladder
    /// has a signal. The system was saturated by something that was not watched.
    Unexplained = "UNEXPLAINED" {
        from: Milliseconds,
        other: String,
        to: Milliseconds,
    }
}

/// UNEXPLAINED: calls take several times as long as at a lower load of the same work, and no rung of the ladder has a
/// signal.
pub(super) fn unexplained(seen: &RuleInput<'_>) -> Vec<Finding> {
    let of = |ladder: &crate::bottleneck::Ladder| {
        if ladder.observed().is_some() {
            return None;
        }
        let family = seen.families.iter().find(|family| family.levels.iter().any(|it| it.scope == ladder.scope))?;
        let level = family.levels.iter().find(|level| level.scope == ladder.scope)?;
        let lowest = family.levels.first().filter(|lowest| lowest.load < level.load)?;
        let (from, to) = (lowest.time_ms?, level.time_ms?);
        let args = Unexplained { from: Milliseconds(from), other: lowest.scope.to_string(), to: Milliseconds(to) };
        (from > 0.0 && to >= EXPLODED * from).then(|| finding(Gravity::Warning, &ladder.scope, args))
    };
    seen.ladders.iter().filter_map(of).collect()
}
