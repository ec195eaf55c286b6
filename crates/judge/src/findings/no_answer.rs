//! An exchange that was never answered well.

use super::{RuleInput, finding};
use crate::findings::declare::{Count, declare};
use crate::{Finding, Gravity, LegResult};

declare! {
    /// An exchange was sent throughout a hold and never answered correctly.
    NoAnswer = "NO-ANSWER" {
        exchange: String,
        started: Count,
    }
}

/// NO-ANSWER: an exchange was sent all through a step, and not once answered well.
pub(super) fn no_answer(seen: &RuleInput<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for step in seen.steps.iter().filter(|step| step.phase == "hold") {
        for exchange in &step.exchanges {
            // That it was sent on to another address is not an answer.
            let head = seen.index.head().exchanges.iter().find(|head| head.name == exchange.id);
            let answers = |leg: &&LegResult| !head.is_some_and(|head| head.is_occasional(&leg.id));
            let is_answered = exchange.legs.iter().filter(answers).any(|leg| leg.outcome == "ok" && leg.count > 0);
            if exchange.started > 0 && !is_answered {
                let args = NoAnswer { exchange: exchange.id.clone(), started: Count(exchange.started as f64) };
                let scope = step.scope.within(&exchange.id);
                findings.push(finding(Gravity::Warning, &scope, args));
            }
        }
    }
    findings
}
