//! Data files in memory: CSV with a header row and JSON lines, read row by row into columns.

use crate::model::{DataSet, Study};
use crate::rejected::Rejected;
use contract::{Mistake, Mistakes, Pick, Table};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

/// Mistakes shown of one file; a file of another format would otherwise give one for each row.
const SHOWN_MAX: usize = 5;
/// Bytes of one table in memory.
const TABLE_BYTES_MAX: usize = 4 * 1024 * 1024 * 1024;
/// Bytes of one row.
const ROW_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Columns of one table; they are numbered with 16 bits.
const COLUMNS_MAX: usize = 10_000;

/// Reads all data sets, in the study's order. All columns are kept: a body file may mention any of them.
///
/// # Errors
/// Files that cannot be read, rows of another length, headers that are empty or double, texts that are not UTF-8.
pub fn load_tables(study: &Study) -> Result<Vec<Arc<Table>>, Rejected> {
    let mut mistakes = Mistakes::default();
    let tables = study.data.iter().enumerate().map(|(number, set)| {
        let mut reading = Reading { set, mistakes: &mut mistakes, shown: 0 };
        let mut table = reading.read(&study.base.join(&set.file), usize::MAX).unwrap_or_default();
        if table.is_empty() && reading.shown == 0 {
            reading.wrong(None, "has no rows");
        }
        if set.is_random {
            table.pick = Pick::Random { seed: terms::seed::hash(study.seed, number as u64) };
        }
        Arc::new(table)
    });
    let tables: Vec<Arc<Table>> = tables.collect();
    check_streams(study, &tables, &mut mistakes);
    mistakes.into_result().map_err(|mistakes| Rejected { files: study.files.clone(), mistakes })?;
    Ok(tables)
}

/// Tables without rows: enough to know the columns' names.
pub(crate) fn headers(study: &Study, mistakes: &mut Mistakes) -> Vec<Arc<Table>> {
    let header = |set: &DataSet| {
        // A set without a file has its mistake already.
        if set.file.is_empty() {
            return Arc::new(Table::default());
        }
        let mut reading = Reading { set, mistakes, shown: 0 };
        Arc::new(reading.read(&study.base.join(&set.file), 0).unwrap_or_default())
    };
    study.data.iter().map(header).collect()
}

/// Number of rows of a data set.
pub(crate) fn rows(set: &DataSet, base: &Path, mistakes: &mut Mistakes) -> Option<usize> {
    let mut reading = Reading { set, mistakes, shown: 0 };
    let table = reading.read(&base.join(&set.file), usize::MAX)?;
    if table.is_empty() && reading.shown == 0 {
        reading.wrong(None, "has no rows");
    }
    (!table.is_empty()).then_some(table.len())
}

/// Says which streams have no row.
fn check_streams(study: &Study, tables: &[Arc<Table>], mistakes: &mut Mistakes) {
    let parts = study.scenarios.iter().flat_map(|scenario| scenario.parts.iter().map(move |part| (scenario, part)));
    for (scenario, streams) in parts.filter_map(|(scenario, part)| Some((scenario, part.load.streams?))) {
        let Some(table) = tables.get(usize::from(streams.data)).filter(|table| !table.is_empty()) else { continue };
        if table.len() < usize::from(streams.count) {
            let text = format!(
                "scenario `{}` has {} streams, but `{}` has only {} rows",
                scenario.name,
                streams.count,
                table.name,
                table.len()
            );
            mistakes.push(
                Mistake::at(scenario.place, "study::bad-data", text)
                    .label(format!("add rows, or write `first: {}`", table.len())),
            );
        }
    }
}

struct Reading<'a> {
    set: &'a DataSet,
    mistakes: &'a mut Mistakes,
    shown: usize,
}

