//! What a second leaves behind: additive rows, keyed by step, exchange, leg, population and both seconds.

use crate::exchange::Leg;
use crate::trace::TraceId;
use terms::{Books, Nanos, Outcome, Population, SparseHistogram};

/// Closes of one leg and population, by the second of the intended start (closed load: of the start) and of the end.
#[derive(Clone, Debug, PartialEq)]
pub struct LegRow {
    /// Step of the intended start.
    pub step: u32,
    pub exchange: u16,
    pub leg: Leg,
    /// Stream; `NO_STREAM` where the load has none.
    pub stream: u16,
    /// succeeded or failed.
    pub population: Population,
    /// Second of the intended start.
    pub intended_s: i64,
    /// Second of the end.
    pub end_s: i64,
    /// Number of closes.
    pub count: u64,
    /// Units in them.
    pub units: u64,
    /// Bytes of the answers.
    pub bytes: u64,
    /// For each threshold of the leg, how many lie below it.
    pub below: Vec<u64>,
    /// Response times; empty in a closed load.
    pub response: SparseHistogram,
    /// Service times.
    pub service: SparseHistogram,
}

/// Starts of one exchange, by the second of the intended start.
#[derive(Clone, Debug, PartialEq)]
pub struct StartRow {
    /// Step of the intended start.
    pub step: u32,
    pub exchange: u16,
    /// Stream; `NO_STREAM` where the load has none.
    pub stream: u16,
    /// Second of the intended start.
    pub intended_s: i64,
    /// Number started.
    pub started: u64,
    /// The generator's own lateness.
    pub lateness: SparseHistogram,
}

/// Closes by class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutcomeRow {
    /// Step of the intended start.
    pub step: u32,
    pub exchange: u16,
    pub leg: Leg,
    /// Stream; `NO_STREAM` where the load has none.
    pub stream: u16,
    /// How it ended.
    pub outcome: Outcome,
    /// Second of the intended start.
    pub intended_s: i64,
    /// Second of the end.
    pub end_s: i64,
    pub count: u64,
}

/// Books of iterations. Intended, started and dropped stand at the second of the intended start on both axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IterationRow {
    /// Step of the intended start.
    pub step: u32,
    /// Stream; `NO_STREAM` where the load has none.
    pub stream: u16,
    /// Second of the intended start.
    pub intended_s: i64,
    /// Second of the end.
    pub end_s: i64,
    pub books: Books,
}

/// What was noticed about one failed exchange; secrets are cut out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteRow {
    pub at: Nanos,
    pub step: u32,
    pub exchange: u16,
    /// How it ended.
    pub outcome: Outcome,
    /// What was seen.
    pub text: String,
    /// The trace that its request began; none where none was sent, or it is no longer known.
    pub trace: Option<TraceId>,
}

/// One of the slowest closes of a leg in a step. The slowest of all are among the rows of all threads and seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlowRow {
    /// Where its time begins: at the intended start; in a closed load at the start.
    pub at: Nanos,
    /// Step of the intended start.
    pub step: u32,
    pub exchange: u16,
    pub leg: Leg,
    /// How it ended: well or badly, never by us.
    pub outcome: Outcome,
    /// Response time; in a closed load service time. Where nothing came it is how long was waited.
    pub time: Nanos,
    /// The trace that its request began; none where none was sent.
    pub trace: Option<TraceId>,
}

/// A batch with everything folded into rows, buckets in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Folded {
    pub legs: Vec<LegRow>,
    pub starts: Vec<StartRow>,
    /// Closes by class.
    pub outcomes: Vec<OutcomeRow>,
    pub iterations: Vec<IterationRow>,
    /// Samples of failures.
    pub notes: Vec<NoteRow>,
    /// The slowest of each leg and step.
    pub slowest: Vec<SlowRow>,
}
