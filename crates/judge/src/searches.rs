//! Searches: what became of each attempt, which comes next, and between which loads the limit lies.
//!
//! One function for the run, which asks it after each attempt, and for the report, which asks it once more: what was done
//! and what is told follow from the same evidence.

pub(crate) mod attempts;
pub mod curve;
mod earlier;
#[cfg(test)]
mod tests;

use crate::levels::Family;
use crate::rows::Index;
use crate::validity::Thresholds;
use crate::{Basis, Evidence, Reason, RequirementResult, StepResult};
pub use attempts::Attempt;
use record::Head;
use stats::capacity_nsp::{NspEnd, NspLoad, NspNext, NspRule, NspSearch, NspStep};
use stats::search::{Bracket, MOST_VOID, NextTrial, SearchEnd, SearchRule as Bisection, Spacing, TrialOutcome};
use std::collections::BTreeSet;
use std::sync::Arc;
use study::{BracketRule, Search, SearchRule, Study, Trying};
use terms::{Validity, Verdict};

/// Kind of the event that an attempt was decided; its subject is the scenario, its text begins with the name of its
/// [`Outcome`].
pub const ATTEMPT: &str = "attempt";

/// Kind of the event that an abort rule held; its subject is the attempt that it ended, else the run. Its text begins with
/// the rule between backticks.
pub const ABORT: &str = "abort";

/// What became of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// What is demanded was met.
    Passed,
    /// It was not.
    Failed,
    /// The generator or the environment spoiled it, or nothing can be told: it says nothing about the load.
    Void,
}

impl Outcome {
    /// As files have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Void => "void",
        }
    }

    fn from_text(text: &str) -> Option<Self> {
        let all = [Self::Passed, Self::Failed, Self::Void];
        all.into_iter().find(|outcome| text.split([' ', ':']).next() == Some(outcome.name()))
    }
}

/// An attempt that was carried out.
#[derive(Clone, Debug, PartialEq)]
pub struct AttemptResult {
    /// From 1.
    pub number: u32,
    /// Id of the run that carried it out, where that was an earlier one.
    pub run: Option<String>,
    /// Its scenario, as it is typed.
    pub scenario: String,
    /// The search's variables with their values.
    pub values: Vec<(String, String)>,
    /// The load: the value that is varied, or the product of both.
    pub load: f64,
    /// Whether it confirmed what was found.
    pub is_confirming: bool,
    pub outcome: Outcome,
    /// Whether `outcome` is one that intervals prove; else it follows from the values as they were measured.
    pub is_sure: bool,
    /// Why: one of [`crate::catalogue::ATTEMPTS`].
    pub reason: Reason,
    /// What the search went by while the run went on, where that was another outcome.
    pub decided: Option<Outcome>,
    /// Whether a replica was lost or started again in it.
    pub is_degraded: bool,
    /// What its requirements of severity must came to together; `None` without one.
    pub must: Option<Verdict>,
    /// Iterations that succeeded a second, in its holds.
    pub throughput_per_s: f64,
    /// The rate by which its search goes, where that is one of its own.
    pub by_per_s: Option<f64>,
    /// Of all that was planned in its holds, the share that failed or was never sent; `None` where nothing was.
    pub failed_share: Option<f64>,
    /// Length of its holds, seconds.
    pub seconds: f64,
    pub validity: Validity,
    /// How it was rated, in a search by steps.
    pub growth: Option<NspStep>,
}

impl AttemptResult {
    /// Whether an abort rule ended it, so that its holds are shorter than planned.
    pub fn is_aborted(&self) -> bool {
        matches!(self.reason.code.as_str(), "aborted" | "aborted_spoiled")
    }

    /// How much was done a second, as its search counts it.
    pub fn rate_per_s(&self) -> f64 {
        self.by_per_s.unwrap_or(self.throughput_per_s)
    }
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The bounds are as close as asked, or an end of the range answered.
    Found,
    /// Generator or surroundings spoiled the attempts at one load again and again.
    Generator,
    /// Attempts at one load could not be told again and again, though nothing spoiled them.
    Unjudged,
    /// The bound on attempts was reached.
    AttemptsUsedUp,
    /// A replica was lost and did not come back: the system is no longer the one that is searched.
    Degraded,
    /// More users no longer gave the throughput asked for.
    TargetMissed,
    /// They did not, in an attempt that the generator or its surroundings disturbed: nobody knows whose limit that was.
    Disturbed,
    /// The bounds of both variables were reached before a miss.
    MostReached,
    /// An abort rule ended an attempt, and there was no other load to go on with.
    Aborted,
}

