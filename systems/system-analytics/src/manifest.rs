//! What lies beside the segments of a table and says what they are: how many rows each has, and what its bytes add up to.
//!
//! The receiver writes it last, so a folder with a manifest is whole. An analyzer trusts neither: names, sizes and checksums
//! are held against what is there.

use std::fs::File;
use std::io::{Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Name of the file.
const FILE: &str = "table.json";
/// Longest one, and most segments.
const BYTES_MAX: u64 = 4 << 20;
const SEGMENTS_MAX: usize = 20_000;

/// Columns that every segment has beside the attributes of its stream: the row's number in the table, from 0 on, and the
/// time of the event in milliseconds.
pub(crate) const ROW: &str = "event_row";
pub(crate) const AT: &str = "event_at";

/// The segments of a table.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub(crate) struct Manifest {
    pub(crate) table: String,
    /// Another one for each export.
    pub(crate) export: String,
    pub(crate) rows: u64,
    pub(crate) columns: Vec<String>,
    /// In the order of their rows.
    pub(crate) segments: Vec<Segment>,
}

/// A file of rows that follow each other.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub(crate) struct Segment {
    /// Its name in the folder of the table.
    pub(crate) file: String,
    pub(crate) rows: u64,
    pub(crate) bytes: u64,
    /// CRC-32 of all of them.
    pub(crate) crc32: u32,
}

/// Name of the segment of that number.
pub(crate) fn file_name(number: usize) -> String {
    format!("{number:06}.parquet")
}

/// Where the segments of a table lie; `None` for what is not the name of a table.
pub(crate) fn folder_of(segments: &Path, table: &str) -> Option<PathBuf> {
    let is_plain = |c: char| c.is_alphanumeric() || c == '_';
    (!table.is_empty() && table.len() <= 512 && table.chars().all(is_plain)).then(|| segments.join(table))
}

impl Manifest {
    /// Reads that of a table.
    ///
    /// # Errors
    /// A table that was not exported, or a manifest that contradicts itself.
    pub(crate) fn read(segments: &Path, table: &str) -> Result<Self, String> {
        let folder = folder_of(segments, table).ok_or_else(|| format!("`{}` is not a table", table.escape_debug()))?;
        let path = folder.join(FILE);
        let mut text = Vec::new();
        let opened = File::open(&path).and_then(|file| file.take(BYTES_MAX + 1).read_to_end(&mut text));
        match opened {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(format!(
                    "the table {table} was not exported to `{}`; send `POST /tables/{table}/export` to the receiver",
                    segments.display()
                ));
            }
            Err(error) => return Err(format!("`{}` cannot be read: {error}", path.display())),
            Ok(_) if text.len() as u64 > BYTES_MAX => {
                return Err(format!("`{}` is longer than {BYTES_MAX} bytes", path.display()));
            }
            Ok(_) => {}
        }
        let wrong = |why: String| format!("`{}` is not the manifest of a table: {why}", path.display());
        let read: Self = serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
        read.checked(table).map_err(wrong)
    }

    fn checked(self, table: &str) -> Result<Self, String> {
        if self.table != table {
            return Err(format!("it is that of `{}`", self.table.escape_debug()));
        }
        if self.segments.len() > SEGMENTS_MAX {
            return Err(format!("it names more than {SEGMENTS_MAX} segments"));
        }
        if let Some((number, segment)) =
            self.segments.iter().enumerate().find(|(number, segment)| segment.file != file_name(number + 1))
        {
            return Err(format!(
                "segment {} is called `{}` instead of `{}`",
                number + 1,
                segment.file.escape_debug(),
                file_name(number + 1)
            ));
        }
        let rows = self.segments.iter().try_fold(0u64, |sum, segment| sum.checked_add(segment.rows));
        if rows != Some(self.rows) {
            return Err(format!("its segments do not add up to {} rows", self.rows));
        }
        Ok(self)
    }

    /// Writes it, durable.
    ///
    /// # Errors
    /// The disk does not take it.
    pub(crate) fn write(&self, folder: &Path) -> std::io::Result<()> {
        let mut file = File::create(folder.join(FILE))?;
        serde_json::to_writer_pretty(&mut file, self).map_err(std::io::Error::from)?;
        file.flush()?;
        file.sync_all()
    }

    /// Bytes of all segments.
    pub(crate) fn bytes(&self) -> u64 {
        self.segments.iter().fold(0, |sum, segment| sum.saturating_add(segment.bytes))
    }

    /// The segments that have rows of this range.
    pub(crate) fn within(&self, range: &Range<u64>) -> Vec<&Segment> {
        let mut begin = 0;
        let mut within = Vec::new();
        for segment in &self.segments {
            let end = begin + segment.rows;
            if begin.max(range.start) < end.min(range.end) {
                within.push(segment);
            }
            begin = end;
        }
        within
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(rows: &[u64]) -> Manifest {
        let segment =
            |(number, rows): (usize, &u64)| Segment { file: file_name(number + 1), rows: *rows, bytes: 10, crc32: 0 };
        Manifest {
            table: "HOME".into(),
            export: "1".into(),
            rows: rows.iter().sum(),
            columns: vec![ROW.into()],
            segments: rows.iter().enumerate().map(segment).collect(),
        }
    }

    #[test]
    fn a_range_touches_the_segments_that_have_rows_of_it() {
        let manifest = manifest(&[10, 10, 0, 5]);
        let within =
            |range| manifest.within(&range).iter().map(|segment| segment.file[5..6].to_owned()).collect::<String>();
        assert_eq!(within(0..25), "124");
        assert_eq!((within(0..10), within(9..11), within(10..20)), ("1".into(), "12".into(), "2".into()));
        assert_eq!((within(20..21), within(25..30), within(5..5)), ("4".into(), String::new(), String::new()));
    }

    #[test]
    fn what_contradicts_itself_is_refused_and_a_path_is_not_a_table() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("HOME");
        std::fs::create_dir(&folder).unwrap();
        assert!(Manifest::read(place.path(), "HOME").unwrap_err().contains("was not exported"));
        let good = manifest(&[3, 4]);
        good.write(&folder).unwrap();
        assert_eq!(Manifest::read(place.path(), "HOME"), Ok(good.clone()));
        for (what, change) in [
            ("do not add up", &(|it: &mut Manifest| it.rows = 8) as &dyn Fn(&mut Manifest)),
            ("do not add up", &|it| it.segments[0].rows = u64::MAX),
            ("instead of `000002.parquet`", &|it| it.segments[1].file = "../../etc/passwd".into()),
            ("that of `OTHER`", &|it| it.table = "OTHER".into()),
        ] {
            let mut wrong = good.clone();
            change(&mut wrong);
            wrong.write(&folder).unwrap();
            let message = Manifest::read(place.path(), "HOME").unwrap_err();
            assert!(message.contains(what), "{message}");
        }
        std::fs::write(folder.join(FILE), "{").unwrap();
        assert!(Manifest::read(place.path(), "HOME").unwrap_err().contains("is not the manifest"));
        for path in ["", "..", "a/b", "/etc", "HOME\0", "."] {
            assert_eq!(folder_of(place.path(), path), None, "{path}");
        }
    }
}
