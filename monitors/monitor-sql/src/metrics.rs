//! What a database is measured by.

use contract::{Across, Kind, MetricKind, Role};
use terms::Unit;

const fn gauge(name: &'static str, unit: Unit, across: Across, ceiling: Option<&'static str>) -> MetricKind {
    MetricKind { name, unit, of: None, kind: Kind::Gauge, across, ceiling, role: None }
}

const fn counter(name: &'static str, unit: Unit) -> MetricKind {
    MetricKind { name, unit, of: None, kind: Kind::Counter, across: Across::Sum, ceiling: None, role: None }
}

/// What a database is measured by. Those with a word in brackets have an instance for each of a kind, whose sum is the
/// whole; the others have one instance, named as the monitor.
///
/// `connections` [state], `connected` and `wait_events` [class] are of clients of the whole server; counts of
/// transactions, rows and blocks are of the database in the `url`; `locks` [held, waiting], `wal` and `checkpoints`
/// [timed, requested] are of the whole server. MariaDB counts all it counts for the whole server, but for `size`. `used` is the private memory of all its processes and, once, what they
/// share. A metric that the store does not have is left out.
pub const METRICS: &[MetricKind] = &[
    MetricKind {
        name: "cpu",
        unit: Unit::Cores,
        of: Some("one core"),
        kind: Kind::Gauge,
        across: Across::Sum,
        ceiling: None,
        role: Some(Role::Processor),
    },
    gauge("used", Unit::Bytes, Across::Sum, None).with_role(Role::Memory),
    gauge("connections", Unit::Count, Across::Sum, None).with_role(Role::Connections),
    gauge("connected", Unit::Count, Across::Sum, Some("max_connections")).with_role(Role::Connected),
    gauge("max_connections", Unit::Count, Across::Max, None),
    counter("committed", Unit::Count),
    counter("rolled_back", Unit::Count),
    counter("rows_read", Unit::Count),
    counter("rows_fetched", Unit::Count),
    counter("rows_inserted", Unit::Count),
    counter("rows_updated", Unit::Count),
    counter("rows_deleted", Unit::Count),
    counter("blocks_hit", Unit::Count),
    counter("blocks_read", Unit::Count),
    counter("deadlocks", Unit::Count),
    counter("temp", Unit::Bytes),
    gauge("locks", Unit::Count, Across::Sum, None).with_role(Role::Locks),
    gauge("longest_transaction", Unit::Time, Across::Max, None),
    gauge("wait_events", Unit::Count, Across::Sum, None).with_role(Role::Waiting),
    gauge("size", Unit::Bytes, Across::Sum, None).with_role(Role::Stored),
    counter("wal", Unit::Bytes),
    counter("checkpoints", Unit::Count),
    counter("queries", Unit::Count),
    counter("engine_commits", Unit::Count),
    counter("engine_rollbacks", Unit::Count),
    counter("refused", Unit::Count),
    gauge("threads", Unit::Count, Across::Sum, None).with_role(Role::Threads),
    gauge("buffer_pages_used", Unit::Count, Across::Sum, Some("buffer_pages")),
    gauge("buffer_pages_dirty", Unit::Count, Across::Sum, Some("buffer_pages")),
    gauge("buffer_pages", Unit::Count, Across::Max, None),
    counter("row_lock_waits", Unit::Count),
    counter("row_lock_time", Unit::Time),
    counter("log_waits", Unit::Count),
    counter("log_writes", Unit::Count),
    counter("fsyncs", Unit::Count),
    counter("temp_tables_on_disk", Unit::Count),
];

/// Number of a metric by its name; `None` when there is none of that name.
pub(crate) fn number(name: &str) -> Option<u16> {
    METRICS.iter().position(|metric| metric.name == name).map(|place| place as u16)
}

/// Number of the first metric that the author names.
pub(crate) const FIRST_NAMED: u16 = METRICS.len() as u16;

/// Instances that a metric always has, so that what does not happen at the moment is a zero and not a gap.
pub(crate) const KINDS: &[(&str, &[&str])] = &[
    ("connections", &["active", "idle", "idle in transaction", "waiting"]),
    ("locks", &["held", "waiting"]),
    ("wait_events", &["BufferPin", "Client", "Extension", "IO", "IPC", "Lock", "LWLock", "Timeout"]),
    ("checkpoints", &["timed", "requested"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_ceilings_exist() {
        for (place, metric) in METRICS.iter().enumerate() {
            assert_eq!(number(metric.name), Some(place as u16), "{}", metric.name);
            assert!(metric.ceiling.is_none_or(|ceiling| number(ceiling).is_some()));
        }
        assert!(KINDS.iter().all(|(name, _)| number(name).is_some()));
    }
}
