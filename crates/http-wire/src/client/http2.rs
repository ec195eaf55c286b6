//! Exchanges over HTTP/2: a stream on a connection that slots may share, instead of a connection of one's own.
//!
//! Whoever's socket it is drives the connection when there is something on it, and wakes the slots for whom it was. All
//! else is as over HTTP/1.1: one way out, one outcome, and what is sent once more is so by the same rule.

use super::failed::{Failed, LONG_IDLE, Stood, Why};
use super::host::{Counted, Host};
use super::shared::Shared;
use super::turn::{Step, Turn};
use crate::http2::{Broken, Http2, Mux, Stream, Unsendable};
use crate::{Parser, Trouble, in_words, outcome_of};
use contract::Interest;
use h2::Reason;
use std::io::ErrorKind;
use std::rc::Rc;
use std::task::{Poll, Waker};
use terms::{Nanos, Outcome};

/// A connection whose last exchange began longer ago is looked at before it is used again. Sooner than that no server
/// closes an idle one, and looking costs a system call, so only servers that were caught once are looked at every time.
const IDLE_MIN: Nanos = Nanos::from_millis(5);
/// Rounds of reading before other sessions get their turn.
const ROUNDS_MAX: u32 = 4;

/// What a client holds for HTTP/2.
pub(super) struct Streams {
    shared: Rc<Shared>,
    /// Number of the client's slot in this thread.
    slot: u32,
    /// The exchange in hand.
    stream: Option<Stream>,
    /// Connections whose socket calls this slot.
    owned: Vec<Rc<Mux>>,
    /// What wakes this slot when it shares connections.
    waker: Option<Waker>,
    /// How long the connection in use had stood still since the exchange before this one; `None` for a new one.
    idle: Option<Nanos>,
    /// Whether the connection of the exchange in hand serves no other.
    is_spoilt: bool,
    /// Whether the exchange in hand was sent once more already.
    is_second: bool,
}

impl Drop for Streams {
    fn drop(&mut self) {
        // Nobody is called for their sockets any more: whoever shared them makes new ones.
        self.owned.iter().for_each(|mux| mux.retire());
    }
}

impl Streams {
    pub(super) fn new(shared: Rc<Shared>, slot: u32) -> Self {
        Self {
            shared,
            slot,
            stream: None,
            owned: Vec::new(),
            waker: None,
            idle: None,
            is_spoilt: false,
            is_second: false,
        }
    }

    /// Begins an exchange; `from` is when, for telling how long its connection stood still.
    pub(super) fn begin(&mut self, http2: &Http2, turn: &mut Turn<'_>, from: Nanos) -> Step {
        self.is_second = false;
        self.send(http2, turn, from)
    }

    fn send(&mut self, http2: &Http2, turn: &mut Turn<'_>, from: Nanos) -> Step {
        (self.idle, self.is_spoilt) = (None, false);
        let (request, body) = match http2.request(turn.call.request) {
            Ok(request) => request,
            Err(why) => return unsendable(why),
        };
        let mux = match self.mux(http2, turn, from) {
            Ok(mux) => mux,
            Err(trouble) => {
                let outcome = outcome_of(&trouble, false, false);
                return Step::Failed(Failed::new(outcome, Why::Trouble(trouble), Stood::Nowhere));
            }
        };
        turn.host.started();
        match mux.send(request, body) {
            Ok(stream) => self.stream = Some(stream),
            Err(_) => return unsendable(Unsendable("a header has no place in HTTP/2")),
        }
        if http2.streams > 1 && mux.is_crowded() {
            turn.host.count(Counted::StreamWaits);
        }
        self.drive(&mux, false, turn.host);
        self.follow(turn)
    }

