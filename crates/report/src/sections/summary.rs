//! The management summary: validity, verdicts, key findings, and what the test does not show.

use super::{glance, title, verdicts};
use crate::charts;
use crate::document::{Block, NoteKind, Section};
use crate::input::Context;
use crate::messages::say;
use crate::number::clean;
use judge::{Arg, Finding, Gravity, WireValidity};
use terms::{Severity, Validity, Verdict};

/// Key findings in the summary; all are in the threats and their scenarios.
const KEY_FINDINGS: usize = 7;
/// Reasons beside the validity; the rest is in the table of signs.
const REASONS: usize = 6;

/// The chapter.
pub(crate) fn summary(cx: &Context<'_>) -> Section {
    let mut section = Section::new("summary", say!(cx.m, "summary-title"));
    let marks: Vec<String> = title::marks(cx).into_iter().map(|mark| mark.word).collect();
    let mut lead = bottom_line(cx);
    if !marks.is_empty() {
        lead = format!("{lead} {}", say!(cx.m, "bottom-marks", marks = &marks.join(", ")));
    }
    section.add(Block::Paragraph { text: lead, findings: Vec::new(), is_lead: true });
    section.add(validity(cx));
    let results = &cx.input.judgement.requirements;
    if !results.is_empty() {
        let count = |verdict: Verdict| results.iter().filter(|result| result.verdict == verdict).count();
        let tally = [Verdict::Met, Verdict::NotMet, Verdict::CannotTell]
            .map(|verdict| (verdict, say!(cx.m, "verdict-word", verdict = verdict.name()), count(verdict)));
        section.add(Block::Tally(tally.to_vec()));
        section.add(Block::Table(verdicts::short_table(cx, "verdicts")));
        section.blocks.extend(charts::strip(cx, "fig-verdicts").map(Block::Figure));
    }
    section.blocks.extend(glance::table(cx).map(Block::Table));
    section.parts.push(key_findings(cx));
    section.parts.push(not_shown(cx));
    section
}

/// What the study's author wrote, marked as such: comments, expectations and links decide nothing.
pub(super) fn author(cx: &Context<'_>) -> Option<Section> {
    let report = &cx.input.study?.report;
    let mut section = Section::new("author", say!(cx.m, "author-title"));
    let elsewhere = |place: &str| super::place_exists(cx, place);
    for (place, text) in report.comments.iter().filter(|(place, _)| !elsewhere(place)) {
        let text = say!(cx.m, "author-comment", place = &clean(place), text = &clean(text.in_language(cx.m.language)));
        section.add(Block::Note { kind: NoteKind::Comment, text });
    }
    let expected = report.expectations.iter();
    let expected =
        expected.map(|text| say!(cx.m, "author-expectation", text = &clean(text.in_language(cx.m.language))));
    let links = report
        .links
        .iter()
        .map(|(name, target)| say!(cx.m, "author-link", name = &clean(name), target = &clean(target)));
    let points: Vec<String> = expected.chain(links).collect();
    if !points.is_empty() {
        section.add(Block::Points(points));
    }
    (!section.blocks.is_empty()).then_some(section)
}

/// One sentence for who reads no further.
pub(super) fn bottom_line(cx: &Context<'_>) -> String {
    let results = &cx.input.judgement.requirements;
    let must: Vec<_> = results.iter().filter(|result| result.severity == Severity::Must).collect();
    let count = |verdict: Verdict| must.iter().filter(|result| result.verdict == verdict).count();
    let (met, not_met, open) = (count(Verdict::Met), count(Verdict::NotMet), count(Verdict::CannotTell));
    if results.is_empty() && cx.input.judgement.validity != Validity::Invalid {
        return say!(cx.m, "bottom-nothing");
    }
    match (cx.input.judgement.validity, must.len(), not_met, open) {
        // A step that was spoiled takes nothing from the others.
        (Validity::Invalid, all, not_met, _) if met + not_met > 0 => {
            say!(cx.m, "bottom-partly-invalid", all = all, met = met, not_met = not_met)
        }
        (Validity::Invalid, _, _, _) => say!(cx.m, "bottom-invalid"),
        (_, 0, _, _) => say!(cx.m, "bottom-no-must"),
        (_, all, 0, 0) => say!(cx.m, "bottom-met", all = all),
        (_, all, 0, open) => say!(cx.m, "bottom-open", all = all, met = met, open = open),
        (_, all, not_met, open) => say!(cx.m, "bottom-not-met", all = all, met = met, not_met = not_met, open = open),
    }
}

