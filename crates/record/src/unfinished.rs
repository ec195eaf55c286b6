//! A run whose writer was killed, and of which others still have what it could not write: its evidence is made anew.
//!
//! The new evidence is written and sealed beside the old one, and takes its place in one step. So whoever is killed on the
//! way leaves the old evidence as it was, and nothing is ever counted twice.

use crate::layout::EVIDENCE;
use crate::lock::Lock;
use crate::place::sync_folder;
use crate::seal::{check_sealable, seal_killed};
use crate::{Head, RecordError, Run, Writer, create};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use std::path::{Path, PathBuf};

/// Where the new evidence is written, within the run's folder.
const ANEW: &str = ".collecting";
/// Where the old evidence is kept afterwards.
const BEFORE: &str = "before-collecting";

/// An unsealed run that nobody else writes, as long as this lives.
pub struct Unfinished {
    run: Run,
    _lock: Lock,
}

impl Unfinished {
    /// Takes a run that was killed.
    ///
    /// # Errors
    /// [`RecordError::NotARun`] for another folder; [`RecordError::Sealed`] where there is nothing to add;
    /// [`RecordError::StillRunning`] while another process writes it; [`RecordError::NotSealed`] where what is there is
    /// not what was recorded.
    pub fn take(path: &Path) -> Result<Self, RecordError> {
        let run = Run::open(path)?;
        if run.is_sealed() {
            return Err(RecordError::Sealed { path: run.path });
        }
        run.check_ended()?;
        check_sealable(&run)?;
        let lock = Lock::take(path)?;
        // Whoever held the lock a moment ago may have sealed it since it was opened.
        let run = Run::open(path)?;
        if run.is_sealed() {
            return Err(RecordError::Sealed { path: run.path });
        }
        check_sealable(&run)?;
        Ok(Self { run, _lock: lock })
    }

    /// What was recorded.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Seals it as it is. Returns the run's folder.
    ///
    /// # Errors
    /// As [`seal_killed`].
    pub fn seal_as_it_is(self) -> Result<PathBuf, RecordError> {
        let path = self.run.path.clone();
        drop(self);
        seal_killed(&path)
    }

    /// A writer of the new evidence. What an earlier try left there is removed.
    ///
    /// # Errors
    /// As [`create`].
    pub fn write_anew(&self, head: &Head) -> Result<Writer, RecordError> {
        let anew = self.run.path.join(ANEW);
        match std::fs::remove_dir_all(&anew) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(RecordError::io("remove", &anew)(error)),
            _ => create(&anew, head, &self.run.study()?),
        }
    }

    /// Seals the new evidence and puts it in the place of the old, which is kept beside it. Returns the run's folder.
    ///
    /// # Errors
    /// As [`Writer::finish`], and where the system refuses to rename a folder. The old evidence is then what it was.
    pub fn replace(self, writer: Writer, head: &Head) -> Result<PathBuf, RecordError> {
        let anew = writer.finish(head)?;
        let path = self.run.path.clone();
        exchange(&anew.join(EVIDENCE), &path.join(EVIDENCE))?;
        let before = path.join(BEFORE);
        // From here on the run is whole, whatever becomes of what it was before.
        let _ = std::fs::remove_dir_all(&before);
        let _ = std::fs::rename(&anew, &before);
        sync_folder(&path)?;
        Ok(path)
    }
}

/// Two folders take each other's place at once; where the file system cannot do that, one after the other.
fn exchange(one: &Path, other: &Path) -> Result<(), RecordError> {
    match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(()),
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            let aside = one.with_extension("before");
            let moved = std::fs::rename(other, &aside).and_then(|()| std::fs::rename(one, other));
            moved.and_then(|()| std::fs::rename(&aside, one)).map_err(RecordError::io("rename", other))
        }
        Err(error) => Err(RecordError::io("rename", other)(error.into())),
    }
}
