//! Where events end, and are looked for.

mod embedded;
mod jdbc;
mod mariadb;
mod postgres;
mod table;

use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;
use system_common::{Limit, Stall};

use crate::bundle::{Rows, Value};
use crate::queue::Queue;
use crate::stream::Stream;

pub(crate) use jdbc::Jdbc;

use embedded::Embedded;
use mariadb::MariaDb;
use postgres::Postgres;
use table::Dialect;
use tokio::runtime::Handle;

/// Events that are written in one piece.
const BATCH: usize = 10_000;
/// How often a database is asked for its size, at least, while it is written to.
const SIZE_EVERY: Duration = Duration::from_secs(1);

/// What a look for rows finds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Found {
    pub(crate) id: String,
    pub(crate) at: i64,
    pub(crate) values: Vec<Value>,
}

/// A row with its number in the store; numbers go up, with gaps.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Numbered {
    pub(crate) number: u64,
    pub(crate) at: i64,
    pub(crate) values: Vec<Value>,
}

impl Numbered {
    fn found(self, stream: &Stream) -> Found {
        Found { id: format!("{}-{}", stream.table, self.number), at: self.at, values: self.values }
    }
}

/// How a store does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Standing {
    /// Bytes on the disk.
    pub(crate) bytes: u64,
    /// Files that memory was flushed to, and that were not merged yet.
    pub(crate) tables: u64,
    /// Parts of memory that wait to be flushed.
    pub(crate) waiting: u64,
    /// Merges that are done.
    pub(crate) merges: u64,
}

/// Which store, and how it is set up.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// A MariaDB or a PostgreSQL, as a URL; else the embedded one.
    pub(crate) url: Option<String>,
    /// Where the embedded one has its files.
    pub(crate) folder: PathBuf,
    /// What it keeps in memory, bytes.
    pub(crate) memory: u64,
    /// Attributes of a stream, from the first on, that rows are found by.
    pub(crate) indexed: usize,
}

/// A database of a server; each call waits for its end.
trait Database: Send {
    /// Writes bundles in one transaction.
    fn write(&mut self, bundles: &[Rows]) -> Result<()>;
    /// Rows of a stream, of which one may be asked for by the value of an attribute: those from the first number on, at
    /// most the second.
    fn find(&mut self, stream: &Stream, asked: Option<(usize, &str)>, part: (usize, usize)) -> Result<Vec<Found>>;
    /// Number of the last row of a stream, whose table is made where it does not exist yet.
    fn last(&mut self, stream: &Stream) -> Result<Option<u64>>;
    /// Rows of a stream in the order of their numbers: from the first of these to the second, at most so many.
    fn page(&mut self, stream: &Stream, from: u64, to: u64, count: usize) -> Result<Vec<Numbered>>;
    /// A table's highest number, or how many numbers of a range it has: the one whole number that a statement gives.
    fn number(&mut self, select: String) -> Result<Option<u64>>;
}

/// The database of a store, read by somebody else: which numbers the rows of a table have.
pub(crate) struct Reading {
    database: Mutex<Box<dyn Database>>,
    words: Dialect,
}

impl Reading {
    /// Connects. Blocks.
    ///
    /// # Errors
    /// A URL of another form, a database that does not answer.
    pub(crate) fn open(url: &str, runtime: &Handle) -> Result<Self> {
        let words = Dialect::of(url);
        let database = connect(url, 0, runtime)?;
        Ok(Self { database, words })
    }

    /// The table's name as it stands in a statement.
    pub(crate) fn quoted(&self, table: &str) -> String {
        self.words.quoted(table)
    }

    /// Number of the last row; `None` of an empty table. Blocks.
    ///
    /// # Errors
    /// A table that does not exist, a database that does not answer.
    pub(crate) fn last(&self, table: &str) -> Result<Option<u64>> {
        self.number(format!("SELECT max(id) FROM {}", self.quoted(table)))
    }

    /// Rows whose numbers lie in a range: a bundle that was rolled back has left its numbers out. Blocks.
    ///
    /// # Errors
    /// As [`Reading::last`].
    pub(crate) fn rows(&self, table: &str, numbers: &Range<u64>) -> Result<u64> {
        let (from, to) = (numbers.start, numbers.end);
        let counted = format!("SELECT count(*) FROM {} WHERE id >= {from} AND id < {to}", self.quoted(table));
        Ok(self.number(counted)?.unwrap_or_default())
    }

    fn number(&self, select: String) -> Result<Option<u64>> {
        self.database.lock().unwrap_or_else(PoisonError::into_inner).number(select)
    }
}

/// Bytes of a database.
fn size(database: &Mutex<Box<dyn Database>>, words: Dialect) -> Result<u64> {
    let size = database.lock().unwrap_or_else(PoisonError::into_inner).number(words.size())?;
    Ok(size.unwrap_or_default())
}

fn connect(url: &str, indexed: usize, runtime: &Handle) -> Result<Mutex<Box<dyn Database>>> {
    let runtime = runtime.clone();
    Ok(Mutex::new(match Dialect::of(url) {
        Dialect::Postgres => Box::new(Postgres::open(url, indexed, runtime)?),
        Dialect::MariaDb => Box::new(MariaDb::open(url, indexed, runtime)?),
    }))
}

/// What makes it slow on purpose.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slowness {
    /// When nothing is written; a write that has begun ends.
    pub(crate) stall: Option<Stall>,
    /// From when on each commit takes longer.
    pub(crate) limit: Option<Limit>,
    /// Since when stalls are counted.
    pub(crate) born: Instant,
}

