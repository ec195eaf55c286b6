//! A private PostgreSQL for one run: made, started, watched over and taken away again.
//!
//! # Place in the pipeline
//! Outside it: one instance of a system under test, as the modules that store their data in it are others.
//!
//! # Ideas
//! - The server is the real one, found on the machine; this program is only its supervisor. The server is its child, so
//!   that whoever watches this process tree watches the database.
//! - What is private stays private: the server listens on loopback only, its superuser cannot connect at all, and data
//!   made for a run goes with it.
//! - Nothing stays behind: a guard, a second process of this program, ends the server and removes its data when the
//!   supervisor ends, however it ends.
//!
//! # Not here
//! Tables and rows belong to the system that uses the database, such as `system-inventory`. The frame (health, version,
//! counters, fault switches), the guard and the supervisor's life are in `system-common`.

#![forbid(unsafe_code)]
#![allow(
    clippy::disallowed_methods,
    reason = "a reference system is a program of its own and asks the system for the time"
)]

mod cli;
mod cluster;
mod database;
mod options;
mod programs;

use std::process::ExitCode;

use system_common::server::run_supervisor;

fn main() -> ExitCode {
    run_supervisor(cli::run)
}
