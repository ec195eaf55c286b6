//! What an import costs, beside DuckDB's own aggregates of the same file.
//!
//! Five million samples of JMeter with its seventeen columns, of a fixed seed, are written once. All read that file in
//! turn, so that what else the machine does meets each: loadproof makes a run folder of it, which is sealed at a moment of
//! its own, judges it and writes its report; DuckDB makes the table of JMeter's dashboard, and by itself what is least:
//! calls, failures, mean and four exact percentiles of each label.

use crate::child::{self, Measured};
use anyhow::{Context, Result, bail, ensure};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

/// Samples of the file.
const LINES: u32 = 5_000_000;
/// A file to try the bench itself with.
const LINES_DEV: u32 = 50_000;
const LABELS: [&str; 8] = ["Home page", "Login", "Search", "Product", "Cart", "Checkout", "Order status", "Logout"];
/// First stamp, milliseconds since 1970.
const BEGIN_MS: u64 = 1_795_690_680_000;

/// What JMeter's dashboard has in its table of statistics: each label and all together, percentiles exact.
const DASHBOARD: &str = "SELECT label, count(*), sum(CASE WHEN success THEN 0 ELSE 1 END), avg(elapsed), min(elapsed), \
    max(elapsed), quantile_disc(elapsed, [0.5, 0.9, 0.95, 0.99]), \
    count(*) * 1000.0 / (max(timeStamp + elapsed) - min(timeStamp)), sum(bytes), sum(sentBytes) \
    FROM read_csv('FILE') GROUP BY GROUPING SETS ((label), ())";
/// Much less than that.
const BY_LABEL: &str = "SELECT label, count(*), avg(elapsed), quantile_disc(elapsed, [0.5, 0.9, 0.95, 0.99]), \
    sum(CASE WHEN success THEN 0 ELSE 1 END) FROM read_csv('FILE') GROUP BY label";

/// What each cost, turn by turn.
pub(super) struct Imports {
    lines: u32,
    bytes: u64,
    ours: Vec<Measured>,
    /// Seconds until the run folder was sealed: all that is behind judges and draws.
    sealed_s: Vec<f64>,
    dashboard: Vec<Measured>,
    by_label: Vec<Measured>,
}

/// Makes the file and has both read it, `rounds` times each.
pub(super) fn imports(loadproof: &Path, python: &Path, scratch: &Path, rounds: u32, is_dev: bool) -> Result<Imports> {
    std::fs::create_dir_all(scratch)?;
    // Looked for before a minute is spent on the file.
    let found = child::measure(command(python, &["-c", "import duckdb; print(duckdb.__version__)"]), None)?;
    if found.stdout.trim().is_empty() {
        bail!(
            "DuckDB is missing; type `python3 -m venv /tmp/duckdb && /tmp/duckdb/bin/pip install duckdb`, and then \
             `cargo xtask bench import --python /tmp/duckdb/bin/python`"
        );
    }
    println!("DuckDB {}", found.stdout.trim());
    let file = scratch.join("samples.jtl");
    let lines = if is_dev { LINES_DEV } else { LINES };
    write(&file, lines)?;
    let (mut ours, mut sealed_s, mut dashboard, mut by_label) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for round in 0..rounds {
        let folder = scratch.join(format!("run-{round}"));
        let mut import = Command::new(loadproof);
        import.arg("import").arg("jtl").arg(&file).arg("--out").arg(&folder);
        let began = SystemTime::now();
        let measured = child::measure(import, None)?;
        ensure!(folder.join("result.json").exists(), "the run was not judged: {}", measured.stderr.trim());
        let sealed = std::fs::metadata(folder.join("evidence/manifest.json"))?.modified()?;
        sealed_s.push(sealed.duration_since(began)?.as_secs_f64());
        std::fs::remove_dir_all(&folder)?;
        ours.push(measured);
        dashboard.push(aggregate(python, DASHBOARD, &file, LABELS.len() + 1)?);
        by_label.push(aggregate(python, BY_LABEL, &file, LABELS.len())?);
    }
    Ok(Imports { lines, bytes: std::fs::metadata(&file)?.len(), ours, sealed_s, dashboard, by_label })
}

