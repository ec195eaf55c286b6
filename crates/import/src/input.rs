//! A file as a stream of bytes: packed or not, hashed on its way, bounded in what it unpacks to.

use crate::error::ImportError;
use flate2::read::MultiGzDecoder;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a packed file may become, whatever it is made of: the log of a day at fifty thousand calls a second.
pub(crate) const UNPACKED_MAX: u64 = 1 << 40;
/// No log packs better than this; what does is made to fill a disk or a memory. Deflate itself ends at 1032.
const RATIO_MAX: u64 = 400;
/// Below this nobody is harmed, however well it packs.
const RATIO_FREE: u64 = 64 << 20;
/// Bytes that are read from a disk at once.
const CHUNK: usize = 1 << 20;
/// So many of them are read ahead.
const PIECES: usize = 4;
/// The byte order mark of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";
/// Bytes that show what a file is.
const START: usize = 64;

/// What was read of the file as it lies on the disk.
#[derive(Default)]
pub(crate) struct Seen {
    bytes: u64,
    hash: Sha256,
}

impl Seen {
    fn add(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.hash.update(bytes);
    }
}

/// What is behind a lock that nobody can have left broken: nothing panics while holding it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Pieces of a file, in its order.
type Chunks = Arc<Mutex<Receiver<io::Result<Vec<u8>>>>>;

/// Reads a file and hashes it on a thread of its own, a few pieces ahead of whoever takes them apart.
struct Ahead {
    chunks: Chunks,
    /// Pieces that were used, to be filled again.
    used: Sender<Vec<u8>>,
    piece: Vec<u8>,
    at: usize,
}

impl Ahead {
    fn of(mut file: File) -> io::Result<(Self, Arc<Mutex<Seen>>)> {
        let seen = Arc::<Mutex<Seen>>::default();
        let (give, chunks) = sync_channel(PIECES);
        let (used, again) = channel::<Vec<u8>>();
        let hashed = seen.clone();
        std::thread::Builder::new().name("read".to_owned()).spawn(move || {
            loop {
                let mut piece = again.try_recv().unwrap_or_default();
                piece.resize(CHUNK, 0);
                let read = match file.read(&mut piece) {
                    Ok(0) => return,
                    Ok(read) => read,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => {
                        // Whoever reads is told, or has gone.
                        let _ = give.send(Err(error));
                        return;
                    }
                };
                piece.truncate(read);
                lock(&hashed).add(&piece);
                if give.send(Ok(piece)).is_err() {
                    return;
                }
            }
        })?;
        Ok((Self { chunks: Arc::new(Mutex::new(chunks)), used, piece: Vec::new(), at: 0 }, seen))
    }
}

impl BufRead for Ahead {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at >= self.piece.len() {
            let next = lock(&self.chunks).recv();
            let next = next.unwrap_or_else(|_| Ok(Vec::new()))?;
            // Where nobody reads ahead any more, nobody needs it.
            let _ = self.used.send(std::mem::replace(&mut self.piece, next));
            self.at = 0;
        }
        Ok(&self.piece[self.at..])
    }

    fn consume(&mut self, amount: usize) {
        self.at = (self.at + amount).min(self.piece.len());
    }
}

impl Read for Ahead {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let piece = self.fill_buf()?;
        let length = piece.len().min(buffer.len());
        buffer[..length].copy_from_slice(&piece[..length]);
        self.consume(length);
        Ok(length)
    }
}

/// Reads on, and hashes what passes.
struct Hashed<R> {
    inner: R,
    seen: Arc<Mutex<Seen>>,
}

impl<R: Read> Read for Hashed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        lock(&self.seen).add(&buffer[..read]);
        Ok(read)
    }
}

/// An input, open.
pub(crate) struct Input {
    reader: Box<dyn Read>,
    seen: Arc<Mutex<Seen>>,
    /// What was read ahead and not taken.
    unread: Option<Chunks>,
    unpacked: u64,
    /// The last byte that was read.
    last: Option<u8>,
    is_packed: bool,
    /// Its first bytes, as they lie on the disk.
    start: Vec<u8>,
    content: Content,
}

