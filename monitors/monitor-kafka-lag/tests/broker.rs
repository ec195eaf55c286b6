//! Against a real broker: Apache Kafka in KRaft mode, one process, on loopback.
//!
//! `LOADPROOF_KAFKA=/path/to/libs cargo test -p monitor-kafka-lag --test broker -- --ignored`, where the folder holds the
//! jars of `org.apache.kafka:kafka_2.13:4.3.1` with all that they need (`mvn dependency:copy-dependencies`).
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use contract::{Facts, Monitor, Samples};
use monitor_kafka_lag::{KAFKA_LAG, METRICS};
use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use terms::Nanos;
use testkit::kafka::{Broker, PATIENCE};

const TOPIC: &str = "registrations";

/// Values of one metric by instance.
fn sampled(monitor: &mut dyn Monitor, at: i64) -> BTreeMap<(String, &'static str), f64> {
    let mut out = Samples::default();
    monitor.sample(Nanos::from_secs(at), &mut out).unwrap();
    let names: Vec<_> = (0..100).map(|number| out.instance_name(number).to_owned()).collect();
    let values = out.take().0.into_iter();
    values
        .map(|sample| {
            ((names[sample.instance as usize].clone(), METRICS[usize::from(sample.metric)].name), sample.value)
        })
        .collect()
}

fn sum(values: &BTreeMap<(String, &'static str), f64>, metric: &str) -> f64 {
    values.iter().filter(|((_, name), value)| *name == metric && !value.is_nan()).map(|(_, value)| value).sum()
}

#[test]
#[ignore = "needs Apache Kafka: LOADPROOF_KAFKA=/path/to/libs"]
fn lag_members_and_the_work_of_each_host_are_what_was_done() {
    let broker = Broker::start(&[(TOPIC, 12)]);
    let entries = [("broker", broker.address()), ("group", "store"), ("topics", TOPIC), ("hosts", "client")];
    let mut monitor = testkit::monitor(KAFKA_LAG, &entries, &[], Nanos::from_secs(5)).unwrap();
    monitor.ready().unwrap();

    // What was never committed is a gap.
    let producer: BaseProducer = broker.client().create().unwrap();
    for number in 0..3000 {
        let (key, body) = (format!("key-{number}"), format!("registration {number}"));
        producer.send(BaseRecord::to(TOPIC).key(&key).payload(&body)).unwrap();
    }
    producer.flush(PATIENCE).unwrap();
    let before = sampled(&mut *monitor, 1);
    assert_eq!(sum(&before, "produced"), 3000.0);
    assert!(before.iter().filter(|((_, name), _)| *name == "lag").all(|(_, value)| value.is_nan()), "{before:?}");

    // Two hosts with six members each; every member is told apart by its client id.
    let member = |host: &str, number: usize| -> BaseConsumer {
        let mut client = broker.client();
        client.set("group.id", "store").set("client.id", format!("{host}-{number}"));
        client.set("enable.auto.commit", "false").set("auto.offset.reset", "earliest");
        client.set("partition.assignment.strategy", "range");
        let consumer: BaseConsumer = client.create().unwrap();
        consumer.subscribe(&[TOPIC]).unwrap();
        consumer
    };
    let mut members: Vec<BaseConsumer> = (0..8).map(|number| member("docker01", number)).collect();
    members.extend((0..8).map(|number| member("docker02", number)));
    let mut read = 0;
    let began = Instant::now();
    // All have joined before anything is committed.
    while members.iter().filter(|one| one.assignment().is_ok_and(|list| list.count() > 0)).count() < 12 {
        // Sixteen members took more than a minute on a machine at a load of twenty.
        assert!(began.elapsed() < 3 * PATIENCE, "the group never settled");
        members.iter().for_each(|one| drop(one.poll(Duration::from_millis(20))));
    }
    while read < 2000 {
        assert!(began.elapsed() < 4 * PATIENCE, "{read} were read");
        for one in &members {
            if let Some(Ok(message)) = one.poll(Duration::from_millis(5)) {
                one.commit_message(&message, CommitMode::Sync).unwrap();
                read += 1;
            }
        }
    }
    let after = sampled(&mut *monitor, 6);
    let committed = sum(&after, "consumed");
    assert!(committed >= 2000.0, "{after:?}");
    assert_eq!(sum(&after, "lag") + committed, 3000.0, "{after:?}");
    assert_eq!((sum(&after, "members"), sum(&after, "idle"), sum(&after, "assigned")), (16.0, 4.0, 12.0));
    assert_eq!(after[&("docker01".to_owned(), "members")], 8.0);
    let mut facts = Facts::default();
    monitor.facts(&mut facts);
    let fact = |name: &str| facts.0.iter().find(|(_, known, _)| known == name).map(|(.., value)| value.as_str());
    assert_eq!(fact("members of the group"), Some("16 on 2 hosts, 4 of them idle"));
    assert_eq!((fact("partitions"), fact("assignment strategy")), (Some("registrations: 12"), Some("range")));
}
