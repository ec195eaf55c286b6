//! Rows as bytes in a block: fields in the order of their type, in the forms of `encoding`.

use crate::encoding::{Input, put_f64, put_histogram, put_i64, put_text, put_u64};
use crate::{ClockPair, EngineRow, EventRow, SampleRow, StepMark};
use recorder::{IterationRow, LegRow, NoteRow, OutcomeRow, SlowRow, StartRow, TraceId};
use terms::{Books, Outcome, Population};

/// The three places of a run's record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    Load,
    Watch,
    Events,
}

impl Stream {
    pub(crate) const ALL: [Self; 3] = [Self::Load, Self::Watch, Self::Events];

    /// Its folder under `evidence`.
    pub(crate) fn folder(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Watch => "watch",
            Self::Events => "events",
        }
    }
}

/// A kind of row. `KIND` stands in every block; a number once given is never given again: 1 to 4 and 6 were rows of
/// load without streams.
pub trait Row: Sized {
    const KIND: u8;
    const STREAM: Stream;
    fn put(&self, out: &mut Vec<u8>);
    /// `None` where the bytes are no such row.
    fn take(input: &mut Input<'_>) -> Option<Self>;
}

/// `every_row!(f(a))` is `[f::<LegRow>(a), …]`, and `every_row!(f(a)?)` the same of what may fail: the one list of kinds.
macro_rules! every_row {
    ($of:ident $args:tt $($try:tt)?) => {
        [
            $of::<recorder::LegRow> $args $($try)?,
            $of::<recorder::StartRow> $args $($try)?,
            $of::<recorder::OutcomeRow> $args $($try)?,
            $of::<recorder::IterationRow> $args $($try)?,
            $of::<recorder::NoteRow> $args $($try)?,
            $of::<recorder::SlowRow> $args $($try)?,
            $of::<$crate::EngineRow> $args $($try)?,
            $of::<$crate::SampleRow> $args $($try)?,
            $of::<$crate::EventRow> $args $($try)?,
            $of::<$crate::StepMark> $args $($try)?,
            $of::<$crate::ClockPair> $args $($try)?,
        ]
    };
}
pub(crate) use every_row;

/// All rows of a block; `None` when one of them is none.
pub(crate) fn take_all<T: Row>(payload: &[u8]) -> Option<Vec<T>> {
    let (mut input, mut rows) = (Input(payload), Vec::new());
    while !input.is_empty() {
        rows.push(T::take(&mut input)?);
    }
    Some(rows)
}

/// Whether a block's rows can be read; `None` for a kind that this version does not know.
pub(crate) fn is_readable(kind: u8, payload: &[u8]) -> Option<bool> {
    fn check<T: Row>(payload: &[u8]) -> bool {
        let mut input = Input(payload);
        while !input.is_empty() {
            if T::take(&mut input).is_none() {
                return false;
            }
        }
        true
    }
    const fn of<T: Row>() -> (u8, fn(&[u8]) -> bool) {
        (T::KIND, check::<T>)
    }
    let known = every_row!(of()).into_iter().find(|known| known.0 == kind);
    known.map(|(_, is_readable)| is_readable(payload))
}

/// Where the rows of a kind belong; `None` for a kind that this version does not know.
pub(crate) fn stream_of(kind: u8) -> Option<Stream> {
    const fn of<T: Row>() -> (u8, Stream) {
        (T::KIND, T::STREAM)
    }
    every_row!(of()).into_iter().find(|known| known.0 == kind).map(|known| known.1)
}

impl Row for LegRow {
    const KIND: u8 = 11;
    const STREAM: Stream = Stream::Load;

    fn put(&self, out: &mut Vec<u8>) {
        put_u64(out, self.step.into());
        put_u64(out, self.exchange.into());
        put_u64(out, self.leg.into());
        put_u64(out, self.stream.into());
        out.push(self.population as u8);
        put_i64(out, self.intended_s);
        put_i64(out, self.end_s);
        put_u64(out, self.count);
        put_u64(out, self.units);
        put_u64(out, self.bytes);
        put_u64(out, self.below.len() as u64);
        for &below in &self.below {
            put_u64(out, below);
        }
        put_histogram(out, &self.response);
        put_histogram(out, &self.service);
    }

