//! Whether two copies of the same rows are alike: a table and the segments that it was made from.

use crate::row::{Row, Stream};
use crate::rows::{rows_of, segment_rows, table_name, table_of, table_path};
use crate::shape::Source;
use crate::tables::Stored;
use crate::{ClockPair, EngineRow, EventRow, RecordError, SampleRow, StepMark};
use crc32fast::Hasher;
use recorder::{IterationRow, LegRow, NoteRow, OutcomeRow, SlowRow, StartRow};
use std::path::Path;
use std::thread::Builder;

/// Rows in order as a number and a sum, to compare two copies that do not fit into memory.
#[derive(Default)]
pub(crate) struct Digest {
    pub(crate) rows: u64,
    sum: Hasher,
}

impl PartialEq for Digest {
    fn eq(&self, other: &Self) -> bool {
        let sum = |digest: &Self| digest.sum.clone().finalize();
        self.rows == other.rows && sum(self) == sum(other)
    }
}

impl Digest {
    /// `scratch` is only to keep its memory from row to row.
    pub(crate) fn add<T: Row>(&mut self, row: &T, scratch: &mut Vec<u8>) {
        scratch.clear();
        row.put(scratch);
        self.sum.update(scratch);
        self.rows += 1;
    }

    /// Takes rows behind its own.
    fn join(mut self, behind: &Self) -> Self {
        self.rows += behind.rows;
        self.sum.combine(&behind.sum);
        self
    }

    fn of<T: Row>(rows: impl Iterator<Item = Result<T, RecordError>>) -> Result<Self, RecordError> {
        let (mut digest, mut scratch) = (Self::default(), Vec::new());
        for row in rows {
            digest.add(&row?, &mut scratch);
        }
        Ok(digest)
    }

    /// Of the rows of a table of a run; of a long one, the second half is read beside the first.
    pub(crate) fn of_table<T: Stored>(path: &Path, run: &str) -> Result<Self, RecordError> {
        let mut table = table_of::<T>(path, run)?;
        if table.groups() < 2 {
            return Self::of(rows_of::<T>(table));
        }
        let rest = table.divide()?;
        std::thread::scope(|scope| {
            let of_rest = || Self::of(rows_of::<T>(rest));
            let Ok(beside) = Builder::new().name("read back".to_owned()).spawn_scoped(scope, of_rest) else {
                // The system gives no thread.
                return Self::of(rows_of::<T>(table_of::<T>(path, run)?));
            };
            let first = Self::of(rows_of::<T>(table));
            let rest = beside.join().unwrap_or_else(|defect| std::panic::resume_unwind(defect));
            Ok(first?.join(&rest?))
        })
    }
}

/// Refuses a folder without a seal in which a table holds other rows than the segments beside it.
///
/// A run that was killed while it was sealed has such tables, and they hold the same rows. Where they do not, one of the
/// two is not this run's, or has lost what the other has, and nobody knows which. A table that cannot be read was cut
/// off while it was written; the segments count.
pub(crate) fn check_tables_beside_segments(
    evidence: &Path,
    run: &str,
    sources: &[Source; 3],
) -> Result<(), RecordError> {
    for (source, stream) in sources.iter().zip(Stream::ALL) {
        if *source != Source::Segments {
            continue;
        }
        match stream {
            Stream::Load => {
                check::<IterationRow>(evidence, run)?;
                check::<LegRow>(evidence, run)?;
                check::<StartRow>(evidence, run)?;
                check::<OutcomeRow>(evidence, run)?;
                check::<NoteRow>(evidence, run)?;
                check::<SlowRow>(evidence, run)?;
                check::<EngineRow>(evidence, run)?;
            }
            Stream::Watch => check::<SampleRow>(evidence, run)?,
            Stream::Events => {
                check::<EventRow>(evidence, run)?;
                check::<StepMark>(evidence, run)?;
                check::<ClockPair>(evidence, run)?;
            }
        }
    }
    Ok(())
}

fn check<T: Stored>(evidence: &Path, run: &str) -> Result<(), RecordError> {
    let path = table_path::<T>(evidence);
    let Ok(table) = Digest::of_table::<T>(&path, run) else { return Ok(()) };
    let segments = Digest::of(segment_rows::<T>(evidence)?)?;
    if table == segments {
        return Ok(());
    }
    let (name, folder) = (table_name::<T>(), T::STREAM.folder());
    let what = format!(
        "`{name}` holds {} rows and the segments in `{folder}` hold {} of that kind: they are not the same record, and \
         there is no manifest to say which is this run's. Restore the folder from a copy, or move what does not belong \
         there out of it",
        table.rows, segments.rows
    );
    Err(RecordError::not_a_run(evidence, what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_rows_give_the_digest_of_all_of_them() {
        let digest = |seconds: std::ops::Range<i64>| {
            let mut digest = Digest::default();
            seconds.for_each(|second| digest.add(&EngineRow { second, ..EngineRow::default() }, &mut Vec::new()));
            digest
        };
        for middle in 0..10 {
            assert!(digest(0..middle).join(&digest(middle..10)) == digest(0..10), "{middle}");
        }
        assert!(digest(5..10).join(&digest(0..5)) != digest(0..10));
    }

    #[test]
    fn a_digest_sees_another_row_another_order_and_another_number() {
        let digest = |seconds: &[i64]| {
            let mut digest = Digest::default();
            for &second in seconds {
                digest.add(&EngineRow { second, ..EngineRow::default() }, &mut Vec::new());
            }
            digest
        };
        assert!(digest(&[1, 2]) == digest(&[1, 2]));
        for other in [&[1, 3][..], &[2, 1], &[1], &[1, 2, 2], &[]] {
            assert!(digest(&[1, 2]) != digest(other), "{other:?}");
        }
    }
}
