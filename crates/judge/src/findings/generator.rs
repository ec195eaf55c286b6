//! The generator limited the test.

use super::{Seen, finding};
use crate::validity::{limits, lost_by_generator};
use crate::{Arg, Finding, Gravity, Sign, WireValidity};
use terms::Phase;

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
    bad(seen, &["run_queue", "cores_full", "overloaded", "steal"])
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

/// Share of the ceiling from which on a load comes near it: generator and system share what the probe had for itself.
const CEILING_NEAR: f64 = 0.5;

/// GEN-CEILING: the load is at more than half of what the generator sent in time when it was probed before the run.
pub(super) fn near_ceiling(seen: &Seen<'_>) -> Vec<Finding> {
    let Some(ceiling) = seen.index.head().ceiling.as_ref().map(|probed| probed.per_s).filter(|per_s| *per_s > 0.0)
    else {
        return Vec::new();
    };
    let mut loads: Vec<(String, f64)> = Vec::new();
    for (span, step) in seen.index.evidence.steps.iter().zip(seen.steps).filter(|(span, _)| span.phase == Phase::Hold) {
        let (scope, planned) = (seen.index.shared_scope(span), step.exchanges.iter().map(|exchange| exchange.intended));
        let per_s = if step.seconds > 0.0 { planned.sum::<f64>() / step.seconds } else { 0.0 };
        match loads.iter_mut().find(|(known, _)| *known == scope) {
            Some((_, sum)) => *sum += per_s,
            None => loads.push((scope, per_s)),
        }
    }
    let greatest = loads.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let near = greatest.filter(|(_, per_s)| *per_s > CEILING_NEAR * ceiling);
    near.map(|(scope, per_s)| {
        let args = [
            ("ceiling", Arg::PerSecond(ceiling)),
            ("limit", Arg::Share(CEILING_NEAR)),
            ("rate", Arg::PerSecond(per_s)),
            ("share", Arg::Share(per_s / ceiling)),
        ];
        finding("GEN-CEILING", Gravity::Notice, &scope, args)
    })
    .into_iter()
    .collect()
}
