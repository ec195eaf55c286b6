//! Held connections: what one takes of the generator's memory, and what a message on it costs.
//!
//! The server is the back end of `system-streaming`, on the other core. A connection's memory is what a run with many of
//! them has beyond one with few, so what the program takes by itself is not in it. The cost of a message is likewise the
//! processor time beyond that of a run whose connections have next to nothing to do, for the messages of both: in user mode,
//! which is the program's own, and in the kernel, where a message costs whoever sends it about the same.
//! What compression costs is measured against a server that repeats frames as they came, so that it is the same to it.

use super::generators::of_result;
use super::{Bench, GENERATOR_CORE, SERVER_CORE};
use crate::child::{Measured, Server, measure, on_path};
use anyhow::{Context, Result, ensure};
use rustix::process::{Resource, getrlimit};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Connections of loadproof where nobody says otherwise, and what each peer can hold in a reasonable memory.
pub(super) const MANY: u32 = 10_000;
const MANY_OF_PEER: u32 = 1000;
/// A run from which what the program itself takes is known.
const FEW: u32 = 100;
/// Messages a second, of all connections together.
const RATE: u32 = 10_000;
/// Next to none.
const RARE: u32 = 10;
/// At which it is measured how late messages are sent.
const RATE_OF_LATENESS: u32 = 2000;
/// Descriptors that generator and server need beside those of connections.
const SPARE_DESCRIPTORS: u64 = 100;
/// Until all connections are open, seconds.
const RAMP: u32 = 10;
const BYTES: u32 = 82;
/// Messages with and without compression: of so many bytes, on so many connections.
const COMPRESSED_BYTES: [u32; 3] = [BYTES, 1000, 16_000];
const COMPRESSED_CONNECTIONS: u32 = 500;
/// Messages a second of them, which a slow compressor still carries.
const COMPRESSED_RATE: u32 = 2000;

/// A way to hold connections.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    WebSocket,
    /// The same to a server that repeats frames, compressed or not.
    Mirrored {
        compressed: bool,
    },
    Events,
    K6,
}

/// One run.
#[derive(Clone, Copy, Debug)]
struct Held {
    kind: Kind,
    connections: u32,
    /// Messages a second, of all of them.
    rate: u32,
    /// Length of a message.
    bytes: u32,
    seconds: u32,
}

impl Held {
    /// Seconds between two messages of a connection.
    fn every_s(&self) -> f64 {
        f64::from(self.connections) / f64::from(self.rate)
    }
}

/// What a run came to.
struct Seen {
    messages: u64,
    measured: Measured,
    times_ms: Option<[f64; 5]>,
    lateness_p99_ms: Option<f64>,
}

/// What a message costs, microseconds of a processor.
#[derive(Clone, Copy, Debug)]
struct Cost {
    user: f64,
    kernel: f64,
}

impl Cost {
    /// Of the messages that `busy` has beyond `quiet`.
    fn of(busy: &Seen, quiet: &Seen) -> Self {
        let messages = busy.messages.saturating_sub(quiet.messages).max(1) as f64;
        let beyond = |of: fn(&Measured) -> f64| (of(&busy.measured) - of(&quiet.measured)).max(0.0) / messages * 1e6;
        Self { user: beyond(|it| it.cpu_s - it.kernel_s), kernel: beyond(|it| it.kernel_s) }
    }

    /// What it is of another, each part by itself and both together.
    fn beside(&self, other: &Self) -> String {
        let of = |ours: f64, other: f64| if other > 0.0 { format!("{:.3}", ours / other) } else { "–".to_owned() };
        let all = of(self.user + self.kernel, other.user + other.kernel);
        format!("user mode {}, kernel {}, together {all}", of(self.user, other.user), of(self.kernel, other.kernel))
    }
}

