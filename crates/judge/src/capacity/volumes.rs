//! Volumes: what a measured rate makes over days, refused where it did not hold or was not seen whole.

mod counted;

use super::{Inputs, KEPT_UP, VolumeResult, ended_per_s, is_behind, refusal};
use crate::evidence::StepSpan;
use crate::healthiest::{HealthiestResult, at_step};
use crate::requirements::{FormulaValue, formula};
use crate::rows::Index;
use crate::{Arg, Args, Reason, RequirementResult, Scope, StepResult};
use record::UNRESTED;
use stats::extrapolate::Horizon;
use study::rule::{Clause, Expression, Function, Rule, Subject, What};
use study::{Study, VolumeFrom, Wait};
use terms::{Phase, Severity, Validity, Verdict};

/// A drain is looked at once a second or less often, so a shorter one is none to speak of, seconds.
const DRAIN_SHORT: f64 = 10.0;

/// A volume: one result, or of the healthiest steps one for each of them.
pub(super) fn of(
    volume: &study::Volume,
    study: &Study,
    healthiest: &[HealthiestResult],
    known: &Inputs<'_>,
) -> Vec<VolumeResult> {
    let index = known.index;
    let all = match &volume.from {
        VolumeFrom::Scenario(one) => {
            let in_scenario = |rule: &Rule| formula(index, one.scenario, rule);
            let (text, found) = least_stage(&one.formula, index, &in_scenario);
            let refused = refused(found.as_ref(), study, known).or_else(|| not_met(one.scenario, known));
            let scope = found.as_ref().map_or_else(Scope::run, |found| found.scope.clone());
            return vec![result(volume, (text, scope), found, refused)];
        }
        VolumeFrom::Healthiest(all) => all,
    };
    let name = |number: usize| study.scenarios.get(number).map(|scenario| scenario.name.as_str());
    let of_choice = |choice: &HealthiestResult| {
        // Of a grid or a search those that the formula is read for are told by their names.
        let is_its = |scenario: &str| choice.steps.iter().any(|step| step.scenario == scenario);
        all.iter().find(|one| name(one.scenario).is_some_and(is_its))?;
        let Some(best) = choice.best.and_then(|best| choice.steps.get(best)) else {
            let args = [("scenario", Arg::Text(choice.name()))];
            let scope = Scope::whole(&choice.scenario);
            return Some(result(volume, (volume.text.clone(), scope), None, Some(refusal("no_healthiest", args))));
        };
        if choice.unseen.contains(&"earlier") {
            // Among the attempts of the run that began the search there may be a healthier one.
            let args = [("scenario", Arg::Text(choice.name()))];
            return Some(result(
                volume,
                (volume.text.clone(), best.scope.clone()),
                None,
                Some(refusal("earlier", args)),
            ));
        }
        let one = all.iter().find(|one| name(one.scenario) == Some(best.scenario.as_str()))?;
        let at_best = |rule: &Rule| at_step(index, one.scenario, rule, best);
        let (text, found) = least_stage(&one.formula, index, &at_best);
        let refused = refused(found.as_ref(), study, known);
        Some(result(volume, (text, best.scope.clone()), found, refused))
    };
    let found: Vec<VolumeResult> = healthiest.iter().filter_map(of_choice).collect();
    if found.is_empty() {
        // No step of them came to pass.
        return vec![result(volume, (volume.text.clone(), Scope::run()), None, Some(refusal("no_value", [])))];
    }
    found
}

fn result(
    volume: &study::Volume,
    (text, scope): (String, Scope),
    found: Option<FormulaValue>,
    refused: Option<Reason>,
) -> VolumeResult {
    let horizon = Horizon { hours: volume.hours, days: volume.days, peak_factor: volume.peak_factor };
    // Rounded before it is multiplied, so that the printed expression comes to the printed volume.
    let rate = found.as_ref().and_then(rate_of);
    let seconds = horizon.seconds();
    let is_told = refused.is_none();
    VolumeResult {
        name: volume.name.clone(),
        scope,
        formula: text,
        rate_per_s: rate,
        hours: volume.hours,
        days: volume.days,
        peak_factor: volume.peak_factor,
        is_upper_bound: horizon.is_flat_round_the_clock(),
        value: rate.filter(|_| is_told).map(|rate| rate * seconds),
        interval: found
            .and_then(|found| found.interval)
            .filter(|_| is_told)
            .map(|(low, high)| (low * seconds, high * seconds)),
        refused,
    }
}

