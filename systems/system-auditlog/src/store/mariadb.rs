//! The store in a database of a MariaDB, over plain TCP. The library is asynchronous, lookups run on threads that may
//! block: each call here waits for its end.

use std::future::Future;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Error, Opts, OptsBuilder, Value};
use tokio::runtime::Handle;

use super::LAYOUT;
use super::build::Filling;
use super::registered::{Numbered, Part, Written};
use super::session::{COLUMNS, Found, Query, Row, StoreError};
use crate::data::{Archive, Entry};

/// Longest time until a connection is there: a server that starts refuses at once, one that hangs does not.
const CONNECT_MAX: Duration = Duration::from_secs(2);
/// Longest time for one statement.
const STATEMENT_MAX: Duration = Duration::from_secs(30);
/// Longest time for an index over a filled table.
const INDEX_MAX: Duration = Duration::from_secs(3600);
/// Rows of one INSERT: some 80 kB.
const BATCH: usize = 500;

/// A connection, and how to open it again.
pub(crate) struct Server {
    opts: Opts,
    conn: Option<Conn>,
    runtime: Handle,
}

impl Server {
    /// Connects; must be called within a runtime, on a thread that may block.
    pub(super) fn connect(opts: &Opts) -> Result<Self, StoreError> {
        let mut server = Self { opts: opts.clone(), conn: None, runtime: Handle::current() };
        server.conn()?;
        Ok(server)
    }

    fn conn(&mut self) -> Result<&mut Conn, StoreError> {
        if self.conn.is_none() {
            let opts = OptsBuilder::from_opts(self.opts.clone()).prefer_socket(false).tcp_nodelay(true);
            let connect = async {
                let mut conn = bounded(CONNECT_MAX, Conn::new(opts)).await?;
                bounded(STATEMENT_MAX, conn.query_drop("SET SESSION time_zone = '+00:00'")).await?;
                // Consumers write beside each other: without locks on gaps they do not wait for what nobody has.
                let isolation = "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED";
                bounded(STATEMENT_MAX, conn.query_drop(isolation)).await?;
                Ok::<_, StoreError>(conn)
            };
            self.conn = Some(self.runtime.block_on(connect)?);
        }
        self.conn.as_mut().ok_or_else(|| StoreError("there is no connection".to_owned()))
    }

    /// Runs one piece of work; a connection on which it failed is not used again.
    fn run<T>(&mut self, work: impl AsyncFnOnce(&mut Conn) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let runtime = self.runtime.clone();
        let conn = self.conn()?;
        let done = runtime.block_on(work(conn));
        if done.is_err() {
            self.conn = None;
        }
        done
    }

    pub(super) fn ask(&mut self) -> Result<(), StoreError> {
        self.run(async |conn| bounded(STATEMENT_MAX, conn.query_drop("SELECT citizens FROM archive")).await)
    }

    pub(super) fn find(&mut self, query: &Query) -> Result<Found, StoreError> {
        let condition = format!("{} = ? AND tidspunkt >= ? AND tidspunkt < ?", query.by.column());
        let page = format!(
            "SELECT {COLUMNS}, DATE_FORMAT(tidspunkt, '%Y-%m-%d %H:%i:%s') FROM LogEntry WHERE {condition}
             ORDER BY tidspunkt DESC, id DESC LIMIT ? OFFSET ?"
        );
        let count = format!("SELECT COUNT(*) FROM LogEntry WHERE {condition}");
        let key = (query.id.as_str(), query.from.as_str(), query.until.as_str());
        self.run(async move |conn| {
            let total: Option<u64> = bounded(STATEMENT_MAX, conn.exec_first(count, key)).await?;
            let values = (key.0, key.1, key.2, query.limit, query.offset);
            let rows: Vec<mysql_async::Row> = bounded(STATEMENT_MAX, conn.exec(page, values)).await?;
            let entries = rows.into_iter().map(entry).collect();
            Ok(Found { total: total.unwrap_or(0), entries })
        })
    }
}

