//! A member of a group of Kafka at work: a client of its own on a thread of its own, which polls, hands on, and commits.
//!
//! A group is dealt anew only while its members poll, and none polls with work in hand; so what was begun is ended and
//! committed before partitions go to others. What was read and not begun is left to them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use axum::body::Bytes;
use axum::http::uri::Authority;
use rdkafka::client::ClientContext;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer, ConsumerContext, Rebalance};
use rdkafka::error::KafkaError;
use rdkafka::message::BorrowedMessage;
use rdkafka::types::RDKafkaErrorCode;
use rdkafka::{Message, Offset, TopicPartitionList};
use system_common::Lifetime;
use tokio::runtime::Handle;

use super::super::reader::{Item, Reader, Sink, Slow};
use super::{ASK, settings, words};

/// Longest wait for something new.
const WAIT: Duration = Duration::from_millis(200);
/// Before something that failed is tried again.
const PAUSE: Duration = Duration::from_millis(200);
/// A member that is silent for so long is left out; a machine that is busy may stand still for half of it.
const SESSION_MS: &str = "10000";
/// How often a member shows that it is alive.
const BEAT_MS: &str = "1000";
/// Most of what a member fetches ahead; there may be a hundred members.
const AHEAD_KB: &str = "4096";

/// Carries `members` members until the process ends.
pub(in crate::log) async fn run<S: Sink>(
    reader: &Arc<Reader>,
    broker: &Authority,
    sink: &Arc<S>,
    members: u64,
    slow: &Slow,
    lifetime: &Lifetime,
) {
    let mut all = tokio::task::JoinSet::new();
    for number in 1..=members {
        let (reader, sink, broker) = (Arc::clone(reader), Arc::clone(sink), broker.clone());
        let (faults, lifetime, handle) = (slow.clone(), lifetime.clone(), Handle::current());
        all.spawn_blocking(move || Member { reader, broker, number, faults, lifetime, handle }.run(&*sink));
    }
    all.join_all().await;
}

/// Hears how the group is dealt, while its member polls.
struct Dealings {
    reader: Arc<Reader>,
    /// Whether this member is in the group, and how many partitions it has there.
    is_in: AtomicBool,
    has: AtomicU64,
    /// Whether partitions went, or came, since somebody looked last.
    went: AtomicBool,
    came: AtomicBool,
}

impl Dealings {
    fn leave(&self) {
        self.went.store(true, Relaxed);
        if self.is_in.swap(false, Relaxed) {
            self.reader.status.dealt.fetch_sub(1, Relaxed);
            self.reader.status.partitions.fetch_sub(self.has.swap(0, Relaxed), Relaxed);
        }
    }
}

impl ClientContext for Dealings {
    fn log(&self, _: RDKafkaLogLevel, _: &str, _: &str) {}

    /// A broker that is away shows in health, which asks it.
    fn error(&self, _: KafkaError, _: &str) {}
}

impl ConsumerContext for Dealings {
    fn pre_rebalance(&self, _: &BaseConsumer<Self>, rebalance: &Rebalance<'_>) {
        if !matches!(rebalance, Rebalance::Assign(_)) {
            self.leave();
        }
    }

    fn post_rebalance(&self, _: &BaseConsumer<Self>, rebalance: &Rebalance<'_>) {
        let Rebalance::Assign(dealt) = rebalance else { return };
        self.leave();
        let status = &self.reader.status;
        let count = dealt.count() as u64;
        self.has.store(count, Relaxed);
        self.is_in.store(true, Relaxed);
        self.came.store(true, Relaxed);
        status.joins.fetch_add(1, Relaxed);
        status.dealt.fetch_add(1, Relaxed);
        status.partitions.fetch_add(count, Relaxed);
    }
}

/// Why a member begins anew, with another client.
struct Broken(String);

struct Member {
    reader: Arc<Reader>,
    broker: Authority,
    number: u64,
    faults: Slow,
    lifetime: Lifetime,
    handle: Handle,
}

impl Member {
    fn run<S: Sink>(&self, sink: &S) {
        while !self.lifetime.has_ended() {
            let worked = match self.join() {
                Ok(consumer) => {
                    let worked = self.work(&consumer, sink);
                    consumer.context().leave();
                    worked
                }
                Err(error) => Err(Broken(words(&error))),
            };
            if let Err(Broken(why)) = worked {
                self.reader.status.fail(why);
                self.pause(PAUSE);
            }
        }
    }

    /// A client that asks for its part of the topic.
    fn join(&self) -> Result<BaseConsumer<Dealings>, KafkaError> {
        let Reader { host, group, topic, .. } = &*self.reader;
        let mut config = settings(&self.broker, &format!("{host}-{}", self.number));
        config
            .set("group.id", group)
            .set("enable.auto.commit", "false")
            .set("auto.offset.reset", "earliest")
            .set("partition.assignment.strategy", "range")
            .set("session.timeout.ms", SESSION_MS)
            .set("heartbeat.interval.ms", BEAT_MS)
            .set("queued.max.messages.kbytes", AHEAD_KB);
        let dealings = Dealings {
            reader: Arc::clone(&self.reader),
            is_in: AtomicBool::new(false),
            has: AtomicU64::new(0),
            went: AtomicBool::new(false),
            came: AtomicBool::new(false),
        };
        let consumer: BaseConsumer<Dealings> = config.create_with_context(dealings)?;
        consumer.subscribe(&[topic])?;
        Ok(consumer)
    }

