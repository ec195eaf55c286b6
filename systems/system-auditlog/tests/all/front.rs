//! How the front spreads calls, and what it does when a lookup is gone.

#![allow(clippy::disallowed_methods, reason = "tests of a program ask the system for the time")]

use serde_json::json;
use testkit::program::Process;

use crate::support::{Ask, System, post};

const NOBODY: &str = "0101000001";

fn counts(system: &System, lookup: &Process) -> serde_json::Value {
    system.front.counters()["lookups"]["replicas"][&lookup.address].clone()
}

#[test]
fn a_lookup_that_is_gone_is_left_out_and_the_other_goes_on() {
    let mut system = System::with("", "--rest 10m");
    let ask = Ask::citizen(&system.assertion(), NOBODY, "").text();
    for _ in 0..4 {
        assert_eq!(post(&system.front, "/minlog/", &ask).status, 200);
    }
    system.lookups[0].child.kill().unwrap();
    system.lookups[0].ended();
    // A kept connection may break under the first call; a new one is refused, and the call passed on.
    let first = [0, 1].map(|_| post(&system.front, "/minlog/", &ask).status);
    assert!(first.iter().all(|status| [200, 502].contains(status)), "{first:?}");
    for _ in 0..20 {
        assert_eq!(post(&system.front, "/minlog/", &ask).status, 200);
    }
    let lookups = system.front.counters()["lookups"].clone();
    assert_eq!((&lookups["passed_on"], &lookups["nobody"]), (&json!(1), &json!(0)));
    let gone = counts(&system, &system.lookups[0]);
    assert_eq!((&gone["refused"], &gone["resting"]), (&json!(1), &json!(true)), "{gone}");
    system.lookups[1].child.kill().unwrap();
    system.lookups[1].ended();
    let last = [0, 1].map(|_| post(&system.front, "/minlog/", &ask).status);
    assert_eq!(last[1], 503, "{last:?}");
    assert_eq!(system.front.get("/health").status, 200);
}

#[test]
fn a_lookup_that_is_back_gets_its_turns_again() {
    let mut system = System::with("", "--rest 1ms");
    let ask = Ask::citizen(&system.assertion(), NOBODY, "").text();
    let address = system.lookups[0].address.clone();
    system.lookups[0].child.kill().unwrap();
    system.lookups[0].ended();
    for _ in 0..4 {
        assert_eq!(post(&system.front, "/minlog/", &ask).status, 200);
    }
    let port = address.split_once(':').unwrap().1;
    system.lookups[0] = system.folder.lookup(&format!("--port {port}"));
    for _ in 0..10 {
        assert_eq!(post(&system.front, "/minlog/", &ask).status, 200);
    }
    assert_eq!(system.lookups[0].counters()["started"], 5);
}

#[test]
fn a_skewed_front_gives_the_first_its_times() {
    let system = System::with("", "--fault skew=3");
    let ask = Ask::citizen(&system.assertion(), NOBODY, "").text();
    for _ in 0..100 {
        assert_eq!(post(&system.front, "/minlog/", &ask).status, 200);
    }
    let started = [0, 1].map(|place: usize| system.lookups[place].counters()["started"].as_u64().unwrap());
    assert_eq!(started[0] + started[1], 100);
    assert!((72..=78).contains(&started[0]), "{started:?}");
    assert_eq!(counts(&system, &system.lookups[0])["sent"], started[0], "both count the same");
}

#[test]
fn a_slow_lookup_is_504_and_what_was_sent_is_not_sent_again() {
    let system = System::with("--fault delay=3s", "--timeout 500ms");
    let ask = Ask::citizen(&system.assertion(), NOBODY, "").text();
    let answer = post(&system.front, "/minlog/", &ask);
    assert!(answer.status == 504 && answer.body.contains("took longer than 500ms"), "{answer:?}");
    let started: u64 = system.lookups.iter().map(|lookup| lookup.counters()["started"].as_u64().unwrap()).sum();
    assert_eq!(started, 1);
}

#[test]
fn a_lookup_that_breaks_off_is_502_and_nobody_gets_the_call_again() {
    let system = System::with("--fault reset=100%", "");
    let ask = Ask::citizen(&system.assertion(), NOBODY, "").text();
    for _ in 0..4 {
        assert_eq!(post(&system.front, "/minlog/", &ask).status, 502);
    }
    let started: u64 = system.lookups.iter().map(|lookup| lookup.counters()["started"].as_u64().unwrap()).sum();
    assert_eq!(started, 4);
}
