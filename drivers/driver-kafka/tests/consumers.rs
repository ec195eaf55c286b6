//! Consumers that are held open, against a real broker. How it is started: `tests/broker.rs`.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use contract::{Incoming, Notice, Probe, Settings};
use driver_kafka::KAFKA;
use rdkafka::admin::{AdminClient, AdminOptions};
use rdkafka::client::DefaultClientContext;
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use terms::{Nanos, Outcome};
use testkit::kafka::{Broker, PATIENCE};
use testkit::{Lab, Surroundings, exchange, text};

const TOPIC: &str = "orders";
/// Legs of a consumer.
const RECORD: u8 = 0;
const CONNECT: u8 = 1;

/// Settings of one whose records bear a number in the header `n`.
fn consume(broker: &Broker, entries: &[(&str, &str)], expect: Option<f64>) -> Settings {
    let mut all = vec![("broker", text(broker.address())), ("topic", text(TOPIC))];
    all.extend(entries.iter().map(|(key, value)| (*key, text(*value))));
    let header = |name: &str| Some(Probe::Header(name.to_owned()));
    let incoming = Incoming { expect, sequence: header("n"), sent: header("kafka_timestamp") };
    let within = [("record".to_owned(), Nanos::from_secs(15))].into();
    Settings { incoming, within, timeout: Nanos::from_secs(30), ..exchange("consume", &all) }
}

fn lab(settings: Settings, slots: u32) -> Lab {
    Lab::with(KAFKA, &[settings], Surroundings { slots, ..Surroundings::default() })
}

/// Records with these numbers, each into a partition.
fn send(broker: &Broker, records: impl Iterator<Item = (i32, i64)>) {
    let producer: BaseProducer = broker.client().create().unwrap();
    for (partition, number) in records {
        let (payload, number) = (format!("order {number}"), number.to_string());
        let header = Header { key: "n", value: Some(number.as_str()) };
        let record: BaseRecord<'_, str, str> = BaseRecord::to(TOPIC)
            .partition(partition)
            .payload(payload.as_str())
            .headers(OwnedHeaders::new().insert(header));
        producer.send(record).unwrap();
    }
    producer.flush(PATIENCE).unwrap();
}

/// All that the books have said, and notices that were given, until so many records have ended.
#[derive(Default)]
struct Seen {
    legs: BTreeMap<(u8, Outcome), u64>,
    counters: BTreeMap<&'static str, i64>,
    notices: Vec<Notice>,
}

impl Seen {
    fn look(&mut self, lab: &mut Lab) {
        let seen = lab.seen();
        for (leg, outcome, count) in seen.legs {
            *self.legs.entry((leg, outcome)).or_default() += count;
        }
        for (name, count) in KAFKA.counters.iter().zip(seen.counters) {
            *self.counters.entry(name).or_default() += count;
        }
        self.notices.extend(lab.notices());
    }

    fn records(&self, outcome: Outcome) -> u64 {
        self.legs.get(&(RECORD, outcome)).copied().unwrap_or_default()
    }

    fn until(&mut self, lab: &mut Lab, is_there: impl Fn(&Self) -> bool) {
        let began = Instant::now();
        while !is_there(self) {
            assert!(began.elapsed() < PATIENCE, "{:?} {:?} {:?}", self.legs, self.counters, self.notices);
            lab.turn(Nanos::from_millis(20));
            self.look(lab);
        }
    }

    /// Opens a consumer, which is over when it has its partitions.
    fn open(&mut self, lab: &mut Lab, slot: u32) {
        let opened = |seen: &Self| seen.legs.get(&(CONNECT, Outcome::Ok)).copied().unwrap_or_default();
        let before = opened(self);
        lab.begin_connect(slot, 0);
        self.until(lab, |seen| opened(seen) > before);
    }
}

