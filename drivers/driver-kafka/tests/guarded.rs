//! Against a real broker whose doors ask who comes: TLS, SASL, and what is stated where one of them does not fit. How the
//! broker is started: `tests/broker.rs`.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use contract::{Node, Settings};
use driver_kafka::KAFKA;
use std::path::Path;
use std::time::Instant;
use terms::{Nanos, Outcome};
use testkit::authority::Authority;
use testkit::kafka::{Broker, Doors, PASSWORD, PATIENCE};
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
#[ignore = "nine refusals that each wait for a broker take a minute and more on busy cores; `make parts`, then `cargo test -p driver-kafka -- --ignored`"]
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
fn every_compression_is_taken() {
    let broker = Broker::start(&[(TOPIC, 3)]);
    for compression in ["none", "gzip", "snappy", "lz4"] {
        let settings = at(broker.address(), None, None, &[("compression", compression), ("records", "100")]);
        assert_eq!(ends(settings), Outcome::Ok, "{compression}");
    }
}

/// A consumer is let in by the same doors, and reads what is there.
#[test]
fn a_consumer_reads_through_tls_and_sasl() {
    let (broker, Doors { tls, sasl_tls, ca, .. }) = Broker::guarded(&[(TOPIC, 2)]);
    let three = at(broker.address(), None, None, &[("records", "3")]);
    assert_eq!(ends(three), Outcome::Ok);
    let lab_of = Some(("SCRAM-SHA-512", "lab", PASSWORD));
    for (door, who) in [(&tls, None), (&sasl_tls, lab_of)] {
        let mut all = vec![("broker", text(door.as_str())), ("topic", text(TOPIC)), ("from", text("earliest"))];
        all.push(("tls", map(&[("ca", text(ca.display().to_string()))])));
        all.extend(who.map(|(mechanism, user, password)| ("sasl", sasl(mechanism, user, password))));
        let settings = Settings { timeout: Nanos::from_secs(30), ..exchange("consume", &all) };
        let mut lab = Lab::new(KAFKA, &[settings]);
        lab.begin_connect(0, 0);
        let began = Instant::now();
        let (mut opened, mut read) = (0, 0);
        while (opened, read) != (1, 3) {
            assert!(began.elapsed() < PATIENCE, "{opened} opened, {read} read at {door}: {:?}", lab.notices());
            lab.turn(Nanos::from_millis(20));
            for (leg, outcome, count) in lab.seen().legs {
                assert_eq!(outcome, Outcome::Ok, "leg {leg} at {door}");
                match leg {
                    0 => read += count,
                    1 => opened += count,
                    // Gaps between records.
                    _ => {}
                }
            }
        }
        lab.disconnect(0);
    }
    // Whoever may not see the topic is told so before the load.
    let guest = Some(("SCRAM-SHA-512", "guest", PASSWORD));
    let mut all = vec![("broker", text(sasl_tls.as_str())), ("topic", text(TOPIC))];
    all.push(("tls", map(&[("ca", text(ca.display().to_string()))])));
    all.extend(guest.map(|(mechanism, user, password)| ("sasl", sasl(mechanism, user, password))));
    let why = refusal(exchange("consume", &all));
    assert!(why.contains("does not let `guest` see the topic `orders`") && !why.contains(PASSWORD), "{why}");
}
