//! Between the library and a connection: what it writes is gathered and goes out in one piece, what it reads is bounded.
//!
//! The library asks for `AsyncRead` and `AsyncWrite`. It is polled by hand, so "pending" only means "not now": nobody is
//! woken, and the session that is called when the socket is ready polls again.

use super::Buffer;
use super::frames::Frames;
use crate::{Connection, Received, Trouble};
use std::cell::RefCell;
use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Written bytes that wait for the kernel; the library is held back beyond that, so that a server which asks for answers
/// (PING, SETTINGS) and reads none of them costs no more.
const OUT_BYTES_MAX: usize = 64 * 1024;
/// What one call takes in before the streams are looked at: what came for them waits in memory until then.
const READ_BYTES: usize = 64 * 1024;
/// The same in frames: what a small one becomes in memory is many times its size, and the library keeps that memory for
/// as long as the connection lives, which with a thousand connections is gigabytes.
const READ_FRAMES: u32 = 256;
/// The name of HTTP/2 in TLS (RFC 9113, section 3.2).
pub const ALPN: &[u8] = b"h2";

/// A connection and what waits to be sent on it.
pub(super) struct Wire {
    connection: Connection,
    buffer: Buffer,
    out: Vec<u8>,
    /// Bytes of `out` that the kernel has.
    out_sent: usize,
    /// Bytes that ever were to be sent, and that the kernel took.
    pub(super) queued: u64,
    pub(super) sent: u64,
    /// Bytes received.
    pub(super) received: u64,
    /// The first of them: a server that speaks something else is told by them.
    first: Vec<u8>,
    /// Whether the socket may have more.
    pub(super) may_read: bool,
    /// Whether the last reading left room, which says that there was no more, but not whether the end has come, too.
    pub(super) is_short: bool,
    /// Goes on after a short reading, until the socket says that it has nothing.
    reads_on: bool,
    budget: usize,
    /// Frames that came in this round.
    frames_read: u32,
    /// Why sending broke off, while there may still be answers to read.
    broken: Option<Trouble>,
    /// What the connection cannot go on with.
    pub(super) trouble: Option<Trouble>,
    /// Whether the server closed it.
    pub(super) has_ended: bool,
    /// Whether the server agreed to speak HTTP/2, as far as that is asked before.
    is_agreed: bool,
    /// What it chose instead, or an empty text.
    pub(super) disagreed: Option<String>,
    /// What the server sends, frame by frame.
    frames: Frames,
    /// Whether it sent too many frames that bring nothing.
    pub(super) is_flooded: bool,
}

impl Wire {
    /// `reads_on`: more than one exchange is under way on it at a time.
    pub(super) fn new(connection: Connection, buffer: Buffer, reads_on: bool) -> Self {
        Self {
            is_agreed: !connection.is_tls(),
            connection,
            buffer,
            out: Vec::new(),
            out_sent: 0,
            queued: 0,
            sent: 0,
            received: 0,
            first: Vec::new(),
            may_read: true,
            is_short: false,
            reads_on,
            budget: READ_BYTES,
            frames_read: 0,
            broken: None,
            trouble: None,
            has_ended: false,
            disagreed: None,
            frames: Frames::new(),
            is_flooded: false,
        }
    }

    /// An exchange begins on it.
    pub(super) fn begin_exchange(&mut self) {
        self.is_short = false;
        self.frames.exchange();
    }

    /// Whether the connection was made.
    pub(super) fn is_open(&self) -> bool {
        self.connection.is_open()
    }

    /// Whether there is nothing that the kernel has yet to take.
    pub(super) fn is_flushed(&self) -> bool {
        self.out_sent == self.out.len() && self.connection.has_nothing_left()
    }

    /// Whether the first bytes that came are those of HTTP/1.
    pub(super) fn begins_as_http1(&self) -> bool {
        self.first.starts_with(b"HTTP/1.")
    }

    /// The next round of reading.
    pub(super) fn refill(&mut self) {
        (self.budget, self.frames_read) = (READ_BYTES, 0);
    }

    /// Whether reading stopped before the socket said that it had nothing.
    pub(super) fn has_more(&self) -> bool {
        self.may_read && self.budget == 0 && self.trouble.is_none() && !self.has_ended
    }

