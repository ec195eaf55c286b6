//! ebXML Messaging 2.0 (ebMS) over HTTP: Pings and business messages under agreements (CPA), with reliable messaging, payload
//! and signatures, and the replies that come on connections of their own.
//!
//! # Place in the pipeline
//! A driver: `drive` calls it through `contract`, `registry.rs` lists its one public item, [`EBMS`].
//!
//! # Ideas
//! An agreement is read once and decides everything that the two sides have agreed on: parties, addresses, what is asked
//! for, how often and how far apart a message is sent again. From it a message is cut into fixed pieces, so that sending is
//! copying. The id of a message carries all that is needed to tell whose a reply is and whether it is the right one, since
//! the listener's thread shares nothing with the one that waits. What comes from outside is read with bounds, and no
//! document has anything looked up or expanded.
//!
//! # Example
//! ```
//! let operations: Vec<_> = driver_ebms::EBMS.exchanges.iter().map(|kind| kind.name).collect();
//! assert_eq!(operations, ["ping", "message"]);
//! ```
//!
//! # Not here
//! Encryption, message order, multi-hop and status requests are not spoken. The listener itself is the engine's, the
//! client of HTTP below is `http-wire`'s.
#![forbid(unsafe_code)]

mod acknowledge;
mod agreement;
mod answer;
mod common;
mod compose;
mod config;
mod driver;
mod envelope;
mod exchange;
mod features;
#[cfg(feature = "fuzz")]
#[doc(hidden)]
pub mod fuzz;
mod id;
mod mime;
mod moment;
mod replies;
mod resend;
mod session;
mod signature;
#[cfg(test)]
mod testing;
mod verify;
mod xml;

use contract::{AFTERWARDS, Closes, DriverKind, ExchangeKind, LegKind, Work};

/// The driver: `ebms.ping` and `ebms.message`.
///
/// The leg `accepted` runs from the intended start to the end of the HTTP answer; `acknowledged` and `reply` from the same
/// start to the arrival of an acknowledgment, of a Pong or of a business answer; `error` to that of an error that comes
/// when nothing of these is waited for.
pub const EBMS: DriverKind = DriverKind {
    name: "ebms",
    exchanges: &[
        ExchangeKind {
            name: "ping",
            work: Work::Exchange,
            legs: &[ACCEPTED, REPLY, ERROR],
            keys: config::PING,
            words: &[],
        },
        ExchangeKind {
            name: "message",
            work: Work::Exchange,
            legs: &[ACCEPTED, ACKNOWLEDGED, REPLY, ERROR],
            keys: config::MESSAGE,
            words: &[("profile", &config::PROFILE_NAMES)],
        },
    ],
    counters: common::COUNTERS,
    features: features::NAMES,
    messages: contract::messages!(),
    build: driver::build,
};

const ACCEPTED: LegKind = LegKind { name: "accepted", closes: Closes::Here };
const ACKNOWLEDGED: LegKind = LegKind { name: "acknowledged", closes: Closes::Matched };
const REPLY: LegKind = LegKind { name: "reply", closes: Closes::Matched };
const ERROR: LegKind = LegKind { name: AFTERWARDS, closes: Closes::Afterwards };
