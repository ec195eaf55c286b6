//! Bodies of requests: skipped or kept, by length or by chunks, up to a bound.

use crate::request::{Framing, Refusal};

/// The longest body that is skipped, in bytes.
pub const MAX_SKIPPED: u64 = 64 * 1024 * 1024;

/// The longest body that is kept, in bytes.
pub const MAX_KEPT: u64 = 1024 * 1024;

/// The longest line of a chunk's size, its extension included, and the longest trailer line.
const MAX_LINE: usize = 1024;

/// The most trailer lines.
const MAX_TRAILERS: u32 = 64;

const TOO_LONG: Refusal = Refusal { status: 413, why: "the body is longer than this target takes" };
const BAD_CHUNK: Refusal = Refusal { status: 400, why: "the chunks of the body are malformed" };

/// Takes the bytes of one body as they come.
#[derive(Debug)]
pub struct BodyReader {
    state: State,
    /// Bytes of the body itself so far.
    taken: u64,
    limit: u64,
    kept: Option<Vec<u8>>,
}

#[derive(Debug)]
enum State {
    /// So many bytes are left.
    Length(u64),
    /// Within the line that says how long the next chunk is.
    ChunkSize(Vec<u8>),
    /// So many bytes of the chunk are left.
    ChunkData(u64),
    /// Within the line end after a chunk.
    ChunkEnd(Vec<u8>),
    /// Within a line after the last chunk; so many lines before it.
    Trailer(Vec<u8>, u32),
    Done,
}

impl BodyReader {
    /// Begins a body; `keep` says whether its bytes are wanted.
    ///
    /// # Errors
    /// 413 when the announced length is over the bound.
    pub fn new(framing: Framing, keep: bool) -> Result<Self, Refusal> {
        let limit = if keep { MAX_KEPT } else { MAX_SKIPPED };
        let state = match framing {
            Framing::Length(0) => State::Done,
            Framing::Length(length) if length > limit => return Err(TOO_LONG),
            Framing::Length(length) => State::Length(length),
            Framing::Chunked => State::ChunkSize(Vec::new()),
        };
        Ok(BodyReader { state, taken: 0, limit, kept: keep.then(Vec::new) })
    }

    /// True when the whole body has been taken.
    pub fn is_done(&self) -> bool {
        matches!(self.state, State::Done)
    }

    /// The bytes that were kept.
    pub fn into_kept(self) -> Vec<u8> {
        self.kept.unwrap_or_default()
    }

    /// Takes bytes of `input` until the body ends; returns how many belong to it.
    ///
    /// # Errors
    /// 413 over the bound, 400 for malformed chunks.
    pub fn take(&mut self, input: &[u8]) -> Result<usize, Refusal> {
        let mut at = 0;
        while at < input.len() && !self.is_done() {
            at += self.step(&input[at..])?;
        }
        Ok(at)
    }

    fn step(&mut self, input: &[u8]) -> Result<usize, Refusal> {
        let (used, next) = match &mut self.state {
            State::Length(left) | State::ChunkData(left) => {
                let used = (*left).min(input.len() as u64);
                *left -= used;
                let ended = *left == 0;
                let in_chunk = matches!(self.state, State::ChunkData(_));
                self.keep(&input[..used as usize])?;
                let next = match (ended, in_chunk) {
                    (false, _) => None,
                    (true, true) => Some(State::ChunkEnd(Vec::new())),
                    (true, false) => Some(State::Done),
                };
                (used as usize, next)
            }
            State::ChunkSize(line) => {
                let (used, ended) = take_line(line, input)?;
                let next = if ended { Some(after_size(chunk_size(line)?)) } else { None };
                (used, next)
            }
            State::ChunkEnd(line) => {
                let (used, ended) = take_line(line, input)?;
                if ended && !line.is_empty() {
                    return Err(BAD_CHUNK);
                }
                (used, ended.then(|| State::ChunkSize(Vec::new())))
            }
            State::Trailer(line, before) => {
                let (used, ended) = take_line(line, input)?;
                let next = match (ended, line.is_empty()) {
                    (false, _) => None,
                    (true, true) => Some(State::Done),
                    (true, false) if *before >= MAX_TRAILERS => return Err(BAD_CHUNK),
                    (true, false) => Some(State::Trailer(Vec::new(), *before + 1)),
                };
                (used, next)
            }
            State::Done => (0, None),
        };
        if let Some(next) = next {
            self.state = next;
        }
        Ok(used)
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        self.taken += bytes.len() as u64;
        if self.taken > self.limit {
            return Err(TOO_LONG);
        }
        if let Some(kept) = &mut self.kept {
            kept.extend_from_slice(bytes);
        }
        Ok(())
    }
}

