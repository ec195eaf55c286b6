//! The run folder: its only writer and its only reader.
//!
//! # Place in the pipeline
//! `drive`, `watch` and `import` write through it; `judge` and `report` read only through it. Everything after the run
//! is a pure function of the folder.
//!
//! # Ideas
//! While a run goes on, entries are appended to checksummed segments and synced once a second, off every hot thread.
//! When it ends they are compacted to Parquet and sealed by a manifest. A torn last block is dropped and reported.
//!
//! # Not here
//! What the figures mean is `judge`'s.
#![forbid(unsafe_code)]

mod entry;
mod head;

pub use entry::{ClockPair, EngineRow, Entry, EventRow, SampleRow, StepMark};
pub use head::*;
