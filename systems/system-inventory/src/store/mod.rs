//! The store: the tables of one tenant, in one SQLite file or in a PostgreSQL.

mod import;
mod server;
mod session;
mod sqlite;

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, Result, bail};

pub(crate) use import::{PARTS, import, lock_holdings, roll_over};
#[cfg(test)]
pub(crate) use session::tests::in_memory;
pub(crate) use session::{Canceller, Dialect, Row, Session, StoreError, Value};

use crate::data::{INSTANCES_DEFAULT, SEED_DEFAULT};

/// Number of the arrangement of tables; a store of another one cannot be used.
const LAYOUT: i64 = 2;

/// Where a store is.
#[derive(Clone, Debug)]
pub(crate) enum Store {
    Sqlite(PathBuf),
    /// A database of a running server.
    Postgres(Box<postgres::Config>),
}

impl FromStr for Store {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("sqlite://").filter(|path| !path.is_empty()) {
            return Ok(Self::Sqlite(PathBuf::from(path)));
        }
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            // The text is not repeated: it may hold a password.
            let config: postgres::Config = text.parse().map_err(|error| {
                format!("the address of the store cannot be read: {error}; write `postgres://USER@HOST:PORT/DATABASE`")
            })?;
            if config.get_hosts().is_empty() || config.get_dbname().is_none() || config.get_user().is_none() {
                return Err(
                    "the address of the store is not whole; write `postgres://USER@HOST:PORT/DATABASE`".to_owned()
                );
            }
            return Ok(Self::Postgres(Box::new(config)));
        }
        Err(format!(
            "`{text}` is not a store; write `sqlite://PATH`, for example `sqlite:///tmp/inventory.db`, or \
             `postgres://USER@HOST:PORT/DATABASE`"
        ))
    }
}

/// Without user and password.
impl fmt::Display for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "{}", path.display()),
            Self::Postgres(config) => {
                let host = config.get_hosts().first().map(|host| match host {
                    postgres::config::Host::Tcp(name) => name.clone(),
                    postgres::config::Host::Unix(path) => path.display().to_string(),
                });
                let port = config.get_ports().first().copied().unwrap_or(5432);
                write!(f, "postgres://{}:{port}/{}", host.unwrap_or_default(), config.get_dbname().unwrap_or_default())
            }
        }
    }
}

impl Store {
    /// How SQL is written for it.
    pub(crate) fn dialect(&self) -> Dialect {
        match self {
            Self::Sqlite(_) => Dialect::Sqlite,
            Self::Postgres(_) => Dialect::Postgres,
        }
    }

    /// A connection for work. `name` is shown by a server that lists its connections.
    ///
    /// # Errors
    /// The store cannot be opened.
    pub(crate) fn connect(&self, name: &str) -> Result<Session> {
        let session = match self {
            Self::Sqlite(path) => sqlite::connect(path).map(Session::sqlite).map_err(StoreError::from),
            Self::Postgres(config) => Session::postgres(config, name),
        };
        session.with_context(|| format!("cannot open the store `{self}`"))
    }
}

/// What a store is to hold; `None` takes what is there.
#[derive(Clone, Debug)]
pub(crate) struct StoreOptions {
    pub(crate) tenant: String,
    pub(crate) instances: Option<u64>,
    pub(crate) seed: Option<u64>,
}

/// What a store holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Contents {
    pub(crate) tenant: String,
    pub(crate) instances: u64,
    pub(crate) seed: u64,
}

impl Contents {
    fn of(wanted: &StoreOptions) -> Self {
        Self {
            tenant: wanted.tenant.clone(),
            instances: wanted.instances.unwrap_or(INSTANCES_DEFAULT),
            seed: wanted.seed.unwrap_or(SEED_DEFAULT),
        }
    }
}

/// A tenant's name: it becomes part of the names of tables.
pub(crate) fn tenant_name(text: &str) -> Result<String, String> {
    let is_good = text.len() <= 32
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    if is_good {
        Ok(text.to_owned())
    } else {
        Err(format!("`{text}` is not a tenant; write at most 32 of `a-z`, `0-9` and `_`, a letter first"))
    }
}

/// Finds the store, or builds it if it is missing; `None` if `is_over` became true first.
///
/// Any number of processes may call this for one store at once: one builds, the others wait.
///
/// # Errors
/// The store holds something else than wanted, or cannot be written.
pub(crate) fn ensure(store: &Store, wanted: &StoreOptions, is_over: &dyn Fn() -> bool) -> Result<Option<Contents>> {
    let found = match store {
        Store::Sqlite(path) => sqlite::ensure(path, wanted, is_over)?,
        Store::Postgres(config) => {
            server::ensure(config, wanted, is_over).with_context(|| format!("the store `{store}`"))?
        }
    };
    if let Some(found) = &found {
        check(store, wanted, found)?;
    }
    Ok(found)
}

fn check(store: &Store, wanted: &StoreOptions, found: &Contents) -> Result<()> {
    let is_right = wanted.tenant == found.tenant
        && wanted.instances.is_none_or(|instances| instances == found.instances)
        && wanted.seed.is_none_or(|seed| seed == found.seed);
    if is_right {
        return Ok(());
    }
    let Contents { tenant, instances, seed } = found;
    bail!(
        "the store `{store}` holds {instances} instances of seed {seed} for tenant `{tenant}`, which is not what was asked \
         for; give `--instances {instances} --seed {seed} --tenant {tenant}`, or another store, or remove it"
    )
}

/// Builds above this size say on standard error what they do.
const QUIET_MAX: u64 = 5000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_are_named_by_their_kind_and_shown_without_passwords() {
        let store: Store = "postgres://lab:secret@127.0.0.1:5433/inventory".parse().unwrap();
        assert_eq!(
            (store.to_string().as_str(), store.dialect()),
            ("postgres://127.0.0.1:5433/inventory", Dialect::Postgres)
        );
        let store: Store = "sqlite:///tmp/inventory.db".parse().unwrap();
        assert_eq!((store.to_string().as_str(), store.dialect()), ("/tmp/inventory.db", Dialect::Sqlite));
        let refused = |text: &str| text.parse::<Store>().unwrap_err();
        assert!(refused("inventory.db").contains("write `sqlite://PATH`"));
        for text in ["postgres://127.0.0.1", "postgres://lab:hush@127.0.0.1:x/inventory", "postgres://127.0.0.1/x"] {
            let message = refused(text);
            assert!(
                message.contains("write `postgres://USER@HOST:PORT/DATABASE`") && !message.contains("hush"),
                "{message}"
            );
        }
    }

    #[test]
    fn tenants_become_tables_so_their_names_are_plain() {
        assert!(tenant_name("diku_2").is_ok());
        for name in ["", "2diku", "di ku", "x; drop table", "Diku", &"x".repeat(33)] {
            assert!(tenant_name(name).is_err(), "{name}");
        }
    }
}
