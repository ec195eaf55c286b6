//! Registration through two real clusters of Kafka, from the call to the table, with processes and brokers that are killed on
//! the way. Without Kafka's jars these tests fail: they say what to type.

#![allow(clippy::unwrap_used, reason = "tests; outside of test functions the linter does not know it")]

use std::collections::BTreeSet;
use std::time::Duration;

use rdkafka::config::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::{Offset, TopicPartitionList};
use testkit::program::{Process, beside, command, signal, wait_until};

use crate::registration::healthy;
use crate::support::envelope::{self, Ask};
use crate::support::{CITIZENS, Folder, post, start};

const TOPIC: &str = "registrations";
const ASK: Duration = Duration::from_secs(10);

/// A cluster that comes back when it is killed.
fn broker() -> Process {
    let folder = tempfile::tempdir().unwrap();
    let line =
        format!("broker --heap 256MB --restart-after 500ms --topics {TOPIC}:12 --data {}/k", folder.path().display());
    Process::supervising(command(beside("system-kafka"), &line)).with(folder)
}

/// Asks about a group, without being one of it.
fn asking(cluster: &Process, group: &str) -> BaseConsumer {
    let mut client = ClientConfig::new();
    client.set("bootstrap.servers", cluster.url().trim_start_matches("kafka://")).set("group.id", group);
    client.set("reconnect.backoff.max.ms", "500").create().unwrap()
}

/// Records in all partitions, and how many of them a group has committed.
fn state(cluster: &Process, group: &str) -> Option<(i64, i64)> {
    let asking = asking(cluster, group);
    let mut all = TopicPartitionList::new();
    all.add_partition_range(TOPIC, 0, 11);
    let committed = asking.committed_offsets(all, ASK).ok()?;
    let mut sums = (0, 0);
    for partition in committed.elements() {
        sums.0 += asking.fetch_watermarks(TOPIC, partition.partition(), ASK).ok()?.1;
        sums.1 += if let Offset::Offset(offset) = partition.offset() { offset } else { 0 };
    }
    Some(sums)
}

struct Chain {
    folder: Folder,
    local: Process,
    central: Process,
    register: Process,
    assertion: String,
}

impl Chain {
    fn start() -> Self {
        let (local, central) = std::thread::scope(|scope| {
            let local = scope.spawn(broker);
            (broker(), local.join().unwrap())
        });
        let register = start(&format!("register --log {}", local.url()));
        let assertion = envelope::sign_in(&start("token"));
        Self { folder: Folder::new(), local, central, register, assertion }
    }

    fn mirror(&self, flags: &str) -> Process {
        start(&format!("mirror --from {} --to {} {flags}", self.local.url(), self.central.url()))
    }

    fn consumer(&self, number: u32, flags: &str) -> Process {
        let (from, store) = (self.central.url(), self.folder.store());
        start(&format!("consume --from {from} --store {store} --citizens {CITIZENS} --name consumer.{number} {flags}"))
    }

    fn register(&self, ids: &[u32]) -> u16 {
        post(&self.register, "/registration/", Ask::register(&self.assertion, ids).text()).status
    }

    fn wait_until_drained(&self) {
        let is_read = |cluster, group| state(cluster, group).is_some_and(|(end, committed)| end == committed);
        wait_until("both groups to have read everything", || {
            is_read(&self.local, "mirror") && is_read(&self.central, "consumers")
        });
    }
}

#[test]
fn a_kafka_carries_registrations_and_nothing_is_lost_when_all_of_it_is_killed() {
    let chain = Chain::start();
    healthy(&chain.register);
    let mut mirror = chain.mirror("");
    let mut consumers: Vec<Process> = (1..=2).map(|number| chain.consumer(number, "--batch 40")).collect();
    consumers.iter().for_each(healthy);

    // Twelve members on each host: the first host has all partitions.
    let ids: Vec<u32> = (0..475).chain(0..25).collect();
    assert_eq!(chain.register(&ids), 200);
    chain.wait_until_drained();
    assert_eq!(state(&chain.central, "consumers"), Some((500, 500)), "no record is there twice");
    assert_eq!(chain.folder.counts(), [475, 25, 0]);
    let told = |process: &Process, name: &str| process.counters()["consumer"][name].as_u64().unwrap();
    let read: Vec<u64> = consumers.iter().map(|consumer| told(consumer, "read")).collect();
    let partitions: Vec<u64> = consumers.iter().map(|consumer| told(consumer, "partitions")).collect();
    assert_eq!((read, partitions), (vec![500, 0], vec![12, 0]));
    assert_eq!(told(&consumers[1], "members_in_group"), 12, "those without a partition are in the group as well");

    // All by SIGKILL, in the middle of their work.
    let (mut sent, mut accepted): (BTreeSet<u32>, BTreeSet<u32>) = ((0..475).collect(), (0..475).collect());
    for round in 1..=5u32 {
        let ids: Vec<u32> = (round * 475..round * 475 + 475).chain(round * 475..round * 475 + 25).collect();
        sent.extend(&ids);
        if chain.register(&ids) == 200 {
            accepted.extend(&ids);
        }
        match round {
            1 => drop(consumers.remove(0)),
            2 => {
                drop(mirror);
                mirror = chain.mirror("");
            }
            3 => signal(chain.central.server_pid(), "KILL"),
            4 => signal(chain.local.server_pid(), "KILL"),
            _ => {}
        }
    }
    chain.wait_until_drained();
    let stored = chain.folder.stored();
    assert!(accepted.is_subset(&stored), "lost: {:?}", accepted.difference(&stored).collect::<Vec<_>>());
    assert!(stored.is_subset(&sent), "nobody sent {:?}", stored.difference(&sent).collect::<Vec<_>>());
    assert!(accepted.len() >= 3 * 475, "most calls are taken: {}", accepted.len());
    let ([counted, duplicates, _], records) = (chain.folder.counts(), state(&chain.central, "consumers").unwrap().0);
    assert_eq!(counted, stored.len() as u64);
    assert_eq!(counted + duplicates, records as u64, "each record of the central cluster is counted once");
    wait_until("the rest of the group to be well", || consumers[0].get("/health").status == 200);
    let mut consumer = consumers.remove(0);
    consumer.signal("TERM");
    assert!(consumer.ended().success());
    drop(mirror);
}

#[test]
fn a_broker_that_is_not_there_is_said_in_health_and_in_a_fault() {
    let (_held, port) = {
        // A port that nobody listens at as long as the socket is held.
        let held = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = held.local_addr().unwrap().port();
        (held, port)
    };
    let register = start(&format!("register --log kafka://127.0.0.1:{port}"));
    let answer = register.get("/health");
    assert!(answer.status == 503 && answer.body.contains("did not answer"), "{answer:?}");
    let assertion = envelope::sign_in(&start("token"));
    let answer = post(&register, "/registration/", Ask::register(&assertion, &[1]).text());
    assert!(answer.status == 500 && answer.body.contains("did not answer"), "{answer:?}");
    assert_eq!(register.counters()["registrations"]["unacknowledged"], 1);
}