impl Reading<'_> {
    fn wrong(&mut self, line: Option<u64>, what: impl std::fmt::Display) {
        self.shown += 1;
        if self.shown > SHOWN_MAX {
            return;
        }
        let DataSet { name, file, place, .. } = self.set;
        let at = line.map_or(String::new(), |line| format!(":{line}"));
        let mistake = Mistake::at(*place, "study::bad-data", format!("the data set `{name}`: `{file}{at}` {what}"));
        self.mistakes.push(mistake);
    }

    fn read(&mut self, path: &Path, rows_max: usize) -> Option<Table> {
        let file = match File::open(path) {
            Ok(file) if path.is_file() => file,
            Ok(_) => {
                self.wrong(None, "is no file");
                return None;
            }
            Err(error) => {
                self.wrong(None, format!("cannot be read: {error}"));
                return None;
            }
        };
        let is_json = path.extension().is_some_and(|end| ["jsonl", "ndjson", "json"].iter().any(|json| end == *json));
        let file = BufReader::new(file);
        if is_json { self.json_lines(file, rows_max) } else { self.csv(file, rows_max) }
    }

    fn columns(&mut self, names: Vec<String>, line: u64) -> Option<Table> {
        let before = self.shown;
        if names.is_empty() || names == [""] {
            self.wrong(Some(line), "has no columns; the first line names them");
        }
        if names.len() > COLUMNS_MAX {
            self.wrong(Some(line), format!("has more than {COLUMNS_MAX} columns"));
        }
        for (index, name) in names.iter().enumerate() {
            if name.is_empty() && names.len() > 1 {
                self.wrong(Some(line), format!("has no name for column {}", index + 1));
            } else if names[..index].contains(name) {
                self.wrong(Some(line), format!("has two columns `{name}`"));
            }
        }
        (self.shown == before).then(|| Table::new(self.set.name.clone(), names))
    }

    fn csv(&mut self, file: impl Read, rows_max: usize) -> Option<Table> {
        let mut reader = csv::ReaderBuilder::new().has_headers(true).flexible(true).from_reader(file);
        let header = match reader.byte_headers() {
            Ok(header) => header.iter().map(|name| String::from_utf8(name.to_vec())).collect::<Result<Vec<_>, _>>(),
            Err(error) => {
                self.wrong(Some(1), error);
                return None;
            }
        };
        let Ok(header) = header else {
            self.wrong(Some(1), "is not UTF-8");
            return None;
        };
        let mut table = self.columns(header.iter().map(|name| name.trim().to_owned()).collect(), 1)?;
        let mut record = csv::ByteRecord::new();
        while table.len() < rows_max && self.shown <= SHOWN_MAX {
            match reader.read_byte_record(&mut record) {
                Ok(false) => break,
                Err(error) => {
                    self.wrong(None, error);
                    break;
                }
                Ok(true) => {}
            }
            let line = record.position().map_or(0, csv::Position::line);
            if record.len() != table.columns.len() {
                let (cells, columns) = (record.len(), table.columns.len());
                self.wrong(Some(line), format!("has {cells} cells where the header has {columns}"));
            } else if record.iter().any(|cell| std::str::from_utf8(cell).is_err()) {
                self.wrong(Some(line), "is not UTF-8");
            } else {
                table.push(CellsOf { record: &record, next: 0 });
                if !self.fits(&table) {
                    break;
                }
            }
        }
        Some(table)
    }

    fn json_lines(&mut self, mut file: impl BufRead, rows_max: usize) -> Option<Table> {
        let mut table: Option<Table> = None;
        let mut buffer = Vec::new();
        let mut line = 0;
        while self.shown <= SHOWN_MAX {
            buffer.clear();
            line += 1;
            match file.by_ref().take(ROW_BYTES_MAX + 1).read_until(b'\n', &mut buffer) {
                Ok(0) => break,
                Ok(length) if length as u64 > ROW_BYTES_MAX => {
                    self.wrong(Some(line), format!("is longer than {ROW_BYTES_MAX} bytes"));
                    break;
                }
                Ok(_) => {}
                Err(error) => {
                    self.wrong(Some(line), error);
                    break;
                }
            }
            if buffer.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let Some(row) = self.object(&buffer, line) else { continue };
            if table.is_none() {
                table = Some(self.columns(row.keys().cloned().collect(), line)?);
            }
            let table = table.as_mut().expect("the first row made the table");
            if table.len() >= rows_max {
                break;
            }
            let cells: Option<Vec<String>> = table.columns.iter().map(|name| row.get(name).map(cell)).collect();
            match cells.filter(|cells| cells.len() == row.len()) {
                Some(cells) => table.push(cells.iter().map(String::as_bytes)),
                None => {
                    self.wrong(Some(line), format!("has other names than the first row: {}", table.columns.join(", ")))
                }
            }
            if !self.fits(table) {
                break;
            }
        }
        if table.is_none() && self.shown == 0 {
            self.wrong(None, "has no rows");
        }
        table
    }

    fn object(&mut self, line: &[u8], number: u64) -> Option<serde_json::Map<String, serde_json::Value>> {
        match serde_json::from_slice(line) {
            Ok(serde_json::Value::Object(row)) => Some(row),
            Ok(_) => {
                self.wrong(Some(number), "is no JSON object");
                None
            }
            Err(error) => {
                self.wrong(Some(number), format!("is no JSON: {error}"));
                None
            }
        }
    }

    fn fits(&mut self, table: &Table) -> bool {
        // The sum over all columns is asked for now and then only.
        let fits = !table.len().is_multiple_of(4096) || table.bytes() <= TABLE_BYTES_MAX;
        if !fits {
            self.wrong(None, format!("needs more than {TABLE_BYTES_MAX} bytes of memory"));
        }
        fits
    }
}

/// The cells of a record, with their number known.
struct CellsOf<'a> {
    record: &'a csv::ByteRecord,
    next: usize,
}

impl<'a> Iterator for CellsOf<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let cell = self.record.get(self.next)?;
        self.next += 1;
        Some(cell)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.record.len() - self.next;
        (left, Some(left))
    }
}

impl ExactSizeIterator for CellsOf<'_> {}

/// A text as it is, nothing for null, numbers and the rest as JSON.
fn cell(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Null => String::new(),
        other => other.to_string(),
    }
}
