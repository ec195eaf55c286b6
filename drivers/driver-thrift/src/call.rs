//! One call over one connection, step by step as its socket is ready.

use crate::protocol::Protocol;
use crate::reply::{Method, Reply};
use crate::wire::Unread;
use http_wire::{Connection, Received, TlsTarget, Trouble, outcome_of};
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd};
use terms::Outcome;

/// A reply longer than that is none of a receiver of events.
const REPLY_BYTES_MAX: usize = 4 << 20;

/// Somewhere, found.
pub(crate) struct Found {
    pub(crate) protocol: Protocol,
    pub(crate) address: SocketAddr,
    pub(crate) tls: Option<TlsTarget>,
}

/// What a call waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waits {
    /// Until its connection takes more of it, or is made.
    ToWrite,
    ToRead,
}

/// Why a connection is good for nothing more.
#[derive(Debug)]
pub(crate) struct Broken {
    pub(crate) outcome: Outcome,
    pub(crate) why: String,
}

/// A connection with the call on it.
pub(crate) struct Line {
    connection: Connection,
    protocol: Protocol,
    number: i32,
    method: Method,
    written: usize,
    /// What has come of the reply.
    answer: Vec<u8>,
}

impl Line {
    /// Asks for a connection; does not wait for it.
    pub(crate) fn open(to: &Found) -> Result<Self, Broken> {
        let connection = Connection::connect(to.address, to.tls.as_ref(), None);
        let connection = connection.map_err(|trouble| broken(&trouble, false, false))?;
        let (protocol, method, answer) = (to.protocol, Method::Connect, Vec::new());
        Ok(Self { connection, protocol, number: 0, method, written: 0, answer })
    }

    /// What is spoken on it.
    pub(crate) fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// The next call begins; its number.
    pub(crate) fn begin(&mut self, method: Method) -> i32 {
        self.connection.begin();
        self.number = self.number.wrapping_add(1);
        (self.method, self.written) = (method, 0);
        self.answer.clear();
        self.number
    }

    /// Goes on as far as it can: the reply, or what is waited for.
    ///
    /// # Errors
    /// The connection broke, or what came is not the protocol.
    pub(crate) fn go_on(&mut self, call: &[u8], buffer: &mut [u8]) -> Result<Result<Reply, Waits>, Broken> {
        let has_begun = !self.answer.is_empty();
        let (is_open, greets) = (self.connection.is_open(), self.connection.is_greeting());
        let sent = self.connection.send(call, &mut self.written);
        let sent = sent.map_err(|trouble| broken(&trouble, is_open, has_begun))?;
        if !sent && !greets {
            return Ok(Err(Waits::ToWrite));
        }
        loop {
            let is_open = self.connection.is_open();
            let received = self.connection.receive(buffer);
            match received.map_err(|trouble| broken(&trouble, is_open, !self.answer.is_empty()))? {
                Received::Bytes(count) => {
                    self.answer.extend_from_slice(&buffer[..count]);
                    match self.protocol.read(&self.answer, self.method, self.number) {
                        Ok((reply, length)) if length == self.answer.len() => return Ok(Ok(reply)),
                        Ok(_) => return Err(fault("more came than the reply to the call".into())),
                        Err(Unread::More) if self.answer.len() <= REPLY_BYTES_MAX => {}
                        Err(Unread::More) => {
                            return Err(fault(format!("its reply has more than {REPLY_BYTES_MAX} bytes")));
                        }
                        Err(Unread::Malformed(why)) => {
                            let start: String =
                                self.answer.iter().take(24).map(|byte| byte.escape_ascii().to_string()).collect();
                            let protocol = self.protocol.name();
                            return Err(fault(format!(
                                "its reply is not {protocol}: {why} (it begins with `{start}`)"
                            )));
                        }
                    }
                }
                Received::Nothing if self.connection.has_nothing_left() && self.written == call.len() => {
                    return Ok(Err(Waits::ToRead));
                }
                Received::Nothing => {
                    // What the handshake held back can go out now, or has to wait for room.
                    let sent = self.connection.send(call, &mut self.written);
                    let sent = sent.map_err(|trouble| broken(&trouble, is_open, false))?;
                    let waits = if sent || self.connection.is_greeting() { Waits::ToRead } else { Waits::ToWrite };
                    return Ok(Err(waits));
                }
                Received::End { .. } => {
                    let outcome = if self.answer.is_empty() { Outcome::Reset } else { Outcome::Partial };
                    return Err(Broken { outcome, why: "the receiver closed the connection before its reply".into() });
                }
            }
        }
    }

    /// Whether nothing has come of itself, and the connection stands.
    pub(crate) fn is_quiet(&mut self, buffer: &mut [u8]) -> bool {
        matches!(self.connection.receive(buffer), Ok(Received::Nothing))
    }

    /// Whether the handshake of TLS has not come to its end.
    pub(crate) fn is_greeting(&self) -> bool {
        self.connection.is_greeting()
    }

    /// Where a call stands that is cut off.
    pub(crate) fn stood(&self, call: &[u8]) -> &'static str {
        match () {
            () if !self.connection.is_open() => "the connection was not made in time",
            () if self.written < call.len() => "the receiver did not take all of the call in time",
            () if self.answer.is_empty() => "the receiver did not reply in time",
            () => "the reply did not end in time",
        }
    }
}

impl AsFd for Line {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.connection.as_fd()
    }
}

fn fault(why: String) -> Broken {
    Broken { outcome: Outcome::Fault, why }
}

fn broken(trouble: &Trouble, is_open: bool, has_begun: bool) -> Broken {
    let why = match trouble {
        Trouble::Io(error) => error.to_string(),
        Trouble::Tls(error) => http_wire::in_words(error),
        Trouble::Proxy(text) => text.clone(),
    };
    Broken { outcome: outcome_of(trouble, is_open, has_begun), why }
}
