//! A real Java machine under load: the monitor's figures against `jstat`, and against what the server itself says.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests of real processes in real time")]

mod common;

use common::{Server, Watching, number};
use monitor_jvm::JVM;
use std::process::Command;

/// What `jstat` prints of a column, once.
fn jstat(pid: u32, column: &str) -> f64 {
    let output = Command::new("jstat").args(["-gc", &pid.to_string()]).env("LC_ALL", "C").output();
    let output = output.expect("`jstat` of a JDK is needed: `make parts` installs it");
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines = text.lines();
    let at = lines.next().unwrap().split_ascii_whitespace().position(|name| name == column).unwrap();
    lines.next().unwrap().split_ascii_whitespace().nth(at).unwrap().parse().unwrap()
}

/// Everything stands still: the same numbers must come out of the file, of `jstat` and of the server's own beans.
fn agrees(collector: &str) {
    let server = Server::start(&["-Xmx64m", "-Xms64m", collector], 100_000, 2_000, 4 << 20);
    server.load(300);
    server.get("/collect");
    let mut watching = Watching::of(&server, &[]);
    let told = watching.sample(1.0);
    let own = server.get("/memory");
    let mib = f64::from(1 << 20);
    let of = |name: &str| told.of(name).unwrap_or_else(|| panic!("`{name}` has no value: {told:?}"));
    // Exact: nothing is allocated in the old generation, and nothing is collected.
    for (metric, column, factor) in
        [("old_used", "OU", 1024.0), ("old_committed", "OC", 1024.0), ("gc_young", "YGC", 1.0), ("gc_full", "FGC", 1.0)]
    {
        let printed = jstat(server.pid, column) * factor;
        assert!((of(metric) - printed).abs() <= 0.06 * factor, "{collector} {metric}: {} and {printed}", of(metric));
    }
    assert!((of("metaspace_used") - jstat(server.pid, "MU") * 1024.0).abs() < 0.2 * mib, "{collector}");
    for metric in ["old_used", "old_committed", "gc_young", "gc_full"] {
        assert_eq!(of(metric), number(&own, metric), "{collector} {metric}: {own}");
    }
    assert_eq!(of("heap_max"), 64.0 * mib, "{collector}: -Xmx64m");
    assert!(of("heap_used") <= of("heap_committed") && of("heap_committed") <= of("heap_max"), "{told:?}");
    // Each question takes memory of its own, by the buffer of a thread or by a region.
    let difference = number(&own, "heap_used") - of("heap_used");
    assert!(difference.abs() < 3.0 * mib, "{collector}: {} and {own}", of("heap_used"));
    // 4 MiB from the start and 300 × 2 kB are live, with 16 bytes an array; the rest is the platform's and the reserve.
    let live = 4.0 * mib + 300.0 * 2016.0 + 4.0 * mib;
    assert!((live..live + 6.0 * mib).contains(&of("old_used")), "{collector}: {} with {live} live", of("old_used"));
    assert!((of("threads") - number(&own, "threads")).abs() <= 2.0, "{collector}");
    assert!((of("classes") - number(&own, "classes")).abs() <= 60.0, "{collector}: {} and {own}", of("classes"));
    let facts = watching.facts();
    assert!(facts.iter().any(|(name, value)| name == "arguments" && value == &format!("-Xmx64m -Xms64m {collector}")));
    assert!(facts.iter().any(|(name, value)| name == "heap maximum" && value == "67108864 bytes"), "{facts:?}");
}

#[test]
fn the_serial_collector_agrees_with_jstat_and_with_the_server() {
    agrees("-XX:+UseSerialGC");
}

#[test]
fn the_parallel_collector_agrees_with_jstat_and_with_the_server() {
    agrees("-XX:+UseParallelGC");
}

#[test]
fn the_collector_with_regions_agrees_with_jstat_and_with_the_server() {
    agrees("-XX:+UseG1GC");
}

#[test]
fn a_leak_is_what_collections_leave_more_each_time() {
    let server = Server::start(&["-Xmx64m", "-Xms64m", "-XX:+UseSerialGC"], 100_000, 20_000, 0);
    let mut watching = Watching::of(&server, &[]);
    watching.sample(1.0);
    let (mut floors, mut events) = (Vec::new(), 0);
    for round in 0..5 {
        server.load(200);
        server.get("/collect");
        let told = watching.sample(2.0 + f64::from(round));
        floors.push(told.of("old_after_gc").unwrap());
        events += told.events.iter().filter(|(kind, _)| *kind == "full_gc").count();
        assert!(told.of("heap_after_gc").unwrap() >= *floors.last().unwrap());
        assert!(told.of("gc_share").unwrap() > 0.0 && told.of("gc_pause").is_some(), "{told:?}");
    }
    assert_eq!(events, 5);
    // 200 requests keep 20 kB each, in pieces of 8 kB with 16 bytes of head. In the first round the platform grows too.
    let expected = 200.0 * (20_000.0 + 3.0 * 16.0);
    for pair in floors[1..].windows(2) {
        let grown = pair[1] - pair[0];
        assert!((grown / expected - 1.0).abs() < 0.05, "{grown} instead of {expected}: {floors:?}");
    }
}

