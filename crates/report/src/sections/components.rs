//! The components of the system: as the author states them, and as they were captured from what ran. The two stand
//! apart and are marked, for a table that somebody typed is not a measurement.

use crate::document::{Block, Cell, Column, NoteKind, Row, Section, Table};
use crate::input::Context;
use crate::messages::say;
use crate::number::{bounded, clean};

/// Rows of a captured table; all facts are in `run.json`.
const ROWS_MAX: usize = 200;
/// Columns of it.
const COLUMNS_MAX: usize = 10;

/// The chapter; `None` where nothing is stated: what was captured stands in the environment anyway.
pub(crate) fn components(cx: &Context<'_>) -> Option<Section> {
    let inventory = cx.input.study?.system.inventory.as_ref()?;
    let mut section = Section::new("components", say!(cx.m, "components-title"));
    section.say(say!(cx.m, "components-intro", file = &inventory.file));
    section.add(Block::Note { kind: NoteKind::Comment, text: say!(cx.m, "components-stated") });
    let row = |row: &Vec<String>| {
        let cell = |cell: &String| if cell.is_empty() { Cell::missing() } else { Cell::code(bounded(cell, 300)) };
        Row::new(row.iter().map(cell).collect())
    };
    section.add(Block::Table(Table {
        name: "components-stated".to_owned(),
        caption: say!(cx.m, "table-components-stated", file = &inventory.file),
        columns: inventory.columns.iter().map(|name| Column::text(clean(name))).collect(),
        rows: inventory.rows.iter().map(row).collect(),
        notes: Vec::new(),
    }));
    let wrong: Vec<_> =
        cx.input.judgement.findings.iter().filter(|finding| finding.rule().starts_with("INVENTORY-")).collect();
    if wrong.is_empty() {
        section.say(say!(cx.m, "components-sound"));
    }
    section.blocks.extend(wrong.into_iter().map(|finding| super::summary::card(cx, finding)));
    match captured(cx) {
        Some(table) => section.add(Block::folded(Block::Table(table))),
        None => section.add(Block::Note { kind: NoteKind::Missing, text: say!(cx.m, "components-not-captured") }),
    }
    Some(section)
}

/// Facts of the running instances, one row each.
fn captured(cx: &Context<'_>) -> Option<Table> {
    let head = cx.input.head;
    let is_instance = |subject: &str| head.instances.iter().any(|instance| instance.name == subject);
    let facts: Vec<_> = head.facts.iter().filter(|(subject, ..)| is_instance(subject)).collect();
    let (mut names, mut subjects): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for (subject, name, _) in &facts {
        if !names.contains(&name.as_str()) && names.len() < COLUMNS_MAX {
            names.push(name);
        }
        if !subjects.contains(&subject.as_str()) && subjects.len() < ROWS_MAX {
            subjects.push(subject);
        }
    }
    if names.is_empty() {
        return None;
    }
    let row = |subject: &&str| {
        let value = |name: &&str| {
            let fact = facts.iter().find(|(of, known, _)| of == *subject && known == *name);
            fact.map_or_else(Cell::missing, |(.., value)| Cell::code(bounded(value, 300)))
        };
        let mut cells = vec![Cell::code(*subject)];
        cells.extend(names.iter().map(value));
        Row::new(cells)
    };
    let mut columns = vec![Column::text(say!(cx.m, "col-instance"))];
    columns.extend(names.iter().map(|name| Column::text(clean(&name.replace('_', " ")))));
    Some(Table {
        name: "components-captured".to_owned(),
        caption: say!(cx.m, "table-components-captured"),
        columns,
        rows: subjects.iter().map(row).collect(),
        notes: vec![say!(cx.m, "note-components-captured")],
    })
}
