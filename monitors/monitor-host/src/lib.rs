//! The machine: processor, memory, disk, network, from `/proc`; this one, or another over ssh.
//!
//! # Place in the pipeline
//! A monitor: `watch` calls it once a period. `host: {}` in a study, `on: ssh://db1` beside it for another machine.
//!
//! # Ideas
//! Everything that the kernel counts is given as a rate over the *real* time between two samples, not over the planned
//! period: a sample that came late is still right. The first sample therefore has levels only. Shares of processor time
//! are of all cores together and add up to one: `cpu` (`user` + `system`) + `iowait` + `idle` + `steal`.
//! The parsers take texts, so they are tested with texts of real machines, and do not know from which machine they come.
//!
//! # Not here
//! Single processes are `monitor-process`'s; the generator's own share of the machine is in `watch::generator`.
#![forbid(unsafe_code)]

mod facts;
#[cfg(feature = "fuzz")]
#[doc(hidden)]
pub mod fuzz;
mod metrics;
mod monitor;
mod parse;
mod source;

pub use metrics::METRICS;

use contract::{BuildContext, Keys, Mistakes, Monitor, MonitorKind, MonitorSettings};

/// `host`, as the registry lists it.
pub const HOST: MonitorKind = MonitorKind {
    name: "host",
    metrics: METRICS,
    watches: contract::Watches::Machine,
    facts: facts::FACTS,
    messages: contract::messages!(),
    keys: &[],
    named: None,
    over_ssh: true,
    build,
};

fn build(settings: &MonitorSettings, context: &mut BuildContext<'_>) -> Result<Box<dyn Monitor>, Mistakes> {
    let mut mistakes = Mistakes::default();
    Keys::of(&settings.node, format!("monitor `{}`", settings.name), &mut mistakes).finish(&mut mistakes);
    mistakes.into_result()?;
    Ok(Box::new(monitor::Host::new(settings, context.carrier())))
}

#[cfg(test)]
#[test]
fn every_word_is_there_in_every_language() {
    testkit::words::of_monitor(&HOST);
}
