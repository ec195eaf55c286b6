//! A connection to a store of either kind: a page of entries is asked of it, and what is registered is written to it.

use rusqlite::{Connection, params};
use thiserror::Error;

use super::mariadb;
use super::registered::{self, Part, Written};

/// Why a store did not answer, in its own words.
#[derive(Clone, Debug, Error)]
#[error("the store failed: {0}")]
pub(crate) struct StoreError(pub(crate) String);

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self(error.to_string())
    }
}

/// Whose entries are looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// Those about a citizen.
    Citizen,
    /// What a helper did on behalf of others.
    Helper,
}

impl By {
    pub(super) fn column(self) -> &'static str {
        match self {
            Self::Citizen => "cprNrBorger",
            Self::Helper => "bruger",
        }
    }
}

/// A page of entries, newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Query {
    pub(crate) by: By,
    pub(crate) id: String,
    /// From this moment on, `2026-10-31 12:34:56` in UTC.
    pub(crate) from: String,
    /// Before this moment.
    pub(crate) until: String,
    pub(crate) limit: u32,
    pub(crate) offset: u32,
}

/// Columns of an entry, in the order of [`COLUMNS`].
pub(crate) type Row = [String; 9];

/// An answer: how many entries there are in all, and those of the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) total: u64,
    pub(crate) entries: Vec<Row>,
}

/// What is selected; the moment comes last, since its form depends on the store.
pub(super) const COLUMNS: &str = "regKode, cprNrBorger, bruger, ansvarlig, orgUsingID, systemName, handling, sessionId";

/// A connection to a store.
pub(crate) enum Session {
    Sqlite(Connection),
    MariaDb(Box<mariadb::Server>),
}

impl Session {
    /// Looks a page up: by index, and counted in it.
    ///
    /// # Errors
    /// The store fails.
    pub(crate) fn find(&mut self, query: &Query) -> Result<Found, StoreError> {
        match self {
            Self::Sqlite(connection) => Ok(find(connection, query)?),
            Self::MariaDb(server) => server.find(query),
        }
    }

    /// Writes what was read of the log `log`, all of it in one transaction.
    ///
    /// # Errors
    /// The store fails; nothing of it is there then.
    pub(crate) fn register(&mut self, log: &str, parts: &[Part]) -> Result<Written, StoreError> {
        match self {
            Self::Sqlite(connection) => Ok(registered::into_sqlite(connection, log, parts)?),
            Self::MariaDb(server) => server.register(log, parts),
        }
    }

    /// Whether the store answers.
    ///
    /// # Errors
    /// It does not.
    pub(crate) fn ask(&mut self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(connection) => Ok(connection.query_row("SELECT citizens FROM archive", [], |_| Ok(()))?),
            Self::MariaDb(server) => server.ask(),
        }
    }
}

fn find(connection: &Connection, query: &Query) -> rusqlite::Result<Found> {
    let column = query.by.column();
    let condition = format!("{column} = ?1 AND tidspunkt >= ?2 AND tidspunkt < ?3");
    let mut count = connection.prepare_cached(&format!("SELECT count(*) FROM LogEntry WHERE {condition}"))?;
    let total = count.query_row(params![query.id, query.from, query.until], |row| row.get(0))?;
    let mut page = connection.prepare_cached(&format!(
        "SELECT {COLUMNS}, tidspunkt FROM LogEntry WHERE {condition}
         ORDER BY tidspunkt DESC, id DESC LIMIT ?4 OFFSET ?5"
    ))?;
    let mut rows = page.query(params![query.id, query.from, query.until, query.limit, query.offset])?;
    let mut entries = Vec::with_capacity(query.limit as usize);
    while let Some(row) = rows.next()? {
        let mut entry = Row::default();
        for (place, column) in entry.iter_mut().enumerate() {
            *column = row.get(place)?;
        }
        entries.push(entry);
    }
    Ok(Found { total, entries })
}
