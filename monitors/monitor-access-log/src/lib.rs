//! Access logs of the instances under test: each call's duration by itself, calls and errors as counts.
//!
//! # Place in the pipeline
//! A monitor: `watch` calls it once a period, on the machine where the logs are.
//! `access: { access_log: { file: …, format: … } }` in a study.
//!
//! # Ideas
//! A log is followed from its end at the start of the run, so that only what is written meanwhile counts. A file is
//! known by device, inode and birth, not by name: one that was renamed is read until it stays quiet, and one that was
//! emptied is noticed by its length or by what stands before the place last read. What cannot be told apart is never
//! counted twice.
//! A call is placed in time by what its line says, since lines may come late; where a line says nothing, by when it was
//! read. The unit of a duration is stated by the pattern or by the study, never guessed.
//!
//! # Not here
//! Logs that are complete before the run is made are an import's. Error logs, which have no shape.
#![forbid(unsafe_code)]

mod config;
mod facts;
#[cfg(feature = "fuzz")]
#[doc(hidden)]
pub mod fuzz;
mod instance;
mod lines;
mod metrics;
mod monitor;
mod siblings;
mod tail;

pub use metrics::METRICS;

use contract::{BuildContext, Mistakes, Monitor, MonitorKind, MonitorSettings};

/// `access_log`, as the registry lists it.
pub const ACCESS_LOG: MonitorKind = MonitorKind {
    name: "access_log",
    metrics: METRICS,
    watches: contract::Watches::Instances,
    facts: facts::FACTS,
    messages: contract::messages!(),
    keys: &["file", "format", "fields", "unit", "route", "times"],
    named: None,
    over_ssh: false,
    build,
};

fn build(settings: &MonitorSettings, context: &mut BuildContext<'_>) -> Result<Box<dyn Monitor>, Mistakes> {
    let config = config::read(settings, context)?;
    Ok(Box::new(monitor::Logs::new(config)))
}
