//! Event streams that are listened to, against the streaming system: what was expected stays in the books.
#![allow(clippy::unwrap_used, reason = "a test")]

use e2e::{Place, assert_balanced, program, step};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

/// Twenty connections that get ten events a second each, and open within two seconds.
const PLANNED: u64 = 20 * 10 * 4;

/// A study that listens to `backend`, of which `system` says how it is started or where it is.
fn study(place: &Place, system: &str, more: &str) {
    place.file(
        "study.yaml",
        &format!(
            "study: Listening\n{system}\n\
             exchanges:\n  feed:\n    sse.listen: {{ url: \"$(backend.url)/events?events=10/s\"{more} }}\n\
             \x20   legs: {{ connect: {{ within: 5s }}, event: {{ expect: 10/s, sequence: json($.n), sent: json($.t), within: 3s }} }}\n\
             scenarios:\n  listen: {{ load: {{ connections: 20, ramp: {{ over: 2s }}, hold: 4s }}, run: [feed] }}\n\
             requirements:\n  connected: count(feed.connect.failed) = 0\n  delivered: share(feed.event.ok) >= 99%\n"
        ),
    );
}

/// The system with these faults.
fn started(faults: &str) -> String {
    format!(
        "system:\n  name: streaming\n  instances:\n    backend: {{ start: system-streaming backend --port $(port) $(faults), faults: {{ {faults} }} }}"
    )
}

/// Carries the study out. Each step's books balance.
fn carried_out(place: &Place) -> (Value, e2e::Ran) {
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    let result = place.result("run");
    for scenario in result["scenarios"].as_array().expect("scenarios") {
        scenario["steps"].as_array().expect("steps").iter().for_each(assert_balanced);
    }
    (result, ran)
}

fn run(faults: &str, more: &str) -> (Value, e2e::Ran) {
    let place = Place::new();
    study(&place, &started(faults), more);
    carried_out(&place)
}

/// Ends of one leg in a step, of all classes or of one.
fn count(step: &Value, leg: &str, outcome: &str, class: Option<&str>) -> u64 {
    let exchanges = step["exchanges"].as_array().unwrap();
    let legs = exchanges.iter().flat_map(|exchange| exchange["legs"].as_array().unwrap());
    let found = legs.filter(|found| (&found["id"], &found["outcome"]) == (&Value::from(leg), &Value::from(outcome)));
    let of = |found: &Value| match class {
        Some(class) => found["classes"][class].as_u64().unwrap_or(0),
        None => found["count"].as_u64().unwrap(),
    };
    found.map(of).sum()
}

/// How all events ended that were planned or came beside the books, and how many were planned.
fn kinds(result: &Value) -> (BTreeMap<&'static str, u64>, u64) {
    let (mut kinds, mut planned) = (BTreeMap::new(), 0);
    for id in ["ramp", "hold"] {
        let step = step(result, "listen", id);
        planned += step["intended"].as_u64().unwrap();
        for class in ["ok", "missing", "wrong", "reset", "partial", "refused", "status", "duplicate", "late"] {
            *kinds.entry(class).or_default() += count(step, "event", "all", Some(class));
        }
    }
    (kinds, planned)
}

/// Every *n*th event of the process has a fault, and they are numbered as they are made: of those that are planned so many
/// have it. The last event of each connection may be one that is due only when the load is over.
fn is_every(found: u64, planned: u64, every: u64) -> bool {
    found.abs_diff(planned / every) <= 1
}

/// How many connections a server holds open, as it counts them.
fn open_connections(address: &str) -> Option<u64> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.write_all(b"GET /counters HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let counters: Value = serde_json::from_str(answer.split("\r\n\r\n").nth(1)?).ok()?;
    counters["connections"]["open"].as_u64()
}

#[test]
fn every_event_that_is_due_comes_on_each_connection() {
    let (result, ran) = run("", "");
    let (ramp, hold) = (step(&result, "listen", "ramp"), step(&result, "listen", "hold"));
    assert_eq!(hold["intended"], PLANNED, "{ran:#?}");
    assert_eq!((&hold["failed"], count(hold, "event", "ok", None)), (&Value::from(0), PLANNED), "{hold:#}");
    assert_eq!((count(ramp, "connect", "ok", None), count(ramp, "first", "ok", None)), (20, 20), "{ramp:#}");
    assert_eq!(ramp["intended"], count(ramp, "event", "ok", None));
    assert!(count(hold, "gap", "ok", None) > PLANNED * 9 / 10, "{hold:#}");
}

