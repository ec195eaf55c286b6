//! What the known-answer targets share: a timed HTTP/1.1 server, its books and its flags.
//!
//! # Place in the pipeline
//! Outside it. Targets are what end-to-end tests measure; their own answer follows from theory.
//! They use none of loadproof's crates, so that a slip there cannot hide itself here.
//!
//! # Ideas
//! A target is a [`Service`]: it says for each arrival *when* the answer is due and what it holds.
//! The [`Server`] does the rest in one thread: one epoll loop with nanosecond timeouts, one heap of due times.
//! An arrival is stamped just after its last byte was read, so no answer can ever be early;
//! how late each one was is recorded ([`Lateness`], [`SequenceLog`]) and can be asked for.
//! All times are `u64` nanoseconds since the start of the target, of the monotonic clock.
//!
//! # Not here
//! When an answer is due: that is each target's own pure function. TLS: a [`Session`] of `target-echo`.

#![allow(clippy::disallowed_methods, reason = "targets are real servers; they keep their own time")]

pub mod answer;
pub mod body;
pub mod clock;
mod connection;
mod control;
pub mod counters;
pub mod flags;
mod lifetime;
pub mod options;
mod outbox;
pub mod probe;
pub mod request;
pub mod sequence;
mod serve;
pub mod server;
pub mod session;
mod slots;
mod timeline;
pub mod units;

pub use answer::{Answer, Body, Ending};
pub use counters::{Counters, Lateness};
pub use flags::{ProcessFlags, ServerFlags, run};
pub use options::ServerOptions;
pub use sequence::{Entry, SequenceLog};
pub use server::{Arrival, Plan, Server, Service};
pub use session::{PlainSession, Session};