    fn take(input: &mut Input<'_>) -> Option<Self> {
        Some(Self {
            step: input.small()?,
            exchange: input.small()?,
            leg: input.small()?,
            stream: input.small()?,
            population: if input.flag()? { Population::Failed } else { Population::Ok },
            intended_s: input.i64()?,
            end_s: input.i64()?,
            count: input.u64()?,
            units: input.u64()?,
            bytes: input.u64()?,
            below: {
                let length: usize = input.small()?;
                // A counter takes a byte at least; collecting stops at the first that does not exist.
                (0..length).map(|_| input.u64()).collect::<Option<_>>()?
            },
            response: input.histogram()?,
            service: input.histogram()?,
        })
    }
}

impl Row for StartRow {
    const KIND: u8 = 12;
    const STREAM: Stream = Stream::Load;

    fn put(&self, out: &mut Vec<u8>) {
        put_u64(out, self.step.into());
        put_u64(out, self.exchange.into());
        put_u64(out, self.stream.into());
        put_i64(out, self.intended_s);
        put_u64(out, self.started);
        put_histogram(out, &self.lateness);
    }

    fn take(input: &mut Input<'_>) -> Option<Self> {
        Some(Self {
            step: input.small()?,
            exchange: input.small()?,
            stream: input.small()?,
            intended_s: input.i64()?,
            started: input.u64()?,
            lateness: input.histogram()?,
        })
    }
}

impl Row for OutcomeRow {
    const KIND: u8 = 13;
    const STREAM: Stream = Stream::Load;

    fn put(&self, out: &mut Vec<u8>) {
        put_u64(out, self.step.into());
        put_u64(out, self.exchange.into());
        put_u64(out, self.leg.into());
        put_u64(out, self.stream.into());
        out.push(self.outcome as u8);
        put_i64(out, self.intended_s);
        put_i64(out, self.end_s);
        put_u64(out, self.count);
    }

    fn take(input: &mut Input<'_>) -> Option<Self> {
        Some(Self {
            step: input.small()?,
            exchange: input.small()?,
            leg: input.small()?,
            stream: input.small()?,
            outcome: Outcome::from_number(input.u8()?)?,
            intended_s: input.i64()?,
            end_s: input.i64()?,
            count: input.u64()?,
        })
    }
}

impl Row for IterationRow {
    const KIND: u8 = 14;
    const STREAM: Stream = Stream::Load;

    fn put(&self, out: &mut Vec<u8>) {
        put_u64(out, self.step.into());
        put_u64(out, self.stream.into());
        put_i64(out, self.intended_s);
        put_i64(out, self.end_s);
        let books = &self.books;
        for count in [books.intended, books.started, books.dropped, books.completed, books.failed, books.aborted] {
            put_u64(out, count);
        }
    }

    fn take(input: &mut Input<'_>) -> Option<Self> {
        Some(Self {
            step: input.small()?,
            stream: input.small()?,
            intended_s: input.i64()?,
            end_s: input.i64()?,
            books: Books {
                intended: input.u64()?,
                started: input.u64()?,
                dropped: input.u64()?,
                completed: input.u64()?,
                failed: input.u64()?,
                aborted: input.u64()?,
            },
        })
    }
}

/// In the byte of a note's outcome: a trace id follows the text. Notes of versions that had none are read as they are.
const HAS_TRACE: u8 = 0x80;

fn put_trace(out: &mut Vec<u8>, trace: Option<TraceId>) {
    let bits = trace.map_or(0, TraceId::bits);
    out.extend_from_slice(&bits.to_le_bytes());
}

fn take_trace(input: &mut Input<'_>) -> Option<Option<TraceId>> {
    let (bits, rest) = input.0.split_first_chunk::<16>()?;
    input.0 = rest;
    Some(TraceId::new(u128::from_le_bytes(*bits)))
}

impl Row for NoteRow {
    const KIND: u8 = 5;
    const STREAM: Stream = Stream::Load;

    fn put(&self, out: &mut Vec<u8>) {
        put_i64(out, self.at.0);
        put_u64(out, self.step.into());
        put_u64(out, self.exchange.into());
        out.push(self.outcome as u8 | if self.trace.is_some() { HAS_TRACE } else { 0 });
        put_text(out, &self.text);
        if self.trace.is_some() {
            put_trace(out, self.trace);
        }
    }

