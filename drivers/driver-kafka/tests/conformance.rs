//! What every driver owes before it has a cluster: one mistake for each thing that is wrong, a sentence that says why
//! nothing can be set up, every word in every language. What needs a broker is in `tests/broker.rs`.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use contract::Settings;
use driver_kafka::KAFKA;
use testkit::{Surroundings, body_is, exchange, mistakes, text};

fn produce(entries: &[(&str, &str)]) -> Settings {
    let entries: Vec<_> = entries.iter().map(|(key, value)| (*key, text(*value))).collect();
    exchange("produce", &entries)
}

fn codes(settings: Settings) -> Vec<&'static str> {
    let found = mistakes(KAFKA, settings, &Surroundings::default());
    // Of names the study knows more than a driver.
    let own = found.iter().filter(|mistake| mistake.code != "study::unknown-name");
    assert!(own.clone().all(|mistake| mistake.label.is_some() || mistake.hint.is_some()), "{found:?}");
    found.iter().map(|mistake| mistake.code).collect()
}

#[test]
fn all_mistakes_come_at_once_with_hints() {
    let right = [("broker", "127.0.0.1:9092"), ("topic", "orders"), ("value", "a $(serial)")];
    assert_eq!(codes(produce(&right)), [""; 0]);
    assert_eq!(codes(produce(&[("broker", "b:1"), ("topic", "orders"), ("key", "a")])), [""; 0], "a tombstone");
    assert_eq!(codes(produce(&[("broker", "b:1"), ("topic", "orders")])), ["study::missing-key"]);
    let wrong = [
        ("broker", "b"),
        ("topic", "all orders"),
        ("value", "$(nothing)"),
        ("acks", "one"),
        ("records", "0"),
        ("linger", "2m"),
        ("topics", "x"),
    ];
    let expected = [
        "kafka::address",
        "kafka::name",
        "study::unknown-name",
        "study::out-of-range",
        "study::unknown-word",
        "study::out-of-range",
        "study::unknown-key",
    ];
    assert_eq!(codes(produce(&wrong)), expected);
    let asked = |entries: &[(&str, &str)]| {
        let entries: Vec<_> = entries.iter().map(|(key, value)| (*key, text(*value))).collect();
        codes(exchange("request", &entries))
    };
    assert_eq!(asked(&right), ["study::missing-key"], "where its reply comes");
    assert_eq!(asked(&[&right[..], &[("reply", "answers")]].concat()), [""; 0]);
    assert_eq!(asked(&[&right[..], &[("reply", "all answers"), ("records", "2")]].concat()).len(), 2);
    assert_eq!(codes(produce(&[&right[..], &[("compression", "zstd")]].concat())), ["kafka::no-zstd"]);
    let consumed = |entries: &[(&str, &str)]| {
        let entries: Vec<_> = entries.iter().map(|(key, value)| (*key, text(*value))).collect();
        codes(exchange("consume", &entries))
    };
    assert_eq!(consumed(&[("broker", "b:1"), ("topic", "orders"), ("group", "store"), ("from", "earliest")]), [""; 0]);
    assert_eq!(consumed(&[("broker", "b:1"), ("topic", "orders"), ("partition", "2")]), [""; 0]);
    let wrong =
        [("broker", "b"), ("topic", "o"), ("group", "s"), ("partition", "2"), ("from", "first"), ("acks", "all")];
    let expected = ["kafka::address", "study::unknown-word", "study::unknown-key", "study::conflict"];
    assert_eq!(consumed(&wrong), expected);
    let both = [("broker", "b:1"), ("topic", "orders"), ("value", "a"), ("file", "b")];
    assert_eq!(codes(produce(&both)), ["study::conflict"]);
    let checked = Settings { checks: vec![body_is("ok")], ..produce(&right) };
    assert_eq!(codes(checked), ["kafka::no-answer"]);
}

#[test]
fn every_word_is_there_in_every_language() {
    testkit::words::of_driver(&KAFKA);
}
