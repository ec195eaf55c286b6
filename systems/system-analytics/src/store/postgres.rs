//! A store in a database of a PostgreSQL, over plain TCP: a table for each stream, filled by binary COPY.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use tokio::runtime::Handle;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{ToSql, Type as Column};
use tokio_postgres::{Client, NoTls, Row};

use super::table::Dialect;
use super::{Database, Found, Numbered};
use crate::bundle::{Rows, Value, values};
use crate::stream::{Stream, Type};

/// Longest time until a connection is there, and for one statement: a server at its limit is slow.
const CONNECT_MAX: Duration = Duration::from_secs(5);
const STATEMENT_MAX: Duration = Duration::from_secs(120);
const WORDS: Dialect = Dialect::Postgres;

/// Time and values of a row.
type Timed = (i64, Vec<Value>);

pub(super) struct Postgres {
    url: String,
    runtime: Handle,
    /// Attributes of a stream, from the first on, with an index.
    indexed: usize,
    client: Option<Client>,
    /// Streams whose tables are there.
    made: BTreeSet<String>,
}

impl Postgres {
    /// Connects; the runtime is another thread's.
    ///
    /// # Errors
    /// A URL that is none, a server that does not answer.
    pub(super) fn open(url: &str, indexed: usize, runtime: Handle) -> Result<Self> {
        let mut store = Self { url: url.to_owned(), runtime, indexed, client: None, made: BTreeSet::new() };
        store.run(async |_| Ok(()))?;
        Ok(store)
    }

    /// Runs one piece of work; a connection on which it failed is not used again.
    fn run<T>(&mut self, work: impl AsyncFnOnce(&mut Client) -> Result<T>) -> Result<T> {
        let runtime = self.runtime.clone();
        if self.client.is_none() {
            let connect = tokio_postgres::connect(&self.url, NoTls);
            let (client, connection) = runtime.block_on(bounded(CONNECT_MAX, connect))?;
            // It ends with its client; what broke it shows in the next statement.
            runtime.spawn(async move { drop(connection.await) });
            self.client = Some(client);
        }
        let client = self.client.as_mut().context("the database is not connected")?;
        let done = runtime.block_on(work(client));
        if done.is_err() {
            self.client = None;
        }
        done
    }
}

impl Database for Postgres {
    fn write(&mut self, bundles: &[Rows]) -> Result<()> {
        let mut streams: Vec<(Arc<Stream>, Vec<Timed>)> = Vec::new();
        for (stream, row) in bundles.iter().flat_map(Rows::iter) {
            let Some(read) = values(stream, row) else { continue };
            match streams.iter_mut().find(|(known, _)| known.id == stream.id) {
                Some((_, rows)) => rows.push(read),
                None => streams.push((stream.clone(), vec![read])),
            }
        }
        let indexed = self.indexed;
        for (stream, _) in &streams {
            if !self.made.contains(&stream.id) {
                let create = WORDS.create(stream, indexed).join("; ");
                self.run(async |client| bounded(STATEMENT_MAX, client.batch_execute(&create)).await)?;
                self.made.insert(stream.id.clone());
            }
        }
        self.run(async |client| {
            let transaction = bounded(STATEMENT_MAX, client.transaction()).await?;
            for (stream, rows) in streams {
                let (table, columns) = (WORDS.quoted(&stream.table), WORDS.columns(&stream));
                let copy = format!("COPY {table} (at, {columns}) FROM STDIN (FORMAT binary)");
                let sink = bounded(STATEMENT_MAX, transaction.copy_in(&copy)).await?;
                let kinds: Vec<Column> =
                    std::iter::once(Column::INT8).chain(stream.attributes.iter().map(|it| column(it.kind))).collect();
                let mut writer = pin!(BinaryCopyInWriter::new(sink, &kinds));
                for (at, values) in rows {
                    let row = copied(&stream, at, values);
                    let row = row.iter().map(|value| &**value as &(dyn ToSql + Sync));
                    bounded(STATEMENT_MAX, writer.as_mut().write_raw(row)).await?;
                }
                bounded(STATEMENT_MAX, writer.finish()).await?;
            }
            bounded(STATEMENT_MAX, transaction.commit()).await
        })
    }

