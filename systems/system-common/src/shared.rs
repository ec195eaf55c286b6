//! What a service is, and what all its calls share.

use std::sync::Mutex;
use std::time::Instant;

use crate::access_log::AccessLog;
use crate::counters::Counters;
use crate::fault::{FaultKind, Faults};

/// What a service is.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// The program, such as `system-inventory`.
    pub program: &'static str,
    /// Which part of the system this process is, such as `records`.
    pub module: &'static str,
    /// Version of the program.
    pub version: &'static str,
    /// All routes, as method and path pattern.
    pub routes: &'static [&'static str],
    /// The faults that mean something here.
    pub faults: &'static [FaultKind],
    /// Where the fault `delay` is spent.
    pub delay_at: DelayAt,
    /// Who carries out the fault `crash`.
    pub crash_by: CrashBy,
}

/// Who carries out the fault `crash`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrashBy {
    /// The frame: this process ends.
    Frame,
    /// The program itself, since what is to die is another process.
    Program,
}

/// Where the fault `delay` is spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DelayAt {
    /// When the call comes in.
    Entry,
    /// In the store, while a connection of the pool is held: as a slow query, it also exhausts the pool.
    Store,
    /// Before each message of a held connection; opening one takes no longer.
    Message,
}

/// What all calls share.
pub(crate) struct Shared {
    pub(crate) about: About,
    pub(crate) delay_at: DelayAt,
    pub(crate) instance: String,
    pub(crate) nonce: String,
    pub(crate) faults: Faults,
    pub(crate) counters: Counters,
    pub(crate) log: AccessLog,
    pub(crate) leaked: Mutex<Vec<Vec<u8>>>,
    pub(crate) born: Instant,
}
