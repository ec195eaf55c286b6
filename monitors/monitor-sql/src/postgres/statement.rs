//! The one statement of a sample, and what its rows mean.

use crate::metrics::{self, KINDS};
use std::collections::{BTreeMap, BTreeSet};

/// Clients of the server but for ourselves. `$1` is the name that our own connections bear.
const CLIENTS: &str = "with clients as materialized (
  select pid, xact_start, wait_event_type,
    case when state = 'active' and wait_event_type = 'Lock' then 'waiting'
      when state in ('active', 'fastpath function call') then 'active'
      when state like 'idle in transaction%' then 'idle in transaction'
      when state = 'idle' then 'idle' else 'unknown' end as state
  from pg_stat_activity where backend_type = 'client backend' and application_name <> $1
), own as materialized (select pid from pg_stat_activity where application_name = $1)";

/// Parts of the statement: metric, instance (empty for the monitor's own), value.
const PARTS: &[&str] = &[
    "select 'connections', state, count(*)::float8 from clients group by state",
    "select 'connected', '', count(*)::float8 from clients",
    "select 'max_connections', '', current_setting('max_connections')::float8",
    "select 'locks', case when granted then 'held' else 'waiting' end, count(*)::float8 from pg_locks
       where pid is null or pid not in (select pid from own) group by granted",
    "select 'longest_transaction', '',
       coalesce(greatest(max(extract(epoch from clock_timestamp() - xact_start)), 0), 0)::float8 from clients",
    "select 'wait_events', wait_event_type, count(*)::float8 from clients
       where state in ('active', 'waiting') and wait_event_type is not null group by wait_event_type",
    "select 'wal', '', pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_replay_lsn()
       else pg_current_wal_lsn() end, '0/0')::float8",
    "select name, '', value from pg_stat_database d, lateral (values
       ('committed', d.xact_commit::float8), ('rolled_back', d.xact_rollback), ('rows_read', d.tup_returned),
       ('rows_fetched', d.tup_fetched), ('rows_inserted', d.tup_inserted), ('rows_updated', d.tup_updated),
       ('rows_deleted', d.tup_deleted), ('blocks_hit', d.blks_hit), ('blocks_read', d.blks_read),
       ('deadlocks', d.deadlocks), ('temp', d.temp_bytes)) as all_of(name, value)
       where d.datname = current_database()",
];

/// Since version 17 checkpoints are counted in a view of their own.
const CHECKPOINTS_SINCE_17: &str = "select 'checkpoints', kind, value from pg_stat_checkpointer c,
  lateral (values ('timed', c.num_timed::float8), ('requested', c.num_requested)) as all_of(kind, value)";
const CHECKPOINTS: &str = "select 'checkpoints', kind, value from pg_stat_bgwriter c,
  lateral (values ('timed', c.checkpoints_timed::float8), ('requested', c.checkpoints_req)) as all_of(kind, value)";

/// The statement for a server of this version, such as 150018.
pub(super) fn text(version: u32) -> String {
    let checkpoints = if version >= 170_000 { CHECKPOINTS_SINCE_17 } else { CHECKPOINTS };
    let parts: Vec<&str> = PARTS.iter().copied().chain([checkpoints]).collect();
    let parts = parts.join("\nunion all\n");
    format!(
        "{CLIENTS}\nselect t.metric::text, t.instance::text, t.value from (\n{parts}\n) as t(metric, instance, value)"
    )
}

/// A decrease of a counter by less than this is not that it began again: it is our own transactions, which the server
/// counts up to a second late.
const JITTER_MAX: f64 = 64.0;

/// Keeps what makes rows of samples into series.
#[derive(Debug, Default)]
pub(super) struct Reader {
    /// Instances that a metric has had, so that what does not happen any more is zero.
    known: BTreeMap<u16, BTreeSet<String>>,
    /// What was told last of transactions that ended.
    told: BTreeMap<u16, f64>,
    /// Transactions of our own, committed and rolled back, since the run began.
    pub(super) own: (f64, f64),
}

