//! The yardstick of the bench: a client that does nothing but send, receive, compare and count, and a server that stamps
//! arrivals in the kernel.
//!
//! # Place in the pipeline
//! Beside it. `cargo xtask bench` runs both programs next to loadproof and to other generators.
//!
//! # Ideas
//! What the client costs is what the machine asks for a request, whoever asks: the floor. How it keeps a schedule is
//! what the machine's timers and scheduler let through. So figures of the engine are quoted as ratios to it, measured in
//! the same run.
//!
//! # Not here
//! Time-outs, data, checks, books, TLS: a generator needs them, a floor must not have them.
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, reason = "a program of its own, that measures in real time")]

mod load;
mod options;
mod serve;
mod spread;

use anyhow::{Result, bail};

const USAGE: &str = "\
usage: yardstick load ADDRESS [--connections N] [--for SECONDS] [--rate PER_SECOND] [--count REQUESTS]
                   asks as fast as answers come, or at a constant rate; prints what it saw as JSON
       yardstick serve [--interval MICROSECONDS]
                   answers at once until standard input closes; prints how arrivals were spread as JSON
";

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let printed = match words.as_slice() {
        ["load", address, rest @ ..] => load::run(address, &options::Options::parse(rest)?)?,
        ["serve", rest @ ..] => serve::run(&options::Options::parse(rest)?)?,
        _ => bail!("{USAGE}"),
    };
    println!("{printed}");
    Ok(())
}