    fn find(
        &mut self,
        stream: &Stream,
        asked: Option<(usize, &str)>,
        (start, count): (usize, usize),
    ) -> Result<Vec<Found>> {
        let mut select = format!("SELECT id, at, {} FROM {}", WORDS.columns(stream), WORDS.quoted(&stream.table));
        let value: Option<Box<dyn ToSql + Sync + Send>> = match asked {
            None => None,
            Some((place, value)) => {
                let attribute = stream.attributes.get(place).context("the table does not have that field")?;
                select.push_str(&format!(" WHERE {} = $1", WORDS.quoted(&attribute.name)));
                let Some(value) = parsed(attribute.kind, value) else { return Ok(Vec::new()) };
                Some(value)
            }
        };
        select.push_str(&format!(" LIMIT {count} OFFSET {start}"));
        let parameters: Vec<&(dyn ToSql + Sync)> = value.iter().map(|value| &**value as &(dyn ToSql + Sync)).collect();
        let rows = self.run(async |client| bounded(STATEMENT_MAX, client.query(&select, &parameters)).await)?;
        rows.iter().map(|row| Ok(read(stream, row)?.found(stream))).collect()
    }

    fn last(&mut self, stream: &Stream) -> Result<Option<u64>> {
        if !self.made.contains(&stream.id) {
            let create = WORDS.create(stream, self.indexed).join("; ");
            self.run(async |client| bounded(STATEMENT_MAX, client.batch_execute(&create)).await)?;
            self.made.insert(stream.id.clone());
        }
        self.number(format!("SELECT max(id) FROM {}", WORDS.quoted(&stream.table)))
    }

    fn number(&mut self, select: String) -> Result<Option<u64>> {
        let row = self.run(async |client| bounded(STATEMENT_MAX, client.query_one(&select, &[])).await)?;
        Ok(row.try_get::<_, Option<i64>>(0)?.map(i64::cast_unsigned))
    }

    fn page(&mut self, stream: &Stream, from: u64, to: u64, count: usize) -> Result<Vec<Numbered>> {
        let (table, columns) = (WORDS.quoted(&stream.table), WORDS.columns(stream));
        let select =
            format!("SELECT id, at, {columns} FROM {table} WHERE id BETWEEN $1 AND $2 ORDER BY id LIMIT {count}");
        let (from, to) = (i64::try_from(from).unwrap_or(i64::MAX), i64::try_from(to).unwrap_or(i64::MAX));
        let rows = self.run(async |client| bounded(STATEMENT_MAX, client.query(&select, &[&from, &to])).await)?;
        rows.iter().map(|row| read(stream, row)).collect()
    }
}

async fn bounded<T, E: std::error::Error + Send + Sync + 'static>(
    most: Duration,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T> {
    match tokio::time::timeout(most, work).await {
        Ok(done) => Ok(done?),
        Err(_) => Err(anyhow!("the database did not answer within {most:?}")),
    }
}

fn column(kind: Type) -> Column {
    match kind {
        Type::Int => Column::INT4,
        Type::Long => Column::INT8,
        Type::Float | Type::Double => Column::FLOAT8,
        Type::Bool => Column::BOOL,
        Type::String => Column::TEXT,
    }
}

/// A row as COPY wants it.
fn copied(stream: &Stream, at: i64, values: Vec<Value>) -> Vec<Box<dyn ToSql + Sync + Send>> {
    let mut row: Vec<Box<dyn ToSql + Sync + Send>> = Vec::with_capacity(values.len() + 1);
    row.push(Box::new(at));
    for (attribute, value) in stream.attributes.iter().zip(values) {
        row.push(match value {
            // It came as one.
            Value::Whole(whole) if attribute.kind == Type::Int => Box::new(whole as i32),
            Value::Whole(whole) => Box::new(whole),
            Value::Real(real) => Box::new(real),
            Value::Bool(is) => Box::new(is),
            // PostgreSQL has no text with a zero in it.
            Value::Text(text) => Box::new(text.replace('\0', " ")),
        });
    }
    row
}

/// A value that is asked for; `None` where no row can have it.
fn parsed(kind: Type, text: &str) -> Option<Box<dyn ToSql + Sync + Send>> {
    Some(match kind {
        Type::Int => Box::new(text.parse::<i32>().ok()?),
        Type::Long => Box::new(text.parse::<i64>().ok()?),
        Type::Float | Type::Double => Box::new(text.parse::<f64>().ok()?),
        Type::Bool => Box::new(text.parse::<bool>().ok()?),
        Type::String => Box::new(text.to_owned()),
    })
}

fn read(stream: &Stream, row: &Row) -> Result<Numbered> {
    let (number, at): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
    let mut values = Vec::with_capacity(stream.attributes.len());
    for (place, attribute) in stream.attributes.iter().enumerate() {
        values.push(match attribute.kind {
            Type::Int => Value::Whole(row.try_get::<_, i32>(place + 2)?.into()),
            Type::Long => Value::Whole(row.try_get(place + 2)?),
            Type::Float | Type::Double => Value::Real(row.try_get(place + 2)?),
            Type::Bool => Value::Bool(row.try_get(place + 2)?),
            Type::String => Value::Text(row.try_get(place + 2)?),
        });
    }
    Ok(Numbered { number: number.cast_unsigned(), at, values })
}
