//! A database of a MariaDB, over plain TCP.

use std::future::Future;
use std::time::Duration;

use axum::body::Bytes;
use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Error, Opts, OptsBuilder, Params, Value};

use super::{Param, StoreError, schema};

/// Longest time until a connection is there: a server that starts refuses at once, one that hangs does not.
const CONNECT_MAX: Duration = Duration::from_secs(2);
/// Longest time for one statement: more than a long flush of a busy disk.
const STATEMENT_MAX: Duration = Duration::from_secs(20);
/// Statements kept ready: the few kinds, each for a handful of sizes.
const STATEMENTS: usize = 128;

pub(super) async fn connect(opts: &Opts) -> Result<Conn, StoreError> {
    let opts = OptsBuilder::from_opts(opts.clone()).prefer_socket(false).tcp_nodelay(true).stmt_cache_size(STATEMENTS);
    let name = Opts::from(opts.clone()).db_name().unwrap_or_default().to_owned();
    let mut conn = match bounded(CONNECT_MAX, Conn::new(opts.clone())).await {
        Err(Failed::Server(UNKNOWN_DATABASE, _)) => {
            let mut conn = bounded(CONNECT_MAX, Conn::new(opts.db_name(None::<String>)))
                .await
                .map_err(Failed::into_store_error)?;
            // The name was checked to be letters, digits and `_`.
            plain(&mut conn, &format!("CREATE DATABASE IF NOT EXISTS `{name}`")).await?;
            plain(&mut conn, &format!("USE `{name}`")).await?;
            conn
        }
        other => other.map_err(Failed::into_store_error)?,
    };
    for statement in schema::MARIADB {
        plain(&mut conn, statement).await?;
    }
    // What is too long is to be refused, not cut, whatever the server is set to.
    plain(&mut conn, "SET SESSION sql_mode = 'STRICT_ALL_TABLES', time_zone = '+00:00'").await?;
    Ok(conn)
}

/// `ER_BAD_DB_ERROR`.
const UNKNOWN_DATABASE: u16 = 1049;
/// Errors about the data itself: a duplicate key, a value too long or wrong, a packet too large.
const REFUSALS: [u16; 6] = [1062, 1153, 1264, 1292, 1366, 1406];
/// `ER_LOCK_WAIT_TIMEOUT` and `ER_LOCK_DEADLOCK`.
const CONTENTIONS: [u16; 2] = [1205, 1213];

enum Failed {
    Server(u16, String),
    Other(String),
}

impl Failed {
    fn into_store_error(self) -> StoreError {
        match self {
            Self::Server(code, message) if REFUSALS.contains(&code) => StoreError::Refused(message),
            Self::Server(code, message) if CONTENTIONS.contains(&code) => StoreError::Contended(message),
            Self::Server(_, message) | Self::Other(message) => StoreError::Unavailable(message),
        }
    }
}

async fn bounded<T>(most: Duration, work: impl Future<Output = Result<T, Error>>) -> Result<T, Failed> {
    match tokio::time::timeout(most, work).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(Error::Server(error))) => Err(Failed::Server(error.code, error.to_string())),
        Ok(Err(error)) => Err(Failed::Other(error.to_string())),
        Err(_) => Err(Failed::Other(format!("nothing came within {most:?}"))),
    }
}

impl From<Param> for Value {
    fn from(param: Param) -> Self {
        match param {
            Param::Null => Self::NULL,
            Param::Int(number) => Self::Int(number),
            Param::Text(text) => Self::Bytes(text.into_bytes()),
            Param::Bytes(bytes) => Self::Bytes(bytes.to_vec()),
        }
    }
}

fn params(params: Vec<Param>) -> Params {
    if params.is_empty() { Params::Empty } else { Params::Positional(params.into_iter().map(Value::from).collect()) }
}

pub(super) async fn plain(conn: &mut Conn, sql: &str) -> Result<(), StoreError> {
    bounded(STATEMENT_MAX, conn.query_drop(sql)).await.map_err(Failed::into_store_error)
}

pub(super) async fn exec(conn: &mut Conn, sql: &str, values: Vec<Param>) -> Result<(), StoreError> {
    bounded(STATEMENT_MAX, conn.exec_drop(sql, params(values))).await.map_err(Failed::into_store_error)
}

pub(super) async fn rows(conn: &mut Conn, sql: &str, values: Vec<Param>) -> Result<Vec<Vec<Param>>, StoreError> {
    let rows: Vec<mysql_async::Row> =
        bounded(STATEMENT_MAX, conn.exec(sql, params(values))).await.map_err(Failed::into_store_error)?;
    Ok(rows.into_iter().map(|row| row.unwrap().into_iter().map(value).collect()).collect())
}

fn value(value: Value) -> Param {
    match value {
        Value::Bytes(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Param::Text(text),
            Err(error) => Param::Bytes(Bytes::from(error.into_bytes())),
        },
        Value::Int(number) => Param::Int(number),
        Value::UInt(number) => Param::Int(i64::try_from(number).unwrap_or(i64::MAX)),
        // Moments are asked for as texts, and there are no other kinds of columns.
        _ => Param::Null,
    }
}
