//! `system.inventory`: a table of the system's components as its author states it, kept whole with the study.

use crate::model::Inventory;
use crate::syntax::keys::{Form, Key, Reader, key, required};
use crate::syntax::read;
use crate::syntax::text::unescape;
use contract::{Mistake, Mistakes, Node, Place};
use std::path::Path;

/// Components of one inventory; the largest published one has 74.
const ROWS_MAX: usize = 2000;
/// Columns of it.
const COLUMNS_MAX: usize = 60;
/// Characters of one cell; the report prints them all.
const CELL_MAX: usize = 300;
/// Bytes of the file.
const BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Keys of an inventory as the archived study has it: the report is made from the run folder alone, where no CSV lies.
pub(crate) static INVENTORY: [Key; 3] = [
    required("file", Form::Text, "the CSV it was read from"),
    key("columns", Form::List(&Form::Text), "written by loadproof into the study it archives"),
    key("rows", Form::List(&Form::List(&Form::Text)), "written by loadproof into the study it archives"),
];

/// Reads `inventory`: a file's name, or what loadproof archived.
pub(crate) fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Inventory> {
    if node.map().is_none() {
        let file = mistakes.keep(node.as_text("`inventory`"))?.to_owned();
        return Some(Inventory { file, place: node.place, columns: Vec::new(), rows: Vec::new() });
    }
    let mut keys = Reader::of(node, &INVENTORY, "`inventory`", mistakes);
    let file = keys.need("file", mistakes).and_then(|node| mistakes.keep(node.as_text("`file`"))).map(str::to_owned);
    let columns = keys.take("columns").map(|node| cells(node, mistakes)).unwrap_or_default();
    let rows = keys.take("rows").map(|node| read::list(node, "`rows`", mistakes)).unwrap_or_default();
    let rows: Vec<Vec<String>> = rows.iter().take(ROWS_MAX).map(|row| cells(row, mistakes)).collect();
    keys.finish(mistakes);
    if let Some(row) = rows.iter().find(|row| row.len() != columns.len()) {
        let (has, wanted) = (row.len(), columns.len());
        let text = format!("a row of the inventory has {has} cells for {wanted} columns");
        mistakes.push(Mistake::at(node.place, "study::bad-data", text).label("this is written by loadproof"));
        return None;
    }
    Some(Inventory { file: file?, place: node.place, columns, rows })
}

fn cells(node: &Node, mistakes: &mut Mistakes) -> Vec<String> {
    let members = read::list(node, "a row", mistakes).iter().take(COLUMNS_MAX);
    members
        .map(|cell| if cell.is_missing() { String::new() } else { unescape(cell.text().unwrap_or_default()) })
        .collect()
}

/// Reads the CSV beside the study, unless the rows came with it.
pub(crate) fn load(inventory: &mut Inventory, base: &Path, mistakes: &mut Mistakes) {
    if !inventory.columns.is_empty() || inventory.file.is_empty() {
        return;
    }
    match csv(&base.join(&inventory.file)) {
        Ok((columns, rows)) => (inventory.columns, inventory.rows) = (columns, rows),
        Err(what) => mistakes.push(wrong(&inventory.file, inventory.place, &what)),
    }
}

fn wrong(file: &str, place: Place, what: &str) -> Mistake {
    Mistake::at(place, "study::bad-data", format!("the inventory `{file}` {what}"))
        .hint("it is a CSV with a header row, one component a row: `module,version,memory,xmx`")
}

type Cells = (Vec<String>, Vec<Vec<String>>);

fn csv(path: &Path) -> Result<Cells, String> {
    let text = contract::read_file(path, BYTES_MAX)?;
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(&*text);
    let header = reader.headers().map_err(|error| format!("cannot be read: {error}"))?;
    let columns: Vec<String> =
        header.iter().map(|name| name.trim().trim_start_matches('\u{feff}').to_owned()).collect();
    if columns.iter().any(String::is_empty) || columns.is_empty() {
        return Err("has a column without a name in its first line".into());
    }
    if columns.len() > COLUMNS_MAX {
        return Err(format!("has more than {COLUMNS_MAX} columns"));
    }
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| format!("cannot be read: {error}"))?;
        let line = record.position().map_or(0, csv::Position::line);
        if record.len() != columns.len() {
            return Err(format!("has {} cells in line {line} where the header has {}", record.len(), columns.len()));
        }
        if record.iter().any(|cell| cell.chars().count() > CELL_MAX) {
            return Err(format!("has a cell of more than {CELL_MAX} characters in line {line}"));
        }
        if rows.len() >= ROWS_MAX {
            return Err(format!("has more than {ROWS_MAX} rows"));
        }
        rows.push(record.iter().map(|cell| cell.trim().to_owned()).collect());
    }
    if rows.is_empty() { Err("has no rows".into()) } else { Ok((columns, rows)) }
}
