//! Blocks: the unit that is either whole or dropped.
//!
//! | Bytes | Content |
//! | --- | --- |
//! | 0–3 | `4c 50 52 b1`, the mark of a block |
//! | 4 | version of the format, 1 |
//! | 5 | kind of its rows |
//! | 6–7 | the run that wrote it, as [`run_mark`] has it; zero in what earlier versions wrote |
//! | 8–11 | number of the block in its stream, from 0, over all segments |
//! | 12–15 | length of the payload |
//! | 16–19 | CRC-32 of bytes 4–15 and the payload |
//! | 20– | the payload: rows back to back |
//!
//! Numbers are unsigned, least significant byte first. The mark lets a reader find the next block behind a damaged one;
//! the number shows how many are gone.

use crate::RecordError;
use crate::files::open_regular;
use crate::row::{Row, Stream, is_readable, stream_of};
use std::collections::VecDeque;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

const MARK: [u8; 4] = [0x4c, 0x50, 0x52, 0xb1];
const VERSION: u8 = 1;
pub(crate) const HEADER_BYTES: usize = 20;
/// A block is closed when its payload has reached this: large enough that the header costs nothing.
const PAYLOAD_BYTES_FULL: usize = 256 * 1024;
/// No payload is longer: a full block and one more row, whose two histograms have at most 26,000 buckets.
pub(crate) const PAYLOAD_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Bytes of candidates that are summed in vain behind damage before the rest of a segment is given up. A segment made
/// of nothing but marks would otherwise keep the reader busy for hours.
const SEARCH_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// Sentences about damage that are kept; the bytes are counted beyond them.
const SENTENCES_MAX: usize = 50;

/// Appends `rows` as blocks, numbered from `number` on.
pub(crate) fn append<T: Row>(out: &mut Vec<u8>, number: &mut u32, run: u16, rows: &[T]) {
    let mut rows = rows.iter().peekable();
    while rows.peek().is_some() {
        let start = out.len();
        out.resize(start + HEADER_BYTES, 0);
        while out.len() - start < PAYLOAD_BYTES_FULL
            && let Some(row) = rows.next()
        {
            row.put(out);
        }
        let length = out.len() - start - HEADER_BYTES;
        debug_assert!(length <= PAYLOAD_BYTES_MAX, "a block of {length} bytes could not be read again");
        finish_header(&mut out[start..], T::KIND, run, *number);
        *number = number.wrapping_add(1);
    }
}

/// A block around a payload that may be nonsense.
#[cfg(feature = "fuzz")]
pub(crate) fn framed(kind: u8, number: u32, payload: &[u8]) -> Vec<u8> {
    let mut block = vec![0; HEADER_BYTES];
    block.extend_from_slice(payload);
    finish_header(&mut block, kind, 0, number);
    block
}

/// What tells the blocks of a run from those of another: never zero.
pub(crate) fn run_mark(id: &str) -> u16 {
    (crc32fast::hash(id.as_bytes()) as u16).max(1)
}

/// Whole blocks back to back as earlier versions wrote them, without the mark of their run.
#[cfg(test)]
pub(crate) fn unmark(blocks: &mut [u8]) {
    let mut at = 0;
    while at < blocks.len() {
        let end = at + HEADER_BYTES + u32_at(blocks, at + 12) as usize;
        let (kind, number) = (blocks[at + 5], u32_at(blocks, at + 8));
        finish_header(&mut blocks[at..end], kind, 0, number);
        at = end;
    }
}

fn finish_header(block: &mut [u8], kind: u8, run: u16, number: u32) {
    let (header, payload) = block.split_at_mut(HEADER_BYTES);
    header[..4].copy_from_slice(&MARK);
    header[4] = VERSION;
    header[5] = kind;
    header[6..8].copy_from_slice(&run.to_le_bytes());
    header[8..12].copy_from_slice(&number.to_le_bytes());
    header[12..16].copy_from_slice(&(payload.len() as u32).to_le_bytes());
    let sum = checksum(header, payload);
    header[16..20].copy_from_slice(&sum.to_le_bytes());
}

fn checksum(header: &[u8], payload: &[u8]) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(&header[4..16]);
    sum.update(payload);
    sum.finalize()
}

fn u32_at(bytes: &[u8], place: usize) -> u32 {
    let mut number = [0; 4];
    number.copy_from_slice(&bytes[place..place + 4]);
    u32::from_le_bytes(number)
}

/// A whole block.
pub(crate) struct Block {
    pub(crate) kind: u8,
    pub(crate) payload: Vec<u8>,
    run: u16,
    number: u32,
}

/// What could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Damage {
    pub(crate) bytes: u64,
    pub(crate) sentences: Vec<String>,
}