/// Measures all ways in turn, and writes the table.
pub(super) fn table(bench: &mut Bench<'_>, backend: &Path) -> Result<String> {
    let many = bench.options.connections.max(2 * FEW);
    descriptors_for(many)?;
    let mut kinds = vec![("loadproof ws.talk", Kind::WebSocket, many), ("loadproof sse.listen", Kind::Events, many)];
    let k6 = on_path("k6");
    if k6.is_some() {
        // A message costs more the more connections take turns, so each is held against k6 on as many as k6 has.
        kinds.push(("loadproof ws.talk", Kind::WebSocket, MANY_OF_PEER));
        kinds.push(("loadproof sse.listen", Kind::Events, MANY_OF_PEER));
        kinds.push(("k6 websockets", Kind::K6, MANY_OF_PEER));
    }
    let mut text = format!(
        "Held connections, {RATE}/s messages of {BYTES} B in all, one core\n{:<22} {:>11} {:>9} {:>16} {:>16} {:>9} {:>9} {:>9} {:>9}\n",
        "", "connections", "RSS MiB", "KiB/connection", "CPU µs/message", "user", "kernel", "p50 ms", "p99 ms"
    );
    let mut costs = Vec::new();
    for (name, kind, connections) in kinds {
        let seconds = bench.options.seconds.max(10);
        let run = |connections, rate| Held { kind, connections, rate, bytes: BYTES, seconds };
        let few = one(bench, backend, k6.as_ref(), run(FEW, RARE))?;
        let quiet = one(bench, backend, k6.as_ref(), run(connections, RARE))?;
        let busy = one(bench, backend, k6.as_ref(), run(connections, RATE))?;
        let (few, many) = (held_memory(&few.measured, seconds), held_memory(&quiet.measured, seconds));
        let each = (many - few).max(0.0) / f64::from(connections - FEW) / 1024.0;
        let cost @ Cost { user, kernel } = Cost::of(&busy, &quiet);
        costs.push((name, kind, connections, cost));
        let time = |place: usize| busy.times_ms.map_or_else(|| "–".to_owned(), |times| format!("{:.2}", times[place]));
        let _ = writeln!(
            text,
            "{name:<22} {connections:>11} {:>9.1} {each:>16.2} {:>16.2} {user:>9.2} {kernel:>9.2} {:>9} {:>9}",
            held_memory(&busy.measured, seconds) / f64::from(1 << 20),
            user + kernel,
            time(0),
            time(2),
        );
    }
    if let Some((.., peer)) = costs.iter().find(|(_, kind, ..)| *kind == Kind::K6) {
        let ours = costs.iter().filter(|(_, kind, connections, _)| *kind != Kind::K6 && *connections == MANY_OF_PEER);
        for (name, _, connections, cost) in ours {
            let _ = writeln!(text, "{name} / k6, {connections} connections each: {}", cost.beside(peer));
        }
    }
    let late = Held {
        kind: Kind::WebSocket,
        connections: RATE_OF_LATENESS,
        rate: RATE_OF_LATENESS,
        bytes: BYTES,
        seconds: bench.options.seconds.max(10),
    };
    let late = one(bench, backend, None, late)?.lateness_p99_ms;
    let late = late.map_or_else(|| "nothing was reported about it".to_owned(), |late| format!("{late:.3} ms"));
    let _ = writeln!(
        text,
        "p99 of how late messages are sent, {RATE_OF_LATENESS}/s on {RATE_OF_LATENESS} connections: {late}"
    );
    Ok(text)
}

/// What a message costs with compression and without, by its length.
pub(super) fn compressed(bench: &mut Bench<'_>, backend: &Path) -> Result<String> {
    let seconds = bench.options.seconds.max(10);
    let mut text = format!(
        "Compressed messages, {COMPRESSED_RATE}/s on {COMPRESSED_CONNECTIONS} connections, CPU µs/message, one core\n{:>8} {:>10} {:>10} {:>10} {:>10} {:>7}\n",
        "bytes", "plain user", "kernel", "compressed", "kernel", "ratio"
    );
    for bytes in COMPRESSED_BYTES {
        let mut costs = [None; 2];
        for (cost, compressed) in costs.iter_mut().zip([false, true]) {
            let kind = Kind::Mirrored { compressed };
            let run = |rate| Held { kind, connections: COMPRESSED_CONNECTIONS, rate, bytes, seconds };
            let quiet = one(bench, backend, None, run(RARE))?;
            *cost = Some(Cost::of(&one(bench, backend, None, run(COMPRESSED_RATE))?, &quiet));
        }
        let [Some(plain), Some(packed)] = costs else { continue };
        let ratio = (packed.user + packed.kernel) / (plain.user + plain.kernel);
        let _ = writeln!(
            text,
            "{bytes:>8} {:>10.2} {:>10.2} {:>10.2} {:>10.2} {ratio:>7.2}",
            plain.user, plain.kernel, packed.user, packed.kernel
        );
    }
    Ok(text)
}

/// Generator and server need a descriptor for each connection.
fn descriptors_for(connections: u32) -> Result<()> {
    let most = getrlimit(Resource::Nofile).maximum.unwrap_or(u64::MAX);
    let needed = u64::from(connections) + SPARE_DESCRIPTORS;
    ensure!(
        needed <= most,
        "{connections} connections need {needed} descriptors, and a process may have {most}: raise `ulimit -Hn`, or write \
         `--connections {}`",
        most.saturating_sub(SPARE_DESCRIPTORS)
    );
    Ok(())
}

