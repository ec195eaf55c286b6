//! A known-answer server that freezes on schedule; its theory is in the library's docs.

use std::process::ExitCode;

fn main() -> ExitCode {
    target_common::run(
        "target-stall",
        "Answers after a constant service time, but holds all answers back for a while on schedule.",
        target_stall::flags(),
        |args, _| target_stall::from_args(args),
    )
}
