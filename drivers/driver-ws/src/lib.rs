//! WebSocket (RFC 6455) over TCP and TLS, on connections that are held open: messages and their answers from a study.
//!
//! # Place in the pipeline
//! A driver: `drive` calls it through `contract`.
//!
//! # Ideas
//! A slot is one connection, and may have several messages on the way: the next one is due whether or not the last one was
//! answered. An echo is known by its content, of which a hash is kept, so what is late, lost, wrong, out of order or comes
//! twice is told apart exactly and without the memory of a message. A connection that idles holds no buffer: all of them
//! read into one, and a message that lies there in one piece is judged where it lies.
//! The handshake is an exchange of `http-wire`, whose connection is then taken over. Compressed messages stand alone, so
//! that one compressor and one decompressor serve all connections of a thread.
//!
//! # Example
//! ```
//! let legs: Vec<_> = driver_ws::WS.exchanges[0].legs.iter().map(|leg| leg.name).collect();
//! assert_eq!(legs, ["answer", "sent", "connect", "gap"]);
//! ```
//!
//! # Not here
//! Of extensions there is compression alone (RFC 7692); WebSocket over HTTP/2 (RFC 8441) is not spoken.
#![forbid(unsafe_code)]

mod close;
mod config;
mod decode;
mod deflate;
mod driver;
mod extension;
mod flights;
mod frame;
#[cfg(feature = "fuzz")]
#[doc(hidden)]
pub mod fuzz;
mod handshake;
mod session;

use contract::{Closes, DriverKind, ExchangeKind, Leg, LegKind, Work};

/// The driver: `ws.talk`.
///
/// Its legs are `answer`, from the intended sending of a message to its answer, `sent`, to when the kernel has all of the
/// message, `connect`, from the intended opening of the connection to the server's agreement, and `gap`, from one message
/// that comes on a connection to the next.
pub const WS: DriverKind = DriverKind {
    name: "ws",
    exchanges: &[ExchangeKind { name: "talk", work: Work::Held, legs: LEGS, keys: config::KEYS, words: config::WORDS }],
    counters: &[
        "connects",
        "lost",
        "reconnects",
        "reopened",
        "unasked",
        "unordered",
        "pings",
        "pongs",
        "pinged",
        "compressed",
        "sent_bytes",
        "sent_on_wire",
        "received_bytes",
        "received_on_wire",
    ],
    features: &[driver::ANSWERS],
    messages: &[
        ("en", include_str!("../messages/en.ftl")),
        ("nl", include_str!("../messages/nl.ftl")),
        ("da", include_str!("../messages/da.ftl")),
    ],
    build: driver::build,
};

const LEGS: &[LegKind] = &[
    LegKind { name: "answer", closes: Closes::Matched },
    LegKind { name: "sent", closes: Closes::Here },
    LegKind { name: "connect", closes: Closes::Opening },
    LegKind { name: "gap", closes: Closes::Beside },
];
const ANSWER: Leg = 0;
const SENT: Leg = 1;
const CONNECT: Leg = 2;
const GAP: Leg = 3;

/// Numbers of the counters.
const CONNECTS: u8 = 0;
const LOST: u8 = 1;
const RECONNECTS: u8 = 2;
const REOPENED: u8 = 3;
const UNASKED: u8 = 4;
const UNORDERED: u8 = 5;
const PINGS: u8 = 6;
const PONGS: u8 = 7;
const PINGED: u8 = 8;
const COMPRESSED: u8 = 9;
const SENT_BYTES: u8 = 10;
const SENT_ON_WIRE: u8 = 11;
const RECEIVED_BYTES: u8 = 12;
const RECEIVED_ON_WIRE: u8 = 13;
