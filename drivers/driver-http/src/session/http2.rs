//! Exchanges over HTTP/2: a stream on a connection that slots may share, instead of a connection of one's own.
//!
//! Whoever's socket it is drives the connection when there is something on it, and wakes the slots for whom it was. All
//! else is as over HTTP/1.1: one way out, one outcome, nothing sent twice.

use super::HttpSession;
use crate::config::Exchange;
use crate::driver::{COUNT_CONNECTS, COUNT_RECONNECTS, COUNT_STREAM_WAITS};
use crate::http2::{Broken, Http2, Mux, Stream, Unsendable};
use contract::{Cancel, Interest, Note, Recorder};
use h2::Reason;
use http_wire::{Malformed, Trouble, in_words, outcome_of, say, show};
use std::os::fd::AsFd;
use std::rc::Rc;
use std::task::{Poll, Waker};
use terms::{Nanos, Outcome};

/// A connection whose last exchange began longer ago is looked at before it is used again. Sooner than that no server
/// closes an idle one, and looking costs a system call, so only servers that were caught once are looked at every time.
const IDLE_MIN: Nanos = Nanos::from_millis(5);
/// Rounds of reading before other sessions get their turn.
const ROUNDS_MAX: u32 = 4;

/// What a slot holds for HTTP/2.
#[derive(Default)]
pub(super) struct Streams {
    /// The exchange in hand.
    stream: Option<Stream>,
    /// Connections whose socket calls this slot.
    owned: Vec<Rc<Mux>>,
    /// What wakes this slot when it shares connections.
    waker: Option<Waker>,
}

impl Streams {
    /// Whether the exchange in hand goes over HTTP/2.
    pub(super) fn is_in_hand(&self) -> bool {
        self.stream.is_some()
    }

    /// Whether a call of this slot may be about HTTP/2.
    pub(super) fn is_concerned(&self) -> bool {
        self.is_in_hand() || !self.owned.is_empty()
    }
}

impl Drop for Streams {
    fn drop(&mut self) {
        // Nobody is called for their sockets any more: whoever shared them makes new ones.
        self.owned.iter().for_each(|mux| mux.retire());
    }
}

impl HttpSession {
    /// Begins the exchange in hand, whose text is rendered.
    pub(super) fn begin_stream(
        &mut self,
        http2: &Http2,
        exchange: &Exchange,
        from: Nanos,
        recorder: &mut Recorder,
    ) -> Interest {
        let Some(task) = self.task else { return Interest::Idle };
        let text = exchange.request.as_fixed().unwrap_or(&self.request);
        let (request, body) = match http2.request(text) {
            Ok(request) => request,
            Err(why) => return self.cannot_send(why, exchange, recorder),
        };
        self.idle = None;
        let mux = match self.mux(http2, exchange, from, recorder) {
            Ok(mux) => mux,
            Err(trouble) => return self.give_up(trouble, exchange, recorder),
        };
        recorder.started(&task);
        match mux.send(request, body) {
            Ok(stream) => self.http2.stream = Some(stream),
            Err(_) => return self.cannot_send(Unsendable("a header has no place in HTTP/2"), exchange, recorder),
        }
        if http2.streams > 1 && mux.is_crowded() {
            recorder.count(COUNT_STREAM_WAITS, 1);
        }
        self.drive(&mux, false, recorder);
        self.follow(exchange, recorder)
    }

