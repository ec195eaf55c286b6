//! What a database is measured by.

use contract::{Across, MetricKind, Role};
use terms::Unit;

/// What a database is measured by. Those with a word in brackets have an instance for each of a kind, whose sum is the
/// whole; the others have one instance, named as the monitor.
///
/// `connections` [state], `connected` and `wait_events` [class] are of clients of the whole server; counts of
/// transactions, rows and blocks are of the database in the `url`; `locks` [held, waiting], `wal` and `checkpoints`
/// [timed, requested] are of the whole server. MariaDB counts all it counts for the whole server, but for `size`. `used` is the private memory of all its processes and, once, what they
/// share. A metric that the store does not have is left out.
pub const METRICS: &[MetricKind] = &[
    MetricKind::gauge("cpu", Unit::Cores).of("one core").with_role(Role::Processor),
    MetricKind::gauge("used", Unit::Bytes).with_role(Role::Memory),
    MetricKind::gauge("connections", Unit::Count).with_role(Role::Connections),
    MetricKind::gauge("connected", Unit::Count).below("max_connections").with_role(Role::Connected),
    MetricKind::gauge("max_connections", Unit::Count).across(Across::Max),
    MetricKind::counter("committed", Unit::Count),
    MetricKind::counter("rolled_back", Unit::Count),
    MetricKind::counter("rows_read", Unit::Count),
    MetricKind::counter("rows_fetched", Unit::Count),
    MetricKind::counter("rows_inserted", Unit::Count),
    MetricKind::counter("rows_updated", Unit::Count),
    MetricKind::counter("rows_deleted", Unit::Count),
    MetricKind::counter("blocks_hit", Unit::Count),
    MetricKind::counter("blocks_read", Unit::Count),
    MetricKind::counter("deadlocks", Unit::Count),
    MetricKind::counter("temp", Unit::Bytes),
    MetricKind::gauge("locks", Unit::Count).with_role(Role::Locks),
    MetricKind::gauge("longest_transaction", Unit::Time).across(Across::Max),
    MetricKind::gauge("wait_events", Unit::Count).with_role(Role::Waiting),
    MetricKind::gauge("size", Unit::Bytes).with_role(Role::Stored),
    MetricKind::counter("wal", Unit::Bytes),
    MetricKind::counter("checkpoints", Unit::Count),
    MetricKind::counter("queries", Unit::Count),
    MetricKind::counter("engine_commits", Unit::Count),
    MetricKind::counter("engine_rollbacks", Unit::Count),
    MetricKind::counter("refused", Unit::Count),
    MetricKind::gauge("threads", Unit::Count).with_role(Role::Threads),
    MetricKind::gauge("buffer_pages_used", Unit::Count).below("buffer_pages"),
    MetricKind::gauge("buffer_pages_dirty", Unit::Count).below("buffer_pages"),
    MetricKind::gauge("buffer_pages", Unit::Count).across(Across::Max),
    MetricKind::counter("row_lock_waits", Unit::Count),
    MetricKind::counter("row_lock_time", Unit::Time),
    MetricKind::counter("log_waits", Unit::Count),
    MetricKind::counter("log_writes", Unit::Count),
    MetricKind::counter("fsyncs", Unit::Count),
    MetricKind::counter("temp_tables_on_disk", Unit::Count),
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
