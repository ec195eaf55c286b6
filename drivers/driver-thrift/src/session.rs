//! One publisher: it signs in, defines its stream, and then publishes one bundle after another on the same connection.
//!
//! Signing in and defining belong to the first bundle of a connection, as the making of a connection does everywhere else.
//! Thrift defines on the connection that it publishes on; for the receivers' own protocol, which cannot, that is another
//! one, or the receiver knows the stream.

use crate::Counter;
use crate::bundle::Columns;
use crate::call::{Broken, Found, Line, Waits};
use crate::config::Exchange;
use crate::protocol::{Protocol, define};
use crate::reply::{Method, Reply};
use contract::{Cancel, Failure, Interest, Recorder, Session, Task};
use http_wire::say;
use std::cell::RefCell;
use std::rc::Rc;
use terms::Outcome;

/// What one reading takes at most. One buffer serves all sessions of a thread, since each reading is digested at once.
const BUFFER_BYTES: usize = 16 * 1024;

/// An exchange with its addresses.
pub(crate) struct Ready {
    pub(crate) exchange: Exchange,
    pub(crate) data: Found,
    pub(crate) sign_in: Found,
    /// Where the stream is defined, unless that is where events go.
    pub(crate) define: Option<Found>,
}

impl Ready {
    /// Where the stream is defined; nowhere if the receiver knows it.
    fn defines(&self) -> Option<&Found> {
        self.define.as_ref().or(Some(&self.data).filter(|data| data.protocol == Protocol::Thrift))
    }
}

/// Everything that the sessions of a thread share.
pub(crate) struct Common {
    /// By number of the exchange in the study; `None` where it is another driver's.
    pub(crate) exchanges: Vec<Option<Ready>>,
    columns: RefCell<Columns>,
    pub(crate) buffer: RefCell<Box<[u8]>>,
}

impl Common {
    pub(crate) fn new(exchanges: Vec<Option<Ready>>) -> Rc<Self> {
        Rc::new(Self { exchanges, columns: RefCell::default(), buffer: RefCell::new(vec![0; BUFFER_BYTES].into()) })
    }
}

pub(crate) struct PublishSession {
    common: Rc<Common>,
    task: Option<Task>,
    line: Option<Line>,
    /// Which call is in hand, or was last.
    method: Method,
    /// For which exchange the connection is signed in and its stream defined.
    of: Option<u16>,
    /// What the receiver called the session.
    id: Vec<u8>,
    /// The call in hand.
    call: Vec<u8>,
}

impl PublishSession {
    pub(crate) fn new(common: Rc<Common>) -> Self {
        let (id, call) = (Vec::with_capacity(64), Vec::new());
        Self { common, task: None, line: None, method: Method::Connect, of: None, id, call }
    }

    /// Begins with the call that comes first.
    fn start(&mut self, task: &Task, ready: &Ready, recorder: &mut Recorder) -> Interest {
        if self.of == Some(task.exchange)
            && self.line.as_mut().is_some_and(|line| line.is_quiet(&mut self.common.buffer.borrow_mut()))
        {
            self.publish(task, &ready.exchange, recorder);
            return self.go_on(ready, recorder);
        }
        self.let_go();
        match self.dial(&ready.sign_in, recorder) {
            Ok(mut line) => {
                let number = line.begin(Method::Connect);
                line.protocol().sign_in(&ready.exchange, number, &mut self.call);
                (self.line, self.method) = (Some(line), Method::Connect);
                self.go_on(ready, recorder)
            }
            Err(broken) => self.break_off(&broken, "signing in", recorder),
        }
    }

    fn dial(&self, to: &Found, recorder: &mut Recorder) -> Result<Line, Broken> {
        let line = Line::open(to)?;
        let attached = recorder.attach(std::os::fd::AsFd::as_fd(&line));
        attached.map_err(|error| Broken { outcome: Outcome::NoResource, why: error.to_string() })?;
        recorder.count(Counter::Connects as u8, 1);
        Ok(line)
    }

