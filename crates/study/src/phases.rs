//! How many phases a study's plan will have: each has its own request accounting, and a chapter's worth of figures.

use crate::model::{Load, Model, Profile, Study};
use contract::{Mistake, Mistakes};

/// Phases of the whole plan, repetitions counted.
const PHASES_MAX: u64 = 20_000;
/// Phases besides those of a load: idle, warm-up, drain, recovery.
const AROUND: u64 = 4;

/// Refuses a plan that would have too many phases, at the scenario that goes beyond.
pub(crate) fn check(study: &Study, mistakes: &mut Mistakes) {
    let mut all = 0u64;
    for scenario in &study.scenarios {
        let loads: u64 = scenario.parts.iter().map(|part| of_load(&part.load)).sum();
        // In a mix every part has books in the phases of all.
        let once = loads.saturating_mul(scenario.parts.len().max(1) as u64).saturating_add(AROUND);
        all = all.saturating_add(once.saturating_mul(u64::from(study.repeat) * u64::from(scenario.repeat)));
        if all > PHASES_MAX {
            let text = format!(
                "with scenario `{}` the plan has {all} phases; at most {PHASES_MAX} are allowed",
                scenario.name
            );
            mistakes.push(
                Mistake::at(scenario.place, "study::too-large", text)
                    .label("use fewer levels, pieces, parts or repetitions")
                    .hint("without `by` a ramp is one phase: `ramp: { over: 10m }`"),
            );
            return;
        }
    }
}

fn of_load(load: &Load) -> u64 {
    let full = match &load.model {
        Model::Arrivals { profile: Profile::Constant(rate), .. } => *rate,
        Model::Users { count, stages, .. } if stages.is_empty() => f64::from(*count),
        Model::Connections { count, .. } | Model::Subscribers { count, .. } => f64::from(*count),
        model => return model.pieces().len() as u64,
    };
    let levels = load.ramp.and_then(|ramp| ramp.by).map_or(1.0, |by| (full / by).ceil());
    // Casting saturates, and a level of zero was refused.
    levels as u64 + 1
}
