//! Segments: the append-only files of one stream while a run goes on.

use crate::RecordError;
use crate::block;
use crate::place::sync_folder;
use crate::row::{Row, Stream};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A segment is followed by a new one from this length on, so that damage to a file stays bounded.
const SEGMENT_BYTES_FULL: u64 = 64 * 1024 * 1024;
/// What waits in memory between two syncs at most.
const PENDING_BYTES_MAX: usize = 1024 * 1024;
const SUFFIX: &str = "segment";

/// Where blocks go; a file, or in tests one that fails.
pub(crate) trait Sink: Write + Send {
    /// Makes what was written survive a power cut.
    fn sync(&mut self) -> std::io::Result<()>;
}

impl Sink for File {
    fn sync(&mut self) -> std::io::Result<()> {
        self.sync_data()
    }
}

/// Appends one stream's blocks.
pub(crate) struct Appender {
    folder: PathBuf,
    path: PathBuf,
    sink: Box<dyn Sink>,
    /// Whose blocks they are.
    run: u16,
    segment: u32,
    written: u64,
    pending: Vec<u8>,
    next_block: u32,
    is_dirty: bool,
}

impl Appender {
    /// Opens the first segment of a stream; the folder exists and is empty.
    pub(crate) fn create(evidence: &Path, stream: Stream, run: u16) -> Result<Self, RecordError> {
        let folder = evidence.join(stream.folder());
        let (path, file) = new_segment(&folder, 1)?;
        Ok(Self {
            folder,
            path,
            sink: Box::new(file),
            run,
            segment: 1,
            written: 0,
            pending: Vec::new(),
            next_block: 0,
            is_dirty: false,
        })
    }

    /// Blocks so far.
    pub(crate) fn blocks(&self) -> u32 {
        self.next_block
    }

    /// Adds rows; they reach the file when enough wait, or with the next sync.
    pub(crate) fn append<T: Row>(&mut self, rows: &[T]) -> Result<(), RecordError> {
        block::append(&mut self.pending, &mut self.next_block, self.run, rows);
        if self.pending.len() > PENDING_BYTES_MAX { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), RecordError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        if self.written > SEGMENT_BYTES_FULL {
            self.sync_sink()?;
            self.segment += 1;
            let (path, file) = new_segment(&self.folder, self.segment)?;
            (self.path, self.sink, self.written) = (path, Box::new(file), 0);
        }
        self.sink.write_all(&self.pending).map_err(RecordError::io("write", &self.path))?;
        self.written += self.pending.len() as u64;
        self.pending.clear();
        self.is_dirty = true;
        Ok(())
    }

    /// Writes what waits and makes it survive a power cut.
    pub(crate) fn sync(&mut self) -> Result<(), RecordError> {
        self.flush()?;
        self.sync_sink()
    }

    fn sync_sink(&mut self) -> Result<(), RecordError> {
        if std::mem::take(&mut self.is_dirty) {
            self.sink.sync().map_err(RecordError::io("sync", &self.path))?;
        }
        Ok(())
    }

    /// The next rows go to a new segment.
    #[cfg(test)]
    pub(crate) fn fill_up(&mut self) {
        self.written = SEGMENT_BYTES_FULL + 1;
    }

    #[cfg(test)]
    pub(crate) fn replace_sink(&mut self, sink: Box<dyn Sink>) {
        self.sink = sink;
    }
}

fn new_segment(folder: &Path, number: u32) -> Result<(PathBuf, File), RecordError> {
    let path = folder.join(format!("{number:06}.{SUFFIX}"));
    let open = OpenOptions::new().append(true).create_new(true).open(&path);
    let file = open.map_err(RecordError::io("create", &path))?;
    sync_folder(folder)?;
    Ok((path, file))
}

/// A stream's segments in order, each with its name in the evidence. None when the stream has no folder.
pub(crate) fn list(evidence: &Path, stream: Stream) -> Result<Vec<(PathBuf, String)>, RecordError> {
    let folder = evidence.join(stream.folder());
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(RecordError::io("read", &folder)(error)),
    };
    let mut segments = Vec::new();
    for entry in entries {
        let path = entry.map_err(RecordError::io("read", &folder))?.path();
        if path.extension().is_some_and(|extension| extension == SUFFIX)
            && let Some(name) = path.file_name().and_then(|name| name.to_str())
        {
            let name = format!("{}/{name}", stream.folder());
            segments.push((path, name));
        }
    }
    // Numbers have six digits or more, so that a longer name is a later one.
    segments.sort_by_key(|(_, name)| (name.len(), name.clone()));
    Ok(segments)
}
