//! What a second leaves behind: additive rows, keyed by step, exchange, leg, population and both seconds.

use super::Layout;
use super::hot::{RawClose, is_below};
use crate::Leg;
use std::collections::BTreeMap;
use std::sync::Arc;
use terms::{Books, Histogram, Nanos, Outcome, Population, SparseHistogram};

/// Step, exchange, stream, second.
type StartRowKey = (u32, u16, u16, i64);

/// Closes of one leg and population, by the second of the intended start (closed load: of the start) and of the end.
#[derive(Clone, Debug, PartialEq)]
pub struct LegRow {
    /// Step of the intended start.
    pub step: u32,
    /// Exchange.
    pub exchange: u16,
    /// Leg.
    pub leg: Leg,
    /// Stream; `NO_STREAM` where the load has none.
    pub stream: u16,
    /// Ended well or badly.
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
    /// Exchange.
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
    /// Exchange.
    pub exchange: u16,
    /// Leg.
    pub leg: Leg,
    /// Stream; `NO_STREAM` where the load has none.
    pub stream: u16,
    /// Class.
    pub outcome: Outcome,
    /// Second of the intended start.
    pub intended_s: i64,
    /// Second of the end.
    pub end_s: i64,
    /// Number.
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
    /// Counts.
    pub books: Books,
}

/// What was noticed about one failed exchange; secrets are cut out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteRow {
    /// When.
    pub at: Nanos,
    /// Step.
    pub step: u32,
    /// Exchange.
    pub exchange: u16,
    /// Class.
    pub outcome: Outcome,
    /// What was seen.
    pub text: String,
}

/// Counters of one driver.
pub const COUNTERS_MAX: usize = 16;

/// One thread's drain.
#[derive(Clone, Debug)]
pub struct Batch {
    /// The second it ends.
    pub second: i64,
    pub(super) legs: Vec<LegRow>,
    pub(super) starts: Vec<StartRow>,
    pub(super) raw: Vec<RawClose>,
    pub(super) raw_starts: Vec<(StartRowKey, Nanos)>,
    pub(super) outcomes: Vec<OutcomeRow>,
    /// The engine's books.
    pub iterations: Vec<IterationRow>,
    pub(super) notes: Vec<NoteRow>,
    /// The drivers' own counters: number of the driver × [`COUNTERS_MAX`] + number of the counter.
    pub counters: Vec<i64>,
    /// Time that flow control held sessions back.
    pub blocked: Nanos,
    pub(super) layout: Arc<Layout>,
}

/// A batch with everything folded into rows, buckets in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Folded {
    /// Closes.
    pub legs: Vec<LegRow>,
    /// Starts.
    pub starts: Vec<StartRow>,
    /// Closes by class.
    pub outcomes: Vec<OutcomeRow>,
    /// Books.
    pub iterations: Vec<IterationRow>,
    /// Samples of failures.
    pub notes: Vec<NoteRow>,
}

impl Batch {
    /// Sorts buckets and folds late closes into rows. Runs on the collecting thread, never on a hot one.
    pub fn fold(mut self) -> Folded {
        for row in &mut self.legs {
            row.response.buckets.sort_unstable();
            row.service.buckets.sort_unstable();
        }
        for row in &mut self.starts {
            row.lateness.buckets.sort_unstable();
        }
        let mut legs = std::mem::take(&mut self.legs);
        legs.extend(self.fold_raw());
        let mut starts = std::mem::take(&mut self.starts);
        starts.extend(self.fold_raw_starts());
        Folded { legs, starts, outcomes: self.outcomes, iterations: self.iterations, notes: self.notes }
    }

    fn fold_raw(&mut self) -> Vec<LegRow> {
        let mut raw = std::mem::take(&mut self.raw);
        let key = |close: &RawClose| {
            let population = close.outcome.population();
            (close.step, close.exchange, close.leg, close.stream, population, close.intended_s, close.end_s)
        };
        raw.sort_by_key(key);
        raw.chunk_by(|a, b| key(a) == key(b)).filter_map(|closes| fold_closes(closes, &self.layout)).collect()
    }

    fn fold_raw_starts(&mut self) -> Vec<StartRow> {
        let mut groups: BTreeMap<StartRowKey, Histogram> = BTreeMap::new();
        for (key, lateness) in std::mem::take(&mut self.raw_starts) {
            groups.entry(key).or_default().record(lateness);
        }
        let row = |((step, exchange, stream, intended_s), lateness): (StartRowKey, Histogram)| StartRow {
            step,
            exchange,
            stream,
            intended_s,
            started: lateness.total(),
            lateness: lateness.to_sparse(),
        };
        groups.into_iter().map(row).collect()
    }
}

/// One row from closes that share its key.
fn fold_closes(closes: &[RawClose], layout: &Layout) -> Option<LegRow> {
    let first = closes.first()?;
    let thresholds = layout.thresholds(first.exchange, first.leg);
    let (mut response, mut service) = (Sparse::default(), Sparse::default());
    let mut below = vec![0; thresholds.len()];
    for close in closes {
        if let Some(time) = close.response {
            response.record(time);
        }
        service.record(close.service);
        for (below, threshold) in below.iter_mut().zip(thresholds) {
            *below += u64::from(is_below(close, threshold));
        }
    }
    Some(LegRow {
        step: first.step,
        exchange: first.exchange,
        leg: first.leg,
        stream: first.stream,
        population: first.outcome.population()?,
        intended_s: first.intended_s,
        end_s: first.end_s,
        count: closes.len() as u64,
        units: closes.iter().map(|close| u64::from(close.units)).sum(),
        bytes: closes.iter().map(|close| close.bytes).sum(),
        below,
        response: response.finish(),
        service: service.finish(),
    })
}

/// A small histogram by map: late closes are few, and a dense array for each would be cleared for nothing.
#[derive(Default)]
struct Sparse {
    buckets: BTreeMap<u32, u64>,
    min: Option<Nanos>,
    max: Nanos,
    sum_ns: f64,
}

impl Sparse {
    fn record(&mut self, value: Nanos) {
        *self.buckets.entry(terms::Buckets::index(value)).or_default() += 1;
        self.min = Some(self.min.map_or(value, |old| old.min(value)));
        self.max = self.max.max(value);
        self.sum_ns += value.0 as f64;
    }

    fn finish(self) -> SparseHistogram {
        SparseHistogram {
            min: self.min.unwrap_or_default(),
            max: self.max,
            sum_ns: self.sum_ns,
            buckets: self.buckets.into_iter().collect(),
        }
    }
}
