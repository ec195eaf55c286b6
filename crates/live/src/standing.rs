//! How requirements stand, and what the run came to, as somebody else judged it.

use crate::words::short;
use serde_json::{Value, json};

/// Requirements that are shown; the report has them all.
const SHOWN_MAX: usize = 200;
/// Longest text of one.
const TEXT_MAX: usize = 300;

/// A requirement in one scope.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requirement {
    pub id: String,
    pub scope: String,
    /// `met`, `not_met`, `cannot_tell`; empty where it was not judged yet.
    pub verdict: String,
    /// What was measured, with its unit; empty where nothing was.
    pub measured: String,
    pub limit: String,
    /// Why it is so; the rule itself where it was not judged yet.
    pub reason: String,
    /// Whether that is only because its load was cut short or not begun: while a run goes on, it has not ended.
    pub is_open: bool,
}

impl Requirement {
    /// As it stands while the run goes on.
    pub(crate) fn so_far(mut self) -> Self {
        if self.is_open {
            self.verdict.clear();
            self.reason = "its load has not ended".to_owned();
        }
        self
    }
}

/// What a run came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// `valid`, `questionable`, `invalid`; empty where it was not judged.
    pub validity: String,
    /// How it ended, in a sentence.
    pub ending: String,
    pub requirements: Vec<Requirement>,
    /// Where its report is; empty where there is none.
    pub report: String,
}

/// Requirements for the page; `at` is the second to which they were judged.
pub(crate) fn requirements(all: &[Requirement], at: Option<i64>) -> Value {
    let text = |text: &str| short(text, TEXT_MAX);
    let row = |of: &Requirement| {
        json!({
            "id": text(&of.id), "scope": text(&of.scope), "verdict": text(&of.verdict),
            "measured": text(&of.measured), "limit": text(&of.limit), "reason": text(&of.reason),
        })
    };
    let rows: Vec<Value> = all.iter().take(SHOWN_MAX).map(row).collect();
    json!({ "at": at, "more": all.len().saturating_sub(SHOWN_MAX), "rows": rows })
}

/// An outcome for the page, without its requirements.
pub(crate) fn outcome(of: &Outcome) -> Value {
    let text = |text: &str| short(text, 2 * TEXT_MAX);
    json!({ "validity": text(&of.validity), "ending": text(&of.ending), "report": text(&of.report) })
}
