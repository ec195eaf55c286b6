//! What every monitor owes: one mistake for each thing that is wrong, no value where there is none, a sentence that says
//! why. A broker is needed for the rest: `tests/broker.rs`.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use contract::{Facts, Mistakes, Monitor, Samples};
use monitor_kafka_lag::KAFKA_LAG;
use terms::Nanos;

fn build(entries: &[(&str, &str)]) -> Result<Box<dyn Monitor>, Mistakes> {
    testkit::monitor(KAFKA_LAG, entries, &[], Nanos::SECOND)
}

#[test]
fn all_mistakes_come_at_once_with_hints() {
    let codes = |entries: &[(&str, &str)]| -> Vec<&'static str> {
        let found = build(entries).err().map(|mistakes| mistakes.0).unwrap_or_default();
        assert!(found.iter().all(|mistake| mistake.label.is_some() || mistake.hint.is_some()), "{found:?}");
        found.iter().map(|mistake| mistake.code).collect()
    };
    assert_eq!(codes(&[]), ["study::missing-key"; 3]);
    let right = [("broker", "127.0.0.1:9092,b:1"), ("group", "g"), ("topics", "t")];
    assert_eq!(codes(&right), [""; 0]);
    let wrong = [("broker", "127.0.0.1"), ("group", ""), ("topics", "t"), ("hosts", "clients"), ("brokers", "x")];
    assert_eq!(codes(&wrong), ["kafka::address", "study::missing-key", "study::unknown-word", "study::unknown-key"]);
    for broker in ["x:", ":9092", "x:0", "http://x:1", "a@b:1", "x:99999"] {
        assert_eq!(codes(&[("broker", broker), ("group", "g"), ("topics", "t")]), ["kafka::address"], "{broker}");
    }
    let odd = [("broker", "b:1"), ("group", "g"), ("topics", "t"), ("tls", "maybe"), ("sasl", "x")];
    assert!(codes(&odd).contains(&"study::wrong-type"), "{:?}", codes(&odd));
}

#[test]
fn a_broker_that_is_away_is_told_before_the_load_and_is_a_gap_during_it() {
    // A port that was just free, and that nobody listens at.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let broker = format!("127.0.0.1:{port}");
    let mut monitor = build(&[("broker", &broker), ("group", "g"), ("topics", "t")]).unwrap();
    let mut out = Samples::default();
    let failure = monitor.sample(Nanos::from_secs(1), &mut out).unwrap_err().to_string();
    assert!(failure.contains(&broker) && failure.contains("did not answer"), "{failure}");
    assert!(out.take().0.is_empty());
    let mut facts = Facts::default();
    monitor.facts(&mut facts);
    assert!(facts.0.iter().any(|(_, name, _)| name == "no answer of the broker"), "{facts:?}");
}

#[test]
fn every_word_is_there_in_every_language() {
    testkit::words::of_monitor(&KAFKA_LAG);
}
