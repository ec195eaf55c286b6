//! Samples of a JTL taken apart on several threads, as one thread would, in the order of the file.
//!
//! The text is cut into blocks of whole lines, and each is read and added up as if a record began with it. That holds where the block
//! before ended with a record. Where it did not, since a field in quotes went on, or where what a record is depends on more
//! than its block holds, nothing that was read from there on counts: one thread goes on with the bytes, until a block and a
//! record end together again. So what comes out depends neither on where the blocks end nor on which thread is first.

use crate::block::{Block, Manner, TakesBlocks};
use crate::call::Call;
use crate::error::ImportError;
use crate::jtl::{Columns, call, row};
use crate::reading::Reading;
use crate::records::{Found, RECORD_MAX, Records, Rest};
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

/// Bytes of a block: some ten thousand samples.
pub(crate) const BLOCK: usize = 1 << 20;
/// Bytes before a block that show what its first records may be parts of: several hundred samples.
const BEFORE: usize = 1 << 16;
/// Threads that take blocks apart; one more reads the file and hashes it, and cannot keep up with more.
const WORKERS_MAX: usize = 8;

/// What a block holds.
struct Parsed {
    piece: Piece,
    block: Block,
    /// Lines are those of the block, from 1.
    reading: Reading,
    /// Lines up to its end, or to where it was given up.
    lines: u64,
    /// Where a record begins that is not told by the block alone.
    given_up_at: Option<usize>,
}

/// Takes a block apart.
fn parse(mut piece: Piece, delimiter: u8, columns: &Columns, manner: Manner) -> Parsed {
    if !manner.sees_threads {
        let parsed = parse_once(piece, Block::new(manner.clone()), delimiter, columns);
        if !parsed.block.misses_threads() {
            return parsed;
        }
        piece = parsed.piece;
    }
    let mut block = Block::new(Manner { sees_threads: true, ..manner });
    piece.before = look_back(piece.before, delimiter, columns, |call| block.look_back(call));
    parse_once(piece, block, delimiter, columns)
}

/// The end of two consecutive texts, starting with a whole line.
fn tail(first: &[u8], second: &[u8]) -> Vec<u8> {
    let mut end = Vec::new();
    for text in [first, second] {
        end.extend_from_slice(&text[text.len().saturating_sub(BEFORE)..]);
    }
    if let Some(from) = end.len().checked_sub(BEFORE).filter(|from| *from > 0) {
        end.drain(..memchr::memchr(b'\n', &end[from..]).map_or(end.len(), |at| from + at + 1));
    }
    end
}

/// Reads what comes before a block, which its first records may be parts of; whatever is wrong there was reported with
/// its own block.
fn look_back(before: Vec<u8>, delimiter: u8, columns: &Columns, mut see: impl FnMut(&Call<'_>)) -> Vec<u8> {
    let mut records = Records::over(before, delimiter);
    while let Ok(found @ (Found::Record | Found::Damaged(_))) = records.advance() {
        match (found == Found::Record).then(|| call(&records, columns)) {
            Some(Ok(call)) => see(&call),
            Some(Err(_)) => records.only_first_line(),
            None => {}
        }
    }
    records.into_buffer()
}

/// The same, up to the first label of a part if the manner does not see threads.
fn parse_once(piece: Piece, mut block: Block, delimiter: u8, columns: &Columns) -> Parsed {
    let Piece { bytes, before } = piece;
    let mut reading = Reading::default();
    let (mut lines, mut given_up_at) = (0, None);
    let length = bytes.len();
    let mut records = Records::over(bytes, delimiter);
    while !block.misses_threads() {
        let (from, line) = (length - records.unread(), records.next_line());
        // A text in memory is never an error.
        let Ok(found) = records.advance() else { break };
        lines = records.next_line() - 1;
        if found == Found::End {
            break;
        }
        if records.was_cut() {
            (lines, given_up_at) = (line - 1, Some(from));
            break;
        }
        match found {
            Found::Damaged(why) => reading.unreadable(records.line(), why),
            _ => match call(&records, columns) {
                Ok(call) => {
                    reading.read += 1;
                    block.add(&call);
                }
                Err(why) => {
                    reading.unreadable(records.line(), why);
                    records.only_first_line();
                }
            },
        }
    }
    // Here there are several threads for it, and one that joins.
    block.cells.sort();
    Parsed { piece: Piece { bytes: records.into_buffer(), before }, block, reading, lines, given_up_at }
}

/// Cuts a text behind lines.
struct Blocks<R> {
    reader: R,
    /// What was read and is in no block yet, and behind it room for more.
    rest: Vec<u8>,
    filled: usize,
    is_at_end: bool,
    failed: Option<io::Error>,
    length: usize,
    /// Memory of a block that was read.
    spare: Vec<u8>,
    /// The end of what was cut off before, starting with a whole line.
    before: Vec<u8>,
}

/// A piece of a text.
struct Piece {
    bytes: Vec<u8>,
    /// What comes before it, starting with a whole line.
    before: Vec<u8>,
}

enum Cut {
    Whole(Piece),
    /// The last: what it ends with is the end of the file, or why it breaks off.
    Last(Piece),
}

impl<R: Read> Blocks<R> {
    /// A piece, with what stands before it.
    fn piece(&mut self, bytes: Vec<u8>) -> Piece {
        let next = tail(&self.before, &bytes);
        Piece { bytes, before: std::mem::replace(&mut self.before, next) }
    }

    fn next(&mut self) -> Option<Cut> {
        loop {
            if self.filled >= self.length {
                if let Some(end) = memchr::memrchr(b'\n', &self.rest[..self.filled]) {
                    return Some(Cut::Whole(self.cut(end + 1)));
                }
                // A line that is longer than any record is not held as a whole.
                if self.filled > RECORD_MAX + self.length {
                    return Some(Cut::Whole(self.cut(self.filled)));
                }
            }
            if self.is_at_end {
                return (self.filled > 0).then(|| Cut::Last(self.cut(self.filled)));
            }
            self.more();
        }
    }

    /// Cuts so many bytes off.
    fn cut(&mut self, end: usize) -> Piece {
        // What is left is far shorter than the block, so that is what moves.
        let left = end..self.filled;
        let mut next = std::mem::take(&mut self.spare);
        self.filled = left.len();
        next.resize(next.len().max(self.filled), 0);
        next[..self.filled].copy_from_slice(&self.rest[left]);
        let mut whole = std::mem::replace(&mut self.rest, next);
        whole.truncate(end);
        self.piece(whole)
    }

    fn more(&mut self) {
        let end = self.filled;
        let room = end + self.length.min(BLOCK);
        // Only what was never used is filled with zeros: memory of an earlier block stays as it is.
        self.rest.resize(self.rest.len().max(room), 0);
        let read = loop {
            match self.reader.read(&mut self.rest[end..room]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.failed = Some(error);
                    break 0;
                }
                Ok(read) => break read,
            }
        };
        self.filled = end + read;
        self.is_at_end = read == 0;
    }
}

