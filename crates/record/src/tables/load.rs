//! Tables of the load: calls, iterations, samples of failures, and the state of the generator that drove them.

use super::{Stored, columns, ints, labels, push_step, step_columns, texts};
use crate::EngineRow;
use crate::names::Names;
use crate::table::{Cells, Column, Kind, TableWriter};
use recorder::{IterationRow, LegRow, NO_STREAM, NoteRow, OutcomeRow, SlowRow, StartRow, TraceId};
use std::hash::{DefaultHasher, Hash, Hasher};
use terms::{Books, Outcome, Population};

fn exchange_columns() -> Vec<Column> {
    columns([ints(["exchange_number"]), labels(["exchange"])])
}

fn push_exchange(exchange: u16, names: &Names, table: &mut TableWriter) {
    table.int(exchange.into());
    table.text(&names.exchange(exchange));
}

fn leg_columns() -> Vec<Column> {
    columns([exchange_columns(), ints(["leg_number"]), labels(["leg"])])
}

fn push_leg(exchange: u16, leg: u8, names: &Names, table: &mut TableWriter) {
    push_exchange(exchange, names, table);
    table.int(leg.into());
    table.text(&names.leg(exchange, leg));
}

/// A histogram's columns; the order is that of `TableWriter::histogram`.
fn histogram_columns(prefix: &str) -> Vec<Column> {
    vec![
        Column::new(format!("{prefix}_min_ns"), Kind::IntOrNull),
        Column::new(format!("{prefix}_max_ns"), Kind::IntOrNull),
        Column::new(format!("{prefix}_sum_ns"), Kind::FloatOrNull),
        Column::new(format!("{prefix}_bucket_index"), Kind::Ints),
        Column::new(format!("{prefix}_bucket_count"), Kind::Ints),
        Column::label(format!("{prefix}_hdr_v2"), Kind::BytesOrNull),
    ]
}

/// The stream's number; null where the load has none. Runs of earlier versions have no such column.
fn stream_column() -> Vec<Column> {
    vec![Column::added("stream", Kind::IntOrNull)]
}

fn push_stream(stream: u16, table: &mut TableWriter) {
    table.int_or_null((stream != NO_STREAM).then_some(stream.into()));
}

fn pull_stream(cells: &mut Cells) -> Option<u16> {
    cells.int_or_null()?.map_or(Some(NO_STREAM), |stream| u16::try_from(stream).ok())
}

impl Stored for LegRow {
    const FILE: &'static str = "legs.parquet";

    fn columns() -> Vec<Column> {
        columns([
            step_columns(),
            leg_columns(),
            stream_column(),
            texts(["population"]),
            ints(["intended_s", "end_s", "count", "units", "bytes"]),
            vec![Column::new("below", Kind::Ints)],
            histogram_columns("response"),
            histogram_columns("service"),
        ])
    }

    fn push(&self, names: &Names, table: &mut TableWriter) {
        push_step(self.step, names, table);
        push_leg(self.exchange, self.leg, names, table);
        push_stream(self.stream, table);
        table.text(self.population.name());
        table.int(self.intended_s);
        table.int(self.end_s);
        table.count(self.count);
        table.count(self.units);
        table.count(self.bytes);
        table.counts(self.below.iter().copied());
        table.histogram(&self.response);
        table.histogram(&self.service);
    }

    fn pull(cells: &mut Cells) -> Option<Self> {
        Some(Self {
            step: cells.small()?,
            exchange: cells.small()?,
            leg: cells.small()?,
            stream: pull_stream(cells)?,
            population: match cells.text()?.as_str() {
                "ok" => Population::Ok,
                "failed" => Population::Failed,
                _ => return None,
            },
            intended_s: cells.int()?,
            end_s: cells.int()?,
            count: cells.count()?,
            units: cells.count()?,
            bytes: cells.count()?,
            below: cells.counts()?,
            response: cells.histogram()?,
            service: cells.histogram()?,
        })
    }

    fn key(&self) -> Option<u64> {
        let about = (self.step, self.exchange, self.leg, self.stream, self.population as u8);
        Some(sum_of((about, self.intended_s, self.end_s)))
    }
}

impl Stored for StartRow {
    const FILE: &'static str = "starts.parquet";

    fn columns() -> Vec<Column> {
        let counts = ints(["intended_s", "started"]);
        columns([step_columns(), exchange_columns(), stream_column(), counts, histogram_columns("lateness")])
    }

    fn push(&self, names: &Names, table: &mut TableWriter) {
        push_step(self.step, names, table);
        push_exchange(self.exchange, names, table);
        push_stream(self.stream, table);
        table.int(self.intended_s);
        table.count(self.started);
        table.histogram(&self.lateness);
    }

    fn pull(cells: &mut Cells) -> Option<Self> {
        Some(Self {
            step: cells.small()?,
            exchange: cells.small()?,
            stream: pull_stream(cells)?,
            intended_s: cells.int()?,
            started: cells.count()?,
            lateness: cells.histogram()?,
        })
    }
}

impl Stored for OutcomeRow {
    const FILE: &'static str = "outcomes.parquet";

    fn columns() -> Vec<Column> {
        let counts = ints(["intended_s", "end_s", "count"]);
        columns([step_columns(), leg_columns(), stream_column(), texts(["outcome"]), counts])
    }

    fn push(&self, names: &Names, table: &mut TableWriter) {
        push_step(self.step, names, table);
        push_leg(self.exchange, self.leg, names, table);
        push_stream(self.stream, table);
        table.text(self.outcome.name());
        table.int(self.intended_s);
        table.int(self.end_s);
        table.count(self.count);
    }

