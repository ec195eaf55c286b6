//! Opening the files that a study names: regular files of bounded size, and nothing that could keep the reader waiting.

use rustix::fs::{Mode, OFlags};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Folders in which the kernel makes up what is read, without a size or an end.
const MADE_UP: [&str; 3] = ["/proc", "/sys", "/dev"];

/// Opens a regular file, links followed. A pipe would keep whoever opens it waiting, a device has no end, and what the
/// kernel makes up as it is read is not part of a study.
///
/// # Errors
/// What the path is instead, as the end of a sentence that begins with it: "is a folder, not a file".
pub fn open_file(path: &Path) -> Result<File, String> {
    let file = open(path)?;
    if let Ok(mut opened) = OPENED.lock() {
        opened.insert(std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
    }
    Ok(file)
}

/// Reads a regular file of at most `bytes_max` bytes as text, and keeps no list of it: a secret goes nowhere else.
///
/// # Errors
/// As [`read_text_file`].
pub fn read_secret_file(path: &Path, bytes_max: u64) -> Result<String, String> {
    text_of(&bytes_of(open(path)?, bytes_max)?)
}

fn open(path: &Path) -> Result<File, String> {
    let cannot = |error: std::io::Error| format!("cannot be read: {error}");
    // Looked at before it is opened: opening some devices does something already.
    kind(&std::fs::metadata(path).map_err(cannot)?.file_type())?;
    let real = path.canonicalize().map_err(cannot)?;
    if let Some(folder) = MADE_UP.iter().find(|folder| real.starts_with(folder)) {
        return Err(format!("lies under `{folder}`, where the kernel makes up what is read; copy what you need"));
    }
    // Should it have become a pipe in between, opening it must not wait for a writer.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty()).map_err(|error| cannot(error.into()))?);
    kind(&file.metadata().map_err(cannot)?.file_type())?;
    Ok(file)
}

/// Every file that was opened here since this process began: what else a study consists of. Absolute, links not followed.
pub fn opened_files() -> BTreeSet<PathBuf> {
    OPENED.lock().map(|opened| opened.clone()).unwrap_or_default()
}

/// A study names files in many places, and each is opened by [`open_file`].
static OPENED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Reads a regular file of at most `bytes_max` bytes.
///
/// # Errors
/// As [`open_file`], and that it is larger.
pub fn read_file(path: &Path, bytes_max: u64) -> Result<Vec<u8>, String> {
    bytes_of(open_file(path)?, bytes_max)
}

fn bytes_of(file: File, bytes_max: u64) -> Result<Vec<u8>, String> {
    let cannot = |error: std::io::Error| format!("cannot be read: {error}");
    let size = file.metadata().map_err(cannot)?.len();
    if size > bytes_max {
        return Err(format!("has {size} bytes; at most {bytes_max} are possible"));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    // It may grow while it is read.
    file.take(bytes_max + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() as u64 > bytes_max {
        return Err(format!("has more than {bytes_max} bytes"));
    }
    Ok(bytes)
}

/// Reads a regular file of at most `bytes_max` bytes as text.
///
/// # Errors
/// As [`read_file`], and that it is not UTF-8.
pub fn read_text_file(path: &Path, bytes_max: u64) -> Result<String, String> {
    text_of(&read_file(path, bytes_max)?)
}

fn text_of(bytes: &[u8]) -> Result<String, String> {
    let text = std::str::from_utf8(bytes);
    text.map(str::to_owned).map_err(|error| format!("is not UTF-8: byte {} is wrong", error.valid_up_to()))
}

fn kind(of: &std::fs::FileType) -> Result<(), String> {
    let found = match () {
        () if of.is_file() => return Ok(()),
        () if of.is_dir() => "a folder",
        () if of.is_fifo() => "a pipe",
        () if of.is_socket() => "a socket",
        () if of.is_char_device() || of.is_block_device() => "a device",
        () => "of a kind that is not known",
    };
    Err(format!("is {found}; only regular files are read"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_of_bounded_size_are_read() {
        let folder = std::env::temp_dir().join(format!("contract-files-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let plain = folder.join("plain");
        std::fs::write(&plain, "text").unwrap();
        let link = folder.join("link");
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink(&plain, &link).unwrap();
        assert_eq!(read_text_file(&link, 4), Ok("text".into()));
        assert!(opened_files().contains(&link));
        let secret = folder.join("secret");
        std::fs::write(&secret, "s3cr3t").unwrap();
        assert_eq!(read_secret_file(&secret, 6), Ok("s3cr3t".into()));
        assert!(!opened_files().contains(&secret));
        assert_eq!(read_file(&plain, 3), Err("has 4 bytes; at most 3 are possible".into()));
        std::fs::write(&plain, [b'a', 0xff]).unwrap();
        assert_eq!(read_text_file(&plain, 4), Err("is not UTF-8: byte 1 is wrong".into()));
        let pipe = folder.join("pipe");
        let _ = std::fs::remove_file(&pipe);
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, Mode::RUSR | Mode::WUSR).unwrap();
        for (path, part) in [
            (pipe.as_path(), "is a pipe;"),
            (folder.as_path(), "is a folder;"),
            (Path::new("/dev/zero"), "is a device;"),
            (Path::new("/dev/null"), "is a device;"),
            (Path::new("/proc/self/status"), "lies under `/proc`"),
            (Path::new("/no/such/file"), "cannot be read: No such file"),
        ] {
            let why = read_file(path, 1000).unwrap_err();
            assert!(why.contains(part), "{}: {why}", path.display());
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
