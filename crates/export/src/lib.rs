//! Seconds of a run to receivers of metrics, while it goes on: OpenTelemetry, Prometheus, InfluxDB.
//!
//! # Place in the pipeline
//! Beside it: `follow` reads what a run has recorded, `cli` says who wants to have it. Nothing here is seen by load threads
//! or by the recording thread, and nothing that happens here changes a figure, a verdict or an exit code.
//!
//! # Ideas
//! A [`Registry`] adds seconds up to series that bear the names of the study. All of them are cumulative since the run's
//! start, so a second that a receiver did not get costs it resolution and no count. Each second becomes one [`Snapshot`],
//! which the encoders write: [`openmetrics`], [`otlp`], [`remote_write`], [`influx`]. Their names are one and the same by
//! every way ([`names`]).
//!
//! Each receiver has a thread and a bounded queue of its own. A receiver is a stranger: what it takes in time and memory
//! is bounded, nothing that it says is followed, and what it did not take is counted and told.
//!
//! # Not here
//! Percentiles: receivers compute them from histograms, within the width of a bucket. Those of the report are `judge`'s.
#![forbid(unsafe_code)]

mod address;
mod exporter;
#[cfg(feature = "fuzz")]
#[doc(hidden)]
pub mod fuzz;
pub mod influx;
mod labels;
pub mod names;
pub mod openmetrics;
pub mod otlp;
mod post;
mod proto;
mod pusher;
mod registry;
pub mod remote_write;
mod scrape;
mod sketch;
mod snapshot;
#[cfg(test)]
mod tests;

pub use address::{Format, Receiver, Surroundings, read};
pub use exporter::{Exporter, PATIENCE_AT_END, Sent};
pub use labels::Labels;
pub use registry::Registry;
pub use sketch::{Layout, Sketch};
pub use snapshot::{Family, Identity, Point, Snapshot, Value};
