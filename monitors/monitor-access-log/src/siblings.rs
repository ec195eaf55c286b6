//! Files beside a log that bear its name and more, `access.log.1`: where rotation puts what was written.

use std::fs::{File, Metadata};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// A file, whatever it is called: device, inode, and when it was made, since inodes are used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FileId {
    device: u64,
    inode: u64,
    born_ns: u128,
}

impl FileId {
    pub(crate) fn of(about: &Metadata) -> Self {
        let born = about.created().ok().and_then(|born| born.duration_since(UNIX_EPOCH).ok());
        let born_ns = born.map_or(0, |born| born.as_nanos());
        Self { device: about.dev(), inode: about.ino(), born_ns }
    }
}

/// Entries of a folder that are looked at.
const ENTRIES_MAX: usize = 10_000;
/// Siblings that are considered, newest first: one of them is the copy or the file in between that is looked for.
const SIBLINGS_MAX: usize = 64;

/// Endings of what was compressed: it has been read before, and reads differently now.
const COMPRESSED: [&str; 6] = ["gz", "bz2", "xz", "zst", "zip", "lz4"];

/// Regular files whose name begins with the log's and goes on with a sign, oldest change first.
pub(crate) fn siblings(log: &Path) -> Vec<(FileId, PathBuf)> {
    let (Some(folder), Some(name)) = (log.parent(), log.file_name()) else { return Vec::new() };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let own = name.as_encoded_bytes();
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().take(ENTRIES_MAX);
    let mut found: Vec<(i64, i64, FileId, PathBuf)> = Vec::new();
    for entry in entries {
        let other = entry.file_name();
        let more = other.as_encoded_bytes().strip_prefix(own).unwrap_or_default();
        let path = entry.path();
        let is_compressed = path.extension().is_some_and(|end| COMPRESSED.iter().any(|known| end == *known));
        if !more.first().is_some_and(|sign| b".-_~".contains(sign)) || is_compressed {
            continue;
        }
        if let Some(about) = std::fs::symlink_metadata(&path).ok().filter(Metadata::is_file) {
            found.push((about.mtime(), about.mtime_nsec(), FileId::of(&about), path));
        }
    }
    found.sort();
    let from = found.len().saturating_sub(SIBLINGS_MAX);
    found.into_iter().skip(from).map(|(_, _, id, path)| (id, path)).collect()
}

/// Up to `most` bytes at a place; fewer at the end of the file or where it cannot be read.
pub(crate) fn bytes_at(file: &File, offset: u64, most: usize) -> Vec<u8> {
    let mut bytes = vec![0; most];
    let mut filled = 0;
    while filled < most {
        match file.read_at(&mut bytes[filled..], offset + filled as u64) {
            Ok(0) | Err(_) => break,
            Ok(count) => filled += count,
        }
    }
    bytes.truncate(filled);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rotation_leaves_behind_is_found_and_logs_of_others_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let names = ["a.log", "a.log.1", "a.log-20261121", "a.log.2.gz", "a.logs", "a.lo", "b.log.1"];
        names.iter().for_each(|name| std::fs::write(folder.path().join(name), "x").unwrap());
        std::fs::create_dir(folder.path().join("a.log.d")).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("a.log.3")).unwrap();
        let mut found: Vec<String> = siblings(&folder.path().join("a.log"))
            .into_iter()
            .map(|(_, path)| path.file_name().unwrap().to_string_lossy().into_owned())
            .collect();
        found.sort();
        assert_eq!(found, ["a.log-20261121", "a.log.1"]);
        assert!(siblings(Path::new("/nowhere/a.log")).is_empty());
        let file = File::open(folder.path().join("a.log.1")).unwrap();
        assert_eq!((bytes_at(&file, 0, 5), bytes_at(&file, 1, 5)), (b"x".to_vec(), Vec::new()));
    }
}