    /// Until the process ends or the client breaks.
    fn work<S: Sink>(&self, consumer: &BaseConsumer<Dealings>, sink: &S) -> Result<(), Broken> {
        let status = &self.reader.status;
        let mut cluster = None;
        while !self.lifetime.has_ended() {
            let items = self.gather(consumer)?;
            if consumer.context().came.swap(false, Relaxed)
                && let Err(error) = self.begin(consumer)
            {
                status.fail(words(&error));
            }
            if items.is_empty() {
                continue;
            }
            // Offsets are those of a cluster: one that is made anew begins at 0 again.
            let identity: &String = match &mut cluster {
                Some(known) => known,
                empty => match consumer.client().fetch_cluster_id(ASK) {
                    Some(known) => empty.insert(known),
                    None => return Err(Broken(format!("{} does not say which cluster it is of", self.broker))),
                },
            };
            self.spend();
            let read: BTreeMap<u32, u64> = items.iter().map(|item| (item.partition, item.offset + 1)).collect();
            let count = items.len() as u64;
            if !self.hand_on(identity, items, sink) {
                return Ok(());
            }
            if self.commit(consumer, &read) {
                status.read.fetch_add(count, Relaxed);
            }
        }
        Ok(())
    }

    /// Commits where it begins in partitions of which the group has never read anything, so that their lag is known before
    /// the first record.
    fn begin(&self, consumer: &BaseConsumer<Dealings>) -> Result<(), KafkaError> {
        let known = consumer.committed_offsets(consumer.assignment()?, ASK)?;
        let mut first = TopicPartitionList::new();
        for partition in known.elements().iter().filter(|found| !matches!(found.offset(), Offset::Offset(_))) {
            let (begin, _) = consumer.fetch_watermarks(partition.topic(), partition.partition(), ASK)?;
            first.add_partition_offset(partition.topic(), partition.partition(), Offset::Offset(begin))?;
        }
        match first.count() {
            0 => Ok(()),
            _ => consumer.commit(&first, CommitMode::Sync),
        }
    }

    /// A batch, as full as what has come allows; none where nothing has come, or where it went to others meanwhile.
    fn gather(&self, consumer: &BaseConsumer<Dealings>) -> Result<Vec<Item>, Broken> {
        let mut items = Vec::new();
        let mut wait = WAIT;
        while items.len() < self.reader.batch.max(1) {
            let polled = consumer.poll(wait);
            if consumer.context().went.swap(false, Relaxed) {
                items.clear();
            }
            match polled {
                Some(Ok(message)) => items.push(item(&message)),
                Some(Err(error @ KafkaError::MessageConsumptionFatal(_))) => return Err(Broken(words(&error))),
                Some(Err(error)) => {
                    self.reader.status.fail(words(&error));
                    self.pause(PAUSE);
                    break;
                }
                None => break,
            }
            wait = Duration::ZERO;
        }
        if !items.is_empty() {
            self.reader.status.recover();
        }
        Ok(items)
    }

    /// Until it is taken; false if the process ends before.
    fn hand_on<S: Sink>(&self, identity: &str, items: Vec<Item>, sink: &S) -> bool {
        loop {
            match self.handle.block_on(sink.take(identity, items.clone())) {
                Ok(()) => {
                    self.reader.status.batches.fetch_add(1, Relaxed);
                    return true;
                }
                Err(why) => self.reader.status.fail(why),
            }
            if self.lifetime.has_ended() {
                return false;
            }
            self.pause(PAUSE);
        }
    }

    /// Until it is noted; false if it is no longer this member's to say, and somebody reads it again.
    fn commit(&self, consumer: &BaseConsumer<Dealings>, read: &BTreeMap<u32, u64>) -> bool {
        let status = &self.reader.status;
        let mut offsets = TopicPartitionList::with_capacity(read.len());
        for (partition, next) in read {
            let next = Offset::Offset(i64::try_from(*next).unwrap_or(i64::MAX));
            // No partition has such a number, so nothing would be said of it.
            let _ = offsets.add_partition_offset(&self.reader.topic, i32::try_from(*partition).unwrap_or(-1), next);
        }
        loop {
            let error = match consumer.commit(&offsets, CommitMode::Sync) {
                Ok(()) => {
                    status.commits.fetch_add(1, Relaxed);
                    status.recover();
                    return true;
                }
                Err(error) => error,
            };
            if is_too_late(&error) || self.lifetime.has_ended() {
                status.lost_commits.fetch_add(1, Relaxed);
                return false;
            }
            status.fail(words(&error));
            self.pause(PAUSE);
        }
    }

    fn spend(&self) {
        self.handle.block_on(async {
            tokio::select! {
                () = self.faults.spend() => {}
                _ = self.lifetime.ended() => {}
            }
        });
    }

    fn pause(&self, pause: Duration) {
        self.handle.block_on(async {
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                _ = self.lifetime.ended() => {}
            }
        });
    }
}

/// Whether the group has been dealt anew without this member.
fn is_too_late(error: &KafkaError) -> bool {
    use RDKafkaErrorCode as Code;
    let late = [
        Code::UnknownMemberId,
        Code::IllegalGeneration,
        Code::RebalanceInProgress,
        Code::FencedInstanceId,
        Code::AssignmentLost,
        Code::NoOffset,
    ];
    error.rdkafka_error_code().is_some_and(|code| late.contains(&code))
}

fn item(message: &BorrowedMessage<'_>) -> Item {
    Item {
        partition: message.partition().unsigned_abs(),
        offset: message.offset().unsigned_abs(),
        key: Bytes::copy_from_slice(message.key().unwrap_or_default()),
        value: Bytes::copy_from_slice(message.payload().unwrap_or_default()),
    }
}
