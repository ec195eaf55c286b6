//! A part of a query: a range of a table's rows, which one engine aggregates.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::engine::{Engine, Source, Statement};
use super::merge::PartRow;
use super::queries::Query;
use crate::manifest::{Manifest, Segment, folder_of};

/// What a peer is asked.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub(crate) struct Part {
    pub(crate) query: String,
    /// The export that the rows are of: a peer that sees another one must not answer.
    pub(crate) export: String,
    pub(crate) from: u64,
    pub(crate) to: u64,
}

impl Part {
    /// Its rows, of a table that has them up to `end`.
    ///
    /// # Errors
    /// Rows that the table does not have, or none, in a sentence for the job.
    pub(crate) fn rows(&self, table: &str, end: u64) -> Result<Range<u64>, String> {
        if self.from < self.to && self.to <= end {
            return Ok(self.from..self.to);
        }
        Err(format!("the table {table} has no rows {} to {}", self.from, self.to))
    }
}

/// What is found, as the engine wrote it: whoever merges it reads it, and nobody before.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Found(String);

impl Found {
    /// What an engine has written.
    pub(crate) fn written(answer: String) -> Self {
        Self(answer)
    }

    /// What somebody else says that was found.
    ///
    /// # Errors
    /// Bytes that are not text.
    pub(crate) fn received(bytes: &[u8]) -> Result<Self, String> {
        std::str::from_utf8(bytes).map(|text| Self(text.to_owned())).map_err(|error| error.to_string())
    }

    /// As it goes to a peer.
    pub(crate) fn text(self) -> String {
        self.0
    }

    /// The groups.
    ///
    /// # Errors
    /// Something else.
    pub(crate) fn groups(&self) -> Result<Vec<PartRow>, String> {
        serde_json::from_str(&self.0).map_err(|error| error.to_string())
    }
}

/// So many rows in equal ranges, each the largest by a row at most; none is empty.
pub(crate) fn split(rows: u64, pieces: usize) -> Vec<Range<u64>> {
    let pieces = pieces.max(1) as u128;
    let at = |piece: u128| (u128::from(rows) * piece / pieces) as u64;
    (0..pieces).map(|piece| at(piece)..at(piece + 1)).filter(|range| !range.is_empty()).collect()
}

/// Segments, as far as this analyzer has made sure of them.
pub(crate) struct Segments {
    folder: PathBuf,
    /// Of the files that add up: size, time of change and number.
    verified: Mutex<HashMap<PathBuf, (u64, i64, i64, u64)>>,
}

/// Files that are remembered to be right.
const VERIFIED_MAX: usize = 100_000;

impl Segments {
    pub(crate) fn of(folder: PathBuf) -> Self {
        Self { folder, verified: Mutex::default() }
    }

    /// The manifest of a query's table.
    ///
    /// # Errors
    /// A table that is missing, or has other columns.
    pub(crate) fn manifest(&self, query: &Query) -> Result<Manifest, String> {
        let manifest = Manifest::read(&self.folder, query.table)?;
        match query.columns.iter().find(|column| !manifest.columns.iter().any(|own| own == *column)) {
            Some(column) => Err(format!("the table {} has no column `{column}`", query.table)),
            None => Ok(manifest),
        }
    }

    /// Carries a part out. Blocks.
    ///
    /// # Errors
    /// Why it cannot be, in a sentence for the job.
    pub(crate) fn carry_out(
        &self,
        query: &'static Query,
        part: &Part,
        engine: &Engine,
        within: Duration,
    ) -> Result<Found, String> {
        let manifest = self.manifest(query)?;
        if manifest.export != part.export {
            return Err(format!("the table {} was exported anew meanwhile", query.table));
        }
        let range = part.rows(query.table, manifest.rows)?;
        let folder = folder_of(&self.folder, query.table).ok_or("the table cannot be called so in a folder")?;
        let mut files = Vec::new();
        for segment in manifest.within(&range) {
            files.push(self.verify(&folder, segment)?);
        }
        let source = Source::Segments(files);
        let statement = Statement { source, from: range.start, to: range.end, sql: query.sql };
        engine.run(&statement, within).map(Found::written)
    }

    /// Makes sure that a segment is the one that was exported; a file that has not changed since is not read again.
    fn verify(&self, folder: &Path, segment: &Segment) -> Result<PathBuf, String> {
        let path = folder.join(&segment.file);
        let unreadable = |error: std::io::Error| format!("the segment `{}` cannot be read: {error}", path.display());
        let path = std::path::absolute(&path).map_err(unreadable)?;
        // Looked at before it is opened: opening a pipe would wait for its other end.
        let seen = std::fs::symlink_metadata(&path).map_err(unreadable)?;
        if !seen.is_file() {
            return Err(format!("the segment `{}` is not a file", path.display()));
        }
        if seen.len() != segment.bytes {
            let (found, expected) = (seen.len(), segment.bytes);
            return Err(format!("the segment `{}` has {found} bytes instead of {expected}", path.display()));
        }
        let state = (seen.len(), seen.mtime(), seen.mtime_nsec(), seen.ino());
        let known = || self.verified.lock().unwrap_or_else(PoisonError::into_inner);
        if known().get(&path) == Some(&state) {
            return Ok(path);
        }
        let mut file = File::open(&path).map_err(unreadable)?;
        let (mut crc, mut buffer) = (crc32fast::Hasher::new(), vec![0; 1 << 20]);
        loop {
            match file.read(&mut buffer).map_err(unreadable)? {
                0 => break,
                count => crc.update(&buffer[..count]),
            }
        }
        if crc.finalize() != segment.crc32 {
            return Err(format!("the segment `{}` is damaged: its checksum is another one", path.display()));
        }
        let mut known = known();
        if known.len() >= VERIFIED_MAX {
            known.clear();
        }
        known.insert(path.clone(), state);
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ranges_are_equal_and_none_is_empty() {
        assert_eq!(split(10, 3), [0..3, 3..6, 6..10]);
        assert_eq!((split(2, 3), split(0, 3), split(6, 0).len()), (vec![0..1, 1..2], vec![], 1));
        assert_eq!(split(u64::MAX, 2).last().unwrap().end, u64::MAX);
    }

    proptest! {
        #[test]
        fn each_row_is_in_one_range(rows in 0u64..10_000, pieces in 1usize..20) {
            let ranges = split(rows, pieces);
            let mut next = 0;
            for range in &ranges {
                prop_assert_eq!(range.start, next);
                next = range.end;
            }
            prop_assert_eq!(next, rows);
            let sizes = || ranges.iter().map(|range| range.end - range.start);
            prop_assert!(sizes().max().unwrap_or(0) - sizes().min().unwrap_or(0) <= 1);
        }
    }
}
