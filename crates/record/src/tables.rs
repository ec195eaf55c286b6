//! The tables: which columns each kind of row has, and how it goes in and out of them. Here is what all of them share.

mod beside;
mod load;

use crate::names::Names;
use crate::row::Row;
use crate::table::{Cells, Column, Kind, TableWriter};

/// A kind of row that has a table.
///
/// A row's fields stand here as well as in [`Row`], and not in one list for both: a table has names beside numbers, six
/// columns for a histogram and null for no stream, so most fields would be exceptions; a round trip through both forms
/// (`tests::rows`) compares whole rows.
pub(crate) trait Stored: Row {
    /// Its file's name within the folder of its stream.
    const FILE: &'static str;
    fn columns() -> Vec<Column>;
    /// Whether folders of earlier versions lack it, and have no such rows then.
    const IS_ADDED: bool = false;
    fn push(&self, names: &Names, table: &mut TableWriter);
    fn pull(cells: &mut Cells) -> Option<Self>;
    /// What a thread writes one row of when it hands over, as a sum; `None` where there may be any number.
    fn key(&self) -> Option<u64> {
        None
    }
}

fn columns(parts: impl IntoIterator<Item = Vec<Column>>) -> Vec<Column> {
    parts.into_iter().flatten().collect()
}

fn ints<const N: usize>(names: [&str; N]) -> Vec<Column> {
    names.into_iter().map(|name| Column::new(name, Kind::Int)).collect()
}

fn texts<const N: usize>(names: [&str; N]) -> Vec<Column> {
    names.into_iter().map(|name| Column::new(name, Kind::Text)).collect()
}

fn labels<const N: usize>(names: [&str; N]) -> Vec<Column> {
    names.into_iter().map(|name| Column::label(name, Kind::Text)).collect()
}

/// Where in the plan: the step's number, and its names for people.
fn step_columns() -> Vec<Column> {
    let repetition = vec![Column::label("repetition", Kind::Int)];
    columns([ints(["step"]), labels(["scenario", "part", "step_id", "phase"]), repetition])
}

fn push_step(step: u32, names: &Names, table: &mut TableWriter) {
    table.int(step.into());
    names.step(step).into_iter().for_each(|name| table.text(name));
    table.int(names.repetition(step).into());
}
