//! The embedded store: a log-structured one. Rows lie in one keyspace by stream and number; another one finds them by the
//! values of their first attributes.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use anyhow::{Context, Result, bail};
use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode};

use super::{Found, Numbered, Standing};
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
        // Numbers go up over all streams, each of which has its own range of keys. Nothing is ever removed, but a batch
        // that could not be written leaves its numbers out.
        let (mut found, mut next) = (0, 0);
        for row in rows.iter() {
            let key = row.key().with_context(why)?;
            let number = key.last_chunk::<8>().map_or(0, |number| u64::from_be_bytes(*number));
            (found, next) = (found + 1, next.max(number.saturating_add(1)));
        }
        Ok(Self { database, rows, index, next: AtomicU64::new(next), found, indexed })
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

    /// Number of the last row of a stream.
    pub(crate) fn last(&self, stream: &Stream) -> Result<Option<u64>> {
        let mut key = Vec::new();
        row_key(stream, 0, &mut key);
        key.truncate(key.len() - 8);
        let Some(last) = self.rows.prefix(&key).next_back() else { return Ok(None) };
        Ok(last.key()?.last_chunk::<8>().map(|number| u64::from_be_bytes(*number)))
    }

    /// Rows by their numbers, both ends included, at most so many.
    pub(crate) fn page(&self, stream: &Stream, from: u64, to: u64, count: usize) -> Result<Vec<Numbered>> {
        let (mut first, mut last) = (Vec::new(), Vec::new());
        row_key(stream, from, &mut first);
        row_key(stream, to, &mut last);
        let mut page = Vec::new();
        if from > to {
            return Ok(page);
        }
        for row in self.rows.range(first..=last).take(count) {
            let (key, row) = row.into_inner()?;
            // One that cannot be read must not be left out in silence.
            let Some(read) = numbered(stream, &key, &row) else {
                bail!("a row of {} cannot be read as its stream says", stream.table)
            };
            page.push(read);
        }
        Ok(page)
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

fn numbered(stream: &Stream, key: &[u8], row: &[u8]) -> Option<Numbered> {
    let number = u64::from_be_bytes(*key.last_chunk::<8>()?);
    let (at, values) = values(stream, row)?;
    Some(Numbered { number, at, values })
}

fn found(stream: &Stream, key: &[u8], row: &[u8]) -> Option<Found> {
    Some(numbered(stream, key, row)?.found(stream))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::Lists;
    use crate::stream::Streams;

    fn rows(streams: &Streams, houses: &[i32]) -> Rows {
        let lists = Lists {
            events: houses.len() as i32,
            ints: houses.to_vec(),
            longs: vec![7; houses.len()],
            texts: houses.iter().flat_map(|house| ["home:1".to_owned(), format!("metro {}", house % 2)]).collect(),
            ..Lists::default()
        };
        Rows::of(&lists, streams).unwrap()
    }

    #[test]
    fn rows_are_found_by_their_first_attributes_also_after_a_restart() {
        let streams = Streams::default();
        let home = r#"{"name":"home","version":"1","payloadData":[{"name":"house","type":"INT"},{"name":"metro","type":"STRING"}]}"#;
        streams.define(home).unwrap();
        let stream = streams.get("home:1").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let ids = |store: &Embedded, asked: Option<(usize, &str)>, start, count| -> Vec<String> {
            store.find(&stream, asked, start, count).unwrap().into_iter().map(|found| found.id).collect()
        };
        {
            let store = Embedded::open(folder.path(), 1 << 20, 1).unwrap();
            store.write(&[rows(&streams, &[1, 2, 12]), rows(&streams, &[2])]).unwrap();
            // 1 is not the beginning of 12, and a field without an index is read through.
            assert_eq!(ids(&store, Some((0, "1")), 0, 10), ["HOME-0"]);
            assert_eq!(ids(&store, Some((0, "2")), 0, 10), ["HOME-1", "HOME-3"]);
            assert_eq!(ids(&store, Some((0, "2")), 1, 10), ["HOME-3"]);
            assert_eq!(ids(&store, Some((1, "metro 0")), 0, 2), ["HOME-1", "HOME-2"]);
            assert_eq!(ids(&store, None, 2, 10), ["HOME-2", "HOME-3"]);
            assert_eq!(store.last(&stream).unwrap(), Some(3));
            // A batch that was given numbers and never written.
            store.next.fetch_add(5, Relaxed);
            store.write(&[rows(&streams, &[9])]).unwrap();
        }
        let store = Embedded::open(folder.path(), 1 << 20, 1).unwrap();
        assert_eq!(store.rows(), 5);
        store.write(&[rows(&streams, &[10])]).unwrap();
        assert_eq!(ids(&store, None, 0, 10).len(), 6, "no number is used twice");
        assert_eq!(ids(&store, Some((0, "10")), 0, 10), ["HOME-10"]);
        // Pages go over the numbers that are missing, and stay with their stream.
        let page = |from, to, count| -> Vec<u64> {
            store.page(&stream, from, to, count).unwrap().into_iter().map(|row| row.number).collect()
        };
        assert_eq!((page(0, 10, 3), page(3, 10, 3), page(4, 8, 9)), (vec![0, 1, 2], vec![3, 9, 10], vec![]));
        assert_eq!((page(0, u64::MAX, 99).len(), page(5, 4, 9)), (6, vec![]));
        let other = r#"{"name":"other","version":"1","payloadData":[{"name":"n","type":"INT"}]}"#;
        streams.define(other).unwrap();
        assert_eq!(store.last(&streams.get("other:1").unwrap()).unwrap(), None);
    }
}
