//! One exchange and its legs, as a session and its recorder speak of them.

use terms::Nanos;

/// Number of a leg within its exchange; at most 8.
pub type Leg = u8;

/// How a leg is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closes {
    /// By the session.
    Here,
    /// By the session, once a connection that is held open: its opening, which is part of none of its messages.
    Opening,
    /// By a match on a listener.
    Matched,
    /// By a match on a listener, once a connection or subscription: the target confirms its opening.
    Confirmed,
    /// A time beside the account: between two events of a connection, say. No task opens it and none waits for it; the
    /// session books it with [`crate::Recorder::timed`], or as part of an exchange with [`crate::Recorder::timed_part`],
    /// whenever there is one.
    Beside,
    /// By a refusal that comes to a listener when nothing of the exchange is waited for any more. Where none comes there
    /// is no such leg. Its name is [`AFTERWARDS`].
    Afterwards,
}

/// Name of the leg of refusals that come when everything had ended; evidence knows it by that.
pub const AFTERWARDS: &str = "error";

/// A leg that a driver names.
#[derive(Clone, Copy, Debug)]
pub struct LegKind {
    /// Its name in rules and tables.
    pub name: &'static str,
    /// How it closes.
    pub closes: Closes,
}

/// One exchange to carry out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task {
    /// Number of the exchange in the study.
    pub exchange: u16,
    /// Number of the iteration in its scenario.
    pub serial: u64,
    /// Number that picks the rows of data sets.
    pub row: u64,
    /// Units in a batch; 1 for plain requests.
    pub units: u32,
    /// The origin of its times: the intended start, or the end of the exchange before plus its think time.
    pub intended: Nanos,
    /// When it is cut off.
    pub deadline: Nanos,
    /// Number of the step of its intended start.
    pub step: u32,
    /// Number of the stream that it belongs to; [`NO_STREAM`] where the load has none.
    pub stream: u16,
}

/// A load without streams.
pub const NO_STREAM: u16 = u16::MAX;
