//! One thread's drain of a second, and how it is folded into rows on the collecting thread.

use crate::close::RawClose;
use crate::layout::Layout;
use crate::rows::{Folded, IterationRow, LegRow, NoteRow, OutcomeRow, SlowRow, StartRow};
use std::collections::BTreeMap;
use std::sync::Arc;
use terms::{Histogram, Nanos, SparseHistogram};

/// Step, exchange, stream, second.
pub(crate) type StartRowKey = (u32, u16, u16, i64);

/// Most counters that one driver has.
pub const COUNTERS_MAX: usize = 16;

/// One thread's drain.
#[derive(Clone, Debug)]
pub struct Batch {
    /// The second it ends.
    pub second: i64,
    pub(crate) legs: Vec<LegRow>,
    pub(crate) starts: Vec<StartRow>,
    pub(crate) raw: Vec<RawClose>,
    pub(crate) raw_starts: Vec<(StartRowKey, Nanos)>,
    pub(crate) outcomes: Vec<OutcomeRow>,
    /// The engine's books.
    pub iterations: Vec<IterationRow>,
    pub(crate) notes: Vec<NoteRow>,
    pub(crate) slowest: Vec<SlowRow>,
    /// The drivers' own counters: number of the driver × [`COUNTERS_MAX`] + number of the counter.
    pub counters: Vec<i64>,
    /// Time that flow control held sessions back.
    pub blocked: Nanos,
    pub(crate) layout: Arc<Layout>,
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
        let Self { outcomes, iterations, notes, slowest, .. } = self;
        Folded { legs, starts, outcomes, iterations, notes, slowest }
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
            *below += u64::from(close.is_below(threshold));
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
        units: closes.iter().map(|close| close.units).sum(),
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
