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

pub mod assess;
pub mod bottleneck;
pub mod capacity;
pub mod catalogue;
mod collect;
pub mod comparison;
mod contradiction;
pub mod evaluate;
pub mod evidence;
mod failures;
pub mod figures;
pub mod findings;
pub mod inventory;
pub mod judgement;
pub mod levels;
pub mod limits;
mod little;
pub mod live;
mod merge;
mod presence;
mod requirements;
mod row;
mod rows;
mod scope;
mod series;
mod steps;
mod streams;
mod times;
pub mod validity;
pub mod views;

pub use evidence::{Evidence, Rows};
pub use findings::{Found, SHAPE_CALLS, SHAPE_STALLED, SHAPE_TAIL};
pub use judgement::*;
pub use rows::taken_back;
pub use scope::Scope;
pub use times::{BATCHES, CONFIDENCE, QUANTILES, VERDICT_CONFIDENCE};

use std::collections::BTreeMap;
use study::Study;
use terms::{EndReason, Severity, Validity, Verdict};
use views::Views;

/// Judges a run against a study: the one it was made with, or another of the same exchanges. With what a report draws.
pub fn judge(evidence: &Evidence, study: &Study) -> (Views, Judgement) {
    (views(evidence), judge_beside(evidence, study, &[]))
}

/// The run's rows merged by step, exchange, leg and second, for whoever draws them. Unlike what judges them, they grow
/// with the length of the run.
pub fn views(evidence: &Evidence) -> Views {
    collect::collect(&rows::Index::new(evidence))
}

/// Judges a run, with the recorded runs that the study's `compare` names as base.
pub fn judge_beside(evidence: &Evidence, study: &Study, baselines: &[comparison::Baseline]) -> Judgement {
    let index = rows::Index::new(evidence);
    let mut steps = steps::step_results(&index);
    let balances = little::balances(&index, Some(study));
    let signs = validity::signs(&index, &steps, &balances);
    for (balance, step) in balances.iter().zip(&mut steps) {
        let in_flight = |it: &little::Balance| InFlight { counted: it.concurrency, recorded: it.nearest, off: it.off };
        step.in_flight = balance.as_ref().map(in_flight);
    }
    for (span, step) in evidence.steps.iter().zip(&mut steps) {
        step.validity = Some(validity::validity_of(&signs, &[span.number]).validity);
    }
    let held = |steps: &[u32]| validity::validity_of(&signs, steps);
    let held_for = |steps: &[u32], spoils| validity::validity_for(&signs, steps, spoils);
    let requirements = requirements::judge_requirements(study, &index, &held_for);
    let families = levels::families(&index, &steps, &requirements);
    let ladders = bottleneck::ladders(&index, &steps, &signs, &families);
    let known = capacity::Inputs { index: &index, steps: &steps, results: &requirements, held: &held };
    let capacity = capacity::capacity(study, &families, &known);
    let recorded = comparison::Recorded { evidence, study: &study.effective };
    let comparisons = comparison::of_study(study, recorded, baselines);
    let mut findings = findings::findings(&findings::RuleInput {
        index: &index,
        study,
        steps: &steps,
        balances: &balances,
        signs: &signs,
        families: &families,
        ladders: &ladders,
        comparisons: &comparisons,
    });
    if evidence.lacks_load() {
        // "None was answered" would be said of a table that is gone.
        findings.clear();
    }
    let validity = validity::validity_of_run(&index, &signs);
    // What concerns all parts of a mix stands at each of them, and is said once.
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
        findings,
        settings: settings(),
    }
}

/// Thresholds that decided something, for the appendix.
fn settings() -> Vec<(String, Arg)> {
    use validity::limits;
    let named = [
        ("confidence", Arg::Share(CONFIDENCE)),
        ("verdict_confidence", Arg::Share(VERDICT_CONFIDENCE)),
        ("wrong_verdict", Arg::Share(requirements::ALPHA)),
        ("batches", Arg::Count(BATCHES as f64)),
        ("lateness_questionable", Arg::Milliseconds(limits::LATENESS_QUESTIONABLE_MS)),
        ("lateness_questionable_share", Arg::Share(limits::LATENESS_QUESTIONABLE_SHARE)),
        ("lateness_invalid", Arg::Milliseconds(limits::LATENESS_INVALID_MS)),
        ("lateness_invalid_share", Arg::Share(limits::LATENESS_INVALID_SHARE)),
        ("lost_questionable", Arg::Share(limits::LOST_QUESTIONABLE)),
        ("lost_invalid", Arg::Share(limits::LOST_INVALID)),
        ("run_queue_questionable", Arg::Share(limits::RUN_QUEUE_QUESTIONABLE)),
        ("run_queue_invalid", Arg::Share(limits::RUN_QUEUE_INVALID)),
        ("steal_questionable", Arg::Share(limits::STEAL_QUESTIONABLE)),
        ("steal_invalid", Arg::Share(limits::STEAL_INVALID)),
        ("cores_full", Arg::Share(limits::CORES_FULL)),
        ("little_invalid", Arg::Share(limits::LITTLE_INVALID)),
        ("samples_missing", Arg::Share(evaluate::MISSING_SHARE_MAX)),
    ];
    named.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

impl Judgement {
    /// The exit code: 0 every *must* met, 1 one not met, 3 invalid, not ended as planned, without a single call that ended
    /// well, or with a *must* that could not be told.
    ///
    /// A requirement's members within one scenario count together: all must be met, or any (`needs: any`).
    pub fn exit_code(&self, study: &Study) -> u8 {
        let mut members: BTreeMap<(&str, &str), Vec<Verdict>> = BTreeMap::new();
        for result in self.requirements.iter().filter(|result| result.severity == Severity::Must) {
            let scenario = result.scope.scenario().unwrap_or_default();
            members.entry((result.id.as_str(), scenario)).or_default().push(result.verdict);
        }
        let needs_all =
            |id: &str| study.requirements.iter().find(|known| known.name == id).is_none_or(|known| known.needs_all);
        let verdicts: Vec<Verdict> =
            members.into_iter().map(|((id, _), verdicts)| requirements::joined(verdicts, needs_all(id))).collect();
        if verdicts.contains(&Verdict::NotMet) {
            return 1;
        }
        let completed: u64 = self.steps.iter().map(|step| step.books.completed).sum();
        let is_told = self.validity != Validity::Invalid && self.end_reason == EndReason::Completed && completed > 0;
        if !is_told || verdicts.contains(&Verdict::CannotTell) { 3 } else { 0 }
    }
}