    fn publish(&mut self, task: &Task, exchange: &Exchange, recorder: &Recorder) {
        let Some(line) = &mut self.line else { return };
        let number = line.begin(Method::Publish);
        self.method = Method::Publish;
        let first = task.serial.wrapping_mul(u64::from(exchange.recipe.events));
        let columns = &mut self.common.columns.borrow_mut();
        let (protocol, recipe, when) = (line.protocol(), &exchange.recipe, (first, recorder.wall()));
        protocol.publish(recipe, &self.id, when, number, columns, &mut self.call);
    }

    /// The receiver knows session and stream: the bundle goes out.
    fn set_out(&mut self, ready: &Ready, recorder: &mut Recorder) {
        let Some(task) = self.task else { return };
        self.of = Some(task.exchange);
        self.publish(&task, &ready.exchange, recorder);
    }

    /// Goes from call to call as far as it can.
    fn go_on(&mut self, ready: &Ready, recorder: &mut Recorder) -> Interest {
        loop {
            let Some(line) = &mut self.line else { return Interest::Gone };
            let went = line.go_on(&self.call, &mut self.common.buffer.borrow_mut());
            let reply = match went {
                Ok(Ok(reply)) => reply,
                Ok(Err(Waits::ToWrite)) => return Interest::Io { read: true, write: true },
                Ok(Err(Waits::ToRead)) => return Interest::Io { read: true, write: false },
                Err(broken) => return self.break_off(&broken, doing(self.method), recorder),
            };
            match (reply, self.method) {
                (Reply::Done(id), Method::Connect) => {
                    self.id = id;
                    self.line = None;
                    let (to, method) = match ready.defines() {
                        Some(there) => (there, Method::DefineStream),
                        None => (&ready.data, Method::Publish),
                    };
                    match self.dial(to, recorder) {
                        Ok(line) => (self.line, self.method) = (Some(line), method),
                        Err(broken) => return self.break_off(&broken, doing(method), recorder),
                    }
                    match &mut self.line {
                        Some(line) if method == Method::DefineStream => {
                            let number = line.begin(method);
                            define(&ready.exchange, &self.id, number, &mut self.call);
                        }
                        _ => self.set_out(ready, recorder),
                    }
                }
                (Reply::Done(_), Method::DefineStream) => {
                    if ready.define.is_some() {
                        self.line = None;
                        match self.dial(&ready.data, recorder) {
                            Ok(line) => self.line = Some(line),
                            Err(broken) => return self.break_off(&broken, doing(Method::Publish), recorder),
                        }
                    }
                    self.set_out(ready, recorder);
                }
                (Reply::Done(_), Method::Publish) => {
                    recorder.count(Counter::Events as u8, i64::from(ready.exchange.recipe.events));
                    self.end(Outcome::Ok, recorder);
                    return Interest::Idle;
                }
                (Reply::Refused { why, says, is_expired }, method) => {
                    recorder.count(Counter::Expired as u8, i64::from(is_expired));
                    recorder.note(Outcome::Fault, &mut |note| {
                        say(note, format_args!("{}: {why}:", doing(method)));
                        note.add(b" ");
                        note.add(&says);
                    });
                    self.end(Outcome::Fault, recorder);
                    if method == Method::Publish && !is_expired {
                        return Interest::Idle;
                    }
                    self.let_go();
                    return Interest::Gone;
                }
            }
        }
    }

    /// The connection is good for nothing more.
    fn break_off(&mut self, broken: &Broken, doing: &str, recorder: &mut Recorder) -> Interest {
        recorder.note(broken.outcome, &mut |note| say(note, format_args!("{doing}: {}", broken.why)));
        self.end(broken.outcome, recorder);
        self.let_go();
        Interest::Gone
    }

    /// Ends the exchange in hand, the one way out.
    fn end(&mut self, outcome: Outcome, recorder: &mut Recorder) {
        let Some(task) = self.task.take() else { return };
        // What is counted is what was sent: the bundle, not the calls before it.
        let bytes = if self.method == Method::Publish { self.call.len() as u64 } else { 0 };
        recorder.close(&task, 0, outcome, task.units, bytes);
    }

    fn let_go(&mut self) {
        (self.line, self.of) = (None, None);
    }
}

