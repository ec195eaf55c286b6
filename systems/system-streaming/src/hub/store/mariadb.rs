//! A database of a MariaDB, over plain TCP. The library is asynchronous, the one thread that writes is not: each call waits
//! for its end, on a runtime of the thread's own.

use std::future::Future;
use std::time::Duration;

use anyhow::{Result, anyhow};
use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Error, Opts, OptsBuilder};
use tokio::runtime::Runtime;

use super::{Change, Row};

/// Longest time until a connection is there: a server that starts refuses at once, one that hangs does not.
const CONNECT_MAX: Duration = Duration::from_secs(2);
/// Longest time for one statement: more than a long flush of a busy disk.
const STATEMENT_MAX: Duration = Duration::from_secs(20);

/// Addresses are longer than a key may be, so the key is their digest.
const SCHEMA: &str = "CREATE TABLE IF NOT EXISTS subscription (
  id BINARY(32) NOT NULL PRIMARY KEY, topic TEXT NOT NULL, callback TEXT NOT NULL, secret TEXT, link TEXT NOT NULL,
  until_ns BIGINT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin";
const ID: &str = "UNHEX(SHA2(CONCAT(?, '\\n', ?), 256))";
const ALL: &str = "SELECT topic, callback, secret, link, until_ns FROM subscription";

/// A connection, and how to open it again.
pub(super) struct Server {
    opts: Opts,
    conn: Option<Conn>,
    runtime: Runtime,
}

/// Connects, and reads the subscriptions that are there. The database has to exist.
pub(super) fn open(opts: &Opts) -> Result<(Server, Vec<Row>)> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut server = Server { opts: opts.clone(), conn: None, runtime };
    let rows = server.run(async |conn| {
        bounded(STATEMENT_MAX, conn.query_drop(SCHEMA)).await?;
        let rows: Vec<(String, String, Option<String>, String, i64)> = bounded(STATEMENT_MAX, conn.query(ALL)).await?;
        Ok(rows)
    })?;
    let row = |(topic, callback, secret, link, until_ns)| Row { topic, callback, secret, link, until_ns };
    Ok((server, rows.into_iter().map(row).collect()))
}

impl Server {
    /// All changes in one transaction.
    pub(super) fn write<'a>(&mut self, changes: impl Iterator<Item = &'a Change>) -> Result<()> {
        let put = format!("REPLACE INTO subscription VALUES ({ID}, ?, ?, ?, ?, ?)");
        let delete = format!("DELETE FROM subscription WHERE id = {ID}");
        self.run(async move |conn| {
            bounded(STATEMENT_MAX, conn.query_drop("START TRANSACTION")).await?;
            for change in changes {
                match change {
                    Change::Put(Row { topic, callback, secret, link, until_ns }) => {
                        let values = (topic, callback, topic, callback, secret, link, until_ns);
                        bounded(STATEMENT_MAX, conn.exec_drop(put.as_str(), values)).await?;
                    }
                    Change::Delete { topic, callback } => {
                        bounded(STATEMENT_MAX, conn.exec_drop(delete.as_str(), (topic, callback))).await?;
                    }
                }
            }
            bounded(STATEMENT_MAX, conn.query_drop("COMMIT")).await
        })
    }

    /// Runs one piece of work; a connection on which it failed is not used again, which takes back what it had begun.
    fn run<T>(&mut self, work: impl AsyncFnOnce(&mut Conn) -> Result<T>) -> Result<T> {
        let Self { opts, conn, runtime } = self;
        let done = runtime.block_on(async {
            let open = match conn.take() {
                Some(open) => open,
                None => {
                    let opts = OptsBuilder::from_opts(opts.clone()).prefer_socket(false).tcp_nodelay(true);
                    bounded(CONNECT_MAX, Conn::new(opts)).await?
                }
            };
            let open = conn.insert(open);
            work(open).await
        });
        if done.is_err() {
            *conn = None;
        }
        done
    }
}

async fn bounded<T>(most: Duration, work: impl Future<Output = std::result::Result<T, Error>>) -> Result<T> {
    match tokio::time::timeout(most, work).await {
        Ok(done) => Ok(done?),
        Err(_) => Err(anyhow!("nothing came within {most:?}")),
    }
}
