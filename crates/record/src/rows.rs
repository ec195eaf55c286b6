//! Rows of one kind, out of the table or out of the segments that hold them.

use crate::block::Blocks;
use crate::row::{Row, take_all};
use crate::table::{Budget, TableReader};
use crate::tables::Stored;
use crate::{RecordError, segment};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An id is shown up to this length: a forged table may have any.
const RUN_ID_CHARS_MAX: usize = 100;

/// Rows of one kind, in the order in which they were recorded. Memory does not grow with their number.
pub struct Rows<T>(pub(crate) Box<dyn Iterator<Item = Result<T, RecordError>> + Send>);

impl<T> Iterator for Rows<T> {
    type Item = Result<T, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

/// Path of a table within the evidence.
pub(crate) fn table_name<T: Stored>() -> String {
    format!("{}/{}", T::STREAM.folder(), T::FILE)
}

/// Where the table of a kind of row stands.
pub(crate) fn table_path<T: Stored>(evidence: &Path) -> PathBuf {
    evidence.join(T::STREAM.folder()).join(T::FILE)
}

/// A table of a run whose rows are not kept.
pub(crate) fn table_of<T: Stored>(path: &Path, run: &str) -> Result<TableReader, RecordError> {
    let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
    open::<T>(path, Some(run), Arc::new(Budget::of(bytes)))
}

/// Rows of a table, from where it stands.
pub(crate) fn rows_of<T: Stored>(mut table: TableReader) -> impl Iterator<Item = Result<T, RecordError>> {
    std::iter::from_fn(move || table.next(T::pull))
}

/// Rows of a table that takes its share of what the tables of a folder may become.
pub(crate) fn table_rows_within<T: Stored>(
    path: &Path,
    run: Option<&str>,
    budget: Arc<Budget>,
) -> Result<impl Iterator<Item = Result<T, RecordError>> + use<T>, RecordError> {
    Ok(rows_of::<T>(open::<T>(path, run, budget)?))
}

fn open<T: Stored>(path: &Path, run: Option<&str>, budget: Arc<Budget>) -> Result<TableReader, RecordError> {
    let table = TableReader::open(path, T::columns(), budget)?;
    if let (Some(of), Some(run)) = (table.run(), run)
        && of != run
    {
        return Err(RecordError::ForeignTable {
            path: path.to_owned(),
            run: of.chars().take(RUN_ID_CHARS_MAX).collect(),
        });
    }
    Ok(table)
}

/// Rows of one kind in a stream's segments.
pub(crate) fn segment_rows<T: Row>(
    evidence: &Path,
) -> Result<impl Iterator<Item = Result<T, RecordError>> + use<T>, RecordError> {
    let mut blocks = Blocks::unchecked(segment::list(evidence, T::STREAM)?);
    let (mut rows, mut is_over) = (Vec::new().into_iter(), false);
    Ok(std::iter::from_fn(move || {
        while !is_over {
            if let Some(row) = rows.next() {
                return Some(Ok(row));
            }
            match blocks.next() {
                // Of a block that cannot be decoded nothing is taken; whoever opened the folder has told it as damage.
                Ok(Some(block)) if block.kind == T::KIND => {
                    rows = take_all(&block.payload).unwrap_or_default().into_iter();
                }
                Ok(Some(_)) => {}
                Ok(None) => is_over = true,
                Err(error) => {
                    is_over = true;
                    return Some(Err(error));
                }
            }
        }
        None
    }))
}
