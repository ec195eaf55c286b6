//! Threads of the generator wanted to run and could not.

use super::signs::{bad, gravity};
use super::{RuleInput, finding};
use crate::findings::declare::{Given, declare};
use crate::{Arg, Finding};

declare! {
    /// The generator's threads had to wait for a core, the hypervisor took the processor, or a closed load filled a
    /// thread. The load, not the system, was the limit. Warning, or blocker where the run is invalid.
    GeneratorSaturated = "GEN-SAT" {
        limit: Given<Arg>,
        sign: String,
        value: Arg,
    }
}

/// GEN-SAT: its threads wanted to run and could not, or a closed load filled them.
pub(super) fn saturated(seen: &RuleInput<'_>) -> Vec<Finding> {
    bad(seen, &["run_queue", "cores_full", "overloaded", "steal"])
        .map(|sign| {
            let value = sign.value.clone().unwrap_or(Arg::Number(0.0));
            let limit = sign.questionable.clone().unwrap_or(Arg::Number(0.0));
            let args = GeneratorSaturated { limit: Given(limit), sign: sign.code.clone(), value };
            finding(gravity(sign.state), &sign.scope, args)
        })
        .collect()
}
