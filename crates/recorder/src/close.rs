//! One close of a leg, before it is counted.

use crate::exchange::Leg;
use crate::layout::{Measure, Threshold};
use crate::trace::OwnHalf;
use terms::{Nanos, Outcome};

/// A close with all that is counted of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RawClose {
    pub(crate) step: u32,
    pub(crate) exchange: u16,
    pub(crate) leg: Leg,
    pub(crate) stream: u16,
    pub(crate) outcome: Outcome,
    pub(crate) intended_s: i64,
    pub(crate) end_s: i64,
    pub(crate) response: Option<Nanos>,
    pub(crate) service: Nanos,
    pub(crate) units: u64,
    pub(crate) bytes: u64,
}

/// What is known of a close besides, and counted nowhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Origin {
    /// Where its time begins.
    pub(crate) at: Nanos,
    /// The trace that its request began.
    pub(crate) trace: Option<OwnHalf>,
}

/// Several exchanges of an iteration, booked as one under a number of their own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Whole {
    pub exchange: u16,
    pub step: u32,
    pub stream: u16,
    pub outcome: Outcome,
    /// Origin of the first of them.
    pub intended: Nanos,
    /// When the first of them was started.
    pub started: Nanos,
    /// When the last of them ended.
    pub at: Nanos,
    /// What of the time between does not count.
    pub left_out: Nanos,
}

impl RawClose {
    /// Whether it is on the counted side of a threshold; without an intended start, service time stands in.
    pub(crate) fn is_below(&self, threshold: &Threshold) -> bool {
        threshold.holds(match threshold.measure {
            Measure::Response => self.response.unwrap_or(self.service),
            Measure::Service => self.service,
        })
    }
}
