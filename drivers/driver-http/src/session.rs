//! One slot: a connection to each address, one exchange at a time.
//!
//! `begin` renders and sends, `ready` sends what is left and reads until the socket has no more, and every way out of an
//! exchange goes through [`HttpSession::close`] once. Events are edge-triggered: an exchange that is not complete is left
//! only after the socket said that it has nothing (or, after a long run of readings, with a wake-up at once).

mod http2;
mod outcome;

use crate::config::Exchange;
use crate::driver::{
    COUNT_CONNECTS, COUNT_EXPIRED, COUNT_IDLE_RESETS, COUNT_RECONNECTS, COUNT_SURPLUS, COUNT_UNASKED, Common,
};
use crate::job::part::{ADDRESS, Told};
use crate::request::Unrenderable;
use contract::{Cancel, Interest, Recorder, Session, Task};
use http_wire::{AtEnd, Connection, Expecting, Malformed, Parser, Received, Trouble, in_words, outcome_of, say, show};
use std::os::fd::AsFd;
use std::rc::Rc;
use terms::{Nanos, Outcome};

/// A connection that stood still for so long may have been closed for that; no common server closes one sooner.
const LONG_IDLE: Nanos = Nanos::from_millis(500);
/// After this many readings in a row (1 MiB and more) other sessions get their turn.
const READINGS_MAX: u32 = 16;

/// The connection to one address.
#[derive(Debug, Default)]
struct Link {
    connection: Option<Connection>,
    /// When the last answer on it was complete.
    idle_since: Nanos,
    /// Until when it may be used again, if the server said so.
    until: Option<Nanos>,
}

/// How a part of a longer exchange ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) outcome: Outcome,
    /// Of the answer's body.
    pub(crate) bytes: u64,
    pub(crate) told: Told,
}

/// A session.
pub(crate) struct HttpSession {
    common: Rc<Common>,
    /// Number of its slot in this thread.
    slot: u32,
    /// What goes over HTTP/2.
    http2: http2::Streams,
    links: Box<[Link]>,
    task: Option<Task>,
    /// Index of the exchange in hand: the study's own number of it, or that of a job's part.
    index: usize,
    /// Whether the exchange in hand is part of a longer one: how it ends is then told to whoever began it.
    is_part: bool,
    ended: Option<Ended>,
    /// What the answer of a part told.
    told: Told,
    parser: Parser,
    /// The request in hand; empty when it is the same every time, since it is then sent from where it lies.
    request: Vec<u8>,
    written: usize,
    is_sent: bool,
    /// How long the connection in use had stood still since the exchange before this one; `None` for a new one.
    idle: Option<Nanos>,
    /// Why sending broke off, while there may still be an answer to read.
    broken: Option<Trouble>,
}

impl HttpSession {
    pub(crate) fn new(common: Rc<Common>, slot: u32) -> Self {
        let links = common.targets.iter().map(|_| Link::default()).collect();
        Self {
            common,
            slot,
            http2: http2::Streams::default(),
            links,
            task: None,
            index: 0,
            is_part: false,
            ended: None,
            told: Told::Nothing,
            parser: Parser::new(),
            request: Vec::new(),
            written: 0,
            is_sent: false,
            idle: None,
            broken: None,
        }
    }
}

impl Session for HttpSession {
    fn begin(&mut self, task: &Task, recorder: &mut Recorder) -> Interest {
        self.is_part = false;
        self.begin_at(task, usize::from(task.exchange), &[], task.intended, recorder)
    }

    fn ready(&mut self, recorder: &mut Recorder) -> Interest {
        if self.http2.is_concerned()
            && let Some(interest) = self.stream_ready(recorder)
        {
            return interest;
        }
        let common = self.common.clone();
        if self.task.is_none() {
            return self.tidy(recorder);
        }
        let Some(exchange) = common.exchanges.get(self.index).and_then(Option::as_ref) else {
            return Interest::Idle;
        };
        if !self.is_sent && self.broken.is_none() {
            let interest = self.send(exchange, recorder);
            let is_open =
                self.links[exchange.endpoint].connection.as_ref().is_some_and(|connection| connection.is_open());
            if self.task.is_none() || !is_open {
                return interest;
            }
        }
        self.receive(exchange, recorder)
    }