    fn pull(cells: &mut Cells) -> Option<Self> {
        Some(Self {
            step: cells.small()?,
            exchange: cells.small()?,
            leg: cells.small()?,
            stream: pull_stream(cells)?,
            outcome: Outcome::from_name(&cells.text()?)?,
            intended_s: cells.int()?,
            end_s: cells.int()?,
            count: cells.count()?,
        })
    }
}

impl Stored for IterationRow {
    const FILE: &'static str = "iterations.parquet";

    fn columns() -> Vec<Column> {
        let books = ints(["intended", "started", "dropped", "completed", "failed", "aborted"]);
        columns([step_columns(), stream_column(), ints(["intended_s", "end_s"]), books])
    }

    fn push(&self, names: &Names, table: &mut TableWriter) {
        push_step(self.step, names, table);
        push_stream(self.stream, table);
        table.int(self.intended_s);
        table.int(self.end_s);
        let books = &self.books;
        for count in [books.intended, books.started, books.dropped, books.completed, books.failed, books.aborted] {
            table.count(count);
        }
    }

    fn pull(cells: &mut Cells) -> Option<Self> {
        Some(Self {
            step: cells.small()?,
            stream: pull_stream(cells)?,
            intended_s: cells.int()?,
            end_s: cells.int()?,
            books: Books {
                intended: cells.count()?,
                started: cells.count()?,
                dropped: cells.count()?,
                completed: cells.count()?,
                failed: cells.count()?,
                aborted: cells.count()?,
            },
        })
    }

    fn key(&self) -> Option<u64> {
        // What came due or was started late stands at its intended second, whenever that was.
        let has_ends = self.books.completed > 0 || self.books.failed > 0 || self.books.aborted > 0;
        has_ends.then(|| sum_of((self.step, self.stream, self.intended_s, self.end_s)))
    }
}

impl Stored for NoteRow {
    const FILE: &'static str = "notes.parquet";

    fn columns() -> Vec<Column> {
        columns([ints(["at_ns"]), step_columns(), exchange_columns(), texts(["outcome", "text"]), trace_column()])
    }

    fn push(&self, names: &Names, table: &mut TableWriter) {
        table.int(self.at.0);
        push_step(self.step, names, table);
        push_exchange(self.exchange, names, table);
        table.text(self.outcome.name());
        table.text(&self.text);
        push_trace(self.trace, table);
    }

    fn pull(cells: &mut Cells) -> Option<Self> {
        Some(Self {
            at: cells.nanos()?,
            step: cells.small()?,
            exchange: cells.small()?,
            outcome: Outcome::from_name(&cells.text()?)?,
            text: cells.text()?,
            trace: pull_trace(cells)?,
        })
    }
}

/// The trace that a request began, in hexadecimal digits; null where it began none.
fn trace_column() -> Vec<Column> {
    vec![Column::added("trace", Kind::TextOrNull)]
}

fn push_trace(trace: Option<TraceId>, table: &mut TableWriter) {
    table.text_or_null(trace.map(|trace| trace.to_string()).as_deref());
}

fn pull_trace(cells: &mut Cells) -> Option<Option<TraceId>> {
    cells.text_or_null()?.map_or(Some(None), |text| TraceId::parse(&text).map(Some))
}

impl Stored for SlowRow {
    const FILE: &'static str = "slowest.parquet";
    const IS_ADDED: bool = true;

    fn columns() -> Vec<Column> {
        columns([ints(["at_ns"]), step_columns(), leg_columns(), texts(["outcome"]), ints(["time_ns"]), trace_column()])
    }

    fn push(&self, names: &Names, table: &mut TableWriter) {
        table.int(self.at.0);
        push_step(self.step, names, table);
        push_leg(self.exchange, self.leg, names, table);
        table.text(self.outcome.name());
        table.int(self.time.0);
        push_trace(self.trace, table);
    }

    fn pull(cells: &mut Cells) -> Option<Self> {
        Some(Self {
            at: cells.nanos()?,
            step: cells.small()?,
            exchange: cells.small()?,
            leg: cells.small()?,
            outcome: Outcome::from_name(&cells.text()?)?,
            time: cells.nanos()?,
            trace: pull_trace(cells)?,
        })
    }
}

impl Stored for EngineRow {
    const FILE: &'static str = "engine.parquet";

    fn columns() -> Vec<Column> {
        columns([
            ints(["second", "worker"]),
            step_columns(),
            vec![Column::new("in_flight_mean", Kind::Float)],
            ints(["in_flight_max", "waiting_max", "sessions"]),
            vec![Column::added("awaiting_max", Kind::IntOrNull)],
            vec![Column::new("cpu_s", Kind::Float), Column::new("run_queue_s", Kind::Float)],
        ])
    }

    fn push(&self, names: &Names, table: &mut TableWriter) {
        table.int(self.second);
        table.int(self.worker.into());
        push_step(self.step, names, table);
        table.float(self.in_flight_mean);
        table.int(self.in_flight_max.into());
        table.int(self.waiting_max.into());
        table.int(self.sessions.into());
        table.int_or_null(Some(self.awaiting_max.into()));
        table.float(self.cpu_s);
        table.float(self.run_queue_s);
    }

    fn pull(cells: &mut Cells) -> Option<Self> {
        Some(Self {
            second: cells.int()?,
            worker: cells.small()?,
            step: cells.small()?,
            in_flight_mean: cells.float()?,
            in_flight_max: cells.small()?,
            waiting_max: cells.small()?,
            sessions: cells.small()?,
            awaiting_max: u32::try_from(cells.int_or_null()?.unwrap_or(0)).ok()?,
            cpu_s: cells.float()?,
            run_queue_s: cells.float()?,
        })
    }
}

fn sum_of(key: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}
