//! Server-sent events (HTML, section 9.2) over HTTP/1.1 and TLS, on connections that are held open: events that a server
//! sends of itself, each held against the plan.
//!
//! # Place in the pipeline
//! A driver: `drive` calls it through `contract`.
//!
//! # Ideas
//! Nobody asks for an event, so what is missing shows only against what is expected: each event that is due on a connection
//! is a task, also where the connection was never made, and the oldest one that waits is ended by the next event that
//! comes. Where events have numbers, what is lost, comes twice or out of order is told exactly. A connection that idles
//! holds no buffer: all of them read into one, and an event that lies there in one piece is judged where it lies.
//! The opening is an exchange of `http-wire`, whose connection is then taken over with the body that has begun on it.
//!
//! The parser is our own: `eventsource-stream` and `sse-codec` hand out an owned text for each field and event, as streams
//! of a runtime that the load threads do not have, and `eventsource-client` brings a client of its own.
//!
//! # Example
//! ```
//! let legs: Vec<_> = driver_sse::SSE.exchanges[0].legs.iter().map(|leg| leg.name).collect();
//! assert_eq!(legs, ["event", "connect", "first", "gap"]);
//! ```
//!
//! # Not here
//! Redirects are not followed, nothing is compressed, and HTTP/2 is not spoken.
#![forbid(unsafe_code)]

mod config;
mod driver;
#[cfg(feature = "fuzz")]
#[doc(hidden)]
pub mod fuzz;
mod parser;
mod sequence;
mod session;

use contract::{Closes, DriverKind, ExchangeKind, Leg, LegKind, Work};

/// The driver: `sse.listen`.
///
/// Its legs are `event`, which takes from when the event says that it was sent, or from the event before it, `connect`, from
/// the intended opening of the connection to the head of the answer, `first`, from the same to the first event, and `gap`,
/// from one event of a connection to the next.
pub const SSE: DriverKind = DriverKind {
    name: "sse",
    exchanges: &[ExchangeKind { name: "listen", work: Work::Held, legs: LEGS, keys: config::KEYS, words: &[] }],
    counters: &["connects", "lost", "reconnects", "reopened", "unordered", "surplus", "before_sent", "comments"],
    features: &[],
    messages: &[
        ("en", include_str!("../messages/en.ftl")),
        ("nl", include_str!("../messages/nl.ftl")),
        ("da", include_str!("../messages/da.ftl")),
    ],
    build: driver::build,
};

const LEGS: &[LegKind] = &[
    LegKind { name: "event", closes: Closes::Matched },
    LegKind { name: "connect", closes: Closes::Opening },
    LegKind { name: "first", closes: Closes::Beside },
    LegKind { name: "gap", closes: Closes::Beside },
];
const EVENT: Leg = 0;
const CONNECT: Leg = 1;
const FIRST: Leg = 2;
const GAP: Leg = 3;

/// Numbers of the counters.
const CONNECTS: u8 = 0;
const LOST: u8 = 1;
const RECONNECTS: u8 = 2;
const REOPENED: u8 = 3;
const UNORDERED: u8 = 4;
const SURPLUS: u8 = 5;
const BEFORE_SENT: u8 = 6;
const COMMENTS: u8 = 7;