fn rate_of(found: &FormulaValue) -> Option<f64> {
    found.value.as_ref().ok().map(|value| six_digits(value.value))
}

/// The formula and its value. Of an exchange with legs that come later, the rate of the slowest: what is accepted faster
/// than it is answered is not done.
fn least_stage(
    of: &study::Formula,
    index: &Index<'_>,
    evaluate: &dyn Fn(&Rule) -> Option<FormulaValue>,
) -> (String, Option<FormulaValue>) {
    let written = (of.text.clone(), evaluate(&of.rule));
    let value = |found: &Option<FormulaValue>| found.as_ref()?.value.as_ref().ok().map(|value| value.value);
    let evaluated = stages(&of.rule, index).into_iter().map(|(text, rule)| (text, evaluate(&rule)));
    evaluated.fold(written, |least, stage| match (value(&least.1), value(&stage.1)) {
        (Some(known), Some(found)) if found < known => stage,
        _ => least,
    })
}

/// The same rate of every leg of its exchange that is waited for, each with its text; none where it is another formula, or
/// of one leg. A leg that opens a connection, or that comes only if something is refused, is not a stage of the work.
fn stages(rule: &Rule, index: &Index<'_>) -> Vec<(String, Rule)> {
    let [Clause::Compare { sums, operators }] = &rule.clauses[..] else { return Vec::new() };
    let [Expression::Statistic(statistic)] = &sums[..] else { return Vec::new() };
    let Subject::Exchanges { exchanges, what: What::Itself, .. } = &statistic.series.subject else { return Vec::new() };
    let ([number], Function::Rate) = (&exchanges[..], statistic.function) else { return Vec::new() };
    let Some(head) = index.head().exchanges.get(usize::from(*number)).filter(|head| head.legs.len() > 1) else {
        return Vec::new();
    };
    let of_leg = |(leg, kind): (usize, &record::LegHead)| {
        let mut statistic = statistic.clone();
        statistic.series.text = format!("{}.{}", head.name, kind.name);
        let (exchanges, leg) = (exchanges.clone(), Some(leg as u8));
        statistic.series.subject = Subject::Exchanges { exchanges, leg, what: What::Itself };
        let text = format!("rate({})", statistic.series.text);
        let sums = vec![Expression::Statistic(statistic)];
        let clauses = vec![Clause::Compare { sums, operators: operators.clone() }];
        (text.clone(), Rule { text, clauses, ..rule.clone() })
    };
    let is_stage = |(_, leg): &(usize, &record::LegHead)| {
        leg.per == record::LegPer::Exchange && crate::is_awaited(index.head(), &head.name, &leg.name)
    };
    head.legs.iter().enumerate().filter(is_stage).map(of_leg).collect()
}

/// A rate that did not hold, or was not seen whole, must not be carried on into a year.
fn refused(found: Option<&FormulaValue>, study: &Study, known: &Inputs<'_>) -> Option<Reason> {
    let Some(found) = found.filter(|found| rate_of(found).is_some_and(f64::is_finite)) else {
        return Some(refusal("no_value", []));
    };
    if known.index.head().trial.is_some() {
        return Some(refusal("trial", []));
    }
    if found.is_cut {
        return Some(refusal("cut_short", []));
    }
    let held = (known.held)(&found.steps);
    if held.validity != Validity::Valid {
        return Some(refusal(
            "degraded",
            [("sign", Arg::Text(held.sign)), ("where", Arg::Text(held.scope.to_string()))],
        ));
    }
    if let Some(args) = undrained(&found.steps, known.steps) {
        return Some(Reason { code: "undrained".into(), args });
    }
    let counted = counted::drains(found, known.index).into_iter();
    drains(found, study, known.index).chain(counted).find_map(|drain| drain.refused(found))
}

/// The drain behind a load, where a rule may end it, or where a count tells what is left.
struct Drain {
    rule: String,
    /// Whether it was over before the rule held.
    is_unfinished: bool,
    drain_s: f64,
    /// Of the steps in front of it that are looked at.
    load_s: f64,
}

