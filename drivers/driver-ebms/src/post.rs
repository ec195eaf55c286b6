//! One HTTP exchange at a time over one kept connection: a request out, an answer in. What it means is for others.

use crate::driver::{COUNT_CONNECTS, COUNT_RECONNECTS, COUNT_SURPLUS, Common};
use contract::Recorder;
use http_wire::{AtEnd, Connection, Expecting, Parser, Received, Trouble, in_words, outcome_of};
use std::os::fd::AsFd;
use terms::Outcome;

/// An answer is kept up to this length: a synchronous reply is an envelope, perhaps with a payload.
const KEEP_BYTES: usize = crate::xml::DOCUMENT_BYTES_MAX;
/// After this many readings in a row other sessions get their turn.
const READINGS_MAX: u32 = 16;

/// A connection to one address, and the exchange in hand on it.
pub(crate) struct Post {
    endpoint: usize,
    connection: Option<Connection>,
    parser: Parser,
    request: Vec<u8>,
    written: usize,
    is_sent: bool,
    is_reused: bool,
    /// Whether a byte of the request in hand is with the kernel.
    has_begun: bool,
    /// Why sending broke off, while there may still be an answer to read.
    broken: Option<Trouble>,
}

/// How far it has come.
#[derive(Debug)]
pub(crate) enum Step {
    /// It waits for its socket.
    Waiting,
    /// There is more to read at once.
    Again,
    /// The answer is complete.
    Answered,
    /// There is none, and there will be none.
    Broke(Broke),
}

/// Why there is no answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Broke {
    pub(crate) outcome: Outcome,
    pub(crate) why: String,
}

impl Post {
    pub(crate) fn new(endpoint: usize) -> Self {
        Self {
            endpoint,
            connection: None,
            parser: Parser::new(),
            request: Vec::new(),
            written: 0,
            is_sent: false,
            is_reused: false,
            has_begun: false,
            broken: None,
        }
    }

    /// The answer.
    pub(crate) fn answer(&self) -> &Parser {
        &self.parser
    }

    pub(crate) fn endpoint(&self) -> usize {
        self.endpoint
    }

    /// Whether a byte of the request in hand has left.
    pub(crate) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Begins with a request.
    pub(crate) fn begin(&mut self, request: Vec<u8>, common: &Common, recorder: &mut Recorder) -> Step {
        self.request = request;
        (self.written, self.is_sent, self.has_begun) = (0, false, false);
        self.broken = None;
        self.parser.begin(Expecting { answers_head_request: false, keeps_head: true, keep: KEEP_BYTES });
        self.parser.swap_body(&mut common.spare.take());
        // A message costs the other side a transaction; a look whether it is still there costs one system call.
        self.look(common, recorder);
        self.is_reused = self.connection.is_some();
        match &mut self.connection {
            Some(connection) => connection.begin(),
            None => {
                if let Err(trouble) = self.connect(common, recorder) {
                    return self.broke(&trouble);
                }
            }
        }
        self.send(common, recorder)
    }

    /// Goes on after an event.
    pub(crate) fn advance(&mut self, common: &Common, recorder: &mut Recorder) -> Step {
        if !self.is_sent && self.broken.is_none() {
            let step = self.send(common, recorder);
            let is_open = self.connection.as_ref().is_some_and(Connection::is_open);
            if !matches!(step, Step::Waiting) || !is_open {
                return step;
            }
        }
        self.receive(common, recorder)
    }

    /// The exchange is over. The connection stays if `keeps` and if the other side lets it.
    pub(crate) fn finish(&mut self, keeps: bool, common: &Common) -> Vec<u8> {
        let mut body = Vec::new();
        self.parser.swap_body(&mut body);
        common.spare.give(body);
        let is_whole = self.parser.is_done() && self.parser.is_persistent() && self.is_sent && self.broken.is_none();
        if !(keeps && is_whole) {
            self.connection = None;
        }
        std::mem::take(&mut self.request)
    }

    /// Drops an idle connection that was closed, or on which something came that nobody asked for.
    pub(crate) fn look(&mut self, common: &Common, recorder: &mut Recorder) {
        let Some(connection) = &mut self.connection else { return };
        match connection.receive(&mut common.buffer.borrow_mut()) {
            Ok(Received::Nothing) => return,
            Ok(Received::Bytes(_)) => recorder.count(COUNT_SURPLUS, 1),
            Ok(Received::End { .. }) | Err(_) => {}
        }
        self.connection = None;
        recorder.count(COUNT_RECONNECTS, 1);
    }

    fn connect(&mut self, common: &Common, recorder: &mut Recorder) -> Result<(), Trouble> {
        recorder.count(COUNT_CONNECTS, 1);
        let connection = common.targets[self.endpoint].connect()?;
        if recorder.attach(connection.as_fd()).is_err() {
            // Only a lack of descriptors or memory for the watching can be the reason.
            return Err(Trouble::Io(rustix::io::Errno::MFILE.into()));
        }
        self.connection = Some(connection);
        Ok(())
    }

