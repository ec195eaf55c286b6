//! One call as another tool recorded it.

use crate::error::ImportError;
use crate::zone::Zone;
use terms::{Nanos, Outcome};

/// A call. Times are the tool's own: a moment since 1970, lengths from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Call<'a> {
    /// When it began, since 1970-01-01 UTC.
    pub(crate) start: Nanos,
    pub(crate) took: Nanos,
    /// From the start to the first byte of the answer, where the tool has it.
    pub(crate) first_byte: Option<Nanos>,
    /// How long the connection took, where one was made and the tool has it.
    pub(crate) connect: Option<Nanos>,
    pub(crate) outcome: Outcome,
    /// Bytes of the answer.
    pub(crate) bytes: u64,
    /// How many alike it stands for: more than one where the tool has counted them together.
    pub(crate) count: u32,
    /// What is known of the time that it took.
    pub(crate) time: Time,
    /// What the tool calls it.
    pub(crate) label: &'a [u8],
    /// What kind of record it is.
    pub(crate) what: What,
    /// Whose it is, where the tool writes the parts of a call behind it and has stamps that tell them from the next one.
    pub(crate) thread: Option<&'a [u8]>,
    /// Virtual users that were active when it ended, where the tool has them.
    pub(crate) users: Option<u32>,
    /// What went wrong, in the tool's words; empty for nothing.
    pub(crate) why: &'a [u8],
}

impl Default for Call<'_> {
    fn default() -> Self {
        Self {
            start: Nanos::ZERO,
            took: Nanos::ZERO,
            first_byte: None,
            connect: None,
            outcome: Outcome::Ok,
            bytes: 0,
            count: 1,
            time: Time::Service,
            label: &[],
            what: What::Call,
            thread: None,
            users: None,
            why: &[],
        }
    }
}

/// What is known of the time that a call took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Time {
    /// From its start.
    Service,
    /// From the moment at which it was meant to begin, as the tool says.
    Response,
    /// Nothing: the tool tells that it ended, and no more.
    Unknown,
}

/// What a record stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// A call of its own.
    Call,
    /// One that says nothing of how it ended: a call, or a sum that its tool did not finish.
    Blank,
    /// The sum of several that have records of their own.
    Sum,
}

/// Takes calls in the order of the file.
pub(crate) trait Sink {
    /// # Errors
    /// When it cannot be kept.
    fn call(&mut self, call: &Call<'_>) -> Result<(), ImportError>;

    /// Whether records of a label that say nothing of how they ended are sums that the tool did not finish.
    fn sums_up(&self, _label: &[u8]) -> bool {
        false
    }

    /// The zone of stamps that do not say theirs.
    fn zone(&self) -> Zone {
        Zone::default()
    }

    /// A stretch of time in which the tool counted calls. Where it does not say when each call began, the run lasts as
    /// long as these stretches, and rates are taken over all of them.
    fn covers(&mut self, _from: Nanos, _to: Nanos) {}

    /// Virtual users at a moment, where the tool has them apart from its calls.
    fn users(&mut self, _at: Nanos, _users: u32) {}
}