/// Those behind the steps of a formula.
fn drains<'a>(
    found: &'a FormulaValue,
    study: &'a Study,
    index: &'a Index<'_>,
) -> impl Iterator<Item = Drain> + use<'a> {
    let evidence = index.evidence;
    let of = |step: &StepSpan| (step.scenario, index.repetition(step));
    let seconds = |step: &StepSpan| (step.to - step.from).as_secs_f64();
    evidence.steps.iter().filter(|step| step.phase == Phase::Drain).filter_map(move |drain| {
        let own = evidence.steps.iter().filter(|step| found.own_steps.contains(&step.number) && of(step) == of(drain));
        let load_s: f64 = own.map(seconds).sum();
        let rule = study.scenarios.get(drain.scenario)?.until.get(&Wait::Drain).filter(|_| load_s > 0.0)?;
        let mut events = evidence.events.iter().filter(|event| event.kind == UNRESTED);
        let is_unfinished = events.any(|event| drain.from <= event.at && event.at <= drain.to);
        // When a counted leg was drained is told to the look; the wait goes on for a second one. What a hold within the
        // load brought may be through long before.
        let has_load_end = evidence.steps.iter().filter(|step| step.phase.has_load() && of(step) == of(drain));
        let is_of_end =
            has_load_end.max_by_key(|step| step.to).is_some_and(|last| found.own_steps.contains(&last.number));
        if (!is_unfinished || !is_of_end) && counted::is_counted(rule, index) {
            return None;
        }
        Some(Drain { rule: rule.text.clone(), is_unfinished, drain_s: seconds(drain), load_s })
    })
}

impl Drain {
    /// Why a rate must not be carried on: the load left more behind than was done, or that was done only long after it.
    fn refused(&self, found: &FormulaValue) -> Option<Reason> {
        if self.is_unfinished {
            return Some(refusal("still_busy", [("rule", Arg::Text(self.rule.clone()))]));
        }
        let part = self.load_s / (self.load_s + self.drain_s);
        let rate = rate_of(found).filter(|_| self.drain_s > DRAIN_SHORT && part < KEPT_UP)?;
        let args = [
            ("drain", Arg::Seconds(self.drain_s)),
            ("load", Arg::Seconds(self.load_s)),
            ("rate", Arg::PerSecond(rate * part)),
        ];
        Some(refusal("drained_late", args))
    }
}

/// What is demanded of a scenario, and not met or not known in it.
fn not_met(scenario: usize, known: &Inputs<'_>) -> Option<Reason> {
    let name = known.index.head().scenarios.get(scenario).map_or("", |scenario| scenario.name.as_str());
    let is_must =
        |result: &&RequirementResult| result.severity == Severity::Must && result.scope.scenario() == Some(name);
    let of = |verdict: Verdict| known.results.iter().filter(is_must).find(move |result| result.verdict == verdict);
    let requirement = |result: &RequirementResult| [("requirement", Arg::Text(result.id.clone()))];
    if let Some(result) = of(Verdict::NotMet) {
        return Some(refusal("not_met", requirement(result)));
    }
    of(Verdict::CannotTell).map(|result| refusal("cannot_tell", requirement(result)))
}

/// Iterations that were cut off, or a backlog that grew: what was answered is less than what came. The figures of the
/// first of these steps of which that is so.
pub(crate) fn undrained(steps: &[u32], all: &[StepResult]) -> Option<Args> {
    let left = |step: &StepResult| step.books.open() + step.books.aborted;
    let mut own = all.iter().filter(|step| steps.contains(&step.number));
    let step = own.find(|step| left(step) > 0 || is_behind(step))?;
    let args = [
        ("ended", Arg::PerSecond(ended_per_s(step))),
        ("left", Arg::Count(left(step) as f64)),
        ("offered", Arg::PerSecond(step.offered_per_s)),
    ];
    Some(args.into_iter().map(|(name, arg)| (name.to_owned(), arg)).collect())
}

/// The nearest number with six significant digits.
fn six_digits(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let places = (5 - value.abs().log10().floor() as i32).clamp(-300, 300);
    let scale = 10f64.powi(places.abs());
    if places >= 0 { (value * scale).round() / scale } else { (value / scale).round() * scale }
}