type Job = (u64, Piece, Manner);
type Done = (u64, std::thread::Result<Parsed>);

/// Blocks on their way through the workers, a few at a time.
struct Pipeline<R> {
    blocks: Blocks<R>,
    jobs: Sender<Job>,
    done: Receiver<Done>,
    early: BTreeMap<u64, Parsed>,
    /// How blocks that are given out are added up.
    manner: Manner,
    sent: u64,
    taken: u64,
    at_once: u64,
    last: Option<Piece>,
    is_dry: bool,
}

enum Next {
    Parsed(Box<Parsed>),
    Last(Piece),
    Over,
}

impl<R: Read> Pipeline<R> {
    fn give(&mut self, block: Option<Cut>) {
        match block {
            None => self.is_dry = true,
            Some(Cut::Last(piece)) => (self.last, self.is_dry) = (Some(piece), true),
            Some(Cut::Whole(piece)) => {
                // Workers end when this sender is gone, and not before.
                let _ = self.jobs.send((self.sent, piece, self.manner.clone()));
                self.sent += 1;
            }
        }
    }

    fn fill(&mut self) {
        while !self.is_dry && self.sent - self.taken < self.at_once {
            let block = self.blocks.next();
            self.give(block);
        }
    }

    /// The next block in the order of the file.
    fn next(&mut self) -> Next {
        self.fill();
        if self.taken == self.sent {
            return self.last.take().map_or(Next::Over, Next::Last);
        }
        let parsed = loop {
            if let Some(parsed) = self.early.remove(&self.taken) {
                break parsed;
            }
            let Ok((number, parsed)) = self.done.recv() else { return Next::Over };
            let parsed = parsed.unwrap_or_else(|defect| std::panic::resume_unwind(defect));
            self.early.insert(number, parsed);
        };
        self.taken += 1;
        self.fill();
        Next::Parsed(Box::new(parsed))
    }
}

/// Bytes from somewhere in a block on, for whoever goes on alone.
struct Joined<'p, R> {
    pipeline: &'p mut Pipeline<R>,
    bytes: Vec<u8>,
    at: usize,
}

impl<R: Read> Read for Joined<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.bytes.len() {
            self.bytes = match self.pipeline.next() {
                Next::Parsed(parsed) => parsed.piece.bytes,
                Next::Last(piece) => piece.bytes,
                Next::Over => return self.pipeline.blocks.failed.take().map_or(Ok(0), Err),
            };
            self.at = 0;
        }
        let length = (self.bytes.len() - self.at).min(buffer.len());
        buffer[..length].copy_from_slice(&self.bytes[self.at..self.at + length]);
        self.at += length;
        Ok(length)
    }
}

