//! The embedded store: a log-structured one. Rows lie in one keyspace by stream and number; another one finds them by the
//! values of their first attributes.
//!
//! Keys are short enough to lie within the nodes of the sorted list that takes them: with names in them, two thirds of the
//! time that a row took was spent on comparing keys elsewhere in memory.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode};

use super::{Found, Numbered, Standing};
use crate::bundle::{Rows, Value, first_values, values};
use crate::stream::Stream;

/// Number of a stream, then number of a row.
type RowKey = [u8; 12];
/// Number of a stream, place of an attribute, checksum of its value, then number of a row. Values of one checksum are told
/// apart by their rows.
type IndexKey = [u8; 17];
/// The part of it that all rows of one value share.
const VALUE_KEY: usize = 9;

/// Threads that flush memory and merge files. Flushes of one keyspace wait for each other, each on a thread of its own, and
/// a write waits once four parts of a keyspace's memory are to be flushed: with fewer threads than both keyspaces can have
/// waiting, none would be left to close a part that is full, and memory would grow while the disk lags behind.
const WORKERS: usize = 9;

pub(crate) struct Embedded {
    database: Database,
    rows: Keyspace,
    index: Keyspace,
    /// Numbers of streams by their ids, and the same in memory.
    streams: Keyspace,
    numbers: Mutex<HashMap<String, u32>>,
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
        let database =
            Database::builder(folder).manual_journal_persist(true).worker_threads(WORKERS).open().with_context(why)?;
        let options = || KeyspaceCreateOptions::default().max_memtable_size(memory);
        let rows = database.keyspace("numbered_rows", options).with_context(why)?;
        let index = database.keyspace("numbered_index", options).with_context(why)?;
        let streams = database.keyspace("streams", KeyspaceCreateOptions::default).with_context(why)?;
        let mut numbers = HashMap::new();
        for stream in streams.iter() {
            let (id, number) = stream.into_inner().with_context(why)?;
            if let Some(number) = number.first_chunk::<4>() {
                numbers.insert(String::from_utf8_lossy(&id).into_owned(), u32::from_be_bytes(*number));
            }
        }
        // Numbers go up over all streams, each of which has its own range of keys. Nothing is ever removed, but a batch
        // that could not be written leaves its numbers out.
        let (mut found, mut next) = (0, 0);
        for row in rows.iter() {
            let key = row.key().with_context(why)?;
            let number = key.last_chunk::<8>().map_or(0, |number| u64::from_be_bytes(*number));
            (found, next) = (found + 1, next.max(number.saturating_add(1)));
        }
        let (next, numbers) = (AtomicU64::new(next), Mutex::new(numbers));
        Ok(Self { database, rows, index, streams, numbers, next, found, indexed })
    }

    pub(crate) fn rows(&self) -> u64 {
        self.found
    }

    /// The number of a stream, which it gets when it is first asked for.
    fn number(&self, stream: &Stream) -> Result<u32> {
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = numbers.get(&stream.id) {
            return Ok(*number);
        }
        let number = u32::try_from(numbers.len()).context("too many streams")?;
        // Durable with the first rows: the journal is one.
        self.streams.insert(stream.id.as_bytes(), number.to_be_bytes())?;
        numbers.insert(stream.id.clone(), number);
        Ok(number)
    }

    /// Writes bundles in one piece, and waits until they are durable.
    pub(crate) fn write(&self, bundles: &[Rows]) -> Result<()> {
        let mut batch = self.database.batch();
        let mut found_by: Vec<IndexKey> = Vec::new();
        for (stream, row) in bundles.iter().flat_map(Rows::iter) {
            let (of, number) = (self.number(stream)?, self.next.fetch_add(1, Relaxed));
            batch.insert(&self.rows, row_key(of, number).as_slice(), row);
            let Some(values) = first_values(stream, row, self.indexed) else { continue };
            let keys = values.iter().enumerate().map(|(place, value)| index_key((of, place), &written(value), number));
            found_by.extend(keys);
        }
        // Neighbours are put into the sorted list one after the other, on a way that is in the cache.
        found_by.sort_unstable();
        for key in &found_by {
            batch.insert(&self.index, key.as_slice(), []);
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
        let of = self.number(stream)?;
        let is_asked = |found: &Found| {
            asked.is_none_or(|(place, value)| found.values.get(place).is_some_and(|own| written(own) == value))
        };
        let read = |key: &[u8], row: &[u8]| found(stream, key, row).filter(is_asked);
        let Some((place, value)) = asked.filter(|(place, _)| *place < self.indexed) else {
            let all = self.rows.prefix(of.to_be_bytes()).map(|guard| guard.into_inner());
            let all = all.filter_map(|pair| match pair {
                Ok((key, row)) => read(&key, &row).map(Ok),
                Err(error) => Some(Err(error.into())),
            });
            return all.skip(start).take(count).collect();
        };
        let keys = self.index.prefix(&index_key((of, place), value, 0)[..VALUE_KEY]).map(|guard| guard.key());
        let rows = keys.filter_map(|index| {
            let row = index.map_err(anyhow::Error::from).and_then(|index| {
                let Some(number) = index.last_chunk::<8>() else { return Ok(None) };
                let key = row_key(of, u64::from_be_bytes(*number));
                Ok(self.rows.get(key)?.and_then(|row| read(&key, &row)))
            });
            row.transpose()
        });
        rows.skip(start).take(count).collect()
    }

    /// Number of the last row of a stream.
    pub(crate) fn last(&self, stream: &Stream) -> Result<Option<u64>> {
        let Some(last) = self.rows.prefix(self.number(stream)?.to_be_bytes()).next_back() else { return Ok(None) };
        Ok(last.key()?.last_chunk::<8>().map(|number| u64::from_be_bytes(*number)))
    }

    /// Rows by their numbers, both ends included, at most so many.
    pub(crate) fn page(&self, stream: &Stream, from: u64, to: u64, count: usize) -> Result<Vec<Numbered>> {
        let of = self.number(stream)?;
        let (first, last) = (row_key(of, from), row_key(of, to));
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

fn row_key(stream: u32, number: u64) -> RowKey {
    let mut key = [0; 12];
    key[..4].copy_from_slice(&stream.to_be_bytes());
    key[4..].copy_from_slice(&number.to_be_bytes());
    key
}

fn index_key((stream, place): (u32, usize), value: &str, number: u64) -> IndexKey {
    let mut key = [0; 17];
    key[..4].copy_from_slice(&stream.to_be_bytes());
    key[4] = place as u8;
    key[5..VALUE_KEY].copy_from_slice(&crc32fast::hash(value.as_bytes()).to_be_bytes());
    key[VALUE_KEY..].copy_from_slice(&number.to_be_bytes());
    key
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
    use fjall::AbstractTree;
    use std::time::{Duration, Instant};

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

    /// While no flush gets through, what no longer fits into memory waits: this is what stalls a receiver.
    #[test]
    fn writes_wait_for_flushes() {
        let streams = Streams::default();
        streams
            .define(r#"{"name":"home","version":"1","payloadData":[{"name":"house","type":"INT"},{"name":"metro","type":"STRING"}]}"#)
            .unwrap();
        let folder = tempfile::tempdir().unwrap();
        let store = Embedded::open(folder.path(), 32 << 10, 1).unwrap();
        let (written, bundles) = (AtomicU64::new(0), 500);
        let houses: Vec<i32> = (0..100).collect();
        let wait_until = |what: &str, is_so: &dyn Fn() -> bool| {
            let from = Instant::now();
            while !is_so() {
                assert!(from.elapsed() < Duration::from_secs(60), "{what}: {:?}", store.standing());
                std::thread::sleep(Duration::from_millis(10));
            }
        };
        std::thread::scope(|scope| {
            let held_up = [&store.rows, &store.index].map(|keyspace| keyspace.tree.get_flush_lock());
            let writer = scope.spawn(|| {
                for _ in 0..bundles {
                    store.write(&[rows(&streams, &houses)]).unwrap();
                    written.fetch_add(1, Relaxed);
                }
            });
            wait_until("memory fills up", &|| store.rows.sealed_memtable_count() >= 4);
            // The write in hand may still be on its way in.
            let by_then = written.load(Relaxed) + 1;
            std::thread::sleep(Duration::from_millis(500));
            assert!(written.load(Relaxed) <= by_then && by_then < bundles, "{:?}", store.standing());
            drop(held_up);
            wait_until("all is written", &|| writer.is_finished());
        });
        assert_eq!(store.rows.len().unwrap() as u64, 100 * bundles);
    }

    #[test]
    fn values_of_one_checksum_are_told_apart_and_streams_keep_their_numbers() {
        // These two have the same CRC-32, 4ddb0c25.
        let names = ["plumless", "buckeroo", "plumless"];
        assert_eq!(crc32fast::hash(names[0].as_bytes()), crc32fast::hash(names[1].as_bytes()));
        let streams = Streams::default();
        for name in ["first", "second"] {
            let stream =
                format!(r#"{{"name":"{name}","version":"1","payloadData":[{{"name":"who","type":"STRING"}}]}}"#);
            streams.define(&stream).unwrap();
        }
        let [first, second] = ["first:1", "second:1"].map(|id| streams.get(id).unwrap());
        let rows = |id: &str| {
            let texts = names.iter().flat_map(|name| [id.to_owned(), (*name).to_owned()]).collect();
            let lists = Lists { events: 3, longs: vec![7; 3], texts, ..Lists::default() };
            Rows::of(&lists, &streams).unwrap()
        };
        let folder = tempfile::tempdir().unwrap();
        let ids = |store: &Embedded, stream: &Stream, value: &str, start| -> Vec<String> {
            store.find(stream, Some((0, value)), start, 9).unwrap().into_iter().map(|found| found.id).collect()
        };
        {
            let store = Embedded::open(folder.path(), 1 << 20, 1).unwrap();
            store.write(&[rows("second:1"), rows("first:1")]).unwrap();
            assert_eq!(ids(&store, &second, "plumless", 0), ["SECOND-0", "SECOND-2"]);
        }
        let store = Embedded::open(folder.path(), 1 << 20, 1).unwrap();
        assert_eq!(ids(&store, &first, "plumless", 0), ["FIRST-3", "FIRST-5"]);
        assert_eq!(
            (ids(&store, &first, "plumless", 1), ids(&store, &first, "buckeroo", 0)),
            (vec!["FIRST-5".into()], vec!["FIRST-4".into()])
        );
        assert_eq!(ids(&store, &second, "neither", 0), [""; 0]);
    }
}
