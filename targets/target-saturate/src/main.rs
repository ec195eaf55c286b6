//! A known-answer server that saturates; its theory is in the library's docs.

use std::process::ExitCode;

fn main() -> ExitCode {
    target_common::run(
        "target-saturate",
        "Serves requests in one line, slower the more of them are present: throughput follows the universal scalability law.",
        target_saturate::flags(),
        |args, _| target_saturate::from_args(args),
    )
}
