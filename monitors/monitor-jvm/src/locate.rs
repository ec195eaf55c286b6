//! Which processes are Java virtual machines, where their perf data is, and where a `jstat` for them is.

use crate::perf_data::{self, Table, Unreadable};
use rustix::fs::OFlags;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Folders of users that are looked into.
const FOLDERS_MAX: usize = 256;
/// A file's last change may lie this much before the start of its process, seconds: both are kept in whole seconds or
/// ticks, and of two clocks.
const START_SLACK: i64 = 3;

/// The perf data of one process, kept open: the machine removes the name when it ends.
#[derive(Debug)]
pub(crate) struct PerfFile {
    file: File,
}

impl PerfFile {
    /// Opens the file of a process that started at `started`, seconds since 1970; `None` when it has none.
    ///
    /// The folder can be written by everybody, so a file counts only when it is a regular one that belongs to the
    /// process's user, and is no older than the process: one with a reused id is somebody else's.
    pub(crate) fn of(pid: u32, started: Option<i64>) -> Option<Self> {
        let user = std::fs::metadata(format!("/proc/{pid}")).ok()?.uid();
        // In a container, the process has a folder and an id of its own.
        let inner = format!("/proc/{pid}/root/tmp");
        [(inner.as_str(), inner_id(pid)), ("/tmp", pid)]
            .into_iter()
            .flat_map(|(folder, pid)| candidates(Path::new(folder), pid))
            .find_map(|path| Self::open(&path, user, started))
    }

    fn open(path: &Path, user: u32, started: Option<i64>) -> Option<Self> {
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC).bits();
        let file = OpenOptions::new().read(true).custom_flags(flags as i32).open(path).ok()?;
        let about = file.metadata().ok()?;
        let is_old = started.is_some_and(|started| about.mtime() < started - START_SLACK);
        (about.is_file() && about.uid() == user && !is_old).then_some(Self { file })
    }

    /// Reads the whole table.
    ///
    /// # Errors
    /// As [`perf_data::whole`].
    pub(crate) fn read(&self) -> Result<Table, Unreadable> {
        perf_data::whole(|most| {
            let mut bytes = vec![0; (self.file.metadata()?.len() as usize).min(most).min(perf_data::BYTES_MAX)];
            let mut filled = 0;
            while filled < bytes.len() {
                match self.file.read_at(&mut bytes[filled..], filled as u64)? {
                    0 => break,
                    count => filled += count,
                }
            }
            bytes.truncate(filled);
            Ok(bytes)
        })
    }
}

/// Files of that id in the folders of all users; only a real folder counts, not a link to one.
fn candidates(folder: &Path, pid: u32) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_folder = |entry: &std::fs::DirEntry| {
        entry.file_name().as_encoded_bytes().starts_with(b"hsperfdata_")
            && entry.file_type().is_ok_and(|kind| kind.is_dir())
    };
    entries.filter(is_folder).take(FOLDERS_MAX).map(|entry| entry.path().join(pid.to_string())).collect()
}

/// The id of a process in its own namespace.
fn inner_id(pid: u32) -> u32 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let ids = status.lines().find_map(|line| line.strip_prefix("NSpid:"));
    ids.and_then(|ids| ids.split_ascii_whitespace().last()?.parse().ok()).unwrap_or(pid)
}

/// Whether a process is a Java virtual machine that was started as one, by the name of its program.
pub(crate) fn is_java(pid: u32) -> bool {
    program(pid).is_some_and(|path| path.file_name().is_some_and(|name| name == "java"))
}

fn program(pid: u32) -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/{pid}/exe")).ok()
}

/// The `jstat` of the same Java as the process, else that of `JAVA_HOME`, else whichever the path has.
pub(crate) fn jstat_for(pid: u32) -> PathBuf {
    let bin = program(pid).and_then(|path| path.parent().map(Path::to_owned));
    // Java 8 has its machine in a folder `jre` below that of the tools.
    let outer = bin.as_deref().map(|bin| bin.join("../../bin"));
    let home = std::env::var_os("JAVA_HOME").map(|home| PathBuf::from(home).join("bin"));
    let found = [bin, outer, home].into_iter().flatten().map(|bin| bin.join("jstat")).find(|path| path.is_file());
    found.unwrap_or_else(|| PathBuf::from("jstat"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_a_regular_file_of_the_same_user_that_is_new_enough_counts() {
        let folder = tempfile::tempdir().unwrap();
        let users = folder.path().join("hsperfdata_somebody");
        std::fs::create_dir(&users).unwrap();
        let path = users.join("4711");
        std::fs::write(&path, "x").unwrap();
        let about = std::fs::metadata(&path).unwrap();
        assert_eq!(candidates(folder.path(), 4711), std::slice::from_ref(&path));
        assert!(PerfFile::open(&path, about.uid(), Some(about.mtime())).is_some());
        assert!(PerfFile::open(&path, about.uid(), Some(about.mtime() + 60)).is_none(), "of an earlier process");
        assert!(PerfFile::open(&path, about.uid() + 1, None).is_none(), "somebody else's");
        assert!(PerfFile::open(&users, about.uid(), None).is_none(), "a folder");
        let link = users.join("4712");
        symlink(&path, &link).unwrap();
        assert!(PerfFile::open(&link, about.uid(), None).is_none(), "a link");
        symlink(&users, folder.path().join("hsperfdata_link")).unwrap();
        assert_eq!(candidates(folder.path(), 4711).len(), 1, "a folder that is a link is not entered");
    }

    #[test]
    fn this_process_is_no_java_and_its_own_id_is_known() {
        assert!(!is_java(std::process::id()));
        assert!(inner_id(std::process::id()) > 0);
        assert!(PerfFile::of(std::process::id(), None).is_none());
        assert!(candidates(Path::new("/nowhere"), 1).is_empty());
    }
}
