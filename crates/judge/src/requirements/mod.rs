//! Requirements: one verdict for each scope, with value, interval, limit and reason.

mod beside;
mod change;
mod clauses;
mod counted;
mod decision;
mod disturbed;
mod estimates;
mod falls;
mod formula;
mod outside;
mod over_time;
mod reconcile;
pub(crate) mod rests;
mod scopes;
mod states;

pub(crate) use beside::{Beside, OfSteps};
pub(crate) use decision::unit_arg;
pub(crate) use formula::{FormulaValue, formula, formulas};
pub(crate) use over_time::{StateRule, looks_back, steady_now};
pub(crate) use scopes::{around_load, default_window, is_instance, watched_in};
pub(crate) use states::joined;

use crate::Scope;
use crate::comparison::{Recorded, RunIndex};
use crate::evaluate::{Evaluator, Kind, NoValue};
use crate::rows::Index;
use crate::validity::Placed;
use crate::{Arg, Disturbance, RequirementResult};
use decision::{Decision, cannot_tell};
use scopes::{ScopeOf, scopes};
use std::collections::BTreeMap;
use study::rule::{Clause, Rule, Series, State, Statistic, Subject};
use study::{Applies, Requirement, Study};
use terms::{Severity, Verdict};

/// Chance of a wrong "met", and of a wrong "not met".
pub(crate) const ALPHA: f64 = 0.05;

/// Judges every requirement of the study, in its order. `signs` are what the checks of validity found.
pub(crate) fn judge_requirements(study: &Study, index: &Index<'_>, signs: &[Placed]) -> Vec<RequirementResult> {
    let mut done: Vec<Option<Vec<RequirementResult>>> = vec![None; study.requirements.len()];
    let run = has_change(study).then(|| RunIndex::new(Recorded { evidence: index.evidence, study: &study.effective }));
    let all = 0..study.requirements.len();
    let judge = |number: usize, done: &[Option<Vec<RequirementResult>>]| {
        judge_one(&study.requirements[number], index, signs, &Before { study, run: run.as_ref(), done })
    };
    // A requirement on another one is judged after it.
    while let Some(number) = all.clone().find(|&number| is_due(number, study, &done)) {
        done[number] = Some(judge(number, &done));
    }
    // Those that wait for each other find nothing, and cannot tell.
    for number in all {
        if done[number].is_none() {
            done[number] = Some(judge(number, &done));
        }
    }
    done.into_iter().flatten().flatten().collect()
}

/// Whether it is not judged yet, and everything that it asks for is.
fn is_due(number: usize, study: &Study, done: &[Option<Vec<RequirementResult>>]) -> bool {
    let is_ready = |clause: &Clause| {
        let Clause::State { state: State::Met | State::Broken, subject, .. } = clause else { return true };
        let Subject::Requirement(name) = &subject.subject else { return true };
        let place = study.requirements.iter().position(|known| known.name == *name);
        place.is_none_or(|place| done[place].is_some())
    };
    let applies = &study.requirements[number].applies;
    done[number].is_none() && applies.iter().flat_map(|applies| &applies.rule.clauses).all(is_ready)
}

fn has_change(study: &Study) -> bool {
    let applies = study.requirements.iter().flat_map(|requirement| &requirement.applies);
    applies.flat_map(|applies| &applies.rule.clauses).any(|clause| matches!(clause, Clause::Change(_)))
}

/// What is judged already.
struct Before<'a> {
    study: &'a Study,
    /// The run as comparisons look at it; `None` where no rule compares.
    run: Option<&'a RunIndex<'a>>,
    done: &'a [Option<Vec<RequirementResult>>],
}

fn judge_one(
    requirement: &Requirement,
    index: &Index<'_>,
    signs: &[Placed],
    before: &Before<'_>,
) -> Vec<RequirementResult> {
    // What was not carried out since it was not needed asks for no verdict.
    let all = requirement.applies.iter().filter(|applies| !index.is_left_out(applies.scenario));
    all.flat_map(|applies| judge_rule(&requirement.name, applies, index, signs, before))
        .map(|(_, result)| result)
        .collect()
}

