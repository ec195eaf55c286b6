//! Where a node keeps the files of a study, and what nodes that were killed have left of theirs.

use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// How the folders of nodes are called.
const PREFIX: &str = "loadproof-node-";
/// The file in such a folder that its node holds as long as it lives: the system lets go of it with the process, on
/// whatever machine and in whatever container that runs, where a process's number may be somebody else's.
const HELD: &str = "held";
/// The files of the study, apart from ours.
const FILES: &str = "files";
/// Entries of the folder for temporary files that are looked at, and folders that are removed at once.
const LOOKED_AT_MAX: usize = 10_000;
const REMOVED_MAX: usize = 100;

/// A folder that is gone when dropped.
pub(super) struct Place {
    files: PathBuf,
    /// Let go before the folder is removed, which nobody minds.
    _held: File,
    _folder: TempDir,
}

impl Place {
    /// Makes one in the system's folder for temporary files, and removes there what nodes have left that are no more.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub(super) fn make() -> io::Result<Self> {
        let temporary = std::env::temp_dir();
        remove_left(&temporary);
        Self::make_in(&temporary)
    }

    fn make_in(temporary: &Path) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(temporary)?;
        let (files, held) = (folder.path().join(FILES), folder.path().join(HELD));
        std::fs::create_dir(&files)?;
        // Held before it has its name: a folder with a file that nobody holds is one that was left. Where the system has
        // no such thing, the folder is one that others leave alone.
        let unnamed = folder.path().join("to-be-held");
        let lock = File::create(&unnamed)?;
        if lock.lock().is_ok() {
            std::fs::rename(unnamed, held)?;
        }
        Ok(Self { files, _held: lock, _folder: folder })
    }

    /// Where the files of the study are put.
    pub(super) fn files(&self) -> &Path {
        &self.files
    }
}

/// Removes folders of nodes that ended without doing so. What cannot be removed, or may be another user's, stays.
fn remove_left(temporary: &Path) {
    let entries = std::fs::read_dir(temporary).into_iter().flatten().flatten().take(LOOKED_AT_MAX);
    let named = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    for folder in named.map(|entry| entry.path()).filter(|path| was_left(path)).take(REMOVED_MAX) {
        let _ = std::fs::remove_dir_all(folder);
    }
}

/// Whether a folder is ours, and nobody holds its file. One without such a file is being made.
fn was_left(folder: &Path) -> bool {
    let own = rustix::process::geteuid().as_raw();
    let is_own = |path: &Path, is_fit: fn(&std::fs::Metadata) -> bool| {
        std::fs::symlink_metadata(path).is_ok_and(|found| is_fit(&found) && found.uid() == own)
    };
    let held = folder.join(HELD);
    if !is_own(folder, std::fs::Metadata::is_dir) || !is_own(&held, std::fs::Metadata::is_file) {
        return false;
    }
    // Writable, which some systems ask for before they lend a file to one alone.
    let Ok(file) = File::options().write(true).open(&held) else { return false };
    match file.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Folders of nodes in a folder.
    fn count(temporary: &Path) -> usize {
        std::fs::read_dir(temporary).unwrap().count()
    }

    #[test]
    fn what_a_node_left_is_removed_and_what_one_holds_is_not() {
        let temporary = tempfile::tempdir().unwrap();
        let place = Place::make_in(temporary.path()).unwrap();
        let gone = Place::make_in(temporary.path()).unwrap();
        std::fs::write(gone.files().join("rows.csv"), "1\n").unwrap();
        // Killed: the file is let go, and the folder is there.
        let Place { _held: held, _folder: folder, .. } = gone;
        let left = folder.keep();
        drop(held);
        // One that is being made, one of another name, and a link to a folder that is none of ours.
        let making = temporary.path().join(format!("{PREFIX}making"));
        std::fs::create_dir(&making).unwrap();
        std::fs::create_dir(temporary.path().join("other")).unwrap();
        std::os::unix::fs::symlink(&left, temporary.path().join(format!("{PREFIX}link"))).unwrap();
        assert_eq!(count(temporary.path()), 5);
        remove_left(temporary.path());
        assert!(!left.exists() && making.exists() && place.files().exists());
        assert_eq!(count(temporary.path()), 4);
        drop(place);
        assert_eq!(count(temporary.path()), 3, "one that ends removes its own");
    }
}
