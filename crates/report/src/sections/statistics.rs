//! Raw statistics: which table stands where, and in which file it is whole.

use super::lookup::set_rows;
use crate::document::{Block, Cell, Column, Row, Section, Table, tables_of};
use crate::input::Context;
use crate::messages::say;

/// The chapter, without its rows: those need the whole document.
pub(crate) fn statistics(cx: &Context<'_>) -> Section {
    let mut section = Section::new("statistics", say!(cx.m, "statistics-title"));
    section.say(say!(cx.m, "statistics-intro"));
    // Its rows come when the document stands.
    section.add(Block::folded(Block::Table(Table {
        name: "tables".to_owned(),
        caption: say!(cx.m, "table-tables"),
        columns: vec![
            Column::text(say!(cx.m, "col-file")),
            Column::text(say!(cx.m, "col-content")),
            Column::number(say!(cx.m, "col-rows"), ""),
        ],
        rows: Vec::new(),
        notes: Vec::new(),
    })));
    section
}

/// Lists every table of the document.
pub(super) fn fill(cx: &Context<'_>, sections: &mut [Section]) {
    let all = tables_of(sections);
    let row = |table: &&Table| {
        let rows = table.rows.len() as f64;
        Row::new(vec![
            Cell::code(format!("tables/{}.csv", table.name)),
            Cell::text(&table.caption),
            Cell::number(cx.m.numbers.count(rows), rows),
        ])
    };
    let rows: Vec<Row> = all.iter().filter(|table| !table.rows.is_empty()).map(row).collect();
    set_rows(sections, "statistics", "tables", rows);
}
