//! The verdict for the terminal's last screen.

use crate::input::{Context, Input};
use crate::sections::{limit_cell, measured_cell};
use std::fmt;
use terms::{Severity, Verdict};

/// One verdict, ready to print; the terminal decides about colour and width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerdictLine {
    /// The verdict.
    pub verdict: Verdict,
    /// Its mark: `✓`, `✗`, `?`.
    pub mark: &'static str,
    /// Its word in the report's language.
    pub word: String,
    /// How much it weighs.
    pub severity: Severity,
    /// Name of the requirement.
    pub id: String,
    /// Where: `nominal/hold`.
    pub scope: String,
    /// Measured value with its unit; `–` when there is none.
    pub measured: String,
    /// Interval or "exact"; may be empty.
    pub interval: String,
    /// The limit with its unit; `–` when there is none.
    pub limit: String,
    /// Why, as a sentence.
    pub reason: String,
}

impl fmt::Display for VerdictLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let interval = if self.interval.is_empty() { String::new() } else { format!(" ({})", self.interval) };
        write!(
            f,
            "{} {:<11} {}  {}  measured {}{interval}, limit {}\n              {}",
            self.mark, self.word, self.id, self.scope, self.measured, self.limit, self.reason
        )
    }
}

/// Verdicts in the study's order.
pub fn verdict_lines(input: &Input<'_>) -> Vec<VerdictLine> {
    let cx = Context::new(input, "en");
    let line = |result: &judge::RequirementResult| {
        let measured = measured_cell(&cx, result);
        VerdictLine {
            verdict: result.verdict,
            mark: crate::charts::glyph(result.verdict),
            word: crate::messages::say!(cx.m, "verdict-word", verdict = result.verdict.name()),
            severity: result.severity,
            id: crate::number::clean(&result.id),
            scope: crate::number::clean(&result.scope),
            measured: measured.text,
            interval: measured.detail,
            limit: limit_cell(&cx, result).text,
            reason: cx.reason(&result.reason),
        }
    };
    input.judgement.requirements.iter().map(line).collect()
}
