//! The driver contract: what a protocol owes the engine.

use crate::{BuildContext, Catalogues, Failure, Mistakes, Settings};
use recorder::{Leg, LegKind, Recorder, Task};
use terms::{Nanos, Outcome};

/// What kind of work an exchange is: decides which load models `check` allows. The engine's loop is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// A request with its answer, perhaps with later legs.
    Exchange,
    /// A connection held open, with messages on it. Where no leg is closed by the session, it sends none and only listens.
    Held,
    /// Events that are published, each to all subscribers: one for each of them is planned.
    FanOut,
    /// Started, then asked for until it is done.
    Job,
}

/// An operation of a driver.
#[derive(Clone, Copy, Debug)]
pub struct ExchangeKind {
    /// Its name in the study, after the driver's: `get` in `http.get`.
    pub name: &'static str,
    /// What kind of work it is.
    pub work: Work,
    /// Its legs; the first is what `x.response` means.
    pub legs: &'static [LegKind],
    /// Keys of its settings, for the published schema; the driver checks them itself.
    pub keys: &'static [&'static str],
    /// Those of its keys whose value is one of a few words, and which, for the same.
    pub words: &'static [(&'static str, &'static [&'static str])],
}

impl ExchangeKind {
    /// Whether its messages come from the target, which is asked for none of them.
    pub fn listens(&self) -> bool {
        self.work == Work::Held && !self.legs.iter().any(|leg| leg.closes == recorder::Closes::Here)
    }
}

/// Builds a driver from all its exchanges' settings.
pub type BuildDriver = fn(&[Settings], &mut BuildContext<'_>) -> Result<Box<dyn Driver>, Mistakes>;

/// A driver as `registry.rs` lists it.
#[derive(Clone, Copy)]
pub struct DriverKind {
    /// Its name in the study.
    pub name: &'static str,
    pub exchanges: &'static [ExchangeKind],
    /// Its own counters; in rules `x.redirects`.
    pub counters: &'static [&'static str],
    /// Names of the features that its exchanges may tell of.
    pub features: &'static [&'static str],
    /// Its words in the languages of reports.
    pub messages: Catalogues,
    /// Builds the driver for all its exchanges; finds all mistakes at once. Called by `check` with placeholder
    /// addresses, and once on each core's thread.
    pub build: BuildDriver,
}

/// A place for one exchange at a time: a connection, or a virtual user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Number within this thread.
    pub number: u32,
    /// Number of the virtual user or connection in the whole run. One that makes calls at once has several slots, which
    /// share its captures.
    pub user: u64,
}

/// Where an exchange goes, for counting what its connections need before any is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    /// Number of the exchange in the study.
    pub exchange: u16,
    /// Which of a session's connections it uses; exchanges with the same number share one.
    pub link: u16,
    /// How many sessions share one connection there; 1 where each has its own.
    pub sharing: u32,
    /// Host as the study has it, without brackets.
    pub host: String,
    pub port: u16,
    /// Whether TLS is spoken there, as with `https://`.
    pub is_tls: bool,
}

/// What happened to a driver that a reader of the run should know, and that belongs to no single exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Kind of the event, such as `source_address`.
    pub kind: &'static str,
    /// What it concerns.
    pub subject: String,
    pub text: String,
}

/// A protocol. One on each core's thread; nothing is shared.
pub trait Driver {
    /// What its exchanges have the system do, and what of the protocol they leave out; none for a driver that does not
    /// say. Asked before `set_up`.
    fn features(&self) -> Vec<Feature> {
        Vec::new()
    }

    /// Legs that its exchanges cannot have as they are set, so that no rule waits for one. Asked once it is built.
    fn legs_left_out(&self) -> Vec<LegLeftOut> {
        Vec::new()
    }

    /// Outside measurement: keys, tokens, names. May block and allocate.
    ///
    /// # Errors
    /// One sentence that says what could not be prepared.
    fn set_up(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    /// Where its exchanges go, asked before `set_up`; none for a driver that connects to nothing.
    fn destinations(&self) -> Vec<Destination> {
        Vec::new()
    }

    /// What has happened since the last call; asked for once a second.
    fn notices(&self) -> Vec<Notice> {
        Vec::new()
    }

    /// A slot is one connection to one address, or one virtual user: it serves all exchanges of the driver there, so
    /// that an iteration keeps its connection. All the memory it will ever need is taken here.
    fn session(&self, slot: Slot) -> Box<dyn Session>;

    /// Reads requests at the lab's listeners; needed if a leg is [`recorder::Closes::Matched`].
    fn replies(&self) -> Option<Box<dyn ReplyHandler>> {
        None
    }
}

/// One exchange, or one held connection, at a time. Never blocks, sleeps, logs or asks the system for the time; does not
/// allocate once warm.
///
/// It sends nothing a second time on its own account. Where the protocol tells its clients to (RFC 9112, section 9.3.1: a
/// request that met the closing of a kept connection), it does so once an exchange, unless [`Settings::retry`] forbids it,
/// and counts it in a counter of its own, `idle_retries`; the lost try is part of the exchange's time.
pub trait Session {
    /// The intended start (held: a message) is due.
    fn begin(&mut self, task: &Task, recorder: &mut Recorder) -> Interest;
    /// The socket is ready, or the wake-up is reached.
    fn ready(&mut self, recorder: &mut Recorder) -> Interest;
    /// Close open legs and let go, within a millisecond.
    fn cancel(&mut self, why: Cancel, recorder: &mut Recorder);