/// A rule's verdicts in its scenario, each with the numbers of the steps that it is about.
fn judge_rule(
    name: &str,
    applies: &Applies,
    index: &Index<'_>,
    signs: &[Placed],
    before: &Before<'_>,
) -> Vec<(Vec<u32>, RequirementResult)> {
    let mut results = Vec::new();
    let scenario = before.study.scenarios.get(applies.scenario);
    // Of a search over replicas each attempt has its own number of them, and the run has those of all.
    let is_missing = |scope: &ScopeOf<'_>| {
        scenario.zip(scope.instance.as_deref()).is_some_and(|(own, name)| before.study.lacks_replica(own, name))
    };
    let mut all: Vec<(usize, ScopeOf<'_>)> =
        scopes(index, applies.scenario, &applies.rule).into_iter().enumerate().collect();
    if !all.iter().all(|(_, scope)| is_missing(scope)) {
        all.retain(|(_, scope)| !is_missing(scope));
    }
    for (place, scope) in all {
        let (mut decision, deciding) = match is_missing(&scope) {
            true => (cannot_tell("no_samples", []), 0),
            false => decide(index, &applies.rule, &scope, before),
        };
        outside::explain(&mut decision, &applies.rule, index);
        // A scope knows what its own rule's limits count.
        let again = |rule: &Rule| {
            let scope = scopes(index, applies.scenario, rule).into_iter().nth(place);
            scope.map_or(Verdict::CannotTell, |scope| decide(index, rule, &scope, before).0.verdict)
        };
        let disturbed = disturbed::temper(&mut decision, &applies.rule, deciding, index, &scope, signs, &again);
        let stays = falls::stays_met(&applies.rule) && falls::is_seen(&decision, index);
        if scope.is_cut && decision.verdict == Verdict::Met && !stays {
            decision.withdraw("cut_short", []);
        }
        let result = result(name, &applies.rule, applies.severity, index, &scope, (decision, disturbed));
        results.push((scope.steps(), result));
    }
    results
}

/// All clauses must hold: the first that does not decides, else the first that cannot be told, else the last. With the
/// place of that clause.
fn decide(index: &Index<'_>, rule: &Rule, scope: &ScopeOf<'_>, before: &Before<'_>) -> (Decision, usize) {
    if scope.pieces.is_empty() {
        return (cannot_tell("not_run", []), 0);
    }
    if rule.sliding.is_some() {
        return (cannot_tell("not_yet", []), 0);
    }
    let is_trial = index.head().trial.is_some();
    let of_clause = |clause: &Clause| {
        let mut decision = clause_verdict(index, clause, scope, before);
        if (decision.is_volume || is_over_time(clause)) && is_trial && decision.verdict != Verdict::CannotTell {
            decision.withdraw("trial", []);
        }
        if decision.may_change && scope.is_cut && !reconcile::is_final(&decision, clause, rule, index, scope) {
            decision.withdraw("cut_short_below", []);
        }
        if decision.kind == Kind::PerSecond && decision.is_census && scope.has_inner() {
            // It is that of some seconds of the window, not of the window.
            (decision.is_census, decision.low, decision.high) = (false, None, None);
            decision.withdraw("edges_unknown", []);
        }
        decision
    };
    let decisions: Vec<Decision> = rule.clauses.iter().map(of_clause).collect();
    let of = |verdict| decisions.iter().position(|decision| decision.verdict == verdict);
    let place = of(Verdict::NotMet).or_else(|| of(Verdict::CannotTell)).unwrap_or(decisions.len().saturating_sub(1));
    let mut deciding = decisions.get(place).cloned().unwrap_or_else(|| cannot_tell("no_samples", []));
    clauses::name(&mut deciding, rule, place);
    // "Met" rests on all clauses, not on the one that is shown.
    deciding.is_reconciliation &=
        deciding.verdict == Verdict::NotMet || decisions.iter().all(|decision| decision.is_reconciliation);
    (deciding, place)
}

fn clause_verdict(index: &Index<'_>, clause: &Clause, scope: &ScopeOf<'_>, before: &Before<'_>) -> Decision {
    match clause {
        Clause::State { state: State::Alive, subject, .. } => states::alive(index.evidence, subject, scope),
        Clause::State { state: State::Met, subject, .. } => states::met(subject, scope, before, Verdict::Met),
        Clause::State { state: State::Broken, subject, .. } => states::met(subject, scope, before, Verdict::NotMet),
        Clause::State { state, function, subject, options } => over_time::state(
            index,
            scope,
            &over_time::StateRule { state: *state, function: *function, subject, options },
        ),
        Clause::Compare { sums, operators } => {
            let evaluator = Evaluator {
                head: index.head(),
                figures: &scope.figures,
                elsewhere: &scope.elsewhere,
                exchange: scope.exchange,
                instance: scope.instance.as_deref(),
                stream: scope.stream.as_ref(),
            };
            let values: Result<Vec<_>, NoValue> = sums.iter().map(|sum| evaluator.expression(sum)).collect();
            match values {
                Err(why) => no_value(why),
                Ok(values) => {
                    let mut decision = estimates::chain(&values, operators);
                    reconcile::tell(&mut decision, sums, operators, &values);
                    falls::tell(&mut decision, &values);
                    reconcile::check_ends(&mut decision, sums, index, scope);
                    decision
                }
            }
        }
        Clause::Change(change) => change::verdict(change, scope, before),
    }
}