impl Why {
    /// As files have it, and as the message catalogue knows it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::Generator => "generator",
            Self::Unjudged => "unjudged",
            Self::AttemptsUsedUp => "attempts_used_up",
            Self::Degraded => "degraded",
            Self::TargetMissed => "target_missed",
            Self::Disturbed => "disturbed",
            Self::MostReached => "most_reached",
            Self::Aborted => "aborted",
        }
    }
}

/// Where a search stands.
#[derive(Clone, Debug, PartialEq)]
pub enum Standing {
    /// This is to be tried next.
    Next(Trying),
    Over(Why),
}

/// One search.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchResult {
    pub search: Arc<Search>,
    /// Attempts that were carried out to their end, in order of time.
    pub attempts: Vec<AttemptResult>,
    pub standing: Standing,
    /// The highest load that held below all that did not; of a search by steps that with the highest throughput.
    pub held: Option<f64>,
    /// The lowest load that did not hold.
    pub failed: Option<f64>,
    /// The attempt that is the result, by its place in `attempts`: of a bisection the last that passed at `held`.
    pub best: Option<usize>,
    /// What the attempts say together, beside the result; `None` where loads are not virtual users.
    pub curve: Option<curve::Curve>,
}

impl SearchResult {
    /// The attempt that stands for the search: its result, else the lowest load that was tried.
    fn standing_for(&self) -> Option<&AttemptResult> {
        // Of those at one load one that failed, since none of them held.
        let has_not_failed = |attempt: &AttemptResult| attempt.outcome != Outcome::Failed;
        let lowest = || {
            let by = |one: &&AttemptResult, other: &&AttemptResult| {
                let order = one.load.total_cmp(&other.load);
                order.then(has_not_failed(one).cmp(&has_not_failed(other)))
            };
            self.attempts.iter().min_by(by)
        };
        self.best.and_then(|best| self.attempts.get(best)).or_else(lowest)
    }
}

impl SearchResult {
    /// What the requirements of its result came to where an earlier run carried that out.
    pub(crate) fn taken_over(&self) -> Option<Verdict> {
        self.standing_for().filter(|attempt| attempt.run.is_some()).and_then(|attempt| attempt.must)
    }

    fn asides(&self) -> impl Iterator<Item = &str> {
        let stays = self.standing_for().map(|attempt| attempt.number);
        let others = self.attempts.iter().filter(move |attempt| Some(attempt.number) != stays);
        others.map(|attempt| attempt.scenario.as_str())
    }
}

/// Scenarios that were carried out to find out whether they are too much: what they do not meet, and what spoiled them,
/// is told of the search and not of the run.
pub fn asides(searches: &[SearchResult]) -> BTreeSet<&str> {
    searches.iter().flat_map(SearchResult::asides).collect()
}

/// Short names of the attempts of a study, carried out or not: what is typed, and what readers see.
pub fn short_names(study: &Study) -> Vec<(String, String)> {
    let of = |scenario: &study::Scenario| {
        let point = scenario.point.as_ref()?;
        let variables = point.search.variables();
        let value = |name: &&str| scenario.set.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        let values: Vec<&str> = variables.iter().filter_map(value).collect();
        let short = format!("{} {} ({})", point.search.name, point.number, values.join(", "));
        Some((scenario.name.clone(), short))
    };
    study.scenarios.iter().filter_map(of).collect()
}

/// All searches, in the study's order.
pub(crate) fn searches(
    study: &Study,
    index: &Index<'_>,
    steps: &[StepResult],
    results: &[RequirementResult],
    families: &[Family],
) -> Vec<SearchResult> {
    let mut names: Vec<Arc<Search>> = Vec::new();
    for point in study.scenarios.iter().filter_map(|scenario| scenario.point.as_ref()) {
        if names.iter().all(|known| known.name != point.search.name) {
            names.push(Arc::clone(&point.search));
        }
    }
    let known = attempts::Inputs { study, index, steps, results };
    let of = |search: Arc<Search>| {
        let mut attempts = earlier::of(index.head(), &search);
        attempts.extend(attempts::of(&known, &search));
        let mut found = result(&search, attempts);
        found.curve = curve::curve(&found.attempts, families);
        found
    };
    names.into_iter().map(of).collect()
}

