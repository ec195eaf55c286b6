//! What the study asks of each step, judged step by step.

use super::{Inputs, Round};
use crate::requirements::{Beside, OfSteps, joined};
use crate::rows::Index;
use crate::{Arg, Args, Reason, RequirementResult};
use contract::Role;
use std::collections::BTreeMap;
use study::rule::{Clause, Function, Rule, Series, Statistic, Subject, What};
use study::{Healthiest, Need};
use terms::{Outcome, Severity, Verdict};

/// A demand with its verdicts in one scenario.
struct Asked {
    name: String,
    /// Whether every member of `per` must hold, or one.
    needs_all: bool,
    verdicts: Vec<OfSteps>,
}

/// What is asked in one scenario.
#[derive(Default)]
struct InScenario {
    asked: Vec<Asked>,
    /// Whether something of it is about failures, and about the use of a processor: then that is the limit, and no other.
    is_about_failures: bool,
    is_about_processor: bool,
}

/// What is asked of the steps of each scenario, by its number.
pub(super) struct Needs<'a> {
    index: &'a Index<'a>,
    by_scenario: BTreeMap<usize, InScenario>,
}

impl<'a> Needs<'a> {
    /// Judges every demand for every step.
    pub(super) fn new(known: &Inputs<'a>, asked: &Healthiest) -> Self {
        let mut all = Self { index: known.index, by_scenario: BTreeMap::new() };
        let judge = Beside::new(known.study, known.index, known.signs, known.results);
        let has_steps = |number: usize| {
            let scenario = known.study.scenarios.get(number);
            scenario.is_some_and(study::Scenario::has_steps) && !known.index.is_left_out(number)
        };
        for requirement in &known.study.requirements {
            let is_named = |need: &Need| matches!(need, Need::Requirement(name) if *name == requirement.name);
            let is_asked = |severity: Severity| match asked.needs.is_empty() {
                true => severity == Severity::Must,
                false => asked.needs.iter().any(is_named),
            };
            for applies in requirement.applies.iter().filter(|it| has_steps(it.scenario) && is_asked(it.severity)) {
                let (name, needs_all) = (requirement.name.as_str(), requirement.needs_all);
                all.add(&judge, (name, needs_all), applies.scenario, &applies.rule);
            }
        }
        for need in &asked.needs {
            let Need::Rule { text, applies } = need else { continue };
            for (scenario, rule) in applies.iter().filter(|(scenario, _)| has_steps(*scenario)) {
                all.add(&judge, (text, true), *scenario, rule);
            }
        }
        all
    }

    fn add(&mut self, judge: &Beside<'_>, (name, needs_all): (&str, bool), scenario: usize, rule: &Rule) {
        let own = self.by_scenario.entry(scenario).or_default();
        own.is_about_failures |= is_about_failures(rule);
        own.is_about_processor |= is_about_processor(self.index, rule);
        let verdicts = judge.of_each_step(name, scenario, rule);
        own.asked.push(Asked { name: name.to_owned(), needs_all, verdicts });
    }

    /// Names of all that is asked in any of these scenarios, in the order of the study.
    pub(super) fn names(&self, scenarios: &[usize]) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for asked in scenarios.iter().filter_map(|number| self.by_scenario.get(number)).flat_map(|own| &own.asked) {
            if !names.contains(&asked.name) {
                names.push(asked.name.clone());
            }
        }
        names
    }

    pub(super) fn is_about_failures(&self, scenario: usize) -> bool {
        self.by_scenario.get(&scenario).is_some_and(|own| own.is_about_failures)
    }

    pub(super) fn is_about_processor(&self, scenario: usize) -> bool {
        self.by_scenario.get(&scenario).is_some_and(|own| own.is_about_processor)
    }

    /// What of it one repetition of a step did not pass. What is not known is not passed; where `is_invalid` says already
    /// that nothing can be, it is not said again of each demand.
    pub(super) fn against(&self, scenario: usize, round: &Round<'_>, is_invalid: bool) -> Vec<Reason> {
        let numbers = round.numbers();
        let is_here = |verdict: &&OfSteps| match &verdict.steps {
            Some(steps) => steps.iter().any(|step| numbers.contains(step)),
            None => verdict.result.scope.repetition().is_none_or(|repetition| repetition == round.repetition),
        };
        let mut found = Vec::new();
        for asked in self.by_scenario.get(&scenario).map_or(&[][..], |own| &own.asked) {
            let own: Vec<&RequirementResult> = asked.verdicts.iter().filter(is_here).map(|one| &one.result).collect();
            if own.is_empty() {
                continue;
            }
            let verdict = joined(own.iter().map(|result| result.verdict), asked.needs_all);
            let is_said = |result: &RequirementResult| is_invalid && result.reason.code == "run_invalid";
            let told = own.iter().find(|result| result.verdict == verdict && !is_said(result));
            found.extend(told.and_then(|result| reason(&asked.name, result)));
        }
        found
    }
}

fn reason(name: &str, result: &RequirementResult) -> Option<Reason> {
    let requirement = ("requirement".to_owned(), Arg::Text(name.to_owned()));
    let of = |code: &str, args: Args| Some(Reason { code: code.to_owned(), args });
    match (result.verdict, result.value, result.limit) {
        (Verdict::Met, ..) => None,
        (Verdict::CannotTell, ..) => of("unproven", [requirement].into()),
        (Verdict::NotMet, Some(value), Some(limit)) => {
            let shown = |value: f64| in_unit(&result.unit, value);
            let figures = [("value".to_owned(), shown(value)), ("limit".to_owned(), shown(limit).given())];
            of("not_met", figures.into_iter().chain([requirement]).collect())
        }
        (Verdict::NotMet, ..) => of("broken", [requirement].into()),
    }
}

/// A figure of a verdict with its unit.
fn in_unit(unit: &str, value: f64) -> Arg {
    match unit {
        "ms" => Arg::Milliseconds(value),
        "share" => Arg::Share(value),
        "per_s" => Arg::PerSecond(value),
        "bytes" => Arg::Bytes(value),
        "cores" => Arg::Cores(value),
        _ => Arg::Number(value),
    }
}

/// Whether a rule says how much may fail: failures counted, or a share of what is planned, in which they are missing.
fn is_about_failures(rule: &Rule) -> bool {
    let is_of_failures = |statistic: &&Statistic| {
        let Subject::Exchanges { what, .. } = &statistic.series.subject else { return false };
        let is_counted = match what {
            What::Failed => true,
            What::Outcome(outcome) => *outcome != Outcome::Ok || statistic.function == Function::Count,
            _ => false,
        };
        is_counted || (statistic.function == Function::Share && statistic.of.is_none())
    };
    rule.clauses.iter().flat_map(Clause::statistics).any(|statistic| is_of_failures(&statistic))
}

/// Whether a rule says how busy a processor may be.
fn is_about_processor(index: &Index<'_>, rule: &Rule) -> bool {
    let is_processor = |series: &&Series| {
        let Subject::Metric { monitor, metric } = &series.subject else { return false };
        let monitor = index.head().monitors.iter().find(|known| known.name == *monitor);
        let metric = monitor.and_then(|monitor| monitor.metrics.iter().find(|known| known.name == *metric));
        metric.is_some_and(|metric| metric.role() == Some(Role::Processor))
    };
    rule.clauses.iter().flat_map(Clause::series).any(|series| is_processor(&series))
}
