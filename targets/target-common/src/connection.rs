//! One connection: what was read of it, which answers wait on it, what is on its way out.

use std::collections::VecDeque;
use std::io;
use std::net::TcpStream;

use rustix::event::epoll::EventFlags;

use crate::answer::{self, Answer, Ending};
use crate::body::BodyReader;
use crate::outbox::Outbox;
use crate::request::{Head, Method, Refusal, parse_head};
use crate::session::Session;

/// Requests that may wait on one connection; a client that pipelines more is not read until some are answered.
pub(crate) const MAX_PIPELINED: usize = 64;

/// Bytes of bodies that may wait on one connection, likewise.
const MAX_WAITING_BYTES: usize = 2 * 1024 * 1024;

/// Where reading stands.
enum Reading {
    Head,
    Body(Head, BodyReader),
    /// Nothing more is read: the connection ends after an answer that is already planned.
    Stopped,
}

/// One whole request.
pub(crate) struct Request {
    pub(crate) head: Head,
    pub(crate) body: Vec<u8>,
}

/// One answer in its place in the line. Answers leave in the order of the requests.
pub(crate) struct Pending {
    pub(crate) kind: PendingKind,
    pub(crate) is_ready: bool,
    /// Bytes of the request's body that the answer may hold on to.
    pub(crate) holds_bytes: usize,
}

pub(crate) enum PendingKind {
    Interim(u16),
    Control { answer: Answer, head_only: bool },
    Load { answer: Answer, head_only: bool, number: u64, due_ns: u64 },
}

/// An answer on its way: done when so many bytes of the connection were written.
pub(crate) struct Departure {
    pub(crate) end: u64,
    pub(crate) number: u64,
    pub(crate) due_ns: u64,
    pub(crate) ending: Ending,
}

pub(crate) struct Connection {
    pub(crate) stream: TcpStream,
    pub(crate) session: Box<dyn Session>,
    pub(crate) outbox: Outbox,
    pub(crate) pending: VecDeque<Pending>,
    pub(crate) departures: VecDeque<Departure>,
    /// Events that the kernel was asked for.
    pub(crate) interest: EventFlags,
    /// Load requests read on this connection.
    pub(crate) requests: u64,
    /// When the first byte of the request came that is not whole yet.
    pub(crate) partial_since_ns: Option<u64>,
    /// When a connection that we ended is closed even if the client does not end it.
    pub(crate) linger_until_ns: Option<u64>,
    /// How the connection ends once the outbox is empty.
    pub(crate) ending: Option<Ending>,
    /// The client sends no more.
    pub(crate) input_ended: bool,
    /// The outbox could not be emptied.
    pub(crate) is_blocked: bool,
    inbox: Vec<u8>,
    reading: Reading,
    waiting_bytes: usize,
}

impl Connection {
    pub(crate) fn new(stream: TcpStream, session: Box<dyn Session>) -> Self {
        Connection {
            stream,
            session,
            outbox: Outbox::default(),
            pending: VecDeque::new(),
            departures: VecDeque::new(),
            interest: EventFlags::IN,
            requests: 0,
            partial_since_ns: None,
            linger_until_ns: None,
            ending: None,
            input_ended: false,
            is_blocked: false,
            inbox: Vec::new(),
            reading: Reading::Head,
            waiting_bytes: 0,
        }
    }

    /// Reads once into `scratch` and keeps the bytes; `Ok(0)` is the end.
    pub(crate) fn read(&mut self, scratch: &mut [u8]) -> io::Result<usize> {
        let count = self.session.read(&mut self.stream, scratch)?;
        // After the last request only the end is waited for.
        if !matches!(self.reading, Reading::Stopped) {
            self.inbox.extend_from_slice(&scratch[..count]);
        }
        Ok(count)
    }

    /// True while requests are taken: not stopped, and not too many waiting.
    pub(crate) fn takes_requests(&self) -> bool {
        !matches!(self.reading, Reading::Stopped)
            && self.pending.len() < MAX_PIPELINED
            && self.waiting_bytes < MAX_WAITING_BYTES
    }

    /// True when bytes of the socket are wanted.
    pub(crate) fn wants_read(&self) -> bool {
        !self.input_ended && (self.takes_requests() || matches!(self.reading, Reading::Stopped))
    }

