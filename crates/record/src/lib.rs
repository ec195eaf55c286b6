//! The run folder: its only writer and its only reader.
//!
//! # Place in the pipeline
//! `drive` and `watch` write through it, by way of `run`; `judge` and `report` read only through it. Everything after the run
//! is a pure function of the folder.
//!
//! # Ideas
//! While a run goes on, entries are appended to checksummed segments and synced once a second, off every hot thread.
//! When it ends they are compacted to Parquet and sealed by a manifest. A torn last block is dropped and reported.
//!
//! ```text
//! RUN/evidence/run.json  study.yaml                       always
//!              writing.lock  ending.room                  while it is written
//!              load/000001.segment …  watch/…  events/…   until it is sealed
//!              load/legs.parquet … manifest.json          from then on
//! ```
//!
//! A segment is a row of *blocks*. A block has a mark, a version, a kind, a number, a length, a CRC-32, and then rows
//! of one kind back to back; see `block` for its bytes, `encoding` for the forms of numbers, texts and histograms, and
//! `row` for the fields. A block is read whole or not at all. Behind a damaged one the reader looks for the next mark;
//! the numbers show how many blocks are gone. Nothing in a folder can make the reader panic, or take more memory than
//! a block or a batch of rows needs.
//!
//! Order is that of recording, from segments and tables alike: a killed run reads exactly as it will when it is sealed,
//! with the ending that its seal writes, and [`Run::cut`] says up to which second it is whole.
//!
//! A run that still goes on is read as it grows by [`Tail`].
//!
//! # Example
//! ```
//! use record::{Entry, EventRow, Head, Run, RunState};
//! # let scratch = tempfile::tempdir().unwrap();
//! # let path = &scratch.path().join("run");
//! let head = Head { id: "trial".into(), ..Head::default() };
//! let mut writer = record::create(path, &head, "study: Trial\n")?;
//! let event = EventRow { at: terms::Nanos(5), kind: "gone".into(), subject: "shop".into(), text: "it died".into() };
//! writer.write(Entry::Event(event.clone()))?;
//! writer.finish(&head)?;
//! let run = Run::open(path)?;
//! assert_eq!((run.state, run.events()?), (RunState::Sealed, vec![event]));
//! # Ok::<(), record::RecordError>(())
//! ```
//!
//! # Not here
//! What the figures mean is `judge`'s.
#![forbid(unsafe_code)]

mod block;
mod carried;
mod digest;
mod encoding;
mod entry;
mod error;
mod files;
#[cfg(feature = "fuzz")]
#[doc(hidden)]
pub mod fuzz;
mod hdr;
mod head;
mod layout;
mod lock;
mod manifest;
mod names;
mod packed;
mod place;
mod reach;
mod recording;
mod repeated;
mod row;
mod rows;
mod run;
mod run_json;
mod seal;
mod segment;
mod shape;
mod table;
mod tables;
mod tail;
#[cfg(test)]
mod tests;
mod unfinished;
mod writer;

pub use carried::{carried, carry};
pub use entry::{
    ADAPTED, ClockPair, EngineRow, Entry, EventRow, NODE_LOST, OF_FILES, ORPHANED, Observed, RENEWED, RESTED, SKIPPED,
    SampleRow, StepMark, UNRESTED, UNWATCHED,
};
pub use error::RecordError;
pub use head::*;
pub use packed::{Group, Packed, PackedRows};
pub use place::{check_outside_evidence, derived_folder, replace_file};
pub use recorder::{
    Folded, IterationRow, LegRow, Measure, NoteRow, OutcomeRow, SLOWEST_MAX, SlowRow, StartRow, Threshold, TraceId,
};
pub use recording::{Handle, Recording};
pub use rows::Rows;
pub use run::{Run, RunState};
pub use seal::seal_killed;
pub use tail::Tail;
pub use unfinished::Unfinished;
pub use writer::{Writer, create};
