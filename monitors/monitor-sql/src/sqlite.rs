//! SQLite: the size of its files, and the values that the author asks for. A file counts nothing else.

use crate::cost::Cost;
use crate::facts;
use crate::metrics;
use crate::named::{Queries, ROWS_MAX, Row};
use clock::Clock;
use contract::{Event, FactName, Facts, Failure, Monitor, MonitorSettings, Samples};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};
use std::time::Duration;
use terms::Nanos;

/// Facts may take this long; the run waits ten seconds for those of all monitors.
const FACTS_WITHIN: Nanos = Nanos::from_secs(3);
/// Tables told at most.
const TABLES_MAX: usize = 30;
/// Settings that bear on performance and are kept in the file.
const PRAGMAS: &[&str] = &["journal_mode", "page_size", "page_count", "freelist_count", "encoding", "auto_vacuum"];
/// SQLite asks after so many of its steps whether to go on: some microseconds.
const STEPS: i32 = 1000;

/// Watches one database file.
pub(crate) struct Sqlite {
    name: String,
    path: PathBuf,
    shown: String,
    every: Nanos,
    clock: Clock,
    connection: Option<Connection>,
    queries: Queries,
    /// Whether the file was there at the last sample, once it has been looked for.
    was_there: Option<bool>,
    cost: Cost,
}

impl Sqlite {
    pub(crate) fn new(settings: &MonitorSettings, path: PathBuf, shown: String, named: Queries) -> Self {
        Self {
            name: settings.name.clone(),
            path,
            shown,
            every: settings.every,
            clock: Clock::system(),
            connection: None,
            queries: named,
            was_there: None,
            cost: Cost::default(),
        }
    }

    fn named(&mut self, at: Nanos, until: Nanos, out: &mut Samples) {
        self.queries.turned();
        let until = self.queries.until(self.clock.now(), until);
        for (number, query) in self.queries.due(at, out) {
            let began = self.clock.now();
            let found = self.open(until).and_then(|connection| rows(connection, &query));
            let took = self.clock.now() - began;
            self.queries.take(number, (found, took), (at, &self.name), out);
        }
    }

    /// The connection, which stops whatever runs when its time is up.
    fn open(&mut self, until: Nanos) -> Result<&mut Connection, String> {
        if self.connection.is_none() {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let opened = Connection::open_with_flags(&self.path, flags).map_err(|error| error.to_string())?;
            self.connection = Some(opened);
        }
        let connection = self.connection.as_mut().expect("invariant: opened above");
        let clock = self.clock.clone();
        let left = (until - clock.now()).or_zero().to_std().min(Duration::from_millis(200));
        let set = connection
            .busy_timeout(left)
            .and_then(|()| connection.progress_handler(STEPS, Some(move || clock.now() >= until)));
        set.map_err(|error| error.to_string())?;
        Ok(connection)
    }

    fn tables(&mut self, until: Nanos, out: &mut Facts) -> Result<(), String> {
        let subject = self.name.clone();
        let connection = self.open(until)?;
        out.fact(&subject, &facts::SQLITE, rusqlite::version());
        for pragma in PRAGMAS {
            let value = rows(connection, &format!("pragma {pragma}"))?.into_iter().next().and_then(|row| row.value);
            out.fact(&subject, FactName::verbatim(format!("setting {pragma}")), value.unwrap_or_default());
        }
        let named = "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name";
        for table in rows(connection, named)?.into_iter().take(TABLES_MAX).filter_map(|row| row.value) {
            let counted = rows(connection, &format!("select count(*) from \"{}\"", table.replace('"', "\"\"")));
            let counted = match counted {
                Ok(found) => found.into_iter().next().and_then(|row| row.value).unwrap_or_default() + " rows",
                Err(why) => format!("not counted: {why}"),
            };
            out.fact(&subject, FactName::verbatim(format!("table {table}")), counted);
        }
        Ok(())
    }
}

/// Bytes of the file and of what stands beside it and is not yet part of it; `None` when it is missing.
fn size(path: &Path) -> Option<u64> {
    let beside = |end: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        std::fs::metadata(PathBuf::from(name)).map_or(0, |found| found.len())
    };
    Some(std::fs::metadata(path).ok()?.len() + beside("-wal") + beside("-journal"))
}

/// At most one row more than are taken.
fn rows(connection: &Connection, query: &str) -> Result<Vec<Row>, String> {
    let why = |error: rusqlite::Error| match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::OperationInterrupted) => "it was stopped, since it took too long".to_owned(),
        _ => error.to_string(),
    };
    let mut statement = connection.prepare_cached(query).map_err(why)?;
    let columns = statement.column_count();
    let mut found = Vec::new();
    let mut rows = statement.query([]).map_err(why)?;
    while found.len() <= ROWS_MAX
        && let Some(row) = rows.next().map_err(why)?
    {
        let text = |column: usize| match row.get_ref(column) {
            Ok(ValueRef::Integer(value)) => Some(value.to_string()),
            Ok(ValueRef::Real(value)) => Some(value.to_string()),
            Ok(ValueRef::Text(bytes) | ValueRef::Blob(bytes)) => Some(String::from_utf8_lossy(bytes).into_owned()),
            Ok(ValueRef::Null) | Err(_) => None,
        };
        found.push(Row { value: text(0), labels: (1..columns).map(text).collect() });
    }
    Ok(found)
}

impl Monitor for Sqlite {
    fn facts(&mut self, out: &mut Facts) {
        out.fact(&self.name, &facts::ADDRESS, self.shown.clone());
        out.fact(&self.name, &facts::SERVER, "none: SQLite is part of the processes that use it, and counts nothing");
        match size(&self.path) {
            Some(bytes) => {
                out.fact(&self.name, &facts::SIZE, format!("{bytes} bytes with its log"));
                let until = self.clock.now() + FACTS_WITHIN;
                if let Err(why) = self.tables(until, out) {
                    out.fact(&self.name, &facts::TABLES, format!("not told: {why}"));
                }
            }
            None => out.fact(&self.name, &facts::SIZE, "there is no such file"),
        }
        if let Some(cost) = self.cost.in_words() {
            out.fact(&self.name, &facts::SAMPLE_COST, cost);
        }
    }

    fn sample(&mut self, at: Nanos, out: &mut Samples) -> Result<(), Failure> {
        let began = self.clock.now();
        let instance = out.instance(&self.name);
        let size = size(&self.path);
        let before = self.was_there.replace(size.is_some());
        let Some(bytes) = size else {
            if before == Some(true) {
                let text = format!("the file of `{}` ({}) is gone", self.name, self.shown);
                out.event(at, instance, Event { kind: "gone", text });
            }
            self.connection = None;
            return Err(Failure::new(format!("{}: there is no such file", self.shown)));
        };
        if before == Some(false) {
            let text = format!("the file of `{}` ({}) is there", self.name, self.shown);
            out.event(at, instance, Event { kind: "back", text });
        }
        out.value(at, instance, metrics::number("size").expect("invariant: the list has the metric"), bytes as f64);
        if !self.queries.is_empty() {
            self.named(at, began + Nanos(self.every.0 / 5 * 4), out);
        }
        self.cost.add(self.clock.now() - began);
        Ok(())
    }
}
