//! The generator started later than the plan said.

use super::signs::{bad, gravity};
use super::{RuleInput, finding};
use crate::findings::declare::{Given, declare};
use crate::{Arg, Finding};

declare! {
    /// The generator started calls later than planned, by more than the validity limits. Response times include it; the
    /// difference from service time shows how much.
    GeneratorLate = "GEN-SLIP" {
        lateness: Arg,
        limit: Given<Arg>,
    }
}

/// GEN-SLIP: it started later than the plan said.
pub(super) fn slipped(seen: &RuleInput<'_>) -> Vec<Finding> {
    bad(seen, &["lateness"])
        .map(|sign| {
            let value = sign.value.clone().unwrap_or(Arg::Number(0.0));
            let limit = sign.questionable.clone().unwrap_or(Arg::Number(0.0));
            finding(gravity(sign.state), &sign.scope, GeneratorLate { lateness: value, limit: Given(limit) })
        })
        .collect()
}