    /// The connection for an exchange: the one there is, if it can be used, else a new one.
    fn mux(
        &mut self,
        http2: &Http2,
        exchange: &Exchange,
        from: Nanos,
        recorder: &mut Recorder,
    ) -> Result<Rc<Mux>, Trouble> {
        let group = (self.slot / http2.streams) as usize;
        if http2.streams > 1 && self.http2.waker.is_none() {
            self.http2.waker = Some(self.common.http2.waker(self.slot));
        }
        if let Some(mux) = self.common.http2.get(exchange.endpoint, group) {
            let is_suspect = self.common.targets[exchange.endpoint].is_suspect.get();
            if is_suspect || from - mux.last.replace(from) >= IDLE_MIN {
                self.drive(&mux, true, recorder);
            }
            if mux.is_usable() {
                self.idle = mux.is_idle().then(|| from - mux.idle_since.get());
                return Ok(mux);
            }
            self.part_with(&mux, exchange.endpoint, recorder);
        }
        recorder.count(COUNT_CONNECTS, 1);
        if let Some(task) = self.task {
            recorder.started(&task);
        }
        let connection = self.common.targets[exchange.endpoint].connect()?;
        if recorder.attach(connection.as_fd()).is_err() {
            return Err(Trouble::Io(rustix::io::Errno::MFILE.into()));
        }
        let mux = Mux::new(connection, self.common.http2.buffer(), http2.streams > 1)
            .map_err(|error| Trouble::Io(std::io::Error::other(error)))?;
        mux.last.set(from);
        self.http2.owned.push(mux.clone());
        self.common.http2.set(exchange.endpoint, group, mux.clone());
        Ok(mux)
    }

    /// Lets go of a connection that was found closed, or to be closed, before it was used again.
    fn part_with(&mut self, mux: &Rc<Mux>, endpoint: usize, recorder: &mut Recorder) {
        self.common.http2.forget(mux);
        if mux.is_retired() {
            return;
        }
        mux.retire();
        if mux.is_idle() {
            self.common.targets[endpoint].is_suspect.set(true);
            recorder.count(COUNT_RECONNECTS, 1);
        }
    }

    /// Drives a connection, and wakes the others for whom something came.
    fn drive(&mut self, mux: &Mux, looks: bool, recorder: &mut Recorder) {
        mux.drive(looks);
        if self.http2.waker.is_some() {
            let own = self.slot;
            self.common.http2.take_woken(&mut |slot| {
                if slot != own {
                    recorder.wake(slot);
                }
            });
        }
    }

    /// A socket of this slot, or somebody who drove a shared connection, called. `None` if the exchange in hand is not
    /// one of HTTP/2.
    pub(super) fn stream_ready(&mut self, recorder: &mut Recorder) -> Option<Interest> {
        let mut is_any_done = false;
        for index in 0..self.http2.owned.len() {
            let mux = self.http2.owned[index].clone();
            self.drive(&mux, true, recorder);
            let is_own = self.http2.stream.as_ref().is_some_and(|stream| Rc::ptr_eq(&stream.mux, &mux));
            if mux.has_more() && !is_own {
                // Nobody else may be called for it.
                recorder.wake(self.slot);
            }
            if mux.is_idle() && !mux.is_usable() {
                self.part_with_idle(&mux, recorder);
            }
            is_any_done |= mux.is_done();
        }
        if is_any_done {
            self.http2.owned.retain(|mux| !mux.is_done());
        }
        self.http2.stream.as_ref()?;
        let common = self.common.clone();
        let exchange = common.exchanges.get(self.index).and_then(Option::as_ref)?;
        Some(self.follow(exchange, recorder))
    }

    fn part_with_idle(&mut self, mux: &Rc<Mux>, recorder: &mut Recorder) {
        self.common.http2.forget(mux);
        if !mux.is_retired() {
            mux.retire();
            recorder.count(COUNT_RECONNECTS, 1);
        }
    }

    /// Takes what has come of the answer in hand.
    fn follow(&mut self, exchange: &Exchange, recorder: &mut Recorder) -> Interest {
        for _ in 0..ROUNDS_MAX {
            let Some(stream) = &mut self.http2.stream else { return Interest::Idle };
            let waker = self.http2.waker.as_ref().unwrap_or(Waker::noop());
            match stream.poll(waker, &mut self.parser) {
                Poll::Ready(Ok(())) => return self.stream_complete(exchange, recorder),
                Poll::Ready(Err(Broken::Library(error))) => return self.stream_failed(&error, exchange, recorder),
                Poll::Ready(Err(Broken::Malformed(why))) => return self.stream_malformed(why, exchange, recorder),
                Poll::Pending => {}
            }
            let mux = stream.mux.clone();
            if mux.may_hide_its_end() {
                self.drive(&mux, true, recorder);
            } else if mux.has_more() {
                self.drive(&mux, false, recorder);
            } else {
                return Interest::Io { read: true, write: !mux.is_flushed() };
            }
        }
        // The edge is used up while there is more to read: come back by clock, not by event.
        Interest::WakeAt(recorder.now())
    }

