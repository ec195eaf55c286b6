//! The healthiest step: of a grid, a search or a load of several pieces the step with the highest throughput among those
//! that pass everything, and why each of the others is not it.
//!
//! It is what a figure may be carried on from: met what is demanded, nothing lost on the way, nothing in it that asks for
//! an explanation. What is not proven is not passed.

mod groups;
mod needs;
mod reasons;
mod uses;

pub use uses::ProcessorUse;

use crate::evidence::StepSpan;
use crate::grids::Grid;
use crate::requirements::{FormulaValue, formulas};
use crate::rows::Index;
use crate::times::CONFIDENCE;
use crate::validity::{Held, Placed};
use crate::{Arg, Args, Finding, Reason, RequirementResult, Scope, StepResult};
use groups::Group;
use needs::Needs;
use study::rule::Rule;
use study::{Healthiest, Study};

/// Thresholds of what a step must pass besides the study's own demands; the guide has them.
pub mod limits {
    /// Share of what was planned that may have failed or never been sent, where nothing that is asked of a step is about
    /// failures.
    pub const FAILED_MOST: f64 = 0.01;
    /// Mean use of a processor from which there is no headroom, where nothing that is asked of a step is about a
    /// processor. In a queue with one server, work then waits nearly six times as long as it is served.
    pub const PROCESSOR_MOST: f64 = 0.85;
    /// One-sided confidence of the statement in how many of all repetitions a step would pass.
    pub const SURE: f64 = 0.95;
}

/// The choice among the steps of one scenario, or of one row of a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct HealthiestResult {
    /// The scenario as the study writes it, that of a grid or a search included.
    pub scenario: String,
    /// Of a grid the variables that all of these steps share, with their value: there is a choice for each row.
    pub row: Vec<(String, String)>,
    /// The rate that tells which step is ahead, as written; `None`: iterations that succeeded.
    pub by: Option<String>,
    /// What was asked of each step: names of requirements, and rules as written.
    pub needs: Vec<String>,
    /// In order of time; of a row of a grid by rising load.
    pub steps: Vec<HealthStep>,
    /// The place of the healthiest among them; `None` where none passed.
    pub best: Option<usize>,
    /// What could not be seen of it, and attempts that an earlier run carried out and that are not among the steps: codes of
    /// [`crate::catalogue::UNSEEN`].
    pub unseen: Vec<&'static str>,
}

impl HealthiestResult {
    /// `websocket`, or of a row `websocket (rate 5/s)`.
    pub fn name(&self) -> String {
        let row: Vec<String> = self.row.iter().map(|(name, value)| format!("{name} {value}")).collect();
        if row.is_empty() { self.scenario.clone() } else { format!("{} ({})", self.scenario, row.join(", ")) }
    }

    /// The healthiest step.
    pub fn best(&self) -> Option<&HealthStep> {
        self.steps.get(self.best?)
    }
}

/// A hold at one load, all repetitions together.
#[derive(Clone, Debug, PartialEq)]
pub struct HealthStep {
    /// Its scenario, as it is typed.
    pub scenario: String,
    /// `nominal/hold`: all repetitions.
    pub scope: Scope,
    /// Virtual users, or planned iterations a second.
    pub load: f64,
    /// Whether the load is virtual users.
    pub is_users: bool,
    /// The rate by which steps are compared, the mean over repetitions; `None` where it was not measured.
    pub rate_per_s: Option<f64>,
    /// 95 % interval of it over repetitions; `None` where there was one.
    pub rate_interval: Option<(f64, f64)>,
    /// Length of its holds, seconds.
    pub seconds: f64,
    /// Of all that was planned, the share that failed or was never sent; `None` where nothing was planned.
    pub failed_share: Option<f64>,
    /// Greatest p95 of its exchanges, of what succeeded, ms.
    pub p95_ms: Option<f64>,
    /// The busiest processor.
    pub processor: Option<ProcessorUse>,
    /// How often it was carried out, as far as it came to a hold.
    pub repetitions: u32,
    /// In how many of them nothing spoke against it.
    pub passed: u32,
    /// With a confidence of [`limits::SURE`] it would pass in at least this share of repetitions.
    pub passes_at_least: f64,
    /// Why it is not the healthiest; empty for the one that is.
    pub lost: Vec<Lost>,
    /// Numbers of its steps in each repetition.
    pub rounds: Vec<Vec<u32>>,
}

/// A reason, and where it was seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Lost {
    /// One of [`crate::catalogue::HEALTH`].
    pub reason: Reason,
    /// The repetitions of which it is so, counted from 1.
    pub repetitions: Vec<u32>,
}

