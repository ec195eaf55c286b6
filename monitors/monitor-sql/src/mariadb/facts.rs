//! What a reader will ask of a server: version, settings, tables.

use super::link::Link;
use super::statement::text;
use crate::facts;
use crate::presence::Trouble;
use clock::Clock;
use contract::{FactName, Facts};
use mysql_async::Value;
use terms::Nanos;

/// Settings that bear on durability, memory and performance, told always; those that somebody has set are told besides.
const SETTINGS: &[&str] = &[
    "INNODB_FLUSH_LOG_AT_TRX_COMMIT",
    "INNODB_FLUSH_METHOD",
    "INNODB_DOUBLEWRITE",
    "INNODB_BUFFER_POOL_SIZE",
    "INNODB_LOG_FILE_SIZE",
    "INNODB_LOG_BUFFER_SIZE",
    "INNODB_IO_CAPACITY",
    "INNODB_IO_CAPACITY_MAX",
    "INNODB_LOCK_WAIT_TIMEOUT",
    "INNODB_CHECKSUM_ALGORITHM",
    "INNODB_PAGE_SIZE",
    "SYNC_BINLOG",
    "LOG_BIN",
    "MAX_CONNECTIONS",
    "THREAD_HANDLING",
    "THREAD_CACHE_SIZE",
    "TABLE_OPEN_CACHE",
    "TMP_TABLE_SIZE",
    "MAX_HEAP_TABLE_SIZE",
    "SORT_BUFFER_SIZE",
    "JOIN_BUFFER_SIZE",
    "MAX_ALLOWED_PACKET",
    "QUERY_CACHE_TYPE",
    "PERFORMANCE_SCHEMA",
    "TX_ISOLATION",
    "SQL_MODE",
    "MAX_STATEMENT_TIME",
];

/// Settings told at most.
const SETTINGS_MAX: usize = 80;
/// Tables told at most, the largest first.
const TABLES_MAX: usize = 30;
/// Tables up to this size are counted row by row; of larger ones the server's estimate is told, as such.
const COUNTED_BYTES_MAX: f64 = 32.0 * 1024.0 * 1024.0;

/// Settings by name, with the value of the server, not of our session. Those that can hold a password, a command or a
/// statement are left out, and those that only say where this server is.
fn settings() -> String {
    let names: Vec<String> = SETTINGS.iter().map(|name| format!("'{name}'")).collect();
    format!(
        "SELECT LOWER(VARIABLE_NAME), GLOBAL_VALUE FROM information_schema.SYSTEM_VARIABLES
  WHERE VARIABLE_NAME IN ({}) OR (GLOBAL_VALUE_ORIGIN IN ('CONFIG', 'COMMAND-LINE', 'SQL')
    AND VARIABLE_NAME NOT RLIKE 'PASSWORD|SECRET|KEY_FILE|_KEY$|SSL|INIT_|WSREP|REPORT|PROXY|DIR$|_FILE$|PATH'
    AND VARIABLE_NAME NOT IN ('PORT', 'SOCKET', 'BIND_ADDRESS', 'LOG_ERROR', 'PLUGIN_LOAD'))
  ORDER BY 1 LIMIT {SETTINGS_MAX}",
        names.join(", ")
    )
}

const ABOUT: &str =
    "SELECT VERSION(), @@version_comment, @@version_compile_machine, DATABASE(), s.DEFAULT_COLLATION_NAME
  FROM information_schema.SCHEMATA s WHERE s.SCHEMA_NAME = DATABASE()";

const TABLES: &str = "SELECT TABLE_NAME, TABLE_ROWS, DATA_LENGTH, DATA_LENGTH + INDEX_LENGTH, ENGINE
  FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'BASE TABLE'
  ORDER BY DATA_LENGTH + INDEX_LENGTH DESC, TABLE_NAME LIMIT 30";

/// Table, index, its columns in their order; the primary key is called `PRIMARY`.
const INDEXES: &str = "SELECT TABLE_NAME, INDEX_NAME, GROUP_CONCAT(COLUMN_NAME ORDER BY SEQ_IN_INDEX SEPARATOR ', ')
  FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE()
  GROUP BY TABLE_NAME, INDEX_NAME ORDER BY TABLE_NAME, INDEX_NAME <> 'PRIMARY', INDEX_NAME LIMIT 60";

/// Tells what the server is.
///
/// # Errors
/// What kept it from answering; what it had told until then stands.
pub(super) async fn tell(
    link: &mut Link,
    clock: &Clock,
    until: Nanos,
    subject: &str,
    out: &mut Facts,
) -> Result<(), Trouble> {
    let left = || until - clock.now();
    let row = link.first(ABOUT, left()).await?;
    let [version, comment, machine, database, collation] = words(&row);
    out.fact(subject, &facts::SERVER, format!("{version} ({comment}) on {machine}"));
    out.fact(subject, &facts::DATABASE, database);
    out.fact(subject, &facts::COLLATION, collation);
    if !link.sees_others {
        out.fact(subject, &facts::OTHER_CONNECTIONS, facts::ONLY_NUMBERS);
    }
    for row in link.rows(&settings(), left()).await? {
        let [name, value] = words(&row);
        out.fact(subject, FactName::verbatim(format!("setting {name}")), value);
    }
    for row in link.rows(TABLES, left()).await?.iter().take(TABLES_MAX) {
        let [table, estimate, data, all, engine] = words(row);
        let is_small = data.parse::<f64>().is_ok_and(|bytes| bytes <= COUNTED_BYTES_MAX);
        let counted = if is_small { count(link, &table, left() / 2).await? } else { None };
        let rows = counted.map_or_else(|| format!("about {estimate} rows"), |rows| format!("{rows} rows"));
        out.fact(
            subject,
            FactName::verbatim(format!("table {table}")),
            format!("{rows}, {all} bytes with indexes, {engine}"),
        );
    }
    let indexes = link.rows(INDEXES, left()).await?;
    facts::tell_indexes(subject, indexes.iter().map(|row| words::<3>(row)), out);
    Ok(())
}

/// Rows of a table, counted; `None` when that may not be.
///
/// # Errors
/// No answer in time: the connection is of no use after that.
async fn count(link: &mut Link, table: &str, limit: Nanos) -> Result<Option<String>, Trouble> {
    let statement = format!("SELECT COUNT(*) FROM `{}`", table.replace('`', "``"));
    match link.first(&statement, limit).await {
        Ok(row) => Ok(row.first().and_then(text)),
        Err(Trouble::Refused(_)) => Ok(None),
        Err(trouble) => Err(trouble),
    }
}

/// The first columns of a row as text, clean of what a terminal would obey.
fn words<const N: usize>(row: &[Value]) -> [String; N] {
    std::array::from_fn(|column| {
        let found = row.get(column).and_then(text).unwrap_or_default();
        found.chars().filter(|c| !c.is_control()).take(400).collect()
    })
}
