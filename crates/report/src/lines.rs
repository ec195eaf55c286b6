//! Verdicts, findings and reasons for the terminal's last screen.

use crate::input::{Context, Input};
use crate::verdict_words::{limit_of, measured_of, places, reason_of, together};
use terms::{Severity, Verdict};

/// One verdict, ready to print; the terminal decides about colour and width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerdictLine {
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
    /// How many places the line speaks of.
    pub places: usize,
    /// Measured value with its unit; `–` when there is none.
    pub measured: String,
    /// Interval or "exact"; may be empty.
    pub interval: String,
    /// The limit with its unit; `–` when there is none.
    pub limit: String,
    /// Why, as a sentence.
    pub reason: String,
    /// Code of that reason: verdicts with the same one are told of together.
    pub code: String,
}

/// Mandatory verdicts that decide what the run comes to, by what they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mandatory {
    pub met: usize,
    pub not_met: usize,
    pub cannot_tell: usize,
}

/// One finding, ready to print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingLine {
    /// How grave.
    pub gravity: judge::Gravity,
    /// Id within the run.
    pub id: String,
    pub rule: String,
    pub scope: String,
    /// What was seen, a sentence.
    pub seen: String,
    /// What it means, a sentence.
    pub means: String,
}

/// What each search came to, a paragraph each.
pub fn search_lines(input: &Input<'_>) -> Vec<String> {
    let all = crate::sections::search_results(&Context::new(input, "en"));
    all.into_iter().map(|(result, more)| format!("{result} {more}")).collect()
}

/// Findings, gravest first.
pub fn finding_lines(input: &Input<'_>) -> Vec<FindingLine> {
    let cx = Context::new(input, "en");
    let line = |finding: &judge::Finding| {
        let (seen, means) = cx.finding(finding);
        FindingLine {
            gravity: finding.severity,
            id: finding.id.clone(),
            rule: finding.rule().to_owned(),
            scope: crate::number::clean(&finding.scope),
            seen,
            means,
        }
    };
    input.judgement.findings.iter().map(line).collect()
}

/// Signs, each with the rule whose finding says the same where it finds anything.
const SAID_BY: [(&str, &str); 8] = [
    ("cores_full", "GEN-SAT"),
    ("instance_lost", "DOWN"),
    ("lateness", "GEN-SLIP"),
    ("little", "LITTLE"),
    ("lost_starts", "GEN-DROP"),
    ("overloaded", "GEN-SAT"),
    ("run_queue", "GEN-SAT"),
    ("steal", "GEN-SAT"),
];

/// Why the run is not valid, gravest first, as far as no finding says it: a sentence each.
pub fn reason_lines(input: &Input<'_>) -> Vec<String> {
    let cx = Context::new(input, "en");
    let is_found = |rule: &str| input.judgement.findings.iter().any(|finding| finding.rule() == rule);
    let rule_of = |sign: &judge::Sign| SAID_BY.iter().find(|(code, _)| sign.code == *code).map(|(_, rule)| *rule);
    let mut unsaid: Vec<_> = cx.bad_signs().filter(|sign| !rule_of(sign).is_some_and(is_found)).collect();
    // What no finding ever says comes first: a screen has room for a few.
    unsaid.sort_by_key(|sign| rule_of(sign).is_some());
    unsaid.into_iter().map(|sign| cx.sign_sentence(sign)).collect()
}

/// How many mandatory verdicts there are of each kind. Where one place of several is enough, the best counts for all.
pub fn mandatory(input: &Input<'_>) -> Mandatory {
    let mut counts = Mandatory::default();
    for result in Context::new(input, "en").deciding().into_iter().filter(|it| it.severity == Severity::Must) {
        match result.verdict {
            Verdict::Met => counts.met += 1,
            Verdict::NotMet => counts.not_met += 1,
            Verdict::CannotTell => counts.cannot_tell += 1,
        }
    }
    counts
}

/// Verdicts in the study's order; what holds alike in many places takes one line.
pub fn verdict_lines(input: &Input<'_>) -> Vec<VerdictLine> {
    let cx = Context::new(input, "en");
    let line = |group: Vec<&judge::RequirementResult>| {
        let (first, measured) = (group[0], measured_of(&cx, &group));
        VerdictLine {
            verdict: first.verdict,
            mark: crate::marks::glyph(first.verdict),
            word: crate::messages::say!(cx.m, "verdict-word", verdict = first.verdict.name()),
            severity: first.severity,
            id: crate::number::clean(&first.id),
            scope: places(&cx, &group),
            places: group.len(),
            measured: measured.text,
            interval: measured.detail,
            limit: limit_of(&cx, &group).text,
            reason: reason_of(&cx, &group),
            code: first.reason.code.clone(),
        }
    };
    let told: Vec<judge::RequirementResult> = cx.told_requirements().cloned().collect();
    together(&told).into_iter().map(line).collect()
}
