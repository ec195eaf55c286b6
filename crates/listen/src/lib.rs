//! The lab's own addresses, at which the system under test answers later: replies, acknowledgments, call-backs.
//!
//! # Place in the pipeline
//! Beside `drive`, while the load runs. [`bind`] comes before the system is started, since its command may name the
//! address; [`serve`] hands what arrives to a function, which the run connects to `drive`'s threads.
//!
//! # Ideas
//! One listener serves many drivers: each has a handler that says whether a request is its own, answers at once, and
//! gives the key under which some thread waits. The time of an arrival is taken where its first byte is read, so its
//! way to that thread costs no accuracy. One thread serves all listeners of a run: its work for a reply is small beside
//! what it took the system to send it. HTTP is hyper's, TLS is rustls'.
//!
//! # Not here
//! Who waits for what, and what is late or a duplicate, is `recorder::Recorder`'s; what a reply means is the drivers'.
#![forbid(unsafe_code)]

mod bound;
mod counts;
mod server;
mod stamped;

pub use bound::{Bound, bind, check_files};
pub use counts::{Counts, METRICS, NAME, monitor};
pub use server::{Handed, Listening, Notice, serve};
