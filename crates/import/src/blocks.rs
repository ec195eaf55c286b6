//! Samples of a JTL taken apart on several threads, as one thread would, in the order of the file.
//!
//! The text is cut into blocks of whole lines, and each is read as if a record began with it. That holds where the block
//! before ended with a record. Where it did not, since a field in quotes went on, or where what a record is depends on more
//! than its block holds, nothing that was read from there on counts: one thread goes on with the bytes, until a block and a
//! record end together again. So what comes out depends neither on where the blocks end nor on which thread is first.

use crate::call::{Call, Sink, Time, What};
use crate::error::ImportError;
use crate::jtl::{Columns, call, ends_early, row};
use crate::reading::Reading;
use crate::records::{Found, RECORD_MAX, Records, Rest};
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use terms::{Nanos, Outcome};

/// Bytes of a block: some ten thousand samples.
pub(crate) const BLOCK: usize = 1 << 20;
/// Threads that take blocks apart. Whoever books their samples is one, and cannot keep up with more.
const WORKERS_MAX: usize = 3;

/// A sample whose texts lie in its block.
struct Flat {
    start: Nanos,
    took: Nanos,
    first_byte: Option<Nanos>,
    connect: Option<Nanos>,
    outcome: Outcome,
    bytes: u64,
    label: u32,
    what: What,
    users: Option<u32>,
    why: Range<u32>,
}

/// What a block holds.
#[derive(Default)]
struct Parsed {
    bytes: Vec<u8>,
    samples: Vec<Flat>,
    labels: Vec<Vec<u8>>,
    words: Vec<u8>,
    /// Lines are those of the block, from 1.
    reading: Reading,
    /// Lines up to its end, or to where it was given up.
    lines: u64,
    /// Where a record begins that is not told by the block alone.
    given_up_at: Option<usize>,
}

/// A text that ends, and knows whether anybody asked for more of it.
struct Ends<'a> {
    bytes: &'a [u8],
    given: usize,
    was_asked: bool,
}

impl Read for Ends<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = &self.bytes[self.given..];
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        self.given += length;
        self.was_asked |= length == 0;
        Ok(length)
    }
}

/// Takes a block apart, in memory that an earlier one has left.
fn parse(mut all: Parsed, delimiter: u8, columns: &Columns) -> Parsed {
    let bytes = all.emptied();
    let mut records = Records::new(Ends { bytes: &bytes, given: 0, was_asked: false }, delimiter);
    loop {
        let (from, line) = (records.reader().given - records.unread(), records.next_line());
        // A text in memory is never an error.
        let Ok(found) = records.advance() else { break };
        all.lines = records.next_line() - 1;
        if found == Found::End {
            break;
        }
        if records.reader().was_asked {
            (all.lines, all.given_up_at) = (line - 1, Some(from));
            break;
        }
        match found {
            Found::Damaged(why) => all.reading.unreadable(records.line(), why),
            _ => match call(&records, columns) {
                Ok(call) => {
                    all.reading.read += 1;
                    all.keep(&call);
                    continue;
                }
                Err(why) => {
                    all.reading.unreadable(records.line(), why);
                    records.only_first_line();
                }
            },
        }
    }
    all.bytes = bytes;
    all
}

impl Parsed {
    /// Forgets all but its bytes, which are handed out.
    fn emptied(&mut self) -> Vec<u8> {
        self.samples.clear();
        self.labels.clear();
        self.words.clear();
        (self.reading, self.lines, self.given_up_at) = (Reading::default(), 0, None);
        std::mem::take(&mut self.bytes)
    }

    fn keep(&mut self, call: &Call<'_>) {
        let last = self.samples.last().map(|last| last.label).filter(|last| self.labels[*last as usize] == call.label);
        let known = || self.labels.iter().position(|known| known == call.label).map(|place| place as u32);
        let label = last.or_else(known).unwrap_or_else(|| {
            self.labels.push(call.label.to_vec());
            self.labels.len() as u32 - 1
        });
        let from = self.words.len() as u32;
        self.words.extend_from_slice(call.why);
        let &Call { start, took, first_byte, connect, outcome, bytes, what, users, .. } = call;
        let why = from..self.words.len() as u32;
        self.samples.push(Flat { start, took, first_byte, connect, outcome, bytes, label, what, users, why });
    }

    fn hand_on(&self, sink: &mut dyn Sink) -> Result<(), ImportError> {
        for sample in &self.samples {
            let &Flat { start, took, first_byte, connect, outcome, bytes, label, what, users, .. } = sample;
            sink.call(&Call {
                start,
                took,
                first_byte,
                connect,
                outcome,
                bytes,
                count: 1,
                time: Time::Service,
                label: &self.labels[label as usize],
                what,
                users,
                why: &self.words[sample.why.start as usize..sample.why.end as usize],
            })?;
        }
        Ok(())
    }
}

/// Cuts a text behind lines.
struct Blocks<R> {
    reader: R,
    rest: Vec<u8>,
    is_at_end: bool,
    failed: Option<io::Error>,
    length: usize,
    /// Memory of a block that was read.
    spare: Vec<u8>,
}

enum Block {
    Whole(Vec<u8>),
    /// The last: what it ends with is the end of the file, or why it breaks off.
    Last(Vec<u8>),
}

