//! Which processes of this machine an instance is: for monitors that watch instances. From `/proc`; see proc(5).
//!
//! # Place in the pipeline
//! Beside `contract`, for the monitors that need it. No stage of the pipeline reads `/proc` through it.
//!
//! # Ideas
//! An instance is a *tree*: the process that was started and all its descendants, those included whose parent has
//! ended. Processes come and go while they are looked at, and name themselves as they like: whatever a text lacks is
//! `None`, nothing panics, and what is read of a socket table is bounded.
//!
//! # Not here
//! How a lineage is written, so that the judge can read it, is `terms::process`'s; what a monitor reads besides is its own.
#![forbid(unsafe_code)]

mod listener;
mod table;
mod tree;

pub use listener::{Endpoint, Socket, is_proxy, listener, listening, own_endpoint};
pub use table::{Scan, Stat, Ticks, scan, stat, stat_of};
pub use terms::process::{Identity, LINEAGE};
pub use tree::{family, lineage};
