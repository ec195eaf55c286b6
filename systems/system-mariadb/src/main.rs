//! A private MariaDB for one run: made, started, watched over and taken away again.
//!
//! # Place in the pipeline
//! Outside it: one instance of a system under test, as the modules that store their data in it are others.
//!
//! # Ideas
//! - The server is the real one, found on the machine; this program is only its supervisor, as `system-postgres` is for
//!   PostgreSQL. What the two share is in `system_common::server`.
//! - What is private stays private: the server listens on loopback only, there is no socket file and no superuser, and
//!   data made for a run goes with it.
//! - A commit is on the disk when it is answered, unless a switch says otherwise.
//!
//! # Not here
//! Tables and rows belong to the system that uses the database, such as `system-messaging`.

#![forbid(unsafe_code)]
#![allow(
    clippy::disallowed_methods,
    reason = "a reference system is a program of its own and asks the system for the time"
)]

mod cli;
mod database;
mod files;
mod options;
mod programs;

use std::process::ExitCode;

use system_common::server::run_supervisor;

fn main() -> ExitCode {
    run_supervisor(cli::run)
}
