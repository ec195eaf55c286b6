//! The environment as it was captured, never as it was remembered.

use super::settings;
use crate::document::{Block, Cell, Column, NoteKind, Row, Section, Table};
use crate::input::Context;
use crate::messages::say;
use crate::number::clean;
use record::{InstanceHead, STATED};
use std::collections::{BTreeMap, VecDeque};

/// Facts printed at most; all are in `run.json`.
const FACTS_MAX: usize = 400;

pub(crate) fn environment(cx: &Context<'_>) -> Section {
    let mut section = Section::new("environment", say!(cx.m, "environment-title"));
    if cx.input.head.instances.is_empty() {
        section.add(Block::Note { kind: NoteKind::Missing, text: say!(cx.m, "environment-no-instances") });
    } else {
        section.add(Block::folded(Block::Table(instances(cx))));
    }
    if cx.input.head.known_facts().all(|(subject, ..)| subject == STATED) {
        section.add(Block::Note { kind: NoteKind::Missing, text: say!(cx.m, "environment-no-facts") });
    } else {
        section.add(Block::raw(facts(cx)));
    }
    section.parts.extend(stated(cx));
    section
}

/// What the author states and nobody captured, apart from what was captured and marked as such.
fn stated(cx: &Context<'_>) -> Option<Section> {
    let study = cx.input.study?;
    let facts: Vec<_> = cx.input.head.facts.iter().filter(|(subject, ..)| subject == STATED).take(FACTS_MAX).collect();
    // Links stand among what comes from the author, where the report has that chapter.
    let links = || study.report.links.iter().filter(|_| !cx.has_block("author"));
    if facts.is_empty() && links().next().is_none() {
        return None;
    }
    let mut part = Section::new("environment-stated", say!(cx.m, "environment-stated"));
    part.add(Block::Note { kind: NoteKind::Comment, text: say!(cx.m, "environment-stated-note") });
    let links: Vec<String> =
        links().map(|(name, target)| say!(cx.m, "author-link", name = &clean(name), target = &clean(target))).collect();
    if !links.is_empty() {
        part.add(Block::Points(links));
    }
    if !facts.is_empty() {
        let row = |(_, name, value): &&(String, String, String)| {
            Row::new(vec![Cell::text(clean(&name.replace('_', " "))), Cell::code(value)])
        };
        part.add(Block::Table(Table {
            name: "facts-stated".to_owned(),
            caption: say!(cx.m, "table-facts-stated"),
            columns: vec![Column::text(say!(cx.m, "col-name")), Column::text(say!(cx.m, "col-value"))],
            rows: facts.iter().map(row).collect(),
            notes: Vec::new(),
        }));
    }
    Some(part)
}

fn instances(cx: &Context<'_>) -> Table {
    let row = |instance: &InstanceHead| {
        let identity: Vec<String> = instance.identity.iter().map(|(name, value)| format!("{name} {value}")).collect();
        let fault =
            |(name, value): &(String, String)| format!("{name} = {}", settings::fault(cx, &instance.name, name, value));
        let faults: Vec<String> = instance.faults.iter().map(fault).collect();
        let checked = if instance.is_identified { "identified-yes" } else { "identified-no" };
        let none = |texts: Vec<String>| if texts.is_empty() { Cell::missing() } else { Cell::code(texts.join(", ")) };
        Row::new(vec![
            Cell::code(&instance.name),
            Cell::code(&instance.url),
            if instance.command.is_empty() { Cell::missing() } else { Cell::code(&instance.command) },
            none(identity).with_detail(say!(cx.m, checked)),
            none(faults),
        ])
    };
    Table {
        name: "instances".to_owned(),
        caption: say!(cx.m, "table-instances"),
        columns: vec![
            Column::text(say!(cx.m, "col-instance")),
            Column::text(say!(cx.m, "col-address")),
            Column::text(say!(cx.m, "col-command")),
            Column::text(say!(cx.m, "col-identity")),
            Column::text(say!(cx.m, "col-faults")),
        ],
        rows: cx.input.head.instances.iter().map(row).collect(),
        notes: vec![say!(cx.m, "note-instances")],
    }
}

fn facts(cx: &Context<'_>) -> Table {
    let head = cx.input.head;
    // Two monitors of one instance may give a fact the same name: the first at the start is the first at the end.
    let mut at_end: BTreeMap<(&str, &str), VecDeque<&str>> = BTreeMap::new();
    for (subject, name, value) in &head.facts_end {
        at_end.entry((subject, name)).or_default().push_back(value);
    }
    let mut rows = Vec::new();
    for (subject, name, value) in head.facts.iter().filter(|(subject, ..)| subject != STATED).take(FACTS_MAX) {
        let end = match at_end.get_mut(&(subject.as_str(), name.as_str())).and_then(VecDeque::pop_front) {
            Some(end) if end == value => Cell::text(say!(cx.m, "unchanged")),
            Some(end) => Cell::code(cx.fact_value(subject, name, end)),
            None => Cell::missing(),
        };
        let value = Cell::code(cx.fact_value(subject, name, value));
        rows.push(Row::new(vec![Cell::code(subject), Cell::text(cx.fact_word(subject, name)), value, end]));
    }
    for (subject, name, value) in head.late_facts().take(FACTS_MAX - rows.len()) {
        let end = Cell::code(cx.fact_value(subject, name, value));
        let name = Cell::text(cx.fact_word(subject, name));
        rows.push(Row::new(vec![Cell::code(subject), name, Cell::missing(), end]));
    }
    Table {
        name: "facts".to_owned(),
        caption: say!(cx.m, "table-facts"),
        columns: vec![
            Column::text(say!(cx.m, "col-subject")),
            Column::text(say!(cx.m, "col-name")),
            Column::text(say!(cx.m, "col-at-start")),
            Column::text(say!(cx.m, "col-at-end")),
        ],
        rows,
        notes: vec![say!(cx.m, "note-facts")],
    }
}
