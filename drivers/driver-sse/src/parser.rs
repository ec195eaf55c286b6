//! Bytes to events, as the WHATWG has event streams (HTML, section 9.2.6): no sockets, no clock, nothing that blocks.
//! However the bytes are split, the result is the same.
//!
//! A block is what stands between two empty lines. One that lies in one piece in what was read is looked at there; of one
//! that comes in parts only the lines that count are kept, in a buffer that nobody holds otherwise.

mod lines;
#[cfg(test)]
mod tests;

use http_wire::Spare;
use lines::{Field, Lines, NAME_MAX, end_of_block, next_line};

/// What the type of an event is that names none.
pub(crate) const MESSAGE: &[u8] = b"message";
/// It may stand at the beginning of a stream, and is not part of it.
const BYTE_ORDER_MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

/// What stood between two empty lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block<'a> {
    /// The last `id` in it, without those that hold a NUL.
    pub(crate) id: Option<&'a [u8]>,
    /// The event, where it has data.
    pub(crate) event: Option<Event<'a>>,
}

/// What the server says, and of which type it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Event<'a> {
    /// Its type, `message` where it names none.
    pub(crate) kind: &'a [u8],
    /// Its data, lines joined by LF.
    pub(crate) data: &'a [u8],
}

/// An event is longer than is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLong;

/// Reads one stream.
#[derive(Debug)]
pub(crate) struct Parser {
    /// Most bytes of an event: of the lines with fields that are known, with one byte for the end of each.
    event_max: usize,
    /// Bytes of those of its lines that are whole.
    event_bytes: usize,
    /// How many bytes of a byte order mark have come; `None` behind the beginning.
    mark: Option<usize>,
    /// The last line ended with CR: an LF that follows belongs to it.
    after_return: bool,
    /// The line in hand is a comment or a field that is not known, and is read over to its end.
    is_skipping: bool,
    /// Lines of the block in hand that count, each with LF, and from `line` on the beginning of one that is not whole.
    parts: Vec<u8>,
    line: usize,
    /// Whether what is in `parts` was handed on.
    is_handed: bool,
    /// Comments that came, until they are asked for.
    comments: u32,
    /// How long a reader should wait before it comes back, until it is asked for.
    retry: Option<u32>,
}

impl Parser {
    /// Reads events of at most so many bytes.
    pub(crate) fn new(event_max: u64) -> Self {
        Self {
            event_max: usize::try_from(event_max).unwrap_or(usize::MAX),
            event_bytes: 0,
            mark: Some(0),
            after_return: false,
            is_skipping: false,
            parts: Vec::new(),
            line: 0,
            is_handed: false,
            comments: 0,
            retry: None,
        }
    }

    /// Whether a part of an event has come that is not whole.
    pub(crate) fn has_part(&self) -> bool {
        !self.parts.is_empty() && !self.is_handed
    }

    /// Comments that came since this was last asked.
    pub(crate) fn take_comments(&mut self) -> u32 {
        std::mem::take(&mut self.comments)
    }

    /// How long the server has a reader wait before it comes back, in milliseconds, if it has said so since this was last
    /// asked.
    pub(crate) fn take_retry(&mut self) -> Option<u32> {
        self.retry.take()
    }