    /// True when part of a request has been read.
    pub(crate) fn is_mid_request(&self) -> bool {
        match self.reading {
            Reading::Head => !self.inbox.is_empty(),
            Reading::Body(..) => true,
            Reading::Stopped => false,
        }
    }

    /// Takes no further request; what was read of one is thrown away.
    pub(crate) fn stop_reading(&mut self) {
        self.reading = Reading::Stopped;
        self.inbox = Vec::new();
        self.partial_since_ns = None;
    }

    /// The next whole request, when there is one.
    pub(crate) fn next_request(&mut self, keeps_bodies: bool) -> Result<Option<Request>, Refusal> {
        if matches!(self.reading, Reading::Head) {
            if self.inbox.is_empty() {
                return Ok(None);
            }
            let Some((head, length)) = parse_head(&self.inbox)? else { return Ok(None) };
            self.inbox.drain(..length);
            let body = BodyReader::new(head.framing, keeps_bodies)?;
            if head.expects_continue && !body.is_done() && self.inbox.is_empty() {
                self.queue(PendingKind::Interim(100), true, 0);
            }
            self.reading = Reading::Body(head, body);
        }
        let Reading::Body(_, body) = &mut self.reading else { return Ok(None) };
        let used = body.take(&self.inbox)?;
        self.inbox.drain(..used);
        if !body.is_done() {
            return Ok(None);
        }
        match std::mem::replace(&mut self.reading, Reading::Head) {
            Reading::Body(head, body) => Ok(Some(Request { head, body: body.into_kept() })),
            Reading::Head | Reading::Stopped => Ok(None),
        }
    }

    /// Puts an answer at the end of the line.
    pub(crate) fn queue(&mut self, kind: PendingKind, is_ready: bool, holds_bytes: usize) {
        self.waiting_bytes += holds_bytes;
        self.pending.push_back(Pending { kind, is_ready, holds_bytes });
    }

    /// Marks the answer to request `number` as due.
    pub(crate) fn make_ready(&mut self, number: u64) {
        let is_it = |pending: &&mut Pending| matches!(pending.kind, PendingKind::Load { number: n, .. } if n == number);
        if let Some(pending) = self.pending.iter_mut().find(is_it) {
            pending.is_ready = true;
        }
    }

    /// Moves answers that are ready and first in line to the outbox, as far as it has room.
    pub(crate) fn fill_outbox(&mut self) {
        while self.ending.is_none() && !self.outbox.is_full() && self.pending.front().is_some_and(|p| p.is_ready) {
            let Some(pending) = self.pending.pop_front() else { break };
            self.waiting_bytes -= pending.holds_bytes;
            match pending.kind {
                PendingKind::Interim(status) => self.outbox.push_bytes(answer::interim(status)),
                PendingKind::Control { answer, head_only } => {
                    self.note_ending(answer.ending);
                    self.outbox.push(answer::render(answer, None, head_only));
                }
                PendingKind::Load { answer, head_only, number, due_ns } => {
                    let ending = answer.ending;
                    self.note_ending(ending);
                    if ending != Ending::Reset {
                        self.outbox.push(answer::render(answer, Some(number), head_only));
                    }
                    let end = self.outbox.pushed();
                    self.departures.push_back(Departure { end, number, due_ns, ending });
                }
            }
        }
    }

    /// The next answer that has been written whole.
    pub(crate) fn next_departure(&mut self) -> Option<Departure> {
        let written = self.outbox.written();
        self.departures.front().filter(|departure| departure.end <= written)?;
        self.departures.pop_front()
    }

    /// Load requests whose answers have not been written whole.
    pub(crate) fn unanswered(&self) -> u64 {
        let waiting = self.pending.iter().filter(|pending| matches!(pending.kind, PendingKind::Load { .. })).count();
        (waiting + self.departures.len()) as u64
    }

    /// True when nothing waits and nothing is on its way out.
    pub(crate) fn is_idle(&self) -> bool {
        self.pending.is_empty() && !self.is_blocked
    }

    fn note_ending(&mut self, ending: Ending) {
        if ending != Ending::KeepAlive {
            self.ending = Some(ending);
        }
    }
}

/// True for a request whose answer has a head only.
pub(crate) fn is_head_only(head: &Head) -> bool {
    head.method == Method::Head
}
