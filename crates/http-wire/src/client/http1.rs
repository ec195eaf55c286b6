//! Exchanges over HTTP/1.1: a kept connection to each address, one exchange at a time.
//!
//! Events are edge-triggered: an exchange that is not complete is left only after the socket said that it has nothing (or,
//! after a long run of readings, with a wake-up at once).

use super::failed::{Failed, LONG_IDLE, Stood, Why};
use super::host::{Counted, Host};
use super::shared::Shared;
use super::turn::{Step, Turn};
use crate::{AtEnd, Connection, Parser, Received, Trouble, outcome_of};
use contract::Interest;
use rustix::io::Errno;
use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd};
use terms::{Nanos, Outcome};

/// After this many readings in a row (1 MiB and more) other clients get their turn.
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

/// The connections of a client, and how far the exchange in hand has come on one of them.
#[derive(Debug)]
pub(super) struct Http1 {
    links: Box<[Link]>,
    /// The request in hand, where a proxy takes it in another form; empty otherwise.
    rewritten: Vec<u8>,
    /// Of the exchange in hand: where it goes.
    target: usize,
    /// Length of its request, how much of it the connection took, and whether the kernel has it all.
    length: usize,
    written: usize,
    is_sent: bool,
    /// How long the connection in use had stood still since the exchange before this one; `None` for a new one.
    idle: Option<Nanos>,
    /// Why sending broke off, while there may still be an answer to read.
    broken: Option<Trouble>,
    /// Where in the thread's buffer the bytes are that came after the answer.
    surplus: Range<usize>,
}

impl Http1 {
    pub(super) fn new(targets: usize) -> Self {
        Self {
            links: (0..targets).map(|_| Link::default()).collect(),
            rewritten: Vec::new(),
            target: 0,
            length: 0,
            written: 0,
            is_sent: false,
            idle: None,
            broken: None,
            surplus: 0..0,
        }
    }

    /// Begins an exchange; `from` is when, for telling how long its connection stood still.
    pub(super) fn begin(&mut self, turn: &mut Turn<'_>, from: Nanos) -> Step {
        self.target = turn.call.target;
        self.length = turn.call.request.len();
        // What was written for a proxy is of the exchange before, and of nobody else.
        self.rewritten.clear();
        if let Some(proxy) = &turn.shared.targets[self.target].proxy
            && proxy.rewrite(turn.call.request, &mut self.rewritten)
        {
            self.length = self.rewritten.len();
        }
        (self.written, self.is_sent, self.idle) = (0, false, None);
        (self.broken, self.surplus) = (None, 0..0);
        self.look_at_kept(turn.shared, turn.host);
        let link = &mut self.links[self.target];
        match &mut link.connection {
            Some(connection) => {
                self.idle = Some(from - link.idle_since);
                connection.begin();
                turn.host.started();
            }
            None => {
                if let Err(trouble) = self.connect(turn) {
                    return self.give_up(trouble, turn);
                }
            }
        }
        self.send(turn)
    }

    /// Goes on after an event.
    pub(super) fn ready(&mut self, turn: &mut Turn<'_>) -> Step {
        if !self.is_sent && self.broken.is_none() {
            let step = self.send(turn);
            if !matches!(step, Step::Waiting(_)) || !self.is_open() {
                return step;
            }
        }
        self.receive(turn)
    }

    /// The exchange in hand is over; its connection stays if it `may` and can. Whether it stays.
    pub(super) fn finish(&mut self, may: bool, parser: &Parser, shared: &Shared, host: &mut dyn Host) -> bool {
        let target = &shared.targets[self.target];
        let mut stays = may && parser.is_persistent() && self.broken.is_none() && self.is_all_out();
        if !self.surplus.is_empty() {
            // Whatever follows an answer, the connection is not to be trusted with another request.
            host.count(Counted::Surplus);
            target.distrust(self.surplus.len());
            stays = false;
        }
        stays &= target.is_trusted();
        let link = &mut self.links[self.target];
        if stays {
            let now = host.now();
            link.idle_since = now;
            link.until = target.keeps_for(parser.keeps_for()).map(|time| now + time);
        } else {
            link.connection = None;
        }
        self.broken = None;
        stays
    }

    /// Gives the connection away, with what came on it after the answer.
    pub(super) fn take(&mut self, shared: &Shared) -> Option<(Connection, Vec<u8>)> {
        let rest = shared.buffer.borrow()[self.surplus.clone()].to_vec();
        Some((self.links[self.target].connection.take()?, rest))
    }

    /// Drops a kept connection that cannot be used, before anything is sent on it: one that was closed, that the server
    /// is about to close, or on which something came that nobody asked for.
    ///
    /// The look costs a system call for each exchange. Without it, an answer that nobody asked for is taken for that of
    /// the next request: what is there before its first byte is sent cannot be its answer, and afterwards nobody can
    /// tell the two apart.
    fn look_at_kept(&mut self, shared: &Shared, host: &mut dyn Host) {
        let link = &mut self.links[self.target];
        if link.connection.is_none() {
            return;
        }
        if link.until.is_some_and(|until| host.now() >= until) {
            link.connection = None;
            host.count(Counted::Expired);
        } else if !self.is_alive(self.target, shared, host) {
            host.count(Counted::Reconnects);
        }
    }

