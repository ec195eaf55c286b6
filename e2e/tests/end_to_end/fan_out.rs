//! Events that go to all subscribers of a topic, against the streaming system's hub: what was planned stays in the books.
#![allow(clippy::unwrap_used, reason = "a test")]

use e2e::{Place, assert_balanced, program, step};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// Twenty subscribers, two events a second for four seconds.
pub(crate) const PLANNED: u64 = 20 * 2 * 4;
/// How a delivery that was planned may end.
const ENDS: [&str; 8] = ["ok", "missing", "wrong", "fault", "status", "refused", "reset", "timeout"];

/// A study with subscribers at `hub`, of which `system` says how it is started or where it is. They subscribe at 95 ms from
/// one to the next, so that but for the first none does so at the moment of an event.
pub(crate) fn study(place: &Place, system: &str) {
    place.file(
        "study.yaml",
        &format!(
            "study: Fan-out\nsecrets: {{ HUB: {{}} }}\nlisteners: {{ hook: http }}\n{system}\n\
             exchanges:\n  topic:\n    websub.topic: {{ hub: $(hub.url)/hub, topic: orders, callback: hook, secret: $(secret.HUB), lease: 10m, body: \"$(serial) $(bytes(2kB))\" }}\n\
             \x20   legs: {{ verify: {{ within: 5s }}, delivery: {{ within: 3s }} }}\n\
             scenarios:\n  fan: {{ load: {{ subscribers: 20, publish: 2/s, ramp: {{ over: 1900ms }}, hold: 4s }}, run: [topic] }}\n\
             requirements:\n  verified: count(topic.verify.failed) = 0\n  delivered: share(topic.delivery.ok) >= 100%\n"
        ),
    );
}

/// Carries it out. Each step's books balance, and each delivery that was planned has one end.
pub(crate) fn carried_out(place: &Place) -> (Value, e2e::Ran) {
    let ran = place.loadproof_with(&["run", "study.yaml", "--out", "run"], &[("HUB", "s3cret of this hub")]);
    (read(place, &ran), ran)
}

pub(crate) fn read(place: &Place, ran: &e2e::Ran) -> Value {
    let result = place.result("run");
    for step in result["scenarios"][0]["steps"].as_array().expect("steps") {
        assert_balanced(step);
        let ends: u64 = ENDS.iter().map(|class| count(step, "delivery", class)).sum();
        assert_eq!(step["intended"], ends, "{ran:#?} {step:#}");
    }
    result
}

fn run(faults: &str) -> (Value, e2e::Ran) {
    let place = Place::new();
    started(&place, "", faults);
    carried_out(&place)
}

/// The study with a hub of its own, started with these flags and faults.
fn started(place: &Place, flags: &str, faults: &str) {
    let start = format!("system-streaming hub --port $(port) --store sqlite://$(scratch)/hub.db {flags} $(faults)");
    let system =
        format!("system:\n  name: streaming\n  instances:\n    hub: {{ start: \"{start}\", faults: {{ {faults} }} }}");
    study(place, &system);
}

/// A hub that the test starts itself, with a folder of its own for as long as it lives.
pub(crate) struct Hub {
    process: Child,
    pub(crate) address: String,
    _folder: tempfile::TempDir,
}

impl Hub {
    pub(crate) fn start(flags: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = format!("sqlite://{}", folder.path().join("hub.db").display());
        let mut process = Command::new(program("system-streaming"))
            .args(["hub", "--port", "0", "--store", &store])
            .args(flags)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().rsplit(' ').next().unwrap().to_owned();
        Self { process, address, _folder: folder }
    }

    pub(crate) fn system(&self) -> String {
        let identity = "identity: { expect: { name: system-streaming } }";
        format!("system:\n  name: streaming\n  instances:\n    hub: {{ url: \"http://{}\", {identity} }}", self.address)
    }

