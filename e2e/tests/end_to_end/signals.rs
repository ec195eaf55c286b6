//! Whatever ends a run but SIGKILL, it is sealed and reported: signals, a terminal that is closed, limits of the shell.
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use e2e::{Place, Ran, assert_balanced, program, step, target, until, wait};
use rustix::process::{Pid, Signal, getuid, kill_process};
use std::process::{Child, Command, Stdio};
use target_common::probe::Target;

fn study(address: std::net::SocketAddr, more: &str) -> String {
    format!(
        "study: Ending\nsystem: {{ name: shop }}\nwatch: {{ host: {{}} }}\n\
         exchanges:\n  home: {{ http.get: {{ url: 'http://{address}/' }}, timeout: 20s }}\n\
         scenarios:\n  busy: {{ load: {{ arrivals: 100/s, hold: 60s }}, run: [home]{more} }}\n\
         requirements: {{ right: share(home.failed) <= 5% }}\n"
    )
}

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).expect("the process is ours");
}

fn answered(target: &Target) -> u64 {
    target.counter("answered").unwrap_or(0)
}

/// `loadproof` by way of a shell's `first` words, in which every signal means what it usually does.
pub(crate) fn start(place: &Place, first: &str, arguments: &str) -> Child {
    let script = format!("{first} exec {} {arguments}", program("loadproof").display());
    let mut command = Command::new("env");
    command.args(["--default-signal=HUP,INT,QUIT,TERM,XFSZ", "bash", "-c", &script]).current_dir(place.path());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("env and bash")
}

/// Waits at most so long; a process that hangs is ended and is a failure.
pub(crate) fn ends_within(seconds: u64, mut child: Child) -> Ran {
    let is_over = until(seconds, || child.try_wait().expect("it is ours").is_some());
    if !is_over {
        child.kill().expect("it is ours");
    }
    let ran = wait(child);
    assert!(is_over, "it hangs: {ran:#?}");
    ran
}

#[test]
fn every_signal_that_can_be_caught_ends_in_a_report() {
    let target = target("target-echo", &["--service", "5ms"]);
    let place = Place::new();
    place.file("study.yaml", &study(target.address(), ""));
    for (signal, name) in [
        (Signal::HUP, "SIGHUP"),
        (Signal::TERM, "SIGTERM"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::USR1, "SIGUSR1"),
        (Signal::XCPU, "SIGXCPU"),
        (Signal::PROF, "SIGPROF"),
        (Signal::POWER, "SIGPWR"),
    ] {
        let before = answered(&target);
        let child = start(&place, "", &format!("run study.yaml --out {name}"));
        assert!(until(60, || answered(&target) > before + 150), "the load never came");
        send(&child, signal);
        if signal == Signal::HUP {
            // Shell and kernel both tell of a closed terminal: it is still one word.
            std::thread::sleep(std::time::Duration::from_millis(200));
            send(&child, signal);
        }
        let ran = ends_within(60, child);
        assert_eq!(ran.code, 3, "{name}: {ran:#?}");
        let is_twice_as_much = !matches!(signal, Signal::HUP | Signal::QUIT);
        assert_eq!(ran.stderr.contains("(again: stop now)"), is_twice_as_much, "{name}: {ran:#?}");
        assert!(ran.stderr.contains(name), "{name} is named: {ran:#?}");
        assert!(place.path().join(name).join("report.html").exists(), "{name}: {ran:#?}");
        let result = place.result(name);
        assert_eq!(result["run"]["end_reason"], "interrupted", "{name}");
        let hold = step(&result, "busy", "hold");
        assert_balanced(hold);
        assert!(signal == Signal::QUIT || hold["aborted"] == 0, "{name} lets end what is open: {hold:#}");
    }
}

#[test]
fn under_nohup_the_end_of_the_terminal_means_nothing() {
    let target = target("target-echo", &[]);
    let place = Place::new();
    place.file("study.yaml", &study(target.address(), "").replace("60s", "4s"));
    let child = start(&place, "trap '' HUP;", "run study.yaml --out run");
    assert!(until(60, || answered(&target) > 100), "the load never came");
    send(&child, Signal::HUP);
    let ran = ends_within(60, child);
    assert_eq!(place.result("run")["run"]["end_reason"], "completed", "{ran:#?}");
}

