//! A recorded run to validity, findings and verdicts.
//!
//! # Place in the pipeline
//! Takes a `record::Run` and the study's requirements; feeds `report`. Never sees a socket, a clock or the live system.
//!
//! # Ideas
//! The rows are read once, as a stream, and kept packed by what they belong to ([`Rows`]), so that memory grows with
//! exchanges and steps and hardly with the length of a run; one function merges those of a leg, for judging and for the
//! [`views`] that are drawn alike. First validity is decided, then requirements, each *met*, *not met* or *cannot tell* with a reason, then the rules that look for
//! what the reader should know. Everything said is a code with numbers; sentences are made by `report`.
//!
//! # Not here
//! Formulas are in `stats`; sentences, tables and figures in `report`.
#![forbid(unsafe_code)]

pub mod archive;
pub mod assess;
pub mod bottleneck;
pub mod bulk;
pub mod capacity;
pub mod catalogue;
mod collect;
pub mod comparison;
mod contradiction;
mod counters;
pub mod evaluate;
pub mod evidence;
mod failures;
pub mod figures;
pub mod findings;
pub mod grids;
pub mod healthiest;
mod heat;
pub mod judgement;
pub mod levels;
pub mod limits;
mod little;
pub mod live;
mod merge;
mod parallel;
mod presence;
mod processors;
#[cfg(test)]
mod published;
mod requirements;
mod row;
mod rows;
mod scope;
pub mod searches;
mod series;
mod slowest;
mod steps;
mod streams;
mod times;
pub mod trends;
pub mod validity;
pub mod views;

pub use evidence::{Evidence, Rows};
pub use findings::{Found, SHAPE_CALLS, SHAPE_STALLED, SHAPE_TAIL};
pub use judgement::*;
pub use row::is_awaited;
pub use rows::taken_back;
pub use scope::Scope;
pub use times::{BATCHES, CONFIDENCE, QUANTILES, VERDICT_CONFIDENCE};

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;
use study::Study;
use terms::{EndReason, Severity, Validity, Verdict};
use views::Views;

/// Judges a run against a study: the one it was made with, or another of the same exchanges. With what a report draws.
pub fn judge(evidence: &Evidence, study: &Study) -> (Views, Judgement) {
    (views(evidence), judge_beside(evidence, study, &[]))
}

/// As [`judge`], with the recorded runs that the study's `compare` names as base. What is drawn and what is judged need
/// nothing of each other, so that both are made at once where the system grants a second thread.
pub fn judge_and_draw(evidence: &Evidence, study: &Study, baselines: &[comparison::Baseline]) -> (Views, Judgement) {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("views".to_owned());
        let drawn = thread.spawn_scoped(scope, || views(evidence));
        let judgement = judge_beside(evidence, study, baselines);
        let views = match drawn {
            Ok(drawn) => drawn.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(_) => views(evidence),
        };
        (views, judgement)
    })
}

/// The run's rows merged by step, exchange, leg and second, for whoever draws them. Unlike what judges them, they grow
/// with the length of the run.
pub fn views(evidence: &Evidence) -> Views {
    collect::collect(&rows::Index::new(evidence))
}

/// What all else is reported about: the figures of each step, whether they are valid, and the verdicts.
pub(crate) struct Basis {
    pub(crate) steps: Vec<StepResult>,
    balances: Vec<Option<little::Balance>>,
    signs: Vec<validity::Placed>,
    pub(crate) requirements: Vec<RequirementResult>,
}

impl Basis {
    pub(crate) fn of(study: &Study, index: &rows::Index<'_>, thresholds: &validity::Thresholds) -> Self {
        let mut steps = steps::step_results(index);
        let balances = little::balances(index, Some(study));
        let signs = validity::signs(index, &steps, &balances, thresholds);
        for (balance, step) in balances.iter().zip(&mut steps) {
            let in_flight =
                |it: &little::Balance| InFlight { counted: it.concurrency, recorded: it.nearest, off: it.off };
            step.in_flight = balance.as_ref().map(in_flight);
        }
        for (span, step) in index.evidence.steps.iter().zip(&mut steps) {
            step.validity = Some(validity::validity_of(&signs, &[span.number]).validity);
        }
        let requirements = requirements::judge_requirements(study, index, &signs);
        Self { steps, balances, signs, requirements }
    }
}

