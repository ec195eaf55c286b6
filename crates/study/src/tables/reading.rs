//! Reads a data file once, row by row: what is wrong with it, its columns, and its rows or where they are.

use super::elsewhere::{Elsewhere, Format, Index};
use super::row::{ROW_BYTES_MAX, cells_of};
use crate::model::DataSet;
use contract::{Mistake, Mistakes, Table};
use serde_json::{Map, Value};
use std::cell::Cell;
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

/// Mistakes shown of one file; a file of another format would otherwise give one for each row.
const SHOWN_MAX: usize = 5;
/// A file up to this size is held in memory; of a larger one only an index is.
const HELD_BYTES_MAX: u64 = 8 * 1024 * 1024;
/// Columns of one table.
const COLUMNS_MAX: usize = 1000;
/// Rows of one table; so many have an index of some tens of megabytes.
const ROWS_MAX: usize = 100_000_000;

/// A data file being read.
pub(super) struct Reading<'a> {
    set: &'a DataSet,
    mistakes: &'a mut Mistakes,
    shown: usize,
    held_bytes_max: u64,
}

/// What has been read so far: the table, and the index of one that is too large to be held.
struct Rows {
    table: Table,
    index: Option<Index>,
    count: usize,
}

impl Rows {
    /// Takes a row that begins at that byte of the file; `false` when there are too many.
    fn take<'c>(&mut self, at: u64, cells: impl ExactSizeIterator<Item = &'c [u8]>) -> bool {
        match &mut self.index {
            Some(index) => index.note(self.count, at),
            None => self.table.push(cells),
        }
        self.count += 1;
        self.count <= ROWS_MAX
    }

    fn into_table(self, file: File, format: Format) -> Table {
        let Some(index) = self.index else { return self.table };
        let columns = self.table.columns.clone();
        self.table.read_by(self.count, Arc::new(Elsewhere { file, format, columns, index }))
    }
}

impl<'a> Reading<'a> {
    pub(super) fn new(set: &'a DataSet, mistakes: &'a mut Mistakes) -> Self {
        Self { set, mistakes, shown: 0, held_bytes_max: HELD_BYTES_MAX }
    }

    /// The same, with a given bound on what is held in memory.
    #[cfg(test)]
    pub(super) fn holding(self, held_bytes_max: u64) -> Self {
        Self { held_bytes_max, ..self }
    }

    pub(super) fn has_mistakes(&self) -> bool {
        self.shown > 0
    }

    pub(super) fn wrong(&mut self, line: Option<u64>, what: impl std::fmt::Display) {
        self.shown += 1;
        if self.shown > SHOWN_MAX {
            return;
        }
        let DataSet { name, file, place, .. } = self.set;
        let at = line.map_or(String::new(), |line| format!(":{line}"));
        let mistake = Mistake::at(*place, "study::bad-data", format!("the data set `{name}`: `{file}{at}` {what}"));
        self.mistakes.push(mistake);
    }

    /// Reads at most so many rows.
    pub(super) fn read(&mut self, path: &Path, rows_max: usize) -> Option<Table> {
        let opened = contract::open_file(path).and_then(|file| {
            let cannot = |error: std::io::Error| format!("cannot be read: {error}");
            let size = file.metadata().map_err(cannot)?.len();
            Ok((size, file.try_clone().map_err(cannot)?, file))
        });
        let (size, file, again) = match opened {
            Ok(opened) => opened,
            Err(why) => {
                self.wrong(None, why);
                return None;
            }
        };
        let index = (size > self.held_bytes_max && rows_max > 0).then(Index::default);
        let is_json = path.extension().is_some_and(|end| ["jsonl", "ndjson", "json"].iter().any(|json| end == *json));
        let (rows, format) = if is_json {
            (self.json_lines(BufReader::new(file), index, rows_max)?, Format::JsonLines)
        } else {
            (self.csv(file, index, rows_max)?, Format::Csv)
        };
        Some(rows.into_table(again, format))
    }

    fn columns(&mut self, names: Vec<String>, line: u64) -> Option<Table> {
        let before = self.shown;
        if names.is_empty() || names == [""] {
            self.wrong(Some(line), "has no columns; the first line names them");
        }
        if names.len() > COLUMNS_MAX {
            self.wrong(Some(line), format!("has {} columns; at most {COLUMNS_MAX} are allowed", names.len()));
            return None;
        }
        let mut seen = HashSet::new();
        for (index, name) in names.iter().enumerate() {
            if name.is_empty() && names.len() > 1 {
                self.wrong(Some(line), format!("has no name for column {}", index + 1));
            } else if !seen.insert(name) {
                self.wrong(Some(line), format!("has two columns `{name}`"));
            }
        }
        (self.shown == before).then(|| Table::new(self.set.name.clone(), names))
    }

