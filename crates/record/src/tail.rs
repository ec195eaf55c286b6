//! Reading a run from its beginning while it is still being written.
//!
//! Of a run that goes on, the segments are read as far as they are whole: a block that is half written has simply not come
//! yet. When it is sealed in between, its tables take the place of segments that were not opened; they hold the same rows in
//! the same order, so that what was seen is counted off. A run that has ended is read as [`Run`] reads it.
//!
//! Streams, and tables, are merged by the seconds that their rows speak of, so that whoever folds them needs to keep no more
//! than a few seconds, however long the run has been.

mod gathered;
mod sources;

use crate::block::run_mark;
use crate::files::open_regular;
use crate::layout::{EVIDENCE, HEAD, MANIFEST};
use crate::lock::is_being_written;
use crate::manifest::Manifest;
use crate::row::{Stream, every_row};
use crate::{Head, Observed, RecordError, Run, run_json};
use gathered::Gathered;
use sources::{Blocked, Source, Tabled};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use terms::Nanos;

/// Memory of the rows that are handed out at a time, beside those of one more block.
const BYTES_MAX: usize = 8 * 1024 * 1024;

/// Which `run.json` was read: its node, its length, and when it was written.
type Version = (u64, u64, i64, i64);

/// A run folder that is read as it grows.
pub struct Tail {
    path: PathBuf,
    head: Head,
    version: Version,
    from: Reading,
    gathered: Gathered,
    is_over: bool,
}

/// Where its rows come from.
enum Reading {
    Segments(Vec<Blocked>),
    Ended(Vec<Box<dyn Source + Send>>),
}

impl Tail {
    /// Opens a run folder: one that is being written, was killed, or is sealed.
    ///
    /// # Errors
    /// As [`Run::open`] where no process writes it; else [`RecordError::NotARun`] where there is no readable
    /// `evidence/run.json`, and [`RecordError::Io`] where the system refuses.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, RecordError> {
        let path = path.as_ref().to_owned();
        let version = version(&path);
        // The lock first: whoever lets go of it has written everything.
        let is_live = is_being_written(&path)?;
        let head = run_json::read(&path)?;
        let evidence = path.join(EVIDENCE);
        let gathered = Gathered::default();
        let (head, from) = if is_live && !is_sealed(&evidence) {
            let run = run_mark(&head.id);
            (head, Reading::Segments(Stream::ALL.map(|stream| Blocked::new(&evidence, stream, run)).into()))
        } else {
            let run = Run::open(&path)?;
            let sources = tables(&run, &gathered)?;
            (run.head, Reading::Ended(sources))
        };
        Ok(Self { path, head, version, from, gathered, is_over: false })
    }

    /// `run.json` as it was last read: no row that was handed out speaks of anything that it does not know. Once the run
    /// has ended it says how, as [`Run::head`] does.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// The run's folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the run has ended, and everything that was recorded of it has been handed out.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// The wall clock, since 1970, at a moment of the run's clock: by the newest pair of both that was read.
    pub fn wall(&self, at: Nanos) -> Nanos {
        let offset = self.gathered.clock.map(|pair| pair.wall.0.saturating_sub(pair.at.0));
        Nanos(at.0.saturating_add(offset.unwrap_or(self.head.wall_origin_ns)))
    }

    /// What has come since: rows of a few seconds at most, in order of time as far as they were recorded so. Empty where
    /// nothing has come yet, or everything was handed out.
    ///
    /// # Errors
    /// [`RecordError::Io`] and those of damaged tables. After one there is nothing more to come.
    #[expect(clippy::should_implement_trait, reason = "it may have nothing now and more later, which ends an iterator")]
    pub fn next(&mut self) -> Result<Vec<Observed>, RecordError> {
        if self.is_over {
            return Ok(Vec::new());
        }
        let read = self.read();
        self.is_over |= read.is_err();
        read?;
        Ok(self.gathered.take())
    }

    fn read(&mut self) -> Result<(), RecordError> {
        let evidence = self.path.join(EVIDENCE);
        if let Reading::Segments(streams) = &mut self.from {
            // The lock first, as above.
            let is_live = is_being_written(&self.path)?;
            let is_sealed = is_sealed(&evidence);
            streams.iter_mut().for_each(|stream| stream.look_again(is_live && !is_sealed));
            merge(streams, &mut self.gathered)?;
            let is_gone = streams.iter().any(Blocked::is_gone);
            if self.gathered.bytes < BYTES_MAX && (is_sealed || is_gone) {
                self.turn_to_tables(is_gone)?;
            } else if self.gathered.bytes == 0 && !is_live {
                self.end();
            }
        }
        if let Reading::Ended(sources) = &mut self.from {
            merge(sources, &mut self.gathered)?;
            self.is_over = self.gathered.bytes < BYTES_MAX;
        }
        // Behind the rows: a head is written before the first row that speaks of what it adds.
        self.read_head_again()
    }

    /// Nobody writes it any more, it is not sealed, and all of its segments were read.
    fn end(&mut self) {
        self.is_over = true;
        // Where it cannot be opened, because of what was torn, its head says what it said before.
        if let Ok(run) = Run::open(&self.path) {
            self.head = run.head;
            self.version = version(&self.path);
        }
    }

    /// It was sealed meanwhile: the tables hold what was seen, and perhaps more.
    fn turn_to_tables(&mut self, is_gone: bool) -> Result<(), RecordError> {
        let evidence = self.path.join(EVIDENCE);
        let manifest = Manifest::read(&evidence).ok().flatten();
        let rows = |name: &str| manifest.as_ref()?.files.iter().find(|file| file.path == name)?.rows;
        if !is_gone && self.gathered.is_all(rows) {
            self.from = Reading::Ended(Vec::new());
            return Ok(());
        }
        let run = Run::open(&self.path)?;
        self.from = Reading::Ended(tables(&run, &self.gathered)?);
        Ok(())
    }

    fn read_head_again(&mut self) -> Result<(), RecordError> {
        let now = version(&self.path);
        if now != self.version && !self.was_ended_here() {
            self.head = run_json::read(&self.path)?;
            self.version = now;
        }
        Ok(())
    }

    /// Whether the head has an ending that is not in the file: the one that a seal would write.
    fn was_ended_here(&self) -> bool {
        self.head.ending.as_ref().is_some_and(|ending| ending.is_killed)
    }
}