/// What became of one attempt alone, by evidence that need not hold more of the load than it
/// ([`Evidence::read_scenario`]). `None` where the record of it is not whole, or the scenario is not an attempt.
pub fn attempt(evidence: &Evidence, study: &Study, scenario: &str) -> Option<Attempt> {
    let number = study.scenarios.iter().position(|known| known.name == scenario)?;
    let mut own = study.clone();
    for requirement in &mut own.requirements {
        requirement.applies.retain(|applies| applies.scenario == number);
    }
    let index = Index::new(evidence);
    let basis = Basis::of(&own, &index, &Thresholds::of(&own));
    let counting = crate::counting(&own, &basis.requirements);
    let known = attempts::Inputs { study: &own, index: &index, steps: &basis.steps, results: &counting };
    let scenario = own.scenarios.get(number)?;
    attempts::attempt(&known, number, scenario, &scenario.point.as_ref()?.search)
}

/// Where a search stands behind attempts that were judged one by one, each when it was over; those that were taken over
/// stand in the head. What the attempts say together is not looked at.
pub fn standing(search: &Arc<Search>, head: &Head, judged: &[Attempt]) -> SearchResult {
    let attempts = earlier::of(head, search).into_iter().chain(judged.iter().cloned()).collect();
    result(search, attempts)
}

/// What a search has found, and what comes next.
fn result(search: &Arc<Search>, attempts: Vec<Attempt>) -> SearchResult {
    match &search.rule {
        SearchRule::Bracket(rule) => bracket(search, rule, attempts),
        SearchRule::Nsp(rule) => by_steps(search, rule, attempts),
    }
}

/// The bisection that a rule asks for.
fn bisection(rule: &BracketRule) -> Bisection {
    Bisection {
        from: rule.from.value,
        to: rule.to.value,
        spacing: Spacing::Geometric { width: rule.width },
        grain: rule.grain(),
        passes: rule.passes.0,
        trials: rule.passes.1,
        confirm: rule.confirm.is_some(),
        most: rule.most,
    }
}

fn bracket(search: &Arc<Search>, rule: &BracketRule, attempts: Vec<Attempt>) -> SearchResult {
    let is_gone = attempts.last().is_some_and(|attempt| attempt.is_gone);
    let attempts: Vec<AttemptResult> = attempts.into_iter().map(|attempt| attempt.result).collect();
    let mut result = SearchResult {
        search: Arc::clone(search),
        attempts,
        standing: Standing::Over(Why::Found),
        held: None,
        failed: None,
        best: None,
        curve: None,
    };
    // Checked when the study was read.
    let Ok(mut machine) = stats::search::Search::new(bisection(rule)) else { return result };
    for attempt in &result.attempts {
        // What was not asked for, in a folder that was changed, answers nothing.
        let (load, is_confirming) = match machine.next() {
            NextTrial::Try { load, .. } => (load, false),
            NextTrial::Confirm { load } => (load, true),
            NextTrial::Done(_) => break,
        };
        let value = attempt.values.first().map(|(_, value)| value.as_str());
        if value != Some(rule.text(load).as_str()) || is_confirming != attempt.is_confirming {
            break;
        }
        machine.observe(match attempt.decided.unwrap_or(attempt.outcome) {
            Outcome::Passed => TrialOutcome::Passed,
            Outcome::Failed => TrialOutcome::Failed,
            Outcome::Void => TrialOutcome::Void,
        });
    }
    let trying = |load: f64, is_confirming| {
        Standing::Next(Trying { values: vec![(rule.vary.clone(), rule.text(load))], is_confirming })
    };
    let found = machine.bracket();
    result.standing = match machine.next() {
        NextTrial::Try { load, .. } => trying(load, false),
        NextTrial::Confirm { load } => trying(load, true),
        NextTrial::Done(Bracket { end, .. }) => Standing::Over(match end {
            SearchEnd::Found => Why::Found,
            SearchEnd::Generator if is_spoiled(&result.attempts) => Why::Generator,
            SearchEnd::Generator => Why::Unjudged,
            SearchEnd::TrialsUsedUp => Why::AttemptsUsedUp,
        }),
    };
    if is_gone && matches!(result.standing, Standing::Next(_)) {
        result.standing = Standing::Over(Why::Degraded);
    }
    (result.held, result.failed) = (found.held, found.failed);
    let held = found.held.map(|held| rule.text(held));
    let is_it = |attempt: &AttemptResult| {
        let value = attempt.values.first().map(|(_, value)| value);
        held.is_some() && value == held.as_ref() && attempt.decided.unwrap_or(attempt.outcome) == Outcome::Passed
    };
    result.best = result.attempts.iter().rposition(is_it);
    result
}

