//! The rows that queries are over: segments that were exported, or the tables of the store's own database.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::engine::{Engine, Source, Statement};
use super::parts::{Found, Part, Segments, split};
use super::queries::Query;
use crate::store::{Jdbc, Reading};

/// What a part says instead of an export where the rows are in a database.
const IN_DATABASE: &str = "database";
/// Tables whose rows are remembered.
const COUNTED_MAX: usize = 1000;

/// A query's rows, dealt out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shares {
    /// The export that they are of.
    pub(crate) export: String,
    /// Ranges of row numbers, each with how many rows it has.
    pub(crate) shares: Vec<(Range<u64>, u64)>,
}

/// Where rows are read.
pub(crate) enum Tables {
    Segments(Segments),
    Database(Database),
}

/// The store's database.
pub(crate) struct Database {
    reading: Reading,
    jdbc: Jdbc,
    /// Rows by table, last number and pieces: counting them takes the database as long as a query. Rows never change, and
    /// new ones have higher numbers.
    counted: Mutex<HashMap<(&'static str, u64, usize), Shares>>,
}

impl Tables {
    /// Deals the rows of a query's table out. Blocks.
    ///
    /// # Errors
    /// A table that is missing or has no rows.
    pub(crate) fn shares(&self, query: &'static Query, pieces: usize) -> Result<Shares, String> {
        let shares = match self {
            Self::Segments(segments) => {
                let manifest = segments.manifest(query)?;
                let share = |range: Range<u64>| (range.clone(), range.end - range.start);
                let shares = split(manifest.rows, pieces).into_iter().map(share).collect();
                Shares { export: manifest.export, shares }
            }
            Self::Database(database) => database.shares(query, pieces)?,
        };
        if shares.shares.is_empty() {
            return Err(format!("the table {} has no rows", query.table));
        }
        Ok(shares)
    }

    /// Carries a part out. Blocks.
    ///
    /// # Errors
    /// Why it cannot be, in a sentence for the job.
    pub(crate) fn carry_out(
        &self,
        query: &'static Query,
        part: &Part,
        engine: &Engine,
        within: Duration,
    ) -> Result<Found, String> {
        match self {
            Self::Segments(segments) => segments.carry_out(query, part, engine, within),
            Self::Database(database) => database.carry_out(query, part, engine, within),
        }
    }
}

impl Database {
    pub(crate) fn new(reading: Reading, jdbc: Jdbc) -> Self {
        Self { reading, jdbc, counted: Mutex::default() }
    }

    fn shares(&self, query: &'static Query, pieces: usize) -> Result<Shares, String> {
        let unread = |error: anyhow::Error| format!("the table {} cannot be read: {error:#}", query.table);
        let last = self.reading.last(query.table).map_err(unread)?.unwrap_or_default();
        let (counted, of) =
            (|| self.counted.lock().unwrap_or_else(PoisonError::into_inner), (query.table, last, pieces));
        if let Some(known) = counted().get(&of) {
            return Ok(known.clone());
        }
        let mut shares = Vec::new();
        for range in split(last, pieces) {
            // Numbers begin with 1.
            let range = range.start + 1..range.end + 1;
            let rows = self.reading.rows(query.table, &range).map_err(unread)?;
            shares.extend((rows > 0).then_some((range, rows)));
        }
        let shares = Shares { export: IN_DATABASE.to_owned(), shares };
        let mut counted = counted();
        if counted.len() >= COUNTED_MAX {
            counted.clear();
        }
        counted.insert(of, shares.clone());
        Ok(shares)
    }

    fn carry_out(&self, query: &Query, part: &Part, engine: &Engine, within: Duration) -> Result<Found, String> {
        if part.export != IN_DATABASE {
            return Err("this analyzer reads the store's database, and the part is of exported segments".to_owned());
        }
        // Numbers in a database may have gaps, and no end is known of them.
        let range = part.rows(query.table, u64::MAX)?;
        let source = Source::Table { database: &self.jdbc, table: self.reading.quoted(query.table) };
        let statement = Statement { source, from: range.start, to: range.end, sql: query.sql };
        engine.run(&statement, within).map(Found::written)
    }
}
