//! What is registered, written to the store: entries whose id does not exist yet, and what was counted, in one transaction.
//!
//! The table `registered` has for each partition of each log how far it was read, and how many of its records were stored,
//! were duplicates, or were read before. So `stored + duplicates` is the number of records that were read, however often
//! a consumer died in between.

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use super::session::COLUMNS;
use crate::registration::Registration;

/// A registration with its offset.
pub(crate) type Numbered = (u64, Registration);

/// What was read of one partition.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) partition: u32,
    /// Offset behind the last one that was read.
    pub(crate) next: u64,
    /// Offsets and registrations, in their order.
    pub(crate) entries: Vec<Numbered>,
}

impl Part {
    pub(crate) fn new(partition: u32) -> Self {
        Self { partition, next: 0, entries: Vec::new() }
    }

    /// Those before `known`, which were read before, and the new ones.
    pub(super) fn split(&self, known: u64) -> (&[Numbered], &[Numbered]) {
        self.entries.split_at(self.entries.partition_point(|(offset, _)| *offset < known))
    }
}

/// What became of registrations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) stored: u64,
    /// Their id was there.
    pub(crate) duplicates: u64,
    /// They were read before, and are in the store.
    pub(crate) redelivered: u64,
}

impl Written {
    /// `count` that were read before, of which `stored` were not there all the same.
    pub(super) fn count_again(&mut self, count: usize, stored: u64) {
        self.stored += stored;
        self.redelivered += (count as u64).saturating_sub(stored);
    }

    /// `count` new ones, of which `stored` were not there.
    pub(super) fn count_new(&mut self, count: usize, stored: u64) {
        self.stored += stored;
        self.duplicates += (count as u64).saturating_sub(stored);
    }

    pub(super) fn add(&mut self, other: Self) {
        self.stored += other.stored;
        self.duplicates += other.duplicates;
        self.redelivered += other.redelivered;
    }
}

/// Writes all parts to an SQLite file.
pub(super) fn into_sqlite(connection: &mut Connection, log: &str, parts: &[Part]) -> rusqlite::Result<Written> {
    // At once for writing: one that begins by reading cannot always go on to write.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut written = Written::default();
    for part in parts {
        let known = "SELECT nextOffset FROM registered WHERE log = ?1 AND topicPartition = ?2";
        let known: Option<u64> =
            transaction.prepare_cached(known)?.query_row(params![log, part.partition], |row| row.get(0)).optional()?;
        let (again, new) = part.split(known.unwrap_or(0));
        let mut of_part = Written::default();
        of_part.count_again(again.len(), insert(&transaction, again)?);
        of_part.count_new(new.len(), insert(&transaction, new)?);
        let Written { stored, duplicates, redelivered } = of_part;
        transaction.prepare_cached(COUNT)?.execute(params![
            log,
            part.partition,
            part.next,
            stored,
            duplicates,
            redelivered
        ])?;
        written.add(of_part);
    }
    transaction.commit()?;
    Ok(written)
}

const COUNT: &str = "INSERT INTO registered VALUES (?1, ?2, ?3, ?4, ?5, ?6)
  ON CONFLICT (log, topicPartition) DO UPDATE SET
  nextOffset = max(nextOffset, excluded.nextOffset), stored = stored + excluded.stored,
  duplicates = duplicates + excluded.duplicates, redelivered = redelivered + excluded.redelivered";

fn insert(transaction: &Transaction<'_>, entries: &[Numbered]) -> rusqlite::Result<u64> {
    let sql = format!(
        "INSERT INTO LogEntry ({COLUMNS}, tidspunkt, registrationId) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
         ON CONFLICT (registrationId) DO NOTHING"
    );
    let mut insert = transaction.prepare_cached(&sql)?;
    let mut stored = 0;
    for (_, one) in entries {
        let values = rusqlite::params_from_iter(one.row.iter().chain([&one.id]));
        stored += insert.execute(values)? as u64;
    }
    Ok(stored)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{By, Query, Session, Store, Wanted, ensure};

    fn registration(id: &str, citizen: &str) -> Registration {
        let row = ["Opslag", citizen, "0101500001", "1", "cvrnumber:1", "FMK", "Hent", "s", "2026-11-02 00:00:00"];
        Registration { id: id.to_owned(), row: row.map(str::to_owned) }
    }

    fn part(partition: u32, from: u64, ids: &[&str]) -> Part {
        let entries: Vec<_> = (from..).zip(ids.iter().map(|id| registration(id, "3112999999"))).collect();
        Part { partition, next: from + ids.len() as u64, entries }
    }

    fn counts(session: &Session) -> (u64, u64, u64) {
        let Session::Sqlite(connection) = session else { panic!("this is SQLite") };
        let sql = "SELECT sum(stored), sum(duplicates), sum(redelivered) FROM registered";
        connection.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap()
    }

    #[test]
    fn an_id_is_stored_once_and_what_is_read_again_is_no_duplicate() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::Sqlite(folder.path().join("auditlog.db"));
        ensure(&store, Wanted { citizens: Some(2), seed: None }, &|| false).unwrap();
        let mut session = store.connect().unwrap();
        let first = [part(0, 0, &["a", "b", "a"]), part(1, 0, &["c"])];
        let written = session.register("x", &first).unwrap();
        assert_eq!(written, Written { stored: 3, duplicates: 1, redelivered: 0 });
        // A consumer that died before its commit: the same again, and more.
        let again = [part(0, 1, &["b", "a", "d", "c"])];
        let written = session.register("x", &again).unwrap();
        assert_eq!(written, Written { stored: 1, duplicates: 1, redelivered: 2 });
        assert_eq!(counts(&session), (4, 2, 2), "six records were read: four stored, two that came twice");
        // Another log begins at 0 again.
        let other = [part(0, 0, &["e", "a"])];
        assert_eq!(session.register("y", &other).unwrap(), Written { stored: 1, duplicates: 1, redelivered: 0 });

        let query = Query {
            by: By::Citizen,
            id: "3112999999".into(),
            from: String::new(),
            until: "9".into(),
            limit: 30,
            offset: 0,
        };
        let found = session.find(&query).unwrap();
        assert_eq!((found.total, found.entries[0][5].as_str()), (5, "FMK"), "lookups find what was registered");
    }

    #[test]
    fn a_transaction_that_fails_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::Sqlite(folder.path().join("auditlog.db"));
        ensure(&store, Wanted { citizens: Some(2), seed: None }, &|| false).unwrap();
        let mut session = store.connect().unwrap();
        session.register("x", &[part(0, 0, &["a"])]).unwrap();
        let Session::Sqlite(connection) = &session else { panic!("this is SQLite") };
        connection
            .execute_batch(
                "CREATE TRIGGER full BEFORE INSERT ON LogEntry WHEN NEW.registrationId = 'c' BEGIN SELECT RAISE(ABORT, 'full'); END",
            )
            .unwrap();
        assert!(session.register("x", &[part(0, 1, &["b", "c"])]).is_err());
        assert_eq!(counts(&session), (1, 0, 0));
    }
}
