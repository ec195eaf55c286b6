//! What the reference systems share: the frame of a service, fault switches, counters, access log, store pool, tokens.
//!
//! # Place in the pipeline
//! Outside it: a reference system is what `drive` loads and `watch` watches. Only systems depend on this crate.
//!
//! # Ideas
//! - A [`Service`] puts the same frame around every module: `/health`, `/version` and `/counters` stand outside it, all
//!   other routes inside. The frame counts and logs each call exactly once, also when the client goes away.
//! - [`Faults`] are switches of the command line. Which call is hit follows from the number of the call alone, so a run
//!   can be repeated, and the shares of faults hold almost exactly (see [`Shares`]).
//! - A [`Pool`] is a real bounded pool: a call waits until a connection is free, and the waiting is counted.
//! - [`server`] is the supervisor of a database server that is private to one run: its files, its end, its faults.
//! - [`xml`] reads what strangers send: bounded, and without ever expanding an entity.
//! - All queues are bounded and count what they lose.
//!
//! # Example
//! ```
//! use system_common::{FaultKind, Faults};
//!
//! let faults = Faults::parse(&["delay=20ms", "stall=37s/4s"], FaultKind::ALL).unwrap();
//! assert_eq!(faults.delay.as_millis(), 20);
//! let error = Faults::parse(&["dealy=20ms"], FaultKind::ALL).unwrap_err();
//! assert!(error.to_string().starts_with("unknown fault `dealy`"));
//! ```
//!
//! # Not here
//! Routes, stores and protocols of a system: they are in `systems/system-NAME`. The known-answer targets have a frame
//! of their own in `targets/target-common`: they need exact service times, which a thread pool cannot give.

#![forbid(unsafe_code)]
#![allow(
    clippy::disallowed_methods,
    reason = "a reference system is a program of its own and asks the system for the time"
)]

mod access_log;
mod answers;
mod counters;
mod fault;
mod lifetime;
mod link;
mod observe;
mod options;
mod pool;
mod program;
pub mod server;
mod service;
mod shared;
mod shares;
mod tls;
mod token;
mod token_rsa;
pub mod xml;

pub use access_log::{AccessLog, Entry};
pub use answers::{json, text};
pub use counters::Counters;
pub use fault::{DeliveryFault, FanOutFaults, FaultError, FaultKind, Faults, Limit, MessageFaults, Stall};
pub use lifetime::Lifetime;
pub use observe::HeldCall;
pub use options::{ServiceOptions, authority, lasting};
pub use pool::{Pool, PoolError, PoolStatistics};
pub use program::run_program;
pub use service::{CRASH_STATUS, Module, Service, ServiceError, runtime};
pub use shared::{About, CrashBy, DelayAt};
pub use shares::{Hit, Shares};
pub use tls::{TlsOptions, trusting};
pub use token::{Claims, TokenError, TokenKey};
pub use token_rsa::PublicTokenKey;
/// As [`trusting`] makes it.
pub use tokio_rustls::TlsConnector;
