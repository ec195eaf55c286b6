//! Other machines, asked over ssh: for monitors that watch where nothing of ours is installed.
//!
//! # Place in the pipeline
//! Beside `processes`, for the monitors that can watch another machine (`on: ssh://db1`). No stage of the pipeline uses
//! it.
//!
//! # Ideas
//! A [`Remote`] is one process of the system's own `ssh`, and at its other end one `sh` that reads commands from its
//! input; all those of one machine share a connection. Each sample is a *question*, a line of shell, and its answer: so nothing runs there between two samples,
//! what is asked for lies between the moment of the question and that of its answer on the clock *here*, and when the
//! connection ends, however it ends, `sh` reads the end of its input and is gone. The other machine's clock places
//! nothing; how far it is off is measured and told ([`Remote::offset`]).
//! Whatever answers is hostile: an answer has a greatest size and a latest moment, and one that came too late is read
//! and dropped, never taken for that of a later question. A connection that is lost is opened again, at most every five
//! seconds.
//! No password is ever asked for or handed over: keys, names of hosts and jumps are those of the user's own `ssh`.
//!
//! # Not here
//! What the answers mean is the monitors'. Machines on which loadproof itself runs are `run::nodes`'.
#![forbid(unsafe_code)]

mod answer;
mod choice;
#[cfg(feature = "fuzz")]
#[doc(hidden)]
pub mod fuzz;
mod link;
mod moment;
mod offset;
mod remote;
mod said;
mod samples;
mod shared;
#[cfg(test)]
mod tests;
mod why;

pub use answer::files;
pub use choice::{Change, Chosen, KEYS, chosen, machine, scan};
pub use moment::Moment;
pub use offset::Offset;
pub use remote::{Answer, Remote};
pub use samples::{Sampled, Told, lines_of};
