//! One client for whoever speaks HTTP: a request out, an answer in, one exchange at a time. What is asked and what the
//! answer means is for others.
//!
//! [`Client::begin`] sends, [`Client::ready`] sends what is left and reads until the socket has no more, and both say by a
//! [`Step`] how far it has come. After [`Step::Answered`] and [`Step::Failed`] the exchange is closed in the books first,
//! and ended here then, by [`Client::finish`]. Who wants the connection itself, since the answer says that it speaks
//! something else from now on, has it by [`Client::take`] instead; who reads an answer that goes on and on takes what has
//! come of it by [`Client::swap_body`].

mod blocking;
mod failed;
mod host;
mod http1;
mod http2;
mod shared;
#[cfg(test)]
mod tests;
mod turn;

pub use failed::{Failed, Stood, Why};
pub use host::{Counted, Host, Recorded};
pub use shared::Shared;
pub use turn::{Call, Step};

use crate::{Body, Connection, Parser};
use contract::Interest;
use http1::Http1;
use http2::Streams;
use std::os::fd::BorrowedFd;
use std::rc::Rc;
use terms::Nanos;
use turn::Turn;

/// What the exchange in hand goes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hand {
    Empty,
    Http1,
    Http2,
}

/// One exchange at a time, over a connection of its own to each target or over one that clients share.
pub struct Client {
    shared: Rc<Shared>,
    http1: Http1,
    http2: Streams,
    parser: Parser,
    hand: Hand,
    is_answered: bool,
    /// Whether the parser holds a buffer for the body.
    has_buffer: bool,
}

impl Client {
    /// A client in that slot of its thread: those whose number divided by `streams` is the same share connections of
    /// HTTP/2.
    pub fn new(shared: Rc<Shared>, slot: u32) -> Self {
        Self {
            http1: Http1::new(shared.targets.len()),
            http2: Streams::new(shared.clone(), slot),
            shared,
            parser: Parser::new(),
            hand: Hand::Empty,
            is_answered: false,
            has_buffer: false,
        }
    }

    /// Begins an exchange. `from` is when, for telling how long its connection stood still.
    pub fn begin(&mut self, call: &Call<'_>, from: Nanos, host: &mut dyn Host) -> Step {
        self.parser.begin(call.expecting);
        self.has_buffer = call.expecting.keep > 0;
        if self.has_buffer {
            self.parser.swap_body(&mut self.shared.spare.take());
        }
        let turn = &mut Turn { call, parser: &mut self.parser, shared: &self.shared, host: &mut *host };
        let step = match call.http2 {
            Some(http2) => {
                self.hand = Hand::Http2;
                self.http2.begin(http2, turn, from)
            }
            None => {
                self.hand = Hand::Http1;
                self.http1.begin(turn, from)
            }
        };
        self.seen(step, host)
    }

    /// Goes on with the exchange in hand after an event. For an event when there is none see [`Client::tidy`].
    pub fn ready(&mut self, call: &Call<'_>, host: &mut dyn Host) -> Step {
        self.http2.drive_owned(host);
        let turn = &mut Turn { call, parser: &mut self.parser, shared: &self.shared, host: &mut *host };
        let step = match self.hand {
            Hand::Http2 => self.http2.follow(turn),
            Hand::Http1 => self.http1.ready(turn),
            Hand::Empty => Step::Waiting(Interest::Idle),
        };
        self.seen(step, host)
    }

    fn seen(&mut self, step: Step, host: &mut dyn Host) -> Step {
        self.is_answered = matches!(step, Step::Answered);
        if matches!(&step, Step::Failed(failed) if failed.idle.is_some()) {
            host.count(Counted::IdleResets);
        }
        step
    }

    /// An event between exchanges: a server closed a connection, or something came for who shares it.
    pub fn tidy(&mut self, host: &mut dyn Host) {
        self.http2.drive_owned(host);
        self.http1.tidy(&self.shared, host);
    }

    /// The exchange in hand is over: answered, failed, or cut off. What the slot waits for now.
    pub fn finish(&mut self, call: &Call<'_>, host: &mut dyn Host) -> Interest {
        let may = call.reuse && self.is_answered;
        let interest = match self.hand {
            Hand::Empty => Interest::Idle,
            Hand::Http1 if self.http1.finish(may, &self.parser, &self.shared, host) => Interest::Idle,
            Hand::Http1 => Interest::Gone,
            Hand::Http2 => {
                self.http2.finish(call.reuse, self.is_answered, host);
                Interest::Idle
            }
        };
        self.let_go();
        interest
    }

    /// The exchange in hand is cut off; `is_late`: by its deadline.
    pub fn cancel(&mut self, call: &Call<'_>, is_late: bool, host: &mut dyn Host) {
        self.is_answered = false;
        if self.hand == Hand::Http2 {
            self.http2.cancel(is_late, &mut self.parser);
        }
        self.finish(call, host);
    }

    /// Ends the exchange in hand and gives its connection away, with what came on it after the answer: for who goes on
    /// in another protocol, as after an answer of 101. None over HTTP/2, where streams share it. The one who takes it has
    /// its socket watched already.
    pub fn take(&mut self) -> Option<(Connection, Vec<u8>)> {
        if self.hand != Hand::Http1 || !self.is_answered {
            return None;
        }
        let taken = self.http1.take(&self.shared);
        self.let_go();
        taken
    }

    /// The answer's body, where the call leaves it to whoever takes the connection ([`leaves_body`](crate::Expecting::leaves_body)).
    pub fn take_body(&mut self) -> Option<Body> {
        self.parser.take_body()
    }

    fn let_go(&mut self) {
        self.hand = Hand::Empty;
        if std::mem::take(&mut self.has_buffer) {
            let mut body = Vec::new();
            self.parser.swap_body(&mut body);
            self.shared.spare.give(body);
        }
    }

    /// The answer, as far as it has come. Its body is there until the exchange is finished.
    #[inline]
    pub fn answer(&self) -> &Parser {
        &self.parser
    }

    /// Exchanges the buffer of the answer's body for an empty one: for who takes an answer in pieces as it comes. The call
    /// keeps that much between two takings.
    pub fn swap_body(&mut self, buffer: &mut Vec<u8>) {
        self.parser.swap_body(buffer);
    }

    /// How far the exchange in hand has come.
    pub fn stood(&self) -> Stood {
        match self.hand {
            Hand::Http2 => self.http2.stood(&self.parser),
            Hand::Http1 | Hand::Empty => self.http1.stood(&self.parser),
        }
    }

    /// Whether a connection to that target is kept, over HTTP/1.1.
    pub fn keeps(&self, target: usize) -> bool {
        self.http1.keeps(target)
    }

    /// Bytes that came after the answer.
    #[inline]
    pub fn surplus(&self) -> usize {
        if self.hand == Hand::Http1 { self.http1.surplus() } else { 0 }
    }

    /// Whether a byte of the request in hand has left, over HTTP/1.1.
    pub fn has_left(&self) -> bool {
        self.hand == Hand::Http1 && self.http1.has_left()
    }

    /// The certificate that the server has shown on the connection in hand, over HTTP/1.1.
    fn certificate(&self) -> Option<&[u8]> {
        self.http1.certificate().filter(|_| self.hand == Hand::Http1)
    }

    /// The socket of the exchange in hand, over HTTP/1.1.
    fn socket(&self) -> Option<BorrowedFd<'_>> {
        self.http1.socket().filter(|_| self.hand == Hand::Http1)
    }
}
