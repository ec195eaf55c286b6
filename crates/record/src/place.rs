//! Putting files in their places: whole or not at all, and never through a name that leads elsewhere.
//!
//! What is written goes to a new file under a fresh name beside the place, and takes the place by its name. So a link
//! that somebody put there, to another file or as a second name of one, is replaced and what it leads to stays as it is.

use crate::RecordError;
use crate::layout::HEAD;
use crate::row::Stream;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// How the names of files begin that are being written, and how they end.
const FRESH: (&str, &str) = (".loadproof-", ".tmp");
/// Names that are tried: those of a process that was killed, and had the same number, may be taken.
const TRIES_MAX: u32 = 1000;

/// Writes a derived file in the place of whatever has that name, unless it is a folder: a reader sees the old one or the
/// new one. It can be made again, so it does not wait for the disk.
///
/// # Errors
/// What the system says.
pub fn replace_file(path: &Path, content: &[u8]) -> io::Result<()> {
    replace(path, content, false)
}

/// Writes a file so that a reader, or a power cut, sees the old one or the new one and nothing between.
pub(crate) fn write_whole(path: &Path, content: &[u8]) -> Result<(), RecordError> {
    replace(path, content, true).map_err(RecordError::io("write", path))?;
    sync_parent(path)
}

fn replace(path: &Path, content: &[u8], is_durable: bool) -> io::Result<()> {
    let (beside, mut file) = create_beside(path)?;
    let mut write = || {
        file.write_all(content)?;
        if is_durable {
            file.sync_all()?;
        }
        std::fs::rename(&beside, path)
    };
    write().inspect_err(|_| drop(std::fs::remove_file(&beside)))
}

/// A new file in the folder of another, under a name that nothing had.
pub(crate) fn create_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let mut taken = io::Error::from(io::ErrorKind::AlreadyExists);
    for _ in 0..TRIES_MAX {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let beside = path.with_file_name(format!("{}{}-{number}{}", FRESH.0, std::process::id(), FRESH.1));
        match File::create_new(&beside) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => taken = error,
            created => return created.map(|file| (beside, file)),
        }
    }
    Err(taken)
}

/// Renames a finished file to its name and makes the name durable.
pub(crate) fn put_in_place(beside: &Path, path: &Path) -> Result<(), RecordError> {
    std::fs::rename(beside, path).map_err(RecordError::io("rename", path))?;
    sync_parent(path)
}

/// Makes a folder's list of names durable; a new file without it may be gone after a power cut.
pub(crate) fn sync_folder(path: &Path) -> Result<(), RecordError> {
    File::open(path).and_then(|folder| folder.sync_all()).map_err(RecordError::io("sync", path))
}

fn sync_parent(path: &Path) -> Result<(), RecordError> {
    path.parent().map_or(Ok(()), sync_folder)
}

/// Removes what a process that was killed has left half written in a folder. Names go, and nothing behind them.
pub(crate) fn remove_half_written(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        // Tables and texts of earlier versions were written as `NAME.tmp`.
        let is_ours = name.starts_with(FRESH.0) && name.ends_with(FRESH.1);
        if is_ours || name.ends_with(".parquet.tmp") || name.ends_with(".json.tmp") {
            drop(std::fs::remove_file(entry.path()));
        }
    }
}

/// Makes a folder for derived files, such as `tables`, unless it is there.
///
/// # Errors
/// Where the name is a link, through which files would be written elsewhere, or does not name a folder; and what the system says.
pub fn derived_folder(path: &Path) -> io::Result<()> {
    match std::fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(found) if found.is_symlink() => {
            Err(io::Error::other("it is a link, and nothing is written through it; remove it"))
        }
        Ok(_) => Err(io::Error::other("it is not a folder; remove it")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => std::fs::create_dir(path),
        Err(error) => Err(error),
    }
}

