//! How a run is told to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// How far the stopping has gone; within a load it never goes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Stop {
    /// Go on.
    No,
    /// Start nothing more, let end what is open.
    Drain,
    /// Cut off what is open.
    Now,
}

/// Shared by the run, its workers and whoever may stop it.
#[derive(Clone, Debug, Default)]
pub struct Control(Arc<AtomicU8>);

impl Control {
    /// Nobody has said stop.
    pub fn new() -> Self {
        Self::default()
    }

    /// Says stop; a milder word after a stronger one changes nothing.
    pub fn stop(&self, stop: Stop) {
        self.0.fetch_max(stop as u8, Ordering::Relaxed);
    }

    /// What was stated ended one load and not those that follow.
    pub fn go_on(&self) {
        self.0.store(Stop::No as u8, Ordering::Relaxed);
    }

    /// How far it has gone.
    pub fn get(&self) -> Stop {
        match self.0.load(Ordering::Relaxed) {
            0 => Stop::No,
            1 => Stop::Drain,
            _ => Stop::Now,
        }
    }
}
