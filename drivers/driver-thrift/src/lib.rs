//! Events published in bundles to data receivers of WSO2's, over Apache Thrift's binary protocol or the receivers' own.
//!
//! # Place in the pipeline
//! A driver: `drive` calls it through `contract`.
//!
//! # Ideas
//! A slot is one publisher: it signs in, mostly over TLS, defines its stream, and then publishes bundle after bundle on one
//! connection; each ends with the receiver's reply. An event's values follow from a seed, the attribute and the event's
//! number, and are written straight to where the wire wants them: by type, column by column (`bundle.rs`), or event by
//! event (`binary.rs`). So events cost no memory and no disk, any thread makes any of them, and two runs with one seed
//! publish the same, whichever protocol they use.
//!
//! # Example
//! ```
//! let legs: Vec<_> = driver_thrift::THRIFT.exchanges[0].legs.iter().map(|leg| leg.name).collect();
//! assert_eq!(legs, ["accepted"]);
//! ```
//!
//! # Not here
//! Framed transports, the compact protocol, and services other than that of the receiver.
#![forbid(unsafe_code)]

mod binary;
mod bundle;
mod call;
mod config;
mod driver;
mod protocol;
mod reply;
mod session;
mod sink;
mod stream;
mod values;
mod wire;

use contract::{Closes, DriverKind, ExchangeKind, LegKind, Work};

/// The driver: `thrift.publish`. Its leg is `accepted`, from the intended start to the receiver's reply.
pub const THRIFT: DriverKind = DriverKind {
    name: "thrift",
    exchanges: &[ExchangeKind {
        name: "publish",
        work: Work::Exchange,
        legs: &[LegKind { name: "accepted", closes: Closes::Here }],
        keys: config::KEYS,
        words: &[],
    }],
    counters: &["connects", "events", "expired"],
    features: &[],
    messages: &[
        ("en", include_str!("../messages/en.ftl")),
        ("nl", include_str!("../messages/nl.ftl")),
        ("da", include_str!("../messages/da.ftl")),
    ],
    build: driver::build,
};

/// Numbers of the counters.
#[derive(Clone, Copy)]
enum Counter {
    Connects,
    /// Of bundles that were accepted.
    Events,
    /// Sessions that the receiver no longer knew.
    Expired,
}
