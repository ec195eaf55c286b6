//! Intended starts that never were.

use super::{RuleInput, finding};
use crate::findings::declare::{Count, Share, declare};
use crate::validity::{Thresholds, lost_by_generator};
use crate::{Finding, Gravity};

declare! {
    /// Intended starts that were never made. Those that waited for a connection under the study's own bound are due to
    /// the system: a notice; those that the generator lost make it a warning or a blocker.
    GeneratorDropped = "GEN-DROP" {
        dropped: Count,
        intended: Count,
        lost: Count,
        share: Share,
    }
}

/// GEN-DROP: intended starts that never were, on anybody's account. `lost` of them are the generator's own.
pub(super) fn dropped(seen: &RuleInput<'_>) -> Vec<Finding> {
    let limits = Thresholds::of(seen.study).lost_starts;
    let steps = seen.index.evidence.steps.iter().zip(seen.steps);
    let with_drops = steps.filter(|(_, step)| step.books.dropped > 0 && step.books.intended > 0);
    with_drops
        .map(|(span, step)| {
            let intended = step.books.intended as f64;
            let lost = lost_by_generator(seen.index, span) as f64;
            let severity = match lost / intended {
                share if share > limits.invalid => Gravity::Blocker,
                share if share > limits.questionable => Gravity::Warning,
                _ => Gravity::Notice,
            };
            let args = GeneratorDropped {
                dropped: Count(step.books.dropped as f64),
                intended: Count(intended),
                lost: Count(lost),
                share: Share(step.books.dropped as f64 / intended),
            };
            finding(severity, &step.scope, args)
        })
        .collect()
}
