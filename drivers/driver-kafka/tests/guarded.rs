//! Against a real broker whose doors ask who comes: TLS, SASL, and what is said where one of them does not fit. How the
//! broker is started: `tests/broker.rs`.
#![allow(clippy::unwrap_used, reason = "tests of real processes stop at what is missing")]

use contract::{Node, Settings};
use driver_kafka::KAFKA;
use std::path::Path;
use terms::{Nanos, Outcome};
use testkit::authority::Authority;
use testkit::kafka::{Broker, Doors, PASSWORD};
use testkit::{Lab, Surroundings, exchange, map, text};

const TOPIC: &str = "orders";

/// The settings of one that produces at a door.
fn at(door: &str, ca: Option<&Path>, who: Option<(&str, &str, &str)>, more: &[(&str, &str)]) -> Settings {
    let mut all = vec![("broker", text(door)), ("topic", text(TOPIC)), ("value", text("v$(serial)"))];
    all.extend(ca.map(|ca| ("tls", map(&[("ca", text(ca.display().to_string()))]))));
    all.extend(who.map(|(mechanism, user, password)| ("sasl", sasl(mechanism, user, password))));
    all.extend(more.iter().map(|(key, value)| (*key, text(*value))));
    Settings { timeout: Nanos::from_secs(20), ..exchange("produce", &all) }
}

fn sasl(mechanism: &str, user: &str, password: &str) -> Node {
    map(&[("mechanism", text(mechanism)), ("user", text(user)), ("password", text(password))])
}

fn ends(settings: Settings) -> Outcome {
    Lab::new(KAFKA, &[settings]).carry_out(0)
}

/// Why nothing is sent: said before the load.
fn refusal(settings: Settings) -> String {
    let mut built = testkit::build(KAFKA, &[settings], &Surroundings::default()).unwrap();
    built.driver.set_up().expect_err("it must be refused").to_string()
}

#[test]
#[ignore = "needs Apache Kafka: LOADPROOF_KAFKA=/path/to/libs"]
fn records_go_through_every_door_for_whom_it_is_open() {
    let (_broker, Doors { tls, sasl, sasl_tls, ca }) = Broker::guarded(&[(TOPIC, 3)]);
    assert_eq!(ends(at(&tls, Some(&ca), None, &[])), Outcome::Ok);
    for mechanism in ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] {
        let lab = Some((mechanism, "lab", PASSWORD));
        assert_eq!(ends(at(&sasl, None, lab, &[])), Outcome::Ok, "{mechanism}");
        assert_eq!(ends(at(&sasl_tls, Some(&ca), lab, &[])), Outcome::Ok, "{mechanism} within TLS");
        // A wrong password, and a right one of somebody who may not.
        let why = refusal(at(&sasl, None, Some((mechanism, "lab", "guessed")), &[]));
        assert!(why.contains("`lab`") && why.contains("password") && !why.contains("guessed"), "{why}");
        let why = refusal(at(&sasl_tls, Some(&ca), Some((mechanism, "guest", PASSWORD)), &[]));
        assert!(why.contains("does not let `guest` see the topic `orders`") && !why.contains(PASSWORD), "{why}");
    }

    // Whoever vouches for somebody else.
    let other = ca.with_file_name("other.pem");
    std::fs::write(&other, Authority::create().pem).unwrap();
    let why = refusal(at(&tls, Some(&other), None, &[]));
    assert!(why.contains("certificate") && why.contains("`tls: { ca: … }`"), "{why}");
    // TLS where none is spoken, and none where it is.
    let why = refusal(at(&sasl, Some(&ca), Some(("PLAIN", "lab", PASSWORD)), &[]));
    assert!(why.contains("TLS"), "{why}");
    let why = refusal(at(&tls, None, None, &[]));
    assert!(why.contains("did not answer"), "{why}");
    let why = refusal(at(&sasl, None, None, &[]));
    assert!(why.contains("did not answer"), "{why}");
}

#[test]
#[ignore = "needs Apache Kafka: LOADPROOF_KAFKA=/path/to/libs"]
fn every_compression_is_taken() {
    let broker = Broker::start(&[(TOPIC, 3)]);
    for compression in ["none", "gzip", "snappy", "lz4"] {
        let settings = at(broker.address(), None, None, &[("compression", compression), ("records", "100")]);
        assert_eq!(ends(settings), Outcome::Ok, "{compression}");
    }
}
