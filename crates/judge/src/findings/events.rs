//! Messages that the target owes to connections which listen, and to subscribers: those that did not come.

use super::{RuleInput, finding};
use crate::findings::declare::{Count, declare};
use crate::{Finding, Gravity, StepResult};
use contract::Closes;
use record::OutcomeRow;
use terms::Outcome;

declare! {
    /// Unsolicited messages of a hold, such as events and deliveries, that did not come in time, had no connection,
    /// were wrong or came twice, of all that were planned. A warning where any did not come or were wrong, otherwise a
    /// notice.
    LostEvents = "EVENTS" {
        connectionless: Count,
        duplicate: Count,
        missing: Count,
        planned: Count,
        right: Count,
        wrong: Count,
    }
}

/// Whether an exchange sends nothing: then what closes its first leg comes of itself.
pub(super) fn comes_of_itself(exchange: &study::Exchange) -> bool {
    exchange.legs.first().is_some_and(|leg| leg.closes == Closes::Matched)
        && !exchange.legs.iter().any(|leg| leg.closes == Closes::Here)
}

/// EVENTS: of messages that come of themselves, what did not.
pub(super) fn events(seen: &RuleInput<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for step in seen.steps.iter().filter(|step| step.phase == "hold") {
        for (number, exchange) in seen.study.exchanges.iter().enumerate().filter(|(_, it)| comes_of_itself(it)) {
            let Some(leg) = exchange.legs.first() else { continue };
            let head = seen.index.head().exchanges.get(number).filter(|head| head.name == exchange.name);
            if head.and_then(|head| head.legs.first()).is_some_and(|known| known.name == leg.name) {
                findings.extend(of_exchange(seen, step, number as u16, (&exchange.name, leg.name)));
            }
        }
    }
    findings
}

fn of_exchange(seen: &RuleInput<'_>, step: &StepResult, number: u16, (exchange, leg): (&str, &str)) -> Option<Finding> {
    let rows: Vec<OutcomeRow> = seen.index.outcomes(step.number, number, 0).collect();
    let count = |wanted: &[Outcome]| -> u64 {
        rows.iter().filter(|row| wanted.contains(&row.outcome)).map(|row| row.count).sum()
    };
    let (right, missing, duplicate) = (count(&[Outcome::Ok]), count(&[Outcome::Missing]), count(&[Outcome::Duplicate]));
    let wrong = count(&[Outcome::Wrong, Outcome::Partial]);
    let connectionless = count(&[Outcome::Refused, Outcome::Reset, Outcome::Timeout, Outcome::Status, Outcome::Fault]);
    if missing + wrong + connectionless + duplicate == 0 {
        return None;
    }
    let severity = if missing + wrong + connectionless > 0 { Gravity::Warning } else { Gravity::Notice };
    let args = LostEvents {
        connectionless: Count(connectionless as f64),
        duplicate: Count(duplicate as f64),
        missing: Count(missing as f64),
        planned: Count((right + missing + wrong + connectionless) as f64),
        right: Count(right as f64),
        wrong: Count(wrong as f64),
    };
    Some(finding(severity, &step.scope.within(exchange).within(leg), args))
}
