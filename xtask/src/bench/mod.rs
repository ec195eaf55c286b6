//! The bench: what a request costs the engine, beside a generator that does nothing else but ask.
//!
//! A known-answer target that answers at once is loaded by `loadproof quick`, closed and open, and by `wrk` where it is
//! installed. What counts is processor time (and instructions, where `perf` can be used) of the generator's own process
//! for a million requests: unlike a rate it hardly depends on what else the machine does. What a run costs whatever its
//! load, from starting to the report, is measured by itself and taken off. Every command is printed, so that everybody
//! can try it by hand.

mod child;
mod figures;

use crate::schema::built;
use crate::tree::Tree;
use anyhow::{Context, Result, bail, ensure};
use child::{Measured, Target};
use figures::Row;
use std::path::PathBuf;
use std::process::Command;

/// What to measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The usual build instead of the release build: only to try the bench itself.
    pub is_dev: bool,
    /// Length of each measurement, seconds.
    pub seconds: u32,
}

/// Longest measurement, seconds: the bench is no load test.
const SECONDS_MAX: u32 = 60;
/// Users of the closed load, and connections of `wrk`.
const USERS: u32 = 64;
/// Rate of the open load, a second.
const RATE: u32 = 5000;
/// A rate that costs nearly nothing: what is left is starting, watching, sealing, judging and reporting.
const IDLE_RATE: u32 = 1;

impl Options {
    /// Reads the words of the command line.
    ///
    /// # Errors
    /// A word that is none of ours, or a length outside 1 to 60 seconds.
    pub fn parse(words: &[&str]) -> Result<Self> {
        let mut options = Self { is_dev: false, seconds: 5 };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match *word {
                "--dev" => options.is_dev = true,
                "--for" => {
                    let text = words.next().copied().unwrap_or_default();
                    let seconds = text.trim_end_matches('s').parse().ok();
                    let seconds = seconds.filter(|seconds| (1..=SECONDS_MAX).contains(seconds));
                    options.seconds =
                        seconds.with_context(|| format!("`--for {text}`: write 1 to {SECONDS_MAX} seconds"))?;
                }
                other => bail!("`{other}` is no option of the bench; there are `--dev` and `--for SECONDS`"),
            }
        }
        Ok(options)
    }
}

/// Measures and prints.
///
/// # Errors
/// A program that is not built, a target that does not start, a run without result.
pub fn run(tree: &Tree, options: &Options) -> Result<()> {
    let profile = if options.is_dev { "debug" } else { "release" };
    let program = |name: &str, package: &str| -> Result<PathBuf> {
        let path = built(tree, profile, name);
        let flag = if options.is_dev { "" } else { "--release " };
        ensure!(path.exists(), "`{}` is not there; type `cargo build {flag}-p {package}`", path.display());
        Ok(path)
    };
    let (loadproof, echo) = (program("loadproof", "cli")?, program("target-echo", "target-echo")?);
    if options.is_dev {
        println!("the usual build: these figures say nothing about the release build\n");
    }
    let scratch = std::env::temp_dir().join(format!("loadproof-bench-{}", std::process::id()));
    let target = Target::start(&echo)?;
    let measured = measure(&loadproof, &target.url(), &scratch, options);
    drop(target);
    let _ = std::fs::remove_dir_all(&scratch);
    print!("{}", figures::table(&measured?));
    Ok(())
}

fn measure(loadproof: &PathBuf, url: &str, scratch: &std::path::Path, options: &Options) -> Result<Vec<Row>> {
    let seconds = options.seconds;
    let mut rows = Vec::new();
    if let Some(wrk) = child::on_path("wrk") {
        let mut command = Command::new(wrk);
        command.args(["-t1", &format!("-c{USERS}"), &format!("-d{seconds}s"), url]);
        let measured = child::measure(command)?;
        let requests = figures::of_wrk(&measured.stdout).context("`wrk` printed no number of requests")?;
        rows.push(row("wrk, closed, 64 connections", requests, &measured, None));
    } else {
        println!("wrk is not installed, so there is nothing to compare with (apt-get install wrk)\n");
    }
    let closed = vec!["--users".to_owned(), USERS.to_string()];
    let open = |rate: u32| vec!["--rate".to_owned(), format!("{rate}/s")];
    for (name, load) in [
        (figures::FIXED, open(IDLE_RATE)),
        ("loadproof, closed, 64 users", closed),
        ("loadproof, open, 5000/s", open(RATE)),
    ] {
        let mut command = Command::new(loadproof);
        let out = scratch.join(rows.len().to_string());
        command.args(["quick", url]).args(&load).args(["--for", &format!("{seconds}s"), "--threads", "1", "--json"]);
        command.arg("--out").arg(&out);
        let measured = child::measure(command)?;
        // Whether the run was valid is part of the result, so no exit code of a verdict is an error here.
        let result = figures::of_result(&measured.stdout)
            .with_context(|| format!("no result from `{}`: {}", measured.command, measured.stderr.trim()))?;
        rows.push(row(name, result.requests, &measured, Some(result)));
    }
    Ok(rows)
}

fn row(name: &str, requests: u64, measured: &Measured, result: Option<figures::OfResult>) -> Row {
    Row {
        name: name.to_owned(),
        command: measured.command.clone(),
        requests,
        cpu_s: measured.cpu_s,
        wall_s: measured.wall_s,
        instructions: measured.instructions,
        result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_bounded() {
        assert_eq!(Options::parse(&[]).unwrap(), Options { is_dev: false, seconds: 5 });
        assert_eq!(Options::parse(&["--dev", "--for", "2s"]).unwrap(), Options { is_dev: true, seconds: 2 });
        for words in [&["--for"][..], &["--for", "0"], &["--for", "61"], &["--fro", "2"]] {
            assert!(Options::parse(words).is_err(), "{words:?}");
        }
    }
}
