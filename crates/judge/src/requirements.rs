//! Requirements: one verdict for each scope, with value, interval, limit and reason.

use crate::evaluate::{CountedLimit, Evaluator, Kind, NoValue, Sureness, Value};
use crate::evidence::{Evidence, StepSpan};
use crate::figures::Figures;
use crate::times::{BATCHES, CONFIDENCE};
use crate::{Arg, Args, Reason, RequirementResult};
use std::collections::BTreeMap;
use study::Study;
use study::rule::{Clause, Comparison, Expression, Part, Rule, Scope, State, Subject, Window};
use terms::{Histogram, Nanos, Phase, Severity, Validity, Verdict};

/// Chance of a wrong "met", and of a wrong "not met".
pub(crate) const ALPHA: f64 = 0.05;

/// One clause's verdict.
#[derive(Clone, Debug)]
struct Decision {
    verdict: Verdict,
    reason: Reason,
    value: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    limit: Option<f64>,
    kind: Kind,
    is_census: bool,
    count: u64,
    design_effect: Option<f64>,
}

/// Judges every requirement of the study. `validity_of` gives the validity of the steps that a verdict rests on.
pub(crate) fn judge_requirements(
    study: &Study,
    evidence: &Evidence,
    validity_of: &dyn Fn(&[u32]) -> Validity,
) -> Vec<RequirementResult> {
    let mut results = Vec::new();
    for requirement in &study.requirements {
        for applies in &requirement.applies {
            for scope in scopes(evidence, applies.scenario, &applies.rule) {
                let mut decision = decide(evidence, &applies.rule, &scope, study, &results);
                temper(&mut decision, evidence, &scope, validity_of);
                results.push(result(&requirement.name, &applies.rule, applies.severity, &scope, decision));
            }
        }
    }
    results
}

/// What one verdict is about.
struct ScopeOf<'a> {
    name: String,
    scenario: usize,
    steps: Vec<&'a StepSpan>,
    from: Nanos,
    to: Nanos,
    figures: Figures,
    exchange: Option<u16>,
    instance: Option<String>,
}

/// The window's steps, split as `per` says.
fn scopes<'a>(evidence: &'a Evidence, scenario: usize, rule: &Rule) -> Vec<ScopeOf<'a>> {
    let window = rule.window.unwrap_or_else(|| default_window(rule));
    let steps: Vec<&StepSpan> = evidence.steps_of(scenario, window.phase).collect();
    let name = evidence.head.scenarios.get(scenario).map_or_else(String::new, |scenario| scenario.name.clone());
    let make = |name: String, steps: Vec<&'a StepSpan>| {
        let from = steps.iter().map(|step| step.from).min().unwrap_or_default();
        let to = steps.iter().map(|step| step.to).max().unwrap_or_default();
        let (from, to) = match window.part {
            Some((Part::First, length)) => (from, to.min(from + length)),
            Some((Part::Last, length)) => (from.max(to - length), to),
            None => (from, to),
        };
        let figures = evidence.figures(scenario, &steps, from, to);
        ScopeOf { name, scenario, steps, from, to, figures, exchange: None, instance: None }
    };
    let phase = window.phase.map_or("all", Phase::name);
    let mut scopes = if rule.per.contains(&Scope::Step) && !steps.is_empty() {
        steps.iter().map(|step| make(format!("{name}/{}", step.id), vec![step])).collect()
    } else {
        vec![make(format!("{name}/{phase}"), steps)]
    };
    if rule.per.contains(&Scope::Exchange) {
        scopes = split_exchanges(evidence, rule, scopes);
    }
    if rule.per.contains(&Scope::Instance) || rule.per.contains(&Scope::Replica) {
        scopes = split_instances(scopes);
    }
    scopes
}

fn default_window(rule: &Rule) -> Window {
    let is_reconciliation = rule.clauses.iter().any(|clause| match clause {
        Clause::Compare { operators, sums } => {
            operators.iter().all(|operator| *operator == Comparison::Equal)
                && sums.iter().filter(|sum| !matches!(sum, Expression::Number(_))).count() > 1
        }
        Clause::State { .. } => false,
    });
    Window { part: None, phase: (!is_reconciliation).then_some(Phase::Hold) }
}