impl Reader {
    pub(super) fn new() -> Self {
        let instances = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let known = KINDS.iter().filter_map(|(metric, names)| Some((metrics::number(metric)?, instances(names))));
        Self { known: known.collect(), ..Self::default() }
    }

    /// The values of one sample: metric, instance (empty for the monitor's own), value.
    pub(super) fn read<'a>(
        &mut self,
        rows: impl Iterator<Item = (&'a str, &'a str, Option<f64>)>,
    ) -> Vec<(u16, String, f64)> {
        let mut values: BTreeMap<(u16, String), f64> = BTreeMap::new();
        for (metric, instance, value) in rows {
            let (Some(number), Some(value)) = (metrics::number(metric), value) else { continue };
            let value = match metric {
                "committed" => self.without_own(number, value, self.own.0),
                "rolled_back" => self.without_own(number, value, self.own.1),
                _ => value,
            };
            if !instance.is_empty() {
                self.known.entry(number).or_default().insert(instance.to_owned());
            }
            values.insert((number, instance.to_owned()), value);
        }
        for (metric, instances) in &self.known {
            // Nothing of a kind where a metric was read is zero of it.
            if metrics::METRICS[usize::from(*metric)].kind == contract::Kind::Gauge {
                for instance in instances {
                    values.entry((*metric, instance.clone())).or_insert(0.0);
                }
            }
        }
        values.into_iter().map(|((metric, instance), value)| (metric, instance, value)).collect()
    }

    /// A count of transactions without ours, which never goes back by the delay with which the server counts.
    fn without_own(&mut self, metric: u16, counted: f64, own: f64) -> f64 {
        let others = (counted - own).max(0.0);
        let last = self.told.entry(metric).or_insert(others);
        if others > *last || *last - others > JITTER_MAX {
            *last = others;
        }
        *last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(name: &str) -> u16 {
        metrics::number(name).unwrap()
    }

    #[test]
    fn what_does_not_happen_is_zero_and_what_is_not_there_is_left_out() {
        let mut reader = Reader::new();
        let rows = [("connections", "idle", Some(3.0)), ("connected", "", Some(3.0)), ("wal", "", None)];
        let values = reader.read(rows.into_iter());
        let of = |metric: &str, instance: &str| {
            values.iter().find(|(m, i, _)| *m == number(metric) && i == instance).map(|(.., value)| *value)
        };
        assert_eq!((of("connections", "idle"), of("connections", "active")), (Some(3.0), Some(0.0)));
        assert_eq!((of("connected", ""), of("wal", ""), of("checkpoints", "timed")), (Some(3.0), None, None));
        assert_eq!(of("wait_events", "IO"), Some(0.0));
        assert_eq!(of("connections", "unknown"), None, "a state that never came is not a series");
    }

    #[test]
    fn our_own_transactions_are_taken_off_and_their_delay_is_no_step_back() {
        let mut reader = Reader::new();
        let mut told = |counted: f64, own: f64| {
            reader.own = (own, 0.0);
            let values = reader.read([("committed", "", Some(counted))].into_iter());
            values.into_iter().find(|(metric, ..)| *metric == number("committed")).unwrap().2
        };
        assert_eq!(told(1000.0, 1.0), 999.0);
        // The server has not yet counted our two transactions since.
        assert_eq!(told(1000.0, 3.0), 999.0);
        assert_eq!(told(1013.0, 4.0), 1009.0);
        // It began again: it was restarted after a crash.
        assert_eq!(told(7.0, 5.0), 2.0);
    }

    #[test]
    fn the_statement_knows_where_a_version_counts_checkpoints() {
        assert!(text(150_018).contains("pg_stat_bgwriter") && text(170_001).contains("pg_stat_checkpointer"));
    }
}
