//! How often and how fast a plan asks.

use plan::{PartPlan, Plan, ScenarioPlan};
use study::{Certain, Item, Per, each_item};

/// How often one iteration carries out each of so many exchanges, on average and at most where a condition decides, and
/// how many seconds it thinks at least.
pub(crate) fn iteration(items: &[Item], exchanges: usize) -> (Vec<f64>, f64) {
    let (mut often, mut think_s) = (vec![0.0; exchanges], 0.0);
    each_item(items, Certain::Most, 1.0, &mut |item, times| {
        if let Item::Exchange(number) = item {
            often[usize::from(*number)] += times;
        }
    });
    each_item(items, Certain::Least, 1.0, &mut |item, times| {
        if let Item::Think(think) = item {
            think_s += times * think.mean().as_secs_f64();
        }
    });
    (often, think_s)
}

/// How often an iteration of a part carries out each exchange; one of a user's own set-up counts as rare.
pub(crate) fn often(exchanges: usize, part: &PartPlan) -> Vec<f64> {
    let (mut often, _) = iteration(&part.run, exchanges);
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
            greatest(plan, scenario, index) * iteration(&part.run, exchanges).0.iter().sum::<f64>()
        };
        parts.map(of).sum::<f64>()
    };
    plan.scenarios.iter().map(of).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use study::Think;
    use terms::Nanos;

    #[test]
    fn choices_count_by_their_share_and_repetitions_by_their_number() {
        let twice = Item::Times(2, vec![Item::Exchange(1), Item::Think(Think::Fixed(Nanos::from_millis(500)))]);
        let items = [
            Item::Exchange(0),
            twice,
            Item::Choose(vec![(0.25, vec![Item::Exchange(0)]), (0.75, vec![Item::Exchange(2)])]),
        ];
        assert_eq!(iteration(&items, 3), (vec![1.25, 2.0, 0.75], 1.0));
    }
}