    pub(crate) fn counters(&self) -> Option<Value> {
        let mut stream = TcpStream::connect(&self.address).ok()?;
        stream.write_all(b"GET /counters HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n").ok()?;
        let mut text = String::new();
        stream.read_to_string(&mut text).ok()?;
        serde_json::from_str(text.split_once("\r\n\r\n")?.1).ok()
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Ends of one leg in a step of one class.
pub(crate) fn count(step: &Value, leg: &str, class: &str) -> u64 {
    let exchanges = step["exchanges"].as_array().unwrap();
    let legs = exchanges.iter().flat_map(|exchange| exchange["legs"].as_array().unwrap());
    let found = legs.filter(|found| (&found["id"], &found["outcome"]) == (&Value::from(leg), &Value::from("all")));
    found.map(|found| found["classes"][class].as_u64().unwrap_or(0)).sum()
}

/// The same of the whole load.
pub(crate) fn all(result: &Value, leg: &str, class: &str) -> u64 {
    result["scenarios"][0]["steps"].as_array().unwrap().iter().map(|step| count(step, leg, class)).sum()
}

/// What deliveries of the hold came to, but for what there is none of.
pub(crate) fn held(result: &Value) -> BTreeMap<&'static str, u64> {
    let hold = step(result, "fan", "hold");
    assert_eq!(hold["intended"], PLANNED, "{hold:#}");
    let classes = ENDS.into_iter().chain(["duplicate", "late"]);
    classes.map(|class| (class, count(hold, "delivery", class))).filter(|(_, count)| *count > 0).collect()
}

#[test]
fn every_event_comes_to_every_subscriber() {
    let (result, ran) = run("");
    assert_eq!(held(&result), BTreeMap::from([("ok", PLANNED)]), "{ran:#?}");
    // A busy machine may make the run invalid; what is counted stays.
    assert!([0, 3].contains(&ran.code), "{ran:#?}");
    let counts = ["subscribe", "verify", "publish"].map(|leg| all(&result, leg, "ok"));
    assert_eq!(counts, [20, 20, 11], "the first event comes half a second after the beginning: {ran:#?}");
    assert!(!ran.stderr.contains("UNCLAIMED"), "{ran:#?}");
}

#[test]
fn leases_are_renewed_and_a_hub_drops_those_of_the_scenario_before() {
    let place = Place::new();
    started(&place, "--lease 2s", "");
    let text = std::fs::read_to_string(place.path().join("study.yaml")).unwrap();
    let twice = text.replace("hold: 4s }", "hold: 4s }, repeat: 2");
    place.file("study.yaml", &twice);
    let (result, ran) = carried_out(&place);
    let steps: Vec<_> =
        result["scenarios"].as_array().unwrap().iter().flat_map(|it| it["steps"].as_array().unwrap()).collect();
    let held: Vec<_> = steps.iter().filter(|step| step["intended"] == PLANNED).collect();
    assert_eq!(held.len(), 2, "{ran:#?}");
    for step in held {
        assert_eq!(count(step, "delivery", "ok"), PLANNED, "{ran:#?} {step:#}");
        assert!(count(step, "verify", "ok") >= 20, "each is renewed in four seconds: {step:#}");
    }
    assert!(!ran.stderr.contains("UNCLAIMED"), "{ran:#?}");
}

#[test]
fn what_a_hub_loses_is_missing_to_the_delivery() {
    let hub = Hub::start(&["--fault", "loss=10%"]);
    let place = Place::new();
    study(&place, &hub.system());
    let (result, ran) = carried_out(&place);
    let counters = hub.counters().unwrap();
    let of = |key: &str| counters["deliveries"][key].as_u64().unwrap();
    let held = held(&result);
    assert!(of("dropped") > 0 && held["missing"] > 0 && held["ok"] + held["missing"] == PLANNED, "{held:?} {ran:#?}");
    assert_eq!(all(&result, "delivery", "ok"), of("attempted") - of("dropped"), "{counters:#}");
    assert_eq!(all(&result, "delivery", "ok"), of("delivered"), "{counters:#}");
}

#[test]
fn wrong_signatures_and_doubled_deliveries_are_told_apart() {
    let (result, ran) = run("wrong_signature: 10%, duplicate: 10%");
    let held = held(&result);
    assert!(held["wrong"] > 0 && held["duplicate"] > 0, "{held:?} {ran:#?}");
    assert_eq!(held["ok"] + held["wrong"], PLANNED, "{held:?}");
    assert!(ran.stderr.contains("topic: wrong"), "{ran:#?}");
}

#[test]
fn subscriptions_are_ended_at_the_end_of_the_load() {
    let hub = Hub::start(&[]);
    let place = Place::new();
    study(&place, &hub.system());
    let text = std::fs::read_to_string(place.path().join("study.yaml")).unwrap();
    let text = text.replace("lease: 10m,", "lease: 10m, unsubscribe: yes,");
    place.file("study.yaml", &(text + "  ended: count(topic.unsubscribe.failed) = 0\n"));
    let (result, ran) = carried_out(&place);
    assert_eq!(held(&result), BTreeMap::from([("ok", PLANNED)]), "{ran:#?}");
    assert_eq!(all(&result, "unsubscribe", "ok"), 20, "{ran:#?}");
    let counters = hub.counters().unwrap();
    let subscriptions = &counters["subscriptions"];
    assert_eq!((&subscriptions["unsubscribed"], &subscriptions["active"]), (&20.into(), &0.into()), "{counters:#}");
}

#[test]
fn a_wrong_byte_is_a_wrong_delivery_of_its_event_and_no_missing_one() {
    let (result, ran) = run("wrong_every: 10");
    let held = held(&result);
    assert!(held["wrong"] >= PLANNED / 10 - 2, "{held:?} {ran:#?}");
    assert_eq!(held["ok"] + held["wrong"], PLANNED, "{held:?}");
    assert!(ran.stderr.contains("differs from what was published, from byte"), "{ran:#?}");
    assert!(ran.stderr.contains("it was signed as it was published"), "{ran:#?}");
}

#[test]
fn a_delivery_that_a_hub_tries_again_comes_once() {
    let place = Place::new();
    started(&place, "", "error_on_delivery: 10%, late_verification: 20ms");
    // One that fails three times over comes after ten seconds and a half.
    let text = std::fs::read_to_string(place.path().join("study.yaml")).unwrap();
    place.file("study.yaml", &text.replace("delivery: { within: 3s }", "delivery: { within: 40s }"));
    let (result, ran) = carried_out(&place);
    assert_eq!(held(&result), BTreeMap::from([("ok", PLANNED)]), "{ran:#?}");
}

#[test]
fn events_of_denied_and_refused_subscriptions_fail_as_those_did() {
    for (fault, legs, class) in [
        ("deny_above: 15", [("subscribe", "ok", 20), ("verify", "fault", 5)], "fault"),
        ("refuse_above: 15", [("subscribe", "status", 5), ("verify", "status", 5)], "status"),
    ] {
        let (result, ran) = run(fault);
        for (leg, outcome, expected) in legs {
            assert_eq!(all(&result, leg, outcome), expected, "{fault} {leg} {ran:#?}");
        }
        assert_eq!(held(&result), BTreeMap::from([("ok", PLANNED * 3 / 4), (class, PLANNED / 4)]), "{fault} {ran:#?}");
    }
}

/// What is published before a hub has asked comes to nobody, and what is published after that does.
#[test]
fn a_hub_that_asks_late_is_late_and_delivers_from_then_on() {
    let place = Place::new();
    started(&place, "", "late_verification: 3s");
    let text = std::fs::read_to_string(place.path().join("study.yaml")).unwrap();
    place.file("study.yaml", &text.replace("verify: { within: 5s }", "verify: { within: 1s }"));
    let (result, ran) = carried_out(&place);
    let verified = ["ok", "missing", "late"].map(|class| all(&result, "verify", class));
    assert_eq!(verified, [0, 20, 20], "{ran:#?}");
    let held = held(&result);
    assert!(held["ok"] > 0 && held["missing"] > 0, "{held:?} {ran:#?}");
    assert_eq!(held["ok"] + held["missing"], PLANNED, "{held:?} {ran:#?}");
    assert!(ran.stderr.contains("did not ask in time whether it is meant"), "{ran:#?}");
}

/// A hub that takes the connection and nothing else: no subscription stands, and all that was planned fails with it.
#[test]
fn a_hub_that_says_nothing_is_a_timeout_of_every_subscription() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let silent = std::thread::spawn(move || {
        // Held open as long as the test runs.
        listener.incoming().take(20 + PLANNED as usize).map_while(Result::ok).collect::<Vec<_>>()
    });
    let place = Place::new();
    study(&place, "system: { name: streaming }");
    let text = std::fs::read_to_string(place.path().join("study.yaml")).unwrap();
    let text = text.replace("$(hub.url)", &format!("http://{address}"));
    place.file("study.yaml", &text.replace("    legs: {", "    timeout: 1s\n    legs: {"));
    let (result, ran) = carried_out(&place);
    assert_eq!((all(&result, "subscribe", "timeout"), all(&result, "verify", "timeout")), (20, 20), "{ran:#?}");
    assert_eq!(held(&result), BTreeMap::from([("timeout", PLANNED)]), "{ran:#?}");
    assert!(all(&result, "publish", "timeout") > 0, "{ran:#?}");
    drop(silent);
}

