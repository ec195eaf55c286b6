//! Groups of rows on their way to the file: of a long table on a thread of its own, while the next group is filled.

use super::{Column, Kind};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use std::collections::HashMap;
use std::fs::File;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::{Builder, JoinHandle};

/// Texts of a column that are kept, for rows that have them again: names, of which a table has few.
const KNOWN_MAX: usize = 1024;
/// A longer text is a message, and seldom comes twice.
const KNOWN_BYTES: usize = 64;

/// Cells of one column that are not written yet.
#[derive(Default)]
pub(super) struct Buffer {
    pub(super) ints: Vec<i64>,
    pub(super) floats: Vec<f64>,
    pub(super) flags: Vec<bool>,
    pub(super) bytes: Vec<ByteArray>,
    pub(super) definition: Vec<i16>,
    pub(super) repetition: Vec<i16>,
    known: HashMap<Box<str>, ByteArray>,
}

impl Buffer {
    /// Adds a text; of one that is known nothing is copied. A row has up to seven names, most of them those of the row
    /// before.
    pub(super) fn push_text(&mut self, text: &str) {
        let latest = self.bytes.last().filter(|latest| latest.data() == text.as_bytes());
        if let Some(known) = latest.or_else(|| self.known.get(text)) {
            return self.bytes.push(known.clone());
        }
        let value = ByteArray::from(text);
        if self.known.len() < KNOWN_MAX && text.len() <= KNOWN_BYTES {
            self.known.insert(text.into(), value.clone());
        }
        self.bytes.push(value);
    }
}

/// Buffers for so many columns.
pub(super) fn empty(columns: usize) -> Vec<Buffer> {
    (0..columns).map(|_| Buffer::default()).collect()
}

/// Writes groups one after another.
pub(super) struct Groups {
    columns: Arc<[Column]>,
    state: State,
}

enum State {
    /// Most tables have a single group, and need no thread.
    Here(Box<SerializedFileWriter<File>>),
    Beside(Beside),
    /// A group could not be written.
    Failed,
}

type Written = JoinHandle<Result<Box<SerializedFileWriter<File>>>>;

/// The thread that writes.
struct Beside {
    full: Option<SyncSender<Vec<Buffer>>>,
    /// Buffers of groups that were written, to be filled again.
    used: Receiver<Vec<Buffer>>,
    thread: Option<Written>,
}

impl Groups {
    pub(super) fn new(writer: SerializedFileWriter<File>, columns: Arc<[Column]>) -> Self {
        Self { columns, state: State::Here(Box::new(writer)) }
    }

    /// Writes a group and leaves empty buffers for the next. That it could not be written may be known a group later.
    pub(super) fn write(&mut self, buffers: &mut Vec<Buffer>) -> Result<()> {
        let beside = match std::mem::replace(&mut self.state, State::Failed) {
            State::Failed => return Err(ParquetError::General("a group of it could not be written".to_owned())),
            State::Here(writer) => match self.beside(writer) {
                Ok(beside) => beside,
                // The system gives no thread.
                Err(mut writer) => {
                    write_group(&mut writer, &self.columns, buffers)?;
                    self.state = State::Here(writer);
                    return Ok(());
                }
            },
            State::Beside(beside) => beside,
        };
        if beside.full.as_ref().is_none_or(|full| full.send(std::mem::take(buffers)).is_err()) {
            // It ends before it is asked to only where it failed.
            return beside.end().map(drop);
        }
        // The thread took these only when it had given back those before, so that there are never more than two.
        *buffers = beside.used.try_recv().unwrap_or_else(|_| empty(self.columns.len()));
        self.state = State::Beside(beside);
        Ok(())
    }

    /// Writes the last group and the footer; all of it has gone to the file then.
    pub(super) fn finish(self, last: Option<Vec<Buffer>>) -> Result<Box<SerializedFileWriter<File>>> {
        let mut writer = match self.state {
            State::Failed => return Err(ParquetError::General("a group of it could not be written".to_owned())),
            State::Here(writer) => writer,
            State::Beside(beside) => beside.end()?,
        };
        if let Some(mut buffers) = last {
            write_group(&mut writer, &self.columns, &mut buffers)?;
        }
        writer.finish()?;
        Ok(writer)
    }

    fn beside(
        &self,
        writer: Box<SerializedFileWriter<File>>,
    ) -> std::result::Result<Beside, Box<SerializedFileWriter<File>>> {
        // One group is filled while one is written: what waits between them would be memory and no gain.
        let (full, orders) = sync_channel::<Vec<Buffer>>(0);
        let (give, used) = channel();
        // The writer follows, so that it is still here where there is no thread.
        let (hand_over, first) = channel::<Box<SerializedFileWriter<File>>>();
        let columns = self.columns.clone();
        let work = move || {
            let mut writer = first.recv().map_err(|_| lost())?;
            for mut buffers in orders {
                write_group(&mut writer, &columns, &mut buffers)?;
                // Nobody needs them behind the last group.
                let _ = give.send(buffers);
            }
            Ok(writer)
        };
        let Ok(thread) = Builder::new().name("columns".to_owned()).spawn(work) else { return Err(writer) };
        match hand_over.send(writer) {
            Ok(()) => Ok(Beside { full: Some(full), used, thread: Some(thread) }),
            Err(back) => Err(back.0),
        }
    }
}

