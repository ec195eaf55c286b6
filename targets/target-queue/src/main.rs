//! A known-answer server with a queue; its theory is in the library's docs.

use std::process::ExitCode;

fn main() -> ExitCode {
    target_common::run(
        "target-queue",
        "Serves requests first come first served with drawn service times: M/M/1, M/M/c or M/D/1.",
        target_queue::flags(),
        |args, _| target_queue::from_args(args),
    )
}
