//! The facts that have words of their own, and the words among their values.

use contract::{FactKind, FactRole, Facts};

/// Whether its processes can be watched is seen with the first connection.
pub(crate) const NOT_YET_KNOWN: &str = "not yet known";
/// How MariaDB's counts leave the monitor out.
pub(crate) const BY_ID: &str = "left out of the counts by their ids";

/// What a PostgreSQL in recovery is.
pub(crate) const STANDBY: &str = "a standby, which only reads";
/// What a role of MariaDB without the right `PROCESS` sees.
pub(crate) const ONLY_NUMBERS: &str =
    "only as numbers: grant PROCESS to the role of the `url` to see their states and InnoDB's transactions";

// Of every kind of database together.
contract::facts! {
    ADDRESS = FactKind::new("address");
    SERVER = FactKind::new("server").with_role(FactRole::Server);
    STARTED = FactKind::new("server started");
    DATABASE = FactKind::new("database");
    COLLATION = FactKind::new("collation");
    PROCESS_WATCHED = FactKind::new("processor time and memory").with_values(&[("unknown", NOT_YET_KNOWN)]);
    OWN_CONNECTIONS = FactKind::new("own connections").with_values(&[("by-id", BY_ID)]);
    // Emitted among all settings, under the server's names.
    BUFFER_POOL = FactKind::verbatim("setting innodb_buffer_pool_size").with_role(FactRole::OwnMemory);
    SHARED_BUFFERS = FactKind::verbatim("setting shared_buffers").with_role(FactRole::OwnMemory);
    SIZE = FactKind::new("size of the database");
    ENCODING = FactKind::new("encoding and collation");
    ROLE = FactKind::new("role").with_values(&[("standby", STANDBY)]);
    OTHER_CONNECTIONS = FactKind::new("connections of others").with_values(&[("only-numbers", ONLY_NUMBERS)]);
    LINEAGE = FactKind::new(processes::LINEAGE);
    SQLITE = FactKind::new("SQLite of loadproof");
    TABLES = FactKind::new("tables");
    INDEXES = FactKind::new("indexes").with_role(FactRole::Indexes);
    SAMPLE_COST = FactKind::new("cost of a sample");
}

/// Characters kept of the list of indexes.
const INDEXES_CHARS_MAX: usize = 2000;

/// Tells the indexes of tables, each as table, name and what it holds: `t.PRIMARY (id); t.house (house)`. Nothing where
/// there are none.
pub(crate) fn tell_indexes(subject: &str, all: impl Iterator<Item = [String; 3]>, out: &mut Facts) {
    let one = |[table, name, holds]: [String; 3]| match holds.contains('(') {
        true => format!("{table}.{name} {holds}"),
        false => format!("{table}.{name} ({holds})"),
    };
    let list = all.map(one).collect::<Vec<_>>().join("; ");
    if !list.is_empty() {
        let shown = list.chars().filter(|c| !c.is_control()).take(INDEXES_CHARS_MAX).collect::<String>();
        out.fact(subject, &INDEXES, shown);
    }
}
