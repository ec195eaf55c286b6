//! Records produced into Kafka: one exchange sends one record, or several at once, and ends when all are acknowledged. A
//! request ends with its reply, which comes on another topic and repeats an id in a header. A consumer is a connection that
//! is held open, and its records are held against what is expected of it.
//!
//! # Place in the pipeline
//! A driver: `drive` calls it through `contract`, `registry.rs` lists its one public item, [`KAFKA`].
//!
//! # Ideas
//! librdkafka has threads of its own. A session hands its records over and waits on an event descriptor, like others wait
//! on a socket; whoever hears of the acknowledgments counts them down, keeps the worst, and wakes the session once.
//! All sessions of a load thread share one client for each way of producing, so that records are batched as in a real
//! producer, and connections are few.
//! Nothing is sent a second time: retries of the client are off, so that what was lost is seen. It lingers for nothing
//! unless the study says so.
//!
//! A consumer has a thread that waits for the client, and an inbox with bounds; members of a group share what they have read
//! as one number a partition, so that what is delivered again is known whoever gets it.
//!
//! # Not here
//! Transactions; schemas.
#![forbid(unsafe_code)]

mod config;
mod consume;
mod driver;
mod producer;
mod replies;
mod session;
mod slot;

use contract::{Closes, DriverKind, ExchangeKind, LegKind, Work};

const ACKNOWLEDGED: LegKind = LegKind { name: "acknowledged", closes: Closes::Here };

/// Of `kafka.request`.
pub(crate) const REPLY: u8 = 1;
/// Of `kafka.consume`.
pub(crate) const RECORD: u8 = 0;
pub(crate) const CONNECT: u8 = 1;
pub(crate) const GAP: u8 = 2;

/// `kafka.produce` with one leg, `acknowledged`; `kafka.request` with a second one, `reply`; and `kafka.consume` with
/// `record`, which takes from when the record says that it was sent, or from the one before it, `connect`, from the intended
/// opening until the consumer has its partitions, and `gap`, from one record of a connection to the next.
pub const KAFKA: DriverKind = DriverKind {
    name: "kafka",
    exchanges: &[
        ExchangeKind {
            name: "produce",
            work: Work::Exchange,
            legs: &[ACKNOWLEDGED],
            keys: config::KEYS,
            words: &[("acks", &config::ACKS), ("compression", &config::COMPRESSIONS)],
        },
        ExchangeKind {
            name: "request",
            work: Work::Exchange,
            legs: &[ACKNOWLEDGED, LegKind { name: "reply", closes: Closes::Matched }],
            keys: config::REQUEST_KEYS,
            words: &[("acks", &config::ACKS), ("compression", &config::COMPRESSIONS)],
        },
        ExchangeKind {
            name: "consume",
            work: Work::Held,
            legs: &[
                LegKind { name: "record", closes: Closes::Matched },
                LegKind { name: "connect", closes: Closes::Opening },
                LegKind { name: "gap", closes: Closes::Beside },
            ],
            keys: config::CONSUME_KEYS,
            words: &[("from", &config::FROM)],
        },
    ],
    counters: &["records", "late_acks", "rebalances", "lost", "redelivered", "unordered", "surplus"],
    features: driver::FEATURES,
    messages: contract::messages!(),
    build: driver::build,
};

/// Places of the counters in [`KAFKA`].
#[derive(Clone, Copy)]
pub(crate) enum Counter {
    /// Records handed over.
    Records,
    /// Acknowledgments that came when their exchange was over.
    LateAcks,
    /// Changes of the partitions that a group gives to a consumer.
    Rebalances,
    /// How often no broker could be reached, or consuming was over.
    Lost,
    /// Records that had been delivered before.
    Redelivered,
    /// Records whose number came after a higher one of their partition.
    Unordered,
    /// Records beyond what is expected.
    Surplus,
}
