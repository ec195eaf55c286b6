//! The management summary: validity, verdicts, key findings, and what the test does not show.

use super::{capacity_words, glance, moments, overview, verdicts, workloads};
use crate::charts;
use crate::document::{Block, Section};
use crate::input::{Context, ScenarioContext};
use crate::messages::say;
use crate::number::clean;
use judge::{Arg, Finding, Gravity, Sign, WireValidity};
use std::collections::BTreeMap;
use terms::{Nanos, Severity, Validity, Verdict};

/// Key findings in the summary; all are in the threats and their scenarios.
const KEY_FINDINGS: usize = 7;
/// Statements about the capacity; all are in its chapter.
const CAPACITIES: usize = 4;
/// Places of a finding that are named.
const PLACES: usize = 3;
/// Reasons beside the validity; the rest is in the table of signs.
const REASONS: usize = 6;

pub(crate) fn summary(cx: &Context<'_>) -> Section {
    let mut section = Section::new("summary", say!(cx.m, "summary-title"));
    section.blocks = overview::opening(cx);
    section.add(validity(cx));
    section.blocks.extend(overview::generator(cx));
    // The figures and the whole run come before what follows from them: they are what the first screen is for.
    let compared = workloads::tables(cx);
    section.blocks.extend(glance::table(cx, !compared.is_empty()).map(Block::Table));
    section.blocks.extend(compared.into_iter().map(Block::Table));
    section.blocks.extend(charts::whole_run(cx, "fig-whole-run").map(Block::Figure));
    section.say(moments::sentence(cx));
    let results = cx.deciding();
    if !results.is_empty() {
        let count = |verdict: Verdict| results.iter().filter(|result| result.verdict == verdict).count();
        let counts = [Verdict::Met, Verdict::NotMet, Verdict::CannotTell]
            .map(|verdict| (verdict, say!(cx.m, "verdict-word", verdict = verdict.name()), count(verdict)));
        section.add(Block::VerdictCounts(counts.to_vec()));
    }
    section.blocks.extend(capacity_lines(cx));
    if !results.is_empty() {
        section.add(Block::Table(verdicts::short_table(cx, "verdicts")));
        section.blocks.extend(verdicts::each(cx, "verdicts-each"));
        section.blocks.extend(charts::strip(cx, "fig-verdicts").map(Block::Figure));
    }
    section.parts.push(key_findings(cx));
    section.parts.push(not_shown(cx));
    section
}

/// How much the system carries, as far as the run shows it; nothing where no load was shown to hold or to fail, nobody asks
/// for the healthiest step, and no volume could be computed. Work that was tried at several loads comes before work that
/// only ran along.
pub(super) fn capacity_lines(cx: &Context<'_>) -> Option<Block> {
    let told: Vec<_> = cx.input.judgement.capacity.lines.iter().filter(|line| line.code() != "unknown").collect();
    let has_loads = |line: &&judge::capacity::CapacityLine| line.family.loads().len() > 1;
    let has_any = told.iter().any(has_loads);
    let shown = told.iter().copied().filter(|line| !has_any || has_loads(line)).take(CAPACITIES);
    let mut said: Vec<String> = shown.map(|line| capacity_words::sentence(cx, line)).collect();
    said.extend(super::healthiest::lines(cx).into_iter().take(CAPACITIES));
    said.extend(super::capacity::volume_lines(cx));
    (!said.is_empty()).then_some(Block::Points(said))
}

/// One sentence for who reads no further.
pub(super) fn bottom_line(cx: &Context<'_>) -> String {
    let results = cx.deciding();
    let must: Vec<_> = results.iter().filter(|result| result.severity == Severity::Must).collect();
    let count = |verdict: Verdict| must.iter().filter(|result| result.verdict == verdict).count();
    let (met, not_met, open) = (count(Verdict::Met), count(Verdict::NotMet), count(Verdict::CannotTell));
    if results.is_empty() && cx.input.judgement.validity != Validity::Invalid {
        return say!(cx.m, "bottom-nothing");
    }
    if cx.input.judgement.validity == Validity::Invalid {
        // A step that was spoiled takes nothing from the others.
        return match (must.len(), met + not_met) {
            (_, 0) => say!(cx.m, "bottom-invalid"),
            (all, _) => {
                say!(
                    cx.m,
                    "bottom-partly-invalid",
                    all = all,
                    stand = met + not_met,
                    rest = all - met - not_met,
                    met = met,
                    not_met = not_met
                )
            }
        };
    }
    // A requirement has a verdict for each place and stream that it holds in; it is met where all that decide are.
    let mut worst: BTreeMap<&str, Verdict> = BTreeMap::new();
    for result in &must {
        let known = worst.entry(&result.id).or_insert(result.verdict);
        *known = graver(*known, result.verdict);
    }
    let of = |verdict: Verdict| worst.values().filter(|known| **known == verdict).count();
    let said = match (worst.len(), of(Verdict::Met), of(Verdict::NotMet), of(Verdict::CannotTell)) {
        (0, _, _, _) => return say!(cx.m, "bottom-no-must"),
        (all, _, 0, 0) => say!(cx.m, "bottom-met", all = all),
        (all, met, 0, open) => say!(cx.m, "bottom-open", all = all, met = met, open = open),
        (all, met, not_met, open) => {
            say!(cx.m, "bottom-not-met", all = all, met = met, not_met = not_met, open = open)
        }
    };
    if must.len() == worst.len() || met == must.len() {
        return said;
    }
    let verdicts = say!(cx.m, "bottom-verdicts", all = must.len(), met = met, not_met = not_met, open = open);
    format!("{said} {verdicts}")
}

