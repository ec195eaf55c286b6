//! The rows of a data file that is too large to be held: read piece by piece when they are needed, out of the system's
//! page cache as a rule. A piece is some tens of kilobytes, and the index has one entry for each.

use super::row::{ROW_BYTES_MAX, cells_of};
use contract::Row;
use csv_core::ReadRecordResult;
use serde_json::Value;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// Rows of a piece.
const PIECE_ROWS_MAX: usize = 64;
/// A piece ends with the row that goes beyond so many bytes.
const PIECE_BYTES: u64 = 16 * 1024;

/// How rows are written.
#[derive(Clone, Copy, Debug)]
pub(super) enum Format {
    Csv,
    JsonLines,
}

/// Where pieces begin: first row, first byte.
#[derive(Debug, Default)]
pub(super) struct Index {
    pieces: Vec<(usize, u64)>,
}

impl Index {
    /// A row begins at that byte.
    pub(super) fn note(&mut self, row: usize, at: u64) {
        let is_next = |(first, from): (usize, u64)| row - first >= PIECE_ROWS_MAX || at - from >= PIECE_BYTES;
        if self.pieces.last().copied().is_none_or(is_next) {
            self.pieces.push((row, at));
        }
    }

    /// The piece that has a row: its first row, its first byte, and the first byte of the next piece.
    fn piece_of(&self, row: usize) -> Option<(usize, u64, Option<u64>)> {
        let next = self.pieces.partition_point(|(first, _)| *first <= row);
        let (first, from) = *self.pieces.get(next.checked_sub(1)?)?;
        Some((first, from, self.pieces.get(next).map(|(_, from)| *from)))
    }
}

/// A large data file.
#[derive(Debug)]
pub(super) struct Elsewhere {
    pub(super) file: File,
    pub(super) format: Format,
    pub(super) columns: Vec<String>,
    pub(super) index: Index,
}

impl contract::Rows for Elsewhere {
    fn read(&self, row: usize, into: &mut Row) -> bool {
        let Some((first, from, to)) = self.index.piece_of(row) else { return false };
        if into.piece_at != Some(from) {
            into.piece_at = None;
            if self.piece(from, to, &mut into.piece).is_none() {
                return false;
            }
            into.piece_at = Some(from);
        }
        match self.format {
            Format::Csv => self.csv(row - first, into),
            Format::JsonLines => self.json_line(row - first, into),
        }
    }
}

impl Elsewhere {
    fn piece(&self, from: u64, to: Option<u64>, piece: &mut Vec<u8>) -> Option<()> {
        // The last piece ends with the file, which may have grown since.
        let most = PIECE_BYTES + ROW_BYTES_MAX;
        let length = to.map_or(most, |to| (to - from).min(most + ROW_BYTES_MAX));
        piece.resize(usize::try_from(length).ok()?, 0);
        let mut filled = 0;
        while filled < piece.len() {
            match self.file.read_at(&mut piece[filled..], from + filled as u64) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => return None,
            }
        }
        piece.truncate(filled);
        Some(())
    }

    /// The row of that number within the piece. Rows before it are passed over.
    fn csv(&self, number: usize, into: &mut Row) -> bool {
        let mut reader = csv_core::Reader::new();
        let mut rest = &into.piece[..];
        // As many cells as the header had, and one more by which a row of another length is known.
        into.ends.resize(self.columns.len() + 1, 0);
        into.cells.resize(into.piece.len(), 0);
        let mut passed = 0;
        loop {
            let (mut written, mut cells) = (0, 0);
            loop {
                let (result, read, wrote, ended) =
                    reader.read_record(rest, &mut into.cells[written..], &mut into.ends[cells..]);
                (rest, written, cells) = (&rest[read..], written + wrote, cells + ended);
                match result {
                    // An empty input says that the file has ended, and what it ends with is a row.
                    ReadRecordResult::InputEmpty => {}
                    ReadRecordResult::Record => break,
                    ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull | ReadRecordResult::End => {
                        return false;
                    }
                }
            }
            if passed == number {
                into.ends.truncate(cells);
                into.cells.truncate(written);
                return cells == self.columns.len();
            }
            passed += 1;
        }
    }

    fn json_line(&self, number: usize, into: &mut Row) -> bool {
        let is_row = |line: &&[u8]| !line.iter().all(u8::is_ascii_whitespace);
        let Some(line) = into.piece.split(|byte| *byte == b'\n').filter(is_row).nth(number) else { return false };
        let Ok(Value::Object(row)) = serde_json::from_slice(line) else { return false };
        let Some(cells) = cells_of(&row, &self.columns) else { return false };
        into.cells.clear();
        into.ends.clear();
        for cell in cells {
            into.cells.extend_from_slice(cell.as_bytes());
            into.ends.push(into.cells.len());
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::reading::Reading;
    use crate::model::DataSet;
    use contract::{Mistakes, Place, Row, Table};
    use proptest::prelude::*;

    fn table(name: &str, content: &[u8], held: u64) -> Table {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(name), content).unwrap();
        let set = DataSet {
            name: "data".into(),
            file: name.into(),
            place: Place::default(),
            order: crate::model::RowOrder::InTurn,
            stops_at_end: false,
        };
        let mut mistakes = Mistakes::default();
        let table = Reading::new(&set, &mut mistakes).holding(held).read(&folder.path().join(name), usize::MAX);
        assert!(mistakes.is_empty(), "{mistakes:?}");
        table.unwrap()
    }

    /// The same file, held and not held, has the same cells, in order and out of it.
    fn same(name: &str, content: &[u8]) {
        let (held, read) = (table(name, content, u64::MAX), table(name, content, 0));
        assert_eq!((held.len(), read.bytes()), (read.len(), 0));
        let mut row = Row::default();
        let backwards = (0..held.len()).rev().step_by(7);
        for number in (0..held.len()).chain(backwards) {
            for column in 0..held.columns.len() as u16 {
                let mut found = Vec::new();
                assert!(read.append(number, column, &mut row, &mut found), "row {number}");
                assert_eq!(found, &*held.cell(number, column), "row {number}, column {column}");
            }
        }
    }

    #[test]
    fn rows_that_are_read_are_those_that_would_be_held() {
        let mut text = "\u{feff}id,name,note\r\n".to_owned();
        for number in 0..1000 {
            let note = if number % 5 == 0 { "\"two\r\nlines, \"\"quoted\"\"\"" } else { "" };
            text.push_str(&format!("{number},é{},{note}\r\n", "x".repeat(number % 97)));
            text.push_str(if number % 11 == 0 { "\r\n" } else { "" });
        }
        same("a.csv", text.as_bytes());
        same("b.csv", text.trim_end().as_bytes());
        same("one.csv", b"id\n1\n2\n\n3");
        let lines: String =
            (0..1000).map(|number| format!("{{\"id\":{number},\"t\":\"{}\"}}\n\n", "y".repeat(number % 89))).collect();
        same("c.jsonl", lines.as_bytes());
        same("d.jsonl", lines.trim_end().as_bytes());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_cells_are_read_as_they_would_be_held(rows in prop::collection::vec(("[a-z\", \\n\\r]{0,60}", "[a-z]{1,9}"), 1..200)) {
            let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
            let lines: String = rows.iter().map(|(one, two)| format!("{},{two}\n", quoted(one))).collect();
            same("p.csv", format!("one,two\n{lines}").as_bytes());
        }
    }
}
