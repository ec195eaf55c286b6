//! What became of one attempt of a search.

use super::{ABORT, ATTEMPT, AttemptResult, Outcome};
use crate::evidence::{StepSpan, carries_out};
use crate::live::compare;
use crate::requirements::formulas;
use crate::rows::Index;
use crate::{Arg, Args, Reason, RequirementResult, StepResult};
use record::EventRow;
use std::collections::BTreeSet;
use std::ops::Range;
use study::rule::Clause;
use study::{Formula, Scenario, Search, SearchRule, Study};
use terms::{Books, Nanos, Phase, Severity, Validity, Verdict};

/// What is known of a run.
pub(super) struct Inputs<'a> {
    pub(super) study: &'a Study,
    pub(super) index: &'a Index<'a>,
    pub(super) steps: &'a [StepResult],
    pub(super) results: &'a [RequirementResult],
}

/// An attempt, and whether the system is still whole behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    pub result: AttemptResult,
    /// Whether a replica was still away when it was decided.
    pub is_gone: bool,
}

/// What is reported about an attempt.
struct Said {
    outcome: Outcome,
    is_sure: bool,
    reason: Reason,
}

/// Instances are looked at once a second, and once more when an attempt is over: what died at its end is seen after it.
const LOOK: Nanos = Nanos::from_millis(1100);

/// Those of a search whose holds ended, in order of time. The first that did not end is the last that is looked at.
pub(super) fn of(known: &Inputs<'_>, search: &Search) -> Vec<Attempt> {
    let own = known
        .study
        .scenarios
        .iter()
        .enumerate()
        .filter(|(_, scenario)| scenario.point.as_ref().is_some_and(|point| point.search.name == search.name));
    own.map_while(|(number, scenario)| attempt(known, number, scenario, search)).collect()
}

