//! Introduction: what was asked, of what, and how to read the answer.

use super::overview;
use crate::document::{Block, Cell, Column, NoteKind, Row, Section, Table};
use crate::input::Context;
use crate::messages::say;
use crate::number::{bounded, clean, ended};
use std::collections::BTreeSet;
use terms::Severity;

/// Longest list that is one sentence.
const SENTENCE_CHARS: usize = 320;
/// Exchanges that are named in the sentence about what was tested.
const NAMED: usize = 8;

pub(crate) fn introduction(cx: &Context<'_>) -> Section {
    let mut section = Section::new("introduction", say!(cx.m, "introduction-title"));
    section.parts = vec![purpose(cx), scope(cx), criteria(cx), reading(cx)];
    section
}

fn purpose(cx: &Context<'_>) -> Section {
    let mut part = Section::new("introduction-purpose", say!(cx.m, "introduction-purpose"));
    let about = cx.input.study.and_then(|study| study.about.as_ref()).map(|about| about.in_language(cx.m.language));
    match about.filter(|about| !about.trim().is_empty()) {
        Some(about) => part.say(ended(&bounded(about, 4000))),
        None => part.add(Block::Note { kind: NoteKind::Missing, text: say!(cx.m, "introduction-no-purpose") }),
    }
    part
}

fn scope(cx: &Context<'_>) -> Section {
    let mut part = Section::new("introduction-scope", say!(cx.m, "introduction-scope"));
    let head = cx.input.head;
    // Each scenario once, however often it was carried out.
    let ran = cx.scenarios().iter().filter(|scenario| !scenario.is_again()).count();
    let system = if head.system.is_empty() { crate::number::MISSING.to_owned() } else { clean(&head.system) };
    let planned = head.scenarios.len();
    part.say(say!(
        cx.m,
        "introduction-what",
        system = &system,
        instances = head.instances.len(),
        shared = if head.shares_machine { "yes" } else { "no" },
        scenarios = planned,
        ran = ran,
        left = planned.saturating_sub(ran),
        exchanges = head.calls(),
        names = &names(cx)
    ));
    // The first screen and the summary begin with the load.
    let is_told = cx.has_block("overview") || cx.has_block("summary");
    if let Some(loads) = overview::loads(cx).filter(|_| !is_told) {
        part.say(say!(cx.m, "introduction-load", loads = &loads));
    }
    let Some(study) = cx.input.study else { return part };
    // Where the course of an exchange is drawn, its steps stand there.
    let is_of_several = |exchange: &study::Exchange| {
        exchange.legs.iter().filter(|leg| leg.closes != contract::Closes::Beside).count() > 1
    };
    let is_drawn = cx.chosen_or_usual("exchanges", "sequence") && study.exchanges.iter().any(is_of_several);
    let work = if is_drawn { &[][..] } else { &study.system.work[..] };
    for (texts, key) in [(work, "introduction-work"), (&study.system.not_exercised[..], "not-shown-left-out")] {
        part.blocks.extend(told(cx, texts, key));
    }
    part
}

/// What the author lists, in one sentence as long as one holds it.
fn told(cx: &Context<'_>, texts: &[study::Text], key: &str) -> Option<Block> {
    let texts: Vec<String> = texts.iter().map(|text| clean(text.in_language(cx.m.language))).collect();
    let say = |text: &str| ended(&cx.m.text(key, &[("text", text.into())]));
    let all = texts.join("; ");
    match texts.len() {
        0 => None,
        _ if all.chars().count() <= SENTENCE_CHARS => {
            Some(Block::Paragraph { text: say(&all), findings: Vec::new(), is_lead: false })
        }
        _ => Some(Block::Points(texts.iter().map(|text| say(text)).collect())),
    }
}

/// Names of the exchanges, as far as a sentence holds them.
fn names(cx: &Context<'_>) -> String {
    let all = cx.input.head.exchanges.iter().filter(|exchange| !exchange.is_transaction);
    let all: Vec<String> = all.map(|exchange| clean(&exchange.name)).collect();
    let left = all.len().saturating_sub(NAMED);
    let more = if left > 0 { say!(cx.m, "and-more", left = left) } else { String::new() };
    format!("{}{more}", all[..all.len().min(NAMED)].join(", "))
}