    /// A held connection is due: ends with its leg of the kind [`recorder::Closes::Opening`] closed, whether it stands
    /// or not. Once a connection; what comes due on one that does not stand is handed to `begin` all the same, and fails. Others than
    /// those of [`Work::Held`] have nothing to open.
    fn connect(&mut self, _task: &Task, _recorder: &mut Recorder) -> Interest {
        Interest::Idle
    }

    /// The load is over, and nothing is waited for any more: says what has to be said before the connection is closed, where
    /// that takes an answer. Legs that are opened for it ([`Recorder::expect`]) are waited for, and the session is called
    /// meanwhile. Called once, of one session after another: those that open a leg at most a thousand a second in a thread.
    fn leave(&mut self, _recorder: &mut Recorder) -> Interest {
        Interest::Idle
    }

    /// The load is over: a held connection is closed as its protocol has it, as far as that needs no waiting.
    fn disconnect(&mut self, _recorder: &mut Recorder) {}
}

/// What a session waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interest {
    /// Nothing: it is free.
    Idle,
    /// The attached socket.
    Io {
        /// Until it can be read.
        read: bool,
        /// Until it can be written.
        write: bool,
    },
    /// A moment. The session of a held connection may ask so with nothing in hand, too, and is then called at it once,
    /// whatever came meanwhile.
    WakeAt(Nanos),
    /// The connection is lost; the slot opens a new one with its next task.
    Gone,
}

/// Why an exchange is cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancel {
    /// Its deadline passed: the open legs are `Timeout`.
    Deadline,
    /// The step ended and drained long enough: `Aborted`.
    StepEnd,
    /// The run is stopped: `Aborted`.
    Abort,
}

/// A leg that an exchange cannot have as it is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LegLeftOut {
    /// Number of the exchange in the study.
    pub exchange: u16,
    pub leg: Leg,
    /// Why, to be read after the exchange's name: `follows no redirects`.
    pub why: &'static str,
    /// What sets it so, and what to write.
    pub hint: &'static str,
}

/// Something that a protocol can do, and whether the study's exchanges have it done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feature {
    /// Number of the exchange in the study.
    pub exchange: u16,
    /// What it is called in the field: `payload`, `signature`.
    pub name: String,
    /// Whether the exchange has it done.
    pub is_exercised: bool,
    /// The leg that it closes, where it closes one: nothing waits for that leg when it is not exercised.
    pub leg: Option<Leg>,
}

/// The head of a request that came to a listener of the lab.
#[derive(Clone, Copy, Debug)]
pub struct RequestHead<'a> {
    pub method: &'a str,
    /// Path with query.
    pub path: &'a str,
    /// Headers in the order in which they came; names in lower case.
    pub headers: &'a [(&'a str, &'a [u8])],
    /// When the first byte was read.
    pub at: Nanos,
}

/// What the lab's listener answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Status number.
    pub status: u16,
    /// Content type; empty for none.
    pub content_type: &'static str,
    pub body: Vec<u8>,
}

/// Whose request it was that came to a listener.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Closes the leg that waits under this key.
    Match {
        leg: Leg,
        /// What `Recorder::expect` was told.
        key: u128,
        /// Number in a sequence; 0 if there is none.
        number: u64,
        /// How it ended.
        outcome: Outcome,
        /// Why it is not ok, for the samples of failures.
        why: Option<Box<str>>,
    },
    /// A handshake that belongs to this key.
    Handshake {
        /// What `Recorder::expect` was told.
        key: u128,
    },
    /// The other side has refused a message, or failed with it: ends the first of its legs that waits. Where none does,
    /// the exchange has failed after it had ended.
    Refusal {
        /// What `Recorder::expect` was told for each later leg that the exchange may have, in their order; the first
        /// is that of `Recorder::watch`.
        keys: [Option<u128>; 2],
        /// The leg of kind [`recorder::Closes::Afterwards`].
        leg: Leg,
        /// How it ended: `Fault`, or `Wrong` if the refusal itself is not what it should be.
        outcome: Outcome,
        /// What the other side says.
        why: Option<Box<str>>,
    },
    /// It is for somebody who was there in an earlier scenario, and the answer says that nobody is: as the protocol has it, so
    /// it is counted with handshakes, and not shown.
    Gone,
    /// It names a message of this run, and is nothing that the study waits for; counted and shown.
    Unasked,
    /// It is for this driver, and cannot be read; counted and shown.
    Unreadable,
    /// Nobody's; counted and shown.
    Unknown,
}

/// Reads one request at a shared listener, answers at once, says whose it is. Made on a load thread's behalf, works on
/// the listener's.
pub trait ReplyHandler: Send {
    /// Whether the request is for this driver. Two claims on one request are a mistake of the study.
    fn claims(&self, head: &RequestHead<'_>) -> bool;
    /// Whether a request has come when all of it was read, rather than its first byte: where what is timed is content, which
    /// may be large.
    fn is_timed_when_whole(&self) -> bool {
        false
    }
    /// Reads it and fills in the answer.
    fn handle(&mut self, head: &RequestHead<'_>, body: &[u8], answer: &mut Answer) -> Reply;
    /// What identifies such a request, for those who read that it closed no leg: its kind, its ids, what it says is wrong.
    /// None where it tells no more than its text.
    fn identify(&self, _head: &RequestHead<'_>, _body: &[u8]) -> Option<String> {
        None
    }
}