pub(super) fn attempt(known: &Inputs<'_>, number: usize, scenario: &Scenario, search: &Search) -> Option<Attempt> {
    let index = known.index;
    let point = scenario.point.as_ref()?;
    let place = index.head().scenarios.iter().position(|head| head.name == scenario.name)?;
    let all = index.evidence.steps.iter().zip(known.steps).filter(|(span, _)| span.scenario == place);
    let all: Vec<(&StepSpan, &StepResult)> = all.collect();
    let holds: Vec<(&StepSpan, &StepResult)> =
        all.iter().copied().filter(|(span, _)| span.phase == Phase::Hold).collect();
    let planned = index.head().steps.iter().filter(|step| usize::from(step.scenario) == place && step.phase == "hold");
    let is_whole = holds.iter().all(|(span, _)| span.is_ended && !span.is_inner);
    let aborted = aborted(&index.evidence.events, &scenario.name);
    // One that an abort rule ended need not have come to its hold.
    let has_held = !holds.is_empty() && holds.len() >= planned.count();
    let has_ended = !all.is_empty() && all.iter().all(|(span, _)| span.is_ended);
    if !is_whole || !(has_held || (aborted.is_some() && has_ended)) {
        return None;
    }
    let (from, to) = (all.iter().map(|(span, _)| span.from).min()?, all.iter().map(|(span, _)| span.to).max()?);
    let books = holds.iter().fold(Books::default(), |mut sum, (_, step)| {
        sum += step.books;
        sum
    });
    // Parts of a mix hold at the same time; holds of a profile one after another.
    let lengths = holds.iter().map(|(_, step)| step.seconds);
    let seconds: f64 = if scenario.is_mix() { lengths.fold(0.0, f64::max) } else { lengths.sum() };
    let throughput_per_s: f64 =
        holds.iter().map(|(_, step)| step.throughput_per_s * step.seconds).sum::<f64>() / seconds;
    let by = point.by.as_ref().and_then(|by| rate(index, number, by, &holds));
    let then = index.evidence.events.iter().find(|event| event.kind == ATTEMPT && event.subject == scenario.name);
    let lost = lost(index, from..seen_until(index, to), then.map(|event| event.at));
    let left = holds.iter().map(|(_, step)| step.books.open() + step.books.aborted).sum::<u64>();
    let is_judged = |phase: Phase| if aborted.is_some() { phase.has_load() } else { phase == Phase::Hold };
    let judged = all.iter().filter(|(span, _)| is_judged(span.phase));
    let validity = judged.filter_map(|(_, step)| step.validity).max().unwrap_or(Validity::Valid);
    let unrested = unrested(index, place, &all);
    let said = match (&search.rule, &lost) {
        (_, None) if unrested.is_some() => say(Outcome::Void, true, "unrested", unrested.into_iter().flatten()),
        (_, None) if aborted.is_some() => stopped(aborted.unwrap_or_default(), validity),
        (_, Some((instance, _))) => say(Outcome::Failed, true, "degraded", [("instance", Arg::Text(instance.clone()))]),
        (SearchRule::Bracket(rule), None) => asked(known, (number, scenario), &rule.accept, &holds, validity),
        (SearchRule::Nsp(_), None) if validity == Validity::Invalid => say(Outcome::Void, true, "invalid", []),
        (SearchRule::Nsp(_), None) if left > 0 => {
            say(Outcome::Failed, true, "left", [("left", Arg::Count(left as f64))])
        }
        (SearchRule::Nsp(_), None) if by.is_none() && search.by.is_some() => say(Outcome::Void, true, "no_rate", []),
        // Whether it is enough, the rule says.
        (SearchRule::Nsp(_), None) => say(Outcome::Passed, true, "measured", []),
    };
    let variables = search.variables();
    let value = |name: &&str| scenario.set.iter().find(|(known, _)| known == name).cloned();
    let values: Vec<(String, String)> = variables.iter().filter_map(value).collect();
    let load = load_of(search, &values)?;
    let then = then.and_then(|event| Outcome::from_text(&event.text));
    let result = AttemptResult {
        number: point.number,
        run: None,
        scenario: scenario.name.clone(),
        values,
        load,
        is_confirming: point.is_confirming,
        decided: then.filter(|then| *then != said.outcome),
        outcome: said.outcome,
        is_sure: said.is_sure,
        reason: said.reason,
        is_degraded: lost.is_some(),
        must: must(known, scenario),
        throughput_per_s: if throughput_per_s.is_finite() { throughput_per_s } else { 0.0 },
        by_per_s: by,
        failed_share: (books.intended > 0).then(|| (books.failed + books.dropped) as f64 / books.intended as f64),
        seconds,
        validity,
        growth: None,
    };
    Some(Attempt { result, is_gone: lost.is_some_and(|(_, is_gone)| is_gone) })
}

/// An attempt that an abort rule ended. What held of a generator that did not do what it should says nothing of the
/// system.
fn stopped(rule: String, validity: Validity) -> Said {
    match validity {
        Validity::Valid => say(Outcome::Failed, true, "aborted", [("rule", Arg::Text(rule))]),
        _ => say(Outcome::Void, true, "aborted_spoiled", [("rule", Arg::Text(rule))]),
    }
}

/// What an attempt found on its way of those before it: work of another load, which the counts that close a leg cannot tell
/// from its own. The leg, and how much was outstanding. What was at rest is lost, and disturbs nothing.
fn unrested(index: &Index<'_>, scenario: usize, all: &[(&StepSpan, &StepResult)]) -> Option<[(&'static str, Arg); 2]> {
    let loads = all.iter().filter(|(span, _)| span.phase.has_load());
    let begin = loads.map(|(span, _)| span.from).min()?;
    let exchanges = index.head().exchanges.iter().enumerate();
    let carried = exchanges.filter(|(number, _)| carries_out(index.head(), scenario, *number));
    let mut legs = carried
        .flat_map(|(_, exchange)| exchange.counted.iter().map(move |leg| format!("{}.{}", exchange.name, leg.leg)));
    legs.find_map(|name| {
        let (backlog, is_moving) = index.evidence.outstanding_before(&name, begin)?;
        let is_unrested = is_moving && backlog > 0.0;
        is_unrested.then_some([("leg", Arg::Text(name)), ("left", Arg::Count(backlog))])
    })
}