/// Requirements as they were judged: the rule is what the machine reads.
fn criteria(cx: &Context<'_>) -> Section {
    let mut part = Section::new("introduction-criteria", say!(cx.m, "introduction-criteria"));
    let results = &cx.input.judgement.requirements;
    if results.is_empty() {
        part.add(Block::Note { kind: NoteKind::Missing, text: say!(cx.m, "bottom-nothing") });
        return part;
    }
    let of = |is_meant: &dyn Fn(&judge::RequirementResult) -> bool| {
        results.iter().filter(|result| is_meant(result)).map(|result| &result.id).collect::<BTreeSet<_>>().len()
    };
    let must = of(&|result| result.severity == Severity::Must);
    let all = of(&|_| true);
    // Mandatory in one scenario, and not in another.
    let mixed = must + of(&|result| result.severity != Severity::Must) - all;
    part.say(say!(cx.m, "introduction-judged", all = all, must = must, rest = all - must, mixed = mixed));
    let mut rows: Vec<Row> = Vec::new();
    let mut seen: Vec<(&str, &str, &str)> = Vec::new();
    let mut numbers: Vec<&str> = Vec::new();
    for result in results {
        let key = (result.id.as_str(), result.rule.as_str(), result.severity.name());
        if seen.contains(&key) {
            continue;
        }
        // One requirement under several rules or weights has one number and a letter for each of them.
        let number = match numbers.iter().position(|known| *known == result.id) {
            Some(place) => place + 1,
            None => {
                numbers.push(&result.id);
                numbers.len()
            }
        };
        let own: Vec<_> = seen.iter().filter(|(id, _, _)| *id == result.id).collect();
        let variants = results.iter().filter(|other| other.id == result.id);
        let is_single = variants.map(|other| (&other.rule, other.severity.name())).collect::<BTreeSet<_>>().len() == 1;
        let letter = if is_single { String::new() } else { crate::document::letters(own.len() + 1).to_lowercase() };
        seen.push(key);
        let same =
            results.iter().filter(|other| (other.id.as_str(), other.rule.as_str(), other.severity.name()) == key);
        let scopes = same.count();
        let study = cx.input.study;
        let known = study.and_then(|study| study.requirements.iter().find(|known| known.name == result.id));
        let about = known.and_then(|known| known.about.as_ref()).map(|about| clean(about.in_language(cx.m.language)));
        rows.push(Row::new(vec![
            Cell::text(format!("{number}{letter}")),
            Cell::code(&result.id),
            Cell::text(say!(cx.m, "severity-word", severity = result.severity.name())),
            Cell::code(&result.rule),
            about.filter(|about| !about.is_empty()).map_or_else(Cell::missing, Cell::text),
            Cell::number(cx.m.numbers.count(scopes as f64), scopes as f64),
        ]));
    }
    let has_search = !cx.input.judgement.searches.is_empty();
    let notes = if has_search { &["note-criteria", "note-criteria-search"][..] } else { &["note-criteria"] };
    part.add(Block::Table(Table {
        name: "criteria".to_owned(),
        caption: say!(cx.m, "table-criteria"),
        columns: vec![
            Column::text(say!(cx.m, "col-number")),
            Column::text(say!(cx.m, "col-requirement")),
            Column::text(say!(cx.m, "col-severity")),
            Column::text(say!(cx.m, "col-rule")),
            Column::text(say!(cx.m, "col-in-words")),
            Column::number(say!(cx.m, "col-places"), ""),
        ],
        rows,
        notes: notes.iter().map(|key| cx.m.text(key, &[])).collect(),
    }));
    part
}

fn reading(cx: &Context<'_>) -> Section {
    let mut part = Section::new("introduction-reading", say!(cx.m, "introduction-reading"));
    part.add(Block::Points(vec![
        say!(cx.m, "reading-validity"),
        say!(cx.m, "reading-figures"),
        say!(cx.m, "reading-numbers"),
        say!(cx.m, "reading-findings"),
        say!(cx.m, "reading-author"),
        say!(cx.m, "reading-tables"),
    ]));
    part
}
