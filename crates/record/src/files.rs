//! Reading the files of a folder that may come from anywhere: regular ones, bounded, with their sums.

use crate::RecordError;
use rustix::fs::{Mode, OFlags};
use sha2::{Digest, Sha256};
use std::fs::{File, FileType};
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// Folders in which the kernel makes up what is read, without a size or an end. Not `/dev`, where memory is a disk.
const MADE_UP: [&str; 2] = ["/proc", "/sys"];

/// Opens a regular file, links followed. A pipe would keep the reader waiting for ever, and a device has no end.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    // Looked at before it is opened: opening some devices does something already.
    check_regular(std::fs::metadata(path)?.file_type())?;
    let real = path.canonicalize()?;
    if let Some(folder) = MADE_UP.iter().find(|folder| real.starts_with(folder)) {
        return Err(io::Error::other(format!("it lies under `{folder}`, where the kernel makes up what is read")));
    }
    // Should it have become a pipe in between, opening it must not wait for a writer.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    check_regular(file.metadata()?.file_type())?;
    Ok(file)
}

/// Refuses anything but a regular file, and names what it found.
pub(crate) fn check_regular(kind: FileType) -> io::Result<()> {
    let found = match () {
        () if kind.is_file() => return Ok(()),
        () if kind.is_symlink() => "a link",
        () if kind.is_dir() => "a folder",
        () if kind.is_fifo() => "a pipe",
        () if kind.is_socket() => "a socket",
        () => "a device",
    };
    Err(io::Error::other(format!("it is {found}, where a regular file belongs")))
}

/// Reads a text file of at most `most` bytes; a longer one is refused, since these files are small by nature.
pub(crate) fn read_text(path: &Path, most: u64) -> Result<String, RecordError> {
    let file = open_regular(path).map_err(RecordError::io("read", path))?;
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).map_err(RecordError::io("read", path))?;
    if bytes.len() as u64 > most {
        return Err(RecordError::not_a_run(path, format!("it is longer than {most} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| RecordError::not_a_run(path, "it is not UTF-8 text"))
}

/// Bytes and SHA-256 (lower-case hexadecimal) of a file, read in pieces.
pub(crate) fn sha256(path: &Path) -> Result<(u64, String), RecordError> {
    let mut file = open_regular(path).map_err(RecordError::io("read", path))?;
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
        std::fs::write(&path, b"abc").unwrap();
        // FIPS 180-4, example for SHA-256 of "abc".
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(&path).unwrap(), (3, known.to_owned()));
    }

    #[test]
    fn a_file_that_is_too_long_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("long");
        std::fs::write(&path, b"0123456789").unwrap();
        assert_eq!(read_text(&path, 10).unwrap(), "0123456789");
        assert!(read_text(&path, 9).unwrap_err().to_string().contains("longer than 9 bytes"));
    }
}
