//! The facts that have words of their own, and the words among their values.

use contract::{FactKind, FactRole};

/// How rates are taken.
pub(crate) const REAL_TIME: &str = "over the real time between two samples";
/// A memory limit that bounds nothing.
pub(crate) const NO_LIMIT: &str = "none below the machine's memory";

/// Of the monitor itself, then of each instance.
pub(crate) const FACTS: &[FactKind] = &[
    FactKind::new("rates").with_values(&[("real-time", REAL_TIME)]).with_role(FactRole::Passing),
    FactKind::new("clock ticks a second"),
    FactKind::new("process").with_role(FactRole::Passing),
    FactKind::new("executable"),
    FactKind::new("started").with_role(FactRole::Passing),
    FactKind::new("threads").with_role(FactRole::Passing),
    FactKind::new("processors"),
    FactKind::new("descriptors, soft limit of one process"),
    FactKind::new("memory limit").with_values(&[("none", NO_LIMIT)]).with_role(FactRole::MemoryLimit),
    FactKind::new("memory used").with_role(FactRole::Passing),
    FactKind::new("cost of reading PSS").with_role(FactRole::Passing),
];
