//! What a listener took for a leg that is waited for.

use crate::exchange::Leg;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use terms::{Nanos, Outcome};

/// Something for a leg that is waited for, on its way from a listener to the thread that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// What `Recorder::key` gave.
    pub key: u128,
    /// When its first byte was read.
    pub at: Nanos,
    /// How it ended.
    pub outcome: Outcome,
    /// Why it is not ok, for the samples of failures.
    pub why: Option<Box<str>>,
    /// Set for a refusal, which ends whatever leg of the exchange waits.
    pub refusal: Option<Refusal>,
    /// Counts it if no leg of any exchange turns out to have waited for it.
    pub unmatched: Unmatched,
}

/// What a refusal may end but for the leg under its first key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The key of the second later leg, if there is one.
    pub next: Option<u128>,
    /// Where it is booked if no leg waits.
    pub leg: Leg,
}

/// A listener's count of what was handed on and belonged to no exchange. A load thread adds to it.
#[derive(Clone, Debug, Default)]
pub struct Unmatched(pub Arc<AtomicU64>);

impl Unmatched {
    /// Counts one more arrival.
    pub fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Two arrivals that are counted at different places are the same all the same.
impl PartialEq for Unmatched {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Unmatched {}