/// Whether the last attempts said nothing because something spoiled them.
fn is_spoiled(attempts: &[AttemptResult]) -> bool {
    let mut void = attempts.iter().rev().take_while(|attempt| attempt.outcome == Outcome::Void);
    void.any(|attempt| matches!(attempt.reason.code.as_str(), "invalid" | "aborted_spoiled"))
}

fn by_steps(search: &Arc<Search>, rule: &study::NspRule, attempts: Vec<Attempt>) -> SearchResult {
    let load = |values: [u32; 2]| NspLoad { threads: values[0], nodes: values[1] };
    let mut machine = NspSearch::new(NspRule {
        first: load(rule.first),
        raise_threads: rule.raise[0],
        raise_nodes: rule.raise[1],
        target_percent: (rule.target * 100.0).round() as u32,
        most: load(rule.most),
    });
    let is_gone = attempts.last().is_some_and(|attempt| attempt.is_gone);
    let mut attempts: Vec<AttemptResult> = attempts.into_iter().map(|attempt| attempt.result).collect();
    // The places of those that were rated. What was spoiled is made again; what was not asked for answers nothing.
    let mut rated = Vec::new();
    let mut spoiled = 0;
    for (place, attempt) in attempts.iter().enumerate() {
        let outcome = attempt.decided.unwrap_or(attempt.outcome);
        let values: Vec<u32> = attempt.values.iter().filter_map(|(_, value)| value.parse().ok()).collect();
        match machine.next() {
            NspNext::Run(next) if values == [next.threads, next.nodes] => {}
            _ => break,
        }
        spoiled = if outcome == Outcome::Void { spoiled + 1 } else { 0 };
        if outcome == Outcome::Failed && attempt.is_aborted() {
            machine.observe_stopped(attempt.rate_per_s());
            rated.push(place);
        } else if outcome != Outcome::Void {
            machine.observe(attempt.rate_per_s(), outcome == Outcome::Passed);
            rated.push(place);
        }
    }
    for (place, step) in rated.iter().zip(machine.steps()) {
        attempts[*place].growth = Some(*step);
    }
    let best = machine.best().and_then(|best| rated.get(best).copied());
    let standing = match machine.next() {
        NspNext::Run(_) if is_gone => Standing::Over(Why::Degraded),
        NspNext::Run(_) if spoiled >= MOST_VOID && is_spoiled(&attempts) => Standing::Over(Why::Generator),
        NspNext::Run(_) if spoiled >= MOST_VOID => Standing::Over(Why::Unjudged),
        NspNext::Run(next) => {
            let values = rule.variables.iter().zip([next.threads, next.nodes]);
            let values = values.map(|(name, value)| (name.clone(), value.to_string())).collect();
            Standing::Next(Trying { values, is_confirming: false })
        }
        NspNext::End(NspEnd::TargetMissed) => {
            let last = rated.last().and_then(|place| attempts.get(*place));
            let is_sure = last.is_some_and(|attempt| attempt.validity == Validity::Valid || attempt.is_degraded);
            Standing::Over(if is_sure { Why::TargetMissed } else { Why::Disturbed })
        }
        NspNext::End(NspEnd::MostReached) => Standing::Over(Why::MostReached),
        NspNext::End(NspEnd::Stopped) => Standing::Over(Why::Aborted),
    };
    let held = best.and_then(|best| attempts.get(best)).map(|attempt| attempt.load);
    SearchResult { search: Arc::clone(search), attempts, standing, held, failed: None, best, curve: None }
}
