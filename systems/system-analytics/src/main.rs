//! An analytics server: events come in bundles over Thrift or the receivers' own binary protocol, wait in a bounded queue, and go into a store, where they are
//! looked for; its tables are exported as segments, over which analyzers answer queries.
//!
//! # Place in the pipeline
//! Outside it: this is what the studies of analytics load and watch.
//!
//! # Ideas
//! - What is accepted and what is durable are two counts: between them lies a queue, and where it is full the receiver
//!   answers late. How long that took is counted, too.
//! - The embedded store is log-structured: writes go to a journal and to memory, memory is flushed to sorted files, and
//!   files are merged. Where flushing or merging falls behind, writes stall, as they do in any such store.
//! - Bundles of Thrift are read by the library `thrift`, so a client that only suits our own reader would show.
//! - An analyzer computes nothing over rows itself: an engine in a process of its own does, over a range of them. The
//!   analyzer that is asked deals the ranges out, and merges what comes back, or says why it cannot.
//! - Whatever comes over the wire is hostile until checked: sizes, numbers of values, definitions.
//!
//! # Not here
//! The frame of a service (health, counters, log, faults) is in `system-common`.

#![forbid(unsafe_code)]
#![allow(
    clippy::disallowed_methods,
    reason = "a reference system is a program of its own and asks the system for the time"
)]

mod analyze;
mod binary;
mod bundle;
mod cli;
mod export;
mod listener;
mod manifest;
mod queue;
mod receiver;
mod search;
mod server;
mod store;
mod stream;

use std::process::ExitCode;

use system_common::server::run_supervisor;

fn main() -> ExitCode {
    run_supervisor(cli::run)
}