impl Damage {
    fn add(&mut self, bytes: u64, sentence: String) {
        self.bytes += bytes;
        if self.sentences.len() < SENTENCES_MAX {
            self.sentences.push(sentence);
        }
    }

    /// Something that is gone without a byte left of it.
    pub(crate) fn add_sentence(&mut self, sentence: String) {
        self.add(0, sentence);
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.sentences.extend(other.sentences);
    }
}

struct Segment {
    file: File,
    path: PathBuf,
    name: String,
    length: u64,
    offset: u64,
}

/// The blocks of one stream's segments, in order; what is damaged is stepped over and told.
pub(crate) struct Blocks {
    waiting: VecDeque<(PathBuf, String)>,
    segment: Option<Segment>,
    next_number: u32,
    /// Whether rows are looked at. Whoever reads blocks of one kind looks at them, and at no others.
    checks_rows: bool,
    pub(crate) damage: Damage,
    /// Whether anything is missing before what is read next: a block that was left out, or numbers without blocks.
    pub(crate) is_gapped: bool,
    /// Whether the last thing that was found is a torn end.
    pub(crate) is_torn_at_end: bool,
}

/// What stands at a place of a segment.
enum Found {
    Block(Block),
    /// Whole, but of a later format.
    Later(u64),
    Nothing {
        summed: u64,
    },
}

impl Blocks {
    /// `segments`: paths in order, each with the name that sentences about damage use.
    pub(crate) fn new(segments: Vec<(PathBuf, String)>) -> Self {
        Self {
            waiting: segments.into(),
            segment: None,
            next_number: 0,
            checks_rows: true,
            damage: Damage::default(),
            is_gapped: false,
            is_torn_at_end: false,
        }
    }

    /// As [`Blocks::new`], of blocks whose sums are right, whether or not their rows can be read.
    pub(crate) fn unchecked(segments: Vec<(PathBuf, String)>) -> Self {
        Self { checks_rows: false, ..Self::new(segments) }
    }

    /// Number of blocks up to the last one that was found whole.
    pub(crate) fn count(&self) -> u32 {
        self.next_number
    }

    /// Refuses a block that another run wrote, or another stream of this one: somebody has put its segment here.
    pub(crate) fn check_own(&self, block: &Block, stream: Stream, run: u16) -> Result<(), RecordError> {
        let is_foreign = block.run != 0 && block.run != run;
        let is_of = stream_of(block.kind).filter(|of| *of != stream);
        let Some(segment) = self.segment.as_ref().filter(|_| is_foreign || is_of.is_some()) else { return Ok(()) };
        let of = match is_of {
            Some(of) if !is_foreign => format!("rows of `{}`", of.folder()),
            _ => "rows of another run".to_owned(),
        };
        let what = format!(
            "`{}` holds {of}. Put this run's own segment in its place, from a copy, or move what does not belong there \
             out of the folder",
            segment.name
        );
        Err(RecordError::not_a_run(&segment.path, what))
    }

    /// The next whole block whose rows can be read.
    pub(crate) fn next(&mut self) -> Result<Option<Block>, RecordError> {
        loop {
            if self.segment.is_none() && !self.open_next()? {
                return Ok(None);
            }
            let Some(segment) = self.segment.as_mut() else { return Ok(None) };
            if segment.offset >= segment.length {
                self.segment = None;
                continue;
            }
            match segment.at(segment.offset)? {
                Found::Block(block) => {
                    segment.offset += (HEADER_BYTES + block.payload.len()) as u64;
                    if let Some(block) = self.accept(block) {
                        return Ok(Some(block));
                    }
                }
                Found::Later(bytes) => {
                    segment.offset += bytes;
                    self.is_gapped = true;
                    let sentence = format!("`{}` holds a block of a later version of loadproof", segment.name);
                    self.damage.add(bytes, sentence);
                }
                Found::Nothing { .. } => self.step_over()?,
            }
        }
    }

    /// Segments that have come behind those that are known.
    pub(crate) fn await_more(&mut self, segments: Vec<(PathBuf, String)>) {
        self.waiting.extend(segments);
    }

    /// As [`Blocks::next`], of segments of which the last may still grow: what is not whole at its end has not come yet,
    /// and is looked for again with the next call.
    pub(crate) fn next_of_growing(&mut self, grows: bool) -> Result<Option<Block>, RecordError> {
        if self.segment.is_none() && !self.open_next()? {
            return Ok(None);
        }
        if let Some(segment) = self.segment.as_mut() {
            segment.length = segment.file.metadata().map_err(RecordError::io("read", &segment.path))?.len();
            let is_last = self.waiting.is_empty();
            if is_last && segment.offset >= segment.length {
                return Ok(None);
            }
            if is_last && grows && matches!(segment.at(segment.offset)?, Found::Nothing { .. }) {
                return Ok(None);
            }
        }
        self.next()
    }