fn split_exchanges<'a>(evidence: &Evidence, rule: &Rule, scopes: Vec<ScopeOf<'a>>) -> Vec<ScopeOf<'a>> {
    let mut named = Vec::new();
    for clause in &rule.clauses {
        if let Clause::Compare { sums, .. } = clause {
            sums.iter().for_each(|sum| exchanges_in(sum, &mut named));
        }
    }
    named.sort_unstable();
    named.dedup();
    let mut split = Vec::new();
    for scope in scopes {
        for &number in &named {
            let name = evidence.head.exchanges.get(usize::from(number)).map_or("?", |exchange| exchange.name.as_str());
            split.push(ScopeOf {
                name: format!("{}/{name}", scope.name),
                exchange: Some(number),
                figures: scope.figures.clone(),
                steps: scope.steps.clone(),
                instance: None,
                ..scope
            });
        }
    }
    split
}

fn exchanges_in(expression: &Expression, into: &mut Vec<u16>) {
    match expression {
        Expression::Number(_) => {}
        Expression::Statistic(statistic) => {
            if let Subject::Exchanges { exchanges, .. } = &statistic.series.subject {
                into.extend(exchanges);
            }
        }
        Expression::Binary { left, right, .. } => {
            exchanges_in(left, into);
            exchanges_in(right, into);
        }
    }
}

fn split_instances(scopes: Vec<ScopeOf<'_>>) -> Vec<ScopeOf<'_>> {
    let mut split = Vec::new();
    for scope in scopes {
        let mut instances: Vec<String> = scope.figures.samples.keys().map(|(.., instance)| instance.clone()).collect();
        instances.sort();
        instances.dedup();
        for instance in instances {
            split.push(ScopeOf {
                name: format!("{}/{instance}", scope.name),
                figures: scope.figures.clone(),
                steps: scope.steps.clone(),
                instance: Some(instance),
                ..scope
            });
        }
    }
    split
}

/// All clauses must hold: the first that does not decides, else the first that cannot be told, else the last.
fn decide(
    evidence: &Evidence,
    rule: &Rule,
    scope: &ScopeOf<'_>,
    study: &Study,
    before: &[RequirementResult],
) -> Decision {
    if scope.steps.is_empty() {
        return cannot_tell("not_run", Args::new(), Kind::Count);
    }
    let decisions: Vec<Decision> =
        rule.clauses.iter().map(|clause| clause_verdict(evidence, clause, scope, study, before)).collect();
    let of = |verdict| decisions.iter().find(move |decision: &&Decision| decision.verdict == verdict);
    let deciding = of(Verdict::NotMet).or_else(|| of(Verdict::CannotTell)).or(decisions.last());
    deciding.cloned().unwrap_or_else(|| cannot_tell("no_samples", Args::new(), Kind::Count))
}

fn clause_verdict(
    evidence: &Evidence,
    clause: &Clause,
    scope: &ScopeOf<'_>,
    study: &Study,
    before: &[RequirementResult],
) -> Decision {
    match clause {
        Clause::State { state: State::Alive, subject, .. } => alive(evidence, subject, scope),
        Clause::State { state: State::Met, subject, .. } => met(subject, scope, before, Verdict::Met),
        Clause::State { state: State::Broken, subject, .. } => met(subject, scope, before, Verdict::NotMet),
        Clause::State { .. } => cannot_tell("not_yet", Args::new(), Kind::Count),
        Clause::Compare { sums, operators } => {
            let _ = study;
            let evaluator = Evaluator {
                head: &evidence.head,
                figures: &scope.figures,
                exchange: scope.exchange,
                instance: scope.instance.as_deref(),
            };
            let values: Result<Vec<Value>, NoValue> = sums.iter().map(|sum| evaluator.expression(sum)).collect();
            match values {
                Err(why) => cannot_tell(no_value_code(why), Args::new(), Kind::Count),
                Ok(values) => chain(&values, operators),
            }
        }
    }
}

fn no_value_code(why: NoValue) -> &'static str {
    match why {
        NoValue::NoSamples => "no_samples",
        NoValue::SamplesMissing => "samples_missing",
        NoValue::NotYet => "not_yet",
        NoValue::Units => "units_differ",
    }
}

/// Neighbours are compared one by one; the first that fails decides.
fn chain(values: &[Value], operators: &[Comparison]) -> Decision {
    let mut last = None;
    for (pair, operator) in values.windows(2).zip(operators) {
        let decision = compare(&pair[0], *operator, &pair[1]);
        if decision.verdict != Verdict::Met {
            return decision;
        }
        last = Some(decision);
    }
    last.unwrap_or_else(|| cannot_tell("no_samples", Args::new(), Kind::Count))
}

