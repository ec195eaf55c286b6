//! Answers every request exactly a constant service time after its arrival, and fails on purpose.
//!
//! # Place in the pipeline
//! Outside it: what end-to-end tests and drivers are tried against. It shares no code with loadproof.
//!
//! # Ideas
//! There is a server for each request, so nobody waits for anybody: the response time is the service time `S`
//! at every arrival rate, and every percentile is `S`. What else happens is known beforehand too:
//! [`Fates::of`] says for each request number whether it fails, and how. The same loop serves TLS ([`tls`]).
//!
//! # Not here
//! The server itself is `target-common`. Queues: `target-queue`. Freezes: `target-stall`.

#![allow(clippy::disallowed_methods, reason = "targets are real servers; they keep their own time")]

pub mod fates;
pub mod service;
pub mod tls;

pub use fates::{Fate, Fates};
pub use service::{EchoService, Flags};