#[test]
fn lost_events_are_missing_by_their_numbers() {
    let (result, _) = run("drop_every: 50", "");
    let (kinds, planned) = kinds(&result);
    assert!(is_every(kinds["missing"], planned, 50), "{kinds:?} of {planned}");
    assert_eq!(kinds["ok"] + kinds["missing"], planned, "{kinds:?}");
}

#[test]
fn what_comes_twice_is_beside_the_books() {
    let (result, _) = run("double_every: 40", "");
    let (kinds, planned) = kinds(&result);
    assert_eq!(kinds["ok"], planned, "{kinds:?}");
    assert!(is_every(kinds["duplicate"], planned, 40), "{kinds:?} of {planned}");
}

#[test]
fn a_wrong_event_is_wrong_and_none_is_missing_for_it() {
    let (result, _) = run("wrong_every: 60", "");
    let (kinds, planned) = kinds(&result);
    assert_eq!(kinds["ok"] + kinds["wrong"], planned, "{kinds:?}");
    assert!(is_every(kinds["wrong"], planned, 60), "{kinds:?} of {planned}");
}

#[test]
fn what_a_refused_connection_was_to_get_is_counted_as_failed() {
    // Five of twenty are refused: a quarter of the events, which a share among those that came would not show.
    let (result, ran) = run("connections: 15", "");
    let (ramp, hold) = (step(&result, "listen", "ramp"), step(&result, "listen", "hold"));
    assert_eq!((count(ramp, "connect", "ok", None), count(ramp, "connect", "failed", None)), (15, 5), "{ran:#?}");
    assert_eq!((&hold["intended"], &hold["failed"]), (&Value::from(PLANNED), &Value::from(PLANNED / 4)), "{hold:#}");
    assert_eq!(count(hold, "event", "failed", Some("status")), PLANNED / 4);
}

#[test]
fn connections_that_are_cut_and_opened_again_keep_their_books() {
    let (result, ran) = run("cut_after: 1s", ", reconnect: { at_most: 20, wait: 100ms }");
    let (kinds, planned) = kinds(&result);
    let ends: u64 =
        ["ok", "missing", "wrong", "reset", "partial", "refused", "status"].map(|kind| kinds[kind]).iter().sum();
    assert_eq!(ends, planned, "{kinds:?} {ran:#?}");
    // Of each second 100 ms and the way there are lost, and the connection stands for the rest.
    assert!(kinds["reset"] > 0 && kinds["ok"] > planned * 7 / 10, "{kinds:?} of {planned}");
    assert_eq!(count(step(&result, "listen", "ramp"), "connect", "all", None), 20, "opening again is not a leg");
}

#[test]
fn a_server_that_dies_in_the_middle_takes_nothing_out_of_the_books() {
    let mut server = Command::new(program("system-streaming"))
        .args(["backend", "--port", "0", "--exit-with-stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().rsplit(' ').next().unwrap().to_owned();
    let place = Place::new();
    let system = format!(
        "system:\n  name: streaming\n  instances:\n    backend: {{ url: \"http://{address}\", identity: {{ expect: {{ name: system-streaming }} }} }}"
    );
    study(&place, &system, ", reconnect: 2");
    let load = place.start(&["run", "study.yaml", "--out", "run"]);
    // Not before all connections are open, as the server counts them.
    assert!(e2e::until(60, || open_connections(&address) == Some(20)), "twenty connections open");
    server.kill().unwrap();
    server.wait().unwrap();
    let ran = e2e::wait(load);
    let result = place.result("run");
    result["scenarios"][0]["steps"].as_array().unwrap().iter().for_each(assert_balanced);
    let (kinds, planned) = kinds(&result);
    let ends: u64 =
        ["ok", "missing", "wrong", "reset", "partial", "refused", "status"].map(|kind| kinds[kind]).iter().sum();
    assert_eq!(ends, planned, "{kinds:?} {ran:#?}");
    // The run is stopped for it, and until then everything that was due has failed with the connections.
    assert!(
        ran.stderr.contains("no longer listens on port") || ran.stdout.contains("no longer listens on port"),
        "{ran:#?}"
    );
    let (lost, met) = (kinds["reset"] + kinds["partial"] + kinds["refused"], kinds["ok"]);
    assert!(met > 0 && lost > 0 && kinds["missing"] == 0, "{kinds:?} of {planned}");
}