/// `left operator right`; the estimated side, if there is one, is the value, the other the limit.
fn compare(left: &Value, operator: Comparison, right: &Value) -> Decision {
    if left.kind != right.kind && !(is_zero(left) || is_zero(right)) {
        return cannot_tell("units_differ", Args::new(), left.kind);
    }
    let (value, operator, limit) = if right.sureness == Sureness::Census {
        (left, operator, right.value)
    } else {
        (right, turned(operator), left.value)
    };
    match &value.sureness {
        Sureness::Census => exact(value, operator, limit),
        Sureness::Share { hits, total, seconds } => share(value, operator, limit, *hits, *total, seconds),
        Sureness::Percentile { quantile, times, counted, .. } => {
            percentile(value, operator, limit, *quantile, times, counted)
        }
        Sureness::Mean { low, high, design_effect } => mean(value, operator, limit, *low, *high, *design_effect),
        Sureness::MeanWithoutInterval => {
            let mut decision =
                cannot_tell("too_few_batches", args([("count", Arg::Count(value.count as f64))]), value.kind);
            (decision.value, decision.limit, decision.count) = (Some(value.value), Some(limit), value.count);
            decision
        }
        Sureness::Compound => {
            let mut decision = cannot_tell("compound_estimate", Args::new(), value.kind);
            (decision.value, decision.limit, decision.count) = (Some(value.value), Some(limit), value.count);
            decision
        }
    }
}

fn is_zero(value: &Value) -> bool {
    value.value == 0.0 && value.sureness == Sureness::Census
}

fn turned(operator: Comparison) -> Comparison {
    match operator {
        Comparison::Less => Comparison::Greater,
        Comparison::AtMost => Comparison::AtLeast,
        Comparison::Greater => Comparison::Less,
        Comparison::AtLeast => Comparison::AtMost,
        Comparison::Equal => Comparison::Equal,
    }
}

fn holds(value: f64, operator: Comparison, limit: f64) -> bool {
    match operator {
        Comparison::Less => value < limit,
        Comparison::AtMost => value <= limit,
        Comparison::Greater => value > limit,
        Comparison::AtLeast => value >= limit,
        Comparison::Equal => (value - limit).abs() < 1e-9 * limit.abs().max(1.0),
    }
}

/// An exact statement about this run.
fn exact(value: &Value, operator: Comparison, limit: f64) -> Decision {
    let verdict = if holds(value.value, operator, limit) { Verdict::Met } else { Verdict::NotMet };
    Decision {
        verdict,
        reason: reason("census", Args::new()),
        value: Some(value.value),
        low: Some(value.value),
        high: Some(value.value),
        limit: Some(limit),
        kind: value.kind,
        is_census: true,
        count: value.count,
        design_effect: None,
    }
}

/// A share against its limit: exact binomial limits with the design effect of 30 time batches. A share demanded at
/// 100 % or 0 % is a matter of counting.
fn share(value: &Value, operator: Comparison, limit: f64, hits: u64, total: u64, seconds: &[(u64, u64)]) -> Decision {
    if limit <= 0.0 || limit >= 1.0 || operator == Comparison::Equal {
        return exact(value, operator, limit);
    }
    let effect = match stats::batches::design_effect_of_share(seconds, BATCHES) {
        Ok(effect) => effect,
        Err(_) => {
            let mut decision = cannot_tell("too_few_batches", args([("count", Arg::Count(total as f64))]), Kind::Share);
            (decision.value, decision.limit, decision.count) = (Some(value.value), Some(limit), total);
            return decision;
        }
    };
    // "At least p" of the hits is "at most 1 − p" of the others.
    let is_floor = matches!(operator, Comparison::Greater | Comparison::AtLeast);
    let (k, p0) = if is_floor { (total - hits, 1.0 - limit) } else { (hits, limit) };
    let judged = stats::share::judge_at_most(k, total, p0, ALPHA, effect);
    let (low, high) = if is_floor { (1.0 - judged.high, 1.0 - judged.low) } else { (judged.low, judged.high) };
    let (verdict, reason) = settled(judged.verdict, judged.needed, total);
    Decision {
        verdict,
        reason,
        value: Some(value.value),
        low: Some(low),
        high: Some(high),
        limit: Some(limit),
        kind: Kind::Share,
        is_census: false,
        count: total,
        design_effect: Some(effect),
    }
}

fn settled(verdict: stats::share::ShareVerdict, needed: Option<u64>, total: u64) -> (Verdict, Reason) {
    match verdict {
        stats::share::ShareVerdict::Pass => (Verdict::Met, reason("interval_inside", Args::new())),
        stats::share::ShareVerdict::Fail => (Verdict::NotMet, reason("interval_outside", Args::new())),
        stats::share::ShareVerdict::Inconclusive => {
            let mut given = args([("count", Arg::Count(total as f64))]);
            if let Some(needed) = needed {
                given.insert("needed".into(), Arg::Count(needed as f64));
            }
            (Verdict::CannotTell, reason("interval_straddles_limit", given))
        }
    }
}

