//! What the live page and exports cost a run beside which they are: the same load without them, with the page read by two, and
//! with metrics sent to two receivers, in turns.
//!
//! The server has core 0, loadproof core 1 with all its threads, so that whatever the page takes, the load thread cannot have
//! at that moment. What each round's page and exports have is held against the same round without them.

use super::generators::of_result;
use super::sink::Sink;
use super::tables::median;
use super::{Bench, GENERATOR_CORE, SERVER_CORE, threads};
use crate::child::{Server, measure_beside};
use crate::live_page::browser::{Browser, program};
use crate::live_page::witness::Witness;
use anyhow::{Context, Result, ensure};
use std::fmt::Write as _;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Calls a second.
const RATE: u32 = 10_000;
/// Shortest measurement, seconds: p99.9 has 200 calls above it then.
const SECONDS_MIN: u32 = 20;
/// Until the page shows seconds.
const SHOWING: Duration = Duration::from_secs(60);
/// Threads whose processor time is told: how their names begin, what they are called here, and whose they are.
const THREADS: [(&str, &str, Variant); 5] = [
    ("live-read", "live-read", Variant::Page),
    ("live-serve", "live-serve", Variant::Page),
    ("live-", "all of the page", Variant::Page),
    ("export-push", "export-push", Variant::Exports),
    ("export", "all of exports", Variant::Exports),
];

/// What is beside a run.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Variant {
    Without,
    Page,
    Exports,
}

const VARIANTS: [Variant; 3] = [Variant::Without, Variant::Page, Variant::Exports];

/// What one run came to.
#[derive(Clone, Debug, Default)]
struct Ran {
    requests: f64,
    failed: f64,
    /// Processor time of load threads for a call, µs.
    load_us: f64,
    /// Response times: p50, p99 and p99.9, ms.
    times_ms: [f64; 3],
    lateness_p99_ms: f64,
    /// Percent of a core, in the order of [`THREADS`].
    threads: [f64; 5],
}

/// A line of the table: its name, places behind the point, and the figure.
type Figure = (&'static str, usize, fn(&Ran) -> f64);

const FIGURES: [Figure; 7] = [
    ("calls", 0, |ran| ran.requests),
    ("calls that failed", 0, |ran| ran.failed),
    ("load thread, CPU µs/call", 2, |ran| ran.load_us),
    ("response p50, ms", 3, |ran| ran.times_ms[0]),
    ("response p99, ms", 3, |ran| ran.times_ms[1]),
    ("response p99.9, ms", 3, |ran| ran.times_ms[2]),
    ("lateness p99, ms", 3, |ran| ran.lateness_p99_ms),
];

/// Measures all in turn, and writes the table.
pub(super) fn table(bench: &mut Bench<'_>) -> Result<String> {
    let seconds = bench.options.seconds.max(SECONDS_MIN);
    let mut rounds: Vec<[Ran; 3]> = Vec::new();
    for _ in 0..bench.options.rounds {
        let mut round = <[Ran; 3]>::default();
        for (ran, variant) in round.iter_mut().zip(VARIANTS) {
            *ran = one(bench, variant, seconds)?;
        }
        rounds.push(round);
    }
    let readers = if bench.options.chromium.is_some() { "Chromium and a plain reader" } else { "two plain readers" };
    let tick = 100.0 / ticks_per_s() / f64::from(seconds);
    let title = format!(
        "The live page and exports, {RATE}/s for {seconds} s, one load thread, loadproof on one core, {} rounds;\n\
         the page with {readers}, exports to OTLP and remote write; median (lowest to highest);\n\
         processor time of threads to {tick:.2} % of a core\n",
        rounds.len()
    );
    Ok(title + &of(&rounds))
}

fn of(rounds: &[[Ran; 3]]) -> String {
    let mut text = format!(
        "{:<26} {:>24} {:>24} {:>20} {:>24} {:>20}\n",
        "", "without", "page", "/ without", "exports", "/ without"
    );
    for (name, places, figure) in FIGURES {
        let column = |place: usize| spread(rounds.iter().map(|round| figure(&round[place])).collect(), places);
        let ratio = |place: usize| {
            let of = |round: &[Ran; 3]| figure(&round[place]) / figure(&round[0]);
            spread(rounds.iter().map(of).filter(|ratio| ratio.is_finite()).collect(), 3)
        };
        let _ = writeln!(
            text,
            "{name:<26} {:>24} {:>24} {:>20} {:>24} {:>20}",
            column(0),
            column(1),
            ratio(1),
            column(2),
            ratio(2)
        );
    }
    for (place, (_, name, whose)) in THREADS.iter().enumerate() {
        let column = |variant: Variant| {
            let own = rounds.iter().map(|round| round[variant as usize].threads[place]).collect();
            if variant == *whose { spread(own, 2) } else { String::new() }
        };
        let name = format!("{name}, % of a core");
        let _ = writeln!(
            text,
            "{name:<26} {:>24} {:>24} {:>20} {:>24}",
            "",
            column(Variant::Page),
            "",
            column(Variant::Exports)
        );
    }
    text
}

/// Median, lowest and highest.
fn spread(values: Vec<f64>, places: usize) -> String {
    let (low, high) =
        values.iter().fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(*value), high.max(*value)));
    let told = |middle| format!("{middle:.places$} ({low:.places$}–{high:.places$})");
    median(values).map_or_else(|| "–".to_owned(), told)
}