    fn stream_complete(&mut self, exchange: &Exchange, recorder: &mut Recorder) -> Interest {
        let outcome = self.judged(exchange, recorder);
        self.stream_closed(outcome, exchange.reuse, exchange, recorder)
    }

    /// The exchange in hand has ended; `keeps` unless its connection serves no other.
    fn stream_closed(
        &mut self,
        outcome: Outcome,
        keeps: bool,
        exchange: &Exchange,
        recorder: &mut Recorder,
    ) -> Interest {
        if let Some(mux) = self.http2.stream.take().map(|stream| stream.mux.clone()) {
            if !keeps || !mux.is_usable() {
                mux.retire();
                self.common.http2.forget(&mux);
                self.http2.owned.retain(|mux| !mux.is_done());
            } else if outcome != Outcome::Ok {
                // The server is told now that nobody waits for the rest.
                self.drive(&mux, false, recorder);
            }
            mux.idle_since.set(recorder.now());
        }
        self.close(outcome, true, exchange, recorder)
    }

    /// The stream or its connection broke.
    fn stream_failed(&mut self, error: &h2::Error, exchange: &Exchange, recorder: &mut Recorder) -> Interest {
        let Some(stream) = &self.http2.stream else { return Interest::Idle };
        let mux = stream.mux.clone();
        if stream.is_reused() && !stream.may_have_left() && !mux.is_usable() {
            // Not a byte left this machine, so going over a new connection is no second try.
            self.http2.stream = None;
            mux.retire();
            self.common.http2.forget(&mux);
            self.common.targets[exchange.endpoint].is_suspect.set(true);
            recorder.count(COUNT_RECONNECTS, 1);
            let from = recorder.now();
            return match &exchange.http2 {
                Some(http2) => self.begin_stream(http2, exchange, from, recorder),
                None => Interest::Idle,
            };
        }
        let has_begun = self.parser.status() != 0;
        let outcome = of(error, &mux, has_begun);
        if outcome == Outcome::Reset && stream.is_reused() {
            self.common.targets[exchange.endpoint].is_suspect.set(true);
        }
        recorder.note(outcome, &mut |note| {
            explain(error, &mux, note);
            self.where_the_stream_stood(note);
            self.why_reset(outcome, note);
        });
        self.count_idle_reset(outcome, recorder);
        self.stream_closed(outcome, true, exchange, recorder)
    }

    /// The answer is beyond our bounds. What the library still holds of it goes with the connection.
    fn stream_malformed(&mut self, why: Malformed, exchange: &Exchange, recorder: &mut Recorder) -> Interest {
        recorder.note(Outcome::Fault, &mut |note| {
            say(note, format_args!("the answer is beyond its bounds: {}", why.0));
        });
        self.stream_closed(Outcome::Fault, false, exchange, recorder)
    }

    /// The exchange in hand is cut off.
    pub(super) fn cancel_stream(&mut self, why: Cancel, exchange: &Exchange, recorder: &mut Recorder) {
        let is_late = why == Cancel::Deadline;
        let outcome = if is_late { Outcome::Timeout } else { Outcome::Aborted };
        if is_late {
            recorder.note(outcome, &mut |note| self.where_the_stream_stood(note));
        }
        // A connection on which nothing at all came in all that time may be dead; the next exchange has a new one.
        let is_deaf = self.http2.stream.as_ref().is_some_and(|stream| is_late && stream.is_deaf());
        // What has come and was not taken stays with the library for as long as the connection lives.
        let last = self.http2.stream.as_mut().map(|stream| stream.poll(Waker::noop(), &mut self.parser));
        let keeps = exchange.reuse && !is_deaf && !matches!(last, Some(Poll::Ready(Err(_))));
        self.stream_closed(outcome, keeps, exchange, recorder);
    }

