//! A file of SQLite.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, Result, params};

use super::{Change, Row};

/// How long another process may hold the file, such as one that counts.
const BUSY_MAX: Duration = Duration::from_secs(10);

const SCHEMA: &str = "CREATE TABLE IF NOT EXISTS subscription (
    topic TEXT NOT NULL, callback TEXT NOT NULL, secret TEXT, link TEXT NOT NULL, until_ns INTEGER NOT NULL,
    PRIMARY KEY (topic, callback)
) WITHOUT ROWID";

/// Opens the file, which may be new, and reads what is in it.
pub(super) fn open(path: &Path) -> Result<(Connection, Vec<Row>)> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_MAX)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // Each commit reaches the disk before anybody is told.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.execute_batch(SCHEMA)?;
    let rows = {
        let mut all = connection.prepare("SELECT topic, callback, secret, link, until_ns FROM subscription")?;
        let read = all.query_map([], |row| {
            let (topic, callback, secret) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(Row { topic, callback, secret, link: row.get(3)?, until_ns: row.get(4)? })
        })?;
        read.collect::<Result<_>>()?
    };
    Ok((connection, rows))
}

/// All changes in one transaction.
pub(super) fn write<'a>(connection: &Connection, changes: impl Iterator<Item = &'a Change>) -> Result<()> {
    let transaction = connection.unchecked_transaction()?;
    {
        let mut put = transaction.prepare_cached("INSERT OR REPLACE INTO subscription VALUES (?1, ?2, ?3, ?4, ?5)")?;
        let mut delete = transaction.prepare_cached("DELETE FROM subscription WHERE topic = ?1 AND callback = ?2")?;
        for change in changes {
            match change {
                Change::Put(row) => {
                    put.execute(params![row.topic, row.callback, row.secret, row.link, row.until_ns])?;
                }
                Change::Delete { topic, callback } => {
                    delete.execute(params![topic, callback])?;
                }
            }
        }
    }
    transaction.commit()
}