    /// Hands what was written to the kernel, as far as it takes it. A socket that is still connecting takes nothing; TLS
    /// takes it once the handshake is done and the server has agreed to HTTP/2.
    pub(super) fn flush(&mut self) {
        if self.trouble.is_some() || self.broken.is_some() {
            return;
        }
        if !self.is_agreed && !self.agree() {
            return;
        }
        if self.is_flushed() {
            return;
        }
        self.connection.begin();
        let before = self.out_sent;
        let result = self.connection.send(&self.out, &mut self.out_sent);
        match result {
            Ok(_) => self.sent += (self.out_sent - before) as u64,
            Err(trouble) => {
                // TLS may have taken bytes of which none left.
                if self.connection.has_sent() {
                    self.sent += (self.out_sent - before) as u64;
                }
                self.break_off(trouble);
            }
        }
        if self.out_sent == self.out.len() {
            self.out.clear();
            self.out_sent = 0;
        }
    }

    /// Goes on with the handshake. Whether the server has agreed to HTTP/2.
    fn agree(&mut self) -> bool {
        if let Err(trouble) = self.connection.send(&[], &mut 0) {
            self.trouble = Some(trouble);
            return false;
        }
        let Some(chosen) = self.connection.protocol() else { return false };
        if chosen == ALPN {
            self.is_agreed = true;
            return true;
        }
        self.disagreed = Some(String::from_utf8_lossy(chosen).into_owned());
        self.trouble = Some(Trouble::Io(ErrorKind::Unsupported.into()));
        false
    }

    fn break_off(&mut self, trouble: Trouble) {
        if self.connection.is_open() && matches!(trouble, Trouble::Io(_)) {
            self.broken = Some(trouble);
        } else {
            self.trouble = Some(trouble);
        }
    }

    fn read(&mut self, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.trouble.is_some() {
            return Poll::Ready(Err(ErrorKind::ConnectionAborted.into()));
        }
        if self.has_ended {
            return Poll::Ready(Ok(()));
        }
        let room = into.remaining().min(self.budget);
        if !self.may_read || room == 0 || !self.connection.is_open() {
            return Poll::Pending;
        }
        let shared = self.buffer.clone();
        let mut buffer = shared.borrow_mut();
        let room = room.min(buffer.len());
        match self.connection.receive(&mut buffer[..room]) {
            Ok(Received::Bytes(count)) => {
                let bytes = &buffer[..count];
                let Ok(frames) = self.frames.feed(bytes) else {
                    self.is_flooded = true;
                    return self.fail(Trouble::Io(ErrorKind::InvalidData.into()));
                };
                into.put_slice(bytes);
                if self.first.len() < 8 {
                    self.first.extend_from_slice(&bytes[..count.min(8)]);
                }
                self.received += count as u64;
                self.budget -= count;
                self.frames_read += frames;
                if self.frames_read >= READ_FRAMES {
                    self.budget = 0;
                }
                self.is_short = count < room;
                self.may_read = !self.is_short || self.reads_on;
                Poll::Ready(Ok(()))
            }
            Ok(Received::Nothing) => {
                (self.may_read, self.is_short) = (false, false);
                match self.broken.take() {
                    Some(trouble) => self.fail(trouble),
                    None => Poll::Pending,
                }
            }
            Ok(Received::End { .. }) => match self.broken.take() {
                Some(trouble) => self.fail(trouble),
                None => {
                    self.has_ended = true;
                    Poll::Ready(Ok(()))
                }
            },
            Err(trouble) => self.fail(trouble),
        }
    }

    fn fail<T>(&mut self, trouble: Trouble) -> Poll<io::Result<T>> {
        self.trouble = Some(trouble);
        Poll::Ready(Err(ErrorKind::ConnectionAborted.into()))
    }

    fn write(&mut self, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.trouble.is_some() {
            return Poll::Ready(Err(ErrorKind::ConnectionAborted.into()));
        }
        if self.broken.is_some() {
            // Nobody takes it any more; what has come is still read.
            return Poll::Ready(Ok(bytes.len()));
        }
        if self.out.len() - self.out_sent >= OUT_BYTES_MAX {
            self.flush();
        }
        let room = OUT_BYTES_MAX.saturating_sub(self.out.len() - self.out_sent);
        if room == 0 {
            return Poll::Pending;
        }
        if self.out_sent > 0 {
            self.out.drain(..self.out_sent);
            self.out_sent = 0;
        }
        let taken = bytes.len().min(room);
        self.out.extend_from_slice(&bytes[..taken]);
        self.queued += taken as u64;
        self.frames.data(taken as u64);
        Poll::Ready(Ok(taken))
    }
}

/// A wire as the library wants it.
pub(super) struct Io(pub(super) Rc<RefCell<Wire>>);

impl AsyncRead for Io {
    fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.0.borrow_mut().read(into)
    }
}

impl AsyncWrite for Io {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.0.borrow_mut().write(bytes)
    }

    /// Whatever the library writes in one poll goes out together, after it.
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
