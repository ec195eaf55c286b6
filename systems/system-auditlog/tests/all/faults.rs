//! Faults of a lookup do what they say, and the process ends when it should.

#![allow(clippy::disallowed_methods, reason = "tests of a program ask the system for the time")]

use std::time::{Duration, Instant};

use testkit::program::Link;

use crate::support::envelope::{HEADERS, sign_in};
use crate::support::{Ask, Folder, command, post, start};

const NOBODY: &str = "0101000001";

fn ask() -> String {
    Ask::citizen(&sign_in(&start("token")), NOBODY, "").text()
}

#[test]
fn errors_and_wrong_answers_come_in_their_shares() {
    let folder = Folder::new();
    let lookup = folder.lookup("--fault errors=25% --fault wrong=12.5%");
    let ask = ask();
    let (mut right, mut failed, mut wrong) = (0, 0, 0);
    for _ in 0..128 {
        let answer = post(&lookup, "/minlog/", &ask);
        match answer.status {
            500 => failed += 1,
            200 if answer.body.contains("ListLogStatementsResponse") => right += 1,
            _ => wrong += 1,
        }
    }
    assert_eq!((right, failed, wrong), (80, 32, 16));
    assert_eq!(lookup.counters()["pool"]["taken"], 96, "errors are not carried out, everything else is");
}

#[test]
fn a_slow_store_exhausts_the_pool() {
    let folder = Folder::new();
    let lookup = folder.lookup("--pool 10 --fault pool=1 --fault delay=50ms");
    let ask = ask();
    let since = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(post(&lookup, "/minlog/", &ask).status, 200));
        }
    });
    // Four calls of 50 ms on one connection cannot take less; how much longer they take says nothing.
    assert!(since.elapsed() >= Duration::from_millis(200));
    let pool = &lookup.counters()["pool"];
    assert_eq!((&pool["size"], &pool["taken"]), (&1.into(), &4.into()));
    assert!(pool["waits"].as_u64().unwrap() >= 1, "{pool}");
}

#[test]
fn a_leak_really_grows_resident_memory() {
    let ask = ask();
    let grown = |flags: &str| {
        let folder = Folder::new();
        let lookup = folder.lookup(flags);
        let mut link = Link::open(&lookup.address).unwrap();
        let mut call = |times: u32| {
            (0..times).for_each(|_| assert_eq!(link.call("POST", "/minlog/", &HEADERS, &ask).unwrap().status, 200));
        };
        call(100); // until buffers and caches have their size
        let before = lookup.resident_bytes();
        call(300);
        lookup.resident_bytes().saturating_sub(before)
    };
    // 300 calls leak 30 MB; allocators round, and caches shrink by little.
    let (leaking, sound) = (grown("--fault leak=100kB"), grown(""));
    assert!(leaking >= 28_000_000 && sound < 8_000_000, "{leaking} with the fault, {sound} without");
}

#[test]
fn a_crash_comes_at_its_age() {
    let folder = Folder::new();
    let output = command(&format!("lookup --store {} --citizens 2 --fault crash=at:300ms", folder.store())).output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(70));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "fault `crash`: ended at the age of 300ms\n");
}

#[test]
fn a_signal_lets_calls_in_flight_end() {
    let folder = Folder::new();
    let mut lookup = folder.lookup("--fault delay=300ms");
    let mut link = Link::open(&lookup.address).unwrap();
    link.send("POST", "/minlog/", &HEADERS, ask()).unwrap();
    lookup.counters_until(|counters| counters["in_flight"] == 1);
    lookup.signal("TERM");
    assert_eq!(link.receive().unwrap().status, 200);
    assert!(lookup.ended().success());
}

#[test]
fn what_means_nothing_somewhere_is_refused_there() {
    for (line, word) in [
        ("front --lookup 127.0.0.1:1 --fault pool=2", "unknown fault `pool`"),
        ("token --fault skew=2", "unknown fault `skew`"),
        ("lookup --store sqlite:///dev/null/x --citizens 1", "cannot create"),
        ("token --key /nowhere", "is not an RSA key"),
    ] {
        let output = command(line).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(word), "{line}: {said}");
    }
}
