//! Builds a store in SQLite: one thread makes rows, another inserts them, all in one transaction.

use std::path::Path;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Instant;

use anyhow::{Context, Result};
use rusqlite::{Connection, Statement, params};

use super::{QUIET_MAX, schema, with_suffix};
use crate::data::{Catalogue, Holding, Instance, Item, Record};
use crate::store::{Contents, LAYOUT};

/// Instances that travel together from one thread to the other.
const BATCH: u64 = 200;
/// Batches that may wait: about 10 MB.
const BATCHES_MAX: usize = 8;

/// Builds the store beside its place and moves it there when it is whole; false if `is_over` became true first.
pub(super) fn build(path: &Path, contents: &Contents, is_over: &dyn Fn() -> bool) -> Result<bool> {
    let started = Instant::now();
    let is_loud = contents.instances > QUIET_MAX;
    if is_loud {
        eprintln!("building the store `{}` with {} instances", path.display(), contents.instances);
    }
    // The caller holds the lock, so whatever lies there is the rest of a build that was killed.
    let beside = with_suffix(path, ".building");
    for stale in [beside.clone(), with_suffix(path, "-wal"), with_suffix(path, "-shm")] {
        remove(&stale)?;
    }
    let is_whole =
        fill(&beside, contents, is_over).with_context(|| format!("cannot build the store `{}`", path.display()));
    if !matches!(is_whole, Ok(true)) {
        remove(&beside)?;
        return is_whole;
    }
    std::fs::rename(&beside, path).with_context(|| format!("cannot put the store at `{}`", path.display()))?;
    if is_loud {
        eprintln!("built it in {:.1} s", started.elapsed().as_secs_f64());
    }
    Ok(true)
}

fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove `{}`", path.display()))
        }
        _ => Ok(()),
    }
}

fn fill(path: &Path, contents: &Contents, is_over: &dyn Fn() -> bool) -> Result<bool> {
    let mut connection = Connection::open(path)?;
    // A build that breaks off is thrown away whole, so nothing has to survive a crash: no journal, no waiting for disks.
    // Records of some kB fit larger pages better.
    connection.execute_batch(
        "PRAGMA page_size = 8192; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY;
         PRAGMA cache_size = -65536;",
    )?;
    connection.execute_batch(&schema::tables(&contents.tenant))?;
    let (catalogue, instances) = (Catalogue::new(contents.seed), contents.instances);
    let is_whole = std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel(BATCHES_MAX);
        scope.spawn(move || catalogue.batches(0..instances, BATCH).try_for_each(|batch| sender.send(batch)));
        insert(&mut connection, contents, receiver, is_over)
    })?;
    if !is_whole {
        return Ok(false);
    }
    connection.execute_batch(&schema::indexes(&contents.tenant))?;
    // Statistics of a prefix do for indexes as even as these. The file keeps its mode.
    connection.execute_batch("PRAGMA analysis_limit = 1000; ANALYZE; PRAGMA journal_mode = WAL;")?;
    connection.close().map_err(|(_, error)| error)?;
    Ok(true)
}

fn insert(
    connection: &mut Connection,
    contents: &Contents,
    receiver: Receiver<Vec<Item>>,
    is_over: &dyn Fn() -> bool,
) -> Result<bool> {
    let transaction = connection.transaction()?;
    {
        let mut statements = Statements::prepare(&transaction, &contents.tenant)?;
        for batch in receiver {
            if is_over() {
                return Ok(false);
            }
            for (instance, record, holdings) in &batch {
                statements.insert(instance, record, holdings)?;
            }
        }
        let sql = "INSERT INTO inventory_store (tenant, instances, seed, layout) VALUES (?1, ?2, ?3, ?4)";
        transaction.execute(sql, params![contents.tenant, contents.instances, contents.seed.to_string(), LAYOUT])?;
    }
    transaction.commit()?;
    Ok(true)
}

struct Statements<'a> {
    record: Statement<'a>,
    raw: Statement<'a>,
    marc: Statement<'a>,
    holding: Statement<'a>,
}

impl<'a> Statements<'a> {
    fn prepare(connection: &'a Connection, tenant: &str) -> rusqlite::Result<Self> {
        Ok(Self {
            record: connection.prepare(&format!(
                "INSERT INTO {tenant}_records VALUES (?1, ?2, ?1, 0, 'MARC_BIB', ?3, ?4, 'ACTUAL', 0, ?5, ?5, ?6)"
            ))?,
            raw: connection.prepare(&format!("INSERT INTO {tenant}_raw_records VALUES (?1, ?2)"))?,
            marc: connection.prepare(&format!("INSERT INTO {tenant}_marc_records VALUES (?1, ?2)"))?,
            holding: connection.prepare(&format!("INSERT INTO {tenant}_holdings_record VALUES (?1, ?2, ?3)"))?,
        })
    }

    fn insert(&mut self, instance: &Instance, record: &Record, holdings: &[Holding]) -> rusqlite::Result<()> {
        let Record { id, snapshot_id, json, raw, created, title } = record;
        self.record.execute(params![id, snapshot_id, instance.uuid, instance.hrid, created, title])?;
        self.raw.execute(params![id, raw])?;
        self.marc.execute(params![id, json])?;
        for holding in holdings {
            self.holding.execute(params![holding.id, holding.json, instance.uuid])?;
        }
        Ok(())
    }
}
