//! Starts the instances of a study's system, makes sure who they are, notices when they die, and ends them.
//!
//! # Place in the pipeline
//! Between `study` and `drive`: takes the instances of a checked study, hands back where each one answers ([`Placed`])
//! and which process it is. Resolving `$(…)` in commands is `study`'s; it comes in as a function.
//!
//! # Ideas
//! No load goes to a stranger. A started process must own the socket that listens on its port, and must tell the nonce
//! it was given; a process that ran already must tell the fields that the study expects. A port that only answers
//! proves nothing: a foreign server on the same port answers as well.
//! Nothing that was started outlives the run: every process stands in a process group of its own, which is asked to
//! end, killed after its grace, and always reaped, also when the run panics.
//!
//! # Not here
//! Samples of the processes are the monitors'; what a lost replica means for validity is `judge`'s. The HTTP spoken
//! here asks for readiness and identity, with the drivers' own connections and bounds; it drives no load.
#![forbid(unsafe_code)]

mod address;
mod alive;
mod ask;
mod error;
mod foresee;
#[cfg(feature = "fuzz")]
#[doc(hidden)]
pub mod fuzz;
mod identity;
mod instance;
mod keeper;
mod launched;
mod listener;
mod log;
mod order;
mod orphan;
mod ports;
mod process;
mod program;
mod replica;
mod settings;
mod start;
mod words;

pub use error::LaunchError;
pub use foresee::foresee;
pub use keeper::{LogKeeper, Opening};
pub use launched::Launched;
pub use orphan::Orphan;
pub use process::NICENESS;
pub use replica::{Ended, Event, PerReplica, Placed, Resolve, Started};
pub use settings::check;
pub use start::{Options, renew, start_instances};
