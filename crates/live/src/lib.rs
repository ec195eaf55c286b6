//! A page on loopback that shows a run while it goes on, and replays one that is over.
//!
//! # Place in the pipeline
//! Reads the run folder through `follow`, beside the run and never in its way; `cli` starts it, and says what `judge` and
//! `report` made of the folder. Nothing depends on it: a run is the same with and without.
//!
//! # Ideas
//! Two threads of low priority. One reads the folder twice a second and keeps a history: the last ten minutes by second,
//! what is older merged into spans of ten seconds, a minute and ten minutes, histograms merged before percentiles are read.
//! So neither this process nor a browser grows with the length of a run. The other serves it: a snapshot, and behind it what
//! is new as server-sent events. Each reader takes from the history at its own pace; one that is too late starts again from a
//! snapshot, one that stands still is dropped by the kernel, and none is ever waited for.
//!
//! The page is three files that are written by hand (`assets`), without a build step. Every text gets into it as text.
//!
//! Only loopback is served, only under its own names, and whoever does not have the token only watches.
//!
//! # Not here
//! Verdicts: they come from outside as a list of [`Requirement`]s. What the terminal shows is `cli`'s.
#![forbid(unsafe_code)]

mod about;
mod address;
mod error;
mod frame;
mod history;
mod reader;
mod server;
mod standing;
#[cfg(test)]
mod tests;
mod token;
mod words;

pub use address::loopback;
pub use error::LiveError;
pub use server::{Ask, Live, Wanted};
pub use standing::{Outcome, Requirement};
