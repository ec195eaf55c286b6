//! A server that freezes on schedule, so that every response time is known beforehand.
//!
//! # Place in the pipeline
//! Outside it: what end-to-end tests measure. Its truth is [`FreezeSchedule`]; it shares no code with loadproof.
//!
//! # Ideas
//! Work goes on during a freeze, only the sending of answers stops, as when a log write or a collector
//! holds the last step. A request that arrives at `a` is due at `a + S`; when that lies in a freeze
//! `[f, f + F)`, its answer is sent at `f + F`. Nothing of the service time is left to do then, and requests
//! do not wait for each other. So the response time is `S`, or whatever is left until the freeze ends:
//!
//! ```text
//! R(a) = S                 when (a + S - first) mod E >= F, or a + S < first
//! R(a) = S + F - phase     otherwise, with phase = (a + S - first) mod E
//! ```
//!
//! with `E` the period, `F` the length of a freeze, `first` the start of the first one, all in the time since
//! the epoch (the arrival of the first load request, or the start of the target with `--from start`).
//!
//! **Truth of the open model at rate λ.** For Poisson arrivals, or any that are spread evenly over a whole number
//! of periods, `R = S` with probability `1 - F/E`; else `R - S` is uniform on `(0, F]`. The `q` quantile is `S`
//! for `q <= 1 - F/E` and `S + (q - 1 + F/E) * E` above, independent of λ: [`FreezeSchedule::response_quantile_ns`].
//! For arrivals at known times, evaluate [`FreezeSchedule::expected_response`] at each and take nearest ranks.
//! At 1000/s in steps of 1 ms with S = 1 ms, F = 100 ms, E = 2 s and the default `first`, this gives
//! p50 = p90 = 1.0, p99 = 80.5, p99.9 = 98.5 and a maximum of 100.5 ms.
//!
//! # Not here
//! The server itself is `target-common`.

#![allow(clippy::disallowed_methods, reason = "targets are real servers; they keep their own time")]

pub mod schedule;
pub mod service;

pub use schedule::FreezeSchedule;
pub use service::{Flags, StallService};
