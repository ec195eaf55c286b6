//! Load nodes: what one costs whoever conducts the run, and what a thousand do.
//!
//! Nodes meet over a NATS server of the bench's own, as they do on machines of their own. One of them drives load, the
//! others repeat what it records (`broker`'s example `many_nodes`), so that the machine can carry a thousand. The command
//! that conducts the run has a core to itself; the server and all nodes share the other. What it takes by itself is known
//! from a run of one node; beyond that, processor time grows with nodes times seconds, and memory with nodes.
//! Every run must have counted so many calls as the plan has, to the last one: else the table is refused.

use super::generators::of_result;
use super::{Bench, GENERATOR_CORE, SERVER_CORE};
use crate::child::{Measured, Server, measure, on_path, pinned};
use anyhow::{Context, Result, bail, ensure};
use std::fmt::Write as _;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Nodes of the runs, in turn.
const NODES: [u32; 5] = [1, 10, 100, 300, 1000];
/// Load threads of each, as on a small machine.
const CORES: u32 = 2;
/// Calls a second of each.
const RATE: u32 = 20;
/// Until the server listens.
const STARTING: Duration = Duration::from_secs(20);

/// One run.
struct Conducted {
    nodes: u32,
    calls: u64,
    wall_s: f64,
    measured: Measured,
    /// Bytes of the run folder.
    folder: u64,
}

/// What is started for a run and ended with it.
struct Started(Child);

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Measures each number of nodes once, and writes the table.
pub(super) fn table(bench: &mut Bench<'_>, many: &Path) -> Result<String> {
    // Debian has it where users' paths do not lead.
    let installed = || Some(PathBuf::from("/usr/sbin/nats-server")).filter(|program| program.is_file());
    let Some(nats) = on_path("nats-server").or_else(installed) else {
        bail!("`nats-server` is not on the PATH; type `make parts`, or leave the table `nodes` out");
    };
    let seconds = bench.options.seconds.max(20);
    let mut runs = Vec::new();
    for nodes in NODES {
        runs.push(one(bench, &nats, many, nodes, seconds)?);
    }
    let mut text = format!(
        "Load nodes: {RATE}/s and {CORES} threads each, {seconds} s, conducted by one core\n{:>6} {:>12} {:>9} {:>9} {:>17} {:>9} {:>10} {:>11}\n",
        "nodes", "calls", "took s", "CPU s", "CPU ms/node and s", "RSS MiB", "KiB/node", "folder MiB"
    );
    let Some(alone) = runs.first() else { return Ok(text) };
    for run in &runs {
        let more = f64::from(run.nodes - alone.nodes);
        let beyond = |own: f64, of_one: f64| if more > 0.0 { (own - of_one).max(0.0) / more } else { f64::NAN };
        let of_a_node = beyond(run.measured.cpu_s, alone.measured.cpu_s) / f64::from(seconds) * 1e3;
        let held = beyond(run.measured.resident as f64, alone.measured.resident as f64) / 1024.0;
        let shown =
            |value: f64, places: usize| if value.is_nan() { "–".to_owned() } else { format!("{value:.places$}") };
        let _ = writeln!(
            text,
            "{:>6} {:>12} {:>9.1} {:>9.2} {:>17} {:>9.1} {:>10} {:>11.1}",
            run.nodes,
            run.calls,
            run.wall_s,
            run.measured.cpu_s,
            shown(of_a_node, 3),
            run.measured.resident as f64 / f64::from(1 << 20),
            shown(held, 1),
            run.folder as f64 / f64::from(1 << 20),
        );
    }
    Ok(text)
}

fn one(bench: &mut Bench<'_>, nats: &Path, many: &Path, nodes: u32, seconds: u32) -> Result<Conducted> {
    bench.runs += 1;
    let folder = bench.scratch.join(bench.runs.to_string());
    let echo = Server::start(&bench.echo, &["--service", "0ms", "--port", "0"], Some(SERVER_CORE))?;
    let (_nats, url) = broker(nats, &folder.with_extension("js"))?;
    let file = folder.with_extension("yaml");
    std::fs::write(&file, study(&echo.url(), nodes, seconds))?;
    let mut command = Command::new(many);
    command.arg(&bench.loadproof).args([&url, "bench", &nodes.to_string()]);
    let mut all = pinned(command, Some(SERVER_CORE));
    let _all = Started(all.stdin(Stdio::null()).spawn().with_context(|| format!("`{}`", many.display()))?);
    let mut command = Command::new(&bench.loadproof);
    command
        .args(["run", "--json", "--nats", &url, "--group", "bench", "--wait", "3m", "--out"])
        .arg(&folder)
        .arg(&file);
    let measured = measure(command, Some(GENERATOR_CORE))?;
    let said = of_result(&measured.stdout)
        .with_context(|| format!("`{}` said nothing that can be read: {}", measured.command, measured.stderr.trim()))?;
    let planned = u64::from(nodes) * u64::from(RATE) * u64::from(seconds);
    ensure!(
        said.requests == planned,
        "{nodes} nodes: {} calls were counted of {planned} that were made",
        said.requests
    );
    let shown = measured.command.replace(&bench.scratch.display().to_string(), "FOLDER").replace(&url, "URL");
    bench.commands.push(format!("{shown}      # {nodes} nodes"));
    let of_folder = bytes_in(&folder);
    Ok(Conducted { nodes, calls: said.requests, wall_s: measured.wall_s, measured, folder: of_folder })
}

/// A server of our own, and where it listens.
fn broker(nats: &Path, store: &Path) -> Result<(Started, String)> {
    let port = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).context("no port is free")?.port();
    let mut command = Command::new(nats);
    command.args(["-a", "127.0.0.1", "-p", &port.to_string(), "-js", "-sd"]).arg(store);
    let mut command = pinned(command, Some(SERVER_CORE));
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let server = Started(quiet.spawn().with_context(|| format!("`{}` cannot be started", nats.display()))?);
    let began = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        ensure!(began.elapsed() < STARTING, "`{}` does not listen", nats.display());
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok((server, format!("nats://127.0.0.1:{port}")))
}

fn bytes_in(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    let of = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(found) if found.is_dir() => bytes_in(&entry.path()),
        Ok(found) => found.len(),
        Err(_) => 0,
    };
    entries.flatten().map(of).sum()
}

/// The load of each node is the same, however many there are.
fn study(url: &str, nodes: u32, seconds: u32) -> String {
    let base = url.trim_end_matches('/');
    format!(
        "study: Nodes\nsystem: {{ name: echo, url: \"{base}\", identity: {{ path: /, status: 200 }} }}\nnodes: {{ count: {nodes}, cores: {CORES} }}\n\
         exchanges:\n  get: {{ http.get: {{ url: $(echo.url)/ }} }}\nscenarios:\n  many: {{ load: {{ arrivals: {RATE}/s per node, hold: {seconds}s }}, run: [get] }}\n\
         report: {{ profile: summary, formats: [json] }}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_s_load_is_the_same_however_many_there_are() {
        let text = study("http://127.0.0.1:1/", 300, 20);
        assert!(text.contains("count: 300, cores: 2") && text.contains("20/s per node"), "{text}");
        assert!(text.contains("url: \"http://127.0.0.1:1\""), "{text}");
    }
}