    fn cancel(&mut self, why: Cancel, recorder: &mut Recorder) {
        let common = self.common.clone();
        let Some(exchange) = self.task.and_then(|_| common.exchanges.get(self.index).and_then(Option::as_ref)) else {
            return;
        };
        if self.http2.is_in_hand() {
            return self.cancel_stream(why, exchange, recorder);
        }
        if why == Cancel::Deadline {
            recorder.note(Outcome::Timeout, &mut |note| self.where_it_stood(exchange, note));
        }
        let outcome = if why == Cancel::Deadline { Outcome::Timeout } else { Outcome::Aborted };
        self.close(outcome, false, exchange, recorder);
    }
}

impl HttpSession {
    /// Begins a part of a longer exchange. `address` is what the part's request line asks for, where it varies. Its end
    /// is not in the books: [`HttpSession::take_end`] tells it.
    pub(crate) fn begin_part(
        &mut self,
        task: &Task,
        index: usize,
        address: &[u8],
        recorder: &mut Recorder,
    ) -> Interest {
        (self.is_part, self.ended, self.told) = (true, None, Told::Nothing);
        let now = recorder.now();
        self.begin_at(task, index, address, now, recorder)
    }

    /// How the part in hand ended, once it has.
    pub(crate) fn take_end(&mut self) -> Option<Ended> {
        self.ended.take()
    }

    /// Begins an exchange; `from` is when, for telling whether a connection stood idle.
    fn begin_at(
        &mut self,
        task: &Task,
        index: usize,
        address: &[u8],
        from: Nanos,
        recorder: &mut Recorder,
    ) -> Interest {
        let common = self.common.clone();
        let Some(exchange) = common.exchanges.get(index).and_then(Option::as_ref) else {
            // The engine hands out only what `build` was given; a wrong number must not be silent.
            recorder.close(task, 0, Outcome::BadStudy, task.units, 0);
            return Interest::Idle;
        };
        self.task = Some(*task);
        self.index = index;
        self.written = 0;
        self.is_sent = false;
        self.broken = None;
        self.parser.begin(Expecting {
            answers_head_request: exchange.is_head,
            keeps_head: exchange.needs_headers(),
            keep: exchange.keep,
        });
        if exchange.keep > 0 {
            self.parser.swap_body(&mut common.spare.take());
        }
        if exchange.request.as_fixed().is_none() {
            self.request = common.spare.take();
            let mut fill = |number: u16, into: &mut Vec<u8>| match number {
                ADDRESS => {
                    into.extend_from_slice(address);
                    true
                }
                number => recorder.render(task, number, into),
            };
            let rendered = exchange.request.render(&mut self.request, &mut common.scratch.borrow_mut(), &mut fill);
            if let Err(why) = rendered {
                return self.cannot_render(why, exchange, recorder);
            }
        }
        if let Some(http2) = &exchange.http2 {
            return self.begin_stream(http2, exchange, from, recorder);
        }
        self.look_at_idle(exchange, recorder);
        let link = &mut self.links[exchange.endpoint];
        self.idle = None;
        match &mut link.connection {
            Some(connection) => {
                self.idle = Some(from - link.idle_since);
                connection.begin();
                recorder.started(task);
            }
            None => {
                if let Err(trouble) = self.connect(exchange, recorder) {
                    return self.give_up(trouble, exchange, recorder);
                }
            }
        }
        self.send(exchange, recorder)
    }

    /// Drops a kept connection that cannot be used, before anything is sent on it: one that was closed, that the server
    /// is about to close, or on which something came that nobody asked for.
    ///
    /// The look costs a system call for each exchange. Without it, an answer that nobody asked for is taken for that of
    /// the next request: what is there before its first byte is sent cannot be its answer, and afterwards nobody can
    /// tell the two apart.
    fn look_at_idle(&mut self, exchange: &Exchange, recorder: &mut Recorder) {
        let link = &mut self.links[exchange.endpoint];
        if link.connection.is_none() {
            return;
        }
        if link.until.is_some_and(|until| recorder.now() >= until) {
            link.connection = None;
            recorder.count(COUNT_EXPIRED, 1);
        } else if !self.is_alive(exchange.endpoint, recorder) {
            recorder.count(COUNT_RECONNECTS, 1);
        }
    }

