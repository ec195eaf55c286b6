//! Rows that a table holds over and over.
//!
//! Rows are additive, so each copy of one would count as measured. A thread hands over a second's ends once, and once
//! more whenever a step begins within it; more rows of the same second than that were never written by a run.

use crate::tables::Stored;
use crate::{Head, RecordError};
use std::path::{Path, PathBuf};

/// Threads of a run that does not say how many it had.
const WORKERS_MAX: u64 = 4096;
/// Beside its steps: a thread that was held up books two seconds' ends in one, and one that ends hands over once more.
const HANDED_OVER_BESIDE: u64 = 4;

/// The rows of a table, with an error behind them where some are repeated.
pub(crate) struct Unrepeated<I> {
    rows: I,
    path: PathBuf,
    most: u64,
    keys: Vec<u64>,
    is_over: bool,
}

impl<I> Unrepeated<I> {
    pub(crate) fn new(rows: I, path: &Path, head: &Head) -> Self {
        let workers = if head.workers == 0 { WORKERS_MAX } else { head.workers.into() };
        let most = workers.saturating_mul(head.steps.len() as u64 + HANDED_OVER_BESIDE);
        Self { rows, path: path.to_owned(), most, keys: Vec::new(), is_over: false }
    }

    /// The error that the rows end with, where they do.
    fn repeated(&mut self) -> Option<RecordError> {
        let mut keys = std::mem::take(&mut self.keys);
        keys.sort_unstable();
        let count = keys.chunk_by(|a, b| a == b).map(|same| same.len() as u64).max()?;
        let what = || {
            format!("{count} of its rows are of one second of one load, and its threads wrote {} at most", self.most)
        };
        (count > self.most).then(|| RecordError::table(&self.path, what()))
    }
}

impl<T: Stored, I: Iterator<Item = Result<T, RecordError>>> Iterator for Unrepeated<I> {
    type Item = Result<T, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let row = self.rows.next();
        match &row {
            Some(Ok(row)) => self.keys.extend(row.key()),
            Some(Err(_)) => self.is_over = true,
            None => {
                self.is_over = true;
                return self.repeated().map(Err);
            }
        }
        row
    }
}
