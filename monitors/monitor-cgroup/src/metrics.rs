//! What a control group is measured by.

use contract::{Across, MetricKind, Role};
use terms::Unit;

const fn cores(name: &'static str) -> MetricKind {
    MetricKind::gauge(name, Unit::Cores).of("one core")
}

const fn bytes(name: &'static str) -> MetricKind {
    MetricKind::gauge(name, Unit::Bytes)
}

const fn bytes_a_second(name: &'static str) -> MetricKind {
    MetricKind::gauge(name, Unit::Bytes).of("one second")
}

const fn of_the_time(name: &'static str) -> MetricKind {
    MetricKind::gauge(name, Unit::Share).of("the time").across(Across::Max)
}

/// What a control group is measured by. Rates are over the real time since the sample before; counters count since the
/// group was made.
pub const METRICS: &[MetricKind] = &[
    cores("cpu").below("cpu_limit").with_role(Role::Processor),
    cores("user").with_role(Role::ProcessorUser),
    cores("system").with_role(Role::ProcessorSystem),
    cores("cpu_limit"),
    MetricKind::gauge("throttled", Unit::Share).of("its periods of processor time").across(Across::Max),
    MetricKind::counter("throttled_time", Unit::Time),
    bytes("used").below("memory_limit").with_role(Role::Memory),
    bytes("memory").below("memory_limit"),
    bytes("memory_limit").with_role(Role::MemoryLimit),
    bytes("anonymous").below("memory_limit"),
    bytes("swap").with_role(Role::Swap),
    MetricKind::counter("limit_hits", Unit::Count),
    MetricKind::counter("oom_kills", Unit::Count),
    of_the_time("cpu_pressure"),
    of_the_time("memory_pressure"),
    of_the_time("io_pressure"),
    of_the_time("memory_stalled"),
    of_the_time("io_stalled"),
    MetricKind::gauge("tasks", Unit::Count).below("tasks_limit").with_role(Role::Threads),
    MetricKind::gauge("tasks_limit", Unit::Count),
    bytes_a_second("read").with_role(Role::In),
    bytes_a_second("write").with_role(Role::Out),
    bytes_a_second("net_in").with_role(Role::NetworkIn),
    bytes_a_second("net_out").with_role(Role::NetworkOut),
];

/// Numbers of the metrics, in the order of [`METRICS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub(crate) enum Metric {
    Cpu,
    User,
    System,
    CpuLimit,
    Throttled,
    ThrottledTime,
    Used,
    Memory,
    MemoryLimit,
    Anonymous,
    Swap,
    LimitHits,
    OomKills,
    CpuPressure,
    MemoryPressure,
    IoPressure,
    MemoryStalled,
    IoStalled,
    Tasks,
    TasksLimit,
    Read,
    Write,
    NetIn,
    NetOut,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_agree_and_ceilings_exist() {
        for (metric, name) in [
            (Metric::Cpu, "cpu"),
            (Metric::CpuLimit, "cpu_limit"),
            (Metric::ThrottledTime, "throttled_time"),
            (Metric::Used, "used"),
            (Metric::MemoryLimit, "memory_limit"),
            (Metric::OomKills, "oom_kills"),
            (Metric::IoStalled, "io_stalled"),
            (Metric::TasksLimit, "tasks_limit"),
            (Metric::NetOut, "net_out"),
        ] {
            assert_eq!(METRICS[metric as usize].name, name);
        }
        assert_eq!(METRICS.len(), Metric::NetOut as usize + 1);
        let is_metric = |name: &str| METRICS.iter().any(|metric| metric.name == name);
        assert!(METRICS.iter().all(|metric| metric.ceiling.is_none_or(is_metric)));
    }
}