impl Beside {
    /// Waits for all groups.
    fn end(mut self) -> Result<Box<SerializedFileWriter<File>>> {
        self.full = None;
        let ended = self.thread.take().ok_or_else(lost)?.join();
        ended.unwrap_or_else(|defect| std::panic::resume_unwind(defect))
    }
}

impl Drop for Beside {
    /// A table that is given up: whoever removes it can rely on nobody writing to it any more.
    fn drop(&mut self) {
        self.full = None;
        drop(self.thread.take().map(JoinHandle::join));
    }
}

fn lost() -> ParquetError {
    ParquetError::General("its writer was lost".to_owned())
}

fn write_group(writer: &mut SerializedFileWriter<File>, columns: &[Column], buffers: &mut [Buffer]) -> Result<()> {
    let mut group = writer.next_row_group()?;
    for (column, buffer) in columns.iter().zip(buffers) {
        if let Some(mut writer) = group.next_column()? {
            write_column(column, buffer, &mut writer)?;
            writer.close()?;
        }
    }
    group.close().map(drop)
}

fn write_column(column: &Column, buffer: &mut Buffer, writer: &mut SerializedColumnWriter<'_>) -> Result<()> {
    let definition = (column.definition() > 0).then_some(buffer.definition.as_slice());
    let repetition = (column.kind == Kind::Ints).then_some(buffer.repetition.as_slice());
    match column.kind {
        Kind::Int | Kind::IntOrNull | Kind::Ints => {
            writer.typed::<Int64Type>().write_batch(&buffer.ints, definition, repetition)?;
        }
        Kind::Float | Kind::FloatOrNull => {
            writer.typed::<DoubleType>().write_batch(&buffer.floats, definition, repetition)?;
        }
        Kind::Flag => {
            writer.typed::<BoolType>().write_batch(&buffer.flags, definition, repetition)?;
        }
        Kind::Text | Kind::TextOrNull | Kind::BytesOrNull => {
            writer.typed::<ByteArrayType>().write_batch(&buffer.bytes, definition, repetition)?;
        }
    }
    buffer.ints.clear();
    buffer.floats.clear();
    buffer.flags.clear();
    buffer.bytes.clear();
    buffer.definition.clear();
    buffer.repetition.clear();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Budget, TableReader, schema};

    fn groups(path: &str) -> Groups {
        let columns: Arc<[Column]> = vec![Column::new("number", Kind::Int)].into();
        let file = File::create(path).unwrap();
        let schema = schema("numbers", &columns).unwrap();
        Groups::new(SerializedFileWriter::new(file, schema, Arc::default()).unwrap(), columns)
    }

    /// A group of which no two numbers are alike.
    fn filled(group: u64) -> Vec<Buffer> {
        let ints = (0..10_000).map(|number| terms::seed::hash(group, number) as i64).collect();
        vec![Buffer { ints, ..Buffer::default() }]
    }

    #[test]
    fn a_disk_that_is_full_is_told_whichever_group_it_is() {
        let is_full = |error: &ParquetError| {
            matches!(error, ParquetError::External(inner) if inner.downcast_ref::<std::io::Error>()
                .is_some_and(|inner| inner.kind() == std::io::ErrorKind::StorageFull))
        };
        // Nothing but the footer has to find room where there are no rows.
        for last in [None, Some(filled(0))] {
            let alone = groups("/dev/full").finish(last).map(drop);
            assert!(alone.as_ref().is_err_and(is_full), "{alone:?}");
        }
        let mut several = groups("/dev/full");
        let error = (0..9).find_map(|group| several.write(&mut filled(group)).err()).expect("it has no room");
        assert!(is_full(&error), "{error:?}");
        assert!(several.write(&mut filled(9)).is_err() && several.finish(None).is_err());
    }

    #[test]
    fn groups_are_written_in_their_order_from_buffers_that_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers.parquet");
        let mut groups = groups(path.to_str().unwrap());
        let (mut buffers, mut fresh) = (empty(1), 0);
        for group in 0..20 {
            buffers[0].ints.extend(&filled(group)[0].ints);
            groups.write(&mut buffers).unwrap();
            assert!(buffers.len() == 1 && buffers[0].ints.is_empty());
            fresh += usize::from(buffers[0].ints.capacity() == 0);
        }
        assert!(fresh <= 1, "one is filled while one is written: {fresh} more");
        groups.finish(Some(filled(20))).unwrap();
        let columns = vec![Column::new("number", Kind::Int)];
        let mut table = TableReader::open(&path, columns, Arc::new(Budget::of(0))).unwrap();
        let read = std::iter::from_fn(|| table.next(|cells| cells.int())).map(Result::unwrap);
        assert!(read.eq((0..21).flat_map(|group| filled(group).remove(0).ints)));
    }

    #[test]
    fn nobody_writes_any_more_to_a_table_that_was_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers.parquet");
        let mut groups = groups(path.to_str().unwrap());
        (0..3).for_each(|group| groups.write(&mut filled(group)).unwrap());
        drop(groups);
        // All three, and no footer.
        let length = std::fs::metadata(&path).unwrap().len();
        assert!(length > 3 * 80_000, "{length}");
    }
}
