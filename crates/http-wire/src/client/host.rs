//! Whoever drives a client: a load thread's recorder, or something that only has the time.

use contract::{Recorder, Task};
use std::io;
use std::os::fd::BorrowedFd;
use terms::Nanos;

/// What a client needs of whoever drives it. Only the time is a must.
pub trait Host {
    /// Time since the start of the run.
    fn now(&self) -> Nanos;

    /// A connection was asked for: from now on its socket is to be watched for the client's slot.
    ///
    /// # Errors
    /// When the system refuses; the exchange then ends as `NoResource`.
    fn attach(&mut self, _socket: BorrowedFd<'_>) -> io::Result<()> {
        Ok(())
    }

    /// The first byte is about to go, or a connection about to be asked for. Perhaps more than once an exchange.
    fn started(&mut self) {}

    /// Once more.
    fn count(&mut self, _what: Counted) {}

    /// Something came for the client in another slot, with which this one shares a connection.
    fn wake(&mut self, _slot: u32) {}
}

/// What a client counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Counted {
    /// Connections asked for.
    Connects,
    /// Connections found closed before anything was sent on them, so that the exchange went over a new one.
    Reconnects,
    /// Answers with bytes after them.
    Surplus,
    /// Exchanges over HTTP/2 that waited, since the server allows fewer streams at a time than are wanted.
    StreamWaits,
    /// Kept connections on which something came while no request was open.
    Unasked,
    /// Kept connections that were not used again since the server had said that it would close them about then.
    Expired,
    /// Requests that met the closing of a connection which had stood idle.
    IdleResets,
    /// Requests that were sent once more on a new connection, since a kept one ended before a byte of the answer.
    IdleRetries,
}

impl Counted {
    /// Their names, in order: the first of the counters of every driver over HTTP.
    pub const NAMES: [&str; 8] =
        ["connects", "reconnects", "surplus", "stream_waits", "unasked", "expired", "idle_resets", "idle_retries"];
}

/// A load thread as the host, with the exchange in hand, if there is one.
pub struct Recorded<'a> {
    /// The thread's own.
    pub recorder: &'a mut Recorder,
    /// The exchange in hand.
    pub task: Option<&'a Task>,
}

impl Host for Recorded<'_> {
    #[inline]
    fn now(&self) -> Nanos {
        self.recorder.now()
    }

    fn attach(&mut self, socket: BorrowedFd<'_>) -> io::Result<()> {
        self.recorder.attach(socket)
    }

    #[inline]
    fn started(&mut self) {
        if let Some(task) = self.task {
            self.recorder.started(task);
        }
    }

    fn count(&mut self, what: Counted) {
        self.recorder.count(what as u8, 1);
    }

    fn wake(&mut self, slot: u32) {
        self.recorder.wake(slot);
    }
}
