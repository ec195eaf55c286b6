//! An ebXML Messaging 2.0 message service handler: messages come in over HTTP, are checked against agreements and
//! stored; replies go out later, on connections of their own.
//!
//! # Place in the pipeline
//! Outside it: this is what the messaging study loads and watches.
//!
//! # Ideas
//! - What came in, its replies and their delivery tasks are one transaction, and 204 is answered after its commit. So
//!   whatever was accepted is stored, and whatever is stored is delivered, also after a crash of either side.
//! - A writer commits what waits as one group (`store::committer`): the price of a commit is shared, and the busier it
//!   is, the more share it. Marks of deliveries go into the same groups.
//! - Whatever comes over the wire is hostile until checked: XML without document types, bounded in depth and size.
//! - The driver that loads this has a reader and writer of envelopes of its own; they share no code with these, so that
//!   a slip in one is found by the other.
//!
//! # Not here
//! The frame of a service (health, counters, log, faults) is in `system-common`; a private MariaDB is
//! `system-mariadb`. Signatures, encryption, message order and status requests are not supported, and answered so.

#![forbid(unsafe_code)]
#![allow(
    clippy::disallowed_methods,
    reason = "a reference system is a program of its own and asks the system for the time"
)]

mod agreement;
mod cli;
mod counters;
mod delivery;
mod handler;
mod store;
mod wire;

use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use system_common::run_program;
use terms::Nanos;

/// Status of a command line, a folder of agreements or a store address that cannot be.
const WRONG_SETTINGS: u8 = 2;

/// The wall clock, in whole milliseconds: finer is neither written nor stored.
pub(crate) fn moment_now() -> Nanos {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Nanos::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX / 1_000_000))
}

fn main() -> ExitCode {
    run_program(ExitCode::from(WRONG_SETTINGS), cli::run)
}