    fn take(input: &mut Input<'_>) -> Option<Self> {
        let (at, step, exchange) = (input.nanos()?, input.small()?, input.small()?);
        let outcome = input.u8()?;
        Some(Self {
            at,
            step,
            exchange,
            outcome: Outcome::from_number(outcome & !HAS_TRACE)?,
            text: input.text()?,
            trace: if outcome & HAS_TRACE == 0 { None } else { Some(take_trace(input)??) },
        })
    }
}

impl Row for SlowRow {
    const KIND: u8 = 16;
    const STREAM: Stream = Stream::Load;

    fn put(&self, out: &mut Vec<u8>) {
        put_i64(out, self.at.0);
        put_u64(out, self.step.into());
        put_u64(out, self.exchange.into());
        put_u64(out, self.leg.into());
        out.push(self.outcome as u8);
        put_i64(out, self.time.0);
        put_trace(out, self.trace);
    }

    fn take(input: &mut Input<'_>) -> Option<Self> {
        Some(Self {
            at: input.nanos()?,
            step: input.small()?,
            exchange: input.small()?,
            leg: input.small()?,
            outcome: Outcome::from_number(input.u8()?)?,
            time: input.nanos()?,
            trace: take_trace(input)?,
        })
    }
}

impl Row for EngineRow {
    const KIND: u8 = 15;
    const STREAM: Stream = Stream::Load;

    fn put(&self, out: &mut Vec<u8>) {
        put_i64(out, self.second);
        put_u64(out, self.worker.into());
        put_u64(out, self.step.into());
        put_f64(out, self.in_flight_mean);
        put_u64(out, self.in_flight_max.into());
        put_u64(out, self.waiting_max.into());
        put_u64(out, self.sessions.into());
        put_u64(out, self.awaiting_max.into());
        put_f64(out, self.cpu_s);
        put_f64(out, self.run_queue_s);
    }

    fn take(input: &mut Input<'_>) -> Option<Self> {
        Some(Self {
            second: input.i64()?,
            worker: input.small()?,
            step: input.small()?,
            in_flight_mean: input.f64()?,
            in_flight_max: input.small()?,
            waiting_max: input.small()?,
            sessions: input.small()?,
            awaiting_max: input.small()?,
            cpu_s: input.f64()?,
            run_queue_s: input.f64()?,
        })
    }
}

impl Row for SampleRow {
    const KIND: u8 = 7;
    const STREAM: Stream = Stream::Watch;

    fn put(&self, out: &mut Vec<u8>) {
        put_i64(out, self.at.0);
        put_u64(out, self.monitor.into());
        put_text(out, &self.instance);
        put_u64(out, self.metric.into());
        out.push(u8::from(self.value.is_some()));
        if let Some(value) = self.value {
            put_f64(out, value);
        }
    }

    fn take(input: &mut Input<'_>) -> Option<Self> {
        Some(Self {
            at: input.nanos()?,
            monitor: input.small()?,
            instance: input.text()?,
            metric: input.small()?,
            value: if input.flag()? { Some(input.f64()?) } else { None },
        })
    }
}

impl Row for EventRow {
    const KIND: u8 = 8;
    const STREAM: Stream = Stream::Events;

    fn put(&self, out: &mut Vec<u8>) {
        put_i64(out, self.at.0);
        put_text(out, &self.kind);
        put_text(out, &self.subject);
        put_text(out, &self.text);
    }

    fn take(input: &mut Input<'_>) -> Option<Self> {
        Some(Self { at: input.nanos()?, kind: input.text()?, subject: input.text()?, text: input.text()? })
    }
}

impl Row for StepMark {
    const KIND: u8 = 9;
    const STREAM: Stream = Stream::Events;

    fn put(&self, out: &mut Vec<u8>) {
        put_u64(out, self.step.into());
        put_i64(out, self.at.0);
        out.push(u8::from(self.is_end));
    }

    fn take(input: &mut Input<'_>) -> Option<Self> {
        Some(Self { step: input.small()?, at: input.nanos()?, is_end: input.flag()? })
    }
}

impl Row for ClockPair {
    const KIND: u8 = 10;
    const STREAM: Stream = Stream::Events;

    fn put(&self, out: &mut Vec<u8>) {
        put_i64(out, self.at.0);
        put_i64(out, self.wall.0);
    }

    fn take(input: &mut Input<'_>) -> Option<Self> {
        Some(Self { at: input.nanos()?, wall: input.nanos()? })
    }
}