/// Whether it has a manifest. Then every table is in its place.
fn is_sealed(evidence: &Path) -> bool {
    evidence.join(MANIFEST).exists()
}

fn version(path: &Path) -> Version {
    let file = open_regular(&path.join(EVIDENCE).join(HEAD)).and_then(|file| file.metadata());
    file.map_or((0, 0, 0, 0), |file| (file.ino(), file.len(), file.mtime(), file.mtime_nsec()))
}

/// Every kind of row of a run that has ended, behind those that were seen.
fn tables(run: &Run, gathered: &Gathered) -> Result<Vec<Box<dyn Source + Send>>, RecordError> {
    fn of<T: gathered::Told>(run: &Run, gathered: &Gathered) -> Result<Box<dyn Source + Send>, RecordError> {
        let mut rows = run.rows::<T>()?;
        for _ in 0..gathered.seen::<T>() {
            match rows.next() {
                Some(Err(error)) => return Err(error),
                Some(Ok(_)) => {}
                None => break,
            }
        }
        Ok(Box::new(Tabled::new(rows)))
    }
    Ok(every_row!(of(run, gathered)?).into())
}

/// Takes from the sources whatever speaks of the earliest second, until there is nothing or enough.
fn merge<S: Source>(sources: &mut [S], gathered: &mut Gathered) -> Result<(), RecordError> {
    while gathered.bytes < BYTES_MAX {
        let mut first: Option<((i64, u8), usize)> = None;
        for (place, source) in sources.iter_mut().enumerate() {
            if let Some(second) = source.front()? {
                let key = (second, source.rank());
                first = if first.is_none_or(|(least, _)| key < least) { Some((key, place)) } else { first };
            }
        }
        let Some((_, place)) = first else { break };
        sources[place].take(gathered);
    }
    Ok(())
}
