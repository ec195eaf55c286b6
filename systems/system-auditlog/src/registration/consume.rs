//! A consumer host: so many members of a group, which write what they read into the store.
//!
//! A batch is one transaction, and its offsets are committed when that is over. A host that dies in between leaves a
//! batch that another one reads again; the unique key keeps it out of the table, and the count of what was stored up to
//! which offset, kept in the same transaction, tells it from what was registered twice.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use axum::Router;
use serde_json::{Map, Value, json};
use system_common::{Module, Pool};

use super::Registration;
use crate::log::{Item, Reader, Sink};
use crate::store::{Part, Session, Store, StoreError, Written};

/// Longest time that a question about health may take.
const HEALTH_PATIENCE: Duration = Duration::from_secs(2);

/// A running consumer host.
pub(crate) struct Consumer {
    reader: Arc<Reader>,
    members: u64,
    pool: Arc<Pool<Session>>,
    /// Beside the pool: it is told whether the store answers while all others are at work.
    health: Arc<Pool<Session>>,
    stored: AtomicU64,
    duplicates: AtomicU64,
    redelivered: AtomicU64,
    /// Records that are not registrations: left out, and counted.
    unreadable: AtomicU64,
}

impl Consumer {
    /// Opens `size` connections; blocks.
    ///
    /// # Errors
    /// The store cannot be opened.
    pub(crate) fn open(reader: Arc<Reader>, members: u64, store: &Store, size: usize) -> Result<Arc<Self>, StoreError> {
        let zero = || AtomicU64::new(0);
        Ok(Arc::new(Self {
            reader,
            members,
            pool: Pool::open(size, Duration::ZERO, || store.connect())?,
            health: Pool::open(1, Duration::ZERO, || store.connect())?,
            stored: zero(),
            duplicates: zero(),
            redelivered: zero(),
            unreadable: zero(),
        }))
    }

    /// None of its own.
    pub(crate) fn routes(&self) -> Router {
        Router::new()
    }
}

/// What was read, by partition; what is not a registration only moves the offset on.
fn parts(items: &[Item]) -> (Vec<Part>, u64) {
    let mut parts: BTreeMap<u32, Part> = BTreeMap::new();
    let mut unreadable = 0;
    for item in items {
        let part = parts.entry(item.partition).or_insert_with(|| Part::new(item.partition));
        part.next = item.offset + 1;
        match Registration::from_value(&item.value) {
            Some(registration) => part.entries.push((item.offset, registration)),
            None => unreadable += 1,
        }
    }
    (parts.into_values().collect(), unreadable)
}

impl Sink for Consumer {
    async fn take(&self, log: &str, items: Vec<Item>) -> Result<(), String> {
        let (parts, unreadable) = parts(&items);
        let log = log.to_owned();
        let written = self.pool.run(move |session| session.register(&log, &parts)).await;
        let Written { stored, duplicates, redelivered } =
            written.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
        self.stored.fetch_add(stored, Relaxed);
        self.duplicates.fetch_add(duplicates, Relaxed);
        self.redelivered.fetch_add(redelivered, Relaxed);
        self.unreadable.fetch_add(unreadable, Relaxed);
        Ok(())
    }
}

impl Module for Consumer {
    async fn health(&self) -> Result<(), String> {
        self.reader.health(self.members).await?;
        match tokio::time::timeout(HEALTH_PATIENCE, self.health.run(Session::ask)).await {
            Ok(Ok(asked)) => asked.map_err(|error| error.to_string()),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err(format!("the store does not answer within {HEALTH_PATIENCE:?}")),
        }
    }

    fn counters(&self) -> Map<String, Value> {
        let registrations = json!({
            "stored": self.stored.load(Relaxed),
            "duplicates": self.duplicates.load(Relaxed),
            "redelivered": self.redelivered.load(Relaxed),
            "unreadable": self.unreadable.load(Relaxed),
        });
        let mut all = Map::new();
        all.insert("consumer".to_owned(), Value::Object(self.reader.status.counters()));
        all.insert("registrations".to_owned(), registrations);
        all.insert("pool".to_owned(), serde_json::to_value(self.pool.statistics()).unwrap_or_default());
        all
    }
}
