//! Bytes to answers, incrementally: no sockets, no clock, nothing that blocks. However the bytes are split, the result is
//! the same.

mod body;
mod chunked;
mod given;
mod head;
#[cfg(test)]
mod tests;

pub use body::{Body, Piece};
pub use head::RawHead;
use head::{Framing, Head};
use terms::Nanos;

/// A head must end within this many bytes: the largest that common servers let through is 64 KiB.
const HEAD_BYTES_MAX: usize = 64 * 1024;
/// More headers than any service needs; one more is not an answer but an attack or a defect.
pub const HEADERS_MAX: usize = 128;
/// Interim answers (1xx) before the answer; an endless stream of them is malformed.
const INTERIMS_MAX: u8 = 16;
/// This much of a body is kept of an answer whose status is not 2xx, to be shown as a sample.
pub const EXCERPT_BYTES: usize = 512;
/// A head that comes in crumbs is read anew with each of them up to this length, and with each of its lines beyond:
/// otherwise a server that sends 64 KiB byte by byte would cost a load thread seconds.
const HEAD_BYTES_EAGER: usize = 2 * 1024;
/// A connection that the server keeps for some time is let go this much earlier, or after half of a shorter time: the
/// server's clock started when it sent the answer, and a request takes its time to get there.
const KEEP_MARGIN: Nanos = Nanos::from_secs(1);
/// A head buffer larger than this is given back after the answer, so that one large head does not cost every slot.
const HEAD_BYTES_KEPT: usize = 8 * 1024;

/// Whether a status says that all is well.
fn is_success(status: u16) -> bool {
    (200..300).contains(&status)
}

/// Why bytes are not HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed(pub &'static str);

/// How an answer stood when its connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtEnd {
    /// The end of the connection is the end of the answer.
    Complete,
    /// Not a byte of it had come.
    NothingCame,
    /// It broke off.
    Partial,
}

#[derive(Debug)]
enum State {
    Head,
    Body(Body),
    Done,
}

/// Reads one answer after another.
#[derive(Debug)]
pub struct Parser {
    state: State,
    /// A head that came in parts; after the head, the whole of it if it is to be kept.
    head: Vec<u8>,
    /// The body as far as it is kept.
    body: Vec<u8>,
    keep: usize,
    keeps_head: bool,
    answers_head_request: bool,
    leaves_body: bool,
    /// The body that was left.
    left: Option<Body>,
    has_begun: bool,
    interims: u8,
    status: u16,
    is_persistent: bool,
    keeps_for: Option<u32>,
    body_bytes: u64,
}

/// What the reader of one answer has to know of its request.
#[derive(Clone, Copy, Debug, Default)]
pub struct Expecting {
    /// It was a HEAD request: the answer has no body, whatever its headers say.
    pub answers_head_request: bool,
    pub keeps_head: bool,
    /// A good answer (2xx) is complete with its head: whoever takes the connection reads the body, see
    /// [`Parser::take_body`].
    pub leaves_body: bool,
    /// Keep this many bytes of the body.
    pub keep: usize,
}

impl Default for Parser {
    fn default() -> Self {
        Self::new()
    }
}

impl Parser {
    /// Reads nothing yet.
    pub fn new() -> Self {
        Self {
            state: State::Done,
            head: Vec::new(),
            body: Vec::new(),
            keep: 0,
            keeps_head: false,
            answers_head_request: false,
            leaves_body: false,
            left: None,
            has_begun: false,
            interims: 0,
            status: 0,
            is_persistent: false,
            keeps_for: None,
            body_bytes: 0,
        }
    }

    /// Gets ready for the next answer.
    #[inline]
    pub fn begin(&mut self, expecting: Expecting) {
        self.state = State::Head;
        self.head.clear();
        self.head.shrink_to(HEAD_BYTES_KEPT);
        self.body.clear();
        self.keep = expecting.keep;
        self.keeps_head = expecting.keeps_head;
        self.answers_head_request = expecting.answers_head_request;
        self.leaves_body = expecting.leaves_body;
        self.left = None;
        self.has_begun = false;
        self.interims = 0;
        self.status = 0;
        self.is_persistent = false;
        self.keeps_for = None;
        self.body_bytes = 0;
    }

    /// Takes the next bytes of the connection. Returns how many belong to this answer: all, unless it is complete.
    ///
    /// # Errors
    /// Why they are not HTTP.
    #[inline]
    pub fn feed(&mut self, bytes: &[u8]) -> Result<usize, Malformed> {
        let mut rest = bytes;
        self.has_begun |= !bytes.is_empty();
        while !rest.is_empty() {
            let used = match &mut self.state {
                State::Head => self.feed_head(rest)?,
                State::Body(body) => {
                    let piece = body.feed(rest)?;
                    if body.is_done() {
                        self.state = State::Done;
                    }
                    self.keep_body(piece.data);
                    piece.used
                }
                State::Done => break,
            };
            rest = &rest[used..];
        }
        Ok(bytes.len() - rest.len())
    }

