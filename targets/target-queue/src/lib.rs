//! A queue whose response times follow from theory: first come first served, one or more servers.
//!
//! # Place in the pipeline
//! Outside it: what end-to-end tests measure. It shares no code with loadproof.
//!
//! # Ideas
//! Requests wait in one line for the first of `c` servers to become free, and are served for a time that is drawn
//! by their number from a seed ([`draw`]), so the same arrivals give the same answers. With one server the waiting
//! time follows Lindley's recursion `W' = max(0, W + S - T)` (S the service time before, T the time between
//! the arrivals); [`queue`] computes the same as moments of departure. When arrivals are Poisson, [`theory`] knows
//! the distribution: M/M/1, M/M/c and M/D/1.
//!
//! Response times in a queue follow each other closely: near saturation thousands of requests carry the information
//! of a few dozen independent ones. A test should compare with `/sequence`, which is exact for the arrivals that
//! really came, and with theory only at a tolerance for such data.
//!
//! # Not here
//! The server itself is `target-common`.

#![allow(clippy::disallowed_methods, reason = "targets are real servers; they keep their own time")]

pub mod draw;
pub mod queue;
pub mod service;
pub mod theory;

pub use draw::ServiceTimes;
pub use queue::{FifoQueue, departures_ns};
pub use service::{Flags, QueueService};