    /// An event between exchanges: the server closed a connection, or TLS has something to say.
    pub(super) fn tidy(&mut self, shared: &Shared, host: &mut dyn Host) {
        for target in 0..self.links.len() {
            if !self.is_alive(target, shared, host) {
                host.count(Counted::Reconnects);
            }
        }
    }

    /// Whether an idle connection can be used; one that cannot is dropped.
    fn is_alive(&mut self, target: usize, shared: &Shared, host: &mut dyn Host) -> bool {
        let link = &mut self.links[target];
        let Some(connection) = &mut link.connection else { return true };
        let mut buffer = shared.buffer.borrow_mut();
        match connection.receive(&mut buffer) {
            Ok(Received::Nothing) => return true,
            // How a server may say that it closes an idle connection (RFC 9110, section 15.5.9).
            Ok(Received::Bytes(count)) if is_request_timeout(&buffer[..count]) => {}
            Ok(Received::Bytes(count)) => {
                host.count(Counted::Unasked);
                shared.targets[target].distrust(count);
            }
            Ok(Received::End { .. }) | Err(_) => {}
        }
        link.connection = None;
        false
    }

    /// Asks for a new connection and has it watched.
    fn connect(&mut self, turn: &mut Turn<'_>) -> Result<(), Trouble> {
        let connection = turn.connect()?;
        self.links[self.target].connection = Some(connection);
        Ok(())
    }

    /// Sends what the kernel takes.
    fn send(&mut self, turn: &mut Turn<'_>) -> Step {
        loop {
            let Some(connection) = &mut self.links[self.target].connection else { return lost() };
            let request = if self.rewritten.is_empty() { turn.call.request } else { &self.rewritten };
            let trouble = match connection.send(request, &mut self.written) {
                Ok(is_sent) => {
                    self.is_sent = is_sent;
                    return Step::Waiting(Interest::Io { read: true, write: !is_sent });
                }
                Err(trouble) => trouble,
            };
            if self.idle.is_some() && !connection.has_sent() {
                // Not a byte left this machine, so going over a new connection is not a second try.
                self.links[self.target].connection = None;
                (self.idle, self.written) = (None, 0);
                turn.host.count(Counted::Reconnects);
                if let Err(trouble) = self.connect(turn) {
                    return self.give_up(trouble, turn);
                }
                continue;
            }
            if connection.is_open() && matches!(trouble, Trouble::Io(_)) {
                // A server that refuses a large request answers and closes before it has read it all.
                self.broken = Some(trouble);
                return self.receive(turn);
            }
            return self.give_up(trouble, turn);
        }
    }

    /// Reads until the answer is complete or the socket has no more.
    fn receive(&mut self, turn: &mut Turn<'_>) -> Step {
        for _ in 0..READINGS_MAX {
            let mut buffer = turn.shared.buffer.borrow_mut();
            let Some(connection) = &mut self.links[self.target].connection else { return lost() };
            match connection.receive(&mut buffer) {
                Ok(Received::Bytes(count)) => match turn.parser.feed(&buffer[..count]) {
                    Ok(used) if turn.parser.is_done() => {
                        self.surplus = used..count;
                        return Step::Answered;
                    }
                    Ok(_) => {}
                    Err(why) => return Step::Failed(Failed::malformed(why, &buffer[..count])),
                },
                Ok(Received::Nothing) => {
                    drop(buffer);
                    if let Some(step) = self.nothing_more(turn) {
                        return step;
                    }
                }
                Ok(Received::End { is_clean }) => {
                    drop(buffer);
                    return self.ended(is_clean, turn);
                }
                Err(trouble) => {
                    drop(buffer);
                    return self.give_up(trouble, turn);
                }
            }
        }
        // The edge is used up while there is more to read: come back by clock, not by event.
        Step::Waiting(Interest::WakeAt(turn.host.now()))
    }

    /// The socket has no more. `None` when there is still something to do: TLS may now take the request.
    fn nothing_more(&mut self, turn: &mut Turn<'_>) -> Option<Step> {
        if let Some(trouble) = self.broken.take() {
            return Some(self.give_up(trouble, turn));
        }
        if self.is_sent {
            return Some(Step::Waiting(Interest::Io { read: true, write: false }));
        }
        let before = self.written;
        let step = self.send(turn);
        let goes_on = matches!(step, Step::Waiting(_)) && self.broken.is_none() && self.written > before;
        (!goes_on).then_some(step)
    }

    /// The server closed the connection.
    fn ended(&mut self, is_clean: bool, turn: &mut Turn<'_>) -> Step {
        let outcome = match turn.parser.at_end() {
            // TLS that is cut off could have been cut by anyone: the answer may not be whole.
            AtEnd::Complete if is_clean => return Step::Answered,
            AtEnd::NothingCame if self.may_be_sent_again(turn) => return self.send_again(turn),
            AtEnd::NothingCame => Outcome::Reset,
            AtEnd::Complete | AtEnd::Partial => Outcome::Partial,
        };
        self.failed(outcome, Why::Closed, turn.parser)
    }