#[test]
fn a_closed_terminal_ends_in_a_report() {
    let target = target("target-echo", &[]);
    let place = Place::new();
    place.file("study.yaml", &study(target.address(), ""));
    // `script` gives a terminal; killed, it closes it under the command.
    let line = format!("exec {} run study.yaml --out run", program("loadproof").display());
    let mut terminal = Command::new("env")
        .args(["--default-signal=HUP,INT,QUIT,TERM", "script", "-qec", &line, "/dev/null"])
        .current_dir(place.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("script");
    assert!(until(60, || answered(&target) > 200), "the load never came");
    terminal.kill().expect("it is ours");
    terminal.wait().expect("it ends");
    let report = place.path().join("run/report.html");
    assert!(until(60, || report.exists()), "the run is lost");
    assert!(place.path().join("run/evidence/manifest.json").exists(), "it is sealed");
    assert_eq!(place.result("run")["run"]["end_reason"], "interrupted");
}

#[test]
fn signals_are_heard_while_users_are_set_up() {
    let target = target("target-echo", &["--service", "20s"]);
    let place = Place::new();
    let users = study(target.address(), ", set_up: [ home: per user ]").replace("arrivals: 100/s", "users: 50");
    place.file("study.yaml", &users);
    let child = start(&place, "", "run study.yaml --out run");
    assert!(until(60, || place.path().join("run/evidence/load").exists()), "the run never began");
    std::thread::sleep(std::time::Duration::from_secs(2));
    send(&child, Signal::INT);
    std::thread::sleep(std::time::Duration::from_millis(300));
    send(&child, Signal::INT);
    // Fifty users with twenty seconds each would take a quarter of an hour.
    let ran = ends_within(60, child);
    assert_eq!(ran.code, 3, "{ran:#?}");
    assert!(place.path().join("run/report.html").exists(), "{ran:#?}");
}

#[test]
fn signals_are_heard_by_check_once() {
    let target = target("target-echo", &["--service", "20s"]);
    let place = Place::new();
    place.file("study.yaml", &study(target.address(), "").replace("20s", "100s"));
    let child = start(&place, "", "check study.yaml --once");
    std::thread::sleep(std::time::Duration::from_secs(2));
    send(&child, Signal::TERM);
    std::thread::sleep(std::time::Duration::from_millis(300));
    send(&child, Signal::TERM);
    assert_eq!(ends_within(60, child).code, 1);
}

#[test]
fn a_limit_of_file_sizes_is_a_full_disk() {
    let target = target("target-echo", &[]);
    let place = Place::new();
    // Much is watched, so that the file of samples is the one that grows.
    let watched: Vec<String> = (1..=6).map(|number| format!("host_{number}: {{ host: {{}} }}")).collect();
    let watched = format!("watch: {{ {} }}", watched.join(", "));
    place.file("study.yaml", &study(target.address(), "").replace("watch: { host: {} }", &watched));
    // `ulimit -f` counts KiB: enough to begin, the room for the ending included, and too little to go on.
    let ran = ends_within(120, start(&place, "ulimit -f 72;", "run study.yaml --out run"));
    assert_eq!(ran.code, 3, "{ran:#?}");
    assert!(ran.stderr.contains("File too large"), "{ran:#?}");
    let words = ran.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("ulimit -f unlimited") && !words.contains("free space there"), "{ran:#?}");
}

