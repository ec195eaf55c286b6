//! What a driver or a monitor needs to know, and nothing else: two traits, and what they are handed.
//!
//! # Place in the pipeline
//! Below every stage. What plug-ins need of `recorder` is passed on here, so that they name it nowhere; `study` hands
//! them their settings, `drive` and `watch` call them. The engine knows no protocol, a driver knows no engine.
//!
//! # Ideas
//! An exchange has *legs*. A plain request has one, `answer`; a message whose reply comes on another connection has
//! two. Every leg is opened, timed and closed through the [`Recorder`].
//! A plug-in's settings are a tree with a place for every node, so that its mistakes point at the user's text.
//!
//! # Not here
//! Books are `recorder`'s; pacing, deadlines, waiting arrivals and the pool of sessions are `drive`'s.
#![forbid(unsafe_code)]

mod check;
mod check_text;
mod commons;
mod context;
mod driver;
mod due;
mod facts;
mod files;
mod generator;
mod keys;
mod machine;
mod mistake;
mod monitor;
mod names;
mod node;
mod role;
mod samples;
mod words;

pub use check::{Capture, Check, Compare, Probe, ScriptArgument, ScriptProbe, Which};
pub use check_text::{PROBES, comparison, quote_of, read_capture, read_check, read_probe, split_arguments, unquoted};
pub use commons::Commons;
pub use context::{BuildContext, Carrier, Failure, Incoming, Settings};
pub use driver::{
    Answer, BuildDriver, Cancel, Destination, Driver, DriverKind, ExchangeKind, Feature, Interest, LegLeftOut, Notice,
    Reply, ReplyHandler, RequestHead, Session, Slot, Work,
};
pub use due::{Account, Early, Whose};
pub use facts::{FactKind, FactName, Facts};
pub use files::{open_file, opened_files, read_file, read_secret_file, read_text_file};
pub use generator::{GENERATOR, GENERATOR_METRICS};
pub use keys::{Keys, Misspelt, meant, one_of, slip_of, suggestion};
pub use machine::Machine;
pub use mistake::{Mistake, Mistakes, Place};
pub use monitor::{
    Across, BuildMonitor, INSTANCE_NAME, Kind, LoadOn, MetricKind, Monitor, MonitorKind, MonitorSettings, NAMED,
    NAMED_UNITS, Watched, Watches,
};
pub use names::{Name, Names, closing_bracket, compile_template};
pub use node::{Node, Shape};
pub use recorder::{
    AFTERWARDS, Call, Closes, Function, Given, Leg, LegKind, NO_STREAM, Note, Pick, Piece, Recorder, Row, Rows, Script,
    ScriptCall, Table, Task, Template, Trouble, UNITS_MAX, UNITS_SLOT, reply_key, units_of,
};
pub use role::{FactRole, Role};
pub use samples::{Absent, Event, FULL_COLLECTION, Sample, Samples, sample_phase};
pub use words::{Catalogues, LANGUAGES, message_id};
