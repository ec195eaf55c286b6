//! What the machine is measured by.

use contract::{Across, MetricKind, Role};
use terms::Unit;

const fn share(name: &'static str) -> MetricKind {
    MetricKind::gauge(name, Unit::Share).of("all cores").across(Across::Mean)
}

const fn bytes(name: &'static str) -> MetricKind {
    MetricKind::gauge(name, Unit::Bytes)
}

const fn bytes_per_second(name: &'static str) -> MetricKind {
    bytes(name).of("one second")
}

/// What the machine is measured by; all are gauges, rates over the real time since the sample before.
///
/// `run_queue` counts tasks that run or could run at the moment of the sample, the one that reads it and those that wake up
/// with it included; `blocked` those that wait for a disk. `cpu_waiting` is the share of the whole time in which a task
/// waited for a processor, as the kernel adds it up.
/// `memory_used` is all memory without what the kernel can free (`MemAvailable`). `disk_read`, `disk_write` and
/// `disk_busy` are of disks, not of partitions or of what is stacked upon disks; `net_in` and `net_out` of
/// interfaces that are devices, as disks are, and where there is none, as in a container, of all but loopback. That is
/// `loopback`: there each byte is sent and received once and counted once.
pub const METRICS: &[MetricKind] = &[
    share("cpu").with_role(Role::Processor),
    share("user").with_role(Role::ProcessorUser),
    share("system").with_role(Role::ProcessorSystem),
    share("iowait").with_role(Role::ProcessorWait),
    share("idle").with_role(Role::ProcessorIdle),
    share("steal").with_role(Role::Steal),
    MetricKind::gauge("run_queue", Unit::Count).across(Across::Max).with_role(Role::RunQueue),
    MetricKind::gauge("blocked", Unit::Count).across(Across::Max).with_role(Role::Waiting),
    MetricKind::gauge("load1", Unit::Count).across(Across::Max),
    bytes("memory_used").below("memory_total").with_role(Role::MachineMemory),
    bytes("memory_available").with_role(Role::FreeMemory),
    bytes("memory_total").with_role(Role::MachineMemoryTotal),
    bytes("swap_used").below("swap_total").with_role(Role::Swap),
    bytes("swap_total").with_role(Role::Swap),
    bytes_per_second("disk_read").with_role(Role::In),
    bytes_per_second("disk_write").with_role(Role::Out),
    MetricKind::gauge("disk_busy", Unit::Share)
        .of("the time of its busiest disk")
        .across(Across::Max)
        .with_role(Role::Busy),
    bytes_per_second("net_in").with_role(Role::NetworkIn),
    bytes_per_second("net_out").with_role(Role::NetworkOut),
    bytes_per_second("loopback"),
    MetricKind::gauge("context_switches", Unit::PerSecond),
    MetricKind::gauge("interrupts", Unit::PerSecond),
    MetricKind::gauge("cpu_waiting", Unit::Share).of("the time").across(Across::Max).with_role(Role::RunQueue),
];

/// Numbers of the metrics, in the order of [`METRICS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u16)]
pub(crate) enum Metric {
    Cpu,
    User,
    System,
    Iowait,
    Idle,
    Steal,
    RunQueue,
    Blocked,
    Load1,
    MemoryUsed,
    MemoryAvailable,
    MemoryTotal,
    SwapUsed,
    SwapTotal,
    DiskRead,
    DiskWrite,
    DiskBusy,
    NetIn,
    NetOut,
    Loopback,
    ContextSwitches,
    Interrupts,
    CpuWaiting,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_agree_and_ceilings_exist() {
        for (metric, name) in [
            (Metric::Cpu, "cpu"),
            (Metric::Steal, "steal"),
            (Metric::Load1, "load1"),
            (Metric::MemoryTotal, "memory_total"),
            (Metric::SwapTotal, "swap_total"),
            (Metric::DiskBusy, "disk_busy"),
            (Metric::Loopback, "loopback"),
            (Metric::Interrupts, "interrupts"),
            (Metric::CpuWaiting, "cpu_waiting"),
        ] {
            assert_eq!(METRICS[metric as usize].name, name);
        }
        assert_eq!(METRICS.len(), Metric::CpuWaiting as usize + 1);
        let is_metric = |name: &str| METRICS.iter().any(|metric| metric.name == name);
        assert!(METRICS.iter().all(|metric| metric.ceiling.is_none_or(is_metric)));
    }
}
