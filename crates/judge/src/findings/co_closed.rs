//! A closed load hides stalls.

use super::judged::{at, judged, leg, times};
use super::{RuleInput, finding};
use crate::findings::declare::{Milliseconds, declare};
use crate::merge::time_above;
use crate::{Finding, Gravity, StepResult};
use terms::Nanos;

declare! {
    /// A closed load in which calls took more than `STALL_FACTOR` times the median, and those calls more than
    /// `STALL_TIME` of the users' time. While the system stood still, the users who waited sent nothing, so percentiles
    /// leave out the calls that independent callers would have made. Use an open load to see them. A single slow call
    /// that took less of the time would have hit fewer than one caller in a thousand, and shows no such thing.
    ClosedOmission = "CO-CLOSED" {
        max: Milliseconds,
        median: Milliseconds,
    }
}

/// A closed load hides stalls: this many times the median is one.
const STALL_FACTOR: f64 = 10.0;
/// Stalls that take less of the users' time would have hit fewer than one in a thousand independent callers, and would
/// show in no percentile.
const STALL_TIME: f64 = 0.001;

/// CO-CLOSED: a closed load and answers far above the median: users who waited asked for nothing meanwhile.
pub(super) fn closed_omission(seen: &RuleInput<'_>) -> Vec<Finding> {
    judged(seen)
        .filter(|(_, step, _)| step.users.is_some())
        .filter_map(|(scope, step, exchange)| {
            let times = times(leg(exchange, "ok")?)?;
            let median = at(times, 0.5)?;
            let is_stalled = times.max > STALL_FACTOR * median
                && stalled_share(seen, step, &exchange.id, STALL_FACTOR * median) > STALL_TIME;
            let args = ClosedOmission { max: Milliseconds(times.max), median: Milliseconds(median) };
            is_stalled.then(|| finding(Gravity::Warning, &scope, args))
        })
        .collect()
}

/// Share of the users' time that went by in calls that took longer than `limit_ms`.
fn stalled_share(seen: &RuleInput<'_>, step: &StepResult, exchange: &str, limit_ms: f64) -> f64 {
    let number = seen.index.head().exchanges.iter().position(|head| head.name == exchange);
    let limit = Nanos::from_secs_f64(limit_ms / 1e3);
    let stalled = number.map_or(0.0, |number| time_above(seen.index, (step.number, number as u16, 0), limit));
    stalled / (f64::from(step.users.unwrap_or(1).max(1)) * step.seconds.max(1e-9))
}
