//! What an import costs, beside DuckDB's own aggregate of the same file.
//!
//! Five million samples of JMeter with its seventeen columns, of a fixed seed, are written once. Both read that file, one
//! after the other, so that what else the machine does meets both: loadproof makes a run folder of it, judges it and
//! writes its report; DuckDB counts calls and failures by label, with the mean and four exact percentiles.

use crate::child::{self, Measured};
use anyhow::{Context, Result, bail, ensure};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;

/// Samples of the file.
const LINES: u32 = 5_000_000;
/// A file to try the bench itself with.
const LINES_DEV: u32 = 50_000;
const LABELS: [&str; 8] = ["Home page", "Login", "Search", "Product", "Cart", "Checkout", "Order status", "Logout"];
/// First stamp, milliseconds since 1970.
const BEGIN_MS: u64 = 1_795_690_680_000;

/// What both cost, turn by turn.
pub(super) struct Imports {
    pub(super) lines: u32,
    pub(super) bytes: u64,
    pub(super) ours: Vec<Measured>,
    pub(super) duckdb: Vec<Measured>,
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
    let query = format!(
        "import duckdb; print(len(duckdb.sql(\"SELECT label, count(*), avg(elapsed), quantile_disc(elapsed, [0.5, 0.9, 0.95, \
         0.99]), sum(CASE WHEN success THEN 0 ELSE 1 END) FROM read_csv('{}') GROUP BY label\").fetchall()))",
        file.display()
    );
    let (mut ours, mut duckdb) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        let folder = scratch.join(format!("run-{round}"));
        let mut import = Command::new(loadproof);
        import.arg("import").arg("jtl").arg(&file).arg("--out").arg(&folder);
        let measured = child::measure(import, None)?;
        ensure!(folder.join("result.json").exists(), "the run was not judged: {}", measured.stderr.trim());
        std::fs::remove_dir_all(&folder)?;
        ours.push(measured);
        let measured = child::measure(command(python, &["-c", &query]), None)?;
        ensure!(measured.stdout.trim() == LABELS.len().to_string(), "DuckDB says: {}", measured.stderr.trim());
        duckdb.push(measured);
    }
    Ok(Imports { lines, bytes: std::fs::metadata(&file)?.len(), ours, duckdb })
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

/// The figures as a table, each the least of its turns, and what one is of the other.
pub(super) fn table(imports: &Imports) -> String {
    let least = |of: fn(&Measured) -> f64, all: &[Measured]| all.iter().map(of).fold(f64::INFINITY, f64::min);
    let rows: [(&str, Figure); 3] = [
        ("time, s", |measured| measured.wall_s),
        ("processor, s", |measured| measured.cpu_s),
        ("memory, MiB", |measured| measured.resident as f64 / 1_048_576.0),
    ];
    let mut text = format!(
        "{} samples of JMeter, {:.0} MiB; the least of {} turns each\n\n| | loadproof import | DuckDB | ratio |\n| --- | --- | --- | --- |\n",
        imports.lines,
        imports.bytes as f64 / 1_048_576.0,
        imports.ours.len()
    );
    for (name, of) in rows {
        let (ours, duckdb) = (least(of, &imports.ours), least(of, &imports.duckdb));
        text.push_str(&format!("| {name} | {ours:.2} | {duckdb:.2} | {:.2} |\n", ours / duckdb));
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