/// Refuses a folder for derived files, or for another run, that lies in the evidence of a run, however its path leads
/// there: what happened is not added to. The folder need not be there yet.
///
/// # Errors
/// [`RecordError::WithinEvidence`].
pub fn check_outside_evidence(path: &Path) -> Result<(), RecordError> {
    let real = real_path(path).map_err(RecordError::io("find", path))?;
    match real.ancestors().find(|folder| is_evidence(folder)) {
        Some(evidence) => Err(RecordError::WithinEvidence { path: path.to_owned(), evidence: evidence.to_owned() }),
        None => Ok(()),
    }
}

/// Whether it is the evidence of a run: its `run.json`, and at least one of the places of its record.
fn is_evidence(folder: &Path) -> bool {
    folder.join(HEAD).exists() && Stream::ALL.iter().any(|stream| folder.join(stream.folder()).is_dir())
}

/// Where a path leads, links followed as far as there is anything.
fn real_path(path: &Path) -> io::Result<PathBuf> {
    let mut real = PathBuf::new();
    for part in std::path::absolute(path)?.components() {
        match part {
            Component::ParentDir => drop(real.pop()),
            Component::CurDir => {}
            _ => real.push(part),
        }
        if let Ok(found) = real.canonicalize() {
            real = found;
        }
    }
    Ok(real)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn whatever_has_a_files_name_is_replaced_and_nothing_behind_it_changes() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        for is_durable in [false, true] {
            fs::write(place("victim"), "mine").unwrap();
            symlink(place("victim"), place("link")).unwrap();
            symlink(place("nowhere"), place("dangling")).unwrap();
            fs::hard_link(place("victim"), place("second name")).unwrap();
            rustix::fs::mkfifoat(rustix::fs::CWD, place("pipe"), rustix::fs::Mode::RUSR).unwrap();
            for name in ["link", "dangling", "second name", "pipe", "new"] {
                replace(&place(name), b"derived", is_durable).unwrap();
                assert_eq!(fs::read(place(name)).unwrap(), b"derived", "{name}");
                assert!(fs::symlink_metadata(place(name)).unwrap().is_file(), "{name}");
                fs::remove_file(place(name)).unwrap();
            }
            assert_eq!(fs::read(place("victim")).unwrap(), b"mine");
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "something was left");
        }
        // A folder is not replaced, and leaves no half file.
        fs::create_dir(place("folder")).unwrap();
        assert!(replace_file(&place("folder"), b"derived").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_folder_that_is_a_link_is_not_written_through() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        derived_folder(&place("tables")).unwrap();
        derived_folder(&place("tables")).unwrap();
        symlink(place("tables"), place("link")).unwrap();
        fs::write(place("file"), "").unwrap();
        assert!(derived_folder(&place("link")).unwrap_err().to_string().contains("is a link"));
        assert!(derived_folder(&place("file")).unwrap_err().to_string().contains("is not a folder"));
    }

    #[test]
    fn no_path_leads_into_evidence() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        fs::create_dir_all(place("run/evidence/load")).unwrap();
        fs::write(place("run/evidence/run.json"), "{}").unwrap();
        fs::create_dir(place("elsewhere")).unwrap();
        symlink(place("run/evidence"), place("link")).unwrap();
        symlink(place("run"), place("elsewhere/run")).unwrap();
        for within in [
            "run/evidence",
            "run/evidence/load",
            "run/evidence/new/and/deeper",
            "run/./evidence/",
            "new/../run/evidence",
            "link",
            "link/new",
            "elsewhere/run/evidence/x",
            "run/tables/../evidence",
        ] {
            let refused = check_outside_evidence(&place(within)).unwrap_err();
            assert!(refused.to_string().contains("lies in the evidence"), "{within}: {refused}");
        }
        for outside in ["run", "run/tables", "new", "elsewhere/run", "link/..", "run/evidence/../x", "evidence"] {
            assert_eq!(check_outside_evidence(&place(outside)), Ok(()), "{outside}");
        }
    }
}
