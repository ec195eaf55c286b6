//! Subscriptions in a file of SQLite. One thread writes; what waits meanwhile goes into one transaction, so ten thousand
//! subscriptions are some tens of commits.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use anyhow::{Context, Result};
use rusqlite::{Connection, params};
use tokio::sync::oneshot;

/// Changes that may wait to be written; a request for one more is refused.
const WAITING_MAX: usize = 16_384;
/// Changes of one transaction.
const BATCH_MAX: usize = 1024;
/// How long another process may hold the file, such as one that counts.
const BUSY_MAX: Duration = Duration::from_secs(10);

const SCHEMA: &str = "CREATE TABLE IF NOT EXISTS subscription (
    topic TEXT NOT NULL, callback TEXT NOT NULL, secret TEXT, link TEXT NOT NULL, until_ns INTEGER NOT NULL,
    PRIMARY KEY (topic, callback)
) WITHOUT ROWID";

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

/// `sqlite://FILE`, as the value of a flag.
///
/// # Errors
/// Anything else, with what to write.
pub(crate) fn address(text: &str) -> Result<PathBuf, String> {
    match text.strip_prefix("sqlite://").filter(|path| !path.is_empty()) {
        Some(path) => Ok(path.into()),
        None => Err(format!("`{text}` is not a store that a hub can use; write `sqlite://FILE`")),
    }
}

impl Store {
    /// Opens the file, which may be new, and reads what is in it.
    pub(super) fn open(path: &Path) -> Result<(Self, Vec<Row>)> {
        let (connection, rows) =
            connect(path).with_context(|| format!("the store `{}` cannot be used", path.display()))?;
        let (queue, jobs) = sync_channel(WAITING_MAX);
        let is_well = Arc::new(AtomicBool::new(true));
        let told = Arc::clone(&is_well);
        std::thread::Builder::new().name("store".to_owned()).spawn(move || write_all(&connection, &jobs, &told))?;
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

fn connect(path: &Path) -> rusqlite::Result<(Connection, Vec<Row>)> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_MAX)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // Each commit reaches the disk before anybody is told.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.execute_batch(SCHEMA)?;
    let rows = {
        let mut all = connection.prepare("SELECT topic, callback, secret, link, until_ns FROM subscription")?;
        let read = all.query_map([], |row| {
            let (topic, callback, secret) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(Row { topic, callback, secret, link: row.get(3)?, until_ns: row.get(4)? })
        })?;
        read.collect::<rusqlite::Result<_>>()?
    };
    Ok((connection, rows))
}

fn write_all(connection: &Connection, jobs: &Receiver<Job>, is_well: &AtomicBool) {
    while let Ok(first) = jobs.recv() {
        let mut batch = vec![first];
        batch.extend(jobs.try_iter().take(BATCH_MAX - 1));
        let written = write(connection, &batch);
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

fn write(connection: &Connection, batch: &[Job]) -> rusqlite::Result<()> {
    let transaction = connection.unchecked_transaction()?;
    {
        let mut put = transaction.prepare_cached("INSERT OR REPLACE INTO subscription VALUES (?1, ?2, ?3, ?4, ?5)")?;
        let mut delete = transaction.prepare_cached("DELETE FROM subscription WHERE topic = ?1 AND callback = ?2")?;
        for job in batch {
            match &job.change {
                Change::Put(row) => {
                    put.execute(params![row.topic, row.callback, row.secret, row.link, row.until_ns])?;
                }
                Change::Delete { topic, callback } => {
                    delete.execute(params![topic, callback])?;
                }
            }
        }
    }
    transaction.commit()
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
        assert_eq!(address("sqlite:///tmp/hub.db"), Ok("/tmp/hub.db".into()));
        for wrong in ["hub.db", "sqlite://", "mysql://h/d"] {
            assert!(address(wrong).unwrap_err().contains("write `sqlite://FILE`"), "{wrong}");
        }
    }
}
