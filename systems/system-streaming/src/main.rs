//! A streaming gateway and the backend behind it: a WebSocket echo and server-sent events, on thousands of held connections.
//!
//! # Place in the pipeline
//! Outside it: this is what the streaming studies load and watch.
//!
//! # Ideas
//! - The protocols are real: RFC 6455 with all its frames on both sides of the gateway, the event stream of the WHATWG,
//!   one connection to the backend for each of a client, signed bearer tokens.
//! - A message waits for its reader: nothing is queued but what the sockets hold, so a reader that does not read stops the
//!   writer at the other end. Messages get lost only where a fault says so.
//! - What goes wrong on purpose follows from the number of the message in the process, so that losses can be counted to
//!   the message.
//!
//! # Not here
//! The frame of a service (health, counters, log, faults) is in `system-common`.

#![forbid(unsafe_code)]
#![allow(
    clippy::disallowed_methods,
    reason = "a reference system is a program of its own and asks the system for the time"
)]

mod backend;
mod certificates;
mod cli;
mod gateway;
mod hub;
mod tokens;
mod traffic;
mod websocket;

use std::process::ExitCode;

use system_common::run_program;

fn main() -> ExitCode {
    run_program(ExitCode::FAILURE, cli::run)
}
