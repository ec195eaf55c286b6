//! Refusals of messages for which nothing was waited for any more.

use super::{RuleInput, finding};
use crate::findings::declare::{Count, declare};
use crate::row::afterwards;
use crate::{Finding, Gravity};
use terms::Outcome;

declare! {
    /// The other side refused messages for which nothing was awaited any more: their last leg had closed successfully by
    /// then. How many, of how many that were started, and how many of their iterations had succeeded by then; these count
    /// as failed.
    RefusedAfterwards = "REFUSED" {
        exchange: String,
        refused: Count,
        started: Count,
        taken: Count,
    }
}

/// REFUSED: the other side refused messages of which nothing was waited for any more.
pub(super) fn refused(seen: &RuleInput<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for step in seen.steps {
        for (number, leg) in afterwards(seen.index.head()) {
            let rows = || seen.index.outcomes(step.number, number, leg);
            let refused: u64 = rows().filter(|row| row.outcome.is_failed()).map(|row| row.count).sum();
            if refused == 0 {
                continue;
            }
            let taken: u64 = rows().filter(|row| row.outcome == Outcome::Late).map(|row| row.count).sum();
            let exchange = seen.index.head().exchanges.get(usize::from(number));
            let exchange = exchange.map_or_else(String::new, |exchange| exchange.name.clone());
            let args = RefusedAfterwards {
                exchange: exchange.clone(),
                refused: Count(refused as f64),
                started: Count(seen.index.started(step.number, number) as f64),
                taken: Count(taken as f64),
            };
            findings.push(finding(Gravity::Warning, &step.scope.within(&exchange), args));
        }
    }
    findings
}