/// What the judge knows by then.
pub(crate) struct Inputs<'a> {
    pub(crate) study: &'a Study,
    pub(crate) index: &'a Index<'a>,
    pub(crate) steps: &'a [StepResult],
    pub(crate) signs: &'a [Placed],
    pub(crate) grids: &'a [Grid],
    pub(crate) findings: &'a [Finding],
    pub(crate) results: &'a [RequirementResult],
    pub(crate) held: &'a dyn Fn(&[u32]) -> Held,
}

/// One repetition of a step: its holds, in a mix those of all parts.
struct Round<'a> {
    repetition: u32,
    holds: Vec<(&'a StepSpan, &'a StepResult)>,
}

impl Round<'_> {
    fn numbers(&self) -> Vec<u32> {
        self.holds.iter().map(|(span, _)| span.number).collect()
    }

    /// Iterations that succeeded a second, in a mix of all parts.
    fn throughput_per_s(&self) -> f64 {
        self.holds.iter().map(|(_, step)| step.throughput_per_s).sum()
    }

    /// Parts of a mix hold at the same time.
    fn seconds(&self) -> f64 {
        self.holds.iter().map(|(_, step)| step.seconds).fold(0.0, f64::max)
    }

    fn books(&self) -> terms::Books {
        self.holds.iter().fold(terms::Books::default(), |mut sum, (_, step)| {
            sum += step.books;
            sum
        })
    }
}

/// A step before it is judged.
struct Candidate<'a> {
    /// Number of its scenario.
    number: usize,
    scenario: &'a str,
    scope: Scope,
    rounds: Vec<Round<'a>>,
}

/// The choices of a study, in the order in which its scenarios ran; none where it asks for none.
pub(crate) fn healthiest(known: &Inputs<'_>) -> Vec<HealthiestResult> {
    let Some(asked) = &known.study.capacity.healthiest else { return Vec::new() };
    if known.index.evidence.lacks_load() {
        return Vec::new();
    }
    let needs = Needs::new(known, asked);
    groups::groups(known).into_iter().filter_map(|group| choose(known, asked, &needs, group)).collect()
}

fn choose(known: &Inputs<'_>, asked: &Healthiest, needs: &Needs<'_>, group: Group<'_>) -> Option<HealthiestResult> {
    // By a rate that its iterations do not have, nothing is chosen.
    let has_rate = |number: usize| asked.by.as_ref().is_none_or(|by| by.iter().any(|one| one.scenario == number));
    if group.candidates.is_empty() || !group.candidates.iter().all(|candidate| has_rate(candidate.number)) {
        return None;
    }
    let mut steps: Vec<HealthStep> =
        group.candidates.iter().map(|candidate| judged(known, asked, needs, candidate)).collect();
    let rate = |step: &HealthStep| step.rate_per_s.unwrap_or(f64::NEG_INFINITY);
    let passed = steps.iter().enumerate().filter(|(_, step)| step.lost.is_empty());
    // Of equal ones the first.
    let best = passed.rev().max_by(|(_, one), (_, other)| rate(one).total_cmp(&rate(other))).map(|(place, _)| place);
    if let Some(best) = best {
        let ahead = rate(&steps[best]);
        for (_, step) in steps.iter_mut().enumerate().filter(|(place, step)| *place != best && step.lost.is_empty()) {
            let args: Args = [("best".to_owned(), Arg::PerSecond(ahead))].into();
            let repetitions = (1..=step.repetitions).collect();
            step.lost.push(Lost { reason: Reason { code: "lower".to_owned(), args }, repetitions });
        }
    }
    let mut unseen =
        best.map_or_else(Vec::new, |best| uses::unseen(known.index, &group.candidates[best], &steps[best]));
    if known.index.head().taken_over.iter().any(|attempt| attempt.search == group.scenario) {
        unseen.insert(0, "earlier");
    }
    let numbers: Vec<usize> = group.candidates.iter().map(|candidate| candidate.number).collect();
    Some(HealthiestResult {
        by: asked.by.iter().flatten().next().map(|one| one.formula.text.clone()),
        needs: needs.names(&numbers),
        scenario: group.scenario,
        row: group.row,
        steps,
        best,
        unseen,
    })
}

