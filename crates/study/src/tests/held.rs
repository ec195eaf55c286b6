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
    assert_eq!(held.model, Model::Connections { count: 300, each: Some(5.0), expected: None });
    assert_eq!(held.ramp, Some(Ramp { over: Nanos::from_secs(60), by: Some(100.0) }));
    assert_eq!(held.hold, Extent::Time(Nanos::from_secs(300)));
    let listening = read("connections: 10, hold: 1m");
    assert_eq!(listening.model, Model::Connections { count: 10, each: None, expected: None });
    let slow = read("connections: 10, each: 1/10s, hold: 1m");
    assert_eq!(slow.model, Model::Connections { count: 10, each: Some(0.1), expected: None });
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
        ("subscribers: 10, hold: 1m", "study::missing-key"),
        ("subscribers: 10, publish: 5, hold: 1m", "study::wrong-unit"),
        ("subscribers: 10, publish: 1/10s, each: 5/s, hold: 1m", "study::conflict"),
        ("connections: 10, publish: 1/s, hold: 1m", "study::conflict"),
        ("subscribers: 10, publish: 1/s, max_in_flight: 5, hold: 1m", "study::conflict"),
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
        assert!(found.len() == 1 && found[0].1.contains("not one exchange for such a load"), "{run}: {found:?}");
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

/// An exchange that listens, and one that publishes, beside those of [`HEAD`].
fn with_messages(legs: &str, load: &str, run: &str) -> String {
    let more =
        format!("exchanges: {{ feed: {{ http.feed: {{ url: x }}, {legs} }}, fan: {{ http.fan: {{ url: x }} }}, ");
    text(load, run).replace("exchanges: { ", &more)
}

#[test]
fn what_is_expected_of_connections_that_listen_is_planned() {
    let legs = "legs: { event: { expect: $(n * 10)/s, sequence: json($.n), sent: header(t), within: 2s } }";
    let legs = legs.replace("$(n * 10)/s", "30/s");
    let read = study(&with_messages(&legs, "connections: 10, hold: 1m", "run: [feed]"));
    let model = &read.scenarios[0].parts[0].load.model;
    assert_eq!(*model, Model::Connections { count: 10, each: None, expected: Some(30.0) });
    let incoming = &read.exchanges[0].settings.incoming;
    assert_eq!(incoming.sequence, Some(contract::Probe::Json("$.n".into())));
    assert_eq!((incoming.expect, incoming.sent.clone()), (Some(30.0), Some(contract::Probe::Header("t".into()))));
    // The effective study says the same once more.
    let again = study(&read.effective);
    assert_eq!(again.exchanges[0].settings.incoming, *incoming);
    assert_eq!(again.scenarios[0].parts[0].load.model, *model);
    // Without it nothing is planned.
    let read = study(&with_messages("", "connections: 10, hold: 1m", "run: [feed]"));
    assert_eq!(read.scenarios[0].parts[0].load.model, Model::Connections { count: 10, each: None, expected: None });
}

#[test]
fn expectations_are_of_those_that_listen_and_publishing_is_for_subscribers() {
    let event = "legs: { event: { expect: 10/s } }";
    for (legs, load, run, code) in [
        (event, "connections: 10, each: 1/s, hold: 1m", "run: [feed]", "study::conflict"),
        ("legs: { event: { expect: 10 } }", "connections: 10, hold: 1m", "run: [feed]", "study::wrong-unit"),
        ("legs: { connect: { expect: 10/s } }", "connections: 10, hold: 1m", "run: [feed]", "study::conflict"),
        ("legs: { event: { sequence: nothing } }", "connections: 10, hold: 1m", "run: [feed]", "study::bad-check"),
        ("", "connections: 10, hold: 1m", "run: [fan]", "study::conflict"),
        ("", "subscribers: 10, publish: 1/s, hold: 1m", "run: [feed]", "study::conflict"),
        ("", "arrivals: 10/s, hold: 1m", "run: [fan]", "study::conflict"),
    ] {
        let text = with_messages(legs, load, run);
        let rejected = load_text_of(&text);
        assert!(rejected.len() == 1 && rejected[0].0 == code, "{legs} {load} {run}: {rejected:?}");
    }
    let read = study(&with_messages("", "subscribers: 10, publish: 1/10s, hold: 1m", "run: [fan]"));
    assert_eq!(read.scenarios[0].parts[0].load.model, Model::Subscribers { count: 10, publish: 0.1 });
    assert_eq!(study(&read.effective).scenarios[0].parts[0].load, read.scenarios[0].parts[0].load);
}

fn load_text_of(text: &str) -> Vec<(&'static str, String)> {
    let rejected = load(text).err().unwrap_or_else(|| panic!("accepted: {text}"));
    rejected.mistakes.0.into_iter().map(|mistake| (mistake.code, mistake.message)).collect()
}

#[test]
fn what_is_required_of_openings_looks_at_all_of_the_load() {
    let read = |rule: &str| {
        let text = with_messages("", "connections: 10, ramp: { over: 5s }, hold: 1m", "run: [feed]");
        load(&format!("{text}requirements: {{ opened: {rule} }}\n"))
    };
    let window = |rule: &str| {
        let (study, _) = read(rule).unwrap_or_else(|rejected| panic!("{rule}: {rejected}"));
        study.requirements[0].applies[0].rule.window
    };
    let all = rule::Window { part: None, phase: None };
    assert_eq!(window("count(feed.connect.failed) = 0"), Some(all));
    assert_eq!(window("p95(feed.connect.response) < 1s and share(feed.connect.failed) <= 1%"), Some(all));
    // What is written is what is meant, and all else is of the hold.
    let hold = rule::Window { part: None, phase: Some(terms::Phase::Hold) };
    assert_eq!(window("count(feed.connect.failed) = 0 in hold"), Some(hold));
    assert_eq!(window("share(feed.event.failed) <= 1%"), None);
    let mixed = read("count(feed.connect.failed) = 0 and share(feed.event.failed) <= 1%").err().unwrap();
    assert_eq!(mixed.mistakes.0[0].code, "study::no-window");
}

#[test]
fn gaps_are_a_leg_of_what_holds_connections_and_of_nothing_else() {
    let with = |run: &str, rule: &str| {
        let text = with_messages("", "connections: 10, hold: 1m", run);
        format!("{text}requirements: {{ even: \"{rule}\" }}\n")
    };
    let read = study(&with("run: [feed]", "p99(feed.gap) < 500ms and share(feed.gap > 1s) <= 1%"));
    for clause in &read.requirements[0].applies[0].rule.clauses {
        let subject = &clause.statistics()[0].series.subject;
        assert!(matches!(subject, rule::Subject::Exchanges { leg: Some(2), .. }), "{subject:?}");
    }
    let rejected = load(&with("run: [held]", "p99(held.gap) < 500ms")).err().unwrap_or_else(|| panic!("accepted"));
    let first = &rejected.mistakes.0[0];
    assert_eq!((first.code, first.message.as_str()), ("study::unknown-name", "`held` has no leg or figure `gap`"));
    assert!(first.hint.as_ref().is_some_and(|hint| hint.ends_with("the leg `gap` of `feed`, `fan`")), "{first:?}");
    // Where the study has no such exchange, the operations that have gaps are named.
    let alone =
        format!("{}requirements: {{ even: p99(held.gap) < 1s }}\n", text("connections: 3, hold: 1m", "run: [held]"));
    let told = load(&alone).err().unwrap_or_else(|| panic!("accepted")).to_string();
    assert!(told.contains("the leg `gap` of `http.feed`, `http.fan`"), "{told}");
}
