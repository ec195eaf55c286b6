//! The lock of a run folder: one process writes it, and whoever reads it can tell whether one still does.

use crate::RecordError;
use crate::files::{check_regular, open_regular};
use crate::layout::{EVIDENCE, LOCK};
use rustix::fs::{Mode, OFlags};
use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::Path;

/// Held by whoever writes a run folder; the system lets go of it when the process dies, however it dies.
pub(crate) struct Lock {
    file: File,
}

/// Let go of here and not by closing alone: a process that another thread is just starting has the descriptor as well,
/// until it is what it is to become.
impl Drop for Lock {
    fn drop(&mut self) {
        drop(self.file.unlock());
    }
}

impl Lock {
    pub(crate) fn take(run: &Path) -> Result<Self, RecordError> {
        let path = run.join(EVIDENCE).join(LOCK);
        let file = open_lock(&path).map_err(RecordError::io("lock", &path))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(RecordError::StillRunning { path: run.to_owned() }),
            // Some network file systems know no locks. A run there is worth more than the guard against a second writer.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Self { file }),
        }
    }
}

/// Whether a process holds the lock of a run folder. Reads only, so that it can be asked of any folder.
///
/// # Errors
/// When the lock is not a regular file, so that nobody can tell.
pub(crate) fn is_being_written(run: &Path) -> Result<bool, RecordError> {
    let path = run.join(EVIDENCE).join(LOCK);
    match open_regular(&path) {
        // Shared, so that those who ask do not take each other for writers.
        Ok(lock) => Ok(matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock))),
        Err(error) if error.kind() == ErrorKind::Other => Err(RecordError::io("read", &path)(error)),
        Err(_) => Ok(false),
    }
}

/// Opens the file that is locked: made, or as it is. It is never followed, emptied or waited for.
fn open_lock(path: &Path) -> io::Result<File> {
    match File::create_new(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            check_regular(std::fs::symlink_metadata(path)?.file_type())?;
            let flags = OFlags::WRONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
            let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
            check_regular(file.metadata()?.file_type())?;
            Ok(file)
        }
        created => created,
    }
}