    /// Takes the next bytes, which are some. Returns how many were used, and the block that was whole with the last of
    /// them. Data of several lines is joined in `joined`.
    ///
    /// # Errors
    /// An event is longer than is read.
    pub(crate) fn feed<'a>(
        &'a mut self,
        bytes: &'a [u8],
        spare: &Spare,
        joined: &'a mut Vec<u8>,
    ) -> Result<(usize, Option<Block<'a>>), TooLong> {
        self.let_go(spare);
        let mut at = self.begin(bytes, spare)?;
        let is_at_line = self.mark.is_none() && self.parts.is_empty() && !self.is_skipping;
        if is_at_line && let Some(length) = end_of_block(&bytes[at..]) {
            let block = &bytes[at..at + length];
            self.after_return = block.ends_with(b"\r");
            for line in Lines(block) {
                self.note(line)?;
            }
            self.event_bytes = 0;
            return Ok((at + length, Some(gather(block, joined))));
        }
        while at < bytes.len() {
            let line = next_line(&bytes[at..]);
            let content = &bytes[at..at + line.length];
            at += line.used;
            self.take(content, spare)?;
            if !line.is_whole {
                break;
            }
            // What follows a CR may still have to come.
            self.after_return = at == bytes.len() && bytes.ends_with(b"\r");
            if self.end_line()? {
                (self.is_handed, self.event_bytes) = (true, 0);
                return Ok((at, Some(gather(&self.parts, joined))));
            }
        }
        Ok((at, None))
    }

    /// Gives back the buffer of a block that was handed on.
    pub(crate) fn let_go(&mut self, spare: &Spare) {
        if std::mem::take(&mut self.is_handed) {
            self.parts.clear();
            self.line = 0;
        }
        if self.parts.is_empty() && self.parts.capacity() > 0 {
            spare.give(std::mem::take(&mut self.parts));
        }
    }

    /// Gives back all buffers, whatever has come: nothing more is read.
    pub(crate) fn give_up(&mut self, spare: &Spare) {
        spare.give(std::mem::take(&mut self.parts));
    }

    /// Reads over what is not part of a line: a byte order mark at the beginning, and the LF of a CR LF. Returns where the
    /// rest begins.
    fn begin(&mut self, bytes: &[u8], spare: &Spare) -> Result<usize, TooLong> {
        if std::mem::take(&mut self.after_return) && bytes.first() == Some(&b'\n') {
            return Ok(1);
        }
        let Some(before) = self.mark else { return Ok(0) };
        let same = bytes.iter().zip(&BYTE_ORDER_MARK[before..]).take_while(|(byte, mark)| byte == mark).count();
        if before + same == BYTE_ORDER_MARK.len() {
            self.mark = None;
            return Ok(same);
        }
        if same == bytes.len() {
            self.mark = Some(before + same);
            return Ok(same);
        }
        // It is none: what has come of it begins a line.
        self.mark = None;
        self.take(&BYTE_ORDER_MARK[..before], spare)?;
        Ok(0)
    }

    /// Takes bytes of the line in hand, as far as they count.
    fn take(&mut self, bytes: &[u8], spare: &Spare) -> Result<(), TooLong> {
        if self.is_skipping || bytes.is_empty() {
            return Ok(());
        }
        let begun = self.parts.len() - self.line;
        if begun == 0 && bytes[0] == b':' {
            self.comments = self.comments.saturating_add(1);
            self.is_skipping = true;
            return Ok(());
        }
        // So much of it tells which field it is.
        let (name, rest) = bytes.split_at(bytes.len().min((NAME_MAX + 1).saturating_sub(begun)));
        self.push(name, spare);
        match Field::is_known_to_be(&self.parts[self.line..]) {
            Some(false) => {
                self.parts.truncate(self.line);
                self.is_skipping = true;
            }
            Some(true) if self.event_bytes + self.parts.len() - self.line + rest.len() >= self.event_max => {
                return Err(TooLong);
            }
            _ => self.push(rest, spare),
        }
        Ok(())
    }

    fn push(&mut self, bytes: &[u8], spare: &Spare) {
        if self.parts.capacity() == 0 && !bytes.is_empty() {
            self.parts = spare.take();
        }
        self.parts.extend_from_slice(bytes);
    }

    /// The line in hand is whole. Whether it is empty, and so ends the block.
    fn end_line(&mut self) -> Result<bool, TooLong> {
        if std::mem::take(&mut self.is_skipping) {
            return Ok(false);
        }
        if self.parts.len() == self.line {
            return Ok(true);
        }
        let parts = std::mem::take(&mut self.parts);
        let noted = self.note(&parts[self.line..]);
        self.parts = parts;
        if noted? {
            self.parts.push(b'\n');
            self.line = self.parts.len();
        } else {
            self.parts.truncate(self.line);
        }
        Ok(false)
    }

    /// Takes note of a whole line. Whether the event needs it.
    fn note(&mut self, line: &[u8]) -> Result<bool, TooLong> {
        let field = Field::of(line);
        match field {
            Field::Comment => self.comments = self.comments.saturating_add(u32::from(!line.is_empty())),
            Field::Retry(digits) => self.retry = milliseconds(digits).or(self.retry),
            _ => {}
        }
        if matches!(field, Field::Comment | Field::Unknown) {
            return Ok(false);
        }
        self.event_bytes = self.event_bytes.saturating_add(line.len() + 1);
        if self.event_bytes > self.event_max {
            return Err(TooLong);
        }
        Ok(!matches!(field, Field::Retry(_)))
    }
}

/// Digits alone; a number that is larger than any is that.
fn milliseconds(digits: &[u8]) -> Option<u32> {
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    let add = |sum: u32, digit: &u8| sum.saturating_mul(10).saturating_add(u32::from(digit - b'0'));
    is_number.then(|| digits.iter().fold(0, add))
}

/// The last of each field, and all data.
fn gather<'a>(block: &'a [u8], joined: &'a mut Vec<u8>) -> Block<'a> {
    let (mut id, mut kind, mut data): (_, &[u8], Option<&[u8]>) = (None, MESSAGE, None);
    let mut is_joined = false;
    for line in Lines(block) {
        match (Field::of(line), data) {
            (Field::Id(value), _) if !value.contains(&0) => id = Some(value),
            (Field::Event(value), _) => kind = if value.is_empty() { MESSAGE } else { value },
            (Field::Data(value), None) => data = Some(value),
            (Field::Data(value), Some(first)) => {
                if !std::mem::replace(&mut is_joined, true) {
                    joined.clear();
                    joined.extend_from_slice(first);
                }
                joined.push(b'\n');
                joined.extend_from_slice(value);
            }
            _ => {}
        }
    }
    let joined: &'a [u8] = joined;
    let event = data.map(|first| Event { kind, data: if is_joined { joined } else { first } });
    Block { id, event }
}
