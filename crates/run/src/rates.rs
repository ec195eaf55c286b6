//! How often and how fast a plan asks.

use plan::{PartPlan, Plan, ScenarioPlan};
use study::{IterationWork, Per};

/// How often an iteration of a part carries out each exchange: on average where chance decides, and at most where a
/// condition does; one of a user's own set-up counts as rare.
pub(crate) fn often(exchanges: usize, part: &PartPlan) -> Vec<f64> {
    let IterationWork { mean, most, .. } = IterationWork::of(&part.run, exchanges);
    // What chance decides has a mean above zero: only a condition can leave it at zero.
    let mut often: Vec<f64> =
        mean.into_iter().zip(most).map(|(mean, most)| if mean > 0.0 { mean } else { most }).collect();
    for (exchange, _) in part.set_up.iter().filter(|(_, per)| *per == Per::User) {
        if let Some(often) = often.get_mut(usize::from(*exchange)) {
            *often = often.max(f64::MIN_POSITIVE);
        }
    }
    often
}

/// The greatest planned arrival rate of a part, a second; zero for a closed load.
pub(crate) fn greatest(plan: &Plan, scenario: &ScenarioPlan, part: usize) -> f64 {
    let is_ours = |step: &&plan::Step| {
        (step.scenario, step.repetition) == (scenario.number, scenario.repetition)
            && step.part.is_none_or(|own| usize::from(own) == part)
    };
    let offered = plan.steps.iter().filter(is_ours).filter_map(|step| step.offered);
    offered.map(|(from, to)| from.max(to)).fold(0.0, f64::max)
}

/// The greatest planned rate of exchanges a second in any scenario, of its open loads.
pub(crate) fn greatest_of_all(plan: &Plan, exchanges: usize) -> f64 {
    let of = |scenario: &ScenarioPlan| {
        let parts = scenario.parts.iter().enumerate();
        let of = |(index, part): (usize, &PartPlan)| {
            greatest(plan, scenario, index) * often(exchanges, part).iter().sum::<f64>()
        };
        parts.map(of).sum::<f64>()
    };
    plan.scenarios.iter().map(of).fold(0.0, f64::max)
}
