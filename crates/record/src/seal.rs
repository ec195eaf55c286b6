//! Sealing: segments become tables, and the manifest says that they are all there.
//!
//! The order is what makes it safe to be killed at any point: tables beside their final names, read back and compared,
//! then renamed; then `run.json`; then the manifest; only then are segments removed. Before the manifest the segments
//! count, behind it the tables.
//!
//! Sealing never writes over a table that is there: an earlier try may have left one, and it is kept where it holds the
//! same rows. Where it does not, or a stream has lost its segments, the folder stays as it is.

use crate::block::Damage;
use crate::digest::Digest;
use crate::layout::{EVIDENCE, HEAD, LOCK, ROOM, STUDY};
use crate::lock::Lock;
use crate::manifest::{Entry, Manifest};
use crate::names::Names;
use crate::place::{create_beside, put_in_place, remove_half_written, sync_folder};
use crate::row::{Stream, every_row};
use crate::rows::{segment_rows, table_name, table_path};
use crate::run::{Run, RunState};
use crate::table::{RUN_KEY, TableWriter};
use crate::tables::Stored;
use crate::{Head, RecordError, run_json, segment};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::thread::Builder;

/// Seals a run whose segments are all written.
pub(crate) fn seal(path: &Path, head: &Head, lock: Lock, damage: Damage) -> Result<(), RecordError> {
    let evidence = path.join(EVIDENCE);
    let names = Names(head);
    // What is missing is found before anything is written.
    let study = Entry::of(&evidence, STUDY, None)?;
    let mut files = tables(&evidence, &names)?;
    run_json::write(path, head)?;
    files.push(Entry::of(&evidence, HEAD, None)?);
    files.push(study);
    Manifest::new(&head.id, files, damage.bytes, damage.sentences).write(&evidence)?;
    remove_segments(&evidence)?;
    remove_half_written(&evidence);
    remove_what_only_writers_need(&evidence);
    drop(lock);
    sync_folder(&evidence)
}

/// The seal stands; what cannot be removed harms nobody. A run that was killed right behind its seal has left it.
fn remove_what_only_writers_need(evidence: &Path) {
    for name in [ROOM, LOCK] {
        drop(std::fs::remove_file(evidence.join(name)));
    }
}

