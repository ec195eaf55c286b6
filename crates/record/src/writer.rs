//! Writing a run while it goes on.

use crate::block::run_mark;
use crate::entry::{Opened, opened};
use crate::layout::{EVIDENCE, HEAD, ROOM, STUDY};
use crate::lock::Lock;
use crate::place::{check_outside_evidence, sync_folder, write_whole};
use crate::reach::scan;
use crate::row::Stream;
use crate::seal::seal;
use crate::segment::Appender;
use crate::{ClockPair, Entry, Head, Observed, RecordError, run_json};
use std::path::{Path, PathBuf};

/// Room that is kept for the last `run.json`, at least: facts at the end of the run make it longer.
const ROOM_BYTES: usize = 64 * 1024;

/// The only writer of a run folder.
///
/// Rows wait in memory until [`Writer::sync`]; what is not synced is lost when the process is killed.
pub struct Writer {
    path: PathBuf,
    load: Appender,
    watch: Appender,
    events: Appender,
    lock: Lock,
    failure: Option<RecordError>,
}

/// Makes a run folder: `evidence/run.json`, `evidence/study.yaml`, and a segment each for load, watch and events.
///
/// # Errors
/// [`RecordError::Exists`] when the folder is not empty; [`RecordError::WithinEvidence`] when it lies in another run's
/// evidence; [`RecordError::Io`] when anything cannot be written, so that a
/// run that could not be recorded does not begin.
pub fn create(path: &Path, head: &Head, study: &str) -> Result<Writer, RecordError> {
    check_outside_evidence(path)?;
    refuse_what_is_there(path)?;
    let evidence = path.join(EVIDENCE);
    for stream in Stream::ALL {
        let folder = evidence.join(stream.folder());
        std::fs::create_dir_all(&folder).map_err(RecordError::io("create", &folder))?;
    }
    let lock = Lock::take(path)?;
    write_whole(&evidence.join(STUDY), study.as_bytes())?;
    run_json::write(path, head)?;
    keep_room(&evidence)?;
    let run = run_mark(&head.id);
    let writer = Writer {
        load: Appender::create(&evidence, Stream::Load, run)?,
        watch: Appender::create(&evidence, Stream::Watch, run)?,
        events: Appender::create(&evidence, Stream::Events, run)?,
        path: path.to_owned(),
        lock,
        failure: None,
    };
    sync_folder(path)?;
    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        sync_folder(parent)?;
    }
    Ok(writer)
}

