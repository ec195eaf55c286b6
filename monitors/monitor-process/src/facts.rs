//! The facts that have words of their own, and the words among their values.

use contract::{FactKind, FactRole};

/// How rates are taken.
pub(crate) const REAL_TIME: &str = "over the real time between two samples";
/// Of a disk with moving parts, and of one without.
pub(crate) const ROTATING: &str = "rotating";
pub(crate) const STEADY: &str = "without moving parts";
/// A memory limit that bounds nothing.
pub(crate) const NO_LIMIT: &str = "none below the machine's memory";
/// Of a process that stands in for the one that is meant.
pub(crate) const ONLY_PROXY: &str =
    ", which only passes connections on to a container: watch the container with `cgroup: { docker: NAME }`";

contract::facts! {
    // Of the monitor itself.
    RATES = FactKind::new("rates").with_values(&[("real-time", REAL_TIME)]).with_role(FactRole::Passing);
    TICKS = FactKind::new("clock ticks a second");
    SAMPLE_COST = FactKind::new("cost of a sample");
    // Of each instance.
    PROCESS = FactKind::new("process").with_role(FactRole::Passing);
    LINEAGE = FactKind::new(processes::LINEAGE);
    EXECUTABLE = FactKind::new("executable");
    STARTED = FactKind::new("started").with_role(FactRole::Passing);
    THREADS = FactKind::new("threads").with_role(FactRole::Passing);
    PROCESSORS = FactKind::new("processors");
    DESCRIPTORS_LIMIT = FactKind::new("descriptors, soft limit of one process");
    ADDRESS_SPACE_LIMIT = FactKind::new("address space, soft limit of one process");
    MEMORY_LIMIT = FactKind::new("memory limit").with_values(&[("none", NO_LIMIT)]).with_role(FactRole::MemoryLimit);
    // Where its data is.
    DISK = FactKind::new("disk").with_role(FactRole::Disk);
    DISK_KIND = FactKind::new("kind of disk").with_values(&[("rotating", ROTATING), ("steady", STEADY)]).with_role(FactRole::Disk);
    DISK_SCHEDULER = FactKind::new("disk scheduler").with_role(FactRole::Disk);
    FILE_SYSTEM = FactKind::new("file system").with_role(FactRole::Disk);
    MEMORY_USED = FactKind::new("memory used").with_role(FactRole::Passing);
    PSS_COST = FactKind::new("cost of reading PSS").with_role(FactRole::Passing);
}
