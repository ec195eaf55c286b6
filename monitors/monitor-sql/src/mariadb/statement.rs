//! The one statement of a sample, and what its rows mean.

use crate::metrics;
use mysql_async::Value;
use std::collections::BTreeMap;

/// Status variables that are a metric by themselves: name, metric, factor.
/// Source: MariaDB's manual, "Server Status Variables" and "InnoDB Status Variables".
const STATUS: &[(&str, &str, f64)] = &[
    // No count of transactions: a statement that changes rows within a longer one is counted at its end, too.
    ("HANDLER_COMMIT", "engine_commits", 1.0),
    ("HANDLER_ROLLBACK", "engine_rollbacks", 1.0),
    ("ROWS_READ", "rows_read", 1.0),
    ("HANDLER_WRITE", "rows_inserted", 1.0),
    ("HANDLER_UPDATE", "rows_updated", 1.0),
    ("HANDLER_DELETE", "rows_deleted", 1.0),
    ("INNODB_BUFFER_POOL_READS", "blocks_read", 1.0),
    ("INNODB_DEADLOCKS", "deadlocks", 1.0),
    ("INNODB_OS_LOG_WRITTEN", "wal", 1.0),
    ("INNODB_LOG_WRITES", "log_writes", 1.0),
    ("INNODB_LOG_WAITS", "log_waits", 1.0),
    ("INNODB_DATA_FSYNCS", "fsyncs", 1.0),
    ("INNODB_ROW_LOCK_WAITS", "row_lock_waits", 1.0),
    ("INNODB_ROW_LOCK_TIME", "row_lock_time", 1e-3), // milliseconds
    ("INNODB_BUFFER_POOL_PAGES_DIRTY", "buffer_pages_dirty", 1.0),
    ("INNODB_BUFFER_POOL_PAGES_TOTAL", "buffer_pages", 1.0),
    ("CREATED_TMP_DISK_TABLES", "temp_tables_on_disk", 1.0),
    ("ABORTED_CONNECTS", "refused", 1.0),
];
/// Those that a metric is computed from.
const PARTS: &[&str] = &[
    "INNODB_BUFFER_POOL_READ_REQUESTS",
    "INNODB_BUFFER_POOL_PAGES_FREE",
    "INNODB_ROW_LOCK_CURRENT_WAITS",
    "QUESTIONS",
    "THREADS_CACHED",
    "THREADS_CONNECTED",
    "THREADS_RUNNING",
];

/// Those that a connection counts for itself as well: what ours have caused is taken off.
const OWN: &[&str] = &[
    "HANDLER_COMMIT",
    "HANDLER_ROLLBACK",
    "ROWS_READ",
    "HANDLER_WRITE",
    "HANDLER_UPDATE",
    "HANDLER_DELETE",
    "CREATED_TMP_DISK_TABLES",
    "QUESTIONS",
];

/// States of a connection, each told also when there is none in it.
const STATES: &[&str] = &["active", "idle", "idle in transaction", "waiting"];

/// A client's connection: not the server's own chores, not ours.
fn clients(own: &[u32]) -> String {
    let own: Vec<String> = own.iter().map(u32::to_string).collect();
    format!(
        "p.COMMAND NOT IN ('Daemon', 'Binlog Dump', 'Slave_IO', 'Slave_SQL', 'Slave_worker')
       AND p.USER NOT IN ('system user', 'event_scheduler') AND p.ID NOT IN ({})",
        own.join(", ")
    )
}

fn quoted<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ")
}

/// The statement that asks what the server has counted of the connection that asks.
pub(super) fn own_statement() -> String {
    let names = quoted(OWN.iter().copied());
    format!(
        "SELECT 'own', VARIABLE_NAME, VARIABLE_VALUE FROM information_schema.SESSION_STATUS
     WHERE VARIABLE_NAME IN ({names})"
    )
}

