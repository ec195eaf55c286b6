//! What a process tree is measured by.

use contract::{Across, MetricKind, Role};
use terms::Unit;

/// What a process tree is measured by; all are gauges, rates over the real time since the sample before.
///
/// `used` is `pss`, or `rss` where that may not be read; it never changes from one to the other within a run. `swap` is
/// what of it has been written to disk. `reserved` is address space, much of it never touched. `limit` is the memory
/// limit of the control group, if there is one below the machine's memory. `read` and `write` are what went to and came
/// from disks, not what the page cache served. A metric that may not be read is left out.
pub const METRICS: &[MetricKind] = &[
    MetricKind::gauge("cpu", Unit::Cores).of("one core").with_role(Role::Processor),
    MetricKind::gauge("user", Unit::Cores).of("one core").with_role(Role::ProcessorUser),
    MetricKind::gauge("system", Unit::Cores).of("one core").with_role(Role::ProcessorSystem),
    MetricKind::gauge("used", Unit::Bytes).below("limit").with_role(Role::Memory),
    MetricKind::gauge("pss", Unit::Bytes).below("limit"),
    MetricKind::gauge("rss", Unit::Bytes).below("limit"),
    MetricKind::gauge("swap", Unit::Bytes).with_role(Role::Swap),
    MetricKind::gauge("reserved", Unit::Bytes).with_role(Role::ReservedMemory),
    // Instances often share one group, whose limit must not be counted twice.
    MetricKind::gauge("limit", Unit::Bytes).across(Across::Max).with_role(Role::MemoryLimit),
    MetricKind::gauge("threads", Unit::Count).with_role(Role::Threads),
    MetricKind::gauge("descriptors", Unit::Count).with_role(Role::Descriptors),
    MetricKind::gauge("processes", Unit::Count),
    MetricKind::gauge("read", Unit::Bytes).of("one second").with_role(Role::In),
    MetricKind::gauge("write", Unit::Bytes).of("one second").with_role(Role::Out),
];

/// Numbers of the metrics, in the order of [`METRICS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub(crate) enum Metric {
    Cpu,
    User,
    System,
    Used,
    Pss,
    Rss,
    Swap,
    Reserved,
    Limit,
    Threads,
    Descriptors,
    Processes,
    Read,
    Write,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_agree_and_ceilings_exist() {
        for (metric, name) in [
            (Metric::Cpu, "cpu"),
            (Metric::Used, "used"),
            (Metric::Limit, "limit"),
            (Metric::Descriptors, "descriptors"),
            (Metric::Write, "write"),
        ] {
            assert_eq!(METRICS[metric as usize].name, name);
        }
        assert_eq!(METRICS.len(), Metric::Write as usize + 1);
        let is_metric = |name: &str| METRICS.iter().any(|metric| metric.name == name);
        assert!(METRICS.iter().all(|metric| metric.ceiling.is_none_or(is_metric)));
    }
}
