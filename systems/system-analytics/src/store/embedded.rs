//! The embedded store: a log-structured one. Rows lie in one keyspace by stream and number; another one finds them by the
//! values of their first attributes.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use anyhow::{Context, Result};
use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode};

use super::{Found, Standing};
use crate::bundle::{Rows, Value, values};
use crate::stream::Stream;

/// Longest value that is found; of a longer one the beginning is.
const VALUE_MAX: usize = 64;

pub(crate) struct Embedded {
    database: Database,
    rows: Keyspace,
    index: Keyspace,
    /// Number of the next row.
    next: AtomicU64,
    found: u64,
    /// Attributes of a stream, from the first on, that rows are found by.
    indexed: usize,
}

impl Embedded {
    /// `memory` is what may be written before it is flushed, bytes.
    pub(crate) fn open(folder: &Path, memory: u64, indexed: usize) -> Result<Self> {
        let why = || format!("the store in `{}` cannot be opened", folder.display());
        let database = Database::builder(folder).manual_journal_persist(true).open().with_context(why)?;
        let options = || KeyspaceCreateOptions::default().max_memtable_size(memory);
        let rows = database.keyspace("rows", options).with_context(why)?;
        let index = database.keyspace("index", options).with_context(why)?;
        // Numbers go up over all streams, each of which has its own range of keys; nothing is ever removed.
        let found = rows.len().with_context(why)? as u64;
        Ok(Self { database, rows, index, next: AtomicU64::new(found), found, indexed })
    }

    pub(crate) fn rows(&self) -> u64 {
        self.found
    }

    /// Writes bundles in one piece, and waits until they are durable.
    pub(crate) fn write(&self, bundles: &[Rows]) -> Result<()> {
        let mut batch = self.database.batch();
        let mut key = Vec::with_capacity(128);
        for (stream, row) in bundles.iter().flat_map(Rows::iter) {
            let number = self.next.fetch_add(1, Relaxed);
            row_key(stream, number, &mut key);
            batch.insert(&self.rows, key.as_slice(), row);
            let Some((_, values)) = values(stream, row) else { continue };
            for (place, value) in values.iter().take(self.indexed).enumerate() {
                index_key(stream, place, &written(value), &mut key);
                key.extend_from_slice(&number.to_be_bytes());
                batch.insert(&self.index, key.as_slice(), []);
            }
        }
        batch.commit()?;
        self.database.persist(PersistMode::SyncData)?;
        Ok(())
    }

    pub(crate) fn find(
        &self,
        stream: &Stream,
        asked: Option<(usize, &str)>,
        start: usize,
        count: usize,
    ) -> Result<Vec<Found>> {
        let mut key = Vec::new();
        let Some((place, value)) = asked.filter(|(place, _)| *place < self.indexed) else {
            row_key(stream, 0, &mut key);
            key.truncate(key.len() - 8);
            let all = self.rows.prefix(&key).map(|guard| guard.into_inner());
            let read = all.filter_map(|pair| {
                let pair = match pair {
                    Ok((key, row)) => found(stream, &key, &row),
                    Err(error) => return Some(Err(error.into())),
                }?;
                let is_asked =
                    asked.is_none_or(|(place, value)| pair.values.get(place).is_some_and(|own| written(own) == value));
                is_asked.then_some(Ok(pair))
            });
            return read.skip(start).take(count).collect();
        };
        index_key(stream, place, value, &mut key);
        let keys = self.index.prefix(&key).map(|guard| guard.key());
        let mut rows = Vec::new();
        for index in keys.skip(start).take(count) {
            let index = index?;
            let Some(number) = index.last_chunk::<8>() else { continue };
            row_key(stream, u64::from_be_bytes(*number), &mut key);
            if let Some(row) = self.rows.get(&key)? {
                rows.extend(found(stream, &key, &row));
            }
        }
        Ok(rows)
    }

    pub(crate) fn standing(&self) -> Standing {
        let keyspaces = [&self.rows, &self.index];
        Standing {
            bytes: keyspaces.iter().map(|keyspace| keyspace.disk_space()).sum::<u64>()
                + self.database.journal_disk_space().unwrap_or_default(),
            tables: keyspaces.iter().map(|keyspace| keyspace.table_count() as u64).sum(),
            waiting: keyspaces.iter().map(|keyspace| keyspace.sealed_memtable_count() as u64).sum(),
            merges: self.database.compactions_completed() as u64,
        }
    }
}

fn row_key(stream: &Stream, number: u64, into: &mut Vec<u8>) {
    into.clear();
    into.extend_from_slice(stream.id.as_bytes());
    into.push(0);
    into.extend_from_slice(&number.to_be_bytes());
}

fn index_key(stream: &Stream, place: usize, value: &str, into: &mut Vec<u8>) {
    into.clear();
    into.extend_from_slice(stream.id.as_bytes());
    into.extend_from_slice(&[0, place as u8]);
    into.extend_from_slice(&value.as_bytes()[..value.len().min(VALUE_MAX)]);
    into.push(0);
}

/// A value as it is asked for.
pub(crate) fn written(value: &Value) -> String {
    match value {
        Value::Whole(whole) => whole.to_string(),
        Value::Real(real) => real.to_string(),
        Value::Bool(is) => is.to_string(),
        Value::Text(text) => text.clone(),
    }
}

fn found(stream: &Stream, key: &[u8], row: &[u8]) -> Option<Found> {
    let number = u64::from_be_bytes(*key.last_chunk::<8>()?);
    let (at, values) = values(stream, row)?;
    Some(Found { id: format!("{}-{number}", stream.table), at, values })
}
