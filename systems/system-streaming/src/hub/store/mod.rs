//! Subscriptions as they are kept: in a file of SQLite, or in a database of a MariaDB. One thread writes; what waits
//! meanwhile goes into one transaction, so ten thousand subscriptions are some tens of commits.

mod mariadb;
mod sqlite;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use anyhow::{Context, Result, anyhow};
use mysql_async::Opts;
use rusqlite::Connection;
use tokio::sync::oneshot;

/// Changes that may wait to be written; a request for one more is refused.
const WAITING_MAX: usize = 16_384;
/// Changes of one transaction.
const BATCH_MAX: usize = 1024;
/// A subscription as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) topic: String,
    pub(super) callback: String,
    pub(super) secret: Option<String>,
    /// What content says of hub and topic.
    pub(super) link: String,
    /// When its lease is over, since 1970.
    pub(super) until_ns: i64,
}

enum Change {
    Put(Row),
    Delete { topic: String, callback: String },
}

struct Job {
    change: Change,
    done: oneshot::Sender<bool>,
}

/// The writer's desk.
pub(super) struct Store {
    queue: SyncSender<Job>,
    is_well: Arc<AtomicBool>,
}

/// Where subscriptions are kept.
#[derive(Clone, Debug)]
pub(crate) enum Address {
    Sqlite(PathBuf),
    MariaDb(Opts),
}

/// `sqlite://FILE` or `mysql://USER@HOST:PORT/DATABASE`, as the value of a flag.
///
/// # Errors
/// Anything else, with what to write.
pub(crate) fn address(text: &str) -> Result<Address, String> {
    let wrong = || {
        format!(
            "`{text}` is not a store that a hub can use; write `sqlite://FILE` or `mysql://USER@HOST:PORT/DATABASE`"
        )
    };
    if let Some(path) = text.strip_prefix("sqlite://").filter(|path| !path.is_empty()) {
        return Ok(Address::Sqlite(path.into()));
    }
    let opts = text.starts_with("mysql://").then(|| Opts::from_url(text).ok()).flatten();
    let opts = opts.filter(|opts| opts.db_name().is_some_and(|name| !name.is_empty()));
    opts.map(Address::MariaDb).ok_or_else(wrong)
}

impl fmt::Display for Address {
    /// Without what only its user may know.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite://{}", path.display()),
            Self::MariaDb(opts) => {
                let (host, port) = (opts.ip_or_hostname(), opts.tcp_port());
                write!(f, "mysql://{host}:{port}/{}", opts.db_name().unwrap_or_default())
            }
        }
    }
}

/// The store itself, in the hands of the thread that writes.
enum Open {
    Sqlite(Connection),
    MariaDb(Box<mariadb::Server>),
}

impl Open {
    fn at(address: &Address) -> Result<(Self, Vec<Row>)> {
        Ok(match address {
            Address::Sqlite(path) => {
                let (connection, rows) = sqlite::open(path)?;
                (Self::Sqlite(connection), rows)
            }
            Address::MariaDb(opts) => {
                let (server, rows) = mariadb::open(opts)?;
                (Self::MariaDb(Box::new(server)), rows)
            }
        })
    }

    fn write(&mut self, batch: &[Job]) -> Result<()> {
        let changes = batch.iter().map(|job| &job.change);
        match self {
            Self::Sqlite(connection) => Ok(sqlite::write(connection, changes)?),
            Self::MariaDb(server) => server.write(changes),
        }
    }
}

impl Store {
    /// Opens it, which may be new, and reads what is in it.
    pub(super) fn open(address: &Address) -> Result<(Self, Vec<Row>)> {
        let (queue, jobs) = sync_channel(WAITING_MAX);
        let is_well = Arc::new(AtomicBool::new(true));
        let told = Arc::clone(&is_well);
        let (opened, is_open) = sync_channel(1);
        let place = address.clone();
        // Opened where it is used: a runtime within a runtime is not possible.
        let write = move || match Open::at(&place) {
            Ok((mut open, rows)) => {
                let _ = opened.send(Ok(rows));
                write_all(&mut open, &jobs, &told);
            }
            Err(error) => _ = opened.send(Err(error)),
        };
        std::thread::Builder::new().name("store".to_owned()).spawn(write)?;
        let rows = is_open.recv().unwrap_or_else(|_| Err(anyhow!("whoever writes it has gone")));
        let rows = rows.with_context(|| format!("the store `{address}` cannot be used"))?;
        Ok((Self { queue, is_well }, rows))
    }

    /// Whether the last transaction succeeded.
    pub(super) fn is_well(&self) -> bool {
        self.is_well.load(Relaxed)
    }

    /// Keeps a subscription; `false` when it cannot be.
    pub(super) async fn put(&self, row: Row) -> bool {
        self.hand(Change::Put(row)).await
    }

    /// Keeps it no longer.
    pub(super) async fn delete(&self, topic: &str, callback: &str) -> bool {
        self.hand(Change::Delete { topic: topic.to_owned(), callback: callback.to_owned() }).await
    }

    async fn hand(&self, change: Change) -> bool {
        let (done, is_done) = oneshot::channel();
        self.queue.try_send(Job { change, done }).is_ok() && is_done.await.unwrap_or(false)
    }
}

fn write_all(open: &mut Open, jobs: &Receiver<Job>, is_well: &AtomicBool) {
    while let Ok(first) = jobs.recv() {
        let mut batch = vec![first];
        batch.extend(jobs.try_iter().take(BATCH_MAX - 1));
        let written = open.write(&batch);
        if let Err(error) = &written
            && is_well.swap(false, Relaxed)
        {
            eprintln!("warning: subscriptions are not kept: {error}");
        }
        is_well.store(written.is_ok(), Relaxed);
        for job in batch {
            // Who does not wait any more need not be told.
            let _ = job.done.send(written.is_ok());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(callback: &str) -> Row {
        let (topic, link) = ("orders".to_owned(), "<http://h/hub>; rel=\"hub\"".to_owned());
        Row { topic, callback: callback.to_owned(), secret: Some("s".to_owned()), link, until_ns: 7 }
    }

    #[tokio::test]
    async fn what_is_kept_is_there_when_it_is_opened_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hub.db");
        let path = Address::Sqlite(path);
        let (store, rows) = Store::open(&path).unwrap();
        assert!(rows.is_empty());
        for callback in ["http://a/", "http://b/", "http://a/"] {
            assert!(store.put(row(callback)).await);
        }
        assert!(store.delete("orders", "http://b/").await && store.is_well());
        drop(store);
        assert_eq!(Store::open(&path).unwrap().1, [row("http://a/")]);
    }

    #[test]
    fn a_store_has_an_address() {
        let shown = |text: &str| address(text).map(|address| address.to_string());
        assert_eq!(shown("sqlite:///tmp/hub.db"), Ok("sqlite:///tmp/hub.db".to_owned()));
        assert_eq!(shown("mysql://lab:secret@127.0.0.1:3307/hub"), Ok("mysql://127.0.0.1:3307/hub".to_owned()));
        for wrong in ["hub.db", "sqlite://", "mysql://h", "mysql://h:x/d", "postgres://h/d"] {
            assert!(address(wrong).unwrap_err().contains("write `sqlite://FILE` or `mysql://"), "{wrong}");
        }
    }
}
