//! Records produced into Kafka: one exchange sends one record, or several at once, and ends when all are acknowledged. A
//! request ends with its reply, which comes on another topic and repeats an id in a header.
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
//! # Not here
//! Consuming for its own sake; transactions; schemas.
#![forbid(unsafe_code)]

mod config;
mod driver;
mod producer;
mod replies;
mod session;
mod slot;

use contract::{Closes, DriverKind, ExchangeKind, LegKind, Work};

const ACKNOWLEDGED: LegKind = LegKind { name: "acknowledged", closes: Closes::Here };

/// Of [`KAFKA`].
pub(crate) const REPLY: u8 = 1;

/// `kafka.produce` with one leg, `acknowledged`; `kafka.request` with a second one, `reply`.
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
    ],
    counters: &["records", "late_acks"],
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
}
