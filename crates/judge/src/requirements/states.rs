//! States: an instance lives, another requirement holds.

use super::Before;
use super::decision::{Decision, args, cannot_tell, reason};
use super::scopes::{ScopeOf, is_instance};
use crate::evidence::Evidence;
use crate::{Arg, RequirementResult};
use study::rule::{Series, Subject};
use terms::Verdict;

/// Runs, was not restarted, is the one meant.
pub(super) fn alive(evidence: &Evidence, subject: &Series, scope: &ScopeOf<'_>) -> Decision {
    let Subject::Instance(name) = &subject.subject else { return cannot_tell("not_yet", []) };
    let is_of = |instance: &str| match &scope.instance {
        Some(only) => only == instance,
        None => is_instance(instance, name),
    };
    let (from, to) = scope.span();
    // A process that died before the window is still dead in it, unless it came back in between.
    let came_back = |subject: &str, since| {
        let is_return = |event: &&record::EventRow| {
            matches!(event.kind.as_str(), "restart" | "back" | record::RENEWED)
                && event.subject == subject
                && since < event.at
                && event.at <= from
        };
        evidence.events.iter().any(|event| is_return(&event))
    };
    let is_bad = |event: &&record::EventRow| {
        is_of(&event.subject)
            && event.at < to
            && match event.kind.as_str() {
                "gone" => event.at >= from || !came_back(&event.subject, event.at),
                "restart" | "identity" => event.at >= from,
                _ => false,
            }
    };
    // The first that happened, whichever was recorded first.
    let bad = evidence.events.iter().filter(is_bad).min_by_key(|event| (event.at, &event.kind, &event.subject));
    let is_known = evidence.head.instances.iter().any(|instance| is_of(&instance.name));
    let mut decision = match bad {
        Some(event) => {
            let given = args([("instance", Arg::Text(event.subject.clone())), ("kind", Arg::Text(event.kind.clone()))]);
            Decision { verdict: Verdict::NotMet, reason: reason("instance_lost", given), ..cannot_tell("", []) }
        }
        None if is_known => {
            Decision { verdict: Verdict::Met, reason: reason("census", args([])), ..cannot_tell("", []) }
        }
        None => cannot_tell("no_samples", []),
    };
    decision.is_census = true;
    decision
}

/// Another requirement of the same scenario is met, or not met.
pub(super) fn met(subject: &Series, scope: &ScopeOf<'_>, before: &Before<'_>, wanted: Verdict) -> Decision {
    let Subject::Requirement(name) = &subject.subject else { return cannot_tell("not_yet", []) };
    let place = before.study.requirements.iter().position(|known| known.name == *name);
    let found = place.and_then(|place| Some((&before.study.requirements[place], before.done[place].as_ref()?)));
    let verdict = found.map_or(Verdict::CannotTell, |(known, results)| {
        let is_here = |result: &&RequirementResult| result.scope.scenario() == scope.name.scenario();
        joined(results.iter().filter(is_here).map(|result| result.verdict), known.needs_all)
    });
    Decision {
        verdict: match verdict {
            Verdict::CannotTell => Verdict::CannotTell,
            verdict if verdict == wanted => Verdict::Met,
            _ => Verdict::NotMet,
        },
        reason: reason("other_requirement", args([("requirement", Arg::Text(name.clone()))])),
        is_census: true,
        ..cannot_tell("", [])
    }
}

/// What several members say together: all must hold, or any. Nothing said is nothing told.
pub(crate) fn joined(verdicts: impl IntoIterator<Item = Verdict>, needs_all: bool) -> Verdict {
    let (mut best, mut worst) = (None, None);
    for verdict in verdicts {
        best = Some(best.map_or(verdict, |best: Verdict| best.min(verdict)));
        worst = Some(worst.map_or(verdict, |worst: Verdict| worst.max(verdict)));
    }
    // In their order, met comes before what cannot be told, and that before not met.
    if needs_all { worst } else { best }.unwrap_or(Verdict::CannotTell)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Verdict::{CannotTell, Met, NotMet};

    #[test]
    fn members_join_as_the_requirement_says() {
        for (verdicts, all, any) in [
            (vec![Met, Met], Met, Met),
            (vec![Met, CannotTell], CannotTell, Met),
            (vec![Met, NotMet], NotMet, Met),
            (vec![CannotTell, NotMet], NotMet, CannotTell),
            (vec![NotMet], NotMet, NotMet),
            (vec![], CannotTell, CannotTell),
        ] {
            assert_eq!(joined(verdicts.clone(), true), all, "{verdicts:?}");
            assert_eq!(joined(verdicts.clone(), false), any, "{verdicts:?}");
        }
    }
}