/// Judges a run, with the recorded runs that the study's `compare` names as base.
pub fn judge_beside(evidence: &Evidence, study: &Study, baselines: &[comparison::Baseline]) -> Judgement {
    let index = rows::Index::new(evidence);
    let thresholds = validity::Thresholds::of(study);
    let Basis { steps, balances, signs, requirements } = Basis::of(study, &index, &thresholds);
    let held = |steps: &[u32]| validity::validity_of(&signs, steps);
    let counting = counting(study, &requirements);
    let families = levels::families(&index, &steps, &counting);
    let ladders = bottleneck::ladders(&index, &steps, &signs, &families);
    let recorded = comparison::Recorded { evidence, study: &study.effective };
    let comparisons = comparison::of_study(study, recorded, baselines);
    let grids = grids::grids(study, &index, &steps, &counting);
    let bulks = bulk::bulks(study, &index);
    let searches = searches::searches(study, &index, &steps, &counting, &families);
    let courses = trends::courses(&index, &steps, &families, &searches);
    let mut findings = findings::findings(&findings::RuleInput {
        index: &index,
        study,
        steps: &steps,
        balances: &balances,
        signs: &signs,
        families: &families,
        ladders: &ladders,
        comparisons: &comparisons,
        grids: &grids,
        shapes: OnceLock::new(),
    });
    if evidence.lacks_load() {
        // "None was answered" would be said of a table that is gone.
        findings.clear();
    }
    let seen = healthiest::Inputs {
        study,
        index: &index,
        steps: &steps,
        signs: &signs,
        grids: &grids,
        findings: &findings,
        results: &requirements,
        held: &held,
    };
    let healthiest = healthiest::healthiest(&seen);
    let known = capacity::Inputs { index: &index, steps: &steps, results: &counting, held: &held };
    let capacity = capacity::capacity(study, &families, healthiest, &known);
    let asides = searches::asides(&searches);
    drop(counting);
    let mut requirements = requirements;
    for result in &mut requirements {
        if result.scope.scenario().is_some_and(|scenario| asides.contains(scenario)) {
            result.severity = Severity::Informative;
        }
    }
    let validity = validity::validity_of_run(&index, &signs, &asides);
    // What concerns all parts of a mix stands at each of them, and is stated once.
    let mut said: Vec<Sign> = Vec::new();
    for placed in signs {
        if !said.contains(&placed.sign) {
            said.push(placed.sign);
        }
    }
    let signs = said;
    let end_reason = match &evidence.head.ending {
        None => EndReason::Interrupted,
        Some(ending) => EndReason::from_name(&ending.reason).unwrap_or(EndReason::Interrupted),
    };
    Judgement {
        end_reason,
        validity,
        signs,
        steps,
        requirements,
        ladders,
        capacity,
        comparisons,
        grids,
        bulks,
        searches,
        courses,
        findings,
        settings: settings(&thresholds),
    }
}

/// The results that decide what their requirements come to, in their order: of a requirement whose members must all be met
/// each of them; of one with `needs: any` in each scenario the best, since one member is enough. What all of these come to
/// is what the requirement comes to; without its study every member decides.
pub fn deciding<'a>(
    results: impl IntoIterator<Item = &'a RequirementResult>,
    study: Option<&Study>,
) -> Vec<&'a RequirementResult> {
    // A grid or a search has thousands of scenarios, with members in each.
    let known = study.iter().flat_map(|study| &study.requirements);
    let any: HashSet<&str> = known.filter(|known| !known.needs_all).map(|known| known.name.as_str()).collect();
    let mut deciding: Vec<&RequirementResult> = Vec::new();
    let mut places: HashMap<(&str, Severity, Option<&str>), usize> = HashMap::new();
    for result in results {
        if !any.contains(result.id.as_str()) {
            deciding.push(result);
            continue;
        }
        let place = *places.entry((&result.id, result.severity, result.scope.scenario())).or_insert(deciding.len());
        match deciding.get_mut(place) {
            // In their order, met comes before what cannot be told, and that before not met.
            Some(best) if result.verdict < best.verdict => *best = result,
            Some(_) => {}
            None => deciding.push(result),
        }
    }
    deciding
}

/// [`deciding`] for what is computed from verdicts: a member that another one makes up for breaks nothing.
fn counting<'a>(study: &Study, results: &'a [RequirementResult]) -> Cow<'a, [RequirementResult]> {
    match study.requirements.iter().all(|known| known.needs_all) {
        true => Cow::Borrowed(results),
        false => Cow::Owned(deciding(results, Some(study)).into_iter().cloned().collect()),
    }
}

/// Thresholds that decided something, for the appendix.
fn settings(thresholds: &validity::Thresholds) -> Vec<(String, Arg)> {
    let of_statistics = [
        ("confidence", Arg::Share(CONFIDENCE)),
        ("verdict_confidence", Arg::Share(VERDICT_CONFIDENCE)),
        ("wrong_verdict", Arg::Share(requirements::ALPHA)),
        ("batches", Arg::Count(BATCHES as f64)),
    ];
    let of_samples = [("samples_missing", Arg::Share(evaluate::MISSING_SHARE_MAX))];
    let named = of_statistics.into_iter().chain(thresholds.settings()).chain(of_samples);
    named.map(|(name, value)| (name.to_owned(), value)).collect()
}

impl Judgement {
    /// The exit code: 0 every *must* met, 1 one not met, 3 one that could not be told, a run that did not end as planned or
    /// without a single call that succeeded, or one that is invalid and in which no *must* stands as met.
    ///
    /// A requirement's members within one scenario count together: all must be met, or any (`needs: any`).
    pub fn exit_code(&self, study: &Study) -> u8 {
        let must = self.requirements.iter().filter(|result| result.severity == Severity::Must);
        let joined = deciding(must, Some(study)).into_iter().map(|result| result.verdict);
        // Of a search that an earlier run began the result may be one of its attempts, which was judged there.
        let taken_over = self.searches.iter().filter_map(searches::SearchResult::taken_over);
        let verdicts: Vec<Verdict> = joined.chain(taken_over).collect();
        if verdicts.contains(&Verdict::NotMet) {
            return 1;
        }
        let completed: u64 = self.steps.iter().map(|step| step.books.completed).sum();
        // What a disturbance cannot have turned stands; without such a verdict an invalid run shows nothing.
        let is_told = self.validity != Validity::Invalid || verdicts.contains(&Verdict::Met);
        let is_told = is_told && self.end_reason == EndReason::Completed && completed > 0;
        if !is_told || verdicts.contains(&Verdict::CannotTell) { 3 } else { 0 }
    }
}