#[test]
fn a_heap_that_is_too_small_is_a_storm_of_full_collections() {
    // 24 MiB of which 19 are live, and 1.5 of reserve: every few requests need a full collection.
    let server = Server::start(&["-Xmx24m", "-Xms24m", "-XX:+UseSerialGC"], 400_000, 0, 19 << 20);
    let mut watching = Watching::of(&server, &[]);
    watching.sample(1.0);
    server.load(120);
    let told = watching.sample(2.0);
    let (full, own) = (told.of("gc_full").unwrap(), server.get("/memory"));
    assert!(full > 10.0, "{told:?}");
    assert!((full - number(&own, "gc_full")).abs() <= 2.0, "{full} and {own}");
    let share = told.of("old_after_gc").unwrap() / told.of("old_max").unwrap();
    assert!(share > 0.9, "what is left fills {share} of the old generation");
    assert!(told.events.iter().any(|(kind, text)| *kind == "full_gc" && text.contains("left")), "{told:?}");
}

#[test]
fn jstat_tells_the_same_and_a_machine_that_ends_is_gone() {
    let mut server = Server::start(&["-Xmx64m", "-Xms64m", "-XX:+UseParallelGC"], 100_000, 0, 8 << 20);
    server.load(100);
    server.get("/collect");
    let (mut file, mut printed) = (Watching::of(&server, &[]), Watching::of(&server, &[("from", "jstat")]));
    let from_file = file.sample(1.0);
    let from_jstat = printed.sample_until("heap_max");
    for metric in ["old_used", "old_committed", "heap_committed", "heap_max", "gc_young", "gc_full"] {
        let (a, b) = (from_file.of(metric).unwrap(), from_jstat.of(metric).unwrap());
        assert!((a - b).abs() <= 200.0, "{metric}: {a} and {b}");
    }
    assert!(from_jstat.of("threads").is_none(), "`jstat -gc` has none");
    assert!(
        printed.facts().iter().any(|(name, value)| name == "figures of the heap" && value.contains("jstat -gc -t"))
    );
    server.end();
    let told = file.sample(2.0);
    assert_eq!(told.of("heap_used"), None);
    assert!(told.failure.unwrap().contains("is gone"));
    assert!(told.events.is_empty(), "whoever started it tells of its end");
}

#[test]
fn a_machine_without_perf_data_is_said() {
    let server = Server::start(&["-Xmx32m", "-XX:+UseSerialGC", "-XX:-UsePerfData"], 1000, 0, 0);
    let mut watching = Watching::of(&server, &[]);
    let told = watching.sample_until_event("fallback");
    assert!(told.events.iter().any(|(kind, text)| *kind == "fallback" && text.contains("`jstat` is tried instead")));
    // `jstat` has nothing to read either, and says so.
    let told = watching.sample_until_event("jstat");
    assert!(told.events.iter().any(|(_, text)| text.contains("`jstat` has ended")), "{told:?}");
}

/// The same file, printed by `od` at the other end of an ssh connection.
#[test]
fn over_ssh_the_figures_are_the_same() {
    let Some(sshd) = testkit::sshd::Sshd::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shop.pid");
    let mut server = Server::start(&["-Xmx64m", "-Xms64m", "-XX:+UseSerialGC"], 100_000, 2_000, 4 << 20);
    std::fs::write(&file, server.pid.to_string()).unwrap();
    server.load(300);
    server.get("/collect");
    let mut monitor = sshd.monitor(JVM, &[("pid_file", file.to_str().unwrap())], &[]).unwrap();
    monitor.ready().unwrap();
    let mut there = Watching::by(monitor);
    let facts = there.facts();
    let fact = |name: &str| facts.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    assert!(fact("Java version").is_some_and(|version| !version.is_empty()), "{facts:?}");
    assert_eq!(fact("heap maximum"), Some("67108864 bytes"), "{facts:?}");
    let there_now = there.sample_until("old_used");
    let here = Watching::of(&server, &[]).sample(1.0);
    for metric in ["old_used", "old_committed", "heap_max", "young_committed", "gc_young", "gc_full", "classes"] {
        assert_eq!(there_now.of(metric), here.of(metric), "{metric}: {there_now:?}");
        assert!(here.of(metric).is_some(), "{metric}");
    }
    let told = there.sample_until("gc_share");
    assert!(told.of("gc_share").is_some_and(|share| (0.0..=1.0).contains(&share)), "{told:?}");
    server.end();
    let told = there.sample_until_event("gone");
    assert!(told.failure.is_some_and(|why| why.contains("no Java virtual machine")), "it is gone");
}