/// Until when what is seen of an instance became of it in an attempt that ended then: a look later, or the next load.
fn seen_until(index: &Index<'_>, to: Nanos) -> Nanos {
    let next = index.evidence.steps.iter().map(|step| step.from).filter(|from| *from >= to).min();
    (to + LOOK).min(next.unwrap_or(Nanos(i64::MAX)))
}

/// The abort rule that ended an attempt, as written.
fn aborted(events: &[EventRow], scenario: &str) -> Option<String> {
    let event = events.iter().find(|event| event.kind == ABORT && event.subject == scenario)?;
    let rule = event.text.strip_prefix('`').and_then(|rest| Some(rest.split_once("` held")?.0));
    Some(rule.unwrap_or(&event.text).to_owned())
}

/// The rate by which a search goes, over all holds of an attempt; `None` where it cannot be told of one of them.
fn rate(index: &Index<'_>, scenario: usize, by: &Formula, holds: &[(&StepSpan, &StepResult)]) -> Option<f64> {
    let (mut done, mut seconds) = (0.0, 0.0);
    for found in formulas(index, scenario, &by.rule) {
        let own = holds.iter().filter(|(span, _)| found.own_steps.contains(&span.number));
        // Parts of a mix hold at the same time, and a rate is of all of them that it names.
        let length = own.map(|(_, step)| step.seconds).fold(0.0, f64::max);
        done += found.value.ok()?.value * length;
        seconds += length;
    }
    Some(done / seconds).filter(|rate| rate.is_finite())
}

/// What the requirements of severity must came to together, the worst of them.
fn must(known: &Inputs<'_>, scenario: &Scenario) -> Option<Verdict> {
    let is_own = |result: &&RequirementResult| {
        result.severity == Severity::Must && result.scope.scenario() == Some(scenario.name.as_str())
    };
    let verdicts: Vec<Verdict> = known.results.iter().filter(is_own).map(|result| result.verdict).collect();
    [Verdict::NotMet, Verdict::CannotTell, Verdict::Met].into_iter().find(|verdict| verdicts.contains(verdict))
}

/// The load of an attempt with these values: the value that is varied, or the product of both.
pub(super) fn load_of(search: &Search, values: &[(String, String)]) -> Option<f64> {
    match &search.rule {
        SearchRule::Bracket(rule) => rule.load(&values.first()?.1),
        SearchRule::Nsp(_) => Some(values.iter().filter_map(|(_, value)| value.parse::<f64>().ok()).product()),
    }
}

/// An instance of which a replica was missing, ended or was started again within a stretch of time, and whether one is
/// still gone at the moment of the decision, which is now where none was recorded.
pub(crate) fn lost(index: &Index<'_>, within: Range<Nanos>, decided: Option<Nanos>) -> Option<(String, bool)> {
    let is_known = |event: &&EventRow| {
        matches!(event.kind.as_str(), "gone" | "restart" | "back" | record::RENEWED)
            && decided.is_none_or(|decided| event.at <= decided)
    };
    let mut events: Vec<&EventRow> = index.evidence.events.iter().filter(is_known).collect();
    events.sort_by_key(|event| event.at);
    let gone_by = |moment: Nanos| {
        let mut gone: BTreeSet<&str> = BTreeSet::new();
        for event in events.iter().filter(|event| event.at < moment) {
            if event.kind == "gone" {
                gone.insert(&event.subject);
            } else {
                gone.remove(event.subject.as_str());
            }
        }
        gone
    };
    // Who is missing when the attempt begins is missing in it.
    let missing = gone_by(within.start).first().map(|name| (*name).to_owned());
    // What was ended on purpose is not a loss, and what it was before matters no more.
    let is_loss = |event: &&&EventRow| within.contains(&event.at) && event.kind != record::RENEWED;
    let lost = || events.iter().find(is_loss).map(|event| event.subject.clone());
    let first = missing.or_else(lost)?;
    Some((first, !gone_by(Nanos::MAX).is_empty()))
}

