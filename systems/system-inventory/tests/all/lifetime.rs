//! When processes end, and what they still do then.

#![allow(clippy::disallowed_methods, reason = "tests of a program ask the system for the time")]

use std::process::{Command, Stdio};

use crate::support::{Folder, command, start};
use testkit::program::{Link, PATIENCE, Process};

const PATH: &str = "/source-storage/source-records?instanceHrid=in00000000001";

fn line(folder: &Folder, flags: &str) -> String {
    format!("records --store {} --instances 20 --seed 1 {flags}", folder.store())
}

#[test]
fn a_signal_lets_calls_in_flight_end_and_the_log_be_whole() {
    for signal in ["TERM", "INT"] {
        let folder = Folder::new();
        let log = folder.path("access.log");
        let mut process = start(&line(&folder, &format!("--fault delay=300ms --access-log {}", log.display())));
        let mut idle = Link::open(&process.address).unwrap();
        assert_eq!(idle.call("GET", PATH, &[], "").unwrap().status, 200);
        let mut link = Link::open(&process.address).unwrap();
        link.send("GET", PATH, &[], "").unwrap();
        process.counters_until(|counters| counters["in_flight"] == 1);
        process.signal(signal);
        assert_eq!(link.receive().unwrap().status, 200);
        assert!(process.ended().success());
        assert_eq!(std::fs::read_to_string(log).unwrap().lines().count(), 2);
    }
}

#[test]
fn it_ends_when_its_standard_input_is_closed_if_asked() {
    let folder = Folder::new();
    let mut staying = start(&line(&folder, ""));
    let mut ending = start(&line(&folder, "--exit-with-stdin"));
    drop(staying.child.stdin.take());
    drop(ending.child.stdin.take());
    assert!(ending.ended().success());
    assert_eq!(staying.get("/health").status, 200);
}

#[test]
fn it_ends_with_the_process_that_it_was_told_of() {
    let folder = Folder::new();
    let mut parent = Command::new("sleep").arg("600").stdin(Stdio::null()).spawn().unwrap();
    let mut started = command(&line(&folder, ""));
    started.env("LOADPROOF_PARENT_PID", parent.id().to_string());
    let mut process = Process::from(started);
    assert_eq!(process.get("/health").status, 200);
    parent.kill().unwrap();
    parent.wait().unwrap();
    assert!(process.ended().success());
    let mut orphan = command(&line(&folder, ""));
    let output = orphan.env("LOADPROOF_PARENT_PID", parent.id().to_string()).output().unwrap();
    assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains("cannot be watched"));
}

#[test]
fn a_build_ends_with_a_signal_and_leaves_no_half_store() {
    let folder = Folder::new();
    let flags = format!("records --store {} --instances 3000000", folder.store());
    let mut child = command(&flags).stderr(Stdio::null()).stdin(Stdio::null()).spawn().unwrap();
    let building = folder.path("inventory.db.building");
    let since = std::time::Instant::now();
    while !building.exists() {
        assert!(since.elapsed() < PATIENCE);
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(Command::new("kill").arg("-TERM").arg(child.id().to_string()).status().unwrap().success());
    assert!(child.wait().unwrap().success());
    assert!(!building.exists() && !folder.path("inventory.db").exists());
}
