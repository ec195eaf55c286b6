//! Process trees of the instances under test: processor, memory, threads, descriptors, disk, from `/proc`.
//!
//! # Place in the pipeline
//! A monitor: `watch` calls it once a period, on the machine where the instances run. `process: {}` in a study. Over ssh
//! (`on: ssh://db1`) it sees another machine's, chosen by name or by a file with their id.
//!
//! # Ideas
//! An instance is a *tree*: the process that was started and all its descendants, those included whose parent has
//! ended. Processor time of children that have ended is not lost: their parents account for it. Every process is known
//! by its id *and* its start time, so an id that passes to a stranger is noticed. An instance that ran before the run
//! is found by the socket that listens at its address, when that is on this machine.
//! Rates are over the real time between two samples; the first sample has levels only.
//! The proportional set size (PSS) shares pages among those who use them, so that a tree's sum is right; reading it
//! costs time that grows with the process, so it is read at most once a second, and less often where it takes more than
//! a twentieth of one core. Where it may not be read, `used` is the resident set size, and a fact says so.
//!
//! # Not here
//! The machine as a whole is `monitor-host`'s; heaps are a JVM monitor's.
#![forbid(unsafe_code)]

mod allowed;
mod cgroup;
mod disk;
mod elsewhere;
mod facts;
#[cfg(feature = "fuzz")]
#[doc(hidden)]
pub mod fuzz;
mod instance;
mod metrics;
mod monitor;
mod parse;
mod tree;

pub use metrics::METRICS;

use contract::{BuildContext, Keys, Mistakes, Monitor, MonitorKind, MonitorSettings};

/// `process`, as the registry lists it.
pub const PROCESS: MonitorKind = MonitorKind {
    name: "process",
    metrics: METRICS,
    watches: contract::Watches::Instances,
    facts: facts::FACTS,
    messages: contract::messages!(),
    keys: remote::KEYS,
    named: None,
    over_ssh: true,
    build,
};

fn build(settings: &MonitorSettings, context: &mut BuildContext<'_>) -> Result<Box<dyn Monitor>, Mistakes> {
    if let Some(machine) = &remote::machine(settings, context) {
        return Ok(Box::new(elsewhere::Elsewhere::build(settings, machine, context)?));
    }
    let mut mistakes = Mistakes::default();
    Keys::of(&settings.node, format!("monitor `{}`", settings.name), &mut mistakes).finish(&mut mistakes);
    mistakes.into_result()?;
    Ok(Box::new(monitor::Processes::new(settings)))
}