    /// The connection cannot go on.
    fn give_up(&mut self, trouble: Trouble, turn: &mut Turn<'_>) -> Step {
        if is_closing(&trouble) && self.may_be_sent_again(turn) {
            return self.send_again(turn);
        }
        let outcome = outcome_of(&trouble, self.is_open(), turn.parser.has_begun());
        let why = match (trouble, &turn.shared.targets[self.target].proxy) {
            (Trouble::Io(error), Some(proxy)) if !self.is_open() => {
                Why::Said(format!("the proxy {}: {error}: ", proxy.shown()))
            }
            (trouble, _) => Why::Trouble(trouble),
        };
        self.failed(outcome, why, turn.parser)
    }

    /// Whether the request in hand is one that a client sends again by itself (RFC 9112, section 9.3.1): its connection
    /// served another exchange before, stood idle so long that the server may have closed it for that, and ended before a
    /// byte of the answer. One that was busy a moment ago ended for another reason, which the load may be.
    fn may_be_sent_again(&self, turn: &Turn<'_>) -> bool {
        turn.call.retry && self.idle.is_some_and(|idle| idle >= LONG_IDLE) && !turn.parser.has_begun()
    }

    /// Sends the whole request once more, on a new connection. That is not a kept one, so there is no third time.
    fn send_again(&mut self, turn: &mut Turn<'_>) -> Step {
        turn.host.count(Counted::IdleRetries);
        turn.shared.targets[self.target].tell_retry();
        self.links[self.target].connection = None;
        (self.idle, self.broken) = (None, None);
        (self.written, self.is_sent) = (0, false);
        match self.connect(turn) {
            Ok(()) => self.send(turn),
            Err(trouble) => self.give_up(trouble, turn),
        }
    }

    fn failed(&self, outcome: Outcome, why: Why, parser: &Parser) -> Step {
        Step::Failed(Failed::new(outcome, why, self.stood(parser)).after_idle(self.idle, false))
    }

    /// How far the exchange in hand has come.
    pub(super) fn stood(&self, parser: &Parser) -> Stood {
        let is_greeting = self.connection().is_some_and(Connection::is_greeting);
        match () {
            () if parser.status() != 0 => Stood::Body { status: parser.status(), bytes: parser.body_bytes() },
            () if parser.has_begun() => Stood::Head,
            () if self.is_all_out() => Stood::Sent,
            () if !self.is_open() => Stood::Nowhere,
            () if self.connection().is_some_and(Connection::is_tunnelling) => Stood::Tunnelling,
            () if is_greeting => Stood::Greeting,
            () => Stood::Sending(self.written),
        }
    }

    /// Whether a byte of the request in hand is with the kernel. During the handshake of TLS it waits in a buffer of ours.
    pub(super) fn has_left(&self) -> bool {
        let is_out = |it: &Connection| it.has_sent() && (!it.is_tls() || it.protocol().is_some());
        self.written > 0 && self.connection().is_some_and(is_out)
    }

    pub(super) fn keeps(&self, target: usize) -> bool {
        self.links.get(target).is_some_and(|link| link.connection.is_some())
    }

    pub(super) fn surplus(&self) -> usize {
        self.surplus.len()
    }

    /// The certificate that the server of the exchange in hand has shown.
    pub(super) fn certificate(&self) -> Option<&[u8]> {
        self.connection()?.certificate()
    }

    /// The socket of the exchange in hand.
    pub(super) fn socket(&self) -> Option<BorrowedFd<'_>> {
        self.connection().map(AsFd::as_fd)
    }

    fn connection(&self) -> Option<&Connection> {
        self.links.get(self.target)?.connection.as_ref()
    }

    fn is_open(&self) -> bool {
        self.connection().is_some_and(Connection::is_open)
    }

    /// Whether the kernel has the whole request. TLS may have handed over the rest while it read.
    fn is_all_out(&self) -> bool {
        self.is_sent || (self.written == self.length && self.connection().is_some_and(Connection::has_nothing_left))
    }
}

/// A client that has lost its connection within a call is a defect of ours; it ends the exchange, and says so.
fn lost() -> Step {
    Step::Failed(Failed::plainly(Outcome::NoResource, Why::Said("the connection was let go".to_owned())))
}

/// Whether the other side has closed the connection, rather than that this one cannot go on.
fn is_closing(trouble: &Trouble) -> bool {
    let Trouble::Io(error) = trouble else { return false };
    matches!(error.raw_os_error().map(Errno::from_raw_os_error), Some(Errno::CONNRESET | Errno::PIPE))
}

fn is_request_timeout(bytes: &[u8]) -> bool {
    bytes.strip_prefix(b"HTTP/1.").and_then(|rest| rest.get(1..5)) == Some(b" 408")
}