fn no_value(why: NoValue) -> Decision {
    match why {
        NoValue::NoSamples => cannot_tell("no_samples", []),
        NoValue::SamplesMissing => cannot_tell("samples_missing", []),
        NoValue::NotCountedBefore => cannot_tell("not_counted_before", []),
        NoValue::NotCountedAfter => cannot_tell("not_counted_after", []),
        NoValue::LeftOut(table) => cannot_tell("left_out", [("table", Arg::Text(table.to_owned()))]),
        NoValue::NotYet => cannot_tell("not_yet", []),
        NoValue::Units => cannot_tell("units_differ", []),
        NoValue::RateShifts => cannot_tell("rate_shifts", []),
        NoValue::TooShort { have, need } => {
            cannot_tell("too_short", [("have", Arg::Seconds(have as f64)), ("needed", Arg::Seconds(need as f64))])
        }
    }
}

/// Trends and volumes, of which a shortened trial says nothing.
fn is_over_time(clause: &Clause) -> bool {
    use study::rule::Function::{DropAt, Growth, Slope, WorkingRate};
    matches!(clause, Clause::State { state: State::Steady, .. })
        || crate::limits::has_function(clause, |function| matches!(function, Slope | Growth | DropAt | WorkingRate))
}

fn result(
    name: &str,
    rule: &Rule,
    severity: Severity,
    index: &Index<'_>,
    scope: &ScopeOf<'_>,
    (decision, disturbed): (Decision, Vec<Disturbance>),
) -> RequirementResult {
    let factor = if decision.kind == Kind::Time { 1e3 } else { 1.0 };
    let scale = |value: Option<f64>| value.filter(|value| value.is_finite()).map(|value| value * factor);
    RequirementResult {
        id: name.into(),
        scope: scope.name.clone(),
        rule: rule.text.clone(),
        severity,
        verdict: decision.verdict,
        value: scale(decision.value),
        low: scale(decision.low),
        high: scale(decision.high),
        limit: scale(decision.limit),
        unit: decision::unit_name(decision.kind).into(),
        is_census: decision.is_census,
        sample_count: decision.count,
        design_effect: decision.design_effect,
        holds_up_to: decision.holds_up_to.filter(|_| decision.verdict != Verdict::CannotTell),
        reason: decision.reason,
        disturbed,
        evidence: evidence_of(rule, index, scope),
    }
}

/// What a verdict rests on: `load:nominal/hold/ping/answer`, `watch:host.cpu`, `events:gateway`, `requirement:fast`.
fn evidence_of(rule: &Rule, index: &Index<'_>, scope: &ScopeOf<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for clause in &rule.clauses {
        match clause {
            Clause::Compare { .. } => {
                found.extend(clause.statistics().into_iter().flat_map(|statistic| rests_on(statistic, index, scope)));
            }
            Clause::State { subject, .. } => found.push(match &subject.subject {
                Subject::Instance(name) => format!("events:{name}"),
                Subject::Requirement(name) => format!("requirement:{name}"),
                Subject::Metric { monitor, metric } => format!("watch:{monitor}.{metric}"),
                _ => format!("load:{}", scope.base),
            }),
            Clause::Change(change) => {
                let other = &change.of.statistic;
                let mut base = other.clone();
                (base.series.scenario, base.series.part) = (Some(change.base), change.base_part);
                found.extend([&base, other].into_iter().flat_map(|side| rests_on(side, index, scope)));
            }
        }
    }
    let mut seen = BTreeMap::new();
    found.retain(|each| seen.insert(each.clone(), ()).is_none());
    found
}

/// Scenario, phase and part that a series is of, as scopes have them.
fn place_of(series: &Series, index: &Index<'_>, scope: &ScopeOf<'_>) -> Scope {
    let number = series.scenario.unwrap_or(scope.figures.scenario);
    let scenario = index.head().scenarios.get(number);
    let part = series.part.and_then(|part| Some(scenario?.parts.get(part)?.name.as_str()));
    let name = scenario.map_or(scope.base.scenario(), |scenario| Some(scenario.name.as_str()));
    let step = scope.base.step_name().unwrap_or_default();
    // The part within the phase is the scope's own.
    let place = Scope::step(name.unwrap_or_default(), step, scope.base.repetition());
    part.map_or(place.clone(), |part| place.within(part))
}

fn rests_on(statistic: &Statistic, index: &Index<'_>, scope: &ScopeOf<'_>) -> Vec<String> {
    match &statistic.series.subject {
        Subject::Metric { monitor, metric } => vec![format!("watch:{monitor}.{metric}")],
        Subject::Exchanges { exchanges, leg, .. } => {
            let base = place_of(&statistic.series, index, scope);
            let of = |number: &u16| {
                let head = index.head().exchanges.get(usize::from(*number))?;
                let leg = head.legs.get(usize::from(leg.unwrap_or(0))).map_or("", |leg| leg.name.as_str());
                Some(format!("load:{base}/{}/{leg}", head.name))
            };
            let is_asked = |number: &&u16| scope.exchange.is_none_or(|only| only == **number);
            exchanges.iter().filter(is_asked).filter_map(of).collect()
        }
        _ => Vec::new(),
    }
}