    /// The connection for an exchange: the one there is, if it can be used, else a new one.
    fn mux(&mut self, http2: &Http2, turn: &mut Turn<'_>, from: Nanos) -> Result<Rc<Mux>, Trouble> {
        let (target, group) = (turn.call.target, (self.slot / http2.streams) as usize);
        let shared = turn.shared;
        let (targets, pool) = (&shared.targets, &shared.http2);
        if http2.streams > 1 && self.waker.is_none() {
            self.waker = Some(pool.waker(self.slot));
        }
        let kept = pool.get(target, group).filter(|mux| {
            let most = targets[target].keeps_for(None).filter(|_| mux.is_idle());
            let is_over = most.is_some_and(|most| from - mux.idle_since.get() >= most);
            if is_over {
                pool.forget(mux);
                mux.retire();
                turn.host.count(Counted::Expired);
            }
            !is_over
        });
        if let Some(mux) = kept {
            let is_suspect = targets[target].is_suspect.get();
            if is_suspect || from - mux.last.replace(from) >= IDLE_MIN {
                self.drive(&mux, true, turn.host);
            }
            if mux.is_usable() {
                self.idle = mux.is_idle().then(|| from - mux.idle_since.get());
                return Ok(mux);
            }
            if self.part_with(&mux, turn.host) {
                targets[target].is_suspect.set(true);
            }
        }
        let connection = turn.connect()?;
        let mux = Mux::new(connection, pool.buffer(), http2.streams > 1)
            .map_err(|error| Trouble::Io(std::io::Error::other(error)))?;
        mux.last.set(from);
        self.owned.push(mux.clone());
        pool.set(target, group, mux.clone());
        Ok(mux)
    }

    /// Lets go of a connection that was found closed, or to be closed, before it was used again. Whether it stood idle.
    fn part_with(&self, mux: &Rc<Mux>, host: &mut dyn Host) -> bool {
        self.shared.http2.forget(mux);
        if mux.is_retired() {
            return false;
        }
        mux.retire();
        if mux.is_idle() {
            host.count(Counted::Reconnects);
        }
        mux.is_idle()
    }

    /// Drives a connection, and wakes the others for whom something came.
    fn drive(&self, mux: &Mux, looks: bool, host: &mut dyn Host) {
        mux.drive(looks);
        if self.waker.is_some() {
            self.shared.http2.take_woken(&mut |slot| {
                if slot != self.slot {
                    host.wake(slot);
                }
            });
        }
    }

    /// A socket of this slot, or somebody who drove a shared connection, called.
    pub(super) fn drive_owned(&mut self, host: &mut dyn Host) {
        let mut is_any_done = false;
        for mux in &self.owned {
            self.drive(mux, true, host);
            let is_own = self.stream.as_ref().is_some_and(|stream| Rc::ptr_eq(&stream.mux, mux));
            if mux.has_more() && !is_own {
                // Nobody else may be called for it.
                host.wake(self.slot);
            }
            if mux.is_idle() && !mux.is_usable() {
                self.part_with(mux, host);
            }
            is_any_done |= mux.is_done();
        }
        if is_any_done {
            self.owned.retain(|mux| !mux.is_done());
        }
    }

    /// Takes what has come of the answer in hand.
    pub(super) fn follow(&mut self, turn: &mut Turn<'_>) -> Step {
        for _ in 0..ROUNDS_MAX {
            let Some(stream) = &mut self.stream else { return Step::Waiting(Interest::Idle) };
            let waker = self.waker.as_ref().unwrap_or(Waker::noop());
            match stream.poll(waker, turn.parser) {
                Poll::Ready(Ok(())) => return Step::Answered,
                Poll::Ready(Err(Broken::Library(error))) => return self.failed(&error, turn),
                Poll::Ready(Err(Broken::Malformed(why))) => {
                    // What the library still holds of it goes with the connection.
                    self.is_spoilt = true;
                    let said = format!("the answer is beyond its bounds: {}", why.0);
                    return Step::Failed(Failed::plainly(Outcome::Fault, Why::Said(said)));
                }
                Poll::Pending => {}
            }
            let mux = stream.mux.clone();
            if mux.may_hide_its_end() {
                self.drive(&mux, true, turn.host);
            } else if mux.has_more() {
                self.drive(&mux, false, turn.host);
            } else {
                return Step::Waiting(Interest::Io { read: true, write: !mux.is_flushed() });
            }
        }
        // The edge is used up while there is more to read: come back by clock, not by event.
        Step::Waiting(Interest::WakeAt(turn.host.now()))
    }