fn one(bench: &mut Bench<'_>, variant: Variant, seconds: u32) -> Result<Ran> {
    let server = Server::start(&bench.echo, &["--service", "0ms", "--port", "0"], Some(SERVER_CORE))?;
    bench.runs += 1;
    let folder = bench.scratch.join(bench.runs.to_string());
    let file = folder.with_extension("yaml");
    std::fs::write(&file, study(&server.url(), seconds))?;
    let mut command = Command::new(&bench.loadproof);
    command.args(["run", "--json", "--threads", "1", "--out"]).arg(&folder);
    let page = free()?;
    let sinks = if variant == Variant::Exports { vec![Sink::start()?, Sink::start()?] } else { Vec::new() };
    match variant {
        Variant::Without => {}
        Variant::Page => {
            command.arg(format!("--live={page}"));
        }
        Variant::Exports => {
            let addresses = sinks.iter().map(Sink::address);
            let receivers = ["otlp", "prometheus"].iter().zip(addresses);
            command.args(receivers.flat_map(|(kind, to)| ["--export".to_owned(), format!("{kind}+http://{to}")]));
        }
    }
    command.arg(&file);
    let chromium = bench.options.chromium.as_deref().filter(|_| variant == Variant::Page);
    let mut browser = chromium.map(|named| opened(named, &folder.with_extension("profile"))).transpose()?;
    let (measured, (looks, witnesses, shown)) = measure_beside(command, Some(GENERATOR_CORE), |pid| {
        let looks = threads::watch(pid);
        let readers = if variant != Variant::Page { 0 } else { 2 - usize::from(browser.is_some()) };
        let witnesses: Vec<Witness> = (0..readers).map(|_| Witness::start(page)).collect();
        let shown = browser.as_mut().map_or(Ok(()), |browser| show(browser, page, &witnesses));
        (looks, witnesses, shown)
    })?;
    shown?;
    let said = of_result(&measured.stdout)
        .with_context(|| format!("`{}` said nothing that can be read: {}", measured.command, measured.stderr.trim()))?;
    let planned = u64::from(RATE) * u64::from(seconds);
    if said.requests != planned {
        println!("note: {} of {planned} calls were made {variant:?}", said.requests);
    }
    if let Some(validity) = said.validity.as_deref().filter(|validity| *validity != "valid") {
        println!("note: loadproof calls its run {validity} ({variant:?}): is the machine quiet?");
    }
    ensure!(witnesses.iter().all(|witness| witness.read().events > 0), "the page was read by nobody");
    if variant == Variant::Exports {
        let is_whole = |kind: &str| measured.stderr.lines().any(|line| is_delivered(line, kind));
        let is_taken = sinks.iter().all(|sink| sink.taken() > 0);
        ensure!(
            is_taken && is_whole("otlp") && is_whole("prometheus"),
            "not all was exported: {}",
            measured.stderr.trim()
        );
    }
    let shown = measured.command.replace(&bench.scratch.display().to_string(), "FOLDER");
    bench.commands.push(format!("{}      # {variant:?}", without_ports(&shown)));
    let looks = looks.join().ok().context("threads were not looked at")?;
    let under_load = |prefix: &str| {
        looks.under_load(prefix, ticks_per_s()).with_context(|| format!("no load was seen of `{}`", measured.command))
    };
    let (load_s, length_s) = under_load("load-")?;
    let [p50, _, p99, p99_9, _] = said.times_ms.context("the result has no times of calls")?;
    let mut threads = [0.0; 5];
    for (share, (prefix, ..)) in threads.iter_mut().zip(THREADS) {
        *share = under_load(prefix)?.0 / length_s * 100.0;
    }
    // A few ticks at both ends of the load are in no look: per call of the time that was looked at.
    let looked_at = said.requests as f64 * (length_s / f64::from(seconds)).min(1.0);
    Ok(Ran {
        requests: said.requests as f64,
        failed: said.failed as f64,
        load_us: load_s / looked_at.max(1.0) * 1e6,
        times_ms: [p50, p99, p99_9],
        lateness_p99_ms: said.lateness_p99_ms.unwrap_or(f64::NAN),
        threads,
    })
}

/// In which the system counts processor time.
fn ticks_per_s() -> f64 {
    rustix::param::clock_ticks_per_second() as f64
}