#[test]
fn records_are_held_against_what_is_expected_and_what_comes_twice_is_told() {
    let broker = Broker::start(&[(TOPIC, 3)]);
    send(&broker, (0..30).map(|number| ((number % 3) as i32, number)));

    // All that is there, since nobody is expected to come.
    let mut all = lab(consume(&broker, &[("from", "earliest")], None), 1);
    let mut seen = Seen::default();
    seen.open(&mut all, 0);
    seen.until(&mut all, |seen| seen.records(Outcome::Ok) == 30);
    // Produced twice, and out of order, within one partition; 31 is in order in its own.
    send(&broker, [(0, 27), (0, 40), (0, 35), (1, 31)].into_iter());
    seen.until(&mut all, |seen| seen.records(Outcome::Ok) == 33);
    assert_eq!(seen.records(Outcome::Duplicate), 1);
    assert_eq!((seen.counters["unordered"], seen.counters["redelivered"]), (1, 0));
    all.disconnect(0);

    // From where it ends, of one partition, with one planned each tenth of a second: what does not come is missing.
    let mut planned = lab(consume(&broker, &[("partition", "1")], Some(10.0)), 1);
    let mut seen = Seen::default();
    seen.open(&mut planned, 0);
    send(&broker, [(0, 50), (1, 51), (1, 52)].into_iter());
    (0..3).for_each(|_| _ = planned.begin(0, 0));
    seen.until(&mut planned, |seen| seen.records(Outcome::Missing) == 1);
    assert_eq!((seen.records(Outcome::Ok), seen.records(Outcome::Duplicate)), (2, 0));
    planned.disconnect(0);

    // A topic that does not exist is told before the load.
    let nowhere = Settings {
        node: testkit::map(&[("broker", text(broker.address())), ("topic", text("nowhere"))]),
        ..consume(&broker, &[], None)
    };
    let mut built = testkit::build(KAFKA, &[nowhere], &Surroundings::default()).unwrap();
    let why = built.driver.set_up().unwrap_err().to_string();
    assert!(why.contains("has no topic `nowhere`"), "{why}");
}

#[test]
fn a_group_that_deals_anew_and_a_broker_that_dies_are_told() {
    let mut broker = Broker::start(&[(TOPIC, 4)]);
    send(&broker, (0..40).map(|number| ((number % 4) as i32, number)));
    let mut lab = lab(consume(&broker, &[("group", "store"), ("from", "earliest")], None), 2);
    let mut seen = Seen::default();
    seen.open(&mut lab, 0);
    seen.until(&mut lab, |seen| seen.records(Outcome::Ok) == 40);
    assert!(
        seen.notices.iter().any(|it| it.text.contains("has 4 partitions of `orders`: 0, 1, 2, 3")),
        "{:?}",
        seen.notices
    );
    // What it has read is committed within a second, so that the second member begins behind it.
    lab.pass(Nanos::from_secs(2));
    seen.open(&mut lab, 1);
    let has_two = |it: &&Notice| it.kind == "rebalance" && it.text.contains("has 2 partitions");
    seen.until(&mut lab, |seen| seen.notices.iter().filter(has_two).count() >= 2);
    send(&broker, (40..80).map(|number| ((number % 4) as i32, number)));
    seen.until(&mut lab, |seen| seen.records(Outcome::Ok) == 80);
    assert_eq!((seen.records(Outcome::Duplicate), seen.counters["redelivered"]), (0, 0));
    assert!(seen.counters["rebalances"] >= 3, "{:?}", seen.counters);

    // A broker that dies is told once, and the consumers go on trying.
    broker.kill();
    seen.until(&mut lab, |seen| {
        seen.notices.iter().any(|it| it.kind == "broker" && it.text.contains("no broker of `orders`"))
    });
    assert!(seen.counters["lost"] >= 1);
    assert!(lab.is_connected(0) && lab.is_connected(1));
}

#[test]
fn a_topic_that_is_taken_away_ends_its_consumer() {
    let broker = Broker::start(&[(TOPIC, 2)]);
    let mut lab = lab(consume(&broker, &[], Some(1.0)), 1);
    let mut seen = Seen::default();
    seen.open(&mut lab, 0);
    let admin: AdminClient<DefaultClientContext> = broker.client().create().unwrap();
    let options = AdminOptions::new().request_timeout(Some(Duration::from_secs(5)));
    let gone = futures_executor::block_on(admin.delete_topics(&[TOPIC], &options)).unwrap();
    assert!(gone[0].is_ok(), "{gone:?}");
    seen.until(&mut lab, |seen| seen.notices.iter().any(|it| it.text.contains("consuming `orders` is over")));
    assert!(!lab.is_connected(0));
}
