//! The `main` of a system's program: arguments in, exit code out.

use std::process::{ExitCode, Termination};
use std::time::Instant;

use anyhow::Result;
use clap::Parser;

/// Reads the command line and runs the program to its end; an error goes to standard error, and `failure` to whoever
/// waits for the process. `run` is handed the moment at which the process started.
pub fn run_program<O: Parser, T: Termination>(
    failure: ExitCode,
    run: impl FnOnce(&O, Instant) -> Result<T>,
) -> ExitCode {
    let born = Instant::now();
    match run(&O::parse(), born) {
        Ok(done) => done.report(),
        Err(error) => {
            eprintln!("error: {error:#}");
            failure
        }
    }
}