/// What a packed file holds, once it was read.
#[derive(Clone, Default)]
pub(crate) struct Content(Option<Arc<Mutex<Seen>>>);

impl Content {
    /// SHA-256 of what was unpacked so far; none of a file that is not packed.
    pub(crate) fn sha256(&self) -> Option<String> {
        self.0.as_ref().map(|seen| hex(&lock(seen)))
    }
}

fn hex(seen: &Seen) -> String {
    seen.hash.clone().finalize().iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to memory does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
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
        let (ahead, seen) = Ahead::of(file).map_err(ImportError::Thread)?;
        let unread = ahead.chunks.clone();
        Self::over(ahead, seen, Some(unread)).map_err(|error| wrong(format!("cannot be read: {error}")))
    }

    /// The same of a stream of bytes.
    pub(crate) fn of(stream: impl Read + 'static) -> io::Result<Self> {
        let seen = Arc::<Mutex<Seen>>::default();
        Self::over(BufReader::with_capacity(CHUNK, Hashed { inner: stream, seen: seen.clone() }), seen, None)
    }

    fn over(mut stream: impl BufRead + 'static, seen: Arc<Mutex<Seen>>, unread: Option<Chunks>) -> io::Result<Self> {
        let beginning = stream.fill_buf()?;
        let is_packed = beginning.starts_with(&[0x1f, 0x8b]);
        // A byte order mark, as some editors and shells write it, belongs to no line.
        let mark = if beginning.starts_with(MARK) { MARK.len() } else { 0 };
        let start = beginning[mark..beginning.len().min(mark + START)].to_vec();
        stream.consume(mark);
        let content = Content(is_packed.then(Arc::default));
        let reader: Box<dyn Read> = match &content.0 {
            Some(unpacked) => Box::new(Hashed { inner: MultiGzDecoder::new(stream), seen: unpacked.clone() }),
            None => Box::new(stream),
        };
        Ok(Self { reader, seen, unread, unpacked: 0, last: None, is_packed, start, content })
    }

    /// Length and SHA-256 of the file as it lies on the disk, even where it was not read to its end; of a stream, of what
    /// was read of it.
    pub(crate) fn fingerprint(&self) -> (u64, String) {
        if let Some(unread) = &self.unread {
            // Whoever reads ahead ends only when all that it read was taken.
            while lock(unread).recv().is_ok() {}
        }
        let seen = lock(&self.seen);
        (seen.bytes, hex(&seen))
    }

    /// What it holds, where it is packed.
    pub(crate) fn content(&self) -> Content {
        self.content.clone()
    }

    /// Whether what was read of it ends within a line.
    pub(crate) fn ends_within_a_line(&self) -> bool {
        self.last.is_some_and(|last| last != b'\n')
    }

    /// Its first bytes, as they lie on the disk.
    pub(crate) fn start(&self) -> &[u8] {
        &self.start
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut read = self.reader.read(buffer)?;
        if self.is_packed && self.unpacked == 0 && buffer[..read].starts_with(MARK) {
            buffer.copy_within(MARK.len()..read, 0);
            read -= MARK.len();
            self.unpacked += MARK.len() as u64;
            if read == 0 {
                read = self.reader.read(buffer)?;
            }
        }
        self.unpacked += read as u64;
        self.last = buffer[..read].last().copied().or(self.last);
        if self.is_packed {
            // Read ahead by a few pieces at most, which a bomb does not hide behind.
            let packed = lock(&self.seen).bytes.max(1);
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
        let read = |bytes: Vec<u8>| {
            let mut text = String::new();
            let mut input = Input::of(io::Cursor::new(bytes)).unwrap();
            input.read_to_string(&mut text).unwrap();
            (text, input)
        };
        let (text, input) = read(both.clone());
        assert_eq!(text, "one\ntwo\n");
        // A byte order mark belongs to no line, packed or not.
        let in_two = [packed(MARK), packed(b"one\n")].concat();
        for marked in [b"\xef\xbb\xbfone\n".to_vec(), packed(b"\xef\xbb\xbfone\n"), in_two] {
            assert_eq!(read(marked).0, "one\n");
        }
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
