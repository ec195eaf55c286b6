//! The store: one SQLite file with the tables of one tenant.

mod build;
mod schema;

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rusqlite::{Connection, OpenFlags, OptionalExtension};

use crate::data::{INSTANCES_DEFAULT, SEED_DEFAULT};

/// Where a store is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Store {
    path: PathBuf,
}

impl FromStr for Store {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_prefix("sqlite://") {
            Some(path) if !path.is_empty() => Ok(Self { path: PathBuf::from(path) }),
            _ => Err(format!("`{text}` is no store; write `sqlite://PATH`, for example `sqlite:///tmp/inventory.db`")),
        }
    }
}

/// What a store is to hold; `None` takes what is there.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) tenant: String,
    pub(crate) instances: Option<u64>,
    pub(crate) seed: Option<u64>,
}

/// What a store holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Contents {
    pub(crate) tenant: String,
    pub(crate) instances: u64,
    pub(crate) seed: u64,
}

/// A tenant's name: it becomes part of the names of tables.
pub(crate) fn tenant_name(text: &str) -> Result<String, String> {
    let is_good = text.len() <= 32
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    if is_good {
        Ok(text.to_owned())
    } else {
        Err(format!("`{text}` is no tenant; write at most 32 of `a-z`, `0-9` and `_`, a letter first"))
    }
}

/// Writers wait so long for each other; SQLite has one at a time.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// Prepared statements that a connection keeps; a module has fewer.
const STATEMENTS_MAX: usize = 64;

/// A connection for work.
pub(crate) fn connect(store: &Store) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let open = || -> rusqlite::Result<Connection> {
        let connection = Connection::open_with_flags(&store.path, flags)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        // In WAL mode `NORMAL` survives the end of the process, not of the machine: right for a store made of a seed.
        // The cache is small, since each connection has its own and fills it at the pace of the load: with 8 MB each, ten
        // connections took a module to 100 MB, under light load so slowly that it would pass for a leak. The system's
        // page cache does the rest; throughput was the same.
        connection.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA cache_size = -1024;")?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
        Ok(connection)
    };
    open().with_context(|| format!("cannot open the store `{}`", store.path.display()))
}

/// Finds the store, or builds it if it is not there; `None` if `is_over` became true first.
///
/// Any number of processes may call this for one store at once: one builds, the others wait.
///
/// # Errors
/// The store holds something else than wanted, or cannot be written.
pub(crate) fn ensure(store: &Store, wanted: &Wanted, is_over: &dyn Fn() -> bool) -> Result<Option<Contents>> {
    if let Some(parent) = store.path.parent() {
        std::fs::create_dir_all(parent).with_context(|| format!("cannot create `{}`", parent.display()))?;
    }
    // Held until this function returns. The file stays: deleting it would let two builders hold two locks.
    let Some(_lock) = lock(&with_suffix(&store.path, ".lock"), is_over)? else { return Ok(None) };
    if let Some(contents) = contents(store)? {
        check(store, wanted, &contents)?;
        return Ok(Some(contents));
    }
    let contents = Contents {
        tenant: wanted.tenant.clone(),
        instances: wanted.instances.unwrap_or(INSTANCES_DEFAULT),
        seed: wanted.seed.unwrap_or(SEED_DEFAULT),
    };
    let is_built = build::build(&store.path, &contents, is_over)?;
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
fn contents(store: &Store) -> Result<Option<Contents>> {
    match std::fs::metadata(&store.path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(|| format!("cannot read the store `{}`", store.path.display())),
        Ok(file) if file.len() == 0 => return Ok(None),
        Ok(_) => {}
    }
    let foreign = || {
        let path = store.path.display();
        format!("`{path}` cannot be used as the store of this system; give another path, or remove the file")
    };
    let connection = connect(store).with_context(foreign)?;
    let contents = schema::contents(&connection).optional().with_context(foreign)?;
    contents.with_context(foreign).map(Some)
}

fn check(store: &Store, wanted: &Wanted, found: &Contents) -> Result<()> {
    let is_right = wanted.tenant == found.tenant
        && wanted.instances.is_none_or(|instances| instances == found.instances)
        && wanted.seed.is_none_or(|seed| seed == found.seed);
    if is_right {
        return Ok(());
    }
    let Contents { tenant, instances, seed } = found;
    let path = store.path.display();
    bail!(
        "the store `{path}` holds {instances} instances of seed {seed} for tenant `{tenant}`, which is not what was asked \
         for; give `--instances {instances} --seed {seed} --tenant {tenant}`, or another path, or remove the file"
    )
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

    fn never() -> bool {
        false
    }

    fn wanted(instances: u64) -> Wanted {
        Wanted { tenant: "diku".into(), instances: Some(instances), seed: Some(3) }
    }

    fn fresh() -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/inventory.db");
        (folder, format!("sqlite://{}", path.display()).parse().unwrap())
    }

    #[test]
    fn many_at_once_build_one_store() {
        let (_folder, store) = fresh();
        std::thread::scope(|scope| {
            let works: Vec<_> = (0..4).map(|_| scope.spawn(|| ensure(&store, &wanted(300), &never).unwrap())).collect();
            for work in works {
                assert_eq!(work.join().unwrap().unwrap().instances, 300);
            }
        });
        let connection = connect(&store).unwrap();
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
            let (_folder, store) = fresh();
            ensure(&store, &wanted(instances), &never).unwrap();
            let connection = connect(&store).unwrap();
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
        let (_folder, store) = fresh();
        ensure(&store, &wanted(20), &never).unwrap();
        let any = Wanted { tenant: "diku".into(), instances: None, seed: None };
        assert_eq!(
            ensure(&store, &any, &never).unwrap().unwrap(),
            Contents { tenant: "diku".into(), instances: 20, seed: 3 }
        );
        let message = ensure(&store, &wanted(21), &never).unwrap_err().to_string();
        assert!(message.contains("holds 20 instances of seed 3 for tenant `diku`"), "{message}");
        std::fs::write(&store.path, "not a database, and long enough to be none at all").unwrap();
        let message = ensure(&store, &any, &never).unwrap_err().to_string();
        assert!(message.contains("cannot be used as the store of this system"), "{message}");
    }

    #[test]
    fn an_interrupted_build_leaves_nothing_behind() {
        let (_folder, store) = fresh();
        let asked = std::cell::Cell::new(0);
        let after_two = || {
            asked.set(asked.get() + 1);
            asked.get() > 2
        };
        assert_eq!(ensure(&store, &wanted(50_000), &after_two).unwrap(), None);
        let left: Vec<_> =
            std::fs::read_dir(store.path.parent().unwrap()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(left, ["inventory.db.lock"]);
        assert!(ensure(&store, &wanted(10), &never).unwrap().is_some());
    }

    #[test]
    fn tenants_become_tables_so_their_names_are_plain() {
        assert!(tenant_name("diku_2").is_ok());
        for name in ["", "2diku", "di ku", "x; drop table", "Diku", &"x".repeat(33)] {
            assert!(tenant_name(name).is_err(), "{name}");
        }
    }
}