    /// The stream or its connection broke.
    fn failed(&mut self, error: &h2::Error, turn: &mut Turn<'_>) -> Step {
        let Some(stream) = &self.stream else { return Step::Waiting(Interest::Idle) };
        let mux = stream.mux.clone();
        let shared = turn.shared;
        let is_suspect = &shared.targets[turn.call.target].is_suspect;
        if let Some(http2) = turn.call.http2
            && stream.is_reused()
            && !mux.is_usable()
        {
            // If not a byte left this machine, going over a new connection is not a second try.
            let is_first = !stream.may_have_left();
            if is_first || self.may_be_sent_again(error, turn) {
                self.stream = None;
                mux.retire();
                shared.http2.forget(&mux);
                is_suspect.set(true);
                if is_first {
                    turn.host.count(Counted::Reconnects);
                } else {
                    turn.host.count(Counted::IdleRetries);
                    shared.targets[turn.call.target].tell_retry();
                }
                self.is_second |= !is_first;
                let from = turn.host.now();
                return self.send(http2, turn, from);
            }
        }
        let outcome = outcome(error, &mux, turn.parser.status() != 0);
        if outcome == Outcome::Reset && stream.is_reused() {
            is_suspect.set(true);
        }
        let failed = Failed::new(outcome, why(error, &mux), self.stood(turn.parser));
        Step::Failed(failed.after_idle(self.idle, true))
    }

    /// Whether the request in hand is one that a client sends again by itself: the server says that it did not process
    /// it (RFC 9113, section 8.7) as it closes the connection, or closes one that stood idle without a word. A stream
    /// that is refused on a connection that goes on is the server's answer to the load, and stays one.
    fn may_be_sent_again(&self, error: &h2::Error, turn: &Turn<'_>) -> bool {
        let is_refused = error.is_reset() && error.reason() == Some(Reason::REFUSED_STREAM);
        let is_unprocessed = error.is_remote() && (is_refused || (error.is_go_away() && is_quiet(error)));
        let is_closed = self.idle.is_some_and(|idle| idle >= LONG_IDLE) && error.get_io().is_some_and(is_closing);
        turn.call.retry && !self.is_second && turn.parser.status() == 0 && (is_unprocessed || is_closed)
    }

    /// The exchange in hand is cut off; `is_late`: by its deadline.
    pub(super) fn cancel(&mut self, is_late: bool, parser: &mut Parser) {
        let Some(stream) = &mut self.stream else { return };
        // A connection on which nothing at all came in all that time may be dead; the next exchange has a new one.
        let is_deaf = is_late && stream.is_deaf();
        // What has come and was not taken stays with the library for as long as the connection lives.
        let last = stream.poll(Waker::noop(), parser);
        self.is_spoilt = is_deaf || matches!(last, Poll::Ready(Err(_)));
    }

    /// The exchange in hand is over; its connection serves others if it `may`.
    pub(super) fn finish(&mut self, may: bool, is_answered: bool, host: &mut dyn Host) {
        let Some(stream) = self.stream.take() else { return };
        let mux = stream.mux.clone();
        drop(stream);
        if !may || self.is_spoilt || !mux.is_usable() {
            mux.retire();
            self.shared.http2.forget(&mux);
            self.owned.retain(|mux| !mux.is_done());
        } else if !is_answered {
            // The server is told now that nobody waits for the rest.
            self.drive(&mux, false, host);
        }
        mux.idle_since.set(host.now());
    }

