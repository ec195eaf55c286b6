//! The facts that have words of their own, and the words among their values.

use contract::{FactKind, FactRole};

/// Whether its processes can be watched is seen with the first connection.
pub(crate) const NOT_YET_KNOWN: &str = "not yet known";
/// How MariaDB's counts leave the monitor out.
pub(crate) const BY_ID: &str = "left out of the counts by their ids";

/// Of every kind of database together.
pub(crate) const FACTS: &[FactKind] = &[
    FactKind::new("address"),
    FactKind::new("server").with_role(FactRole::Server),
    FactKind::new("server started"),
    FactKind::new("database"),
    FactKind::new("collation"),
    FactKind::new("processor time and memory").with_values(&[("unknown", NOT_YET_KNOWN)]),
    FactKind::new("own connections").with_values(&[("by-id", BY_ID)]),
    FactKind::verbatim("setting innodb_buffer_pool_size").with_role(FactRole::OwnMemory),
    FactKind::verbatim("setting shared_buffers").with_role(FactRole::OwnMemory),
];
