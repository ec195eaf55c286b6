//! A known-answer server with a constant service time; see the library's docs.

use std::process::ExitCode;

fn main() -> ExitCode {
    target_common::run("target-echo", target_echo::Flags::server)
}
