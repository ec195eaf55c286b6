//! The data inventory: what the report was made from, so that it can be made again.

use crate::document::{Block, Cell, Column, Row, Section, Table};
use crate::input::Context;
use crate::messages::say;
use record::DataHead;

pub(crate) fn inventory(cx: &Context<'_>) -> Section {
    let head = cx.input.head;
    let mut section = Section::new("inventory", say!(cx.m, "inventory-title"));
    section.say(say!(cx.m, "inventory-intro"));
    let mut rows = Vec::new();
    let mut fact = |name: String, value: Option<String>| {
        rows.push(Row::new(vec![
            Cell::text(name),
            value.filter(|value| !value.is_empty()).map_or_else(Cell::missing, Cell::code),
        ]));
    };
    fact(say!(cx.m, "title-run"), Some(head.id.clone()));
    fact(say!(cx.m, "title-study-hash"), Some(head.study_sha256.clone()));
    fact(say!(cx.m, "title-fingerprint"), Some(super::title::fingerprint(head)));
    fact(say!(cx.m, "inventory-seed"), Some(head.seed.to_string()));
    fact(say!(cx.m, "inventory-schema"), Some(head.schema.clone()));
    fact(say!(cx.m, "title-made-by"), Some(format!("loadproof {}", head.version)));
    section.add(Block::Table(Table {
        name: "inventory".to_owned(),
        caption: say!(cx.m, "table-inventory"),
        columns: vec![Column::text(say!(cx.m, "col-name")), Column::text(say!(cx.m, "col-value"))],
        rows,
        notes: vec![say!(cx.m, "note-inventory")],
    }));
    if head.data.is_empty() {
        section.say(say!(cx.m, "inventory-no-data"));
        return section;
    }
    let row = |data: &DataHead| {
        Row::new(vec![
            Cell::code(&data.name),
            Cell::code(&data.file),
            Cell::number(cx.m.numbers.count(data.rows as f64), data.rows as f64),
            Cell::code(&data.sha256),
        ])
    };
    section.add(Block::Table(Table {
        name: "data".to_owned(),
        caption: say!(cx.m, "table-data"),
        columns: vec![
            Column::text(say!(cx.m, "col-name")),
            Column::text(say!(cx.m, "col-file")),
            Column::number(say!(cx.m, "col-rows"), ""),
            Column::text("SHA-256"),
        ],
        rows: head.data.iter().map(row).collect(),
        notes: Vec::new(),
    }));
    section
}