    /// Whether an idle connection can be used; one that cannot is dropped.
    fn is_alive(&mut self, endpoint: usize, recorder: &mut Recorder) -> bool {
        let link = &mut self.links[endpoint];
        let Some(connection) = &mut link.connection else { return true };
        let mut buffer = self.common.buffer.borrow_mut();
        match connection.receive(&mut buffer) {
            Ok(Received::Nothing) => return true,
            // How a server may say that it closes an idle connection (RFC 9110, section 15.5.9).
            Ok(Received::Bytes(count)) if is_request_timeout(&buffer[..count]) => {}
            Ok(Received::Bytes(count)) => {
                recorder.count(COUNT_UNASKED, 1);
                self.common.targets[endpoint].distrust(count);
            }
            Ok(Received::End { .. }) | Err(_) => {}
        }
        link.connection = None;
        false
    }

    /// An event between exchanges: the server closed a connection, or TLS has something to say.
    fn tidy(&mut self, recorder: &mut Recorder) -> Interest {
        for endpoint in 0..self.links.len() {
            if !self.is_alive(endpoint, recorder) {
                recorder.count(COUNT_RECONNECTS, 1);
            }
        }
        Interest::Idle
    }

    /// Asks for a new connection and has it watched.
    fn connect(&mut self, exchange: &Exchange, recorder: &mut Recorder) -> Result<(), Trouble> {
        let Some(task) = self.task else { return Ok(()) };
        let target = &self.common.targets[exchange.endpoint];
        recorder.count(COUNT_CONNECTS, 1);
        recorder.started(&task);
        let connection = target.connect()?;
        if recorder.attach(connection.as_fd()).is_err() {
            // Only a lack of descriptors or memory for the watching can be the reason.
            return Err(Trouble::Io(rustix::io::Errno::MFILE.into()));
        }
        self.links[exchange.endpoint].connection = Some(connection);
        Ok(())
    }

    /// Sends what the kernel takes.
    fn send(&mut self, exchange: &Exchange, recorder: &mut Recorder) -> Interest {
        loop {
            let request = exchange.request.as_fixed().unwrap_or(&self.request);
            let Some(connection) = &mut self.links[exchange.endpoint].connection else { return Interest::Gone };
            let trouble = match connection.send(request, &mut self.written) {
                Ok(is_sent) => {
                    self.is_sent = is_sent;
                    return Interest::Io { read: true, write: !is_sent };
                }
                Err(trouble) => trouble,
            };
            if self.idle.is_some() && !connection.has_sent() {
                // Not a byte left this machine, so going over a new connection is no second try.
                self.links[exchange.endpoint].connection = None;
                self.idle = None;
                self.written = 0;
                recorder.count(COUNT_RECONNECTS, 1);
                if let Err(trouble) = self.connect(exchange, recorder) {
                    return self.give_up(trouble, exchange, recorder);
                }
                continue;
            }
            if connection.is_open() && matches!(trouble, Trouble::Io(_)) {
                // A server that refuses a large request answers and closes before it has read it all.
                self.broken = Some(trouble);
                return self.receive(exchange, recorder);
            }
            return self.give_up(trouble, exchange, recorder);
        }
    }

    /// Reads until the answer is complete or the socket has no more.
    fn receive(&mut self, exchange: &Exchange, recorder: &mut Recorder) -> Interest {
        let common = self.common.clone();
        for _ in 0..READINGS_MAX {
            let mut buffer = common.buffer.borrow_mut();
            let Some(connection) = &mut self.links[exchange.endpoint].connection else { return Interest::Gone };
            match connection.receive(&mut buffer) {
                Ok(Received::Bytes(count)) => match self.parser.feed(&buffer[..count]) {
                    Ok(used) if self.parser.is_done() => {
                        drop(buffer);
                        return self.complete(count - used, exchange, recorder);
                    }
                    Ok(_) => {}
                    Err(why) => {
                        recorder.note(Outcome::Fault, &mut |note| malformed(note, why, &buffer[..count]));
                        drop(buffer);
                        return self.close(Outcome::Fault, false, exchange, recorder);
                    }
                },
                Ok(Received::Nothing) => {
                    drop(buffer);
                    match self.nothing_more(exchange, recorder) {
                        Some(interest) => return interest,
                        None => continue,
                    }
                }
                Ok(Received::End { is_clean }) => {
                    drop(buffer);
                    return self.ended(is_clean, exchange, recorder);
                }
                Err(trouble) => {
                    drop(buffer);
                    return self.give_up(trouble, exchange, recorder);
                }
            }
        }
        // The edge is used up while there is more to read: come back by clock, not by event.
        Interest::WakeAt(recorder.now())
    }