/// Has DuckDB answer a query that gives so many rows.
fn aggregate(python: &Path, query: &str, file: &Path, rows: usize) -> Result<Measured> {
    let query = query.replace("FILE", &file.display().to_string());
    // It draws a bar of its progress on standard output when a query takes seconds.
    let quiet = "duckdb.sql('SET enable_progress_bar = false')";
    let script = format!("import duckdb; {quiet}; print(len(duckdb.sql(\"{query}\").fetchall()))");
    let measured = child::measure(command(python, &["-c", &script]), None)?;
    ensure!(measured.stdout.trim() == rows.to_string(), "DuckDB says: {}", measured.stderr.trim());
    Ok(measured)
}

fn command(program: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    command
}

/// One figure of what was measured.
type Figure = fn(&Measured) -> f64;

/// Writes samples as JMeter does: eight labels, times with a long tail, two failures in a thousand.
fn write(path: &Path, lines: u32) -> Result<()> {
    let file = File::create(path).with_context(|| format!("`{}` cannot be written", path.display()))?;
    let mut out = BufWriter::with_capacity(1 << 20, file);
    writeln!(
        out,
        "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,sentBytes,\
         grpThreads,allThreads,URL,Latency,IdleTime,Connect"
    )?;
    let (mut random, mut at_us) = (Random(7), BEGIN_MS * 1000);
    for number in 0..lines {
        at_us += random.below(720);
        let elapsed = 4 + (30.0 * (1.0 / (1.0 - random.share())).powf(0.7)).min(30_000.0) as u64;
        let label = random.below(LABELS.len() as u64) as usize;
        let (code, message, is_ok) =
            if random.below(500) == 0 { (500, "Internal Server Error", false) } else { (200, "OK", true) };
        let (bytes, connect) = (400 + random.below(8600), u64::from(number % 50 == 0));
        writeln!(
            out,
            "{},{elapsed},{},{code},{message},Thread Group 1-{},text,{is_ok},,{bytes},{},200,200,http://shop.example/{label},{},0,{connect}",
            at_us / 1000,
            LABELS[label],
            number % 200 + 1,
            118 + label,
            elapsed - 1,
        )?;
    }
    out.flush()?;
    Ok(())
}

/// Numbers that are the same on every machine.
///
/// Source: S. Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016 (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ (value >> 31)
    }

    fn below(&mut self, most: u64) -> u64 {
        self.next() % most
    }

    /// From 0 to below 1.
    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The figures as a table, each the lowest of its turns, and our share of those of DuckDB.
pub(super) fn table(imports: &Imports) -> String {
    let least = |of: fn(&Measured) -> f64, all: &[Measured]| all.iter().map(of).fold(f64::INFINITY, f64::min);
    let rows: [(&str, Figure); 3] = [
        ("time until the report is written, s", |measured| measured.wall_s),
        ("processor, s", |measured| measured.cpu_s),
        ("memory, MiB", |measured| measured.resident as f64 / 1_048_576.0),
    ];
    let mut text = format!(
        "{} samples of JMeter, {:.0} MiB; the lowest figure of {} turns each\n\n| | loadproof import | DuckDB, dashboard | ratio | \
         DuckDB, by label | ratio |\n| --- | --- | --- | --- | --- | --- |\n",
        imports.lines,
        imports.bytes as f64 / 1_048_576.0,
        imports.ours.len()
    );
    let mut row = |name: &str, ours: f64, of: Figure| {
        let (dashboard, by_label) = (least(of, &imports.dashboard), least(of, &imports.by_label));
        let ratios = (ours / dashboard, ours / by_label);
        text.push_str(&format!(
            "| {name} | {ours:.2} | {dashboard:.2} | {:.2} | {by_label:.2} | {:.2} |\n",
            ratios.0, ratios.1
        ));
    };
    let sealed_s = imports.sealed_s.iter().copied().fold(f64::INFINITY, f64::min);
    row("time until the run folder is sealed, s", sealed_s, |measured| measured.wall_s);
    for (name, of) in rows {
        row(name, least(of, &imports.ours), of);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_the_same_whenever_it_is_made() {
        let folder = tempfile::tempdir().unwrap();
        let [first, second] = ["a", "b"].map(|name| folder.path().join(name));
        write(&first, 1000).unwrap();
        write(&second, 1000).unwrap();
        let text = std::fs::read_to_string(&first).unwrap();
        assert_eq!(text, std::fs::read_to_string(&second).unwrap());
        assert_eq!(text.lines().count(), 1001);
        assert!(text.lines().all(|line| line.split(',').count() == 17));
    }
}
