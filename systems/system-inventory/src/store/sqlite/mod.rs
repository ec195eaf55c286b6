//! The store in one SQLite file.

mod build;
mod schema;

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use rusqlite::{Connection, OpenFlags, OptionalExtension};

use super::{Contents, QUIET_MAX, StoreOptions};

/// Writers wait so long for each other; SQLite has one at a time. Longer than any limit above it, as with a server, whose
/// writers wait without end: what a caller sees is then its own time-out.
const BUSY_TIMEOUT: Duration = Duration::from_secs(300);
/// Prepared statements that a connection keeps; a module has fewer.
const STATEMENTS_MAX: usize = 64;

/// A connection for work.
pub(super) fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // In WAL mode `NORMAL` survives the end of the process, not of the machine: right for a store made of a seed.
    // The cache is small, since each connection has its own and fills it at the pace of the load: with 8 MB each, ten
    // connections took a module to 100 MB, under light load so slowly that it would pass for a leak. The system's
    // page cache does the rest; throughput was the same.
    connection.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA cache_size = -1024;")?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    Ok(connection)
}

/// Finds the store, or builds it if it is missing; `None` if `is_over` became true first.
///
/// # Errors
/// The file is not a store of this system, or cannot be written.
pub(super) fn ensure(path: &Path, wanted: &StoreOptions, is_over: &dyn Fn() -> bool) -> Result<Option<Contents>> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).with_context(|| format!("cannot create `{}`", parent.display()))?;
    }
    // Held until this function returns. The file stays: deleting it would let two builders hold two locks.
    let Some(_lock) = lock(&with_suffix(path, ".lock"), is_over)? else { return Ok(None) };
    if let Some(contents) = contents(path)? {
        return Ok(Some(contents));
    }
    let contents = Contents::of(wanted);
    let is_built = build::build(path, &contents, is_over)?;
    Ok(is_built.then_some(contents))
}

/// Between two tries for the lock.
const LOCK_PAUSE: Duration = Duration::from_millis(20);

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
fn contents(path: &Path) -> Result<Option<Contents>> {
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
    let connection = connect(path).with_context(foreign)?;
    let contents = schema::contents(&connection).optional().with_context(foreign)?;
    contents.with_context(foreign).map(Some)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut text = path.as_os_str().to_owned();
    text.push(suffix);
    PathBuf::from(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Catalogue;
    use crate::store::{Store, ensure};

    fn never() -> bool {
        false
    }

    fn wanted(instances: u64) -> StoreOptions {
        StoreOptions { tenant: "diku".into(), instances: Some(instances), seed: Some(3) }
    }

    fn fresh() -> (tempfile::TempDir, PathBuf, Store) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/inventory.db");
        (folder, path.clone(), Store::Sqlite(path))
    }

    #[test]
    fn many_at_once_build_one_store() {
        let (_folder, path, store) = fresh();
        std::thread::scope(|scope| {
            let works: Vec<_> = (0..4).map(|_| scope.spawn(|| ensure(&store, &wanted(300), &never).unwrap())).collect();
            for work in works {
                assert_eq!(work.join().unwrap().unwrap().instances, 300);
            }
        });
        let connection = connect(&path).unwrap();
        let count = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, u64>(0)).unwrap();
        assert_eq!(count("SELECT count(*) FROM diku_records"), 300);
        assert_eq!(count("SELECT count(*) FROM diku_marc_records"), 300);
        let catalogue = Catalogue::new(3);
        let holdings: usize = (0..300).map(|number| catalogue.holdings(&catalogue.instance(number)).len()).sum();
        assert_eq!(count("SELECT count(*) FROM diku_holdings_record"), holdings as u64);
        let mode: String = connection.query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap();
        assert_eq!(mode, "wal");
    }

    #[test]
    fn a_small_store_is_the_beginning_of_a_large_one() {
        let rows = |instances| {
            let (_folder, path, store) = fresh();
            ensure(&store, &wanted(instances), &never).unwrap();
            let connection = connect(&path).unwrap();
            let sql = "SELECT instance_hrid, content FROM diku_records JOIN diku_marc_records USING (id)
                       ORDER BY instance_hrid LIMIT 50";
            let mut statement = connection.prepare(sql).unwrap();
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
            rows.collect::<rusqlite::Result<Vec<(String, String)>>>().unwrap()
        };
        assert_eq!(rows(50), rows(400));
    }

    #[test]
    fn what_is_there_is_kept_or_refused() {
        let (_folder, path, store) = fresh();
        ensure(&store, &wanted(20), &never).unwrap();
        let any = StoreOptions { tenant: "diku".into(), instances: None, seed: None };
        assert_eq!(
            ensure(&store, &any, &never).unwrap().unwrap(),
            Contents { tenant: "diku".into(), instances: 20, seed: 3 }
        );
        let message = ensure(&store, &wanted(21), &never).unwrap_err().to_string();
        assert!(message.contains("holds 20 instances of seed 3 for tenant `diku`"), "{message}");
        std::fs::write(&path, "not a database, and long enough to be none at all").unwrap();
        let message = ensure(&store, &any, &never).unwrap_err().to_string();
        assert!(message.contains("cannot be used as the store of this system"), "{message}");
    }

    #[test]
    fn an_interrupted_build_leaves_nothing_behind() {
        let (_folder, path, store) = fresh();
        let asked = std::cell::Cell::new(0);
        let after_two = || {
            asked.set(asked.get() + 1);
            asked.get() > 2
        };
        assert_eq!(ensure(&store, &wanted(50_000), &after_two).unwrap(), None);
        let left: Vec<_> = std::fs::read_dir(path.parent().unwrap()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(left, ["inventory.db.lock"]);
        assert!(ensure(&store, &wanted(10), &never).unwrap().is_some());
    }
}