#[test]
fn a_hub_that_never_asks_delivers_nothing() {
    let (result, ran) = run("no_verification: 100%");
    assert_eq!((all(&result, "verify", "missing"), all(&result, "subscribe", "ok")), (20, 20), "{ran:#?}");
    assert_eq!(held(&result), BTreeMap::from([("missing", PLANNED)]), "{ran:#?}");
}

#[test]
fn a_hub_that_dies_in_the_middle_takes_nothing_out_of_the_books() {
    let mut hub = Hub::start(&[]);
    let place = Place::new();
    study(&place, &hub.system());
    let text = std::fs::read_to_string(place.path().join("study.yaml")).unwrap();
    place.file("study.yaml", &text.replace("secrets: { HUB: {} }\n", "").replace("$(secret.HUB)", "s3cret"));
    let load = place.start(&["run", "study.yaml", "--out", "run"]);
    let is_there = || hub.counters().is_some_and(|counters| counters["subscriptions"]["active"] == 20);
    assert!(e2e::until(60, is_there), "twenty subscriptions");
    hub.process.kill().unwrap();
    hub.process.wait().unwrap();
    let ran = e2e::wait(load);
    // The load ends soon, since the instance is gone; until then each delivery has its end, as `read` looks at.
    let result = read(&place, &ran);
    assert!(ran.stderr.contains("`hub` no longer listens"), "{ran:#?}");
    assert!(count(step(&result, "fan", "hold"), "delivery", "missing") >= 20, "{ran:#?}");
    assert!(all(&result, "publish", "refused") + all(&result, "publish", "reset") > 0, "{ran:#?}");
}
