//! What other tools wrote, as a run folder: judged, compared and reported like a run of our own.
//!
//! # Place in the pipeline
//! Beside `run`: takes logs instead of a study, and leaves the same folder through `record`. `judge` and `report` read
//! nothing else, so whatever they can do with a run they can do with this one.
//!
//! # Ideas
//! A file is read as a stream ([`import`]), and once more where only the whole of it shows where the run begins or which
//! records are calls. Calls add up to cells by second and label, on several threads where the
//! kind of file allows it; a survey joins them, learns labels, bounds and exact times, and puts old cells on the disk. When
//! the last line was read the study is written that the files show, and cells become rows. Memory grows with labels and
//! seconds, not with lines.
//!
//! Every line counts: one that cannot be read is counted and shown. What no file tells, such as when a call was meant to
//! begin or how the generator fared, is listed in the folder's head, and `judge` says so.
//!
//! # Not here
//! What the figures mean is `judge`'s; following logs while they are written is the monitors'.
#![forbid(unsafe_code)]

mod access;
mod block;
mod blocks;
mod call;
mod cells;
mod docker;
mod error;
mod exact;
mod fold;
#[cfg(any(test, feature = "fuzz"))]
#[doc(hidden)]
pub mod fuzz;
mod gatling;
mod gatling_binary;
mod gc;
mod hash;
mod hdr;
mod hdr_log;
#[cfg(test)]
mod hostile;
mod input;
mod jstat;
mod jtl;
mod jtl_xml;
mod k6;
mod kafka;
mod kind;
mod latin;
mod lines;
mod locust;
mod numbers;
mod other_kind;
mod parts;
mod place;
mod plugin;
mod printed;
mod reading;
mod records;
mod request;
mod samples;
mod sar;
mod sar_fields;
mod sar_text;
mod sniff;
mod spool;
mod study_text;
mod summary;
mod survey;
mod taken;
mod tally;
mod tar;
mod told;
mod tool;
mod twofold;
mod users;
mod vmstat;
mod watched;
mod write;
mod wrk2;
mod zone;

pub use error::ImportError;
pub use kind::{KINDS, Kind, Source};
pub use numbers::moment_of as moment;
pub use other_kind::kind_of;
pub use plugin::{IMPORTED, IMPORTED_VALUES};
pub use request::{Imported, Request, import};