/// What was resident while all connections stood: the median of the second half of the hold. What comes after it, the
/// report above all, is none of theirs.
fn held_memory(measured: &Measured, seconds: u32) -> f64 {
    let (from, to) = (f64::from(RAMP) + f64::from(seconds) / 2.0, f64::from(RAMP + seconds));
    let seen = measured.resident_over.iter().filter(|(at, _)| (from..to).contains(at));
    let mut seen: Vec<u64> = seen.map(|(_, bytes)| *bytes).collect();
    seen.sort_unstable();
    seen.get(seen.len() / 2).map_or(f64::NAN, |bytes| *bytes as f64)
}

fn one(bench: &mut Bench<'_>, backend: &Path, k6: Option<&PathBuf>, held: Held) -> Result<Seen> {
    let server = Server::start(backend, &["backend", "--port", "0", "--exit-with-stdin"], Some(SERVER_CORE))?;
    bench.runs += 1;
    let folder = bench.scratch.join(bench.runs.to_string());
    let (file, command) = match held.kind {
        Kind::K6 => {
            let script = folder.with_extension("js");
            std::fs::write(&script, k6_script(&server.url(), held))?;
            let mut command = Command::new(k6.context("k6 is not on the PATH")?);
            command.args(["run", "--quiet", "--summary-export"]).arg(folder.with_extension("json")).arg(&script);
            command.env("GOMAXPROCS", "1");
            (script, command)
        }
        Kind::WebSocket | Kind::Mirrored { .. } | Kind::Events => {
            let file = folder.with_extension("yaml");
            std::fs::write(&file, study(&server.url(), held))?;
            let mut command = Command::new(&bench.loadproof);
            command.args(["run", "--json", "--threads", "1", "--out"]).arg(&folder).arg(&file);
            (file, command)
        }
    };
    let measured = measure(command, Some(GENERATOR_CORE))?;
    let shown = measured.command.replace(&bench.scratch.display().to_string(), "FOLDER");
    bench.commands.push(format!("{shown}      # {held:?}"));
    let seen = match held.kind {
        Kind::K6 => {
            let summary = std::fs::read_to_string(folder.with_extension("json")).unwrap_or_default();
            let json: serde_json::Value = serde_json::from_str(&summary).unwrap_or_default();
            // What was never counted is not in its summary.
            let messages =
                json["metrics"].is_object().then(|| json["metrics"]["answers"]["count"].as_f64().unwrap_or(0.0));
            messages.map(|messages| (messages as u64, None, None))
        }
        Kind::WebSocket | Kind::Mirrored { .. } | Kind::Events => {
            let said = of_result(&measured.stdout);
            if let Some(said) = said.as_ref().filter(|said| said.failed > 0) {
                println!(
                    "note: {} of {} messages failed on {} connections",
                    said.failed, said.requests, held.connections
                );
            }
            said.map(|said| (said.requests, said.times_ms, said.lateness_p99_ms))
        }
    };
    let (messages, times_ms, lateness_p99_ms) = seen.with_context(|| {
        format!("`{}` with {} said nothing that can be read: {}", measured.command, file.display(), measured.stderr)
    })?;
    ensure!(messages > 0 || held.rate == RARE, "`{}` had no messages: {}", measured.command, measured.stderr);
    Ok(Seen { messages, measured, times_ms, lateness_p99_ms })
}

/// The same load as a study.
fn study(url: &str, held: Held) -> String {
    let Held { kind, connections, bytes, seconds, .. } = held;
    let base = url.trim_end_matches('/');
    let every_ms = (held.every_s() * 1e3).round().max(1.0);
    let each = format!("1/{every_ms}ms");
    // No stream of the back end is slower than its timers, and none is asked for more often than a message a second.
    let (exchange, load) = match kind {
        Kind::Events => (
            format!(
                "sse.listen: {{ url: \"$(backend.url)/events?events={}/s&bytes={BYTES}\" }}\n    legs: {{ connect: {{ within: 20s }}, event: {{ expect: {each}, sequence: json($.n), sent: json($.t), within: 20s }} }}",
                1000.0 / every_ms
            ),
            String::new(),
        ),
        Kind::Mirrored { compressed } => (
            format!(
                "ws.talk: {{ url: $(backend.url)/mirror, message: $(message.n) $(text({}B)), compression: {} }}\n    legs: {{ connect: {{ within: 20s }}, answer: {{ within: 10s, check: [ body = sent ] }} }}",
                bytes - 10,
                if compressed { "deflate" } else { "none" },
            ),
            format!(" each: {each},"),
        ),
        _ => (
            format!(
                "ws.talk: {{ url: $(backend.url)/echo, message: $(message.n) $(text({}B)) }}\n    legs: {{ connect: {{ within: 20s }}, answer: {{ within: 10s, check: [ body = reverse(sent) ] }} }}",
                bytes - 10
            ),
            format!(" each: {each},"),
        ),
    };
    format!(
        "study: Held\nsystem: {{ name: backend, url: \"{base}\", identity: {{ path: /version, expect: {{ module: backend }} }} }}\n\
         exchanges:\n  talk:\n    {exchange}\nscenarios:\n  held: {{ load: {{ connections: {connections},{load} ramp: {{ over: {RAMP}s }}, hold: {seconds}s }}, run: [talk] }}\n\
         report: {{ profile: summary, formats: [json] }}\n"
    )
}

