//! A file as a stream of bytes: packed or not, hashed on its way, bounded in what it unpacks to.

use crate::error::ImportError;
use flate2::read::MultiGzDecoder;
use sha2::{Digest, Sha256};
use std::cell::RefCell;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::rc::Rc;

/// What a packed file may become, whatever it is made of: the log of a day at fifty thousand calls a second.
pub(crate) const UNPACKED_MAX: u64 = 1 << 40;
/// No log packs better than this; what does is made to fill a disk or a memory. Deflate itself ends at 1032.
const RATIO_MAX: u64 = 400;
/// Below this nobody is harmed, however well it packs.
const RATIO_FREE: u64 = 64 << 20;
/// Bytes that are read from a disk at once.
const CHUNK: usize = 1 << 20;

/// What was read of the file as it lies on the disk.
#[derive(Default)]
struct Seen {
    bytes: u64,
    hash: Sha256,
}

/// Reads on, and hashes what passes.
struct Hashed<R> {
    inner: R,
    seen: Rc<RefCell<Seen>>,
}

impl<R: Read> Read for Hashed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        let mut seen = self.seen.borrow_mut();
        seen.bytes += read as u64;
        seen.hash.update(&buffer[..read]);
        Ok(read)
    }
}

/// An input, open.
pub(crate) struct Input {
    reader: Box<dyn Read>,
    seen: Rc<RefCell<Seen>>,
    unpacked: u64,
    is_packed: bool,
}

impl Input {
    /// Opens a file; one in gzip, whatever its name, is unpacked as it is read.
    ///
    /// # Errors
    /// When there is none, when it is a folder, a pipe or a device, or when it cannot be read.
    pub(crate) fn open(path: &Path) -> Result<Self, ImportError> {
        let wrong = |what: String| ImportError::file(path, what);
        // Looked at before it is opened: a pipe without a writer would never answer.
        let about = std::fs::metadata(path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
        if !about.is_file() {
            let what = if about.is_dir() { "is a folder; name the files in it" } else { "is not a file" };
            return Err(wrong(what.into()));
        }
        let file = File::open(path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
        Self::of(file).map_err(|error| wrong(format!("cannot be read: {error}")))
    }

    /// The same of a stream of bytes.
    pub(crate) fn of(stream: impl Read + 'static) -> io::Result<Self> {
        let seen = Rc::<RefCell<Seen>>::default();
        let mut hashed = BufReader::with_capacity(CHUNK, Hashed { inner: stream, seen: seen.clone() });
        let is_packed = {
            use io::BufRead;
            hashed.fill_buf()?.starts_with(&[0x1f, 0x8b])
        };
        let reader: Box<dyn Read> = if is_packed { Box::new(MultiGzDecoder::new(hashed)) } else { Box::new(hashed) };
        Ok(Self { reader, seen, unpacked: 0, is_packed })
    }

    /// Length on the disk and SHA-256 of what was read so far: of the whole once it ended.
    pub(crate) fn fingerprint(&self) -> (u64, String) {
        let seen = self.seen.borrow();
        let digest = seen.hash.clone().finalize();
        let hex = digest.iter().fold(String::with_capacity(64), |mut text, byte| {
            // Writing to memory does not fail.
            let _ = write!(text, "{byte:02x}");
            text
        });
        (seen.bytes, hex)
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.unpacked += read as u64;
        if self.is_packed {
            let packed = self.seen.borrow().bytes.max(1);
            let is_bomb = self.unpacked > RATIO_FREE && self.unpacked / packed > RATIO_MAX;
            if is_bomb || self.unpacked > UNPACKED_MAX {
                let text = format!(
                    "unpacks to more than {} MiB out of {packed} bytes, which no log does; unpack it yourself if it is one",
                    self.unpacked >> 20
                );
                return Err(io::Error::other(text));
            }
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).expect("memory takes it");
        encoder.finish().expect("memory takes it")
    }

    #[test]
    fn what_is_packed_is_unpacked_and_two_members_are_one_file() {
        let both = [packed(b"one\n"), packed(b"two\n")].concat();
        let mut input = Input::of(io::Cursor::new(both.clone())).unwrap();
        let mut text = String::new();
        input.read_to_string(&mut text).unwrap();
        assert_eq!(text, "one\ntwo\n");
        // SHA-256 of the bytes on the disk, as sha256sum has it.
        let expected: String = Sha256::digest(&both).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(input.fingerprint(), (both.len() as u64, expected));
    }

    #[test]
    fn what_unpacks_to_too_much_is_refused() {
        let bomb = packed(&vec![b'0'; 80 << 20]);
        assert!(bomb.len() < 200_000, "it is one: {}", bomb.len());
        let error = io::copy(&mut Input::of(io::Cursor::new(bomb)).unwrap(), &mut io::sink()).unwrap_err();
        assert!(error.to_string().contains("which no log does"), "{error}");
    }
}