fn refuse_what_is_there(path: &Path) -> Result<(), RecordError> {
    match std::fs::read_dir(path) {
        Ok(mut entries) => match entries.next() {
            Some(_) => Err(RecordError::Exists { path: path.to_owned() }),
            None => Ok(()),
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(RecordError::io("use", path)(error)),
    }
}

/// Takes room for the last `run.json`, which has to say that the disk was full when it was.
fn keep_room(evidence: &Path) -> Result<(), RecordError> {
    let head = std::fs::metadata(evidence.join(HEAD)).map_or(0, |file| file.len() as usize);
    let room = ROOM_BYTES.max(2 * head);
    write_whole(&evidence.join(ROOM), &vec![0; room])
}

impl Writer {
    /// Where the run is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds an entry; batches are folded here.
    ///
    /// # Errors
    /// [`RecordError::Io`] when the disk refuses. From then on every call returns that error: a record with a hole in
    /// its middle would be worse than one that ends.
    pub fn write(&mut self, entry: Entry) -> Result<(), RecordError> {
        match opened(entry) {
            Opened::Observed(seen) => self.add(&seen),
            Opened::Clock(pair) => self.add_clock(pair),
        }
    }

    /// Adds what is folded already: for those who have rows and no batches, such as importers.
    ///
    /// # Errors
    /// As [`Writer::write`].
    pub fn add(&mut self, seen: &Observed) -> Result<(), RecordError> {
        self.attempt(|writer| {
            match seen {
                Observed::Load(folded) => {
                    writer.load.append(&folded.legs)?;
                    writer.load.append(&folded.starts)?;
                    writer.load.append(&folded.outcomes)?;
                    writer.load.append(&folded.iterations)?;
                    writer.load.append(&folded.notes)?;
                    writer.load.append(&folded.slowest)?;
                }
                Observed::Engine(row) => writer.load.append(std::slice::from_ref(row))?,
                Observed::Samples(rows) => writer.watch.append(rows)?,
                Observed::Event(row) => writer.events.append(std::slice::from_ref(row))?,
                Observed::Step(mark) => writer.events.append(std::slice::from_ref(mark))?,
            }
            Ok(())
        })
    }

    pub(crate) fn add_clock(&mut self, pair: ClockPair) -> Result<(), RecordError> {
        self.attempt(|writer| writer.events.append(&[pair]))
    }

    /// Makes everything written so far survive the end of the process and a power cut. Takes as long as the disk takes.
    ///
    /// # Errors
    /// As [`Writer::write`].
    pub fn sync(&mut self) -> Result<(), RecordError> {
        self.attempt(|writer| {
            writer.load.sync()?;
            writer.watch.sync()?;
            writer.events.sync()
        })
    }

    /// Replaces `run.json` while the run goes on: when a search adds steps, or facts come to be known.
    ///
    /// # Errors
    /// As [`Writer::write`].
    pub fn update_head(&mut self, head: &Head) -> Result<(), RecordError> {
        self.attempt(|writer| run_json::write(&writer.path, head))
    }

    /// Replaces the study and `run.json` while the run goes on: a search adds an attempt. `before` is the head so far. Killed
    /// at any moment, the run has a study that its head names.
    ///
    /// # Errors
    /// As [`Writer::write`].
    pub fn update_study(&mut self, before: &Head, study: &str, after: &Head) -> Result<(), RecordError> {
        self.attempt(|writer| {
            let next = Some(after.study_sha256.clone());
            run_json::write(&writer.path, &Head { study_next_sha256: next, ..before.clone() })?;
            write_whole(&writer.path.join(EVIDENCE).join(STUDY), study.as_bytes())?;
            run_json::write(&writer.path, after)
        })
    }

    fn attempt(&mut self, step: impl FnOnce(&mut Self) -> Result<(), RecordError>) -> Result<(), RecordError> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        step(self).inspect_err(|error| self.failure = Some(error.clone()))
    }

    /// Ends the record: compacts the segments to Parquet, reads the tables back and compares, writes the final `head`
    /// (with its ending) and the manifest, and removes the segments. Returns the run's folder.
    ///
    /// # Errors
    /// When the disk refuses now or refused before. The segments then stay, and `run.json` has the ending if there was
    /// room for it: the run can be read as it is, and sealed later by [`crate::seal_killed`].
    pub fn finish(mut self, head: &Head) -> Result<PathBuf, RecordError> {
        if let Err(error) = self.sync() {
            // The first cause is the one to tell, here and by whoever reads the folder later; the room that was kept is
            // for that.
            drop(std::fs::remove_file(self.path.join(EVIDENCE).join(ROOM)));
            drop(run_json::write(&self.path, head));
            return Err(error);
        }
        let blocks = [&self.load, &self.watch, &self.events].map(Appender::blocks);
        let mut head = head.clone();
        // Before anything else, so that whoever is killed while it seals has ended all the same.
        if let Some(ending) = &mut head.ending {
            ending.blocks = Some(blocks);
            run_json::write(&self.path, &head)?;
        }
        let Self { path, lock, .. } = self;
        let damage = scan(&path.join(EVIDENCE), &head)?.damage;
        seal(&path, &head, lock, damage)?;
        Ok(path)
    }

    #[cfg(test)]
    pub(crate) fn load(&mut self) -> &mut Appender {
        &mut self.load
    }
}
