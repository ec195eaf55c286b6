//! The generator limited the test.

use super::{Seen, finding};
use crate::validity::limits;
use crate::{Arg, Finding, Gravity, WireValidity};

fn gravity(state: WireValidity) -> Gravity {
    if state == WireValidity::Invalid { Gravity::Blocker } else { Gravity::Warning }
}

/// GEN-SAT: its threads wanted to run and could not, or a closed load filled them.
pub(super) fn saturated(seen: &Seen<'_>) -> Vec<Finding> {
    let spoiled = seen.signs.iter().filter(|sign| matches!(sign.code.as_str(), "run_queue" | "cores_full" | "steal"));
    spoiled
        .filter(|sign| sign.state != WireValidity::Valid)
        .map(|sign| {
            let value = sign.value.clone().unwrap_or(Arg::Number(0.0));
            let limit = sign.questionable.clone().unwrap_or(Arg::Number(0.0));
            let args = [("sign", Arg::Text(sign.code.clone())), ("value", value), ("limit", limit)];
            finding("GEN-SAT", gravity(sign.state), &sign.scope, args)
        })
        .collect()
}

/// GEN-SLIP: it started later than the plan said.
pub(super) fn slipped(seen: &Seen<'_>) -> Vec<Finding> {
    let late = seen.signs.iter().filter(|sign| sign.code == "lateness" && sign.state != WireValidity::Valid);
    late.map(|sign| {
        let value = sign.value.clone().unwrap_or(Arg::Number(0.0));
        let limit = sign.questionable.clone().unwrap_or(Arg::Number(0.0));
        finding("GEN-SLIP", gravity(sign.state), &sign.scope, [("lateness", value), ("limit", limit)])
    })
    .collect()
}

/// GEN-DROP: intended starts that never were, on anybody's account.
pub(super) fn dropped(seen: &Seen<'_>) -> Vec<Finding> {
    let with_drops = seen.steps.iter().filter(|step| step.books.dropped > 0);
    with_drops
        .map(|step| {
            let share = step.books.dropped as f64 / step.books.intended.max(1) as f64;
            let severity = if share > limits::LOST_QUESTIONABLE { Gravity::Warning } else { Gravity::Notice };
            let args = [
                ("dropped", Arg::Count(step.books.dropped as f64)),
                ("intended", Arg::Count(step.books.intended as f64)),
                ("share", Arg::Share(share)),
            ];
            finding("GEN-DROP", severity, &format!("{}/{}", step.scenario, step.id), args)
        })
        .collect()
}
