//! A store in a database of a MariaDB, over plain TCP: a table for each stream, with an index on each of its first
//! attributes. Where these outgrow the server's memory, every row costs reads of the disk.

use std::collections::BTreeSet;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Opts, OptsBuilder, Row, Value as Sql};
use tokio::runtime::Handle;

use super::table::Dialect;
use super::{Database, Found, Numbered};
use crate::bundle::{Rows, Value, values};
use crate::stream::{Stream, Type};

/// Longest time until a connection is there, and for one statement: a server at its limit is slow.
const CONNECT_MAX: Duration = Duration::from_secs(5);
const STATEMENT_MAX: Duration = Duration::from_secs(120);
/// Rows of one INSERT, and values, of which the protocol takes 65,535.
const ROWS_MAX: usize = 1000;
const VALUES_MAX: usize = 60_000;
const WORDS: Dialect = Dialect::MariaDb;

pub(super) struct MariaDb {
    opts: Opts,
    runtime: Handle,
    /// Attributes of a stream, from the first on, with an index.
    indexed: usize,
    conn: Option<Conn>,
    /// Streams whose tables are there.
    made: BTreeSet<String>,
}

impl MariaDb {
    /// Connects; the runtime is another thread's.
    ///
    /// # Errors
    /// A URL that is none, a server that does not answer.
    pub(super) fn open(url: &str, indexed: usize, runtime: Handle) -> Result<Self> {
        let opts = Opts::from_url(url).with_context(|| format!("`{url}` is not `mysql://user@host:port/database`"))?;
        let mut store = Self { opts, runtime, indexed, conn: None, made: BTreeSet::new() };
        store.run(async |_| Ok(()))?;
        Ok(store)
    }

    /// Runs one piece of work; a connection on which it failed is not used again.
    fn run<T>(&mut self, work: impl AsyncFnOnce(&mut Conn) -> Result<T>) -> Result<T> {
        let runtime = self.runtime.clone();
        if self.conn.is_none() {
            let opts = OptsBuilder::from_opts(self.opts.clone()).prefer_socket(false).tcp_nodelay(true);
            self.conn = Some(runtime.block_on(bounded(CONNECT_MAX, Conn::new(opts)))?);
        }
        let conn = self.conn.as_mut().context("the database is not connected")?;
        let done = runtime.block_on(work(conn));
        if done.is_err() {
            self.conn = None;
        }
        done
    }
}

impl Database for MariaDb {
    fn write(&mut self, bundles: &[Rows]) -> Result<()> {
        let mut streams: Vec<(Arc<Stream>, Vec<Sql>, usize)> = Vec::new();
        for (stream, row) in bundles.iter().flat_map(Rows::iter) {
            let Some((at, values)) = values(stream, row) else { continue };
            let place = match streams.iter().position(|(known, ..)| known.id == stream.id) {
                Some(place) => place,
                None => {
                    streams.push((stream.clone(), Vec::new(), 0));
                    streams.len() - 1
                }
            };
            let (_, sql, rows) = &mut streams[place];
            sql.push(at.into());
            sql.extend(values.into_iter().map(to_sql));
            *rows += 1;
        }
        let indexed = self.indexed;
        for (stream, ..) in &streams {
            if !self.made.contains(&stream.id) {
                for statement in WORDS.create(stream, indexed) {
                    self.run(async |conn| bounded(STATEMENT_MAX, conn.query_drop(statement)).await)?;
                }
                self.made.insert(stream.id.clone());
            }
        }
        self.run(async |conn| {
            bounded(STATEMENT_MAX, conn.query_drop("START TRANSACTION")).await?;
            for (stream, sql, _) in streams {
                let width = stream.attributes.len() + 1;
                let each = ROWS_MAX.min(VALUES_MAX / width).max(1);
                for chunk in sql.chunks(each * width) {
                    let insert = insert(&stream, chunk.len() / width);
                    bounded(STATEMENT_MAX, conn.exec_drop(insert, chunk.to_vec())).await?;
                }
            }
            bounded(STATEMENT_MAX, conn.query_drop("COMMIT")).await
        })
    }

