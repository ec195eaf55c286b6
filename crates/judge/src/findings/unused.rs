//! Assumptions that nothing uses.

use super::stated::stated;
use super::{RuleInput, finding};
use crate::Scope;
use crate::findings::declare::declare;
use crate::{Finding, Gravity};

declare! {
    /// An assumption that nothing uses. What is said about it was not computed from it.
    UnusedAssumption = "UNUSED" {
        name: String,
        value: String,
    }
}

/// UNUSED: an assumption that nothing uses: whatever is claimed from it was not computed from it.
pub(super) fn unused(seen: &RuleInput<'_>) -> Vec<Finding> {
    let unused = seen.study.variables.iter().filter(|variable| variable.is_assumption && !variable.is_used);
    unused
        .map(|variable| {
            let args = UnusedAssumption { name: variable.name.clone(), value: variable.value.clone() };
            stated(finding(Gravity::Notice, &Scope::named(variable.name.as_str()), args))
        })
        .collect()
}
