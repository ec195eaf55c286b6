//! An audit log of health care: who looked at whose record, asked by SOAP, from replicas behind a front.
//!
//! # Place in the pipeline
//! Outside it: this is what the studies of lookups load and watch.
//!
//! # Ideas
//! - One program, a role for each process: `front` spreads calls, `lookup` answers them, `lookup-jvm` is the same in Java,
//!   `token` signs who is asking. What goes wrong on purpose is a switch (`--fault`).
//! - Registrations go from `register` into a log, from there by `mirror` into a central one, and by hosts of `consume` into
//!   the store that lookups read. A log is a Kafka, or a role of its own, `log`, in place of one: partitions, groups, offsets.
//! - Data is arithmetic: who citizen number `i` is, and what was logged about them, follows from the seed and `i`, so data
//!   files can be written without a store, and a store is filled row by row in flat memory.
//! - An assertion is signed in its canonical form and taken only as it was issued, byte by byte, so no reader has to
//!   bring XML into that form, and any other verifier of XML signatures accepts it.
//! - Whatever comes over the wire is hostile until checked: XML without document types, bounded in depth and size.
//!
//! # Not here
//! The frame of a service (health, counters, log, faults, pool) and the reader of XML
//! are in `system-common`; a private MariaDB is `system-mariadb`, a private Kafka `system-kafka`.

#![forbid(unsafe_code)]
#![allow(
    clippy::disallowed_methods,
    reason = "a reference system is a program of its own and asks the system for the time"
)]

mod cli;
mod data;
mod front;
mod java;
mod log;
mod lookup;
mod registration;
mod soap;
mod store;
mod token;
mod web;

use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use system_common::run_program;
use terms::Nanos;

/// The wall clock, in whole milliseconds since 1970.
pub(crate) fn moment_now() -> Nanos {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Nanos::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX / 1_000_000))
}

fn main() -> ExitCode {
    run_program(ExitCode::FAILURE, cli::run)
}
