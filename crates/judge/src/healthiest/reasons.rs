//! What speaks against one repetition of a step.

use super::needs::Needs;
use super::{Candidate, Inputs, Round, limits, uses};
use crate::capacity::volumes::undrained;
use crate::searches::attempts::lost;
use crate::{Arg, Finding, Gravity, Reason, Scope};
use terms::{Nanos, Validity};

/// Rules that say that something happened in a step which asks for an explanation, where they warn. What they count as
/// failures, and what spoils the measurement, is looked at by itself.
const ANOMALIES: [&str; 12] = [
    "DRIFT",
    "DROP",
    "GC-STORM",
    "GRID-DIP",
    "NO-ANSWER",
    "NO-RETURN",
    "NONMONO",
    "REFUSED",
    "REPLIES",
    "SPIKE",
    "STALL",
    "UNEXPLAINED",
];

fn reason<const N: usize>(code: &str, args: [(&str, Arg); N]) -> Reason {
    let args = args.into_iter().map(|(name, arg)| (name.to_owned(), arg)).collect();
    Reason { code: code.to_owned(), args }
}

/// Everything that speaks against it, the gravest first; empty where it passed.
pub(super) fn against(
    known: &Inputs<'_>,
    needs: &Needs<'_>,
    candidate: &Candidate<'_>,
    round: &Round<'_>,
) -> Vec<Reason> {
    let mut found = Vec::new();
    if !round.holds.iter().all(|(span, _)| span.is_ended && !span.is_inner) {
        found.push(reason("cut_short", []));
    }
    let books = round.books();
    if books.completed == 0 {
        found.push(reason("nothing_ok", []));
    }
    let numbers = round.numbers();
    let held = (known.held)(&numbers);
    let is_invalid = held.validity == Validity::Invalid;
    if is_invalid {
        found.push(reason("invalid", [("sign", Arg::Text(held.sign))]));
    }
    let stretch = stretch(known, candidate, round);
    if let Some((instance, _)) = lost(known.index, stretch, None) {
        found.push(reason("degraded", [("instance", Arg::Text(instance))]));
    }
    found.extend(needs.against(candidate.number, round, is_invalid));
    let share = uses::failed_share(std::iter::once(round)).filter(|share| *share > limits::FAILED_MOST);
    if let Some(share) = share.filter(|_| !needs.is_about_failures(candidate.number)) {
        let limit = Arg::Share(limits::FAILED_MOST).given();
        found.push(reason("failed", [("share", Arg::Share(share)), ("limit", limit)]));
    }
    found.extend(undrained(&numbers, known.steps).map(|args| Reason { code: "undrained".to_owned(), args }));
    found.extend(busy(known, needs, candidate, round));
    let in_step = |finding: &&Finding| is_in(finding, candidate, round);
    found.extend(known.findings.iter().filter(in_step).filter_map(of_finding));
    found
}

/// From the beginning to the end of what belongs to the step: of a cell or an attempt all of it, of a stage its hold.
fn stretch(known: &Inputs<'_>, candidate: &Candidate<'_>, round: &Round<'_>) -> std::ops::Range<Nanos> {
    let scenario = known.study.scenarios.get(candidate.number);
    let is_alone = scenario.is_some_and(|scenario| scenario.cell.is_some() || scenario.point.is_some());
    let all = known.index.evidence.steps.iter().filter(|span| {
        let is_its = span.scenario == candidate.number && known.index.repetition(span) == round.repetition;
        if is_alone { is_its } else { round.numbers().contains(&span.number) }
    });
    let (from, to) = all.fold((Nanos::MAX, Nanos::ZERO), |(from, to), span| (from.min(span.from), to.max(span.to)));
    from..to
}

/// A processor without headroom, where the study names no limit of its own.
fn busy(known: &Inputs<'_>, needs: &Needs<'_>, candidate: &Candidate<'_>, round: &Round<'_>) -> Option<Reason> {
    if needs.is_about_processor(candidate.number) {
        return None;
    }
    let used = uses::processor(known.index, round.holds.iter()).filter(|used| used.share >= limits::PROCESSOR_MOST)?;
    let args = [
        ("instance", Arg::Text(used.instance)),
        ("limit", Arg::Share(limits::PROCESSOR_MOST).given()),
        ("metric", Arg::Text(used.metric)),
        ("share", Arg::Share(used.share)),
    ];
    Some(reason("processor", args))
}

/// Whether a finding is about a step, by its place or by what it rests on.
fn is_in(finding: &Finding, candidate: &Candidate<'_>, round: &Round<'_>) -> bool {
    let is_its = |scope: &Scope| {
        scope.scenario() == Some(candidate.scenario)
            && scope.step_name() == candidate.scope.step_name()
            && scope.repetition().is_none_or(|repetition| repetition == round.repetition)
    };
    let rests_on = |evidence: &String| evidence.strip_prefix("load:").and_then(Scope::read);
    is_its(&finding.scope) || finding.evidence.iter().filter_map(rests_on).any(|scope| is_its(&scope))
}

fn of_finding(finding: &Finding) -> Option<Reason> {
    let (rule, is_warning) = (finding.rule(), finding.severity >= Gravity::Warning);
    let id = ("finding", Arg::Text(finding.id.clone()));
    let named = ("rule", Arg::Text(rule.to_owned()));
    match rule {
        "BACKLOG" => Some(reason("backlog", [id])),
        // A rise of memory counts however sure it is: a longer hold is what tells it.
        "LEAK" => Some(reason("memory", [id, named])),
        "CEILING" if is_warning => Some(reason("memory", [id, named])),
        _ if is_warning && ANOMALIES.contains(&rule) => Some(reason("anomaly", [id, named])),
        _ => None,
    }
}