/// "p95 below T" is "at most 5 % are not below T"; counted exactly where the study named T, else bracketed by the
/// histogram's bucket.
fn percentile(
    value: &Value,
    operator: Comparison,
    limit: f64,
    q: f64,
    times: &Histogram,
    counted: &[CountedLimit],
) -> Decision {
    let at = Nanos::from_secs_f64(limit);
    let inclusive = matches!(operator, Comparison::AtMost | Comparison::Greater);
    let total = times.total();
    let exactly = counted.iter().find(|counted| counted.limit == at && counted.inclusive == inclusive);
    let (sure, maybe) = exactly.map_or_else(|| times.count_below(at), |counted| (counted.below, counted.below));
    let effect = exactly.map(|counted| stats::batches::design_effect_of_share(&counted.seconds, BATCHES));
    let effect = match effect {
        Some(Err(_)) => None,
        Some(Ok(effect)) => Some(effect),
        // Not counted by second: the design effect is unknown, and 1 would claim too much.
        None => None,
    };
    let interval = effect.and_then(|effect| stats::quantile::estimate(times, q, CONFIDENCE, effect).ok());
    let mut decision = Decision {
        verdict: Verdict::CannotTell,
        reason: reason("too_few_batches", args([("count", Arg::Count(total as f64))])),
        value: Some(value.value),
        low: interval.as_ref().map(|interval| interval.low / 1e3),
        high: interval.as_ref().map(|interval| interval.high / 1e3),
        limit: Some(limit),
        kind: Kind::Time,
        is_census: false,
        count: total,
        design_effect: effect,
    };
    let Some(effect) = effect else { return decision };
    if operator == Comparison::Equal {
        decision.reason = reason("compound_estimate", Args::new());
        return decision;
    }
    let is_ceiling = matches!(operator, Comparison::Less | Comparison::AtMost);
    let judge = |below: u64| {
        let (k, p0) = if is_ceiling { (total - below, 1.0 - q) } else { (below, q) };
        stats::share::judge_at_most(k, total, p0, ALPHA, effect)
    };
    let (first, second) = (judge(sure), judge(maybe));
    if first.verdict == second.verdict {
        (decision.verdict, decision.reason) = settled(first.verdict, first.needed, total);
    } else {
        decision.reason = reason("bucket_straddles_limit", Args::new());
    }
    if total < stats::quantile::minimum_n(q, CONFIDENCE) && decision.verdict == Verdict::CannotTell {
        let needed = stats::quantile::minimum_n(q, CONFIDENCE) as f64;
        decision.reason =
            reason("too_few", args([("count", Arg::Count(total as f64)), ("needed", Arg::Count(needed))]));
    }
    decision
}

fn mean(value: &Value, operator: Comparison, limit: f64, low: f64, high: f64, effect: f64) -> Decision {
    let (a, b) = (holds(low, operator, limit), holds(high, operator, limit));
    let (verdict, code) = match (a, b) {
        (true, true) => (Verdict::Met, "interval_inside"),
        (false, false) => (Verdict::NotMet, "interval_outside"),
        _ => (Verdict::CannotTell, "interval_straddles_limit"),
    };
    Decision {
        verdict,
        reason: reason(code, args([("count", Arg::Count(value.count as f64))])),
        value: Some(value.value),
        low: Some(low),
        high: Some(high),
        limit: Some(limit),
        kind: value.kind,
        is_census: false,
        count: value.count,
        design_effect: Some(effect),
    }
}

/// Runs, was not restarted, is the one meant.
fn alive(evidence: &Evidence, subject: &study::rule::Series, scope: &ScopeOf<'_>) -> Decision {
    let Subject::Instance(name) = &subject.subject else { return cannot_tell("not_yet", Args::new(), Kind::Count) };
    let is_of = |instance: &str| name == "*" || instance == name || instance.starts_with(&format!("{name}."));
    let bad = evidence.events.iter().find(|event| {
        matches!(event.kind.as_str(), "gone" | "restart" | "identity")
            && is_of(&event.subject)
            && event.at < scope.to
            && (event.at >= scope.from || event.kind == "gone")
    });
    let known = evidence.head.instances.iter().any(|instance| is_of(&instance.name));
    let mut decision = match bad {
        Some(event) => {
            let given = args([("instance", Arg::Text(event.subject.clone())), ("kind", Arg::Text(event.kind.clone()))]);
            Decision {
                verdict: Verdict::NotMet,
                reason: reason("instance_lost", given),
                ..cannot_tell("", Args::new(), Kind::Count)
            }
        }
        None if known => Decision {
            verdict: Verdict::Met,
            reason: reason("census", Args::new()),
            ..cannot_tell("", Args::new(), Kind::Count)
        },
        None => cannot_tell("no_samples", Args::new(), Kind::Count),
    };
    decision.is_census = true;
    decision
}

