//! A private Apache Kafka for one run: a cluster of one broker, or a MirrorMaker between two clusters; started, watched over
//! and taken away again.
//!
//! # Place in the pipeline
//! Outside it: an instance of a system under test, as the services that produce and consume are others.
//!
//! # Ideas
//! - Broker and MirrorMaker are the real ones, in a Java machine of their own; this program is only their supervisor, as
//!   `system-postgres` is for PostgreSQL. What supervisors share is in `system_common::server`.
//! - A broker is controller as well (KRaft), so a cluster is one process. It listens on loopback only, and data made for a
//!   run goes with it.
//! - What is asked of it is asked through librdkafka, as `system-auditlog` and the monitors ask: another Java machine for
//!   each question would take more than the broker.
//!
//! # Not here
//! What is in the records belongs to the system that uses the broker, such as `system-auditlog`. Lag and members of groups
//! are watched by `monitor-kafka-lag`.

#![forbid(unsafe_code)]
#![allow(
    clippy::disallowed_methods,
    reason = "a reference system is a program of its own and asks the system for the time"
)]

mod broker;
mod client;
mod cluster;
mod java;
mod mirror;
mod mirrored;
mod options;

use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use system_common::server::run_supervisor;

use options::{Command, Options};

fn run(options: &Options, born: Instant) -> Result<ExitCode> {
    match &options.command {
        Command::Broker(options) => broker::run(options, born),
        Command::Mirror(options) => mirror::run(options, born),
    }
}

fn main() -> ExitCode {
    run_supervisor(run)
}