/// The one of two verdicts that decides about a requirement: not met before cannot tell, cannot tell before met.
fn graver(one: Verdict, other: Verdict) -> Verdict {
    let rank = |verdict| [Verdict::Met, Verdict::CannotTell, Verdict::NotMet].iter().position(|it| *it == verdict);
    if rank(other) > rank(one) { other } else { one }
}

/// Validity before verdict.
pub(super) fn validity(cx: &Context<'_>) -> Block {
    let state = match cx.input.judgement.validity {
        Validity::Valid => WireValidity::Valid,
        Validity::Questionable => WireValidity::Questionable,
        Validity::Invalid => WireValidity::Invalid,
    };
    let name = cx.input.judgement.validity.name();
    let mut reasons = bad_signs(cx);
    let left = reasons.len().saturating_sub(REASONS);
    reasons.truncate(REASONS);
    if left > 0 {
        reasons.push(say!(cx.m, "validity-more", left = left));
    }
    Block::Validity {
        state,
        word: say!(cx.m, "validity-word", validity = name),
        text: say!(cx.m, "validity-text", validity = name, signs = cx.told_signs().count()),
        reasons,
    }
}

/// The gravest finding of each rule, in the judge's order, with where else the rule found something.
fn key_findings(cx: &Context<'_>) -> Section {
    let findings = || cx.input.judgement.findings.iter().filter(|finding| super::results::is_told(cx, finding));
    let mut section = key_findings_of(cx, findings());
    if findings().next().is_none() {
        section.say(say!(cx.m, "key-findings-none"));
    }
    section
}

/// The same of some findings.
pub(super) fn key_findings_of<'a>(cx: &Context<'_>, findings: impl Iterator<Item = &'a Finding>) -> Section {
    let mut section = Section::new("key-findings", say!(cx.m, "key-findings-title"));
    let rules = by_rule(findings);
    section.blocks.extend(rules.iter().take(KEY_FINDINGS).map(|found| key_finding(cx, found)));
    let left: usize = rules.iter().skip(KEY_FINDINGS).map(Vec::len).sum();
    if left > 0 {
        section.say(say!(cx.m, "key-findings-more", left = left));
    }
    section
}

/// Findings by their rule, both in the judge's order.
pub(super) fn by_rule<'a>(findings: impl Iterator<Item = &'a Finding>) -> Vec<Vec<&'a Finding>> {
    let mut rules: Vec<Vec<&Finding>> = Vec::new();
    for finding in findings {
        match rules.iter_mut().find(|known| known[0].rule() == finding.rule()) {
            Some(known) => known.push(finding),
            None => rules.push(vec![finding]),
        }
    }
    rules
}

/// What speaks against the run, a sentence for each kind of sign with where else it shows; gravest first.
pub(super) fn bad_signs(cx: &Context<'_>) -> Vec<String> {
    let kinds = by_code(cx.bad_signs());
    let sentence = |kind: &Vec<&Sign>| {
        let text = cx.sign_sentence(kind[0]);
        let others: Vec<String> = kind[1..].iter().map(|sign| clean(&sign.scope)).collect();
        if others.is_empty() { text } else { say!(cx.m, "also-in", text = &text, places = &listed(cx, &others)) }
    };
    kinds.iter().map(sentence).collect()
}

/// Signs of one code together, whatever their state, both in the judge's order: the gravest of each comes first.
fn by_code<'a>(signs: impl Iterator<Item = &'a Sign>) -> Vec<Vec<&'a Sign>> {
    let mut codes: Vec<Vec<&Sign>> = Vec::new();
    for sign in signs {
        match codes.iter_mut().find(|known| known[0].code == sign.code) {
            Some(known) => known.push(sign),
            None => codes.push(vec![sign]),
        }
    }
    codes
}

/// Signs of one code and state together, both in the judge's order.
pub(super) fn by_kind<'a>(signs: impl Iterator<Item = &'a Sign>) -> Vec<Vec<&'a Sign>> {
    let mut kinds: Vec<Vec<&Sign>> = Vec::new();
    for sign in signs {
        match kinds.iter_mut().find(|known| (&known[0].code, known[0].state) == (&sign.code, sign.state)) {
            Some(known) => known.push(sign),
            None => kinds.push(vec![sign]),
        }
    }
    kinds
}

