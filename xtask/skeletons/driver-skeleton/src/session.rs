//! One connection and the exchange in hand on it.

use crate::config::Exchange;
use contract::{Cancel, Interest, Recorder, Session, Task};
use extract::Answer;
use rustix::io::Errno;
use socket2::{Domain, Protocol, SockAddr, Socket, Type};
use std::cell::RefCell;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::AsFd;
use std::rc::Rc;
use terms::Outcome;

/// A longer line is not this protocol; a hostile server must not fill the memory.
const LINE_BYTES_MAX: usize = 64 * 1024;

/// Everything that the sessions of a thread share.
pub(crate) struct Common {
    /// By number of the exchange in the study; `None` where it is another driver's.
    pub(crate) exchanges: Vec<Option<(SocketAddr, Exchange)>>,
    pub(crate) buffer: RefCell<Vec<u8>>,
}

pub(crate) struct LineSession {
    common: Rc<Common>,
    /// The connection and where it leads.
    socket: Option<(SocketAddr, TcpStream)>,
    task: Option<Task>,
    request: Vec<u8>,
    written: usize,
    answer: Vec<u8>,
    /// Whether the server closed the connection, or sent more than was asked for.
    is_spent: bool,
}

/// What came of one attempt to go on.
enum Step {
    Waits(Interest),
    Ends(Outcome),
}

impl LineSession {
    pub(crate) fn new(common: Rc<Common>) -> Self {
        let (request, answer) = (Vec::with_capacity(256), Vec::with_capacity(1024));
        Self { common, socket: None, task: None, request, written: 0, answer, is_spent: false }
    }

    /// Renders the line; `false` when a value is missing, or would make two lines of one.
    fn render(&mut self, task: &Task, exchange: &Exchange, recorder: &mut Recorder) -> bool {
        self.request.clear();
        self.written = 0;
        self.answer.clear();
        self.is_spent = false;
        if !recorder.render(task, exchange.line, &mut self.request) || self.request.contains(&b'\n') {
            return false;
        }
        self.request.push(b'\n');
        true
    }

    /// Asks for a connection unless there is one to that address; does not wait for it.
    fn connect(&mut self, address: SocketAddr, recorder: &mut Recorder) -> Result<(), Outcome> {
        if self.socket.as_ref().is_some_and(|(known, _)| *known == address) {
            return Ok(());
        }
        self.socket = None;
        recorder.count(0, 1);
        let stream = connecting(address).map_err(|error| outcome_of(&error, false, false))?;
        recorder.attach(stream.as_fd()).map_err(|_| Outcome::NoResource)?;
        self.socket = Some((address, stream));
        Ok(())
    }

    /// Sends and receives until the socket has no more to give, or the answer is whole.
    fn go_on(&mut self) -> Step {
        let Some((_, stream)) = &mut self.socket else { return Step::Ends(Outcome::Reset) };
        while self.written < self.request.len() {
            match stream.write(&self.request[self.written..]) {
                Ok(sent) => self.written += sent,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    return Step::Waits(Interest::Io { read: true, write: true });
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Step::Ends(outcome_of(&error, self.written > 0, false)),
            }
        }
        let mut buffer = self.common.buffer.borrow_mut();
        loop {
            match stream.read(&mut buffer) {
                Ok(0) if self.answer.is_empty() => return Step::Ends(Outcome::Reset),
                Ok(0) => return Step::Ends(Outcome::Partial),
                Ok(count) => self.answer.extend_from_slice(&buffer[..count]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    return Step::Waits(Interest::Io { read: true, write: false });
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Step::Ends(outcome_of(&error, true, !self.answer.is_empty())),
            }
            if self.answer.contains(&b'\n') {
                // An edge comes once: whether the server left with its answer must be seen now or never.
                let more = stream.read(&mut buffer);
                self.is_spent = !matches!(more, Err(error) if error.kind() == ErrorKind::WouldBlock);
                return Step::Ends(Outcome::Ok);
            }
            if self.answer.len() > LINE_BYTES_MAX {
                return Step::Ends(Outcome::Fault);
            }
        }
    }

    /// Goes on with the exchange in hand, and ends it if it is over.
    fn advance(&mut self, recorder: &mut Recorder) -> Interest {
        let Some(task) = self.task else { return Interest::Idle };
        match self.go_on() {
            Step::Waits(interest) => interest,
            Step::Ends(Outcome::Ok) => {
                let common = self.common.clone();
                let exchange = common.exchanges.get(usize::from(task.exchange)).and_then(Option::as_ref);
                let end = self.answer.iter().position(|byte| *byte == b'\n').unwrap_or(self.answer.len());
                let outcome = exchange
                    .map_or(Outcome::BadStudy, |(_, exchange)| judge(&self.answer[..end], exchange, &task, recorder));
                // What came behind the line would be taken for the next answer.
                let is_clean = end + 1 == self.answer.len() && !self.is_spent;
                let keeps = is_clean && exchange.is_some_and(|(_, exchange)| exchange.reuse);
                self.end(outcome, keeps, recorder)
            }
            Step::Ends(outcome) => {
                self.tell(outcome, recorder);
                self.end(outcome, false, recorder)
            }
        }
    }

    /// Says how far the exchange in hand came.
    fn tell(&self, outcome: Outcome, recorder: &mut Recorder) {
        let (sent, came) = (self.written, self.answer.len());
        recorder.note(outcome, &mut |note| note.add(format!("{sent} bytes sent, {came} came").as_bytes()));
    }

    /// Ends the exchange in hand, the one way out.
    fn end(&mut self, outcome: Outcome, keeps: bool, recorder: &mut Recorder) -> Interest {
        let Some(task) = self.task.take() else { return Interest::Idle };
        let exchange = self.common.exchanges.get(usize::from(task.exchange)).and_then(Option::as_ref);
        if let Some((_, exchange)) = exchange.filter(|_| outcome != Outcome::Ok) {
            // An old value is never shown for a new one.
            exchange.compiled.capture_slots().for_each(|slot| recorder.capture(slot, None));
        }
        recorder.close(&task, 0, outcome, task.units, self.answer.len() as u64);
        if keeps {
            return Interest::Idle;
        }
        self.socket = None;
        Interest::Gone
    }
}

impl Session for LineSession {
    fn begin(&mut self, task: &Task, recorder: &mut Recorder) -> Interest {
        self.task = Some(*task);
        recorder.started(task);
        let common = self.common.clone();
        let Some((address, exchange)) = common.exchanges.get(usize::from(task.exchange)).and_then(Option::as_ref)
        else {
            return self.end(Outcome::BadStudy, true, recorder);
        };
        if !self.render(task, exchange, recorder) {
            return self.end(Outcome::BadStudy, true, recorder);
        }
        match self.connect(*address, recorder) {
            Ok(()) => self.advance(recorder),
            Err(outcome) => self.end(outcome, false, recorder),
        }
    }