/// A browser that is ready before the load is.
fn opened(named: &Path, profile: &Path) -> Result<Browser> {
    Browser::start(&program(Some(named))?, profile, None)
}

/// Has it open the page, which is served once a plain reader has something.
fn show(browser: &mut Browser, page: SocketAddr, witnesses: &[Witness]) -> Result<()> {
    let began = std::time::Instant::now();
    while witnesses.iter().all(|witness| witness.read().events == 0) && began.elapsed() < SHOWING {
        std::thread::sleep(Duration::from_millis(20));
    }
    browser.open(&format!("http://{page}/"))?;
    browser.wait("the page fills", "state !== null && levels[0].length > 0", SHOWING)
}

/// A port that nobody has at this moment.
fn free() -> Result<SocketAddr> {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).context("no port is free")
}

/// `export to otlp+http://…: 20 of 20 seconds delivered`, and nothing behind it.
fn is_delivered(line: &str, kind: &str) -> bool {
    let told = line.strip_prefix("export to ").and_then(|line| line.strip_prefix(kind));
    let counts = told.and_then(|line| line.rsplit_once(": ")?.1.strip_suffix(" seconds delivered"));
    counts.and_then(|counts| counts.split_once(" of ")).is_some_and(|(delivered, all)| delivered == all && all != "0")
}

/// The same command whatever ports there were.
fn without_ports(command: &str) -> String {
    let mut parts = command.split("127.0.0.1:");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text += "127.0.0.1:PORT";
        text += part.trim_start_matches(|sign: char| sign.is_ascii_digit());
    }
    text
}

fn study(url: &str, seconds: u32) -> String {
    let base = url.trim_end_matches('/');
    format!(
        "study: Live\nsystem: {{ name: echo, url: \"{base}\", identity: {{ path: /version, expect: {{ name: target-echo }} }} }}\n\
         exchanges:\n  get: {{ http.get: {{ url: $(echo.url)/ }} }}\nscenarios:\n  busy: {{ load: {{ arrivals: {RATE}/s, hold: {seconds}s }}, run: [get] }}\n\
         requirements: {{ fast: p99(get.response) < 1s, right: share(get.failed) <= 1%, rate: rate(get.ok) >= 1/s }}\n\
         report: {{ profile: summary, formats: [json] }}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_is_held_against_itself() {
        let ran = |p50: f64, live_read: f64| Ran {
            requests: 200_000.0,
            times_ms: [p50, 1.0, 2.0],
            threads: [live_read, 0.0, live_read, 0.5, 0.7],
            ..Ran::default()
        };
        let text = of(&[[ran(1.0, 0.0), ran(1.1, 0.2), ran(2.0, 0.0)], [ran(2.0, 0.0), ran(2.0, 0.4), ran(2.0, 0.0)]]);
        let line = |name: &str| {
            text.lines().find(|line| line.starts_with(name)).unwrap().split_whitespace().collect::<Vec<_>>()
        };
        // The lower of two is their median.
        assert_eq!(
            line("response p50")[3..],
            [
                "1.000",
                "(1.000–2.000)",
                "1.100",
                "(1.100–2.000)",
                "1.000",
                "(1.000–1.100)",
                "2.000",
                "(2.000–2.000)",
                "1.000",
                "(1.000–2.000)"
            ]
        );
        assert_eq!(line("live-read")[5..], ["0.20", "(0.20–0.40)"]);
        assert_eq!(line("all of exports,")[7..], ["0.70", "(0.70–0.70)"]);
        // Nothing failed, so there is nothing to divide by.
        assert!(text.lines().any(|line| line.starts_with("calls that failed") && line.ends_with("–")), "{text}");
    }

    #[test]
    fn what_was_lost_on_the_way_is_seen() {
        assert!(is_delivered("export to otlp+http://127.0.0.1:4318/v1/metrics: 22 of 22 seconds delivered", "otlp"));
        for line in [
            "export to otlp+http://127.0.0.1:4318/v1/metrics: 21 of 22 seconds delivered, 1 lost: refused",
            "export to otlp+http://127.0.0.1:4318/v1/metrics: 0 of 0 seconds delivered",
            "export to prometheus+http://127.0.0.1:9090/api/v1/write: 22 of 22 seconds delivered",
            "",
        ] {
            assert!(!is_delivered(line, "otlp"), "{line}");
        }
        let told = without_ports("run --live=127.0.0.1:4071 --export otlp+http://127.0.0.1:99");
        assert_eq!(told, "run --live=127.0.0.1:PORT --export otlp+http://127.0.0.1:PORT");
    }

    #[test]
    fn the_load_is_the_same_whatever_is_beside_it() {
        let text = study("http://127.0.0.1:5/", 20);
        assert!(text.contains("arrivals: 10000/s, hold: 20s") && text.contains("\"http://127.0.0.1:5\""), "{text}");
    }
}