impl Slowness {
    fn stalled(&self) -> Duration {
        self.stall.map_or(Duration::ZERO, |stall| stall.wait(self.born.elapsed()))
    }

    /// What a commit that took so long takes longer, when so many rows are there.
    fn beyond_limit(&self, rows: u64, took: Duration) -> Duration {
        self.limit.map_or(Duration::ZERO, |limit| limit.wait(rows, took))
    }
}

enum Inner {
    Embedded(Embedded),
    /// One connection writes and another one reads, so that neither waits for the other.
    Database {
        writing: Mutex<Box<dyn Database>>,
        reading: Mutex<Box<dyn Database>>,
        words: Dialect,
        /// Bytes of it when it was last asked.
        bytes: AtomicU64,
    },
}

/// A store, with what has been put into it.
pub(crate) struct Store {
    inner: Inner,
    /// Events that a loss of power does not take away.
    pub(crate) durable: AtomicU64,
    /// Events that were there when it was opened.
    pub(crate) found: u64,
    /// Longest time that writing a batch took, microseconds.
    pub(crate) slowest_us: AtomicU64,
    /// Batches that could not be written.
    pub(crate) failed: AtomicU64,
}

impl Store {
    /// Opens it, and makes what is missing. Blocks.
    ///
    /// # Errors
    /// Files that cannot be used, a database that does not answer.
    pub(crate) fn open(settings: &Settings, runtime: &Handle) -> Result<Self> {
        let Settings { url, folder, memory, indexed } = settings;
        let (inner, found) = match url {
            None => {
                let embedded = Embedded::open(folder, *memory, *indexed)?;
                let found = embedded.rows();
                (Inner::Embedded(embedded), found)
            }
            Some(url) => {
                let connect = || connect(url, *indexed, runtime);
                let (writing, reading, words) = (connect()?, connect()?, Dialect::of(url));
                let bytes = AtomicU64::new(size(&writing, words)?);
                (Inner::Database { writing, reading, words, bytes }, 0)
            }
        };
        Ok(Self { inner, durable: AtomicU64::new(0), found, slowest_us: AtomicU64::new(0), failed: AtomicU64::new(0) })
    }

    /// Takes from the queue until it is closed and empty.
    pub(crate) fn fill(&self, queue: &Queue, slowness: &Slowness) {
        let mut sized = Instant::now();
        while let Some(bundles) = queue.pop(BATCH) {
            let events = bundles.iter().map(Rows::len).sum::<usize>();
            std::thread::sleep(slowness.stalled());
            let since = Instant::now();
            let written = match &self.inner {
                Inner::Embedded(embedded) => embedded.write(&bundles),
                Inner::Database { writing, .. } => {
                    writing.lock().unwrap_or_else(PoisonError::into_inner).write(&bundles)
                }
            };
            std::thread::sleep(slowness.beyond_limit(self.found + self.durable.load(Relaxed), since.elapsed()));
            match written {
                Ok(()) => self.durable.fetch_add(events as u64, Relaxed),
                Err(error) => {
                    // A full disk: what was accepted is lost, and the counts say so.
                    eprintln!("{events} events could not be stored: {error}");
                    self.failed.fetch_add(1, Relaxed)
                }
            };
            let took = u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX);
            self.slowest_us.fetch_max(took, Relaxed);
            if let Inner::Database { writing, words, bytes, .. } = &self.inner
                && (sized.elapsed() >= SIZE_EVERY || queue.depth() <= events)
            {
                sized = Instant::now();
                // One that does not answer is known by the batches that fail.
                size(writing, *words).into_iter().for_each(|size| bytes.store(size, Relaxed));
            }
            queue.done(events);
        }
    }

    /// Rows of a stream in which a field has a value, from the `start`th on; all rows without one.
    ///
    /// # Errors
    /// Files that cannot be read.
    pub(crate) fn find(
        &self,
        stream: &Arc<Stream>,
        asked: Option<(usize, &str)>,
        start: usize,
        count: usize,
    ) -> Result<Vec<Found>> {
        match &self.inner {
            Inner::Embedded(embedded) => embedded.find(stream, asked, start, count),
            Inner::Database { reading, .. } => {
                reading.lock().unwrap_or_else(PoisonError::into_inner).find(stream, asked, (start, count))
            }
        }
    }

    /// Number of the last row of a stream.
    ///
    /// # Errors
    /// Files that cannot be read, a database that does not answer.
    pub(crate) fn last(&self, stream: &Stream) -> Result<Option<u64>> {
        match &self.inner {
            Inner::Embedded(embedded) => embedded.last(stream),
            Inner::Database { reading, .. } => reading.lock().unwrap_or_else(PoisonError::into_inner).last(stream),
        }
    }

    /// Rows of a stream in the order of their numbers, `from` one `to` another, at most so many. A search may come in
    /// between two pages.
    ///
    /// # Errors
    /// Files that cannot be read, a database that does not answer.
    pub(crate) fn page(&self, stream: &Stream, from: u64, to: u64, count: usize) -> Result<Vec<Numbered>> {
        match &self.inner {
            Inner::Embedded(embedded) => embedded.page(stream, from, to, count),
            Inner::Database { reading, .. } => {
                reading.lock().unwrap_or_else(PoisonError::into_inner).page(stream, from, to, count)
            }
        }
    }

    pub(crate) fn standing(&self) -> Standing {
        match &self.inner {
            Inner::Embedded(embedded) => embedded.standing(),
            // Its files and merges are its own.
            Inner::Database { bytes, .. } => Standing { bytes: bytes.load(Relaxed), ..Standing::default() },
        }
    }
}
