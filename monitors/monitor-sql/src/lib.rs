//! Databases: PostgreSQL and MariaDB from what they count themselves and the processes of their servers, SQLite as far
//! as a file tells.
//!
//! # Place in the pipeline
//! A monitor: `watch` calls it once a period. `database: { sql: { url: $(store) } }` in a study.
//!
//! # Ideas
//! One statement a sample brings all that the server counts, so that a sample is one transaction and one moment. Its own
//! connections are known by name or id and are left out of what is counted; its own transactions or statements are taken
//! off. What two servers both have bears one name, so that a rule need not know which of them is watched.
//! What a database has of a kind (connections by state, waits by class) is one metric whose *instances* are the kinds:
//! a rule without `per` sees their sum.
//! A server that does not answer gives no values, never zeros. No sample waits longer than its period: what is left of
//! it bounds every connection, statement and query of the author.
//! Its processor time is that of its processes, which are found by the one that serves the monitor, and only when that
//! is surely on this machine.
//!
//! # Not here
//! MySQL. TLS to the server. What statements do: that is a profiler's.
#![forbid(unsafe_code)]

mod config;
mod cost;
mod facts;
#[cfg(feature = "fuzz")]
#[doc(hidden)]
pub mod fuzz;
mod mariadb;
mod metrics;
mod named;
mod postgres;
mod presence;
mod server;
mod sqlite;

pub use metrics::METRICS;
pub use postgres::MARK;

use config::{Config, Store};
use contract::{BuildContext, Mistakes, Monitor, MonitorKind, MonitorSettings};
use named::Queries;

/// `sql`, as the registry lists it.
pub const SQL: MonitorKind = MonitorKind {
    name: "sql",
    metrics: METRICS,
    watches: contract::Watches::Store,
    facts: facts::FACTS,
    messages: contract::messages!(),
    keys: &["url", "values"],
    named: Some("values"),
    over_ssh: false,
    build,
};

fn build(settings: &MonitorSettings, context: &mut BuildContext<'_>) -> Result<Box<dyn Monitor>, Mistakes> {
    let Config { store, named, shown } = config::read(settings, context)?;
    let named = Queries::new(named, context.load_on());
    Ok(match store {
        Store::Postgres(config) => Box::new(postgres::Postgres::new(settings, *config, shown, named)),
        Store::MariaDb(options) => Box::new(mariadb::MariaDb::new(settings, *options, shown, named)),
        Store::Sqlite(path) => Box::new(sqlite::Sqlite::new(settings, path, shown, named)),
    })
}
