//! A connection to a store of either kind: SQL with places for values in, rows out.
//!
//! Statements are written once for both kinds where they can be; [`Dialect`] has what differs. Places for values are `?`,
//! or `?1` where one value stands in several places.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use postgres::types::ToSql;
use postgres::{Client, Config, NoTls, Statement};
use rusqlite::{Connection, params_from_iter, types};
use thiserror::Error;

/// Why a store did not do what it was told.
#[derive(Debug, Error)]
pub(crate) enum StoreError {
    /// In the words of SQLite.
    #[error("{0}")]
    Sqlite(#[from] rusqlite::Error),
    /// In the words of the server if it had any; the library's own leave them out.
    #[error("{}", .0.as_db_error().map_or_else(|| .0.to_string(), ToString::to_string))]
    Postgres(#[from] postgres::Error),
    /// What is stored is not what should be.
    #[error("what is stored cannot be read: {0}")]
    Content(String),
}

/// A value for a place in SQL.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Text(String),
    Whole(i64),
    Flag(bool),
    /// A list of texts; PostgreSQL only.
    Texts(Vec<String>),
}

/// How SQL is written for a kind of store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// JSON and UUIDs are text; a tenant is a prefix.
    Sqlite,
    /// JSON is `jsonb`, UUIDs are `uuid`; a tenant is a schema.
    Postgres,
}

impl Dialect {
    /// A tenant's table.
    pub(crate) fn table(self, tenant: &str, name: &str) -> String {
        match self {
            Self::Sqlite => format!("{tenant}_{name}"),
            Self::Postgres => format!("{tenant}.{name}"),
        }
    }

    /// A column of any kind, as text.
    pub(crate) fn text(self, column: &str) -> String {
        match self {
            Self::Sqlite => column.to_owned(),
            Self::Postgres => format!("{column}::text"),
        }
    }

    /// A place for a UUID that is given as text.
    pub(crate) fn uuid(self) -> &'static str {
        match self {
            Self::Sqlite => "?",
            Self::Postgres => "?::text::uuid",
        }
    }

    /// A field of the column `jsonb`, as text.
    pub(crate) fn field(self, name: &str) -> String {
        match self {
            Self::Sqlite => format!("json_extract(jsonb, '$.{name}')"),
            Self::Postgres => format!("jsonb->>'{name}'"),
        }
    }
}

impl Dialect {
    /// What holdings are listed by. Both mean the order in which they were catalogued, and both have an index.
    pub(crate) fn holdings_order(self) -> &'static str {
        match self {
            Self::Sqlite => "rowid",
            Self::Postgres => "jsonb->>'hrid'",
        }
    }
}

pub(crate) enum Row<'a> {
    Sqlite(&'a rusqlite::Row<'a>),
    Postgres(&'a postgres::Row),
}

impl Row<'_> {
    /// A text, by its place from 0.
    pub(crate) fn text(&self, place: usize) -> Result<&str, StoreError> {
        match self {
            Self::Sqlite(row) => Ok(row.get_ref(place)?.as_str().map_err(rusqlite::Error::from)?),
            Self::Postgres(row) => Ok(row.try_get(place)?),
        }
    }

    /// A whole number.
    pub(crate) fn whole(&self, place: usize) -> Result<i64, StoreError> {
        match self {
            Self::Sqlite(row) => Ok(row.get(place)?),
            Self::Postgres(row) => Ok(row.try_get(place)?),
        }
    }

    /// A truth value.
    pub(crate) fn flag(&self, place: usize) -> Result<bool, StoreError> {
        match self {
            Self::Sqlite(row) => Ok(row.get(place)?),
            Self::Postgres(row) => Ok(row.try_get(place)?),
        }
    }
}

/// A connection, with the statements that it has prepared.
pub(crate) struct Session {
    link: Link,
    /// Whether a transaction was begun and not ended; true after a panic in its middle.
    is_open: bool,
}

enum Link {
    Sqlite(Connection),
    Postgres(Box<Server>),
}

/// A connection to a server, and how to open it again.
struct Server {
    config: Config,
    client: Blocking,
    statements: HashMap<String, Statement>,
    used: Instant,
}

/// After so long a rest a connection is asked whether it still stands: the library notices only when it is used.
const REST: Duration = Duration::from_millis(500);
/// Longest wait for that answer: a server that stands still for a while has not broken the connection.
const REST_PATIENCE: Duration = Duration::from_secs(30);