    fn cannot_send(&mut self, why: Unsendable, exchange: &Exchange, recorder: &mut Recorder) -> Interest {
        recorder.note(Outcome::BadStudy, &mut |note| {
            say(note, format_args!("the request cannot be sent over HTTP/2: {}", why.0));
        });
        self.stream_closed(Outcome::BadStudy, true, exchange, recorder)
    }

    fn where_the_stream_stood(&self, note: &mut Note) {
        let Some(stream) = &self.http2.stream else { return };
        match () {
            () if self.parser.status() != 0 => {
                let (status, bytes) = (self.parser.status(), self.parser.body_bytes());
                say(note, format_args!("status {status} and {bytes} bytes of the body had come"));
            }
            () if !stream.mux.is_open() => say(note, format_args!("there was no connection")),
            () if !stream.may_have_left() => say(note, format_args!("the request waited to be sent")),
            () if stream.mux.received() == 0 => {
                say(note, format_args!("the request was sent, no byte of HTTP/2 had come on the connection"));
            }
            () => say(note, format_args!("the request was sent, no byte of an answer had come")),
        }
    }
}

/// What an error of the library means; `has_begun`: the head of the answer had come.
fn of(error: &h2::Error, mux: &Mux, has_begun: bool) -> Outcome {
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

/// Says what broke, in one sentence that ends where the next begins.
fn explain(error: &h2::Error, mux: &Mux, note: &mut Note) {
    let reason = error.reason().unwrap_or(Reason::NO_ERROR);
    if let Some(chosen) = mux.disagreed() {
        note.add(b"the server does not speak HTTP/2: by ALPN it chose ");
        if chosen.is_empty() {
            note.add(b"nothing")
        } else {
            show(note, chosen.as_bytes())
        }
        return note.add(b"; write `version: 1.1`; ");
    }
    if mux.is_flooded() {
        return note.add(b"the server sends frames without end that bring nothing (PING, SETTINGS, WINDOW_UPDATE, heads of no exchange \xe2\x80\xa6); the connection was closed; ");
    }
    if mux.begins_as_http1() {
        return note.add(b"the server does not speak HTTP/2: it answers as HTTP/1; write `version: 1.1`; ");
    }
    match () {
        // The library does not tell the two apart.
        () if error.is_library() && error.is_reset() => {
            say(note, format_args!("the answer breaks the rules of HTTP/2, or its head is over 64 KiB ({reason:?}): "))
        }
        () if error.is_library() => say(note, format_args!("the answer is not HTTP/2 ({reason:?}): ")),
        () if error.is_reset() => say(note, format_args!("the server reset the stream ({reason:?}): ")),
        () if error.is_go_away() => {
            say(note, format_args!("the server closes the connection and did not take the request ({reason:?}): "));
        }
        () => {
            match mux.trouble().as_deref() {
                Some(Trouble::Io(error)) => say(note, format_args!("{error}: ")),
                Some(Trouble::Tls(rustls::Error::AlertReceived(rustls::AlertDescription::NoApplicationProtocol))) => {
                    note.add(b"TLS: the server does not speak HTTP/2, it knows no protocol `h2` (ALPN); write `version: 1.1`; ");
                }
                Some(Trouble::Tls(error)) => say(note, format_args!("TLS: {}: ", in_words(error))),
                None => match mux.fate().as_ref().filter(|fate| fate.is_go_away()).and_then(h2::Error::reason) {
                    Some(reason) => say(note, format_args!("the connection ended ({reason:?}): ")),
                    None => note.add(b"the server closed the connection: "),
                },
            }
        }
    }
}
