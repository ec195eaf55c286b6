//! What the load generator records of itself: known before anything runs, so that rules that name it can be checked.

use crate::{Across, MetricKind, Role};
use terms::Unit;

/// The generator's own monitor, by its name in rules and in the record. No study declares it; every run has it.
pub const GENERATOR: &str = "generator";

/// A level of one process; of several load nodes the highest counts.
const fn gauge(name: &'static str, unit: Unit) -> MetricKind {
    MetricKind::gauge(name, unit).across(Across::Max)
}

/// What it measures. All are gauges; processor times are over the real time since the sample before.
///
/// `cpu_share`, `busiest_thread` and `run_queue` are of the load threads; while there are none, as between two scenarios,
/// they have no value. `ports` are local ports within the range for outgoing connections, `sockets` TCP sockets of the
/// whole machine, both ends.
pub const GENERATOR_METRICS: &[MetricKind] = &[
    gauge("cpu", Unit::Cores).of("one core").with_role(Role::Processor),
    gauge("cpu_share", Unit::Share).of("its load threads"),
    gauge("busiest_thread", Unit::Share).of("one core"),
    gauge("run_queue", Unit::Share).of("the time of its most delayed thread").with_role(Role::RunQueue),
    gauge("rss", Unit::Bytes),
    gauge("memory_available", Unit::Bytes).with_role(Role::FreeMemory),
    gauge("descriptors", Unit::Count).below("descriptors_limit").with_role(Role::Descriptors),
    gauge("descriptors_limit", Unit::Count),
    gauge("threads", Unit::Count).with_role(Role::Threads),
    gauge("steal", Unit::Share).of("all cores").with_role(Role::Steal),
    gauge("ports", Unit::Count).below("ports_range"),
    gauge("ports_range", Unit::Count),
    gauge("sockets", Unit::Count),
    gauge("time_wait", Unit::Count).with_role(Role::Waiting),
];
