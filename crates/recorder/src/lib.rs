//! The books of one load thread: what a session reports with, and what a second leaves behind.
//!
//! # Place in the pipeline
//! Below `contract`, whose sessions are handed a [`Recorder`] and which passes on what they need of this crate. `drive`
//! makes recorders and drains them, `record` writes their rows.
//!
//! # Ideas
//! An exchange has *legs*: every one is opened, timed and closed here, which is an index and an addition in this thread's
//! arrays, without an allocation, a lock or a system call. Once a second the arrays are drained into a [`Batch`], which
//! another thread folds into rows ([`Folded`]). Rows are additive, so those of seconds, threads and steps may be summed.
//! What is written about a failed exchange goes through the scrubber before it leaves.
//!
//! # Not here
//! When something is intended, what is past its deadline and how iterations end is `drive`'s; files are `record`'s.
#![forbid(unsafe_code)]

mod arrival;
mod batch;
mod close;
mod exchange;
mod hot;
mod layout;
mod matching;
mod note;
mod recorder;
pub mod reply_key;
mod rows;
mod slowest;
mod table;
mod template;
mod trace;
mod units;

pub use arrival::{Arrival, Refusal, Unmatched};
pub use batch::{Batch, COUNTERS_MAX};
pub use close::Whole;
pub use exchange::{AFTERWARDS, Closes, Leg, LegKind, NO_STREAM, Task};
pub use layout::{ExchangeLayout, Layout, Measure, Threshold};
pub use matching::Parked;
pub use note::Note;
pub use recorder::{Attach, Ended, Recorder, Shared};
pub use rows::{Folded, IterationRow, LegRow, NoteRow, OutcomeRow, SlowRow, StartRow};
pub use slowest::SLOWEST_MAX;
pub use table::{Pick, Row, Rows, Table};
pub use template::{Call, Function, Given, Piece, Script, ScriptCall, Template, Trouble};
pub use trace::{TraceId, Traces};
pub use units::{UNITS_MAX, UNITS_SLOT, units_of};
