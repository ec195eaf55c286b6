//! What a reader will ask of a server: version, settings, tables.

use super::link::{Link, within};
use crate::facts;
use crate::presence::Trouble;
use clock::Clock;
use contract::{FactName, Facts};
use terms::Nanos;

/// Transactions that telling the facts takes, about: they are taken off what is counted.
pub(super) const TRANSACTIONS: f64 = 7.0;

/// Settings that bear on performance, told always; those that differ from the server's own defaults are told besides.
const SETTINGS: &[&str] = &[
    "shared_buffers",
    "work_mem",
    "maintenance_work_mem",
    "effective_cache_size",
    "max_connections",
    "superuser_reserved_connections",
    "fsync",
    "synchronous_commit",
    "full_page_writes",
    "wal_level",
    "wal_buffers",
    "max_wal_size",
    "checkpoint_timeout",
    "checkpoint_completion_target",
    "autovacuum",
    "random_page_cost",
    "effective_io_concurrency",
    "max_parallel_workers_per_gather",
    "jit",
    "huge_pages",
    "deadlock_timeout",
    "statement_timeout",
    "default_transaction_isolation",
];

/// Settings told at most.
const SETTINGS_MAX: i64 = 80;
/// Tables told at most, the largest first.
const TABLES_MAX: i64 = 30;
/// Tables up to this size are counted row by row; of larger ones the server's estimate is told, as such.
const COUNTED_BYTES_MAX: f64 = 32.0 * 1024.0 * 1024.0;

/// Settings by name. Of those that we set for ourselves the server's own value is the one to which a reset goes back.
/// Settings whose value can hold a password or a command are left out, and those that only say where this server is.
const SETTINGS_QUERY: &str = "select name,
    case when source = 'session' then coalesce(reset_val || coalesce(' ' || unit, ''), '')
      else current_setting(name) end
  from pg_settings
  where name = any($1)
     or (source not in ('default', 'override', 'client', 'session')
         and name not like '%conninfo%' and name not like '%command%' and name not like '%passphrase%'
         and (name not like '%password%' or name = 'password_encryption') and name not like '%key%'
         and category not like 'Customized%' and category not like 'Client Connection Defaults / Locale%'
         and name not in ('port', 'listen_addresses', 'unix_socket_directories', 'log_timezone'))
  order by name limit $2";

const TABLES_QUERY: &str = "select s.schemaname::text, s.relname::text, s.n_live_tup::float8,
    coalesce(pg_relation_size(s.relid), 0)::float8, coalesce(pg_total_relation_size(s.relid), 0)::float8
  from pg_stat_user_tables s order by pg_total_relation_size(s.relid) desc, s.relid limit $1";

/// Table, index, what it holds: `btree (house)`.
const INDEXES_QUERY: &str = "select schemaname::text || '.' || tablename::text, indexname::text,
    regexp_replace(indexdef, '^.*? USING ', '')
  from pg_indexes where schemaname not in ('pg_catalog', 'information_schema') order by 1, 2 limit 60";

const ABOUT_QUERY: &str = "select version(), current_database()::text, pg_database_size(current_database())::text,
    pg_encoding_to_char(encoding)::text, datcollate::text, pg_is_in_recovery()
  from pg_database where datname = current_database()";

/// Tells what the server is.
///
/// # Errors
/// What kept it from answering; what it had told until then stands.
pub(super) async fn tell(
    link: &Link,
    clock: &Clock,
    until: Nanos,
    subject: &str,
    out: &mut Facts,
) -> Result<(), Trouble> {
    let left = || until - clock.now();
    let row = within(left(), link.client.query_one(ABOUT_QUERY, &[])).await?;
    out.fact(subject, &facts::SERVER, row.get::<_, String>(0));
    out.fact(subject, &facts::STARTED, link.started.clone());
    out.fact(subject, &facts::DATABASE, row.get::<_, String>(1));
    out.fact(subject, &facts::SIZE, format!("{} bytes", row.get::<_, String>(2)));
    out.fact(subject, &facts::ENCODING, format!("{}, {}", row.get::<_, String>(3), row.get::<_, String>(4)));
    if row.get(5) {
        out.fact(subject, &facts::ROLE, facts::STANDBY);
    }
    for row in within(left(), link.client.query(SETTINGS_QUERY, &[&SETTINGS, &SETTINGS_MAX])).await? {
        out.fact(subject, FactName::verbatim(format!("setting {}", row.get::<_, String>(0))), row.get::<_, String>(1));
    }
    for row in within(left(), link.client.query(TABLES_QUERY, &[&TABLES_MAX])).await? {
        let (schema, table): (String, String) = (row.get(0), row.get(1));
        let (estimate, heap, all): (f64, f64, f64) = (row.get(2), row.get(3), row.get(4));
        let counted = if heap <= COUNTED_BYTES_MAX { count(link, &schema, &table, left() / 2).await } else { None };
        let rows = counted.map_or_else(|| format!("about {estimate} rows"), |rows| format!("{rows} rows"));
        out.fact(
            subject,
            FactName::verbatim(format!("table {schema}.{table}")),
            format!("{rows}, {all} bytes with indexes"),
        );
    }
    let indexes = within(left(), link.client.query(INDEXES_QUERY, &[])).await?;
    facts::tell_indexes(subject, indexes.iter().map(|row| [row.get(0), row.get(1), row.get(2)]), out);
    Ok(())
}

/// Rows of a table, counted; `None` when that may not be, or takes too long.
async fn count(link: &Link, schema: &str, table: &str, limit: Nanos) -> Option<i64> {
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let text = format!("select count(*) from {}.{}", quoted(schema), quoted(table));
    within(limit, link.client.query_one(&text, &[])).await.ok().map(|row| row.get(0))
}