impl Server {
    /// Writes what was read of a log, in one transaction.
    pub(super) fn register(&mut self, log: &str, parts: &[Part]) -> Result<Written, StoreError> {
        self.run(async |conn| {
            bounded(STATEMENT_MAX, conn.query_drop("START TRANSACTION")).await?;
            let mut written = Written::default();
            for part in parts {
                let known = "SELECT nextOffset FROM registered WHERE log = ? AND topicPartition = ? FOR UPDATE";
                let known: Option<u64> = bounded(STATEMENT_MAX, conn.exec_first(known, (log, part.partition))).await?;
                let (again, new) = part.split(known.unwrap_or(0));
                let mut of_part = Written::default();
                of_part.count_again(again.len(), register(conn, again).await?);
                of_part.count_new(new.len(), register(conn, new).await?);
                let Written { stored, duplicates, redelivered } = of_part;
                let values = (log, part.partition, part.next, stored, duplicates, redelivered);
                bounded(STATEMENT_MAX, conn.exec_drop(COUNT, values)).await?;
                written.add(of_part);
            }
            bounded(STATEMENT_MAX, conn.query_drop("COMMIT")).await?;
            Ok(written)
        })
    }
}

/// What was stored of a partition, and how far it was read.
const COUNT: &str = "INSERT INTO registered VALUES (?, ?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE
  nextOffset = GREATEST(nextOffset, VALUES(nextOffset)), stored = stored + VALUES(stored),
  duplicates = duplicates + VALUES(duplicates), redelivered = redelivered + VALUES(redelivered)";

/// Inserts registrations whose id does not exist yet; returns how many that were. `INSERT IGNORE` would hide every other
/// mistake, too.
async fn register(conn: &mut Conn, entries: &[Numbered]) -> Result<u64, StoreError> {
    let mut stored = 0;
    for batch in entries.chunks(BATCH) {
        let places = vec!["(?,?,?,?,?,?,?,?,?,?)"; batch.len()].join(",");
        let sql = format!(
            "INSERT INTO LogEntry ({COLUMNS}, tidspunkt, registrationId) VALUES {places}
             ON DUPLICATE KEY UPDATE registrationId = LogEntry.registrationId"
        );
        let texts = batch.iter().flat_map(|(_, one)| one.row.iter().chain([&one.id]));
        let values: Vec<Value> = texts.map(|text| Value::Bytes(text.clone().into_bytes())).collect();
        bounded(STATEMENT_MAX, conn.exec_drop(sql, values)).await?;
        // A row that stays as it is does not count as one that was changed.
        stored += conn.affected_rows();
    }
    Ok(stored)
}

fn entry(row: mysql_async::Row) -> Row {
    let mut entry = Row::default();
    for (column, value) in entry.iter_mut().zip(row.unwrap()) {
        if let Value::Bytes(bytes) = value {
            *column = String::from_utf8_lossy(&bytes).into_owned();
        }
    }
    entry
}

async fn bounded<T>(most: Duration, work: impl Future<Output = Result<T, Error>>) -> Result<T, StoreError> {
    match tokio::time::timeout(most, work).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(error)) => Err(StoreError(error.to_string())),
        Err(_) => Err(StoreError(format!("nothing came within {most:?}"))),
    }
}

const TABLE: &str = "CREATE TABLE LogEntry (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  regKode VARCHAR(20) NOT NULL,
  cprNrBorger VARCHAR(10) NOT NULL,
  bruger VARCHAR(20) NOT NULL,
  ansvarlig VARCHAR(20) NOT NULL,
  orgUsingID VARCHAR(20) NOT NULL,
  systemName VARCHAR(25) NOT NULL,
  handling VARCHAR(75) NOT NULL,
  sessionId VARCHAR(20) NOT NULL,
  tidspunkt DATETIME NOT NULL,
  registrationId VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin";
const REGISTERED: &str = "CREATE TABLE registered (
  log VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  topicPartition INT UNSIGNED NOT NULL,
  nextOffset BIGINT UNSIGNED NOT NULL,
  stored BIGINT UNSIGNED NOT NULL,
  duplicates BIGINT UNSIGNED NOT NULL,
  redelivered BIGINT UNSIGNED NOT NULL,
  PRIMARY KEY (log, topicPartition)
) ENGINE = InnoDB";
const INDEXES: [&str; 3] = [
    "CREATE INDEX LogEntry_borger ON LogEntry (cprNrBorger, tidspunkt)",
    "CREATE INDEX LogEntry_bruger ON LogEntry (bruger, tidspunkt)",
    "CREATE UNIQUE INDEX LogEntry_registration ON LogEntry (registrationId)",
];
/// Written last: a database without it is filled anew.
const ARCHIVE: &str = "CREATE TABLE archive (citizens BIGINT UNSIGNED NOT NULL, seed BIGINT UNSIGNED NOT NULL,
  layout INT NOT NULL) ENGINE = InnoDB";
