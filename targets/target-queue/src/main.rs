//! A known-answer server with a queue; its theory is in the library's docs.

use std::process::ExitCode;

fn main() -> ExitCode {
    target_common::run("target-queue", target_queue::Flags::server)
}
