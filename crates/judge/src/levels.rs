//! Load levels: holds of the same work at different loads, side by side, each with whether it held.

use crate::Scope;
use crate::evidence::StepSpan;
use crate::rows::Index;
use crate::{RequirementResult, StepResult};
use record::ScenarioHead;
use terms::{Phase, Severity, Validity, Verdict};

/// Two loads closer than this are one load: what was offered is counted, and counts differ by a call.
const SAME_LOAD: f64 = 0.005;

/// One hold at one load.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// Number of the step.
    pub step: u32,
    /// `nominal/hold`.
    pub scope: Scope,
    /// Its scenario, with its part of a mix: `normal_all/rih`.
    pub scenario: String,
    /// The load: virtual users, or intended iterations a second.
    pub load: f64,
    /// Real length, seconds.
    pub seconds: f64,
    /// Iterations that succeeded.
    pub completed: u64,
    /// Iterations that succeeded a second.
    pub throughput_per_s: f64,
    /// Share of the started iterations that failed.
    pub failed_share: f64,
    /// Mean time of one iteration's exchanges that succeeded, ms; `None` without any.
    pub time_ms: Option<f64>,
    /// `Some(true)`: every *must* was met, one of them about its own calls; `Some(false)`: one was not, and the generator
    /// is not to blame; `None`: cannot tell, or nothing is demanded of its calls.
    pub held: Option<bool>,
    /// Validity of the step.
    pub validity: Validity,
}

/// Holds of the same work: what an iteration does, and how it is paced, is the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    /// Whether loads are virtual users; else arrivals a second.
    pub is_users: bool,
    /// Scenarios, in the order in which they ran, each with its part of a mix.
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

    /// The place of what concerns all of its loads.
    pub(crate) fn scope(&self) -> Scope {
        Scope::family(&self.scenarios)
    }

    /// The level with the greatest load below one.
    pub fn below(&self, load: f64) -> Option<&Level> {
        self.levels.iter().rev().find(|level| level.load < load && !is_same(level.load, load))
    }
}

/// Whether two loads are one.
pub(crate) fn is_same(one: f64, other: f64) -> bool {
    (one - other).abs() <= SAME_LOAD * one.abs().max(other.abs())
}

/// All families, in order of time. A hold without load is in none.
pub(crate) fn families(index: &Index<'_>, steps: &[StepResult], results: &[RequirementResult]) -> Vec<Family> {
    let mut found: Vec<(&ScenarioHead, Background, Family)> = Vec::new();
    for (span, step) in index.evidence.steps.iter().zip(steps) {
        let has_load = step.phase == "hold" && step.books.intended > 0 && step.seconds > 0.0;
        let Some(work) = index.load_of(span).filter(|_| has_load) else { continue };
        let place = place(index, span);
        let level = Level {
            scope: index.scope(span),
            scenario: place.clone(),
            ..level(step, load(index, span, step, work), held(index, span, step, results), &overlaps(index, work))
        };
        let beside = background(index, span);
        let same = found.iter_mut().find(|(known, others, _)| *others == beside && is_same_work(known, work));
        match same {
            Some((.., family)) => {
                if !family.scenarios.contains(&place) {
                    family.scenarios.push(place);
                }
                family.levels.push(level);
            }
            None => {
                let (is_users, think_s) = (work.model == "closed", work.think_s);
                let family = Family { is_users, scenarios: vec![place], levels: vec![level], think_s };
                found.push((work, beside, family));
            }
        }
    }
    let mut families: Vec<Family> = found.into_iter().map(|(.., family)| family).collect();
    families.iter_mut().for_each(|family| family.levels.sort_by(|a, b| a.load.total_cmp(&b.load)));
    families
}

/// A scenario's name, and its part of a mix: `normal_all/rih`.
fn place(index: &Index<'_>, span: &StepSpan) -> String {
    let scenario = index.head().scenarios.get(span.scenario).map_or("", |scenario| scenario.name.as_str());
    let part = index.planned_step(span).and_then(|planned| index.head().part_of(planned));
    part.map_or_else(|| scenario.to_owned(), |part| format!("{scenario}/{part}"))
}

/// Virtual users, or the planned arrivals a second; where those are not one number, what was intended.
fn load(index: &Index<'_>, span: &StepSpan, step: &StepResult, work: &ScenarioHead) -> f64 {
    let offered = index.planned_step(span).and_then(|planned| planned.offered_from.zip(planned.offered_to));
    let constant = offered.filter(|(from, to)| from == to && *from > 0.0).map(|(from, _)| from);
    let users = step.users.filter(|_| work.model == "closed");
    users.map_or_else(|| constant.unwrap_or(step.offered_per_s), f64::from)
}

/// What else was asked for at the same time: the same load beside other work is another regime.
type Background = Vec<(String, Vec<f64>)>;