    fn send(&mut self, common: &Common, recorder: &mut Recorder) -> Step {
        loop {
            let Some(connection) = &mut self.connection else { return Step::Broke(lost()) };
            let sent = connection.send(&self.request, &mut self.written);
            self.has_begun |= has_begun(connection, self.written);
            let trouble = match sent {
                Ok(is_sent) => {
                    self.is_sent = is_sent;
                    return Step::Waiting;
                }
                Err(trouble) => trouble,
            };
            if self.is_reused && !connection.has_sent() {
                // Not a byte left this machine, so going over a new connection is no second sending.
                self.connection = None;
                (self.is_reused, self.written) = (false, 0);
                recorder.count(COUNT_RECONNECTS, 1);
                if let Err(trouble) = self.connect(common, recorder) {
                    return self.broke(&trouble);
                }
                continue;
            }
            if connection.is_open() && matches!(trouble, Trouble::Io(_)) {
                // Who refuses a large message may answer and close before all of it was read.
                self.broken = Some(trouble);
                return self.receive(common, recorder);
            }
            return self.broke(&trouble);
        }
    }

    fn receive(&mut self, common: &Common, recorder: &mut Recorder) -> Step {
        for _ in 0..READINGS_MAX {
            let mut buffer = common.buffer.borrow_mut();
            let Some(connection) = &mut self.connection else { return Step::Broke(lost()) };
            match connection.receive(&mut buffer) {
                Ok(Received::Bytes(count)) => match self.parser.feed(&buffer[..count]) {
                    Ok(used) if self.parser.is_done() => {
                        if used < count {
                            // Whatever follows an answer, the connection is not to be trusted with another request.
                            recorder.count(COUNT_SURPLUS, 1);
                            self.broken = Some(Trouble::Io(std::io::ErrorKind::InvalidData.into()));
                        }
                        self.is_sent |= self.written == self.request.len() && connection.has_nothing_left();
                        return Step::Answered;
                    }
                    Ok(_) => {}
                    Err(why) => {
                        return Step::Broke(Broke {
                            outcome: Outcome::Fault,
                            why: format!("the answer is not HTTP: {}", why.0),
                        });
                    }
                },
                Ok(Received::Nothing) => {
                    if let Some(trouble) = self.broken.take() {
                        return self.broke(&trouble);
                    }
                    let before = self.written;
                    if !self.is_sent {
                        match connection.send(&self.request, &mut self.written) {
                            Ok(is_sent) => self.is_sent = is_sent,
                            Err(trouble) => return self.broke(&trouble),
                        }
                        self.has_begun |= has_begun(connection, self.written);
                    }
                    if self.written == before {
                        return Step::Waiting;
                    }
                }
                Ok(Received::End { is_clean }) => return self.ended(is_clean),
                Err(trouble) => return self.broke(&trouble),
            }
        }
        Step::Again
    }

    fn ended(&self, is_clean: bool) -> Step {
        let outcome = match self.parser.at_end() {
            AtEnd::Complete if is_clean => return Step::Answered,
            AtEnd::NothingCame => Outcome::Reset,
            AtEnd::Complete | AtEnd::Partial => Outcome::Partial,
        };
        Step::Broke(Broke { outcome, why: format!("the other side closed the connection: {}", self.where_it_stands()) })
    }

    fn broke(&self, trouble: &Trouble) -> Step {
        let is_open = self.connection.as_ref().is_some_and(Connection::is_open);
        let outcome = outcome_of(trouble, is_open, self.parser.has_begun());
        let why = match trouble {
            Trouble::Io(error) => error.to_string(),
            Trouble::Tls(error) => format!("TLS: {}", in_words(error)),
        };
        Step::Broke(Broke { outcome, why: format!("{why}: {}", self.where_it_stands()) })
    }

    /// For samples.
    pub(crate) fn where_it_stands(&self) -> String {
        let is_open = self.connection.as_ref().is_some_and(Connection::is_open);
        match () {
            () if self.parser.status() != 0 => {
                let (status, bytes) = (self.parser.status(), self.parser.body_bytes());
                format!("status {status} and {bytes} bytes of the body had come")
            }
            () if self.parser.has_begun() => "part of the answer's head had come".to_owned(),
            () if self.is_sent => "the message was sent, no byte of an answer had come".to_owned(),
            () if self.connection.as_ref().is_some_and(Connection::is_greeting) && is_open => {
                "the handshake of TLS was not finished, so nothing of the message was sent".to_owned()
            }
            () if is_open => format!("{} bytes of the request were sent", self.written),
            () => "there was no connection".to_owned(),
        }
    }
}

/// Whether a byte of the request is on its way. During the handshake of TLS it waits in a buffer of ours.
fn has_begun(connection: &Connection, written: usize) -> bool {
    written > 0 && connection.has_sent() && (!connection.is_tls() || connection.protocol().is_some())
}

/// A session that has lost its connection within a call is a defect of ours; it ends the exchange, and says so.
fn lost() -> Broke {
    Broke { outcome: Outcome::NoResource, why: "the connection was let go".to_owned() }
}
