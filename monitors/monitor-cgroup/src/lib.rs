//! Control groups of the instances under test: processor, throttling, memory against its limit, pressure, disk, network.
//!
//! # Place in the pipeline
//! A monitor: `watch` calls it once a period, on the machine where the instances run. `cgroup: {}` in a study.
//!
//! # Ideas
//! A group is read from its files, version 1 or 2, or asked of Docker over its socket; all become the same `Reading`, and
//! one place makes metrics of it. Every unit has its denominator: processor time is in cores, whatever the tools that
//! print per cent mean by it.
//! A figure of a group is one of everything in it. The group at the top holds the whole machine and is nobody's own; of
//! two instances in one group the first has the figures; where loadproof itself is in it, that is stated.
//!
//! # Not here
//! Processes one by one, which are `monitor-process`'s. Kubernetes' own API: its containers are groups like others.
#![forbid(unsafe_code)]

mod config;
mod docker;
mod facts;
mod files;
#[cfg(feature = "fuzz")]
#[doc(hidden)]
pub mod fuzz;
mod group;
mod http;
mod instance;
mod metrics;
mod monitor;
mod reading;

pub use metrics::METRICS;

use contract::{BuildContext, Mistakes, Monitor, MonitorKind, MonitorSettings};

/// `cgroup`, as the registry lists it.
pub const CGROUP: MonitorKind = MonitorKind {
    name: "cgroup",
    metrics: METRICS,
    watches: contract::Watches::Instances,
    facts: facts::FACTS,
    messages: contract::messages!(),
    keys: &["path", "root", "docker", "socket"],
    named: None,
    over_ssh: false,
    build,
};

fn build(settings: &MonitorSettings, context: &mut BuildContext<'_>) -> Result<Box<dyn Monitor>, Mistakes> {
    let config = config::read(settings, context)?;
    Ok(Box::new(monitor::Groups::new(settings, config)))
}