/// The statement for a connection that sees others or not; `own` are the ids of our connections. Columns: what a row
/// is of, its name, its value.
pub(super) fn statement(sees_others: bool, own: &[u32]) -> String {
    let names = quoted(STATUS.iter().map(|(name, ..)| *name).chain(PARTS.iter().copied()));
    let mut parts = vec![
        format!(
            "SELECT 'status', VARIABLE_NAME, VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS
     WHERE VARIABLE_NAME IN ({names})"
        ),
        own_statement(),
        "SELECT 'max_connections', '', @@max_connections".to_owned(),
    ];
    if sees_others {
        let clients = clients(own);
        parts.push(format!(
            "SELECT 'connections', CASE
       WHEN t.trx_state = 'LOCK WAIT' OR p.COMMAND <> 'Sleep' AND p.STATE LIKE 'Waiting for%lock' THEN 'waiting'
       WHEN p.COMMAND <> 'Sleep' THEN 'active'
       WHEN t.trx_id IS NOT NULL THEN 'idle in transaction' ELSE 'idle' END AS s, COUNT(*)
     FROM information_schema.PROCESSLIST p
     LEFT JOIN information_schema.INNODB_TRX t ON t.trx_mysql_thread_id = p.ID WHERE {clients} GROUP BY s"
        ));
        parts.push(
            "SELECT 'transactions', 'oldest', COALESCE(MAX(TIMESTAMPDIFF(MICROSECOND, trx_started, SYSDATE(6))), 0) / 1e6
     FROM information_schema.INNODB_TRX
     UNION ALL SELECT 'transactions', 'locks', COALESCE(SUM(trx_lock_structs), 0) FROM information_schema.INNODB_TRX"
                .to_owned(),
        );
    }
    parts.join("\nUNION ALL ")
}

