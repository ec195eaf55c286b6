//! The mirror: what one log has, written to another one, with the same keys and so to the same partitions.
//!
//! Offsets are committed where it reads when the records are written where it writes. A mirror that dies in between writes
//! them again when it is back: at least once, in Kafka's words. Whoever reads there has to know them by their ids.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use axum::Router;
use serde_json::{Map, Value};
use system_common::Module;

use crate::log::{Item, Reader, Record, Sink, Writer, write_record};

/// A running mirror.
pub(crate) struct Mirror {
    reader: Arc<Reader>,
    to: Writer,
    written: AtomicU64,
}

impl Mirror {
    pub(crate) fn new(reader: Arc<Reader>, to: Writer) -> Arc<Self> {
        Arc::new(Self { reader, to, written: AtomicU64::new(0) })
    }

    /// None of its own.
    pub(crate) fn routes(&self) -> Router {
        Router::new()
    }
}

impl Sink for Mirror {
    async fn take(&self, _log: &str, items: Vec<Item>) -> Result<(), String> {
        let mut frames = Vec::with_capacity(items.iter().map(|item| item.value.len() + 64).sum());
        for item in &items {
            write_record(Record { offset: 0, key: &item.key, value: &item.value }, &mut frames);
        }
        let count = items.len() as u64;
        self.to.produce(&self.reader.topic, frames.into(), count).await.map_err(|error| error.to_string())?;
        self.written.fetch_add(count, Relaxed);
        Ok(())
    }
}

impl Module for Mirror {
    async fn health(&self) -> Result<(), String> {
        self.reader.health(1).await
    }

    fn counters(&self) -> Map<String, Value> {
        let mut mirror = self.reader.status.counters();
        mirror.insert("written".to_owned(), self.written.load(Relaxed).into());
        [("mirror".to_owned(), Value::Object(mirror))].into_iter().collect()
    }
}
