//! The store in one SQLite file: filled beside its place, moved there when it is whole.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use rusqlite::{Connection, OpenFlags, OptionalExtension, params};

use super::LAYOUT;
use super::build::Filling;
use crate::data::Archive;

/// Lookups only read, and consumers write for some milliseconds, so nobody waits for long.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// Between two tries for the lock.
const LOCK_PAUSE: Duration = Duration::from_millis(20);
/// Rows between two looks at whether it is over.
const LOOK_EVERY: usize = 2000;

const TABLES: &str = "
CREATE TABLE archive (citizens INTEGER NOT NULL, seed TEXT NOT NULL, layout INTEGER NOT NULL);
CREATE TABLE LogEntry (
  id INTEGER PRIMARY KEY,
  regKode TEXT NOT NULL,
  cprNrBorger TEXT NOT NULL,
  bruger TEXT NOT NULL,
  ansvarlig TEXT NOT NULL,
  orgUsingID TEXT NOT NULL,
  systemName TEXT NOT NULL,
  handling TEXT NOT NULL,
  sessionId TEXT NOT NULL,
  tidspunkt TEXT NOT NULL,
  registrationId TEXT
);
CREATE TABLE registered (
  log TEXT NOT NULL,
  topicPartition INTEGER NOT NULL,
  nextOffset INTEGER NOT NULL,
  stored INTEGER NOT NULL,
  duplicates INTEGER NOT NULL,
  redelivered INTEGER NOT NULL,
  PRIMARY KEY (log, topicPartition)
) WITHOUT ROWID;";

/// Made when the rows are there, which is faster.
const INDEXES: &str = "
CREATE INDEX LogEntry_borger ON LogEntry (cprNrBorger, tidspunkt);
CREATE INDEX LogEntry_bruger ON LogEntry (bruger, tidspunkt);
CREATE UNIQUE INDEX LogEntry_registration ON LogEntry (registrationId);
PRAGMA analysis_limit = 1000; ANALYZE; PRAGMA journal_mode = WAL;";

/// A connection for lookups and consumers.
pub(super) fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // A small cache for each connection: large ones fill at the pace of the load, which would pass for a leak.
    // What is written outlives the process at once, and a machine that breaks down up to the last checkpoint.
    connection.execute_batch("PRAGMA cache_size = -1024; PRAGMA synchronous = NORMAL;")?;
    Ok(connection)
}

/// Finds the store, or fills it if it is missing; `None` if `is_over` became true first.
///
/// # Errors
/// The file is not a store of this system, or cannot be written.
pub(super) fn ensure(path: &Path, archive: Archive, is_over: &dyn Fn() -> bool) -> Result<Option<Archive>> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).with_context(|| format!("cannot create `{}`", parent.display()))?;
    }
    // Held until this function returns. The file stays: deleting it would let two builders hold two locks.
    let Some(_lock) = lock(&with_suffix(path, ".lock"), is_over)? else { return Ok(None) };
    if let Some(found) = contents(path)? {
        return Ok(Some(found));
    }
    let filling = Filling::begin(path.display(), archive);
    let is_whole = put(path, archive, is_over)?;
    filling.end();
    Ok(is_whole.then_some(archive))
}

fn lock(path: &Path, is_over: &dyn Fn() -> bool) -> Result<Option<File>> {
    let failed = || format!("cannot lock `{}`", path.display());
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path).with_context(failed)?;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) if is_over() => return Ok(None),
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
            Err(TryLockError::Error(error)) => return Err(error).with_context(failed),
        }
    }
}

/// What is in the store; `None` if there is no file, or an empty one.
fn contents(path: &Path) -> Result<Option<Archive>> {
    match std::fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(|| format!("cannot read the store `{}`", path.display())),
        Ok(file) if file.len() == 0 => return Ok(None),
        Ok(_) => {}
    }
    let foreign = || {
        let path = path.display();
        format!("`{path}` cannot be used as the store of this system; give another path, or remove the file")
    };
    let read = || {
        let sql = "SELECT citizens, seed FROM archive WHERE layout = ?1";
        connect(path)?.query_row(sql, [LAYOUT], |row| Ok((row.get::<_, u64>(0)?, row.get::<_, String>(1)?))).optional()
    };
    let (citizens, seed) = read().with_context(foreign)?.with_context(foreign)?;
    // The seed is text, since SQLite's numbers end at 2^63.
    Ok(Some(Archive { citizens, seed: seed.parse().with_context(foreign)? }))
}

fn put(path: &Path, archive: Archive, is_over: &dyn Fn() -> bool) -> Result<bool> {
    // Under the lock whatever lies there is the rest of a filling that was killed.
    let beside = with_suffix(path, ".building");
    for stale in [beside.clone(), with_suffix(path, "-wal"), with_suffix(path, "-shm")] {
        remove(&stale)?;
    }
    let is_whole =
        fill(&beside, archive, is_over).with_context(|| format!("cannot fill the store `{}`", path.display()));
    if !matches!(is_whole, Ok(true)) {
        remove(&beside)?;
        return is_whole;
    }
    std::fs::rename(&beside, path).with_context(|| format!("cannot put the store at `{}`", path.display()))?;
    Ok(true)
}

fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove `{}`", path.display()))
        }
        _ => Ok(()),
    }
}

fn fill(path: &Path, archive: Archive, is_over: &dyn Fn() -> bool) -> Result<bool> {
    let mut connection = Connection::open(path)?;
    // What breaks off is thrown away whole, so nothing has to survive a crash: no journal, no waiting for disks.
    connection.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536;")?;
    connection.execute_batch(TABLES)?;
    let transaction = connection.transaction()?;
    {
        let mut insert =
            transaction.prepare("INSERT INTO LogEntry VALUES (NULL, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, NULL)")?;
        for (number, entry) in archive.all().enumerate() {
            if number % LOOK_EVERY == 0 && is_over() {
                return Ok(false);
            }
            insert.execute(params![
                entry.code,
                entry.citizen,
                entry.user,
                entry.responsible,
                entry.organisation,
                entry.system,
                entry.action,
                entry.session,
                entry.moment,
            ])?;
        }
        let sql = "INSERT INTO archive VALUES (?1, ?2, ?3)";
        transaction.execute(sql, params![archive.citizens, archive.seed.to_string(), LAYOUT])?;
    }
    transaction.commit()?;
    connection.execute_batch(INDEXES)?;
    connection.close().map_err(|(_, error)| error)?;
    Ok(true)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut text = path.as_os_str().to_owned();
    text.push(suffix);
    PathBuf::from(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{By, Query, Store, Wanted, ensure};

    fn fresh() -> (tempfile::TempDir, PathBuf, Store) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/auditlog.db");
        (folder, path.clone(), Store::Sqlite(path))
    }

    const TEN: Wanted = Wanted { citizens: Some(10), seed: Some(3) };

    #[test]
    fn many_at_once_fill_one_store_and_find_what_was_drawn() {
        let (_folder, _, store) = fresh();
        std::thread::scope(|scope| {
            let works: Vec<_> = (0..4).map(|_| scope.spawn(|| ensure(&store, TEN, &|| false).unwrap())).collect();
            for work in works {
                assert_eq!(work.join().unwrap(), Some(Archive { seed: 3, citizens: 10 }));
            }
        });
        let archive = Archive { seed: 3, citizens: 10 };
        let mut session = store.connect().unwrap();
        for number in 0..10 {
            let query = Query {
                by: By::Citizen,
                id: archive.citizen(number),
                from: String::new(),
                until: "9".to_owned(),
                limit: 30,
                offset: 0,
            };
            let found = session.find(&query).unwrap();
            assert_eq!(found.total, archive.entries_about(number));
            let mut moments: Vec<String> = archive.about(number).map(|entry| entry.moment).collect();
            moments.sort();
            let newest: Vec<String> = moments.into_iter().rev().take(30).collect();
            assert_eq!(found.entries.iter().map(|entry| entry[8].clone()).collect::<Vec<_>>(), newest);
        }
        let helper = archive.helper(7);
        let expected = archive.all().filter(|entry| entry.user == helper).count() as u64;
        let query = Query { by: By::Helper, id: helper, from: String::new(), until: "9".into(), limit: 5, offset: 2 };
        let found = session.find(&query).unwrap();
        assert_eq!((found.total, found.entries.len()), (expected, 5));
    }

    #[test]
    fn what_is_there_is_kept_or_refused() {
        let (_folder, path, store) = fresh();
        ensure(&store, TEN, &|| false).unwrap();
        let any = Wanted { citizens: None, seed: None };
        assert_eq!(ensure(&store, any, &|| false).unwrap(), Some(Archive { seed: 3, citizens: 10 }));
        let other = Wanted { citizens: Some(11), seed: None };
        let message = ensure(&store, other, &|| false).unwrap_err().to_string();
        assert!(message.contains("holds 10 citizens of seed 3"), "{message}");
        std::fs::write(&path, "not a database, and long enough to be none at all").unwrap();
        let message = ensure(&store, any, &|| false).unwrap_err().to_string();
        assert!(message.contains("cannot be used as the store of this system"), "{message}");
    }

    #[test]
    fn a_filling_that_is_broken_off_leaves_nothing_behind() {
        let (_folder, path, store) = fresh();
        let asked = std::cell::Cell::new(0);
        let after_two = || {
            asked.set(asked.get() + 1);
            asked.get() > 2
        };
        assert_eq!(ensure(&store, Wanted { citizens: Some(100), seed: None }, &after_two).unwrap(), None);
        let left: Vec<_> = std::fs::read_dir(path.parent().unwrap()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(left, ["auditlog.db.lock"]);
    }
}
