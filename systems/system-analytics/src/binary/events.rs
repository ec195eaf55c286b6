//! The events of a bundle as the binary protocol has them, cut apart by their streams.

use std::sync::Arc;

use crate::bundle::{EVENTS_MAX, Rows, Wrong};
use crate::stream::{Stream, Streams, Type};

/// Takes values from the front; `None` where there are too few bytes, or they are not a value.
pub(super) struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    fn of(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    /// A length, which is no promise that so many bytes follow.
    pub(super) fn length(&mut self) -> Option<usize> {
        usize::try_from(i32::from_be_bytes(self.array()?)).ok()
    }

    /// A text of so many bytes.
    pub(super) fn text_of(&mut self, length: usize) -> Option<&'a str> {
        std::str::from_utf8(self.of(length)?).ok()
    }

    /// A text with its length.
    pub(super) fn text(&mut self) -> Option<&'a str> {
        let length = self.length()?;
        self.text_of(length)
    }
}

/// Cuts what follows the session of a bundle into events.
///
/// # Errors
/// A stream that was not defined; events that are not as their streams want them.
pub(super) fn rows(bytes: &mut Bytes<'_>, streams: &Streams) -> Result<Rows, Wrong> {
    let short = || Wrong::Malformed("the bundle ends before its events do".into());
    let count = bytes.length().ok_or_else(short)?;
    if count > EVENTS_MAX as usize {
        return Err(Wrong::Malformed(format!("a bundle has at most {EVENTS_MAX} events, not {count}")));
    }
    let mut all = Rows::default();
    let mut last: Option<Arc<Stream>> = None;
    for _ in 0..count {
        let size = bytes.length().ok_or_else(short)?;
        let mut event = Bytes(bytes.of(size).ok_or_else(short)?);
        let head = event.array().zip(event.text());
        let (at, id) = head.ok_or_else(|| Wrong::Malformed("an event has no time or no stream".into()))?;
        let stream = match last.take() {
            Some(stream) if stream.id == id => stream,
            _ => streams.get(id).ok_or_else(|| Wrong::Unknown(id.chars().take(300).collect()))?,
        };
        let wrong = || Wrong::Malformed(format!("an event is not as the stream `{}` is defined", stream.id));
        all.add(&stream, |row| values(&mut event, i64::from_be_bytes(at), &stream, row)).ok_or_else(wrong)?;
        last = Some(stream);
    }
    if bytes.is_empty() { Ok(all) } else { Err(Wrong::Malformed("the bundle goes on behind its last event".into())) }
}

/// Writes an event as rows have it. What is left behind its attributes are pairs of texts without a definition, which no
/// table has a column for; they are read and left out.
fn values(event: &mut Bytes<'_>, at: i64, stream: &Stream, row: &mut Vec<u8>) -> Option<()> {
    row.extend_from_slice(&at.to_be_bytes());
    for attribute in &stream.attributes {
        match attribute.kind {
            Type::Int => row.extend_from_slice(&event.array::<4>()?),
            Type::Long | Type::Double => row.extend_from_slice(&event.array::<8>()?),
            Type::Float => row.extend_from_slice(&f64::from(f32::from_be_bytes(event.array()?)).to_be_bytes()),
            Type::Bool => row.push(u8::from(event.array()? == [1])),
            Type::String => {
                let text = event.text()?;
                row.extend_from_slice(&(text.len() as u32).to_be_bytes());
                row.extend_from_slice(text.as_bytes());
            }
        }
    }
    while !event.is_empty() {
        event.text()?;
        event.text()?;
    }
    Some(())
}
