//! The table of how often intervals and verdicts are right, measured on processes whose truth is known.

use crate::pages;
use crate::tree::Tree;
use anyhow::{Context, Result, ensure};
use std::process::Command;

/// The page that the table stands on.
pub const PAGE: &str = "docs/methods/coverage.md";

/// Judges so many runs of each process, and writes the table. Takes minutes.
///
/// # Errors
/// A number that is none, an example that does not build or run, a page without its marks.
pub fn write(tree: &Tree, runs: &str) -> Result<bool> {
    runs.parse::<u32>().with_context(|| format!("`{runs}` is not a number of runs; type cargo xtask coverage 300"))?;
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["run", "--release", "-p", "stats", "--example", "coverage", "--", runs]);
    command.current_dir(tree.path("")).stderr(std::process::Stdio::inherit());
    let output = command.output().context("cargo cannot be started")?;
    ensure!(output.status.success(), "the example `coverage` of `stats` failed: {}", output.status);
    let table = String::from_utf8(output.stdout).context("the table is not text")?;
    let text = tree.read(PAGE)?;
    tree.write(PAGE, &pages::between((PAGE, &text), "coverage", &table)?)
}