    fn too_many(&mut self) {
        self.wrong(None, format!("has more than {ROWS_MAX} rows"));
    }

    fn csv(&mut self, file: File, index: Option<Index>, rows_max: usize) -> Option<Rows> {
        let left = Rc::new(Cell::new(ROW_BYTES_MAX));
        let file = Bounded { file, left: left.clone() };
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
        let table = self.columns(header.iter().map(|name| name.trim().to_owned()).collect(), 1)?;
        let columns = table.columns.len();
        let mut rows = Rows { table, index, count: 0 };
        let mut record = csv::ByteRecord::new();
        while rows.count < rows_max && self.shown <= SHOWN_MAX {
            left.set(ROW_BYTES_MAX);
            match reader.read_byte_record(&mut record) {
                Ok(false) => break,
                Err(error) => {
                    self.wrong(None, error);
                    break;
                }
                Ok(true) => {}
            }
            let (line, at) = record.position().map_or((0, 0), |position| (position.line(), position.byte()));
            if record.len() != columns {
                let cells = record.len();
                self.wrong(Some(line), format!("has {cells} cells where the header has {columns}"));
            } else if record.iter().any(|cell| std::str::from_utf8(cell).is_err()) {
                self.wrong(Some(line), "is not UTF-8");
            } else if !rows.take(at, CellsOf { record: &record, next: 0 }) {
                self.too_many();
                break;
            }
        }
        Some(rows)
    }

    fn json_lines(&mut self, mut file: impl BufRead, mut index: Option<Index>, rows_max: usize) -> Option<Rows> {
        let mut rows: Option<Rows> = None;
        let mut buffer = Vec::new();
        let (mut line, mut next) = (0, 0);
        while self.shown <= SHOWN_MAX {
            buffer.clear();
            line += 1;
            let at = next;
            match file.by_ref().take(ROW_BYTES_MAX + 1).read_until(b'\n', &mut buffer) {
                Ok(0) => break,
                Ok(length) if length as u64 > ROW_BYTES_MAX => {
                    self.wrong(Some(line), format!("is longer than {ROW_BYTES_MAX} bytes"));
                    break;
                }
                Ok(length) => next += length as u64,
                Err(error) => {
                    self.wrong(Some(line), error);
                    break;
                }
            }
            if buffer.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let Some(row) = self.object(&buffer, line) else { continue };
            if rows.is_none() {
                let table = self.columns(row.keys().cloned().collect(), line)?;
                rows = Some(Rows { table, index: index.take(), count: 0 });
            }
            let rows = rows.as_mut().expect("the first row made the table");
            if rows.count >= rows_max {
                break;
            }
            match cells_of(&row, &rows.table.columns) {
                Some(cells) => {
                    if !rows.take(at, cells.iter().map(String::as_bytes)) {
                        self.too_many();
                        break;
                    }
                }
                None => {
                    let names = rows.table.columns.join(", ");
                    self.wrong(Some(line), format!("has other names than the first row: {names}"));
                }
            }
        }
        if rows.is_none() && self.shown == 0 {
            self.wrong(None, "has no rows");
        }
        rows
    }

    fn object(&mut self, line: &[u8], number: u64) -> Option<Map<String, Value>> {
        match serde_json::from_slice(line) {
            Ok(Value::Object(row)) => Some(row),
            Ok(_) => {
                self.wrong(Some(number), "is not a JSON object");
                None
            }
            Err(error) => {
                self.wrong(Some(number), format!("is not JSON: {error}"));
                None
            }
        }
    }
}

/// A reader that gives at most so many bytes until it is notified of the end of a row.
struct Bounded {
    file: File,
    left: Rc<Cell<u64>>,
}

impl Read for Bounded {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.left.get() == 0 {
            return Err(std::io::Error::other(format!("has a row of more than {ROW_BYTES_MAX} bytes")));
        }
        let read = self.file.read(into)?;
        // What is read ahead of a row's end counts to the next row, and is far less than a row may have.
        self.left.set(self.left.get().saturating_sub(read as u64));
        Ok(read)
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