/// What the requirements say of an attempt. What intervals leave open is decided by the values, for a search has to go on.
fn asked(
    known: &Inputs<'_>,
    (number, scenario): (usize, &Scenario),
    accept: &[String],
    holds: &[(&StepSpan, &StepResult)],
    validity: Validity,
) -> Said {
    let is_asked = |result: &&RequirementResult| {
        let is_named = accept.contains(&result.id) || (accept.is_empty() && result.severity == Severity::Must);
        is_named && result.scope.scenario() == Some(scenario.name.as_str())
    };
    let all: Vec<&RequirementResult> = known.results.iter().filter(is_asked).collect();
    let named = |result: &RequirementResult| [("requirement", Arg::Text(result.id.clone()))];
    let is_valid = validity == Validity::Valid;
    // A generator at its limit breaks requirements, and keeps others that say nothing of the load.
    if validity == Validity::Invalid {
        return say(Outcome::Void, true, "invalid", []);
    }
    if let Some(broken) = all.iter().find(|result| result.verdict == Verdict::NotMet) {
        return say(Outcome::Failed, is_valid, "not_met", named(broken));
    }
    if holds.iter().all(|(_, step)| step.books.intended > 0 && step.books.completed == 0) {
        return say(Outcome::Failed, is_valid, "nothing_ok", []);
    }
    let left = |step: &StepResult| step.books.open() + step.books.aborted;
    if let Some((_, step)) = holds.iter().find(|(_, step)| left(step) > 0) {
        return say(Outcome::Failed, is_valid, "left", [("left", Arg::Count(left(step) as f64))]);
    }
    let is_behind = |(_, step): &&(&StepSpan, &StepResult)| crate::capacity::is_behind(step);
    if let Some((_, step)) = holds.iter().find(is_behind) {
        let args = [("offered", Arg::PerSecond(step.offered_per_s)), ("ended", Arg::PerSecond(step.throughput_per_s))];
        return say(Outcome::Failed, is_valid, "behind", args);
    }
    if !all.is_empty() && all.iter().all(|result| result.verdict == Verdict::Met) {
        return say(Outcome::Passed, true, "met", []);
    }
    for open in all.iter().filter(|result| result.verdict == Verdict::CannotTell) {
        match by_value(known.study, number, open) {
            Some(true) => {}
            Some(false) => return say(Outcome::Failed, false, "value_beyond", named(open)),
            None => return say(Outcome::Void, true, "no_value", named(open)),
        }
    }
    match all.iter().find(|result| result.verdict == Verdict::CannotTell) {
        Some(open) => say(Outcome::Passed, false, "value_within", named(open)),
        None => say(Outcome::Void, true, "nothing_asked", []),
    }
}

/// Whether a value keeps its limit as it was measured; `None` where there is none, where calls of which nobody knows what
/// they came to could move it, or where the rule is not one value against one limit.
fn by_value(study: &Study, scenario: usize, result: &RequirementResult) -> Option<bool> {
    if matches!(result.reason.code.as_str(), "unsettled" | "censored") {
        return None;
    }
    let requirement = study.requirements.iter().find(|known| known.name == result.id)?;
    let applies = requirement.applies.iter().find(|applies| applies.scenario == scenario)?;
    let [Clause::Compare { operators, .. }] = applies.rule.clauses.as_slice() else { return None };
    let [operator] = operators.as_slice() else { return None };
    Some(compare(result.value?, *operator, result.limit?))
}

fn say<'a>(outcome: Outcome, is_sure: bool, code: &str, args: impl IntoIterator<Item = (&'a str, Arg)>) -> Said {
    let args: Args = args.into_iter().map(|(name, arg)| (name.to_owned(), arg)).collect();
    Said { outcome, is_sure, reason: Reason { code: code.to_owned(), args } }
}