    /// The socket has no more. `None` when there is still something to do: TLS may now take the request.
    fn nothing_more(&mut self, exchange: &Exchange, recorder: &mut Recorder) -> Option<Interest> {
        if let Some(trouble) = self.broken.take() {
            return Some(self.give_up(trouble, exchange, recorder));
        }
        if self.is_sent {
            return Some(Interest::Io { read: true, write: false });
        }
        let before = self.written;
        let interest = self.send(exchange, recorder);
        let goes_on = self.task.is_some() && self.broken.is_none() && self.written > before;
        (!goes_on).then_some(interest)
    }

    /// The answer is complete, with `surplus` bytes after it in what was read.
    fn complete(&mut self, surplus: usize, exchange: &Exchange, recorder: &mut Recorder) -> Interest {
        let outcome = self.judged(exchange, recorder);
        let target = &self.common.targets[exchange.endpoint];
        let mut can_reuse = exchange.reuse
            && self.parser.is_persistent()
            && self.broken.is_none()
            && self.is_all_out(exchange)
            && target.is_trusted();
        if surplus > 0 {
            recorder.count(COUNT_SURPLUS, 1);
            target.distrust(surplus);
            recorder.note(outcome, &mut |note| {
                say(note, format_args!("{surplus} bytes came after the answer; the connection is not used again"));
            });
            can_reuse = false;
        }
        if can_reuse {
            let now = recorder.now();
            let link = &mut self.links[exchange.endpoint];
            link.idle_since = now;
            link.until = self.parser.keeps_for().map(|time| now + time);
        }
        self.close(outcome, can_reuse, exchange, recorder)
    }

    /// Whether the complete answer is right; shows it to whoever looks.
    fn judged(&mut self, exchange: &Exchange, recorder: &mut Recorder) -> Outcome {
        let outcome = outcome::judge(&self.parser, exchange, &self.task, &mut self.told, recorder);
        if outcome == Outcome::Ok && recorder.is_looking() {
            let (status, bytes) = (self.parser.status(), self.parser.body_bytes());
            recorder.note(outcome, &mut |note| {
                say(note, format_args!("status {status}, {bytes} bytes:"));
                show(note, self.parser.body());
            });
        }
        outcome
    }

    /// Whether the kernel has the whole request. TLS may have handed over the rest while it read.
    fn is_all_out(&self, exchange: &Exchange) -> bool {
        let length = exchange.request.as_fixed().map_or(self.request.len(), <[u8]>::len);
        let connection = self.links[exchange.endpoint].connection.as_ref();
        self.is_sent || (self.written == length && connection.is_some_and(Connection::has_nothing_left))
    }

    /// The server closed the connection.
    fn ended(&mut self, is_clean: bool, exchange: &Exchange, recorder: &mut Recorder) -> Interest {
        let outcome = match self.parser.at_end() {
            // TLS that is cut off could have been cut by anyone: the answer may not be whole.
            AtEnd::Complete if is_clean => return self.complete(0, exchange, recorder),
            AtEnd::NothingCame => Outcome::Reset,
            AtEnd::Complete | AtEnd::Partial => Outcome::Partial,
        };
        self.count_idle_reset(outcome, recorder);
        recorder.note(outcome, &mut |note| {
            say(note, format_args!("the server closed the connection: "));
            self.where_it_stood(exchange, note);
            self.why_reset(outcome, note);
        });
        self.close(outcome, false, exchange, recorder)
    }

    /// The connection cannot go on.
    fn give_up(&mut self, trouble: Trouble, exchange: &Exchange, recorder: &mut Recorder) -> Interest {
        let is_open = self.links[exchange.endpoint].connection.as_ref().is_some_and(|connection| connection.is_open());
        let outcome = outcome_of(&trouble, is_open, self.parser.has_begun());
        self.count_idle_reset(outcome, recorder);
        recorder.note(outcome, &mut |note| {
            match &trouble {
                Trouble::Io(error) => say(note, format_args!("{error}: ")),
                Trouble::Tls(error) => say(note, format_args!("TLS: {}: ", in_words(error))),
            }
            self.where_it_stood(exchange, note);
            self.why_reset(outcome, note);
        });
        self.close(outcome, false, exchange, recorder)
    }

