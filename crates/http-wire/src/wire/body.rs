//! Bodies taken out of their framing (RFC 9112, section 6.3).

use super::chunked::Chunked;
use super::head::Framing;
use super::{AtEnd, Malformed};

/// A body that is being read.
#[derive(Debug)]
pub struct Body(Framed);

#[derive(Debug)]
enum Framed {
    /// So many bytes are still to come.
    Length(u64),
    Chunked(Chunked),
    UntilClose,
    Done,
}

/// What was taken of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece<'a> {
    /// Bytes that were used, its framing included; never none.
    pub used: usize,
    /// Those of them that are content.
    pub data: &'a [u8],
}

impl Body {
    pub(super) fn of(framing: Framing) -> Self {
        Self(match framing {
            Framing::Length(0) => Framed::Done,
            Framing::Length(length) => Framed::Length(length),
            Framing::Chunked => Framed::Chunked(Chunked::default()),
            Framing::UntilClose => Framed::UntilClose,
        })
    }

    /// Takes the next bytes, which are some, of a body that is not complete. Not all of them, necessarily: what is used may
    /// be content or framing.
    ///
    /// # Errors
    /// Why they are not a body of HTTP.
    #[inline]
    pub fn feed<'a>(&mut self, bytes: &'a [u8]) -> Result<Piece<'a>, Malformed> {
        let (used, is_data, is_done) = match &mut self.0 {
            Framed::Length(left) => {
                let used = bytes.len().min(usize::try_from(*left).unwrap_or(usize::MAX));
                *left -= used as u64;
                (used, true, *left == 0)
            }
            Framed::Chunked(chunked) => {
                let step = chunked.feed(bytes)?;
                (step.used, step.is_data, step.is_done)
            }
            Framed::UntilClose => (bytes.len(), true, false),
            Framed::Done => (bytes.len(), false, true),
        };
        if is_done {
            self.0 = Framed::Done;
        }
        Ok(Piece { used, data: if is_data { &bytes[..used] } else { &[] } })
    }

    /// Whether it is complete.
    #[inline]
    pub fn is_done(&self) -> bool {
        matches!(self.0, Framed::Done)
    }

    /// The connection ended, of which something had come.
    pub fn at_end(&self) -> AtEnd {
        match self.0 {
            Framed::Done | Framed::UntilClose => AtEnd::Complete,
            Framed::Length(_) | Framed::Chunked(_) => AtEnd::Partial,
        }
    }
}