    fn find(
        &mut self,
        stream: &Stream,
        asked: Option<(usize, &str)>,
        (start, count): (usize, usize),
    ) -> Result<Vec<Found>> {
        let mut select = format!("SELECT id, at, {} FROM {}", WORDS.columns(stream), WORDS.quoted(&stream.table));
        let mut parameters: Vec<Sql> = Vec::new();
        if let Some((place, value)) = asked {
            let attribute = stream.attributes.get(place).context("the table does not have that field")?;
            select.push_str(&format!(" WHERE {} = ?", WORDS.quoted(&attribute.name)));
            parameters.push(value.into());
        }
        select.push_str(" LIMIT ? OFFSET ?");
        parameters.extend([Sql::from(count as u64), Sql::from(start as u64)]);
        let rows: Vec<Row> = self.run(async |conn| bounded(STATEMENT_MAX, conn.exec(select, parameters)).await)?;
        rows.into_iter().map(|row| Ok(read(stream, row)?.found(stream))).collect()
    }

    fn last(&mut self, stream: &Stream) -> Result<Option<u64>> {
        if !self.made.contains(&stream.id) {
            for statement in WORDS.create(stream, self.indexed) {
                self.run(async |conn| bounded(STATEMENT_MAX, conn.query_drop(statement)).await)?;
            }
            self.made.insert(stream.id.clone());
        }
        self.number(format!("SELECT max(id) FROM {}", WORDS.quoted(&stream.table)))
    }

    fn number(&mut self, select: String) -> Result<Option<u64>> {
        let number: Option<Option<u64>> =
            self.run(async |conn| bounded(STATEMENT_MAX, conn.query_first(select)).await)?;
        Ok(number.flatten())
    }

    fn page(&mut self, stream: &Stream, from: u64, to: u64, count: usize) -> Result<Vec<Numbered>> {
        let (table, columns) = (WORDS.quoted(&stream.table), WORDS.columns(stream));
        let select = format!("SELECT id, at, {columns} FROM {table} WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?");
        let parameters = (from, to, count as u64);
        let rows: Vec<Row> = self.run(async |conn| bounded(STATEMENT_MAX, conn.exec(select, parameters)).await)?;
        rows.into_iter().map(|row| read(stream, row)).collect()
    }
}

async fn bounded<T>(most: Duration, work: impl Future<Output = mysql_async::Result<T>>) -> Result<T> {
    match tokio::time::timeout(most, work).await {
        Ok(done) => Ok(done?),
        Err(_) => Err(anyhow!("the database did not answer within {most:?}")),
    }
}

fn insert(stream: &Stream, rows: usize) -> String {
    let row = format!("(?{})", ", ?".repeat(stream.attributes.len()));
    let (table, columns) = (WORDS.quoted(&stream.table), WORDS.columns(stream));
    format!("INSERT INTO {table} (at, {columns}) VALUES {}", vec![row; rows].join(", "))
}

fn to_sql(value: Value) -> Sql {
    match value {
        Value::Whole(whole) => whole.into(),
        Value::Real(real) => real.into(),
        Value::Bool(is) => is.into(),
        Value::Text(text) => text.into(),
    }
}

fn read(stream: &Stream, row: Row) -> Result<Numbered> {
    fn take<T: mysql_async::prelude::FromValue>(row: &mut Row, place: usize) -> Result<T> {
        row.take_opt(place).context("a column is missing")?.map_err(|error| anyhow!("{error}"))
    }
    let mut row = row;
    let (number, at): (u64, i64) = (take(&mut row, 0)?, take(&mut row, 1)?);
    let mut values = Vec::with_capacity(stream.attributes.len());
    for (place, attribute) in stream.attributes.iter().enumerate() {
        values.push(match attribute.kind {
            Type::Int | Type::Long => Value::Whole(take(&mut row, place + 2)?),
            Type::Float | Type::Double => Value::Real(take(&mut row, place + 2)?),
            Type::Bool => Value::Bool(take(&mut row, place + 2)?),
            Type::String => Value::Text(take(&mut row, place + 2)?),
        });
    }
    Ok(Numbered { number, at, values })
}