fn after_size(size: u64) -> State {
    if size == 0 { State::Trailer(Vec::new(), 0) } else { State::ChunkData(size) }
}

/// Appends to `line` up to the next line end, which is cut off; says how many bytes were used and whether it ended.
fn take_line(line: &mut Vec<u8>, input: &[u8]) -> Result<(usize, bool), Refusal> {
    let end = input.iter().position(|byte| *byte == b'\n');
    let used = end.map_or(input.len(), |end| end + 1);
    if line.len() + used > MAX_LINE {
        return Err(BAD_CHUNK);
    }
    line.extend_from_slice(&input[..used]);
    if end.is_none() {
        return Ok((used, false));
    }
    // A bare line feed is refused: accepting it is a known way to smuggle a second request.
    if !line.ends_with(b"\r\n") {
        return Err(BAD_CHUNK);
    }
    line.truncate(line.len() - 2);
    Ok((used, true))
}

fn chunk_size(line: &[u8]) -> Result<u64, Refusal> {
    let digits = line.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii_end();
    let plain = !digits.is_empty() && digits.len() <= 15 && digits.iter().all(u8::is_ascii_hexdigit);
    let text = std::str::from_utf8(digits).unwrap_or_default();
    u64::from_str_radix(text, 16).ok().filter(|_| plain).ok_or(BAD_CHUNK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The example of RFC 9112, section 7.1, form: two chunks, an extension, a trailer, and the next request.
    const CHUNKED: &[u8] = b"4;ext=1\r\nWiki\r\n5\r\npedia\r\n0\r\nX-Sum: 9\r\n\r\nGET";

    fn read(framing: Framing, input: &[u8], piece: usize) -> Result<(usize, Vec<u8>), Refusal> {
        let mut reader = BodyReader::new(framing, true)?;
        let mut used = 0;
        for part in input.chunks(piece) {
            used += reader.take(part)?;
            if reader.is_done() {
                break;
            }
        }
        assert!(reader.is_done());
        Ok((used, reader.into_kept()))
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(piece in 1_usize..60) {
            prop_assert_eq!(read(Framing::Chunked, CHUNKED, piece), Ok((CHUNKED.len() - 3, b"Wikipedia".to_vec())));
            prop_assert_eq!(read(Framing::Length(9), b"WikipediaGET", piece), Ok((9, b"Wikipedia".to_vec())));
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let mut reader = BodyReader::new(Framing::Chunked, true).unwrap();
            let _ = reader.take(&bytes);
        }
    }

    #[test]
    fn malformed_chunks_are_refused() {
        let refused = |bytes: &[u8]| BodyReader::new(Framing::Chunked, false).unwrap().take(bytes).unwrap_err();
        for wrong in
            [&b"x\r\n"[..], b"\r\n", b"4\nWiki", b"4\r\nWikiX\r\n", b"ffffffffffffffff\r\n", b"+4\r\n", b"-1\r\n"]
        {
            assert_eq!(refused(wrong).status, 400, "{}", String::from_utf8_lossy(wrong));
        }
        assert_eq!(refused(&[b'0'; 2000]).status, 400);
        let trailers = [&b"0\r\n"[..], &b"A: b\r\n".repeat(70)].concat();
        assert_eq!(refused(&trailers).status, 400);
    }

    #[test]
    fn bodies_are_bounded() {
        assert_eq!(BodyReader::new(Framing::Length(MAX_KEPT + 1), true).unwrap_err().status, 413);
        assert!(BodyReader::new(Framing::Length(MAX_KEPT + 1), false).is_ok());
        let mut reader = BodyReader::new(Framing::Chunked, true).unwrap();
        reader.take(b"200000\r\n").unwrap();
        let mebibyte = vec![0; MAX_KEPT as usize];
        reader.take(&mebibyte).unwrap();
        assert_eq!(reader.take(b"x").unwrap_err().status, 413);
    }
}
