//! A run without a screen: a prepared study becomes a sealed run folder.
//!
//! # Place in the pipeline
//! Takes what `study` has checked, and has `plan`, `launch`, `listen`, `drive`, `watch` and `record` do their parts; feeds
//! `judge` with the folder. Names no driver and no monitor: they come as a [`study::Registry`].
//!
//! # Ideas
//! [`conduct()`] is the whole way, one stage after another, each in a file of its own. What is to be shown goes to an
//! [`Observer`], so that whoever carries a run decides who sees it. [`Load`] is the stage in the middle, plan in and rows
//! out: it needs no process of the system, no folder and no screen.
//!
//! Whatever was refused before anything was measured leaves no folder behind; whatever was measured is sealed, also when
//! a defect ended it.
//!
//! # Not here
//! The command line, what a terminal shows and exit codes are `cli`'s; what a run is worth is stated by `judge`.
#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod blueprints;
mod conduct;
pub mod defects;
mod descriptors;
mod driver_counters;
mod driving;
mod ending;
mod error;
mod facts;
mod failing;
mod figures;
mod folder;
pub mod foresee;
mod head;
mod keeper;
mod kept_out;
mod live;
mod load;
pub mod logs;
mod monitors;
pub mod nodes;
mod numbers;
mod observer;
mod once;
mod parties;
mod prepare;
mod programs;
mod rates;
mod recorded;
mod renewing;
mod replies;
mod searching;
mod seconds;
mod signals;
mod system;
mod watching;

pub use conduct::conduct;
pub use error::RunError;
pub use failing::Failing;
pub use figures::{Connections, Figures};
pub use folder::{Call, CallNodes, RunRequest};
pub use head::planned;
pub use load::{Load, Rows};
pub use monitors::{monitor_head, own_metrics};
pub use numbers::grouped;
pub use observer::{News, Observer};
pub use once::once;
pub use prepare::{Prepared, prepare};
pub use replies::Replies;
pub use signals::{Signals, ask_from_page, came, outlive_file_limits};