    fn open_next(&mut self) -> Result<bool, RecordError> {
        let Some((path, name)) = self.waiting.pop_front() else { return Ok(false) };
        let file = open_regular(&path).map_err(RecordError::io("read", &path))?;
        let length = file.metadata().map_err(RecordError::io("read", &path))?.len();
        self.segment = Some(Segment { file, path, name, length, offset: 0 });
        Ok(true)
    }

    /// Checks the number and the rows of a block whose sum is right.
    fn accept(&mut self, block: Block) -> Option<Block> {
        let name = self.segment.as_ref().map_or("", |segment| &segment.name);
        let bytes = (HEADER_BYTES + block.payload.len()) as u64;
        let Some(missing) = block.number.checked_sub(self.next_number) else {
            self.damage.add(bytes, format!("`{name}`: block {} stands here a second time", block.number));
            return None;
        };
        self.is_torn_at_end = false;
        if missing > 0 {
            self.is_gapped = true;
            self.damage.add(0, format!("`{name}`: {missing} blocks are missing before block {}", block.number));
        }
        self.next_number = block.number.saturating_add(1);
        if !self.checks_rows {
            return Some(block);
        }
        match is_readable(block.kind, &block.payload) {
            Some(true) => return Some(block),
            Some(false) => self.damage.add(bytes, format!("`{name}`: block {} cannot be decoded", block.number)),
            None => {
                let sentence = format!("`{name}`: block {} holds rows of an unknown kind {}", block.number, block.kind);
                self.damage.add(bytes, sentence);
            }
        }
        self.is_gapped = true;
        None
    }

    /// Finds the next whole block behind damage, and tells what lies between.
    fn step_over(&mut self) -> Result<(), RecordError> {
        let Some(segment) = self.segment.as_mut() else { return Ok(()) };
        (self.is_gapped, self.is_torn_at_end) = (true, true);
        let from = segment.offset;
        let sentence = match segment.find_block(from + 1)? {
            Some(place) => {
                segment.offset = place;
                format!("`{}`: bytes {from} to {} are damaged; reading went on behind them", segment.name, place - 1)
            }
            None => {
                segment.offset = segment.length;
                format!("`{}`: the last {} bytes are torn", segment.name, segment.length - from)
            }
        };
        self.damage.add(segment.offset - from, sentence);
        Ok(())
    }
}

impl Segment {
    fn read(&self, bytes: &mut [u8], place: u64) -> Result<(), RecordError> {
        self.file.read_exact_at(bytes, place).map_err(RecordError::io("read", &self.path))
    }

    fn at(&self, place: u64) -> Result<Found, RecordError> {
        let left = self.length.saturating_sub(place);
        let mut header = [0; HEADER_BYTES];
        if left < HEADER_BYTES as u64 {
            return Ok(Found::Nothing { summed: 0 });
        }
        self.read(&mut header, place)?;
        let length = u32_at(&header, 12) as usize;
        if header[..4] != MARK || length > PAYLOAD_BYTES_MAX || (HEADER_BYTES + length) as u64 > left {
            return Ok(Found::Nothing { summed: 0 });
        }
        let mut payload = vec![0; length];
        self.read(&mut payload, place + HEADER_BYTES as u64)?;
        Ok(if checksum(&header, &payload) != u32_at(&header, 16) {
            Found::Nothing { summed: length as u64 }
        } else if header[4] != VERSION {
            Found::Later((HEADER_BYTES + length) as u64)
        } else {
            let run = u16::from_le_bytes([header[6], header[7]]);
            Found::Block(Block { kind: header[5], payload, run, number: u32_at(&header, 8) })
        })
    }

    /// Place of the first whole block at or behind `from`.
    fn find_block(&self, from: u64) -> Result<Option<u64>, RecordError> {
        let (mut window, mut place, mut summed) = (vec![0; 64 * 1024], from, 0);
        while place + (HEADER_BYTES as u64) <= self.length {
            let length = (self.length - place).min(window.len() as u64) as usize;
            self.read(&mut window[..length], place)?;
            for (distance, bytes) in window[..length].windows(MARK.len()).enumerate() {
                if bytes != MARK {
                    continue;
                }
                match self.at(place + distance as u64)? {
                    Found::Nothing { summed: more } => summed += more,
                    Found::Block(_) | Found::Later(_) => return Ok(Some(place + distance as u64)),
                }
                if summed > SEARCH_BYTES_MAX {
                    return Ok(None);
                }
            }
            // A mark may lie across the window's edge.
            place += (length - (MARK.len() - 1)) as u64;
        }
        Ok(None)
    }
}