/// What is read, from where, and for whom.
pub(crate) struct Taking<'a> {
    pub(crate) path: &'a Path,
    pub(crate) columns: &'a Columns,
    /// Bytes of a block.
    pub(crate) block: usize,
    pub(crate) reading: &'a mut Reading,
    pub(crate) sink: &'a mut dyn TakesBlocks,
}

impl Taking<'_> {
    /// Reads all that is left of a file; returns its reader.
    pub(crate) fn all<R: Read>(&mut self, rest: Rest<R>) -> Result<R, ImportError> {
        let Rest { reader, delimiter, unread, next_line, is_at_end, failed } = rest;
        let mut blocks = Blocks {
            reader,
            filled: unread.len(),
            rest: unread,
            is_at_end,
            failed,
            length: self.block.max(1),
            spare: Vec::new(),
            before: Vec::new(),
        };
        let first = blocks.next();
        let (jobs, orders) = channel::<Job>();
        let (give, done) = channel::<Done>();
        let workers = match first {
            Some(Cut::Whole(_)) => std::thread::available_parallelism().map_or(1, |all| all.get()),
            _ => 0,
        };
        let workers = workers.clamp(usize::from(matches!(first, Some(Cut::Whole(_)))), WORKERS_MAX);
        let columns = self.columns;
        let orders = Mutex::new(orders);
        std::thread::scope(|scope| {
            let mut started = Ok(());
            for number in 0..workers {
                let (orders, give) = (&orders, give.clone());
                let work = move || {
                    loop {
                        let order = orders.lock().unwrap_or_else(PoisonError::into_inner).recv();
                        let Ok((number, piece, manner)) = order else { return };
                        let work = std::panic::AssertUnwindSafe(|| parse(piece, delimiter, columns, manner));
                        if give.send((number, std::panic::catch_unwind(work))).is_err() {
                            return;
                        }
                    }
                };
                let worker = std::thread::Builder::new().name("blocks".to_owned()).spawn_scoped(scope, work);
                // Others take the part of one that the system does not start.
                if number == 0 {
                    started = worker.map(drop);
                }
            }
            started.map_err(ImportError::Thread)?;
            let (sent, taken, at_once) = (0, 0, workers as u64 + 2);
            let (early, manner, last, is_dry) = (BTreeMap::new(), self.sink.manner(), None, false);
            let mut pipeline = Pipeline { blocks, jobs, done, early, manner, sent, taken, at_once, last, is_dry };
            pipeline.give(first);
            self.take(&mut pipeline, delimiter, next_line)?;
            Ok(pipeline.blocks.reader)
        })
    }

    fn take<R: Read>(
        &mut self,
        pipeline: &mut Pipeline<R>,
        delimiter: u8,
        mut next_line: u64,
    ) -> Result<(), ImportError> {
        loop {
            let Piece { bytes, before } = match pipeline.next() {
                Next::Over => break,
                Next::Last(piece) => piece,
                Next::Parsed(parsed) => {
                    let Parsed { piece: Piece { mut bytes, before }, block, reading, lines, given_up_at } = *parsed;
                    self.sink.block(block)?;
                    pipeline.manner = self.sink.manner();
                    self.reading.join(&reading, next_line - 1);
                    next_line += lines;
                    match given_up_at {
                        None => {
                            pipeline.blocks.spare = bytes;
                            continue;
                        }
                        Some(from) => Piece { before: tail(&before, &bytes[..from]), bytes: bytes.split_off(from) },
                    }
                }
            };
            look_back(before, delimiter, self.columns, |call| self.sink.look_back(call));
            let mut records = Records::new(Joined { pipeline, bytes, at: 0 }, delimiter);
            records.begin_at(next_line);
            if !self.alone(&mut records)? {
                return Ok(());
            }
            next_line = records.next_line();
        }
        // Behind the last line; where a file breaks off, its last block has said so unless there was none.
        match pipeline.blocks.failed.take() {
            Some(error) => self.breaks_off(&error, next_line),
            None => Ok(()),
        }
    }

    /// Reads on until a record and a block end together; whether there is more.
    fn alone<R: Read>(&mut self, records: &mut Records<Joined<'_, R>>) -> Result<bool, ImportError> {
        loop {
            match records.advance() {
                Ok(Found::Record) => row(records, self.columns, self.reading, self.sink)?,
                Ok(Found::Damaged(why)) => self.reading.unreadable(records.line(), why),
                Ok(Found::End) => return Ok(false),
                Err(error) => {
                    let line = records.line();
                    return self.breaks_off(&error, line).map(|()| false);
                }
            }
            let joined = records.reader();
            if records.unread() == 0 && joined.at == joined.bytes.len() {
                // Whoever goes on asks the reader again, which has said what it had to say.
                return match records.take_failure() {
                    Some(error) => {
                        let line = records.next_line();
                        self.breaks_off(&error, line).map(|()| false)
                    }
                    None => Ok(true),
                };
            }
        }
    }

    fn breaks_off(&mut self, error: &io::Error, line: u64) -> Result<(), ImportError> {
        self.reading.break_off(self.path, line, error)
    }
}
