//! A server whose throughput over concurrency is the universal scalability law.
//!
//! # Place in the pipeline
//! Outside it: what end-to-end tests measure. It shares no code with loadproof.
//!
//! # Ideas
//! Requests are served one after another. Serving one takes `1/X(n)`, where `n` is how many are present when it comes,
//! itself included, and `X(n) = λn / (1 + σ(n-1) + κn(n-1))`. In a closed load of `N` users who ask again at once, `n` is
//! `N` at every arrival but the first `N - 1`, so throughput is `X(N)` and response time `N/X(N)`, with nothing drawn.
//! In an open load below the peak nobody meets anybody for long, and the response time is near `1/λ`; beyond the peak
//! of `X` the line grows, each request is served slower than the one before, and throughput collapses.
//!
//! # Not here
//! The server itself is `target-common`.

#![allow(clippy::disallowed_methods, reason = "targets are real servers; they keep their own time")]

mod line;
mod service;
pub mod theory;

pub use line::{Line, departures_ns};
pub use service::{Flags, SaturateService};
pub use theory::Law;
