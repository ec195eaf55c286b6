//! Against a real broker: Apache Kafka in KRaft mode, one process, on loopback.
//!
//! Its jars, those of `org.apache.kafka:kafka_2.13:4.3.1` with all that they need, are in `target/kafka`, where `make parts`
//! brings them, or in the folder that `LOADPROOF_KAFKA` names.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use contract::Settings;
use driver_kafka::KAFKA;
use rdkafka::Message;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::message::{Header, Headers, OwnedHeaders};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use terms::{Nanos, Outcome};
use testkit::kafka::{Broker, PATIENCE};
use testkit::{Lab, exchange, text};

const TOPIC: &str = "orders";

fn produce(broker: &Broker, entries: &[(&str, &str)]) -> Settings {
    let mut all = vec![("broker", text(broker.address())), ("topic", text(TOPIC))];
    all.extend(entries.iter().map(|(key, value)| (*key, text(*value))));
    exchange("produce", &all)
}

#[test]
fn every_record_that_is_acknowledged_is_there_and_failures_are_told_apart() {
    let mut broker = Broker::start(&[(TOPIC, 3)]);
    let mut lab =
        Lab::new(KAFKA, &[produce(&broker, &[("key", "k$(serial)"), ("value", "v$(serial)"), ("records", "10")])]);
    for _ in 0..50 {
        assert_eq!(lab.carry_out(0), Outcome::Ok);
    }

    // All of them are there, once.
    let mut client = broker.client();
    client.set("group.id", "reader").set("auto.offset.reset", "earliest");
    let reader: BaseConsumer = client.create().unwrap();
    reader.subscribe(&[TOPIC]).unwrap();
    let (mut read, mut keys) = (0, BTreeSet::new());
    let began = Instant::now();
    while read < 500 {
        assert!(began.elapsed() < PATIENCE, "{read} were read");
        if let Some(Ok(message)) = reader.poll(std::time::Duration::from_millis(100)) {
            read += 1;
            keys.insert(String::from_utf8(message.key().unwrap().to_vec()).unwrap());
            assert!(message.headers().is_none_or(|headers| headers.count() == 0));
        }
    }
    assert_eq!(keys.len(), 50);
    // Once the broker is gone, a member of a group would wait for it for as long as its session lasts.
    drop(reader);

    // A record just below what a broker takes.
    let large = "x".repeat(900_000);
    let too_large = [("value", large.as_str()), ("records", "1")];
    let mut lab = Lab::new(KAFKA, &[produce(&broker, &too_large)]);
    assert_eq!(lab.carry_out(0), Outcome::Ok);

    // A cluster that is gone is a time-out or a reset, and never a success.
    let short = Settings { timeout: Nanos::from_secs(2), ..produce(&broker, &[("value", "v")]) };
    let mut lab = Lab::new(KAFKA, &[short]);
    assert_eq!(lab.carry_out(0), Outcome::Ok);
    broker.kill();
    let ended = lab.carry_out(0);
    assert!([Outcome::Timeout, Outcome::Reset].contains(&ended), "{ended:?}");
}

/// Answers each request on another topic, with the id that it bore; the last one is kept.
fn responder(broker: &Broker, of: usize, times: usize) -> std::thread::JoinHandle<()> {
    let mut client = broker.client();
    client.set("group.id", "responder").set("auto.offset.reset", "earliest");
    let requests: BaseConsumer = client.create().unwrap();
    requests.subscribe(&[TOPIC]).unwrap();
    let replies: BaseProducer = broker.client().create().unwrap();
    std::thread::spawn(move || {
        let mut answered = 0;
        while answered < of {
            let Some(Ok(message)) = requests.poll(Duration::from_millis(50)) else { continue };
            let headers = message.headers().unwrap();
            let id = headers.iter().find(|header| header.key == "kafka_correlationId").unwrap();
            for _ in 0..times {
                let header = Header { key: id.key, value: id.value };
                let record: BaseRecord<'_, str, str> =
                    BaseRecord::to("answers").payload("done").headers(OwnedHeaders::new().insert(header));
                replies.send(record).unwrap();
                replies.poll(Duration::ZERO);
            }
            answered += 1;
        }
        replies.flush(PATIENCE).unwrap();
    })
}

#[test]
fn a_reply_closes_its_own_request_and_one_that_does_not_come_is_missing() {
    let broker = Broker::start(&[(TOPIC, 3), ("answers", 2)]);
    let request = || {
        let entries = [("broker", broker.address()), ("topic", TOPIC), ("value", "v$(serial)"), ("reply", "answers")];
        let entries: Vec<_> = entries.iter().map(|(key, value)| (*key, text(*value))).collect();
        // On a machine that is busy elsewhere the first reply waits for topics and groups to be found.
        let within = [("reply".to_owned(), Nanos::from_secs(15))].into();
        Settings { within, ..exchange("request", &entries) }
    };
    let mut lab = Lab::new(KAFKA, &[request()]);
    let answering = responder(&broker, 20, 1);
    for number in 0..20 {
        lab.carry_out(0);
        lab.settle();
        let legs = lab.seen().legs;
        assert_eq!(legs, [(0, Outcome::Ok, 1), (1, Outcome::Ok, 1)], "{number}");
    }
    answering.join().unwrap();
    lab.carry_out(0);
    lab.settle();
    assert_eq!(lab.seen().legs, [(0, Outcome::Ok, 1), (1, Outcome::Missing, 1)]);

    // It is answered all the same, when nobody waits any more.
    responder(&broker, 1, 1).join().unwrap();
    let mut late = Vec::new();
    let began = Instant::now();
    while late.is_empty() && began.elapsed() < PATIENCE {
        lab.turn(Nanos::from_millis(50));
        late = lab.seen().legs;
    }
    assert_eq!(late, [(1, Outcome::Late, 1)]);

    // Of two replies to one request the second is a duplicate.
    let twice = responder(&broker, 1, 2);
    lab.carry_out(0);
    lab.settle();
    let mut legs = lab.seen().legs;
    twice.join().unwrap();
    let began = Instant::now();
    while legs.len() < 3 && began.elapsed() < PATIENCE {
        lab.turn(Nanos::from_millis(50));
        legs.extend(lab.seen().legs);
    }
    assert_eq!(legs, [(0, Outcome::Ok, 1), (1, Outcome::Ok, 1), (1, Outcome::Duplicate, 1)]);
}