/// A value as the server would write it; `None` for NULL.
pub(super) fn text(value: &Value) -> Option<String> {
    match value {
        Value::NULL => None,
        Value::Bytes(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        Value::Int(number) => Some(number.to_string()),
        Value::UInt(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Double(number) => Some(number.to_string()),
        time => Some(time.as_sql(true).trim_matches('\'').to_owned()),
    }
}

/// Counts by the name of their status variable.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Counts(BTreeMap<String, f64>);

impl Counts {
    /// Adds those of another connection.
    pub(super) fn add(&mut self, other: &Self) {
        for (name, value) in &other.0 {
            *self.0.entry(name.clone()).or_default() += value;
        }
    }

    fn get(&self, name: &str) -> f64 {
        self.0.get(name).copied().unwrap_or_default()
    }
}

/// What we know of ourselves beside what the rows of a sample tell, to be left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Own {
    /// Our open connections, of which one asks.
    pub(super) connections: u32,
    /// What the server has counted of our other connections since its start.
    pub(super) counts: Counts,
}

/// Numbers of an answer by what they are of and their name.
fn numbers(rows: &[Vec<Value>]) -> BTreeMap<(String, String), f64> {
    let mut found = BTreeMap::new();
    for row in rows {
        let mut texts = row.iter().map(text);
        let mut next = || texts.next().flatten();
        let (Some(of), Some(name), Some(value)) = (next(), next(), next()) else { continue };
        if let Some(value) = value.trim().parse::<f64>().ok().filter(|value| value.is_finite()) {
            // Names of variables come in capitals or not, as the version likes.
            let name = if matches!(of.as_str(), "status" | "own") { name.to_ascii_uppercase() } else { name };
            found.insert((of, name), value);
        }
    }
    found
}

/// What the server has counted of the connection that asked.
pub(super) fn own_counts(rows: &[Vec<Value>]) -> Counts {
    Counts(
        numbers(rows).into_iter().filter(|((of, _), _)| of == "own").map(|((_, name), value)| (name, value)).collect(),
    )
}

/// The values of one sample: metric, instance (empty for the monitor's own), value. What a server does not tell, or not
/// as a number, is missing.
pub(super) fn values(rows: &[Vec<Value>], mut own: Own) -> Vec<(u16, &'static str, f64)> {
    let found = numbers(rows);
    own.counts.add(&own_counts(rows));
    let get = |of: &str, name: &str| found.get(&(of.to_owned(), name.to_owned())).copied();
    let status = |name: &str| Some((get("status", name)? - own.counts.get(name)).max(0.0));
    let mut values = Vec::new();
    let mut tell = |metric: &str, instance: &'static str, value: Option<f64>| {
        let number = metrics::number(metric).expect("invariant: the list has the metric");
        // Sums of what a server tells can be beyond all numbers.
        let value = value.filter(|value| value.is_finite());
        values.extend(value.map(|value| (number, instance, value)));
    };
    for (name, metric, factor) in STATUS {
        tell(metric, "", status(name).map(|value| value * factor));
    }
    let less = |all: Option<f64>, part: Option<f64>| Some((all? - part?).max(0.0));
    tell("queries", "", status("QUESTIONS"));
    tell("blocks_hit", "", less(status("INNODB_BUFFER_POOL_READ_REQUESTS"), status("INNODB_BUFFER_POOL_READS")));
    let pages = status("INNODB_BUFFER_POOL_PAGES_TOTAL");
    tell("buffer_pages_used", "", less(pages, status("INNODB_BUFFER_POOL_PAGES_FREE")));
    let (connected, running) = (status("THREADS_CONNECTED"), status("THREADS_RUNNING"));
    let others = less(connected, Some(f64::from(own.connections)));
    let busy = less(running, Some(1.0));
    tell("threads", "running", busy);
    tell("threads", "sleeping", less(others, busy));
    tell("threads", "cached", status("THREADS_CACHED"));
    tell("max_connections", "", get("max_connections", ""));
    tell("locks", "held", get("transactions", "locks"));
    tell("locks", "waiting", status("INNODB_ROW_LOCK_CURRENT_WAITS"));
    tell("longest_transaction", "", get("transactions", "oldest").map(|age| age.max(0.0)));
    if get("transactions", "oldest").is_some() {
        for state in STATES {
            tell("connections", state, Some(get("connections", state).unwrap_or(0.0)));
        }
        let all = STATES.iter().filter_map(|state| get("connections", state)).sum();
        tell("connected", "", Some(all));
    } else {
        tell("connected", "", others);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn row(of: &str, name: &str, value: &str) -> Vec<Value> {
        [of, name, value].map(|text| Value::Bytes(text.as_bytes().to_vec())).to_vec()
    }

    fn get(values: &[(u16, &str, f64)], metric: &str, instance: &str) -> Option<f64> {
        let number = metrics::number(metric).unwrap();
        values.iter().find(|(m, i, _)| *m == number && *i == instance).map(|(.., value)| *value)
    }

    fn counts(name: &str, value: f64) -> Counts {
        Counts([(name.to_owned(), value)].into())
    }

    /// As MariaDB 10.11.19 answered, cut to what matters; the figures are ours.
    fn fixture() -> Vec<Vec<Value>> {
        vec![
            row("status", "QUESTIONS", "140"),
            row("own", "QUESTIONS", "10"),
            row("status", "HANDLER_COMMIT", "17"),
            row("status", "Rows_read", "24"),
            row("status", "INNODB_ROW_LOCK_TIME", "1500"),
            row("status", "INNODB_BUFFER_POOL_READ_REQUESTS", "914"),
            row("status", "INNODB_BUFFER_POOL_READS", "308"),
            row("status", "INNODB_BUFFER_POOL_PAGES_TOTAL", "1014"),
            row("status", "INNODB_BUFFER_POOL_PAGES_FREE", "848"),
            row("status", "INNODB_BUFFER_POOL_LOAD_STATUS", "Buffer pool(s) load completed"),
            row("status", "THREADS_CONNECTED", "5"),
            row("status", "THREADS_RUNNING", "2"),
            row("status", "THREADS_CACHED", "3"),
            row("status", "INNODB_ROW_LOCK_CURRENT_WAITS", "1"),
            row("max_connections", "", "151"),
            row("connections", "waiting", "1"),
            row("connections", "idle", "2"),
            row("transactions", "oldest", "2.5000"),
            row("transactions", "locks", "6"),
        ]
    }

    #[test]
    fn a_sum_beyond_all_numbers_is_missing() {
        let rows = [
            row("transactions", "oldest", "1"),
            row("connections", "active", "1e308"),
            row("connections", "idle", "1.7e308"),
        ];
        let values = values(&rows, Own::default());
        assert_eq!(get(&values, "connected", ""), None);
        assert_eq!(get(&values, "connections", "active"), Some(1e308));
    }

    #[test]
    fn an_answer_becomes_values_without_ourselves() {
        let found = values(&fixture(), Own { connections: 2, counts: counts("QUESTIONS", 30.0) });
        let expected = [
            ("queries", "", 100.0),
            ("engine_commits", "", 17.0),
            ("rows_read", "", 24.0),
            ("row_lock_time", "", 1.5),
            ("blocks_hit", "", 606.0),
            ("blocks_read", "", 308.0),
            ("buffer_pages_used", "", 166.0),
            ("buffer_pages", "", 1014.0),
            ("threads", "running", 1.0),
            ("threads", "sleeping", 2.0),
            ("threads", "cached", 3.0),
            ("locks", "held", 6.0),
            ("locks", "waiting", 1.0),
            ("longest_transaction", "", 2.5),
            ("max_connections", "", 151.0),
            ("connected", "", 3.0),
            ("connections", "waiting", 1.0),
            ("connections", "idle", 2.0),
            ("connections", "active", 0.0),
            ("connections", "idle in transaction", 0.0),
        ];
        for (metric, instance, value) in expected {
            assert_eq!(get(&found, metric, instance), Some(value), "{metric} {instance}");
        }
        assert_eq!(get(&found, "deadlocks", ""), None, "what is not told is missing, not zero");
    }

    #[test]
    fn without_the_right_to_see_others_the_server_still_counts_them() {
        let rows: Vec<_> = fixture().into_iter().filter(|row| text(&row[0]).unwrap() == "status").collect();
        let found = values(&rows, Own { connections: 1, ..Own::default() });
        assert_eq!((get(&found, "connected", ""), get(&found, "connections", "idle")), (Some(4.0), None));
        assert_eq!(get(&found, "longest_transaction", ""), None);
        assert!(!statement(false, &[7]).contains("INNODB_TRX"));
        assert!(statement(true, &[7, 8]).contains("p.ID NOT IN (7, 8)"));
    }

    #[test]
    fn what_makes_no_sense_is_missing() {
        let rows = [
            row("status", "QUESTIONS", "many"),
            row("status", "HANDLER_COMMIT", "inf"),
            row("status", "ROWS_READ", ""),
            vec![Value::NULL, Value::Int(3)],
            vec![],
            row("surprise", "x", "1"),
        ];
        assert_eq!(values(&rows, Own::default()), []);
        // A server that counts fewer statements than we have sent does not count backwards.
        let found = values(&[row("status", "QUESTIONS", "3"), row("own", "questions", "9")], Own::default());
        assert_eq!(get(&found, "queries", ""), Some(0.0));
    }

    proptest! {
        #[test]
        fn no_answer_makes_it_panic_or_brings_what_is_no_number(
            rows in prop::collection::vec((0usize..5, "[A-Za-z_ ]{0,20}", "\\PC{0,20}"), 0..60), ours in any::<f64>()
        ) {
            let of = ["status", "connections", "transactions", "max_connections", "own"];
            let known = ["QUESTIONS", "idle", "oldest", "", "QUESTIONS"];
            let rows: Vec<_> = rows
                .iter()
                .enumerate()
                .map(|(n, (kind, name, value))| row(of[*kind], if n % 2 == 0 { known[*kind] } else { name }, value))
                .collect();
            for (.., value) in values(&rows, Own { connections: 1, counts: counts("QUESTIONS", ours) }) {
                prop_assert!(!value.is_nan());
            }
        }
    }
}
