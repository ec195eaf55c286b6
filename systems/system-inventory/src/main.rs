//! A collection service in the manner of a library platform: a gateway and two storage modules, each a process.
//!
//! # Place in the pipeline
//! Outside it: this is what the study of retrieving instances and holdings loads and watches.
//!
//! # Ideas
//! - Work is real: HTTP between processes, SQL on one SQLite file in WAL mode, bounded pools of connections, signed
//!   tokens. What goes wrong on purpose is a switch (`--fault`).
//! - Data is arithmetic: whatever instance number `i` is follows from the seed and `i`, so a data file can be written
//!   without a store, and a small store holds the same instances as the beginning of a large one.
//! - A module whose store is missing builds it, so that a study needs no step before it.
//!
//! # Not here
//! The frame of a service (health, counters, log, faults, pool) is in `system-common`.

#![forbid(unsafe_code)]
#![allow(
    clippy::disallowed_methods,
    reason = "a reference system is a program of its own and asks the system for the time"
)]

mod cli;
mod data;
mod gateway;
mod modules;
mod store;

use std::process::ExitCode;

use system_common::run_program;

fn main() -> ExitCode {
    run_program(ExitCode::FAILURE, cli::run)
}
