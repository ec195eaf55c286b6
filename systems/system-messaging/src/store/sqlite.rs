//! One file in WAL mode. `synchronous = FULL`: each commit reaches the disk before it is told.

use std::path::Path;
use std::time::Duration;

use axum::body::Bytes;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, ToSql};

use super::{Param, StoreError, schema};

/// How long a session waits for another one's transaction.
const BUSY_MAX: Duration = Duration::from_secs(10);
/// Statements kept ready: the few kinds, each for a handful of sizes.
const STATEMENTS: usize = 128;

pub(super) fn connect(path: &Path) -> Result<Connection, StoreError> {
    let connection = Connection::open(path).map_err(|error| store_error(&error))?;
    let set_up = || -> rusqlite::Result<()> {
        connection.busy_timeout(BUSY_MAX)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.execute_batch(schema::SQLITE)
    };
    set_up().map_err(|error| store_error(&error))?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(connection)
}

/// What an error means: mistakes in the data are refused, everything else is the store's trouble.
fn store_error(error: &rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::ConstraintViolation | ErrorCode::TooBig | ErrorCode::TypeMismatch) => {
            StoreError::Refused(error.to_string())
        }
        _ => StoreError::Unavailable(error.to_string()),
    }
}

impl ToSql for Param {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Int(number) => ValueRef::Integer(*number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

pub(super) fn plain(connection: &Connection, sql: &str) -> Result<(), StoreError> {
    connection.execute_batch(sql).map_err(|error| store_error(&error))
}

pub(super) fn exec(connection: &Connection, sql: &str, params: Vec<Param>) -> Result<(), StoreError> {
    let run = || connection.prepare_cached(sql)?.execute(rusqlite::params_from_iter(params));
    run().map(drop).map_err(|error| store_error(&error))
}

pub(super) fn rows(connection: &Connection, sql: &str, params: Vec<Param>) -> Result<Vec<Vec<Param>>, StoreError> {
    let run = || -> rusqlite::Result<Vec<Vec<Param>>> {
        let mut statement = connection.prepare_cached(sql)?;
        let columns = statement.column_count();
        let rows = statement.query_map(rusqlite::params_from_iter(params), |row| {
            (0..columns).map(|column| Ok(value(row.get_ref(column)?))).collect()
        })?;
        rows.collect()
    };
    run().map_err(|error| store_error(&error))
}

fn value(value: ValueRef<'_>) -> Param {
    match value {
        ValueRef::Null => Param::Null,
        ValueRef::Integer(number) => Param::Int(number),
        ValueRef::Real(number) => Param::Int(number as i64),
        ValueRef::Text(text) => Param::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => Param::Bytes(Bytes::copy_from_slice(bytes)),
    }
}
