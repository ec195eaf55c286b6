//! The store: one table of entries, in an SQLite file or in a MariaDB, filled from an [`Archive`] where it is missing;
//! what is registered comes to it.

mod build;
mod mariadb;
mod registered;
mod session;
mod sqlite;

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, Result, bail};

pub(crate) use registered::{Part, Written};
pub(crate) use session::{By, Found, Query, Row, Session, StoreError};

use crate::data::{Archive, CITIZENS_DEFAULT, SEED_DEFAULT};

/// Number of the arrangement of tables; a store of another one cannot be used.
const LAYOUT: i64 = 2;

/// Where a store is.
#[derive(Clone)]
pub(crate) enum Store {
    Sqlite(PathBuf),
    /// A database of a server.
    MariaDb(Box<mysql_async::Opts>),
}

impl FromStr for Store {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once("://") {
            Some(("sqlite", path)) if !path.is_empty() => Ok(Self::Sqlite(PathBuf::from(path))),
            Some(("mysql", _)) => {
                // The text may hold a password, so it is not shown.
                let wrong =
                    || "this is not an address of a MariaDB; write `mysql://USER@HOST:PORT/DATABASE`".to_owned();
                let opts = mysql_async::Opts::from_url(text).map_err(|_| wrong())?;
                if opts.user().is_none() || opts.db_name().is_none_or(str::is_empty) {
                    return Err(wrong());
                }
                Ok(Self::MariaDb(Box::new(opts)))
            }
            _ => Err(format!(
                "`{text}` is not a store; write `sqlite://PATH`, for example `sqlite:///tmp/auditlog.db`, or \
                 `mysql://USER@HOST:PORT/DATABASE`"
            )),
        }
    }
}

/// Without user and password.
impl fmt::Display for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "{}", path.display()),
            Self::MariaDb(opts) => {
                write!(f, "mysql://{}:{}/{}", opts.ip_or_hostname(), opts.tcp_port(), opts.db_name().unwrap_or(""))
            }
        }
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Store {
    /// A connection for lookups. Blocks, so it is called on threads that may.
    ///
    /// # Errors
    /// The store cannot be opened.
    pub(crate) fn connect(&self) -> Result<Session, StoreError> {
        match self {
            Self::Sqlite(path) => sqlite::connect(path).map(Session::Sqlite).map_err(StoreError::from),
            Self::MariaDb(opts) => mariadb::Server::connect(opts).map(|server| Session::MariaDb(Box::new(server))),
        }
    }
}

/// What a store is to hold; `None` takes what is there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    pub(crate) citizens: Option<u64>,
    pub(crate) seed: Option<u64>,
}

impl Wanted {
    /// What a new store is filled from.
    fn archive(self) -> Archive {
        Archive { seed: self.seed.unwrap_or(SEED_DEFAULT), citizens: self.citizens.unwrap_or(CITIZENS_DEFAULT) }
    }
}

/// Finds the store, or fills it if it is missing; `None` if `is_over` became true first. Blocks.
///
/// Any number of processes may call this for one store at once: one fills it, the others wait.
///
/// # Errors
/// The store holds something else than wanted, or cannot be written.
pub(crate) fn ensure(store: &Store, wanted: Wanted, is_over: &dyn Fn() -> bool) -> Result<Option<Archive>> {
    let found = match store {
        Store::Sqlite(path) => sqlite::ensure(path, wanted.archive(), is_over)?,
        Store::MariaDb(opts) => {
            mariadb::ensure(opts, wanted.archive(), is_over).with_context(|| format!("the store `{store}`"))?
        }
    };
    if let Some(found) = found {
        check(store, wanted, found)?;
    }
    Ok(found)
}

fn check(store: &Store, wanted: Wanted, found: Archive) -> Result<()> {
    let Archive { citizens, seed } = found;
    if wanted.citizens.is_none_or(|wanted| wanted == citizens) && wanted.seed.is_none_or(|wanted| wanted == seed) {
        return Ok(());
    }
    bail!(
        "the store `{store}` holds {citizens} citizens of seed {seed}, which is not what was asked for; give \
         `--citizens {citizens} --seed {seed}`, or another store, or remove it"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_are_named_by_their_kind_and_shown_without_passwords() {
        let store: Store = "mysql://lab:secret@127.0.0.1:3307/auditlog".parse().unwrap();
        assert_eq!(store.to_string(), "mysql://127.0.0.1:3307/auditlog");
        let store: Store = "sqlite:///tmp/auditlog.db".parse().unwrap();
        assert_eq!(store.to_string(), "/tmp/auditlog.db");
        for text in ["auditlog.db", "sqlite://", "mysql://h", "mysql://lab:hush@h:1", "postgres://lab@h/x"] {
            let message = text.parse::<Store>().unwrap_err();
            assert!(message.contains("write `") && !message.contains("hush"), "{message}");
        }
    }
}
