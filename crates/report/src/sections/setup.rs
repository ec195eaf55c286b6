//! Test set-up: what stood where, how it differs from production, on which data.

use crate::document::{Block, Cell, Column, NoteKind, Row, Section, Table};
use crate::input::Context;
use crate::messages::say;
use crate::number::{bounded, clean};

/// Facts of the machine that stand here; all are in the appendix on the environment.
const FACTS_MAX: usize = 16;

/// The chapter.
pub(crate) fn setup(cx: &Context<'_>) -> Section {
    let mut section = Section::new("setup", say!(cx.m, "setup-title"));
    section.parts = vec![system(cx), differs(cx), data(cx)];
    section
}

fn system(cx: &Context<'_>) -> Section {
    let mut part = Section::new("setup-system", say!(cx.m, "setup-system"));
    let head = cx.input.head;
    if let Some(about) = cx.input.study.and_then(|study| study.system.about.as_ref()) {
        part.say(bounded(about.in_language(cx.m.language), 2000));
    }
    if head.instances.is_empty() {
        part.add(Block::Note { kind: NoteKind::Missing, text: say!(cx.m, "environment-no-instances") });
    } else {
        let names: Vec<String> = head.instances.iter().map(|instance| clean(&instance.name)).collect();
        part.say(say!(cx.m, "setup-instances", instances = names.len(), names = &names.join(", ")));
    }
    let machine = if head.shares_machine { "setup-generator-shared" } else { "setup-generator-apart" };
    part.say(cx.m.text(machine, &[("threads", u64::from(head.workers).into())]));
    let monitors: Vec<String> = head.monitors.iter().map(|monitor| clean(&monitor.name)).collect();
    if monitors.is_empty() {
        part.add(Block::Note { kind: NoteKind::Missing, text: say!(cx.m, "system-nothing") });
    } else {
        part.say(say!(cx.m, "setup-watched", names = &monitors.join(", ")));
    }
    // What monitors captured of the machine itself; instances have their rows in the appendix.
    let is_machine = |subject: &str| {
        subject != super::environment::STATED
            && head.instances.iter().all(|instance| !subject.starts_with(&instance.name))
    };
    let facts: Vec<_> = head.facts.iter().filter(|(subject, _, _)| is_machine(subject)).take(FACTS_MAX).collect();
    if facts.is_empty() {
        part.add(Block::Note { kind: NoteKind::Missing, text: say!(cx.m, "environment-no-facts") });
        return part;
    }
    let row = |(subject, name, value): &&(String, String, String)| {
        Row::new(vec![Cell::code(subject), Cell::text(clean(&name.replace('_', " "))), Cell::code(value)])
    };
    part.add(Block::Table(Table {
        name: "machine".to_owned(),
        caption: say!(cx.m, "table-machine"),
        columns: vec![
            Column::text(say!(cx.m, "col-subject")),
            Column::text(say!(cx.m, "col-name")),
            Column::text(say!(cx.m, "col-value")),
        ],
        rows: facts.iter().map(row).collect(),
        notes: vec![say!(cx.m, "note-machine")],
    }));
    part
}

fn differs(cx: &Context<'_>) -> Section {
    let mut part = Section::new("setup-differs", say!(cx.m, "setup-differs"));
    let texts = cx.input.study.map(|study| study.system.differs.as_slice()).unwrap_or_default();
    if texts.is_empty() {
        part.add(Block::Note { kind: NoteKind::Missing, text: say!(cx.m, "setup-no-differs") });
    } else {
        part.add(Block::Points(texts.iter().map(|text| clean(text.in_language(cx.m.language))).collect()));
    }
    part
}

fn data(cx: &Context<'_>) -> Section {
    let mut part = Section::new("setup-data", say!(cx.m, "setup-data"));
    let data = &cx.input.head.data;
    if data.is_empty() {
        part.say(say!(cx.m, "inventory-no-data"));
    } else {
        let point = |set: &record::DataHead| say!(cx.m, "setup-data-set", name = &clean(&set.name), rows = set.rows);
        part.add(Block::Points(data.iter().map(point).collect()));
    }
    part
}
