//! What a process tree is measured by.

use contract::{Across, Kind, MetricKind, Role};
use terms::Unit;

const fn gauge(name: &'static str, unit: Unit, of: Option<&'static str>, ceiling: Option<&'static str>) -> MetricKind {
    MetricKind { name, unit, of, kind: Kind::Gauge, across: Across::Sum, ceiling, role: None }
}

/// What a process tree is measured by; all are gauges, rates over the real time since the sample before.
///
/// `used` is `pss`, or `rss` where that may not be read; it never changes from one to the other within a run. `swap` is
/// what of it has been written to disk. `reserved` is address space, much of it never touched. `limit` is the memory
/// limit of the control group, if there is one below the machine's memory. `read` and `write` are what went to and came
/// from disks, not what the page cache served. A metric that may not be read is left out.
pub const METRICS: &[MetricKind] = &[
    gauge("cpu", Unit::Cores, Some("one core"), None).with_role(Role::Processor),
    gauge("user", Unit::Cores, Some("one core"), None).with_role(Role::ProcessorUser),
    gauge("system", Unit::Cores, Some("one core"), None).with_role(Role::ProcessorSystem),
    gauge("used", Unit::Bytes, None, Some("limit")).with_role(Role::Memory),
    gauge("pss", Unit::Bytes, None, Some("limit")),
    gauge("rss", Unit::Bytes, None, Some("limit")),
    gauge("swap", Unit::Bytes, None, None).with_role(Role::Swap),
    gauge("reserved", Unit::Bytes, None, None).with_role(Role::ReservedMemory),
    MetricKind {
        name: "limit",
        unit: Unit::Bytes,
        of: None,
        kind: Kind::Gauge,
        // Instances often share one group, whose limit must not be counted twice.
        across: Across::Max,
        ceiling: None,
        role: Some(Role::MemoryLimit),
    },
    gauge("threads", Unit::Count, None, None).with_role(Role::Threads),
    gauge("descriptors", Unit::Count, None, None).with_role(Role::Descriptors),
    gauge("processes", Unit::Count, None, None),
    gauge("read", Unit::Bytes, Some("one second"), None).with_role(Role::In),
    gauge("write", Unit::Bytes, Some("one second"), None).with_role(Role::Out),
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
