//! A known-answer server with a constant service time; see the library's docs.

use std::process::ExitCode;

fn main() -> ExitCode {
    target_common::run(
        "target-echo",
        "Answers every request a constant time after its arrival, and fails on purpose where asked to.",
        target_echo::flags(),
        target_echo::from_args,
    )
}