impl<R: Read> Blocks<R> {
    fn next(&mut self) -> Option<Block> {
        loop {
            if self.rest.len() >= self.length {
                if let Some(end) = memchr::memrchr(b'\n', &self.rest) {
                    let mut bytes = std::mem::take(&mut self.spare);
                    bytes.clear();
                    bytes.extend_from_slice(&self.rest[..=end]);
                    self.rest.drain(..=end);
                    return Some(Block::Whole(bytes));
                }
                // A line that is longer than any record is not held as a whole.
                if self.rest.len() > RECORD_MAX + self.length {
                    return Some(Block::Whole(std::mem::take(&mut self.rest)));
                }
            }
            if self.is_at_end {
                return (!self.rest.is_empty()).then(|| Block::Last(std::mem::take(&mut self.rest)));
            }
            self.more();
        }
    }

    fn more(&mut self) {
        let end = self.rest.len();
        self.rest.resize(end + self.length.min(BLOCK), 0);
        let read = loop {
            match self.reader.read(&mut self.rest[end..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.failed = Some(error);
                    break 0;
                }
                Ok(read) => break read,
            }
        };
        self.rest.truncate(end + read);
        self.is_at_end = read == 0;
    }
}

type Job = (u64, Parsed);
type Done = (u64, std::thread::Result<Parsed>);

/// Blocks on their way through the workers, a few at a time.
struct Pipeline<R> {
    blocks: Blocks<R>,
    jobs: Sender<Job>,
    done: Receiver<Done>,
    early: BTreeMap<u64, Parsed>,
    /// Memory of blocks that were booked, so that it does not grow with the file.
    spare: Vec<Parsed>,
    sent: u64,
    taken: u64,
    at_once: u64,
    last: Option<Vec<u8>>,
    is_dry: bool,
}

enum Next {
    Parsed(Box<Parsed>),
    Last(Vec<u8>),
    Over,
}

impl<R: Read> Pipeline<R> {
    fn give(&mut self, block: Option<Block>) {
        match block {
            None => self.is_dry = true,
            Some(Block::Last(bytes)) => (self.last, self.is_dry) = (Some(bytes), true),
            Some(Block::Whole(bytes)) => {
                let job = Parsed { bytes, ..self.spare.pop().unwrap_or_default() };
                // Workers end when this sender is gone, and not before.
                let _ = self.jobs.send((self.sent, job));
                self.sent += 1;
            }
        }
    }

    /// Takes back the memory of a block that was booked.
    fn take_back(&mut self, mut parsed: Parsed) {
        self.blocks.spare = std::mem::take(&mut parsed.bytes);
        self.spare.push(parsed);
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
                Next::Parsed(parsed) => parsed.bytes,
                Next::Last(bytes) => bytes,
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
    pub(crate) sink: &'a mut dyn Sink,
}

impl Taking<'_> {
    /// Reads all that is left of a file; returns its reader.
    pub(crate) fn all<R: Read>(&mut self, rest: Rest<R>) -> Result<R, ImportError> {
        let Rest { reader, delimiter, unread, next_line, is_at_end, failed } = rest;
        let mut blocks =
            Blocks { reader, rest: unread, is_at_end, failed, length: self.block.max(1), spare: Vec::new() };
        let first = blocks.next();
        let (jobs, orders) = channel::<Job>();
        let (give, done) = channel::<Done>();
        let workers = match first {
            Some(Block::Whole(_)) => std::thread::available_parallelism().map_or(1, |all| all.get() - 1),
            _ => 0,
        };
        let workers = workers.clamp(usize::from(matches!(first, Some(Block::Whole(_)))), WORKERS_MAX);
        let columns = self.columns;
        let orders = Mutex::new(orders);
        std::thread::scope(|scope| {
            for _ in 0..workers {
                let (orders, give) = (&orders, give.clone());
                scope.spawn(move || {
                    loop {
                        let order = orders.lock().unwrap_or_else(PoisonError::into_inner).recv();
                        let Ok((number, job)) = order else { return };
                        let work = std::panic::AssertUnwindSafe(|| parse(job, delimiter, columns));
                        if give.send((number, std::panic::catch_unwind(work))).is_err() {
                            return;
                        }
                    }
                });
            }
            let (sent, taken, at_once) = (0, 0, workers as u64 + 2);
            let (early, spare, last, is_dry) = (BTreeMap::new(), Vec::new(), None, false);
            let mut pipeline = Pipeline { blocks, jobs, done, early, spare, sent, taken, at_once, last, is_dry };
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
            let bytes = match pipeline.next() {
                Next::Over => break,
                Next::Last(bytes) => bytes,
                Next::Parsed(mut parsed) => {
                    parsed.hand_on(self.sink)?;
                    self.reading.join(&parsed.reading, next_line - 1);
                    next_line += parsed.lines;
                    match parsed.given_up_at {
                        None => {
                            pipeline.take_back(*parsed);
                            continue;
                        }
                        Some(from) => parsed.bytes.split_off(from),
                    }
                }
            };
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
        ends_early(self.path, error)?;
        self.reading.unreadable(line, format!("the file breaks off: {error}"));
        Ok(())
    }
}
