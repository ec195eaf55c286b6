//! Monitors to samples: the system under test and the generator itself, on the run's clock.
//!
//! # Place in the pipeline
//! Beside `drive`, while the load runs. Takes monitors that have been built; hands every sample, event and clock pair
//! to a function, which the run connects to `record`.
//!
//! # Ideas
//! Sampling instants are computed, `(k + 0.4873) · every` on the run's clock, never ticked: no drift, two monitors with
//! the same period sample together, and off the seconds on which loads begin. Each monitor has a thread of its own, so a
//! slow database delays nobody else. A sample that did not come is written as missing, never as zero, and an outage is
//! one event.
//! The generator is watched like everything else ([`generator`]), since what it spoils must not be blamed on the system.
//! [`ProcessorTimes`] tells the same of others for what is measured without a run.
//!
//! # Not here
//! What is measured is the monitors' (`monitors/`); the load threads' own rows are `drive`'s, which asks
//! [`thread_times`]; what a sample means is `judge`'s.
#![forbid(unsafe_code)]

mod budget;
pub mod generator;
mod keeper;
mod proc;
mod processors;
mod sampler;
mod schedule;
mod watching;

pub use keeper::CLOCK_STEP;
pub use proc::thread_times;
pub use processors::{OthersShares, ProcessorTimes};
pub use sampler::Built;
pub use watching::{Watching, start};
