//! One statistic by itself, as comparisons and changes name it.

use super::resolve::{Where, resolve};
use super::{Draft, World};
use crate::model::rule::{Clause, CompareOf, Expression, Function};
use contract::{Mistake, Mistakes, Place};

/// The one statistic of a sum, its names resolved in a scenario.
pub(crate) fn one_statistic(
    draft: &Draft,
    place: Place,
    scenario: usize,
    world: &World<'_>,
    mistakes: &mut Mistakes,
) -> Option<CompareOf> {
    let mut rule = resolve(draft, world, (scenario, None), Where::Requirement, mistakes)?;
    let [Clause::Compare { sums, operators }] = &mut rule.clauses[..] else { return None };
    operators.clear();
    let possible = |function: Function| {
        use Function::{Count, Growth, Last, Max, Mean, Min, Percentile, Rate, Sd, Share};
        matches!(function, Percentile(_) | Mean | Max | Min | Sd | Share | Rate | Count | Growth | Last)
    };
    match &sums[..] {
        [Expression::Statistic(statistic)] if possible(statistic.function) && rule.window.is_none() => {
            let statistic = statistic.clone();
            if statistic.series.scenario.is_some() {
                mistakes.push(
                    Mistake::at(place, "study::conflict", format!("`{}` names a scenario", statistic.series.text))
                        .label("both sides are named separately; name an exchange, part or metric here"),
                );
                return None;
            }
            let part = statistic.series.part.map(|part| world.scenarios[scenario].parts[part].0.clone());
            Some(CompareOf { text: rule.text.clone(), part, statistic, rule })
        }
        _ => {
            mistakes.push(
                Mistake::at(place, "study::rule-syntax", format!("`{}` is not one statistic", rule.text))
                    .label("write one function of one series, without a window")
                    .hint("for example `p95(search.response)`, `share(search.failed)`, `mean(host.cpu)`"),
            );
            None
        }
    }
}