/// `ER_NO_SUCH_TABLE`.
const NO_TABLE: u16 = 1146;

/// Finds the store, or fills it if it is missing; `None` if `is_over` became true first. The database itself is there.
pub(super) fn ensure(opts: &Opts, archive: Archive, is_over: &dyn Fn() -> bool) -> Result<Option<Archive>> {
    let mut server = Server::connect(opts)?;
    let runtime = server.runtime.clone();
    let conn = server.conn()?;
    runtime.block_on(async {
        // The lock ends with the connection.
        while !locked(conn).await? {
            if is_over() {
                return Ok(None);
            }
        }
        if let Some(found) = contents(conn).await? {
            return Ok(Some(found));
        }
        let filling = Filling::begin(opts.db_name().unwrap_or_default(), archive);
        let is_whole = fill(conn, archive, is_over).await?;
        filling.end();
        Ok(is_whole.then_some(archive))
    })
}

async fn locked(conn: &mut Conn) -> Result<bool> {
    let got: Option<Option<u8>> = bounded(STATEMENT_MAX, conn.query_first("SELECT GET_LOCK('auditlog', 1)")).await?;
    Ok(got.flatten() == Some(1))
}

async fn contents(conn: &mut Conn) -> Result<Option<Archive>> {
    let sql = format!("SELECT citizens, seed FROM archive WHERE layout = {LAYOUT}");
    match tokio::time::timeout(STATEMENT_MAX, conn.query_first::<(u64, u64), _>(sql)).await {
        Ok(Ok(Some((citizens, seed)))) => Ok(Some(Archive { citizens, seed })),
        Ok(Ok(None)) => Err(anyhow!("it holds tables of another layout; give another database")),
        Ok(Err(Error::Server(error))) if error.code == NO_TABLE => Ok(None),
        Ok(Err(error)) => Err(error.into()),
        Err(_) => Err(anyhow!("it does not answer within {STATEMENT_MAX:?}")),
    }
}

async fn fill(conn: &mut Conn, archive: Archive, is_over: &dyn Fn() -> bool) -> Result<bool> {
    // Whatever is there is the rest of a filling that was killed.
    bounded(STATEMENT_MAX, conn.query_drop("DROP TABLE IF EXISTS LogEntry, registered")).await?;
    bounded(STATEMENT_MAX, conn.query_drop(TABLE)).await?;
    bounded(STATEMENT_MAX, conn.query_drop(REGISTERED)).await?;
    bounded(STATEMENT_MAX, conn.query_drop("START TRANSACTION")).await?;
    let mut entries = archive.all().peekable();
    while entries.peek().is_some() {
        if is_over() {
            return Ok(false);
        }
        let batch: Vec<Entry> = entries.by_ref().take(BATCH).collect();
        insert(conn, batch).await.context("entries cannot be inserted")?;
    }
    bounded(STATEMENT_MAX, conn.query_drop("COMMIT")).await?;
    for index in INDEXES {
        bounded(INDEX_MAX, conn.query_drop(index)).await?;
    }
    bounded(STATEMENT_MAX, conn.query_drop(ARCHIVE)).await?;
    let values = (archive.citizens, archive.seed, LAYOUT);
    bounded(STATEMENT_MAX, conn.exec_drop("INSERT INTO archive VALUES (?, ?, ?)", values)).await?;
    Ok(true)
}

async fn insert(conn: &mut Conn, batch: Vec<Entry>) -> Result<(), StoreError> {
    let places = vec!["(?,?,?,?,?,?,?,?,?)"; batch.len()].join(",");
    let sql = format!("INSERT INTO LogEntry ({COLUMNS}, tidspunkt) VALUES {places}");
    let values: Vec<Value> = batch
        .into_iter()
        .flat_map(|entry| {
            let Entry { code, citizen, user, responsible, organisation, system, action, session, moment } = entry;
            [code.into(), citizen, user, responsible, organisation, system.into(), action.into(), session, moment]
        })
        .map(|text: String| Value::Bytes(text.into_bytes()))
        .collect();
    bounded(STATEMENT_MAX, conn.exec_drop(sql, values)).await
}
