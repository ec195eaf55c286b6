//! The facts that have words of their own, and the words among their values.

use contract::FactKind;

/// How rates are taken.
pub(crate) const REAL_TIME: &str = "over the real time between two samples";
/// A memory limit that bounds nothing.
pub(crate) const NO_LIMIT: &str = "none below the machine's memory";

/// Of the monitor itself, then of each instance.
pub(crate) const FACTS: &[FactKind] = &[
    FactKind { name: "rates", values: &[("real-time", REAL_TIME)] },
    FactKind::new("clock ticks a second"),
    FactKind::new("process"),
    FactKind::new("executable"),
    FactKind::new("started"),
    FactKind::new("threads"),
    FactKind::new("processors"),
    FactKind::new("descriptors, soft limit of one process"),
    FactKind { name: "memory limit", values: &[("none", NO_LIMIT)] },
    FactKind::new("memory used"),
    FactKind::new("cost of reading PSS"),
];
