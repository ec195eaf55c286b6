//! What the tables of a folder may become in memory, all together.
//!
//! Whoever judges a run keeps its rows, so a table of a megabyte whose rows are all alike could take gigabytes.

use parquet::errors::{ParquetError, Result};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What they may become, whatever their length: four million samples, which is half a day of a hundred metrics …
const BYTES_FREE: u64 = 512 * 1024 * 1024;
/// … and for each byte of their files. A row of ours takes two bytes or more there once there are millions, and some
/// hundred in memory.
const PER_BYTE: u64 = 64;

/// Bytes that rows take once they are decoded, by table. One that is read again counts once.
#[derive(Debug)]
pub(crate) struct Budget {
    most: u64,
    taken: Mutex<BTreeMap<PathBuf, u64>>,
}

impl Budget {
    /// For tables that are so long together.
    pub(crate) fn of(file_bytes: u64) -> Self {
        let most = BYTES_FREE.saturating_add(file_bytes.saturating_mul(PER_BYTE));
        Self { most, taken: Mutex::default() }
    }

    /// A table has become so long.
    pub(super) fn take(&self, table: &Path, bytes: u64) -> Result<()> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let known = taken.entry(table.to_owned()).or_default();
        *known = bytes.max(*known);
        if taken.values().fold(0, |sum: u64, bytes| sum.saturating_add(*bytes)) <= self.most {
            return Ok(());
        }
        // What it does not get, others may have.
        taken.remove(table);
        Err(ParquetError::General(format!(
            "with it the tables become more than {} MiB in memory, which no tables of their length do",
            self.most >> 20
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_share_what_they_may_become_and_one_that_is_read_again_counts_once() {
        let budget = Budget::of(1 << 20);
        let (one, other) = (Path::new("one"), Path::new("other"));
        for _ in 0..3 {
            assert!(budget.take(one, 400 << 20).is_ok());
        }
        assert!(budget.take(other, 176 << 20).is_ok(), "512 MiB and 64 for the one of the files");
        assert!(budget.take(other, 177 << 20).is_err());
        assert!(budget.take(Path::new("third"), 176 << 20).is_ok(), "what was refused is given back");
    }
}