/// Some of a list, and how many more there are.
fn listed(cx: &Context<'_>, all: &[String]) -> String {
    let left = all.len().saturating_sub(PLACES);
    let more = if left > 0 { say!(cx.m, "and-more", left = left) } else { String::new() };
    format!("{}{more}", all[..all.len().min(PLACES)].join(", "))
}

/// A card for all that one rule found: the first in full, the others by their places.
pub(super) fn key_finding(cx: &Context<'_>, found: &[&Finding]) -> Block {
    let mut block = card(cx, found[0]);
    if let (Block::Finding { scope, .. }, [_, others @ ..]) = (&mut block, found)
        && !others.is_empty()
    {
        let places: Vec<String> = others.iter().map(|other| format!("{} {}", other.id, clean(&other.scope))).collect();
        *scope = say!(cx.m, "key-finding-also", scope = &*scope, places = &listed(cx, &places));
    }
    block
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
        rule: finding.rule().to_owned(),
        gravity: finding.severity,
        word: say!(cx.m, "gravity-word", gravity = gravity),
        scope: clean(&finding.scope),
        observation,
        assessment,
    }
}

/// How many times the order was carried out.
pub(super) fn repetitions(cx: &Context<'_>) -> u64 {
    u64::from(cx.input.judgement.steps.iter().map(|step| step.repetition).max().unwrap_or(1))
}

/// How long anything was judged: parts of a mix that hold at the same time count once.
pub(super) fn held_seconds(cx: &Context<'_>) -> f64 {
    let of_scenario = |scenario: &ScenarioContext<'_>| {
        let mut spans: Vec<_> = scenario.holds().map(|(step, _)| (step.from, step.to)).collect();
        spans.sort();
        let mut end = scenario.from;
        let add = |sum: f64, (from, to): (Nanos, Nanos)| {
            let begin = from.max(end);
            end = end.max(to);
            sum + (end - begin).as_secs_f64().max(0.0)
        };
        spans.into_iter().fold(0.0, add)
    };
    cx.scenarios().iter().map(of_scenario).sum()
}

/// What a reader must not conclude.
pub(super) fn not_shown(cx: &Context<'_>) -> Section {
    let (head, mut points) = (cx.input.head, Vec::new());
    if let Some(study) = cx.input.study {
        let texts = study.system.not_exercised.iter().map(|text| (true, text));
        for (is_left_out, text) in texts.chain(study.system.differs.iter().map(|text| (false, text))) {
            let text = text.in_language(cx.m.language);
            let key = if is_left_out { "not-shown-left-out" } else { "not-shown-differs" };
            points.push(say!(cx.m, key, text = text));
        }
    }
    let mut unused: Vec<String> = Vec::new();
    // What one exchange exercises is exercised, whatever the others leave out.
    let is_exercised = |name: &str| head.features.iter().any(|other| other.name == name && other.is_exercised);
    for feature in head.features.iter().filter(|feature| !is_exercised(&feature.name)) {
        let name = cx.feature_word(feature);
        if !unused.contains(&name) {
            unused.push(name);
        }
    }
    if !unused.is_empty() {
        // Ready to print and never cut: each is named.
        points.push(format!("{} {}.", say!(cx.m, "not-shown-features"), unused.join(", ")));
    }
    if let Some(trial) = &head.trial {
        points.push(say!(cx.m, "not-shown-trial"));
        let told = trial.left_out.iter().filter_map(|text| crate::run_words::left_out(&cx.m, text));
        points.extend(told.map(|text| say!(cx.m, "not-shown-left-out", text = &text)));
    }
    points.push(say!(cx.m, "not-shown-length", length = Arg::Seconds(held_seconds(cx)).given()));
    points.push(match repetitions(cx) {
        0 | 1 => say!(cx.m, "not-shown-single-run"),
        times => say!(cx.m, "not-shown-repetitions", times = times),
    });
    if head.shares_machine {
        points.push(say!(cx.m, "not-shown-shared-machine"));
    }
    if !cx.knows_other_programs() {
        points.push(say!(cx.m, "not-shown-other-programs"));
    }
    if cx.models() != "open" {
        points.push(say!(cx.m, "not-shown-closed"));
    }
    let is_open = |result: &&judge::RequirementResult| result.verdict == Verdict::CannotTell;
    let open: Vec<&str> = cx.deciding().into_iter().filter(is_open).map(|result| result.id.as_str()).collect();
    if !open.is_empty() {
        // One requirement has a verdict for each place and stream that it holds in.
        let requirements = open.iter().collect::<std::collections::BTreeSet<_>>().len();
        points.push(say!(cx.m, "not-shown-cannot-tell", open = open.len(), requirements = requirements));
    }
    let mut section = Section::new("not-shown", say!(cx.m, "not-shown-title"));
    section.add(Block::Points(points));
    section
}