/// The same load as a script of k6: a virtual user for each connection.
fn k6_script(url: &str, held: Held) -> String {
    let Held { connections, seconds, .. } = held;
    let url = url.replacen("http", "ws", 1);
    let (every_ms, length_ms) = ((held.every_s() * 1e3).round().max(1.0), (RAMP + seconds) * 1000);
    format!(
        "import {{ WebSocket }} from 'k6/websockets';\nimport {{ Counter }} from 'k6/metrics';\n\
         export const options = {{ scenarios: {{ held: {{ executor: 'per-vu-iterations', vus: {connections}, iterations: 1, maxDuration: '{}s' }} }} }};\n\
         const answers = new Counter('answers');\n\
         const filler = 'x'.repeat({});\n\
         export default function () {{\n\
         \x20 setTimeout(() => {{\n\
         \x20   const socket = new WebSocket('{url}echo');\n\
         \x20   let number = 0;\n\
         \x20   socket.onopen = () => {{\n\
         \x20     const timer = setInterval(() => socket.send(`${{__VU}} ${{number++}} ${{filler}}`), {every_ms});\n\
         \x20     setTimeout(() => {{ clearInterval(timer); socket.close(); }}, {length_ms} - (__VU % {connections}) * {RAMP}000 / {connections});\n\
         \x20   }};\n\
         \x20   socket.onmessage = () => answers.add(1);\n\
         \x20 }}, (__VU % {connections}) * {RAMP}000 / {connections});\n\
         }}\n",
        RAMP + seconds + 30,
        BYTES - 10,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(messages: u64, cpu_s: f64, kernel_s: f64) -> Seen {
        let measured = Measured {
            command: String::new(),
            stdout: String::new(),
            stderr: String::new(),
            cpu_s,
            kernel_s,
            wall_s: 1.0,
            instructions: None,
            resident: 0,
            resident_over: Vec::new(),
        };
        Seen { messages, measured, times_ms: None, lateness_p99_ms: None }
    }

    #[test]
    fn a_message_costs_what_the_busy_run_has_beyond_the_quiet_one() {
        let cost = Cost::of(&seen(1_000_100, 5.0, 3.0), &seen(100, 1.0, 0.5));
        assert_eq!((cost.user, cost.kernel), (1.5, 2.5));
        let peer = Cost { user: 15.0, kernel: 5.0 };
        assert_eq!(cost.beside(&peer), "user mode 0.100, kernel 0.500, together 0.200");
        assert_eq!(Cost::of(&seen(1, 1.0, 0.5), &seen(100, 2.0, 1.0)).user, 0.0);
    }

    #[test]
    fn too_many_connections_are_refused_with_what_can_be_typed() {
        assert!(descriptors_for(1).is_ok());
        let told = descriptors_for(u32::MAX).err().map(|error| error.to_string());
        assert!(told.is_none_or(|told| told.contains("ulimit -Hn") && told.contains("--connections ")));
    }

    #[test]
    fn all_connections_together_have_the_rate() {
        let held = |kind, connections| Held { kind, connections, rate: RATE, bytes: BYTES, seconds: 10 };
        let text = study("http://127.0.0.1:5/", held(Kind::WebSocket, MANY));
        assert!(
            text.contains("connections: 10000, each: 1/1000ms") && text.contains("\"http://127.0.0.1:5\""),
            "{text}"
        );
        let text = study("http://127.0.0.1:5/", held(Kind::Events, 1000));
        assert!(text.contains("events=10/s") && text.contains("expect: 1/100ms"), "{text}");
        let text = study("http://127.0.0.1:5/", held(Kind::Mirrored { compressed: true }, 1000));
        assert!(
            text.contains("/mirror") && text.contains("compression: deflate") && text.contains("text(72B)"),
            "{text}"
        );
        let script = k6_script("http://127.0.0.1:5/", held(Kind::K6, 1000));
        assert!(script.contains("ws://127.0.0.1:5/echo") && script.contains(", 100);"), "{script}");
    }
}