fn met(subject: &study::rule::Series, scope: &ScopeOf<'_>, before: &[RequirementResult], wanted: Verdict) -> Decision {
    let Subject::Requirement(name) = &subject.subject else { return cannot_tell("not_yet", Args::new(), Kind::Count) };
    let scenario = scope.name.split('/').next().unwrap_or_default();
    let found: Vec<_> =
        before.iter().filter(|result| result.id == *name && result.scope.starts_with(scenario)).collect();
    let verdict = match found.as_slice() {
        [] => Verdict::CannotTell,
        found if found.iter().any(|result| result.verdict == Verdict::CannotTell) => Verdict::CannotTell,
        found => {
            let is_met = found.iter().all(|result| result.verdict == Verdict::Met);
            if is_met == (wanted == Verdict::Met) { Verdict::Met } else { Verdict::NotMet }
        }
    };
    let given = args([("requirement", Arg::Text(name.clone()))]);
    Decision {
        verdict,
        reason: reason("other_requirement", given),
        is_census: true,
        ..cannot_tell("", Args::new(), Kind::Count)
    }
}

/// What validity and an early end take from a verdict: a "met" that cannot be relied on becomes "cannot tell".
fn temper(decision: &mut Decision, evidence: &Evidence, scope: &ScopeOf<'_>, validity_of: &dyn Fn(&[u32]) -> Validity) {
    let steps: Vec<u32> = scope.steps.iter().map(|step| step.number).collect();
    let validity = if steps.is_empty() { validity_of(&[]) } else { validity_of(&steps) };
    match (validity, decision.verdict) {
        (Validity::Invalid, Verdict::Met | Verdict::NotMet) => {
            decision.verdict = Verdict::CannotTell;
            decision.reason = reason("run_invalid", Args::new());
        }
        (Validity::Questionable, Verdict::Met) => {
            decision.verdict = Verdict::CannotTell;
            decision.reason = reason("run_questionable", Args::new());
        }
        _ => {}
    }
    let is_cut = |step: &&&StepSpan| {
        let planned = evidence.head.steps.get(step.number as usize).and_then(|step| step.seconds);
        !step.is_ended || planned.is_some_and(|planned| (step.to - step.from).as_secs_f64() < planned * 0.99 - 0.05)
    };
    if decision.verdict == Verdict::Met && scope.steps.iter().any(|step| is_cut(&step)) {
        decision.verdict = Verdict::CannotTell;
        decision.reason = reason("cut_short", Args::new());
    }
}

fn result(name: &str, rule: &Rule, severity: Severity, scope: &ScopeOf<'_>, decision: Decision) -> RequirementResult {
    let _ = scope.scenario;
    let factor = if decision.kind == Kind::Time { 1e3 } else { 1.0 };
    let scale = |value: Option<f64>| value.map(|value| value * factor);
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
        unit: unit_name(decision.kind).into(),
        is_census: decision.is_census,
        sample_count: decision.count,
        design_effect: decision.design_effect,
        reason: decision.reason,
        evidence: vec![format!("load:{}", scope.name)],
    }
}

fn unit_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Time => "ms",
        Kind::Share => "share",
        Kind::Count => "count",
        Kind::PerSecond => "per_s",
        Kind::Bytes => "bytes",
        Kind::Cores => "cores",
    }
}

fn reason(code: &str, args: Args) -> Reason {
    Reason { code: code.into(), args }
}

fn args<const N: usize>(given: [(&str, Arg); N]) -> Args {
    given.into_iter().map(|(name, arg)| (name.to_owned(), arg)).collect::<BTreeMap<_, _>>()
}

fn cannot_tell(code: &str, args: Args, kind: Kind) -> Decision {
    Decision {
        verdict: Verdict::CannotTell,
        reason: reason(code, args),
        value: None,
        low: None,
        high: None,
        limit: None,
        kind,
        is_census: false,
        count: 0,
        design_effect: None,
    }
}
