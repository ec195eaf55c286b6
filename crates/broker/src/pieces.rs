//! Pieces of frames: which comes next, and when a frame is whole.

use async_nats::HeaderMap;
use std::io::{Error, ErrorKind, Result};

/// The header by which the server knows a message that it has.
pub(crate) const NUMBERED: &str = "Nats-Msg-Id";
/// A larger frame is none of ours.
const FRAME_BYTES_MAX: usize = 64 << 20;

/// The last piece of a frame, and every other.
pub(crate) const LAST: u8 = 0;
pub(crate) const MORE: u8 = 1;

/// Which message comes next of those that one sender has numbered on a subject.
pub(crate) struct Sequence {
    /// How their names begin.
    prefix: String,
    next: u64,
}

/// What to do with a message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// It is the next, or that of another sender, who may send what stands by itself.
    Next,
    /// It has been heard.
    Again,
    /// Something before it is gone.
    Behind,
}

impl Sequence {
    pub(crate) fn of(subject: String) -> Self {
        Self { prefix: format!("{subject}-"), next: 0 }
    }

    fn place(&mut self, name: Option<&str>) -> Place {
        let number =
            name.and_then(|name| name.strip_prefix(&self.prefix)).and_then(|number| number.parse::<u64>().ok());
        match number {
            Some(number) if number < self.next => Place::Again,
            Some(number) if number > self.next => Place::Behind,
            Some(_) => {
                self.next += 1;
                Place::Next
            }
            None => Place::Next,
        }
    }

    /// Number of the next.
    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    pub(crate) fn place_of(&mut self, headers: Option<&HeaderMap>) -> Place {
        self.place(headers.and_then(|headers| headers.get(NUMBERED)).map(|name| name.as_str()))
    }

    /// What to say where something is gone.
    pub(crate) fn gone(&self) -> Error {
        let text = format!("the server no longer keeps all messages of this run: number {} is gone", self.next);
        Error::new(ErrorKind::NotFound, text)
    }
}

/// Adds a piece to the frame in hand; the frame when that was its last.
pub(crate) fn joined(frame: &mut Vec<u8>, piece: &[u8]) -> Result<Option<Vec<u8>>> {
    let Some((kind, piece)) = piece.split_first() else { return Err(ErrorKind::InvalidData.into()) };
    if frame.len() + piece.len() > FRAME_BYTES_MAX {
        return Err(Error::new(ErrorKind::InvalidData, "a message without end"));
    }
    frame.extend_from_slice(piece);
    Ok((*kind == LAST).then(|| std::mem::take(frame)))
}

/// What to say where the stream is gone.
pub(crate) fn deleted() -> Error {
    Error::new(ErrorKind::NotFound, "the server has deleted the messages of this run")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_message_is_heard_once_and_none_is_missed() {
        let mut sequence = Sequence::of("loadproof.run.r.told.1".into());
        let mut place = |name: &str| sequence.place(Some(name));
        assert_eq!(place("loadproof.run.r.told.1-0"), Place::Next);
        assert_eq!(place("loadproof.run.r.told.1-0"), Place::Again);
        assert_eq!(place("loadproof.run.r.told.1-1"), Place::Next);
        assert_eq!(place("loadproof.run.r.told.1-_INBOX-x-0"), Place::Next, "of somebody else");
        assert_eq!(place("loadproof.run.r.told.1-3"), Place::Behind);
        assert_eq!(place("loadproof.run.r.told.1-2"), Place::Next);
        assert_eq!(sequence.place(None), Place::Next);
        assert!(sequence.gone().to_string().contains("number 3 is gone"));
    }

    #[test]
    fn pieces_become_frames_and_none_has_no_end() {
        let mut frame = Vec::new();
        assert_eq!(joined(&mut frame, b"\x01ab").unwrap(), None);
        assert_eq!(joined(&mut frame, b"\x00c").unwrap().unwrap(), b"abc");
        assert!(joined(&mut frame, b"").is_err());
        let mut long = vec![0; FRAME_BYTES_MAX];
        assert!(joined(&mut long, b"\x00c").is_err());
    }
}
