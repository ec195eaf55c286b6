//! Files: the report in each format, `result.json`, and every table as CSV.

use crate::document::{Document, Table};
use crate::input::Input;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Formats that this version writes.
pub const FORMATS: [&str; 3] = ["html", "json", "csv"];

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A format that this version does not write.
    #[error("the report format `{found}` is not written by this version; possible: {}", FORMATS.join(", "))]
    UnknownFormat {
        /// The format asked for.
        found: String,
    },
    /// A file could not be written.
    #[error("`{}` could not be written: {source}; name another folder with `--out`, or make room", path.display())]
    Write {
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Writes the report into a folder: `report.html`, `result.json`, `tables/*.csv`, as far as `formats` names them. A
/// report in another language than English is `report.nl.html`. Returns what was written, in order.
///
/// # Errors
/// [`ReportError::UnknownFormat`] before anything is written; [`ReportError::Write`] with the file that failed.
pub fn write(input: &Input<'_>, folder: &Path, formats: &[&str], language: &str) -> Result<Vec<PathBuf>, ReportError> {
    if let Some(found) = formats.iter().find(|format| !FORMATS.contains(format)) {
        return Err(ReportError::UnknownFormat { found: (*found).to_owned() });
    }
    let mut written = Vec::new();
    let mut keep = |path: PathBuf, bytes: &[u8]| -> Result<(), ReportError> {
        fs::write(&path, bytes).map_err(|source| ReportError::Write { path: path.clone(), source })?;
        written.push(path);
        Ok(())
    };
    make_folder(folder)?;
    if formats.contains(&"json") {
        keep(folder.join("result.json"), crate::result_json(input).as_bytes())?;
    }
    let document = crate::document(input, language);
    if formats.contains(&"html") {
        let name = match document.language {
            "en" => "report.html".to_owned(),
            other => format!("report.{other}.html"),
        };
        keep(folder.join(name), crate::page(input, &document).as_bytes())?;
    }
    if formats.contains(&"csv") {
        make_folder(&folder.join("tables"))?;
        for (name, bytes) in tables(&document) {
            keep(folder.join("tables").join(name), &bytes)?;
        }
    }
    Ok(written)
}

fn make_folder(path: &Path) -> Result<(), ReportError> {
    fs::create_dir_all(path).map_err(|source| ReportError::Write { path: path.to_owned(), source })
}

/// Every table as CSV with unrounded numbers; names are made of our own words and slugs only.
fn tables(document: &Document) -> Vec<(String, Vec<u8>)> {
    let mut taken = BTreeSet::new();
    let mut files = Vec::new();
    for table in document.tables() {
        let base = crate::document::slug(&table.name);
        let mut name = format!("{base}.csv");
        let mut number = 2;
        while !taken.insert(name.clone()) {
            name = format!("{base}-{number}.csv");
            number += 1;
        }
        files.push((name, csv(table)));
    }
    files
}

fn csv(table: &Table) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
    let head = table.columns.iter().map(|column| {
        if column.unit.is_empty() { column.title.clone() } else { format!("{} [{}]", column.title, column.unit) }
    });
    let expect = "invariant: writing to memory cannot fail, and every row has as many cells as there are columns";
    writer.write_record(head).expect(expect);
    for row in &table.rows {
        writer.write_record(row.cells.iter().map(|cell| field(cell.raw, &cell.text))).expect(expect);
    }
    writer.into_inner().expect(expect)
}

/// A number as it is, else the text. A text that a spreadsheet would take for a formula is made plain.
fn field(raw: Option<f64>, text: &str) -> String {
    match raw {
        Some(number) => format!("{number}"),
        None if text == crate::number::MISSING => String::new(),
        None if text.starts_with(['=', '+', '-', '@', '\t', '\r']) => format!("'{text}"),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Cell, Column, Row};

    #[test]
    fn numbers_are_unrounded_and_formulas_are_plain() {
        let table = Table {
            columns: vec![Column::text("name"), Column::number("p95", "ms")],
            rows: vec![
                Row::new(vec![Cell::code("=cmd()"), Cell::number("27.3", 27.312_345)]),
                Row::new(vec![Cell::code("a,\"b\""), Cell::missing()]),
            ],
            ..Table::default()
        };
        assert_eq!(String::from_utf8(csv(&table)).unwrap(), "name,p95 [ms]\n'=cmd(),27.312345\n\"a,\"\"b\"\"\",\n");
    }
}