/// Statements that a connection keeps prepared; queries of clients make new ones without end.
const STATEMENTS_MAX: usize = 64;

/// The library's client waits for the server when it is dropped, and must not do so on an asynchronous thread.
struct Blocking(Option<Client>);

impl Drop for Blocking {
    fn drop(&mut self) {
        if let Some(client) = self.0.take() {
            let _ = std::thread::Builder::new().spawn(move || drop(client)).map(std::thread::JoinHandle::join);
        }
    }
}

impl Blocking {
    fn get(&mut self) -> &mut Client {
        self.0.as_mut().expect("invariant: taken by drop only")
    }
}

/// Breaks off what a connection is doing, from another thread.
pub(crate) enum Canceller {
    Sqlite(rusqlite::InterruptHandle),
    Postgres(postgres::CancelToken),
}

impl Canceller {
    /// Breaks it off. A failure means that there is nothing left to break off. Blocks.
    pub(crate) fn cancel(&self) {
        match self {
            Self::Sqlite(handle) => handle.interrupt(),
            Self::Postgres(token) => drop(token.cancel_query(NoTls)),
        }
    }
}

impl Session {
    pub(super) fn sqlite(connection: Connection) -> Self {
        Self { link: Link::Sqlite(connection), is_open: false }
    }

    /// Connects; `name` is the application's name that the server shows.
    pub(super) fn postgres(config: &Config, name: &str) -> Result<Self, StoreError> {
        let mut config = config.clone();
        config.application_name(name);
        let client = Blocking(Some(config.connect(NoTls)?));
        let server = Server { config, client, statements: HashMap::new(), used: Instant::now() };
        Ok(Self { link: Link::Postgres(Box::new(server)), is_open: false })
    }

    /// How SQL is written for it.
    pub(crate) fn dialect(&self) -> Dialect {
        match self.link {
            Link::Sqlite(_) => Dialect::Sqlite,
            Link::Postgres(_) => Dialect::Postgres,
        }
    }

    /// Makes it fit for work: ends what a panic left open, and connects again if the server broke the connection.
    ///
    /// # Errors
    /// The server cannot be reached.
    pub(crate) fn revive(&mut self) -> Result<(), StoreError> {
        if let Link::Postgres(server) = &mut self.link {
            if server.is_broken() {
                server.statements.clear();
                server.client = Blocking(Some(server.config.connect(NoTls)?));
                self.is_open = false;
            }
            server.used = Instant::now();
        }
        if self.is_open {
            self.batch("ROLLBACK")?;
            self.is_open = false;
        }
        Ok(())
    }

    /// Something that can break its work off from another thread.
    pub(crate) fn canceller(&mut self) -> Canceller {
        match &mut self.link {
            Link::Sqlite(connection) => Canceller::Sqlite(connection.get_interrupt_handle()),
            Link::Postgres(server) => Canceller::Postgres(server.client.get().cancel_token()),
        }
    }

    /// Runs SQL without values or rows.
    pub(crate) fn batch(&mut self, sql: &str) -> Result<(), StoreError> {
        match &mut self.link {
            Link::Sqlite(connection) => Ok(connection.execute_batch(sql)?),
            Link::Postgres(server) => Ok(server.client.get().batch_execute(sql)?),
        }
    }

    /// Runs a statement; returns how many rows it changed.
    pub(crate) fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, StoreError> {
        match &mut self.link {
            Link::Sqlite(connection) => {
                let changed = connection.prepare_cached(sql)?.execute(params_from_iter(values))?;
                Ok(changed as u64)
            }
            Link::Postgres(server) => {
                let statement = server.statement(sql)?;
                Ok(server.client.get().execute(&statement, &places(values))?)
            }
        }
    }

    /// Runs a query and reads each row.
    pub(crate) fn each(
        &mut self,
        sql: &str,
        values: &[Value],
        mut read: impl FnMut(Row<'_>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        match &mut self.link {
            Link::Sqlite(connection) => {
                let mut statement = connection.prepare_cached(sql)?;
                let mut rows = statement.query(params_from_iter(values))?;
                while let Some(row) = rows.next()? {
                    read(Row::Sqlite(row))?;
                }
                Ok(())
            }
            Link::Postgres(server) => {
                let statement = server.statement(sql)?;
                let rows = server.client.get().query(&statement, &places(values))?;
                rows.iter().try_for_each(|row| read(Row::Postgres(row)))
            }
        }
    }

