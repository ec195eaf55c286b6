//! Bytes to messages, incrementally: no sockets, no clock, nothing that blocks. However the bytes are split, the result is
//! the same. A compressed message is put together as it comes and inflated once it is whole.

use crate::close::{BAD_DATA, MESSAGE_TOO_BIG};
use crate::deflate::{Inflater, compressed_max};
use crate::frame::{Head, HeadReader, Opcode, Violation};
use http_wire::Spare;

/// Something whole that has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event<'a> {
    Text(&'a str, Wire),
    Binary(&'a [u8], Wire),
    Ping(&'a [u8]),
    Pong(&'a [u8]),
    /// The payload of a close frame.
    Close(&'a [u8]),
}

/// Bytes of the message as it came, where it was compressed.
pub(crate) type Wire = Option<u64>;

/// A message of which the first frame has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Begun {
    is_text: bool,
    is_compressed: bool,
}

/// Reads one frame after another. A message that lies in one piece in what was read is handed on from there; only one
/// that comes in parts is put together, in a buffer that nobody holds otherwise.
#[derive(Debug)]
pub(crate) struct Decoder {
    /// Most bytes of a message.
    message_max: u64,
    /// Whether compression was agreed on.
    has_compression: bool,
    heads: HeadReader,
    /// The frame whose payload comes, with the bytes of it that are still to come.
    frame: Option<Head>,
    message: Option<Begun>,
    /// Its bytes so far as they came, and how many of them are known for UTF-8.
    parts: Vec<u8>,
    valid: usize,
    /// The payload of a control frame so far, which may come between two parts of a message.
    control: Vec<u8>,
}

impl Decoder {
    /// Reads messages of at most so many bytes, which may be compressed or not.
    pub(crate) fn new(message_max: u64, has_compression: bool) -> Self {
        Self {
            message_max,
            has_compression,
            heads: HeadReader::default(),
            frame: None,
            message: None,
            parts: Vec::new(),
            valid: 0,
            control: Vec::new(),
        }
    }

    /// Whether a part of a message has come that is not whole.
    pub(crate) fn has_part(&self) -> bool {
        self.message.is_some() || self.frame.is_some() || self.heads.has_begun()
    }

    /// Whether compression was agreed on.
    pub(crate) fn has_compression(&self) -> bool {
        self.has_compression
    }

    /// Takes the next bytes of the connection, which are some. Returns how many were used, and what was whole with the
    /// last of them.
    ///
    /// # Errors
    /// How the server breaks the protocol; nothing can be read any more.
    pub(crate) fn feed<'a>(
        &'a mut self,
        bytes: &'a [u8],
        spare: &Spare,
        inflater: &'a mut Inflater,
    ) -> Result<(usize, Option<Event<'a>>), Violation> {
        self.let_go(spare);
        let (used, head) = match self.frame {
            Some(head) => (0, head),
            None => match self.heads.feed(bytes, self.has_compression)? {
                (used, Some(head)) => (used, self.begin(head)?),
                (used, None) => return Ok((used, None)),
            },
        };
        let rest = &bytes[used..];
        let count = rest.len().min(usize::try_from(head.length).unwrap_or(usize::MAX));
        let payload = &rest[..count];
        let left = head.length - count as u64;
        self.frame = (left > 0).then_some(Head { length: left, ..head });
        let used = used + count;
        if head.opcode.is_control() {
            return Ok((used, self.control(head.opcode, payload, left == 0, spare)));
        }
        let is_whole = left == 0 && head.is_final;
        Ok((used, self.data(payload, is_whole, spare, inflater)?))
    }

    /// Gives back the buffer of a message that was handed on.
    pub(crate) fn let_go(&mut self, spare: &Spare) {
        if self.message.is_none() && self.parts.capacity() > 0 {
            spare.give(std::mem::take(&mut self.parts));
        }
        if self.frame.is_none_or(|head| !head.opcode.is_control()) && self.control.capacity() > 0 {
            spare.give(std::mem::take(&mut self.control));
        }
    }

    /// Gives back all buffers, whatever has come: nothing more is read.
    pub(crate) fn give_up(&mut self, spare: &Spare) {
        spare.give(std::mem::take(&mut self.parts));
        spare.give(std::mem::take(&mut self.control));
    }

    /// A frame begins: whether it may come now, and whether its message is not too long with it.
    fn begin(&mut self, head: Head) -> Result<Head, Violation> {
        match (head.opcode, self.message) {
            (Opcode::Continuation, None) => {
                return Err(Violation::protocol("a continuation of no message"));
            }
            (Opcode::Text | Opcode::Binary, Some(_)) => {
                return Err(Violation::protocol("a new message before the end of the one in hand"));
            }
            (Opcode::Text | Opcode::Binary, None) => {
                let is_text = head.opcode == Opcode::Text;
                (self.message, self.valid) = (Some(Begun { is_text, is_compressed: head.is_compressed }), 0);
            }
            _ => {}
        }
        if head.opcode.is_control() {
            return Ok(head);
        }
        let (most, what) = match self.message {
            Some(Begun { is_compressed: true, .. }) => {
                (compressed_max(self.message_max), "a compressed message longer than any of `max_message` has to be")
            }
            _ => (self.message_max, "a message longer than `max_message`"),
        };
        if head.length.saturating_add(self.parts.len() as u64) > most {
            return Err(Violation { code: MESSAGE_TOO_BIG, what });
        }
        Ok(head)
    }

    fn control<'a>(
        &'a mut self,
        opcode: Opcode,
        payload: &'a [u8],
        is_whole: bool,
        spare: &Spare,
    ) -> Option<Event<'a>> {
        let payload = match (is_whole, self.control.is_empty()) {
            (true, true) => payload,
            _ => {
                if self.control.capacity() == 0 && !payload.is_empty() {
                    self.control = spare.take();
                }
                self.control.extend_from_slice(payload);
                &self.control
            }
        };
        is_whole.then_some(match opcode {
            Opcode::Ping => Event::Ping(payload),
            Opcode::Pong => Event::Pong(payload),
            _ => Event::Close(payload),
        })
    }

    fn data<'a>(
        &'a mut self,
        payload: &'a [u8],
        is_whole: bool,
        spare: &Spare,
        inflater: &'a mut Inflater,
    ) -> Result<Option<Event<'a>>, Violation> {
        let Some(Begun { is_text, is_compressed }) = self.message else { return Ok(None) };
        let bytes = match (is_whole, self.parts.is_empty()) {
            (true, true) => payload,
            _ => {
                if self.parts.capacity() == 0 && !payload.is_empty() {
                    self.parts = spare.take();
                }
                self.parts.extend_from_slice(payload);
                &self.parts
            }
        };
        if !is_whole {
            // Of a compressed one it is known when it is whole.
            if is_text && !is_compressed {
                self.valid += valid_up_to(&bytes[self.valid..])?;
            }
            return Ok(None);
        }
        self.message = None;
        let wire = is_compressed.then_some(bytes.len() as u64);
        let content = if is_compressed { inflater.inflate(bytes, self.message_max)? } else { bytes };
        if !is_text {
            return Ok(Some(Event::Binary(content, wire)));
        }
        // What was looked at as it came is looked at again: a message in parts is rare, and to say so takes `unsafe`.
        std::str::from_utf8(content).map(|text| Some(Event::Text(text, wire))).map_err(|_| not_utf8())
    }
}

/// How many bytes are UTF-8; what may still become a character at the end is let pass.
fn valid_up_to(bytes: &[u8]) -> Result<usize, Violation> {
    match std::str::from_utf8(bytes) {
        Ok(_) => Ok(bytes.len()),
        Err(error) if error.error_len().is_none() => Ok(error.valid_up_to()),
        Err(_) => Err(not_utf8()),
    }
}

fn not_utf8() -> Violation {
    Violation { code: BAD_DATA, what: "a text that is not UTF-8" }
}

#[cfg(test)]
mod tests;
