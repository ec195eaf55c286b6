//! The way of frames between two processes: whatever carries them in order and whole.

use crate::nodes::message::FRAME_BYTES_MAX;
use std::io::{Error, ErrorKind, Read, Result, Write};

/// Where frames are sent.
pub trait Outbox: Send {
    /// Hands over a frame; returns when the other side, or whatever keeps frames for it, has it.
    ///
    /// # Errors
    /// When the other side cannot be reached any more.
    fn send(&mut self, frame: &[u8]) -> Result<()>;
}

/// Where frames come from.
pub trait Inbox: Send {
    /// Waits for the next frame; `None` when the other side has gone.
    ///
    /// # Errors
    /// When the way is broken, or what comes is not a frame. [`ErrorKind::TimedOut`] says that nothing was heard of the other
    /// side for long, though it could have been: who waits on may ask again.
    fn next(&mut self) -> Result<Option<Vec<u8>>>;
}

/// Both ways.
pub struct Link {
    pub to: Box<dyn Outbox>,
    pub from: Box<dyn Inbox>,
}

impl Link {
    /// Over two streams of bytes, such as a child's standard input and output.
    pub fn over(to: impl Write + Send + 'static, from: impl Read + Send + 'static) -> Self {
        Self { to: Box::new(Bytes(to)), from: Box::new(Bytes(from)) }
    }
}

/// Frames with their lengths before them.
struct Bytes<T>(T);

impl<W: Write + Send> Outbox for Bytes<W> {
    fn send(&mut self, frame: &[u8]) -> Result<()> {
        let length = u32::try_from(frame.len()).ok().filter(|length| *length as usize <= FRAME_BYTES_MAX);
        let length = length.ok_or_else(|| Error::new(ErrorKind::InvalidInput, "a message is too long"))?;
        self.0.write_all(&length.to_le_bytes())?;
        self.0.write_all(frame)?;
        self.0.flush()
    }
}

impl<R: Read + Send> Inbox for Bytes<R> {
    fn next(&mut self) -> Result<Option<Vec<u8>>> {
        let mut length = [0; 4];
        match self.0.read(&mut length[..1])? {
            0 => return Ok(None),
            _ => self.0.read_exact(&mut length[1..])?,
        }
        let length = u32::from_le_bytes(length) as usize;
        if length > FRAME_BYTES_MAX {
            return Err(Error::new(ErrorKind::InvalidData, format!("a message of {length} bytes is none of ours")));
        }
        // Memory is taken as bytes come, not as a length claims.
        let mut frame = Vec::new();
        let read = self.0.by_ref().take(length as u64).read_to_end(&mut frame)?;
        if read < length { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(Some(frame)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_arrive_whole_and_in_order() {
        let mut wire = Vec::new();
        let mut out = Bytes(&mut wire);
        for frame in [&b"one"[..], b"", &[7; 70_000]] {
            out.send(frame).unwrap();
        }
        let mut inbox = Bytes(wire.as_slice());
        assert_eq!(inbox.next().unwrap().unwrap(), b"one");
        assert_eq!(inbox.next().unwrap().unwrap(), b"");
        assert_eq!(inbox.next().unwrap().unwrap(), [7; 70_000]);
        assert!(inbox.next().unwrap().is_none());
    }

    #[test]
    fn what_is_cut_off_or_far_too_long_is_an_error() {
        assert!(Bytes(&b"\x05\0\0\0abc"[..]).next().is_err());
        assert!(Bytes(&b"\x05\0"[..]).next().is_err());
        assert!(Bytes(&b"\xff\xff\xff\xff"[..]).next().is_err());
    }
}
