//! For tests only: a simulated system, a lab in which a driver works as in the engine, servers that misbehave, what every
//! driver owes, real programs, and servers of NATS and of ssh on loopback.
//!
//! # Place in the pipeline
//! Beside it: a dev-dependency of the stages, of plug-ins and of systems.
//!
//! # Ideas
//! [`SIMULATED`] is a driver like any other, so an hour of load against a system whose truth is known runs through the
//! very loop that drives real sockets, in milliseconds and identically each time. A [`Lab`] is the other way round: a real
//! driver and real sockets, and in place of the engine a loop that a test can stop anywhere. What every driver owes is
//! written once, in [`conformance`]; a driver lends it a server's half of its protocol. That a plug-in's words are whole in every language is checked by `words`.
//!
//! Whatever is not as a test needs it panics: that is how a test fails.
//!
//! # Not here
//! Real servers with a known answer are in `targets/`. The engine's own loop is in `drive`.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "clippy does not see that all of this is test code")]

#[cfg(any(feature = "kafka", feature = "nats"))]
pub mod authority;
#[cfg(feature = "lab")]
pub mod conformance;
#[cfg(feature = "kafka")]
pub mod kafka;
#[cfg(feature = "lab")]
mod lab;
#[cfg(feature = "nats")]
pub mod nats;
#[cfg(feature = "program")]
pub mod program;
#[cfg(feature = "lab")]
mod server;
mod simulated;
#[cfg(feature = "sshd")]
pub mod sshd;
mod study;
#[cfg(feature = "lab")]
mod surroundings;
#[cfg(feature = "words")]
pub mod words;

#[cfg(feature = "lab")]
pub use lab::{Lab, Recorded};
#[cfg(feature = "lab")]
pub use recorder::{Folded, LegRow};
#[cfg(feature = "lab")]
pub use server::{Request, Server, nobody, ok, read_request, reset};
pub use simulated::SIMULATED;
pub use study::{
    NoNames, TableNames, body_is, capture, check, exchange, list, map, monitor, settings, status_is, text,
};
#[cfg(feature = "lab")]
pub use surroundings::{Built, NONCE, Surroundings, build, mistakes};
