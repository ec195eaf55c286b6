//! The generator limited the test.

use super::{Seen, finding};
use crate::validity::{limits, lost_by_generator};
use crate::{Arg, Finding, Gravity, Sign, WireValidity};

/// Signs of these codes that speak against the run.
fn bad<'a>(seen: &'a Seen<'_>, codes: &'a [&str]) -> impl Iterator<Item = &'a Sign> {
    let signs = seen.signs.iter().map(|placed| &placed.sign);
    signs.filter(|sign| sign.state != WireValidity::Valid && codes.contains(&sign.code.as_str()))
}

fn gravity(state: WireValidity) -> Gravity {
    if state == WireValidity::Invalid { Gravity::Blocker } else { Gravity::Warning }
}

/// GEN-SAT: its threads wanted to run and could not, or a closed load filled them.
pub(super) fn saturated(seen: &Seen<'_>) -> Vec<Finding> {
    bad(seen, &["run_queue", "cores_full", "steal"])
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
    bad(seen, &["lateness"])
        .map(|sign| {
            let value = sign.value.clone().unwrap_or(Arg::Number(0.0));
            let limit = sign.questionable.clone().unwrap_or(Arg::Number(0.0));
            finding("GEN-SLIP", gravity(sign.state), &sign.scope, [("lateness", value), ("limit", limit)])
        })
        .collect()
}

/// GEN-DROP: intended starts that never were, on anybody's account. `lost` of them are the generator's own.
pub(super) fn dropped(seen: &Seen<'_>) -> Vec<Finding> {
    let steps = seen.index.evidence.steps.iter().zip(seen.steps);
    let with_drops = steps.filter(|(_, step)| step.books.dropped > 0 && step.books.intended > 0);
    with_drops
        .map(|(span, step)| {
            let intended = step.books.intended as f64;
            let lost = lost_by_generator(seen.index, span) as f64;
            let severity = match lost / intended {
                share if share > limits::LOST_INVALID => Gravity::Blocker,
                share if share > limits::LOST_QUESTIONABLE => Gravity::Warning,
                _ => Gravity::Notice,
            };
            let args = [
                ("dropped", Arg::Count(step.books.dropped as f64)),
                ("intended", Arg::Count(intended)),
                ("lost", Arg::Count(lost)),
                ("share", Arg::Share(step.books.dropped as f64 / intended)),
            ];
            finding("GEN-DROP", severity, &step.scope, args)
        })
        .collect()
}
