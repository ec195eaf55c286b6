//! Whether all of a window was seen before the run ended.

use super::{Extent, PlaceOf};
use crate::evidence::StepSpan;
use crate::rows::Index;
use study::rule::{Window, WindowEnd};
use terms::Phase;

/// Whether the run ended before all of the window was seen.
pub(super) fn is_cut(
    index: &Index<'_>,
    (scenario, part): PlaceOf,
    window: Window,
    steps: &[&StepSpan],
    extent: Extent,
) -> bool {
    let is_ours = |step: &record::StepHead| {
        usize::from(step.scenario) == scenario
            && (part.is_none() || step.part.is_none_or(|own| Some(usize::from(own)) == part))
            && window.phase.is_none_or(|wanted| wanted.name() == step.phase)
            && match extent {
                Extent::All => true,
                Extent::Repetition(repetition) => step.repetition.max(1) == repetition,
                Extent::Steps => false,
            }
    };
    let mut planned = index.head().steps.iter().enumerate().filter(|(_, step)| is_ours(step));
    let is_missing = planned.any(|(number, _)| steps.iter().all(|step| step.number as usize != number));
    let is_seen_anyway = matches!(window.part, Some((WindowEnd::First, _))) && is_first_part_seen(window, steps);
    (is_missing && !is_seen_anyway) || is_any_cut(index, window, steps)
}

fn is_first_part_seen(window: Window, steps: &[&StepSpan]) -> bool {
    let Some((WindowEnd::First, length)) = window.part else { return false };
    let begin = steps.iter().map(|step| step.from).min().unwrap_or_default();
    steps.iter().any(|step| step.to >= begin + length)
}

fn is_any_cut(index: &Index<'_>, window: Window, steps: &[&StepSpan]) -> bool {
    let is_cut = |step: &&StepSpan| {
        let planned = index.head().steps.get(step.number as usize);
        let length = planned.and_then(|planned| planned.seconds).filter(|_| step.phase != Phase::Drain);
        let count = planned.and_then(|planned| planned.iterations).filter(|_| length.is_none());
        let count = count.filter(|_| !has_had_its_time(index, step));
        !step.is_ended
            || length.is_some_and(|length| (step.to - step.from).as_secs_f64() < length * 0.99 - 0.05)
            || count.is_some_and(|count| step.phase.has_load() && index.books(step.number).intended < count)
    };
    !is_first_part_seen(window, steps) && steps.iter().any(is_cut)
}

/// Whether a load that ends by count, or after so long, went on so long: then all of its count need not have been seen.
fn has_had_its_time(index: &Index<'_>, step: &StepSpan) -> bool {
    let at_most = index.planned_step(step).and_then(|planned| planned.at_most);
    let repetition = |step: &StepSpan| index.planned_step(step).map(|planned| planned.repetition.max(1));
    let is_of_load = |other: &&StepSpan| {
        other.scenario == step.scenario && repetition(other) == repetition(step) && other.phase.has_load()
    };
    let begin = index.evidence.steps.iter().filter(is_of_load).map(|other| other.from).min().unwrap_or(step.from);
    at_most.is_some_and(|at_most| (step.to - begin).as_secs_f64() >= at_most * 0.99 - 0.05)
}