    /// How far the exchange in hand has come.
    pub(super) fn stood(&self, parser: &Parser) -> Stood {
        match &self.stream {
            _ if parser.status() != 0 => Stood::Body { status: parser.status(), bytes: parser.body_bytes() },
            None => Stood::Nowhere,
            Some(stream) if !stream.mux.is_open() => Stood::Nowhere,
            Some(stream) if !stream.may_have_left() => Stood::Queued,
            Some(stream) if stream.mux.received() == 0 => Stood::SentToDeaf,
            Some(_) => Stood::Sent,
        }
    }
}

fn unsendable(why: Unsendable) -> Step {
    let said = format!("the request cannot be sent over HTTP/2: {}", why.0);
    Step::Failed(Failed::plainly(Outcome::BadStudy, Why::Said(said)))
}

/// Whether a server closes the connection without finding fault with what was sent on it.
fn is_quiet(error: &h2::Error) -> bool {
    matches!(error.reason(), Some(Reason::NO_ERROR))
}

/// Whether the other side has closed the connection, rather than that this one cannot go on.
fn is_closing(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset | ErrorKind::UnexpectedEof)
}

/// What an error of the library means; `has_begun`: the head of the answer had come.
fn outcome(error: &h2::Error, mux: &Mux, has_begun: bool) -> Outcome {
    let broken = if has_begun { Outcome::Partial } else { Outcome::Reset };
    if error.is_library() || mux.disagreed().is_some() || mux.is_flooded() {
        return Outcome::Fault;
    }
    if !error.is_remote() {
        return mux.trouble().map_or(broken, |trouble| outcome_of(&trouble, mux.is_open(), has_begun));
    }
    match error.reason() {
        _ if has_begun => broken,
        Some(Reason::REFUSED_STREAM) if error.is_reset() => Outcome::Refused,
        Some(
            Reason::PROTOCOL_ERROR
            | Reason::FLOW_CONTROL_ERROR
            | Reason::SETTINGS_TIMEOUT
            | Reason::STREAM_CLOSED
            | Reason::FRAME_SIZE_ERROR
            | Reason::COMPRESSION_ERROR
            | Reason::INADEQUATE_SECURITY
            | Reason::HTTP_1_1_REQUIRED,
        ) => Outcome::Fault,
        _ => broken,
    }
}

/// What broke.
fn why(error: &h2::Error, mux: &Mux) -> Why {
    let reason = error.reason().unwrap_or(Reason::NO_ERROR);
    if let Some(chosen) = mux.disagreed() {
        return Why::Disagreed(chosen);
    }
    Why::Http2(match () {
        () if mux.is_flooded() => {
            "the server sends frames without end that bring nothing (PING, SETTINGS, WINDOW_UPDATE, heads of no exchange \
             …); the connection was closed; "
                .to_owned()
        }
        () if mux.begins_as_http1() => {
            "the server does not speak HTTP/2: it answers as HTTP/1; write `version: 1.1`; ".to_owned()
        }
        // The library does not tell the two apart.
        () if error.is_library() && error.is_reset() => {
            format!("the answer breaks the rules of HTTP/2, or its head is over 64 KiB ({reason:?}): ")
        }
        () if error.is_library() => format!("the answer is not HTTP/2 ({reason:?}): "),
        () if error.is_reset() => format!("the server reset the stream ({reason:?}): "),
        () if error.is_go_away() => {
            format!("the server closes the connection and did not take the request ({reason:?}): ")
        }
        () => match mux.trouble().as_deref() {
            Some(Trouble::Io(error)) => format!("{error}: "),
            Some(Trouble::Tls(rustls::Error::AlertReceived(rustls::AlertDescription::NoApplicationProtocol))) => {
                "TLS: the server does not speak HTTP/2, it knows no protocol `h2` (ALPN); write `version: 1.1`; "
                    .to_owned()
            }
            Some(Trouble::Proxy(said)) => format!("{said}: "),
            Some(Trouble::Tls(error)) => format!("TLS: {}: ", in_words(error)),
            None => match mux.fate().as_ref().filter(|fate| fate.is_go_away()).and_then(h2::Error::reason) {
                Some(reason) => format!("the connection ended ({reason:?}): "),
                None => return Why::Closed,
            },
        },
    })
}
