//! `data`: the data sets that a study names, and their tables in memory.

use crate::model::{DataSet, KeptColumn, RowOrder, Study};
use crate::names::secrets::Secrets;
use crate::syntax::keys::{Form, Key, Reader, key, required};
use crate::syntax::{not_yet, read};
use crate::written;
use contract::{Mistake, Mistakes, Node, Row, Table};
use scrub::KeptOut;
use std::sync::Arc;

/// How an iteration may get its row.
const ORDERS: [&str; 3] = ["in_turn", "random", "shuffled"];

/// Keys of one data set.
pub(crate) static DATA_SET: [Key; 4] = [
    required("file", Form::Text, "CSV with a header row, or JSON lines (`.jsonl`, `.ndjson`), beside the study"),
    key("pick", Form::Words(&ORDERS), "how an iteration gets its row; in_turn"),
    key("at_end", Form::Words(&["recycle", "stop"]), "after the last row; recycle"),
    key("generate", Form::NotYet, "a generated data set"),
];

/// Reads `data`.
pub(crate) fn read(node: &Node, mistakes: &mut Mistakes) -> Vec<DataSet> {
    let Some(entries) = node.map() else {
        mistakes.push(
            Mistake::at(node.place, "study::wrong-type", format!("`data` is {}, not a map", node.what()))
                .label("write `{ NAME: { file: data/name.csv } }`"),
        );
        return Vec::new();
    };
    let mut sets = Vec::new();
    for (key, value) in entries {
        if let Some(name) = read::name(key, "a data set", mistakes) {
            sets.push(read_set(name, value, mistakes));
        }
    }
    sets
}

/// Says which columns that are to be kept out do not exist. Without `headers`, as for an archived study, only the data
/// sets are known.
pub(crate) fn check_kept_out(study: &Study, headers: &[Arc<Table>], mistakes: &mut Mistakes) {
    let sets: Vec<String> = study.data.iter().map(|set| set.name.clone()).collect();
    for KeptColumn { set, column, place } in &study.report.keep_out {
        let Some(number) = sets.iter().position(|known| known == set) else {
            mistakes.push(read::unknown(set, "data set", &sets, *place));
            continue;
        };
        let columns = headers.get(number).map_or(&[][..], |table| &table.columns[..]);
        if !columns.is_empty() && !columns.contains(column) {
            let mistake = read::unknown(column, &format!("column of `{set}`"), columns, *place);
            mistakes.push(mistake);
        }
    }
}

/// What is kept out of everything that is written: columns that the study names, secrets, and credentials written in
/// the study itself.
pub fn kept_out(study: &Study, secrets: &Secrets, tables: &[Arc<Table>]) -> KeptOut {
    let of = |kept: &KeptColumn| {
        let table = tables.iter().find(|table| table.name == kept.set)?;
        Some((table, table.column(&kept.column)?))
    };
    let columns = study.report.keep_out.iter().filter_map(of);
    let values: Vec<Vec<u8>> = columns.flat_map(|(table, column)| values(table, column)).collect();
    let secrets: Vec<String> = secrets.values().into_iter().chain(written::values(study)).collect();
    KeptOut::of(values.iter().map(Vec::as_slice)).with_secrets(secrets.iter().map(String::as_bytes))
}

fn values(table: &Table, column: u16) -> impl Iterator<Item = Vec<u8>> {
    let mut buffer = Row::default();
    (0..table.len()).map(move |row| {
        let mut value = Vec::new();
        table.append(row, column, &mut buffer, &mut value);
        value
    })
}

fn read_set(name: String, node: &Node, mistakes: &mut Mistakes) -> DataSet {
    let mut keys = Reader::of(node, &DATA_SET, format!("data set `{name}`"), mistakes);
    let generate = keys.take("generate");
    let refused = generate.is_some_and(|node| not_yet::refuse("generate", node.place, mistakes));
    let file = if refused { keys.take("file") } else { keys.need("file", mistakes) };
    let pick = keys.take("pick").and_then(|node| {
        if node.map().is_some() {
            not_yet::refuse("pick by weights", node.place, mistakes);
            return None;
        }
        read::word(node, "`pick`", &ORDERS, mistakes)
    });
    let at_end = keys.take("at_end").and_then(|node| read::word(node, "`at_end`", &["recycle", "stop"], mistakes));
    keys.finish(mistakes);
    let text = file.and_then(|file| mistakes.keep(file.as_text("`file`"))).unwrap_or_default();
    let place = file.map_or(node.place, |file| file.place);
    if pick == Some("random") && at_end == Some("stop") {
        mistakes.push(
            Mistake::at(place, "study::conflict", format!("the rows of `{name}` are random, so they never end"))
                .hint("write `pick: in_turn` or `pick: shuffled` with `at_end: stop`, or leave out `at_end`"),
        );
    }
    DataSet {
        name,
        file: text.to_owned(),
        place,
        order: match pick {
            Some("random") => RowOrder::Random,
            Some("shuffled") => RowOrder::Shuffled,
            _ => RowOrder::InTurn,
        },
        stops_at_end: at_end == Some("stop"),
    }
}
