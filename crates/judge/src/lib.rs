//! A recorded run to validity, findings and verdicts.
//!
//! # Place in the pipeline
//! Takes a `record::Run` and the study's requirements; feeds `report`. Never sees a socket, a clock or the live system.
//!
//! # Ideas
//! First [`views`] merge the rows into histograms and seconds, once, for judging and for reporting alike. Then validity
//! is decided, then requirements, each *met*, *not met* or *cannot tell* with a reason, then the rules that look for
//! what the reader should know. Everything said is a code with numbers; sentences are made by `report`.
//!
//! # Not here
//! Formulas are in `stats`; sentences, tables and figures in `report`.
#![forbid(unsafe_code)]

pub mod catalogue;
mod collect;
pub mod evaluate;
pub mod evidence;
pub mod figures;
pub mod findings;
pub mod judgement;
pub mod live;
mod requirements;
mod steps;
mod times;
pub mod validity;
pub mod views;

pub use evidence::Evidence;
pub use judgement::*;
pub use times::{BATCHES, CONFIDENCE, QUANTILES};

use study::Study;
use terms::{EndReason, Severity, Validity, Verdict};
use views::Views;

/// Judges a run against a study: the one it was made with, or another of the same exchanges.
pub fn judge(evidence: &Evidence, study: &Study) -> (Views, Judgement) {
    let mut steps = steps::step_results(evidence);
    let signs = validity::signs(evidence, &steps);
    for (span, step) in evidence.steps.iter().zip(&mut steps) {
        step.validity = Some(validity::validity_of(evidence, &signs, &[span.number]));
    }
    let validity_of = |steps: &[u32]| validity::validity_of(evidence, &signs, steps);
    let requirements = requirements::judge_requirements(study, evidence, &validity_of);
    let findings = findings::findings(&findings::Seen { evidence, steps: &steps, signs: &signs });
    let validity = signs.iter().map(|sign| Validity::from(sign.state)).max().unwrap_or(Validity::Valid);
    let end_reason = match &evidence.head.ending {
        None => EndReason::Interrupted,
        Some(ending) => EndReason::from_name(&ending.reason).unwrap_or(EndReason::Interrupted),
    };
    let judgement = Judgement { end_reason, validity, signs, steps, requirements, findings, settings: settings() };
    (collect::collect(evidence), judgement)
}

/// Thresholds that decided something, for the appendix.
fn settings() -> Vec<(String, Arg)> {
    use validity::limits;
    let named = [
        ("confidence", Arg::Share(CONFIDENCE)),
        ("wrong_verdict", Arg::Share(requirements::ALPHA)),
        ("batches", Arg::Count(BATCHES as f64)),
        ("lateness_questionable", Arg::Milliseconds(limits::LATENESS_QUESTIONABLE_MS)),
        ("lateness_invalid", Arg::Milliseconds(limits::LATENESS_INVALID_MS)),
        ("lost_questionable", Arg::Share(limits::LOST_QUESTIONABLE)),
        ("lost_invalid", Arg::Share(limits::LOST_INVALID)),
        ("run_queue_questionable", Arg::Share(limits::RUN_QUEUE_QUESTIONABLE)),
        ("run_queue_invalid", Arg::Share(limits::RUN_QUEUE_INVALID)),
        ("steal_questionable", Arg::Share(limits::STEAL_QUESTIONABLE)),
        ("steal_invalid", Arg::Share(limits::STEAL_INVALID)),
        ("cores_full", Arg::Share(limits::CORES_FULL)),
        ("samples_missing", Arg::Share(evaluate::MISSING_SHARE_MAX)),
    ];
    named.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

impl Judgement {
    /// The exit code: 0 every *must* met, 1 one not met, 3 invalid or a *must* that could not be told.
    ///
    /// A requirement of which any member is enough (`needs: any`) counts as its best member.
    pub fn exit_code(&self, study: &Study) -> u8 {
        let needs_all =
            |id: &str| study.requirements.iter().find(|known| known.name == id).is_none_or(|known| known.needs_all);
        let must = || self.requirements.iter().filter(|result| result.severity == Severity::Must);
        let scenario = |scope: &str| scope.split('/').next().unwrap_or_default().to_owned();
        let has_met_sibling = |result: &RequirementResult| {
            must().any(|other| {
                other.id == result.id
                    && scenario(&other.scope) == scenario(&result.scope)
                    && other.verdict == Verdict::Met
            })
        };
        let decides = |result: &&RequirementResult| needs_all(&result.id) || !has_met_sibling(result);
        if must().filter(decides).any(|result| result.verdict == Verdict::NotMet) {
            return 1;
        }
        let is_undecided = must().filter(decides).any(|result| result.verdict == Verdict::CannotTell);
        if self.validity == Validity::Invalid || is_undecided { 3 } else { 0 }
    }
}
