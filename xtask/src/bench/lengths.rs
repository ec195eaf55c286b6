//! What judging a run costs, by the run's length.
//!
//! A minute of thirty exchanges is recorded, and its rows are repeated until they make a long run: nobody waits a day.

use crate::child::{self, Measured, Server};
use anyhow::{Context, Result, ensure};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// Exchanges of the study, each ten times a second.
const EXCHANGES: u32 = 30;
/// Lengths of the hold: a minute, an hour, a day.
const LENGTHS: [(&str, u32); 3] = [("1 min", 60), ("1 h", 3600), ("1 day", 86_400)];

/// What judging any of them may take, MiB.
const MEMORY_MAX_MIB: f64 = 256.0;

pub(super) struct Judged {
    pub(super) length: &'static str,
    /// Bytes of the evidence.
    pub(super) evidence: u64,
    pub(super) measured: Measured,
}

/// Records a minute, makes long runs of it and judges each.
pub(super) fn judged(loadproof: &Path, replay: &Path, echo: &Path, scratch: &Path) -> Result<Vec<Judged>> {
    std::fs::create_dir_all(scratch)?;
    let study = scratch.join("thirty.yaml");
    let recorded = scratch.join("recorded");
    {
        let server = Server::start(echo, &["--service", "3ms", "--port", "0"], None)?;
        std::fs::write(&study, text(&server.url()))?;
        let mut run = Command::new(loadproof);
        run.arg("run").arg(&study).arg("--out").arg(&recorded);
        let told = child::measure(run, None)?;
        ensure!(recorded.join("evidence/manifest.json").exists(), "the run was not sealed: {}", told.stderr.trim());
    }
    let mut all = Vec::new();
    for (length, seconds) in LENGTHS {
        let folder = scratch.join(format!("long-{seconds}"));
        let mut replayed = Command::new(replay);
        replayed.arg(&recorded).arg(&folder).arg(seconds.to_string());
        let told = child::measure(replayed, None)?;
        ensure!(folder.join("evidence/manifest.json").exists(), "it was not repeated: {}", told.stderr.trim());
        let mut judge = Command::new(loadproof);
        judge.arg("judge").arg(&folder);
        let measured = child::measure(judge, None)?;
        let result = std::fs::read_to_string(folder.join("result.json"));
        result.with_context(|| format!("it was not judged: {}", measured.stderr.trim()))?;
        all.push(Judged { length, evidence: bytes(&folder.join("evidence")), measured });
        std::fs::remove_dir_all(&folder)?;
        let memory = all.last().map_or(0.0, |judged: &Judged| judged.measured.resident as f64 / 1_048_576.0);
        ensure!(memory <= MEMORY_MAX_MIB, "judging {length} took {memory:.0} MiB, and may take {MEMORY_MAX_MIB}");
    }
    Ok(all)
}

/// A study of thirty exchanges with an objective each.
fn text(url: &str) -> String {
    let mut text = format!(
        "study: Thirty exchanges\nsystem: {{ name: echo, url: \"{}\", identity: {{ path: /version, expect: {{ name: target-echo }} }} }}\nwatch: {{ host: {{}} }}\nexchanges:\n",
        url.trim_end_matches('/')
    );
    let names: Vec<String> = (1..=EXCHANGES).map(|number| format!("x{number}")).collect();
    for name in &names {
        _ = writeln!(text, "  {name}: {{ http.get: {{ url: \"{url}\" }}, check: [ status = 200 ] }}");
    }
    _ = writeln!(text, "scenarios:\n  s: {{ load: {{ arrivals: 10/s, hold: 1m }}, run: [{}] }}", names.join(", "));
    text.push_str("requirements:\n  fast: p95(*.response) < 200ms\n  right: share(*.failed) <= 0.1%\n");
    text
}

fn bytes(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let of = |entry: std::fs::DirEntry| {
        let path = entry.path();
        if path.is_dir() { bytes(&path) } else { entry.metadata().map_or(0, |file| file.len()) }
    };
    entries.map(of).sum()
}
