//! A known-answer server that freezes on schedule; its theory is in the library's docs.

use std::process::ExitCode;

fn main() -> ExitCode {
    target_common::run("target-stall", target_stall::Flags::server)
}