fn judged(known: &Inputs<'_>, asked: &Healthiest, needs: &Needs<'_>, candidate: &Candidate<'_>) -> HealthStep {
    let rounds: Vec<Vec<u32>> = candidate.rounds.iter().map(Round::numbers).collect();
    let mut lost: Vec<Lost> = Vec::new();
    let mut passed = 0;
    for round in &candidate.rounds {
        let against = reasons::against(known, needs, candidate, round);
        passed += u32::from(against.is_empty());
        against.into_iter().for_each(|reason| add(&mut lost, reason, round.repetition));
    }
    let mut step = HealthStep {
        scenario: candidate.scenario.to_owned(),
        scope: candidate.scope.clone(),
        load: 0.0,
        is_users: false,
        rate_per_s: None,
        rate_interval: None,
        seconds: candidate.rounds.iter().map(Round::seconds).sum(),
        failed_share: uses::failed_share(candidate.rounds.iter()),
        p95_ms: uses::p95_ms(known.index, candidate),
        processor: uses::processor(known.index, candidate.rounds.iter().flat_map(|round| &round.holds)),
        repetitions: rounds.len() as u32,
        passed,
        passes_at_least: 0.0,
        lost,
        rounds,
    };
    let (passed, all) = (f64::from(step.passed), f64::from(step.repetitions));
    step.passes_at_least = stats::share::clopper_pearson_one_sided(passed, all, 1.0 - limits::SURE).0;
    (step.load, step.is_users) = uses::load(known.index, candidate);
    let rates: Vec<f64> = candidate.rounds.iter().map(Round::throughput_per_s).collect();
    let by = asked.by.iter().flatten().find(|one| one.scenario == candidate.number);
    (step.rate_per_s, step.rate_interval) = match by {
        Some(by) => {
            let found = at_step(known.index, candidate.number, &by.formula.rule, &step);
            let value = found.as_ref().and_then(|found| found.value.as_ref().ok()).map(|value| value.value);
            (
                value.filter(|value| value.is_finite()),
                found.and_then(|found| found.interval).filter(|_| rates.len() > 1),
            )
        }
        None => (Some(mean(&rates)), over_rounds(&rates)),
    };
    if step.rate_per_s.is_none() {
        let repetitions = candidate.rounds.iter().map(|round| round.repetition).collect();
        step.lost.push(Lost { reason: Reason { code: "no_rate".to_owned(), args: Args::new() }, repetitions });
        step.passed = 0;
    }
    step
}

/// Reasons that differ in their figures only are one.
fn add(lost: &mut Vec<Lost>, reason: Reason, repetition: u32) {
    let words = |reason: &Reason| {
        let texts = reason.args.values().filter(|arg| matches!(arg, Arg::Text(_)));
        texts.cloned().collect::<Vec<Arg>>()
    };
    let is_same = |known: &&mut Lost| known.reason.code == reason.code && words(&known.reason) == words(&reason);
    match lost.iter_mut().find(is_same) {
        Some(known) if known.repetitions.contains(&repetition) => {}
        Some(known) => known.repetitions.push(repetition),
        None => lost.push(Lost { reason, repetitions: vec![repetition] }),
    }
}

/// The value of a rule's one sum at a step: the mean over its repetitions, with the interval over them, or that of the only
/// one.
pub(crate) fn at_step(index: &Index<'_>, scenario: usize, rule: &Rule, step: &HealthStep) -> Option<FormulaValue> {
    let is_its = |found: &FormulaValue| step.rounds.iter().flatten().any(|number| found.own_steps.contains(number));
    let mut found: Vec<FormulaValue> = formulas(index, scenario, rule).into_iter().filter(is_its).collect();
    if found.len() < step.rounds.len() {
        return None;
    }
    let values: Vec<f64> = found.iter().filter_map(|one| one.value.as_ref().ok()).map(|value| value.value).collect();
    let (steps, is_cut) =
        (found.iter().flat_map(|one| one.steps.clone()).collect(), found.iter().any(|one| one.is_cut));
    let is_whole = values.len() == found.len();
    let mut first = found.drain(..).next()?;
    if step.rounds.len() > 1 {
        first.interval = over_rounds(&values).filter(|_| is_whole);
    }
    (first.steps, first.is_cut, first.scope) = (steps, is_cut, step.scope.clone());
    match &mut first.value {
        Ok(value) if is_whole => value.value = mean(&values),
        Ok(_) => return None,
        Err(_) => {}
    }
    Some(first)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Student's interval over repetitions; `None` of fewer than two, and of equal ones, whose spread is not known.
fn over_rounds(values: &[f64]) -> Option<(f64, f64)> {
    let found = stats::mean::estimate(values, CONFIDENCE, 1.0).ok()?;
    (found.low < found.high).then_some((found.low.max(0.0), found.high))
}
