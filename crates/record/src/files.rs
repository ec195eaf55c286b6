//! Files as a whole: atomic writes, bounded reads, sums, and folders that survive a power cut.

use crate::RecordError;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

/// Writes a file so that a reader, or a power cut, sees the old one or the new one and nothing between.
pub(crate) fn write_whole(path: &Path, content: &[u8]) -> Result<(), RecordError> {
    let beside = with_suffix(path, ".tmp");
    let write = || {
        let mut file = File::create(&beside)?;
        file.write_all(content)?;
        file.sync_all()
    };
    write().map_err(RecordError::io("write", path)).inspect_err(|_| drop(std::fs::remove_file(&beside)))?;
    put_in_place(&beside, path)
}

/// Renames a finished file to its name and makes the name durable.
pub(crate) fn put_in_place(beside: &Path, path: &Path) -> Result<(), RecordError> {
    std::fs::rename(beside, path).map_err(RecordError::io("rename", path))?;
    path.parent().map_or(Ok(()), sync_folder)
}

/// The same path with something after its name.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> std::path::PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Makes a folder's list of names durable; a new file without it may be gone after a power cut.
pub(crate) fn sync_folder(path: &Path) -> Result<(), RecordError> {
    File::open(path).and_then(|folder| folder.sync_all()).map_err(RecordError::io("sync", path))
}

/// Reads a text file of at most `most` bytes; a longer one is refused, since these files are small by nature.
pub(crate) fn read_text(path: &Path, most: u64) -> Result<String, RecordError> {
    let file = File::open(path).map_err(RecordError::io("read", path))?;
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).map_err(RecordError::io("read", path))?;
    if bytes.len() as u64 > most {
        return Err(RecordError::not_a_run(path, format!("it is longer than {most} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| RecordError::not_a_run(path, "it is not UTF-8 text"))
}

/// Bytes and SHA-256 (lower-case hexadecimal) of a file, read in pieces.
pub(crate) fn sha256(path: &Path) -> Result<(u64, String), RecordError> {
    let mut file = File::open(path).map_err(RecordError::io("read", path))?;
    let (mut sum, mut bytes, mut piece) = (Sha256::new(), 0, vec![0; 64 * 1024]);
    loop {
        let read = file.read(&mut piece).map_err(RecordError::io("read", path))?;
        if read == 0 {
            break;
        }
        sum.update(&piece[..read]);
        bytes += read as u64;
    }
    Ok((bytes, sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_the_standards_known_answer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("abc");
        write_whole(&path, b"abc").unwrap();
        // FIPS 180-4, example for SHA-256 of "abc".
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(&path).unwrap(), (3, known.to_owned()));
        assert!(!with_suffix(&path, ".tmp").exists());
    }

    #[test]
    fn a_file_that_is_too_long_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("long");
        write_whole(&path, b"0123456789").unwrap();
        assert_eq!(read_text(&path, 10).unwrap(), "0123456789");
        assert!(read_text(&path, 9).unwrap_err().to_string().contains("longer than 9 bytes"));
    }
}
