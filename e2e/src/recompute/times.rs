//! Times as counts in buckets: what lies in a row, added up; percentiles by the nearest rank.

use record::LegRow;
use std::collections::BTreeMap;
use terms::{Buckets, Histogram, Nanos, SparseHistogram};

/// Times of some calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Times {
    buckets: BTreeMap<u32, u64>,
    pub(super) minimum: Option<Nanos>,
    pub(super) maximum: Option<Nanos>,
    pub(super) sum_ns: f64,
}

impl Times {
    pub(super) fn add(&mut self, more: &SparseHistogram) {
        if more.buckets.is_empty() {
            return;
        }
        for (index, count) in &more.buckets {
            *self.buckets.entry(*index).or_default() += count;
        }
        self.minimum = Some(self.minimum.map_or(more.min, |known| known.min(more.min)));
        self.maximum = Some(self.maximum.map_or(more.max, |known| known.max(more.max)));
        self.sum_ns += more.sum_ns;
    }

    pub(super) fn total(&self) -> u64 {
        self.buckets.values().sum()
    }

    /// Minimum and maximum time that the one of this rank, from 1, can have had.
    pub(super) fn edges(&self, rank: u64) -> Option<(Nanos, Nanos)> {
        let (minimum, maximum) = (self.minimum?, self.maximum?);
        let mut seen = 0;
        let found = self.buckets.iter().find(|(_, count)| {
            seen += **count;
            seen >= rank
        });
        let (index, _) = found?;
        let within = |time: Nanos| time.max(minimum).min(maximum);
        Some((within(Buckets::low(*index)), within(Buckets::high(*index))))
    }

    /// The time of the nearest rank.
    pub(super) fn quantile(&self, quantile: f64) -> Option<Nanos> {
        let rank = nearest_rank(quantile, self.total());
        if rank == self.total() { self.maximum } else { self.edges(rank).map(|(_, high)| high) }
    }

    /// Up to how many milliseconds which part of them took: from the minimum on, at the end of each bucket.
    pub(super) fn shares(&self) -> Vec<(f64, f64)> {
        let (Some(minimum), Some(maximum)) = (self.minimum, self.maximum) else { return Vec::new() };
        let (mut seen, total) = (0, self.total() as f64);
        let ends = self.buckets.iter().map(|(index, count)| {
            seen += count;
            (Buckets::high(*index).min(maximum).as_millis_f64(), seen as f64 / total)
        });
        std::iter::once((minimum.as_millis_f64(), 0.0)).chain(ends).collect()
    }

    /// How many lie in buckets that begin between two times.
    pub(super) fn between(&self, from: Nanos, to: Nanos) -> u64 {
        let is_in = |index: &u32| from <= Buckets::low(*index) && Buckets::low(*index) < to;
        self.buckets.iter().filter(|(index, _)| is_in(index)).map(|(_, count)| count).sum()
    }

    /// Milliseconds.
    pub(super) fn mean_ms(&self) -> Option<f64> {
        (self.total() > 0).then(|| self.sum_ns / self.total() as f64 / 1e6)
    }

    /// Square of milliseconds, each time taken at the middle of its bucket; `None` of fewer than two, and where some are
    /// beyond all buckets.
    pub(super) fn variance(&self) -> Option<f64> {
        let (minimum, maximum, total) = (self.minimum?, self.maximum?, self.total());
        if total < 2 || maximum.0 / 100 > Buckets::HIGHEST as i64 {
            return None;
        }
        let middles: Vec<(f64, f64)> = self
            .buckets
            .iter()
            .map(|(index, count)| {
                let low = Buckets::low(*index).max(minimum).as_millis_f64();
                let high = Buckets::high(*index).min(maximum).as_millis_f64();
                ((low + high) / 2.0, *count as f64)
            })
            .collect();
        let mean = middles.iter().map(|(at, count)| at * count).sum::<f64>() / total as f64;
        let squares: f64 = middles.iter().map(|(at, count)| count * (at - mean) * (at - mean)).sum();
        Some(squares / (total - 1) as f64)
    }

    /// How many lie in buckets above one.
    pub(super) fn above_bucket(times: &SparseHistogram, bucket: u32) -> u64 {
        times.buckets.iter().filter(|(index, _)| *index > bucket).map(|(_, count)| count).sum()
    }

    /// The same as `stats` takes it.
    pub(super) fn histogram(&self) -> Histogram {
        let mut all = Histogram::new();
        all.merge_sparse(&SparseHistogram {
            buckets: self.buckets.iter().map(|(index, count)| (*index, *count)).collect(),
            min: self.minimum.unwrap_or_default(),
            max: self.maximum.unwrap_or_default(),
            sum_ns: self.sum_ns,
        });
        all
    }
}

/// The rank of a percentile among so many, from 1; a product that is whole but for its last digits is whole.
pub(super) fn nearest_rank(quantile: f64, total: u64) -> u64 {
    let exact = quantile * total as f64;
    let whole = exact.round();
    let rank = if (exact - whole).abs() < 1e-9 * exact.max(1.0) { whole } else { exact.ceil() };
    (rank as u64).clamp(1, total.max(1))
}

/// Response times of a row; where there are none, as in a closed load, service times.
pub(super) fn response_of(row: &LegRow) -> &SparseHistogram {
    if row.response.buckets.is_empty() { &row.service } else { &row.response }
}

/// How many certainly lie on the low side of a limit, and how many may.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Below {
    pub(super) sure: u64,
    pub(super) maybe: u64,
}

impl Below {
    /// From buckets, of which the one that the limit cuts may lie on either side.
    pub(super) fn of(times: &SparseHistogram, limit: Nanos, is_inclusive: bool) -> Self {
        let is_low = |time: Nanos| time < limit || (is_inclusive && time == limit);
        let mut found = Self::default();
        for (index, count) in &times.buckets {
            if is_low(Buckets::high(*index).min(times.max)) {
                found.sure += count;
            }
            if is_low(Buckets::low(*index).max(times.min)) {
                found.maybe += count;
            }
        }
        found
    }

    pub(super) fn add(&mut self, more: Self) {
        self.sure += more.sure;
        self.maybe += more.maybe;
    }
}