/// With so many threads of its user at most. Root has no such limit, so there it runs as a user of its own.
pub(crate) fn with_threads(place: &Place, most: u32, arguments: &str) -> Ran {
    let shell = format!("ulimit -u {most}; exec {} {arguments}", program("loadproof").display());
    let mut command = if getuid().is_root() {
        let user = (70_000 + std::process::id() % 10_000).to_string();
        let mut command = Command::new("setpriv");
        command.args(["--reuid", &user, "--regid", &user, "--clear-groups", "bash", "-c", &shell]);
        command
    } else {
        let mut command = Command::new("bash");
        command.args(["-c", &shell]);
        command
    };
    command.current_dir(place.path()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    ends_within(120, command.spawn().expect("a shell"))
}

#[test]
fn too_few_threads_are_refused_before_the_start() {
    let target = target("target-echo", &[]);
    let place = Place::new();
    std::fs::set_permissions(place.path(), std::os::unix::fs::PermissionsExt::from_mode(0o777)).expect("it is ours");
    place.file("study.yaml", &study(target.address(), "").replace("60s", "1s"));
    for most in [1, 2, 3, 4, 6, 8, 12] {
        let ran = with_threads(&place, most, &format!("run study.yaml --threads 2 --out run{most}"));
        assert_eq!(ran.code, 2, "{most}: {ran:#?}");
        assert!(ran.stderr.contains("threads") && ran.stderr.contains("ulimit -u"), "{most}: {ran:#?}");
        assert!(!place.path().join(format!("run{most}")).exists(), "nothing was begun");
    }
    assert_eq!(answered(&target), 0, "nothing was sent");
    let ran = with_threads(&place, 2, "ceiling --for 4s --threads 2");
    assert_eq!(ran.code, 2, "{ran:#?}");
}

#[test]
fn too_little_memory_is_refused_before_the_start() {
    let target = target("target-echo", &[]);
    let place = Place::new();
    place.file("study.yaml", &study(target.address(), "").replace("60s", "1s"));
    let mut advice = String::new();
    for kib in [200_000, 300_000, 400_000, 700_000] {
        let first = format!("ulimit -v {kib};");
        let ran = ends_within(120, start(&place, &first, "run study.yaml --threads 2 --out run"));
        assert_eq!(ran.code, 2, "{kib}: {ran:#?}");
        assert!(ran.stderr.contains("ulimit -v"), "{kib}: {ran:#?}");
        advice = ran.stderr.split("type `").nth(1).and_then(|rest| rest.split_once('`')).expect("advice").0.to_owned();
    }
    assert_eq!(answered(&target), 0, "nothing was sent");
    // With what it says to type it runs to its end.
    let ran = ends_within(120, start(&place, &format!("{advice};"), "run study.yaml --threads 2 --out run"));
    assert!([0, 3].contains(&ran.code), "{advice}: {ran:#?}");
}

#[test]
fn a_limit_of_data_is_told_with_its_own_number() {
    let target = target("target-echo", &[]);
    let place = Place::new();
    place.file("study.yaml", &study(target.address(), "").replace("60s", "1s"));
    let ran = ends_within(120, start(&place, "ulimit -d 250000;", "run study.yaml --threads 2 --out run"));
    assert_eq!(ran.code, 2, "{ran:#?}");
    assert!(!ran.stderr.contains("ulimit -v"), "another limit is as it was: {ran:#?}");
    let advice = ran.stderr.split("type `").nth(1).and_then(|rest| rest.split_once('`')).expect("advice").0;
    assert!(advice.starts_with("ulimit -d "), "{ran:#?}");
    let ran = ends_within(120, start(&place, &format!("{advice};"), "run study.yaml --threads 2 --out run"));
    assert!([0, 3].contains(&ran.code), "{advice}: {ran:#?}");
}

#[test]
fn few_descriptors_are_told_of_before_an_open_load() {
    let target = target("target-echo", &[]);
    let place = Place::new();
    place.file("study.yaml", &study(target.address(), ""));
    let ran = ends_within(60, start(&place, "ulimit -n 400;", "check study.yaml"));
    assert_eq!(ran.code, 0, "{ran:#?}");
    // 100/s for 20 s; 400 less the 256 that are kept.
    for part in ["warning: `busy`", "2,000 connections", "may open 144", "max_in_flight", "ulimit -n 2256"] {
        assert!(ran.stderr.contains(part), "{part}: {ran:#?}");
    }
    for most in [30, 100, 256] {
        let ran = ends_within(60, start(&place, &format!("ulimit -n {most};"), "run study.yaml --out run"));
        assert_eq!(ran.code, 2, "{most}: {ran:#?}");
        assert!(ran.stderr.contains("ulimit -n"), "{most}: {ran:#?}");
    }
    assert_eq!(answered(&target), 0, "nothing was sent");
}
