//! One line out, one line back, over TCP.
//!
//! # Place in the pipeline
//! A driver: `drive` calls it through `contract`, `registry.rs` lists its one public item, [`SKELETON`].
//!
//! # Ideas
//! A session never waits: it says what it waits for and is called again. Whatever goes wrong ends as exactly one
//! outcome, and nothing is ever sent a second time.
//!
//! # Not here
//! TLS; answers of more than one line.
#![forbid(unsafe_code)]

mod config;
mod driver;
mod session;

use contract::{Closes, DriverKind, ExchangeKind, LegKind, Work};

/// The driver: `skeleton.send`, with one leg, `answer`.
pub const SKELETON: DriverKind = DriverKind {
    name: "skeleton",
    exchanges: &[ExchangeKind {
        name: "send",
        work: Work::Exchange,
        legs: &[LegKind { name: "answer", closes: Closes::Here }],
        keys: config::KEYS,
        words: &[],
    }],
    counters: &["connects"],
    features: driver::FEATURES,
    messages: contract::messages!(),
    build: driver::build,
};
