//! Plan and drivers to exchanges: pacing, sessions, waiting arrivals, deadlines, books.
//!
//! # Place in the pipeline
//! Takes a [`plan::ScenarioPlan`] and built drivers; every second of every thread becomes a `record::Entry`.
//!
//! # Ideas
//! One thread a core, nothing shared while the load runs: start k belongs to worker k modulo workers, and each worker
//! computes its own. One loop serves open and closed loads: take what is due, give it to a free session, wait for a
//! socket or the next moment, cut what is past its deadline. The loop asks [`clock::Clock`] for the time and a
//! [`Wait`] to pass it, so an hour of load is simulated in milliseconds by the same code.
//!
//! # Not here
//! What bytes mean is the drivers'; when something is intended is `plan`'s; what it says about the run is `judge`'s.
#![forbid(unsafe_code)]

mod alone;
mod blueprint;
mod books;
mod control;
mod ending;
mod error;
mod gauges;
mod lane;
mod mailbox;
mod outside;
mod program;
mod scenario;
mod sessions;
mod slots;
mod starts;
mod thread_times;
mod threads;
mod timers;
mod wait;
mod worker;

pub use alone::{Later, Shown};
pub use blueprint::{Blueprint, DriverUse};
pub use control::{Control, Stop};
pub use error::DriveError;
pub use mailbox::{Delivery, Mailbox};
pub use outside::once;
pub use scenario::{Marks, Rest, ScenarioEnd, beginning, run_scenario, simulate_scenario};
pub use sessions::Captures;
pub use threads::{Driven, Kept, LoadThreads, STACK_BYTES};
pub use wait::{Wait, Waker};