impl Session for PublishSession {
    fn begin(&mut self, task: &Task, recorder: &mut Recorder) -> Interest {
        self.task = Some(*task);
        recorder.started(task);
        let common = self.common.clone();
        let Some(ready) = common.exchanges.get(usize::from(task.exchange)).and_then(Option::as_ref) else {
            // The engine hands out only what `build` was given; a wrong number must not be silent.
            self.end(Outcome::BadStudy, recorder);
            return Interest::Idle;
        };
        self.start(task, ready, recorder)
    }

    fn ready(&mut self, recorder: &mut Recorder) -> Interest {
        let common = self.common.clone();
        let Some(task) = self.task else {
            // Nothing is asked: what comes is the end, or nobody knows what.
            let is_quiet = self.line.as_mut().is_some_and(|line| line.is_quiet(&mut common.buffer.borrow_mut()));
            if is_quiet {
                return Interest::Idle;
            }
            self.let_go();
            return Interest::Gone;
        };
        match common.exchanges.get(usize::from(task.exchange)).and_then(Option::as_ref) {
            Some(ready) => self.go_on(ready, recorder),
            None => Interest::Gone,
        }
    }

    fn cancel(&mut self, why: Cancel, recorder: &mut Recorder) {
        let outcome = if why == Cancel::Deadline { Outcome::Timeout } else { Outcome::Aborted };
        if let (Outcome::Timeout, Some(line)) = (outcome, &self.line) {
            let (doing, stood) = (doing(self.method), line.stood(&self.call));
            recorder.note(outcome, &mut |note| say(note, format_args!("{doing}: {stood}")));
        }
        self.end(outcome, recorder);
        // A reply that comes yet would be taken for that of the next call.
        self.let_go();
    }
}

pub(crate) fn doing(method: Method) -> &'static str {
    match method {
        Method::Connect => "signing in",
        Method::DefineStream => "defining the stream",
        Method::Publish => "publishing",
    }
}

/// Signs in and defines the stream, before the load: what a receiver refuses then, it refuses always.
///
/// # Errors
/// What it refuses. A receiver that cannot be reached is found by the load.
pub(crate) fn try_out(ready: &Ready) -> Result<(), Failure> {
    let mut call = Vec::new();
    let Some(mut line) = Line::open(&ready.sign_in).ok() else { return Ok(()) };
    let number = line.begin(Method::Connect);
    line.protocol().sign_in(&ready.exchange, number, &mut call);
    let Some(id) = answered(&mut line, &call, Method::Connect)? else { return Ok(()) };
    let Some(there) = ready.defines() else { return Ok(()) };
    let Some(mut line) = Line::open(there).ok() else { return Ok(()) };
    let number = line.begin(Method::DefineStream);
    define(&ready.exchange, &id, number, &mut call);
    answered(&mut line, &call, Method::DefineStream).map(drop)
}

/// Waits for the reply; none where none came.
fn answered(line: &mut Line, call: &[u8], method: Method) -> Result<Option<Vec<u8>>, Failure> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    /// Looks of a tenth of a second.
    const LOOKS: u32 = 50;
    let mut buffer = vec![0; BUFFER_BYTES];
    for _ in 0..LOOKS {
        let flags = match line.go_on(call, &mut buffer) {
            Ok(Ok(Reply::Done(text))) => return Ok(Some(text)),
            Ok(Ok(Reply::Refused { why, says, .. })) => {
                let says = String::from_utf8_lossy(&says[..says.len().min(500)]).into_owned();
                return Err(Failure::new(format!("{}: {why}: {}", doing(method), says.escape_debug())));
            }
            Ok(Err(Waits::ToWrite)) => PollFlags::OUT | PollFlags::IN,
            Ok(Err(Waits::ToRead)) => PollFlags::IN,
            // Who is missing may come yet; that is for the load to find.
            Err(Broken { outcome: Outcome::Refused | Outcome::NoResource, .. }) => return Ok(None),
            Err(Broken { why, .. }) => {
                let hint = if line.is_greeting() { "; does it speak TLS on that port?" } else { "" };
                return Err(Failure::new(format!("{}: {why}{hint}", doing(method))));
            }
        };
        let _ = poll(&mut [PollFd::new(&*line, flags)], Some(&Timespec { tv_sec: 0, tv_nsec: 100_000_000 }));
    }
    Ok(None)
}