    /// The first row's first column as a number, such as a count.
    pub(crate) fn whole(&mut self, sql: &str, values: &[Value]) -> Result<u64, StoreError> {
        let mut found = None;
        self.each(sql, values, |row| {
            found = Some(row.whole(0)?);
            Ok(())
        })?;
        let found = found.and_then(|number| u64::try_from(number).ok());
        found.ok_or_else(|| StoreError::Content("a count is missing".to_owned()))
    }

    /// Does the work in a transaction, which is rolled back if the work fails.
    pub(crate) fn transaction<T, E: From<StoreError>>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        // SQLite takes the write lock at once: a transaction that reads first and then finds another writer cannot wait.
        self.batch(match self.dialect() {
            Dialect::Sqlite => "BEGIN IMMEDIATE",
            Dialect::Postgres => "BEGIN",
        })?;
        self.is_open = true;
        let done = work(self).and_then(|done| {
            self.batch("COMMIT")?;
            Ok(done)
        });
        if done.is_ok() || self.batch("ROLLBACK").is_ok() {
            self.is_open = false;
        }
        done
    }
}

impl Server {
    fn is_broken(&mut self) -> bool {
        let client = self.client.get();
        client.is_closed() || (self.used.elapsed() > REST && client.is_valid(REST_PATIENCE).is_err())
    }

    fn statement(&mut self, sql: &str) -> Result<Statement, StoreError> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.client.get().prepare(&numbered(sql))?;
        if self.statements.len() >= STATEMENTS_MAX {
            self.statements.clear();
        }
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}

/// `?` as `$1`, `$2` … in order, and `?1` as `$1`. No text of ours holds a question mark, and no text of a client's gets
/// into SQL.
fn numbered(sql: &str) -> String {
    let mut out = String::with_capacity(sql.len() + 16);
    let mut next = 0;
    let mut rest = sql;
    while let Some((before, after)) = rest.split_once('?') {
        out.push_str(before);
        out.push('$');
        if !after.starts_with(|c: char| c.is_ascii_digit()) {
            next += 1;
            out.push_str(&next.to_string());
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

fn places(values: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    values.iter().map(place).collect()
}

fn place(value: &Value) -> &(dyn ToSql + Sync) {
    match value {
        Value::Text(text) => text,
        Value::Whole(number) => number,
        Value::Flag(flag) => flag,
        Value::Texts(texts) => texts,
    }
}

impl rusqlite::ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<types::ToSqlOutput<'_>> {
        match self {
            Self::Text(text) => rusqlite::ToSql::to_sql(text),
            Self::Whole(number) => rusqlite::ToSql::to_sql(number),
            Self::Flag(flag) => rusqlite::ToSql::to_sql(flag),
            Self::Texts(_) => Err(rusqlite::Error::ToSqlConversionFailure("a list has no place in SQLite".into())),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A store in memory with what the SQL makes.
    pub(crate) fn in_memory(sql: &str) -> Session {
        let mut session = Session::sqlite(Connection::open_in_memory().unwrap());
        session.batch(sql).unwrap();
        session
    }

    #[test]
    fn places_are_numbered_for_the_server() {
        assert_eq!(numbered("a = ? AND b = ?::text::uuid LIMIT ?"), "a = $1 AND b = $2::text::uuid LIMIT $3");
        assert_eq!(numbered("a = ?2 OR b = ?2 OR c = ?10"), "a = $2 OR b = $2 OR c = $10");
    }

    #[test]
    fn a_transaction_that_fails_or_panics_leaves_nothing() {
        let mut session = in_memory("CREATE TABLE t (x)");
        let insert = |session: &mut Session| session.execute("INSERT INTO t VALUES (?)", &[Value::Whole(1)]);
        let failed: Result<(), StoreError> = session.transaction(|session| {
            insert(session)?;
            Err(StoreError::Content("on purpose".to_owned()))
        });
        assert!(failed.is_err());
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            session.transaction(|session| -> Result<(), StoreError> {
                insert(session)?;
                panic!("on purpose");
            })
        }));
        assert!(panicked.is_err() && session.is_open);
        session.revive().unwrap();
        assert_eq!(session.whole("SELECT count(*) FROM t", &[]).unwrap(), 0);
        session.transaction(insert).unwrap();
        assert_eq!(session.whole("SELECT count(*) FROM t", &[]).unwrap(), 1);
    }
}