/// Validity before verdict.
fn validity(cx: &Context<'_>) -> Block {
    let state = match cx.input.judgement.validity {
        Validity::Valid => WireValidity::Valid,
        Validity::Questionable => WireValidity::Questionable,
        Validity::Invalid => WireValidity::Invalid,
    };
    let name = cx.input.judgement.validity.name();
    let mut reasons: Vec<String> = cx.bad_signs().map(|sign| cx.sign(sign)).collect();
    let left = reasons.len().saturating_sub(REASONS);
    reasons.truncate(REASONS);
    if left > 0 {
        reasons.push(say!(cx.m, "validity-more", left = left));
    }
    Block::Validity {
        state,
        word: say!(cx.m, "validity-word", validity = name),
        text: say!(cx.m, "validity-text", validity = name, signs = cx.input.judgement.signs.len()),
        reasons,
    }
}

fn key_findings(cx: &Context<'_>) -> Section {
    let mut section = Section::new("key-findings", say!(cx.m, "key-findings-title"));
    let findings = &cx.input.judgement.findings;
    if findings.is_empty() {
        section.say(say!(cx.m, "key-findings-none"));
    }
    section.blocks.extend(findings.iter().take(KEY_FINDINGS).map(|finding| card(cx, finding)));
    if findings.len() > KEY_FINDINGS {
        section.say(say!(cx.m, "key-findings-more", left = findings.len() - KEY_FINDINGS));
    }
    section
}

/// A finding with its two sentences.
pub(super) fn card(cx: &Context<'_>, finding: &Finding) -> Block {
    let (observation, assessment) = cx.finding(finding);
    let gravity = match finding.severity {
        Gravity::Info => "info",
        Gravity::Notice => "notice",
        Gravity::Warning => "warning",
        Gravity::Blocker => "blocker",
    };
    Block::Finding {
        id: finding.id.clone(),
        rule: finding.rule.clone(),
        gravity: finding.severity,
        word: say!(cx.m, "gravity-word", gravity = gravity),
        scope: clean(&finding.scope),
        observation,
        assessment,
    }
}

/// What a reader must not conclude.
fn not_shown(cx: &Context<'_>) -> Section {
    let (head, mut points) = (cx.input.head, Vec::new());
    if let Some(study) = cx.input.study {
        let texts = study.system.not_exercised.iter().map(|text| (true, text));
        for (is_left_out, text) in texts.chain(study.system.differs.iter().map(|text| (false, text))) {
            let text = text.in_language(cx.m.language);
            let key = if is_left_out { "not-shown-left-out" } else { "not-shown-differs" };
            points.push(say!(cx.m, key, text = text));
        }
    }
    if let Some(trial) = &head.trial {
        points.push(say!(cx.m, "not-shown-trial"));
        points.extend(trial.left_out.iter().map(|text| say!(cx.m, "not-shown-left-out", text = text)));
    }
    let held: f64 = cx.input.judgement.steps.iter().filter(|step| step.phase == "hold").map(|step| step.seconds).sum();
    points.push(say!(cx.m, "not-shown-length", length = Arg::Seconds(held)));
    points.push(say!(cx.m, "not-shown-single-run"));
    if head.shares_machine {
        points.push(say!(cx.m, "not-shown-shared-machine"));
    }
    if cx.models() != "open" {
        points.push(say!(cx.m, "not-shown-closed"));
    }
    let open = cx.input.judgement.requirements.iter().filter(|result| result.verdict == Verdict::CannotTell).count();
    if open > 0 {
        points.push(say!(cx.m, "not-shown-cannot-tell", open = open));
    }
    let mut section = Section::new("not-shown", say!(cx.m, "not-shown-title"));
    section.add(Block::Points(points));
    section
}