/// Makes all tables: that of times, which takes as long as all others, beside them. Of the others none is made behind one
/// that fails.
fn tables(evidence: &Path, names: &Names<'_>) -> Result<Vec<Entry>, RecordError> {
    type Compact = fn(&Path, &Names<'_>) -> Result<Entry, RecordError>;
    const fn of<T: Stored>() -> Compact {
        compact::<T>
    }
    let kinds: [Compact; _] = every_row!(of());
    let Some((times, others)) = kinds.split_first() else { return Ok(Vec::new()) };
    std::thread::scope(|scope| {
        let beside = Builder::new().name("seal".to_owned()).spawn_scoped(scope, || times(evidence, names));
        let others: Result<Vec<Entry>, RecordError> = others.iter().map(|compact| compact(evidence, names)).collect();
        let times = match beside {
            Ok(thread) => thread.join().unwrap_or_else(|defect| std::panic::resume_unwind(defect)),
            // The system gives no thread.
            Err(_) => times(evidence, names),
        };
        Ok([vec![times?], others?].concat())
    })
}

/// Makes one table from the segments, reads it back and compares.
fn compact<T: Stored>(evidence: &Path, names: &Names<'_>) -> Result<Entry, RecordError> {
    let path = table_path::<T>(evidence);
    let (beside, file) = create_beside(&path).map_err(RecordError::io("create", &path))?;
    let made = write_table::<T>(evidence, file, &beside, names).and_then(|recorded| {
        let stored = Digest::of_table::<T>(&beside, &names.0.id)?;
        if stored != recorded {
            return Err(RecordError::Verify { path: path.clone(), recorded: recorded.rows, stored: stored.rows });
        }
        let is_there = path.try_exists().map_err(RecordError::io("read", &path))?;
        if is_there && !Digest::of_table::<T>(&path, &names.0.id).is_ok_and(|earlier| earlier == recorded) {
            let what = format!(
                "`{}` is there already and does not hold what the segments hold; nothing is written over it. Move that \
                 file out of the folder to seal from the segments",
                table_name::<T>()
            );
            return Err(RecordError::NotSealed { path: evidence.to_owned(), what });
        }
        Ok((recorded.rows, is_there))
    });
    // A half table takes room on a disk that may be full.
    let (rows, is_there) = made.inspect_err(|_| drop(std::fs::remove_file(&beside)))?;
    if is_there {
        std::fs::remove_file(&beside).map_err(RecordError::io("remove", &beside))?;
    } else {
        put_in_place(&beside, &path)?;
    }
    Entry::of(evidence, &table_name::<T>(), Some(rows))
}

fn write_table<T: Stored>(evidence: &Path, file: File, path: &Path, names: &Names<'_>) -> Result<Digest, RecordError> {
    let name = T::FILE.trim_end_matches(".parquet");
    let about = [("loadproof", format!("loadproof/table/1 {name}")), (RUN_KEY, names.0.id.clone())];
    let about = about.each_ref().map(|(key, value)| (*key, value.as_str()));
    let mut table = TableWriter::begin(file, path, name, T::columns(), &about)?;
    let (mut recorded, mut scratch) = (Digest::default(), Vec::new());
    for row in segment_rows::<T>(evidence)? {
        let row = row?;
        recorded.add(&row, &mut scratch);
        row.push(names, &mut table);
        table.end_row()?;
    }
    table.finish()?;
    Ok(recorded)
}

fn remove_segments(evidence: &Path) -> Result<(), RecordError> {
    for stream in Stream::ALL {
        for (path, _) in segment::list(evidence, stream)? {
            std::fs::remove_file(&path).map_err(RecordError::io("remove", &path))?;
        }
        remove_half_written(&evidence.join(stream.folder()));
        sync_folder(&evidence.join(stream.folder()))?;
    }
    Ok(())
}

/// Seals a run that was killed, so that it can be read as any other. Does nothing to one that is sealed.
///
/// `run.json` gets the ending `interrupted`, at the end of the last second that is whole, unless an ending was already
/// written. Returns the run's folder.
///
/// # Errors
/// [`RecordError::StillRunning`] while another process writes it; [`RecordError::NotARun`] for another folder;
/// [`RecordError::NotSealed`] where a seal would call whole or original what is not; [`RecordError::Io`] where the folder
/// cannot be written. In the last two cases it can still be read by [`Run::open`].
pub fn seal_killed(path: &Path) -> Result<PathBuf, RecordError> {
    let run = Run::open(path)?;
    run.check_ended()?;
    if run.is_sealed() {
        remove_what_only_writers_need(&run.path.join(EVIDENCE));
        return Ok(run.path);
    }
    check_sealable(&run)?;
    let lock = Lock::take(path)?;
    // Whoever held the lock a moment ago may have sealed it since it was opened.
    let run = Run::open(path)?;
    if run.is_sealed() {
        remove_what_only_writers_need(&run.path.join(EVIDENCE));
        return Ok(run.path);
    }
    check_sealable(&run)?;
    let bytes = if let RunState::Torn { bytes_dropped } = run.state { bytes_dropped } else { 0 };
    seal(path, &run.head, lock, Damage { bytes, sentences: run.damage.clone() })?;
    Ok(run.path)
}

/// A seal says: this is all, and it is what was run.
pub(crate) fn check_sealable(run: &Run) -> Result<(), RecordError> {
    let what = if run.altered.iter().any(|file| file == STUDY) {
        "`study.yaml` is not the study that was run; restore it from a copy, or judge by another study with `loadproof \
         judge RUN --study STUDY`"
    } else if let Some(link) = link_within(&run.path.join(EVIDENCE)) {
        let what = format!("`{}` is a link, and nothing is written through it", link.display());
        return Err(RecordError::NotSealed { path: run.path.clone(), what });
    } else if !run.is_sealable {
        "it is incomplete: there are tables without a readable manifest, or a stream without segments; what is there is \
         read, and nothing is written over it. Restore the folder from a copy"
    } else {
        return Ok(());
    };
    Err(RecordError::NotSealed { path: run.path.clone(), what: what.to_owned() })
}

/// Of the folders that a seal writes to, one that lies elsewhere.
fn link_within(evidence: &Path) -> Option<PathBuf> {
    let streams = Stream::ALL.map(|stream| evidence.join(stream.folder()));
    std::iter::once(evidence.to_owned()).chain(streams).find(|folder| folder.is_symlink())
}
