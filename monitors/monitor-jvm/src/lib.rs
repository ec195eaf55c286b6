//! Java virtual machines of the instances under test: heap by generation, collections, pauses, threads, classes.
//!
//! # Place in the pipeline
//! A monitor: `watch` calls it once a period, on the machine where the instances run. `jvm: {}` in a study. Over ssh
//! (`on: ssh://db1`) it reads the same files of another machine.
//!
//! # Ideas
//! A HotSpot machine keeps what it counts in a file that is mapped into its memory, `hsperfdata_USER/PID`, and writes
//! it anyway: reading it costs the machine nothing, needs no agent and no port. It is read whole,
//! within bounds, and read again when it was changed meanwhile. Where that cannot be, `jstat` is started once, prints by
//! itself, and each line is stamped on arrival.
//! Both become the same `Reading`, and one place makes metrics of it, so the two can be held against each other.
//! How full a heap is between two collections says little: garbage waits in it. What says something is what is left
//! *after* a collection: `heap_after_gc` and `old_after_gc` have a value only then.
//!
//! # Not here
//! Logs of collections (`-Xlog:gc`), which know every single pause. Virtual machines that are not HotSpot's. Processor
//! time and resident memory are `monitor-process`'s.
#![forbid(unsafe_code)]

mod config;
mod elsewhere;
mod facts;
#[cfg(feature = "fuzz")]
#[doc(hidden)]
pub mod fuzz;
mod instance;
mod jstat;
mod jvm;
mod locate;
mod metrics;
mod monitor;
mod perf_data;
mod printing;
mod reading;

pub use metrics::METRICS;

use contract::{BuildContext, Mistakes, Monitor, MonitorKind, MonitorSettings};

/// `jvm`, as the registry lists it.
pub const JVM: MonitorKind = MonitorKind {
    name: "jvm",
    metrics: METRICS,
    watches: contract::Watches::Instances,
    facts: facts::FACTS,
    messages: contract::messages!(),
    keys: &["from", "pid_file", "named"],
    named: None,
    over_ssh: true,
    build,
};

fn build(settings: &MonitorSettings, context: &mut BuildContext<'_>) -> Result<Box<dyn Monitor>, Mistakes> {
    if let Some(machine) = &remote::machine(settings, context) {
        return Ok(Box::new(elsewhere::Elsewhere::build(settings, machine, context)?));
    }
    let from = config::read(settings)?;
    Ok(Box::new(monitor::Jvms::new(settings, from)))
}
