//! A known-answer server that saturates; its theory is in the library's docs.

use std::process::ExitCode;

fn main() -> ExitCode {
    target_common::run("target-saturate", target_saturate::Flags::server)
}
