//! WebSub (W3C Recommendation of January 2018): subscribers with a callback each, and the publisher of what they get.
//!
//! # Place in the pipeline
//! A driver: `drive` calls it through `contract`, and so does `listen`, at which callbacks arrive.
//!
//! # Ideas
//! A slot is one subscriber. It asks the hub for a subscription, once its time in the ramp has come, and from then on an
//! event that is published is due to it, whether the subscription stands or not. Its callback is an address of its own at
//! a listener of the lab, which names the key under which its thread waits, and cannot be guessed.
//! Which event a delivery is, its content says: the publisher puts a hash of each on the [`board`] before it publishes it,
//! so a listener knows it whichever thread the subscriber belongs to. The session of subscriber 0 publishes.
//! Ten thousand subscribers hold no connection: each closes its own when the hub has answered.
//!
//! # Example
//! ```
//! let legs: Vec<_> = driver_websub::WEBSUB.exchanges[0].legs.iter().map(|leg| leg.name).collect();
//! assert_eq!(legs, ["delivery", "subscribe", "verify", "publish", "unsubscribe"]);
//! ```
//!
//! # Not here
//! Redirects of a topic or of a publisher are not followed; content is taken by HTTP/1.1 alone.
#![forbid(unsafe_code)]

mod board;
mod callback;
mod config;
mod discovery;
mod driver;
mod form;
#[cfg(feature = "fuzz")]
#[doc(hidden)]
pub mod fuzz;
mod links;
mod published;
mod redirect;
mod replies;
mod request;
mod session;
mod signature;

use contract::{Closes, DriverKind, ExchangeKind, Leg, LegKind, Work};

/// The driver: `websub.topic`.
///
/// Its legs are `delivery`, from the intended publication of an event until a subscriber has all of it, `subscribe`, to the
/// hub's answer, `verify`, from the intended subscription to the hub's question whether it is meant, `publish`, from the
/// intended publication to the answer that the publisher gets, and `unsubscribe`, from the request at the end of the load to
/// the hub's question whether that is meant.
pub const WEBSUB: DriverKind = DriverKind {
    name: "websub",
    exchanges: &[ExchangeKind { name: "topic", work: Work::FanOut, legs: LEGS, keys: config::KEYS, words: &[] }],
    counters: &[
        "connects",
        "publishes",
        "renewals",
        "unrenewed",
        "denied",
        "signatures",
        "unasked",
        "altered",
        "redirects",
    ],
    features: &[driver::SIGNED, driver::UNSUBSCRIBED],
    messages: &[
        ("en", include_str!("../messages/en.ftl")),
        ("nl", include_str!("../messages/nl.ftl")),
        ("da", include_str!("../messages/da.ftl")),
    ],
    build: driver::build,
};

const LEGS: &[LegKind] = &[
    LegKind { name: "delivery", closes: Closes::Matched },
    LegKind { name: "subscribe", closes: Closes::Opening },
    LegKind { name: "verify", closes: Closes::Confirmed },
    LegKind { name: "publish", closes: Closes::Beside },
    LegKind { name: "unsubscribe", closes: Closes::Confirmed },
];
const DELIVERY: Leg = 0;
const SUBSCRIBE: Leg = 1;
const VERIFY: Leg = 2;
const PUBLISH: Leg = 3;
const UNSUBSCRIBE: Leg = 4;

/// Numbers of the counters.
const CONNECTS: u8 = 0;
const PUBLISHES: u8 = 1;
const RENEWALS: u8 = 2;
const UNRENEWED: u8 = 3;
const DENIED: u8 = 4;
const SIGNATURES: u8 = 5;
const UNASKED: u8 = 6;
const ALTERED: u8 = 7;
const REDIRECTS: u8 = 8;
