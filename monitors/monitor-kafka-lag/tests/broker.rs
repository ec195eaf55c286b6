//! Against a real broker: Apache Kafka in KRaft mode, one process, on loopback.
//!
//! Its jars, those of `org.apache.kafka:kafka_2.13:4.3.1` with all that they need, are in `target/kafka`, where `make parts`
//! brings them, or in the folder that `LOADPROOF_KAFKA` names.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use contract::{Facts, Failure, Monitor, Samples};
use monitor_kafka_lag::{KAFKA_LAG, METRICS};
use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer};
use rdkafka::error::RDKafkaErrorCode;
use rdkafka::producer::{BaseProducer, BaseRecord, Producer};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use terms::Nanos;
use testkit::kafka::{Broker, PATIENCE};

const TOPIC: &str = "registrations";

type Sampled = BTreeMap<(String, &'static str), f64>;

/// Values of one metric by instance.
fn sampled(monitor: &mut dyn Monitor, at: i64) -> Sampled {
    try_sampled(monitor, at).unwrap()
}

fn try_sampled(monitor: &mut dyn Monitor, at: i64) -> Result<Sampled, Failure> {
    let mut out = Samples::default();
    monitor.sample(Nanos::from_secs(at), &mut out)?;
    let names: Vec<_> = (0..100).map(|number| out.instance_name(number).to_owned()).collect();
    let values = out.take().0.into_iter();
    let value = |sample: contract::Sample| {
        ((names[sample.instance as usize].clone(), METRICS[usize::from(sample.metric)].name), sample.value)
    };
    Ok(values.map(value).collect())
}

/// How partitions are dealt, as the monitor tells it; empty where it does not know.
fn strategy(monitor: &mut dyn Monitor) -> String {
    let mut facts = Facts::default();
    monitor.facts(&mut facts);
    let found = facts.0.into_iter().find(|(_, known, _)| known == "assignment strategy");
    found.map(|(.., value)| value).unwrap_or_default()
}

/// Members that have a partition.
fn owners(members: &[BaseConsumer]) -> usize {
    members.iter().filter(|one| one.assignment().is_ok_and(|list| list.count() > 0)).count()
}

/// How far a member has read in its partitions, all together.
fn place(member: &BaseConsumer) -> i64 {
    let Ok(list) = member.position() else { return 0 };
    let places = list.elements().into_iter().filter_map(|one| one.offset().to_raw());
    places.filter(|place| *place > 0).sum()
}

fn sum(values: &Sampled, metric: &str) -> f64 {
    values.iter().filter(|((_, name), value)| *name == metric && !value.is_nan()).map(|(_, value)| value).sum()
}

#[test]
#[ignore = "sixteen members settle within a minute or more on busy cores; `make parts`, then `cargo test -p monitor-kafka-lag -- --ignored`"]
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
        // A member that a busy machine does not let poll is not a member that has left.
        client.set("session.timeout.ms", "120000");
        let consumer: BaseConsumer = client.create().unwrap();
        consumer.subscribe(&[TOPIC]).unwrap();
        consumer
    };
    let mut members: Vec<BaseConsumer> = (0..8).map(|number| member("docker01", number)).collect();
    members.extend((0..8).map(|number| member("docker02", number)));
    let began = Instant::now();
    // Whoever joins takes partitions from the others, and what was read of them cannot be committed any more: that twelve have
    // one is not a sign that all sixteen are there. The broker says when they are.
    let poll = |members: &[BaseConsumer]| members.iter().for_each(|one| drop(one.poll(Duration::from_millis(2))));
    let mut second = 2;
    let mut seen = BTreeMap::new();
    // While partitions are dealt anew a group has no strategy.
    while (sum(&seen, "members"), sum(&seen, "assigned"), owners(&members)) != (16.0, 12.0, 12)
        || strategy(&mut *monitor) != "range"
    {
        // Sixteen members took more than a minute on a machine at a load of twenty.
        assert!(began.elapsed() < 3 * PATIENCE, "the group never settled: {seen:?}");
        poll(&members);
        // A broker that deals partitions anew may have no answer for a while.
        seen = try_sampled(&mut *monitor, second).unwrap_or_default();
        second += 5;
    }
    // What was read before they had settled is read once more, so places count, not records.
    while members.iter().map(place).sum::<i64>() < 2000 {
        assert!(began.elapsed() < 4 * PATIENCE, "{} were read", members.iter().map(place).sum::<i64>());
        poll(&members);
    }
    for one in &members {
        // A member without a partition has nothing to commit, and says so.
        if let Err(error) = one.commit_consumer_state(CommitMode::Sync) {
            assert_eq!(error.rdkafka_error_code(), Some(RDKafkaErrorCode::NoOffset), "{error}");
        }
    }
    let after = sampled(&mut *monitor, second);
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
