//! Loads of connections that are held open.

use super::fakes::{load, study};
use crate::model::*;
use terms::Nanos;

const HEAD: &str = "study: Loads
vars: { n: 3 }
system: { name: shop, url: \"http://127.0.0.1:1\", identity: { expect: { a: b } } }
exchanges: { a: { http.get: { url: x } }, held: { http.listen: { url: x } } }
";

fn text(load: &str, run: &str) -> String {
    format!("{HEAD}scenarios: {{ busy: {{ load: {{ {load} }}, {run} }} }}\n")
}

fn mistakes(load_text: &str, run: &str) -> Vec<(&'static str, String)> {
    let text = text(load_text, run);
    let rejected = load(&text).err().unwrap_or_else(|| panic!("accepted: {text}"));
    rejected.mistakes.0.into_iter().map(|mistake| (mistake.code, mistake.message)).collect()
}

#[test]
fn connections_are_a_number_and_what_each_sends() {
    let read = |load: &str| study(&text(load, "run: [held]")).scenarios[0].parts[0].load.clone();
    let held = read("connections: $(n * 100), each: 5/s, ramp: { over: 1m, by: 100 }, warm_up: 10s, hold: 5m");
    assert_eq!(held.model, Model::Connections { count: 300, each: Some(5.0) });
    assert_eq!(held.ramp, Some(Ramp { over: Nanos::from_secs(60), by: Some(100.0) }));
    assert_eq!(held.hold, Extent::Time(Nanos::from_secs(300)));
    let listening = read("connections: 10, hold: 1m");
    assert_eq!(listening.model, Model::Connections { count: 10, each: None });
    let slow = read("connections: 10, each: 1/10s, hold: 1m");
    assert_eq!(slow.model, Model::Connections { count: 10, each: Some(0.1) });
}

#[test]
fn what_fits_no_held_load_is_refused() {
    for (load, code) in [
        ("connections: 10, users: 5, hold: 1m", "study::conflict"),
        ("connections: 10, each: 5, hold: 1m", "study::wrong-unit"),
        ("connections: 10, each: 0/s, hold: 1m", "study::out-of-range"),
        ("connections: 10, count: 100", "study::conflict"),
        ("connections: 10, warm_up: 100, hold: 1m", "study::conflict"),
        ("connections: 10, pacing: 1s, hold: 1m", "study::conflict"),
        ("connections: 10, spacing: poisson, hold: 1m", "study::conflict"),
        ("connections: 10, max_in_flight: 5, hold: 1m", "study::conflict"),
        ("connections: 10, ramp: { over: 10s, by: 20 }, hold: 1m", "study::out-of-range"),
        ("arrivals: 10/s, each: 5/s, hold: 1m", "study::conflict"),
        ("connections: 10", "study::missing-key"),
    ] {
        let run = if load.starts_with("arrivals") { "run: [a]" } else { "run: [held]" };
        let found = mistakes(load, run);
        assert!(found.len() == 1 && found[0].0 == code, "{load}: {found:?}");
    }
}

#[test]
fn a_held_load_and_an_exchange_that_holds_belong_together() {
    let held = "connections: 10, hold: 1m";
    for run in ["run: [a]", "run: [held, a]", "run: [held, think: 1s]", "run: [ { times: 2, run: [held] } ]"] {
        let found = mistakes(held, run);
        assert!(found.len() == 1 && found[0].1.contains("not one exchange that holds"), "{run}: {found:?}");
    }
    let found = mistakes("arrivals: 5/s, hold: 1m", "run: [a, held]");
    assert!(found.len() == 1 && found[0].1.contains("has an exchange that holds"), "{found:?}");
    let found = mistakes(held, "run: [held], set_up: [held]");
    assert!(found.len() == 1 && found[0].1.contains("of `set_up` holds"), "{found:?}");
    // Users' own set-up is a connection's, too.
    study(&text(held, "run: [held], set_up: [ a: per user ]"));
}

#[test]
fn what_was_read_is_written_again() {
    let first = study(&text("connections: 10, each: 1/10s, ramp: { over: 10s, by: 5 }, hold: 1m", "run: [held]"));
    let again = study(&first.effective);
    assert_eq!(first.scenarios[0].parts[0].load, again.scenarios[0].parts[0].load, "{}", first.effective);
}