/// Holds of other work that overlap more than half of this one.
fn background(index: &Index<'_>, span: &StepSpan) -> Background {
    let half = (span.to - span.from).as_secs_f64() / 2.0;
    let overlaps = |other: &&StepSpan| {
        let shared = other.to.min(span.to) - other.from.max(span.from);
        other.number != span.number && other.phase == Phase::Hold && shared.as_secs_f64() > half
    };
    let work = |other: &StepSpan| {
        let work = index.load_of(other)?;
        Some((work.model.clone(), [&work.per_iteration[..], &work.most_per_iteration[..]].concat()))
    };
    let mut found: Background = index.evidence.steps.iter().filter(overlaps).filter_map(work).collect();
    found.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.partial_cmp(&b.1).unwrap_or(std::cmp::Ordering::Equal)));
    found
}

fn is_same_work(one: &ScenarioHead, other: &ScenarioHead) -> bool {
    one.model == other.model
        && one.per_iteration == other.per_iteration
        && one.most_per_iteration == other.most_per_iteration
        && (one.think_s, one.think_sd_s, one.think_more_s) == (other.think_s, other.think_sd_s, other.think_more_s)
        && one.pacing_s == other.pacing_s
        && one.parallel == other.parallel
}

/// What stands in the place of calls that overlap.
struct Overlaps<'a> {
    /// Exchanges whose times are not added up.
    left_out: Vec<&'a str>,
    /// What all of them together are booked as.
    wholes: Vec<&'a str>,
    /// Some of their calls overlap nothing, and no row says which.
    is_mixed: bool,
}

fn overlaps<'a>(index: &Index<'a>, work: &ScenarioHead) -> Overlaps<'a> {
    let head = index.head();
    let name = |number: &u16| head.exchanges.get(usize::from(*number)).map(|exchange| exchange.name.as_str());
    Overlaps {
        left_out: work.parallel.iter().flat_map(|all| &all.calls).filter_map(name).collect(),
        wholes: work.parallel.iter().filter_map(|all| name(&all.transaction)).collect(),
        is_mixed: !work.also_alone.is_empty(),
    }
}

/// A level without its names.
fn level(step: &StepResult, load: f64, held: Option<bool>, overlaps: &Overlaps<'_>) -> Level {
    let ended = step.books.completed + step.books.failed;
    let time = |exchange: &crate::ExchangeResult| {
        let leg = exchange.legs.iter().find(|leg| leg.outcome == "ok")?;
        let times = leg.response.as_ref().or(leg.service.as_ref())?;
        Some(times.mean * leg.count as f64)
    };
    let alone = step.exchanges.iter().filter(|exchange| !overlaps.left_out.contains(&exchange.id.as_str()));
    let wholes = step.transactions.iter().filter(|whole| overlaps.wholes.contains(&whole.id.as_str()));
    let sum: Option<f64> = alone.chain(wholes).filter_map(time).reduce(|a, b| a + b).filter(|_| !overlaps.is_mixed);
    Level {
        step: step.number,
        scope: Scope::run(),
        scenario: String::new(),
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

/// Whether every *must* of a hold was met. A verdict on several holds of a scenario together says nothing of one of them,
/// unless they are repetitions of one; a verdict on another part of a mix says nothing of this one.
fn held(index: &Index<'_>, span: &StepSpan, step: &StepResult, results: &[RequirementResult]) -> Option<bool> {
    let head = index.head();
    let (own, shared) = (index.scope(span), index.shared_scope(span));
    let whole = Scope::step(&step.scenario, "hold", None);
    let part = index.part(span);
    let others: Vec<&str> = head.scenarios.get(span.scenario).map_or_else(Vec::new, |scenario| {
        let parts = scenario.parts.iter().enumerate();
        parts.filter(|(number, _)| Some(*number) != part).map(|(_, part)| part.name.as_str()).collect()
    });
    let siblings = index
        .evidence
        .steps
        .iter()
        .filter(|other| other.phase == Phase::Hold && other.scenario == span.scenario && index.part(other) == part);
    let is_only = siblings.into_iter().all(|other| other.id == span.id);
    // A name right within the place may be that of another part.
    let is_under = |scope: &Scope, base: &Scope| {
        let own = scope.inner().get(base.inner().len());
        scope.is_in(base) && own.is_none_or(|name| !others.contains(&name.as_str()))
    };
    let concerns =
        |scope: &Scope| is_under(scope, &own) || is_under(scope, &shared) || (is_only && is_under(scope, &whole));
    let concerned: Vec<&RequirementResult> =
        results.iter().filter(|result| result.severity == Severity::Must && concerns(&result.scope)).collect();
    let verdicts: Vec<Verdict> = concerned.iter().map(|result| result.verdict).collect();
    // That everything lived, or that a processor was not full, says nothing of how calls went.
    let is_of_calls = concerned.iter().flat_map(|result| &result.evidence).any(|place| place.starts_with("load:"));
    let is_valid = step.validity.is_none_or(|validity| validity == Validity::Valid);
    if verdicts.contains(&Verdict::NotMet) {
        // A generator at its limit breaks requirements too; then nothing is known of the system.
        return is_valid.then_some(false);
    }
    (is_of_calls && verdicts.iter().all(|verdict| *verdict == Verdict::Met)).then_some(true)
}

/// Name of the scenario in that of a family, which may have a part behind it: `high_all/rih`.
pub(crate) fn scenario_of(family: &str) -> &str {
    family.split('/').next().unwrap_or_default()
}
