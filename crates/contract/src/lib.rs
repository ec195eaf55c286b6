//! What a driver or a monitor needs to know, and nothing else: two traits, and what they are handed.
//!
//! # Place in the pipeline
//! Below every stage. Plug-ins see only this crate, `terms` and `clock`; `study` hands them their settings, `drive`
//! and `watch` call them. The engine knows no protocol, a driver knows no engine.
//!
//! # Ideas
//! An exchange has *legs*. A plain request has one, `answer`; a message whose reply comes on another connection has
//! two; a held connection has many. Every leg is opened, timed and closed through the [`Recorder`], which is an index
//! and an addition in this thread's arrays: no allocation, no lock, no system call.
//! A plug-in's settings are a tree with a place for every node, so that its mistakes point at the user's text.
//!
//! # Not here
//! Pacing, deadlines, waiting arrivals and the pool of sessions are `drive`'s; the run folder is `record`'s.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod bench;
mod check;
mod check_text;
mod driver;
mod files;
mod keys;
mod mistake;
mod monitor;
mod node;
pub mod processes;
pub mod recorder;
mod table;
mod template;

pub use bench::{Bench, Failure, Settings};
pub use check::{Capture, Check, Compare, Probe};
pub use check_text::{PROBES, read_check, read_probe};
pub use driver::{
    AFTERWARDS, Answer, Arrival, BuildDriver, Cancel, Closes, Destination, Driver, DriverKind, ExchangeKind, Feature,
    Interest, Leg, LegKind, NO_STREAM, Notice, Refusal, Reply, ReplyHandler, RequestHead, Session, Slot, Task,
    Unmatched, Work,
};
pub use files::{open_file, read_file, read_text_file};
pub use keys::{Keys, suggestion};
pub use mistake::{Mistake, Mistakes, Place};
pub use monitor::{
    Across, BuildMonitor, Event, Facts, Kind, LoadOn, MetricKind, Monitor, MonitorKind, MonitorSettings, NAMED, Sample,
    Samples, Watched,
};
pub use node::{Node, Shape};
pub use recorder::{Note, Recorder};
pub use table::{Pick, Row, Rows, Table};
pub use template::{Name, Names, Piece, Template};