    fn ready(&mut self, recorder: &mut Recorder) -> Interest {
        if self.task.is_some() {
            return self.advance(recorder);
        }
        // Between exchanges there is only one thing to hear: the server is gone, or talks out of turn.
        let mut buffer = self.common.buffer.borrow_mut();
        if let Some((_, stream)) = &mut self.socket
            && !matches!(stream.read(&mut buffer), Err(error) if error.kind() == ErrorKind::WouldBlock)
        {
            self.socket = None;
        }
        Interest::Idle
    }

    fn cancel(&mut self, why: Cancel, recorder: &mut Recorder) {
        let outcome = if why == Cancel::Deadline { Outcome::Timeout } else { Outcome::Aborted };
        if outcome == Outcome::Timeout && self.task.is_some() {
            self.tell(outcome, recorder);
        }
        // A late answer must not be taken for the next one, so the connection goes too.
        self.end(outcome, false, recorder);
    }
}

/// Whether a whole line is right; keeps its captures if it is.
fn judge(line: &[u8], exchange: &Exchange, task: &Task, recorder: &mut Recorder) -> Outcome {
    let mut answer = Answer::new(0, &(), line, line.len() as u64);
    let checked = exchange.compiled.evaluate(&mut answer, &mut |number, into| recorder.render(task, number, into));
    if let Err(failed) = checked {
        let outcome = if failed.is_study { Outcome::BadStudy } else { Outcome::Wrong };
        let text = format!("`{}` does not hold, found `{}`", failed.text, failed.found.escape_debug());
        recorder.note(outcome, &mut |note| note.add(text.as_bytes()));
        return outcome;
    }
    let captured = exchange.compiled.capture(&mut answer, &mut |slot, value| recorder.capture(slot, value));
    match captured {
        Ok(()) => Outcome::Ok,
        Err(failed) => {
            let outcome = if failed.is_study { Outcome::BadStudy } else { Outcome::Wrong };
            let text = format!("nothing to capture as `{}`: {}", failed.name, failed.found);
            recorder.note(outcome, &mut |note| note.add(text.as_bytes()));
            outcome
        }
    }
}

fn connecting(address: SocketAddr) -> io::Result<TcpStream> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM.nonblocking(), Some(Protocol::TCP))?;
    socket.set_tcp_nodelay(true)?;
    match socket.connect(&SockAddr::from(address)) {
        Err(error) if error.raw_os_error() != Some(Errno::INPROGRESS.raw_os_error()) => Err(error),
        _ => Ok(socket.into()),
    }
}

/// What an error of the system means, by whether a byte was sent and whether one had come.
fn outcome_of(error: &io::Error, has_sent: bool, has_begun: bool) -> Outcome {
    match error.raw_os_error().map(Errno::from_raw_os_error) {
        Some(Errno::MFILE | Errno::NFILE | Errno::NOBUFS | Errno::NOMEM | Errno::ADDRNOTAVAIL | Errno::ADDRINUSE) => {
            Outcome::NoResource
        }
        _ if has_begun => Outcome::Partial,
        Some(Errno::CONNRESET | Errno::PIPE) => Outcome::Reset,
        _ if has_sent => Outcome::Reset,
        _ => Outcome::Refused,
    }
}
