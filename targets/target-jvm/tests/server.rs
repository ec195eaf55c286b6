//! The real Java server: it says who it is, counts, keeps and wastes what it is told, and never outlives its test.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests of real servers in real time")]

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use target_common::probe::Target;

const PROGRAM: &str = env!("CARGO_BIN_EXE_target-jvm");

/// Starts a server; what is missing on this machine is stated by the program itself.
fn start(flags: &[&str]) -> Target {
    Target::start(PROGRAM, flags)
        .expect("target-jvm needs a JDK; `make parts` installs it, and its own words are above")
}

/// A number of a flat JSON text.
fn number(text: &str, name: &str) -> u64 {
    let after = text.split(&format!("\"{name}\":")).nth(1).unwrap_or_else(|| panic!("`{name}` is not in {text}"));
    after.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap()
}

fn is_alive(pid: u64) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

fn wait_for_end(pid: u64) {
    let begun = Instant::now();
    while is_alive(pid) {
        assert!(begun.elapsed() < Duration::from_secs(20), "the Java process {pid} lives on");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn it_says_who_it_is_and_keeps_what_it_is_told() {
    let target = start(&[
        "--nonce",
        "a \"quoted\" one",
        "--heap",
        "32MiB",
        "--leak",
        "20kB",
        "--live",
        "1MiB",
        "--collector",
        "serial",
    ]);
    let identity = target.get("/version").unwrap();
    assert!(identity.contains("\"nonce\":\"a \\\"quoted\\\" one\""), "{identity}");
    assert_eq!(number(&identity, "pid"), u64::from(target.pid()));
    assert_eq!(target.get("/health").unwrap(), "{\"status\":\"ok\"}\n");
    let mut client = target.connect().unwrap();
    for count in 0..25 {
        let reply = client.get("/work").unwrap();
        assert_eq!((reply.status, reply.header("request-number")), (200, Some(count.to_string().as_str())));
    }
    let counters = target.get("/counters").unwrap();
    assert_eq!((number(&counters, "requests"), number(&counters, "out_of_memory")), (25, 0));
    assert_eq!(number(&counters, "kept_bytes"), (1 << 20) + 25 * 20_000, "1 MiB from the start, 20 kB a request");
    // After a collection the live data are there, with 2 MiB of reserve and what the platform itself needs. The garbage
    // is not: 25 × 200 kB would be 5 MB more.
    let memory = target.get("/collect").unwrap();
    let used = number(&memory, "heap_used");
    assert!((3_600_000..7_600_000).contains(&used), "{memory}");
    // The bean leaves one survivor space out.
    let max = number(&memory, "heap_max");
    assert!((28 << 20..32 << 20).contains(&max), "{memory}");
}

#[test]
fn a_heap_that_is_full_answers_500_and_lives() {
    let target = start(&["--heap", "16MiB", "--leak", "1MiB", "--garbage", "0B", "--collector", "serial"]);
    let mut client = target.connect().unwrap();
    let full = (0..40).filter(|_| client.get("/work").unwrap().status == 500).count();
    assert!(full > 10, "{full} of 40 found no room: 16 MiB hold some dozen of 1 MiB");
    assert_eq!(target.counter("out_of_memory").unwrap(), full as u64);
}

#[test]
fn the_java_process_ends_with_the_launcher_however_that_ends() {
    let mut target = start(&[]);
    let java = number(&target.get("/version").unwrap(), "java_pid");
    assert!(is_alive(java) && java != u64::from(target.pid()));
    // Killed, so that it can do nothing about it any more.
    target.child().kill().unwrap();
    wait_for_end(java);
    let mut target = start(&[]);
    let java = number(&target.get("/version").unwrap(), "java_pid");
    let pid = rustix::process::Pid::from_child(target.child());
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert!(target.child().wait().unwrap().success());
    wait_for_end(java);
}

#[test]
fn it_ends_with_its_parent() {
    // The parent is a process of its own, so that it can end while the test goes on.
    let mut parent = Command::new("sleep").arg("60").spawn().unwrap();
    let mut target = Command::new(PROGRAM)
        .env("LOADPROOF_PARENT_PID", parent.id().to_string())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(200));
    parent.kill().unwrap();
    parent.wait().unwrap();
    assert!(target.wait().unwrap().success());
}

#[test]
fn what_stands_in_the_way_is_said() {
    let said = |home: Option<&str>, flags: &[&str]| {
        let mut command = Command::new(PROGRAM);
        command.args(flags).env_remove("LOADPROOF_PARENT_PID");
        if let Some(home) = home {
            command.env("LOADPROOF_JAVA_HOME", home);
        }
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, text) = said(Some("nowhere"), &[]);
    assert!(code == Some(4) && text.contains("there is no `java` in `nowhere/bin`"), "{text}");
    let first = start(&[]);
    let (code, text) = said(None, &["--port", &first.address().port().to_string()]);
    assert!(code == Some(4) && text.contains("try `--port 0`"), "{text}");
    let (code, text) = said(None, &["--heap", "lots"]);
    assert!(code == Some(2) && text.contains("`lots` is not a size"), "{text}");
}
