//! One exchange as a client is asked for it, and how far it has come.

use super::failed::Failed;
use super::host::{Counted, Host};
use super::shared::Shared;
use crate::http2::Http2;
use crate::{Connection, Expecting, Parser, Trouble};
use contract::Interest;
use std::os::fd::AsFd;

/// What is asked, where and how. The same in each call of one exchange.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// Where it goes: index among the targets of [`Shared`].
    pub target: usize,
    /// The whole request as HTTP/1.1 has it, whatever it goes over.
    pub request: &'a [u8],
    /// What it needs to go over HTTP/2; `None` for HTTP/1.1.
    pub http2: Option<&'a Http2>,
    /// What to read of its answer.
    pub expecting: Expecting,
    /// Whether its connection may serve another exchange.
    pub reuse: bool,
    /// Whether it may be sent once more when a connection that served others before ends before a byte of the answer:
    /// the method allows it (RFC 9110, section 9.2.2), and the study does not forbid it.
    pub retry: bool,
}

/// How far an exchange has come.
#[derive(Debug)]
pub enum Step {
    /// It goes on when this has happened.
    Waiting(Interest),
    /// The answer is complete.
    Answered,
    /// There is none, and there will be none.
    Failed(Failed),
}

/// One call of a client, with everything that it needs.
pub(super) struct Turn<'a> {
    pub(super) call: &'a Call<'a>,
    pub(super) parser: &'a mut Parser,
    pub(super) shared: &'a Shared,
    pub(super) host: &'a mut dyn Host,
}

impl Turn<'_> {
    /// Asks for a new connection and has it watched.
    pub(super) fn connect(&mut self) -> Result<Connection, Trouble> {
        self.host.count(Counted::Connects);
        self.host.started();
        let connection = self.shared.targets[self.call.target].connect()?;
        if self.host.attach(connection.as_fd()).is_err() {
            // Only a lack of descriptors or memory for the watching can be the reason.
            return Err(Trouble::Io(rustix::io::Errno::MFILE.into()));
        }
        Ok(connection)
    }
}