    /// How long the connection had stood still, where it was reset and that may be why.
    fn idle_before_reset(&self, outcome: Outcome) -> Option<Nanos> {
        self.idle.filter(|idle| outcome == Outcome::Reset && *idle >= LONG_IDLE)
    }

    fn count_idle_reset(&self, outcome: Outcome, recorder: &mut Recorder) {
        if self.idle_before_reset(outcome).is_some() {
            recorder.count(COUNT_IDLE_RESETS, 1);
        }
    }

    fn why_reset(&self, outcome: Outcome, note: &mut contract::Note) {
        let Some(idle) = self.idle_before_reset(outcome) else { return };
        let seconds = idle.as_secs_f64();
        // Over HTTP/2 there is no such header: a server says nothing of how long it keeps a connection.
        let have_it = match self.http2.is_in_hand() {
            true => "keep one for longer than the load leaves it idle",
            false => "say how long it keeps one (`Keep-Alive: timeout=…`)",
        };
        say(
            note,
            format_args!(
                "; the connection had been idle for {seconds:.1} s, and the server seems to have closed it for that at \
                 the same moment: have it {have_it}, or write `connection: {{ reuse: false }}`"
            ),
        );
    }

    fn cannot_render(&mut self, why: Unrenderable, exchange: &Exchange, recorder: &mut Recorder) -> Interest {
        recorder.note(Outcome::BadStudy, &mut |note| {
            note.add(match why {
                Unrenderable::NoValue => b"a value that the request needs was never captured".as_slice(),
                Unrenderable::ControlInHeader => b"a header's value would hold a line break or control character",
            });
        });
        self.close(Outcome::BadStudy, true, exchange, recorder)
    }

    /// Ends the exchange in hand, the one way out.
    fn close(&mut self, outcome: Outcome, keeps: bool, exchange: &Exchange, recorder: &mut Recorder) -> Interest {
        let Some(task) = self.task.take() else { return Interest::Idle };
        if outcome != Outcome::Ok {
            exchange.compiled.capture_slots().for_each(|slot| recorder.capture(slot, None));
        }
        let bytes = self.parser.body_bytes();
        if self.is_part {
            self.ended = Some(Ended { outcome, bytes, told: std::mem::take(&mut self.told) });
        } else {
            recorder.close(&task, 0, outcome, task.units, bytes);
        }
        self.broken = None;
        if self.request.capacity() > 0 {
            self.common.spare.give(std::mem::take(&mut self.request));
        }
        if exchange.keep > 0 {
            let mut body = Vec::new();
            self.parser.swap_body(&mut body);
            self.common.spare.give(body);
        }
        if keeps {
            return Interest::Idle;
        }
        self.links[exchange.endpoint].connection = None;
        Interest::Gone
    }

    fn where_it_stood(&self, exchange: &Exchange, note: &mut contract::Note) {
        let is_open = self.links[exchange.endpoint].connection.as_ref().is_some_and(|connection| connection.is_open());
        match () {
            () if self.parser.status() != 0 => {
                let (status, bytes) = (self.parser.status(), self.parser.body_bytes());
                say(note, format_args!("status {status} and {bytes} bytes of the body had come"));
            }
            () if self.parser.has_begun() => say(note, format_args!("part of the answer's head had come")),
            () if self.is_all_out(exchange) => {
                say(note, format_args!("the request was sent, no byte of an answer had come"))
            }
            () if self.is_greeting(exchange) => {
                say(note, format_args!("the handshake of TLS was not finished, so nothing of the request was sent"));
            }
            () if is_open => say(note, format_args!("{} bytes of the request were sent", self.written)),
            () => say(note, format_args!("there was no connection")),
        }
    }
}

impl HttpSession {
    fn is_greeting(&self, exchange: &Exchange) -> bool {
        self.links[exchange.endpoint].connection.as_ref().is_some_and(Connection::is_greeting)
    }
}

fn is_request_timeout(bytes: &[u8]) -> bool {
    bytes.strip_prefix(b"HTTP/1.").and_then(|rest| rest.get(1..5)) == Some(b" 408")
}

fn malformed(note: &mut contract::Note, why: Malformed, bytes: &[u8]) {
    // The beginning of an alert: the other way round a server of TLS says nothing that could be shown.
    if bytes.starts_with(&[0x15, 0x03]) {
        return say(note, format_args!("the server speaks TLS on this port: write `https://`"));
    }
    say(note, format_args!("the answer is not HTTP: {}:", why.0));
    show(note, bytes);
}
