//! Load levels: holds of the same work at different loads, side by side, each with whether it held.

use crate::rows::Index;
use crate::{RequirementResult, StepResult};
use record::ScenarioHead;
use terms::{Severity, Validity, Verdict};

/// Two loads closer than this are one load: what was offered is counted, and counts differ by a call.
const SAME_LOAD: f64 = 0.005;

/// One hold at one load.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// Number of the step.
    pub step: u32,
    /// `nominal/hold`.
    pub scope: String,
    /// Its scenario.
    pub scenario: String,
    /// The load: virtual users, or intended iterations a second.
    pub load: f64,
    /// Real length, seconds.
    pub seconds: f64,
    /// Iterations that ended well.
    pub completed: u64,
    /// Iterations that ended well a second.
    pub throughput_per_s: f64,
    /// Share of the started iterations that ended badly.
    pub failed_share: f64,
    /// Mean time of one iteration's exchanges that ended well, ms; `None` without any.
    pub time_ms: Option<f64>,
    /// `Some(true)`: every *must* was met; `Some(false)`: one was not, and the generator is not to blame; `None`: cannot
    /// tell, or nothing is demanded.
    pub held: Option<bool>,
    /// Validity of the step.
    pub validity: Validity,
}

/// Holds of the same work: what an iteration does, and how it is paced, is the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    /// Whether loads are virtual users; else arrivals a second.
    pub is_users: bool,
    /// Scenarios, in the order in which they ran.
    pub scenarios: Vec<String>,
    /// Holds by rising load.
    pub levels: Vec<Level>,
    /// Think time and pacing of one iteration, seconds.
    pub think_s: f64,
}

impl Family {
    /// Different loads, ascending.
    pub fn loads(&self) -> Vec<f64> {
        let mut loads: Vec<f64> = Vec::new();
        for level in &self.levels {
            if loads.last().is_none_or(|last| !is_same(*last, level.load)) {
                loads.push(level.load);
            }
        }
        loads
    }

    /// Names of its scenarios, for scopes and sentences.
    pub fn name(&self) -> String {
        self.scenarios.join(", ")
    }

    /// The level with the greatest load below one.
    pub fn below(&self, load: f64) -> Option<&Level> {
        self.levels.iter().rev().find(|level| level.load < load && !is_same(level.load, load))
    }
}

fn is_same(one: f64, other: f64) -> bool {
    (one - other).abs() <= SAME_LOAD * one.abs().max(other.abs())
}

/// All families, in order of time. A hold without load is in none.
pub(crate) fn families(index: &Index<'_>, steps: &[StepResult], results: &[RequirementResult]) -> Vec<Family> {
    let mut found: Vec<(usize, Family)> = Vec::new();
    for (span, step) in index.evidence.steps.iter().zip(steps) {
        let has_load = step.phase == "hold" && step.books.intended > 0 && step.seconds > 0.0;
        let Some(head) = index.head().scenarios.get(span.scenario).filter(|_| has_load) else { continue };
        let planned = index.head().steps.get(span.number as usize);
        let offered = planned.and_then(|planned| planned.offered_from.zip(planned.offered_to));
        let constant = offered.filter(|(from, to)| from == to && *from > 0.0).map(|(from, _)| from);
        let users = step.users.filter(|_| head.model == "closed");
        let load = users.map_or_else(|| constant.unwrap_or(step.offered_per_s), f64::from);
        let is_alone =
            steps.iter().filter(|other| other.phase == "hold" && other.scenario == step.scenario).count() == 1;
        let level = level(step, load, held(step, is_alone, results));
        let same = found
            .iter_mut()
            .find(|(scenario, _)| index.head().scenarios.get(*scenario).is_some_and(|known| is_same_work(known, head)));
        match same {
            Some((_, family)) => {
                if !family.scenarios.contains(&step.scenario) {
                    family.scenarios.push(step.scenario.clone());
                }
                family.levels.push(level);
            }
            None => {
                let is_users = head.model == "closed";
                let family = Family {
                    is_users,
                    scenarios: vec![step.scenario.clone()],
                    levels: vec![level],
                    think_s: head.think_s,
                };
                found.push((span.scenario, family));
            }
        }
    }
    let mut families: Vec<Family> = found.into_iter().map(|(_, family)| family).collect();
    families.iter_mut().for_each(|family| family.levels.sort_by(|a, b| a.load.total_cmp(&b.load)));
    families
}

fn is_same_work(one: &ScenarioHead, other: &ScenarioHead) -> bool {
    one.model == other.model
        && one.per_iteration == other.per_iteration
        && one.think_s == other.think_s
        && one.pacing_s == other.pacing_s
}

fn level(step: &StepResult, load: f64, held: Option<bool>) -> Level {
    let ended = step.books.completed + step.books.failed;
    let time = |exchange: &crate::ExchangeResult| {
        let leg = exchange.legs.iter().find(|leg| leg.outcome == "ok")?;
        let times = leg.response.as_ref().or(leg.service.as_ref())?;
        Some(times.mean * leg.count as f64)
    };
    let sum: Option<f64> = step.exchanges.iter().filter_map(time).reduce(|a, b| a + b);
    Level {
        step: step.number,
        scope: format!("{}/{}", step.scenario, step.id),
        scenario: step.scenario.clone(),
        load,
        seconds: step.seconds,
        completed: step.books.completed,
        throughput_per_s: step.throughput_per_s,
        failed_share: step.books.failed as f64 / ended.max(1) as f64,
        time_ms: sum.filter(|_| step.books.completed > 0).map(|sum| sum / step.books.completed as f64),
        held,
        validity: step.validity.unwrap_or(Validity::Valid),
    }
}

/// Whether every *must* of a hold was met. A verdict on all holds of a scenario together says nothing of one of several.
fn held(step: &StepResult, is_alone: bool, results: &[RequirementResult]) -> Option<bool> {
    let own = format!("{}/{}", step.scenario, step.id);
    let whole = format!("{}/hold", step.scenario);
    let is_under =
        |scope: &str, base: &str| scope.strip_prefix(base).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let concerns = |scope: &str| is_under(scope, &own) || (is_alone && is_under(scope, &whole));
    let verdicts: Vec<Verdict> = results
        .iter()
        .filter(|result| result.severity == Severity::Must && concerns(&result.scope))
        .map(|result| result.verdict)
        .collect();
    let is_valid = step.validity.is_none_or(|validity| validity == Validity::Valid);
    if verdicts.contains(&Verdict::NotMet) {
        // A generator at its limit breaks requirements too; then nothing is known of the system.
        return is_valid.then_some(false);
    }
    (!verdicts.is_empty() && verdicts.iter().all(|verdict| *verdict == Verdict::Met)).then_some(true)
}