    /// Reads a head, or keeps what has come of it. In the common case it lies in one piece and is never copied.
    fn feed_head(&mut self, bytes: &[u8]) -> Result<usize, Malformed> {
        let before = self.head.len();
        let room = HEAD_BYTES_MAX - before;
        let bytes = &bytes[..bytes.len().min(room)];
        let head = if before == 0 {
            Head::parse(bytes)?
        } else {
            self.head.extend_from_slice(bytes);
            let is_worth_it = before < HEAD_BYTES_EAGER || bytes.contains(&b'\n');
            if is_worth_it { Head::parse(&self.head)? } else { None }
        };
        let Some(head) = head else {
            if bytes.len() == room {
                return Err(Malformed("its head does not end within 64 KiB"));
            }
            if before == 0 {
                self.head.extend_from_slice(bytes);
            }
            return Ok(bytes.len());
        };
        // Of other answers the head is always kept: a redirect has an address, and the body that is shown may be coded.
        if before == 0 && (self.keeps_head || !is_success(head.status)) {
            self.head.extend_from_slice(&bytes[..head.length]);
        } else {
            self.head.truncate(head.length);
        }
        self.take_head(&head)?;
        Ok(head.length - before)
    }

    fn take_head(&mut self, head: &Head) -> Result<(), Malformed> {
        // 101 is not an interim answer: after it the connection speaks something else.
        if head.status < 200 && head.status != 101 {
            self.head.clear();
            return self.give_interim();
        }
        self.status = head.status;
        self.keeps_for = head.keeps_for;
        if !is_success(head.status) {
            self.keep = self.keep.max(EXCERPT_BYTES);
        }
        self.is_persistent = head.is_persistent && head.status != 101;
        let has_no_body = self.answers_head_request || matches!(head.status, 101 | 204 | 304);
        self.is_persistent &= head.framing != Framing::UntilClose || has_no_body;
        let body = Body::of(head.framing);
        self.state = match () {
            () if has_no_body => State::Done,
            () if self.leaves_body && is_success(head.status) => {
                self.left = Some(body);
                State::Done
            }
            () if body.is_done() => State::Done,
            () => State::Body(body),
        };
        Ok(())
    }

    /// An interim answer came, which is read over.
    ///
    /// # Errors
    /// When it is one too many: a server can send them without end.
    pub fn give_interim(&mut self) -> Result<(), Malformed> {
        self.interims += 1;
        if self.interims > INTERIMS_MAX {
            return Err(Malformed("more than 16 interim answers came before it"));
        }
        Ok(())
    }

    fn keep_body(&mut self, bytes: &[u8]) {
        self.body_bytes += bytes.len() as u64;
        if self.body.len() < self.keep {
            let room = self.keep - self.body.len();
            self.body.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
    }

    /// Whether the answer is complete.
    #[inline]
    pub fn is_done(&self) -> bool {
        matches!(self.state, State::Done)
    }

    /// Whether a byte of it has come.
    #[inline]
    pub fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// The connection ended.
    pub fn at_end(&self) -> AtEnd {
        match &self.state {
            State::Done => AtEnd::Complete,
            State::Body(body) => body.at_end(),
            State::Head if !self.has_begun => AtEnd::NothingCame,
            State::Head => AtEnd::Partial,
        }
    }

    /// The body that was left to whoever takes the connection, once; none where the answer has none.
    pub fn take_body(&mut self) -> Option<Body> {
        self.left.take()
    }

    /// Status; 0 as long as the head has not come.
    #[inline]
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Whether the server lets the connection serve another exchange.
    #[inline]
    pub fn is_persistent(&self) -> bool {
        self.is_persistent
    }

    /// For how long after the answer the connection may be used again, if the server says how long it keeps it
    /// (`Keep-Alive: timeout=5`): a little less than that, so that a request does not meet its closing.
    #[inline]
    pub fn keeps_for(&self) -> Option<Nanos> {
        let told = Nanos::from_secs(self.keeps_for?.into());
        Some(told - KEEP_MARGIN.min(told / 2))
    }

    /// Length of the body so far, without its framing.
    #[inline]
    pub fn body_bytes(&self) -> u64 {
        self.body_bytes
    }

    /// The body as far as it was kept.
    #[inline]
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// The head, if it was to be kept.
    #[inline]
    pub fn head(&self) -> RawHead<'_> {
        RawHead(&self.head)
    }

    /// Exchanges the buffer of the body, so that idle slots hold none.
    #[inline]
    pub fn swap_body(&mut self, buffer: &mut Vec<u8>) {
        std::mem::swap(&mut self.body, buffer);
    }
}
