//! Intervals of times. The rows are laid out second by second here; from there on it is `stats`, whose answers are known,
//! and only the step from ranks to times is ours again.

use super::times::Times;
use record::LegRow;
use stats::memory::Memory;
use std::collections::BTreeMap;
use terms::{Buckets, Nanos, SparseHistogram};

/// Confidence of every interval of a figure that is shown.
pub(super) const SHOWN: f64 = 0.95;
/// Two-sided confidence of an interval beside a verdict.
pub(super) const OF_VERDICT: f64 = 0.9;
/// More seconds than this are listed by twos, threes and so on.
const SECONDS_MOST: i64 = 100_000;

/// Times of one population of a leg, with what lies in each second of the intended start.
#[derive(Default)]
pub(super) struct Timed {
    pub(super) all: Times,
    /// Number and sum, ms.
    sums: BTreeMap<i64, (u64, f64)>,
    buckets: BTreeMap<i64, Vec<SparseHistogram>>,
}

impl Timed {
    /// Of some rows, `part` being which of their times are meant.
    pub(super) fn of<'a>(
        rows: impl Iterator<Item = &'a LegRow>,
        part: fn(&LegRow) -> &SparseHistogram,
        second_of: impl Fn(i64) -> i64,
    ) -> Self {
        let mut timed = Self::default();
        rows.for_each(|row| timed.add(second_of(row.intended_s), part(row)));
        timed
    }

    pub(super) fn add(&mut self, second: i64, times: &SparseHistogram) {
        self.all.add(times);
        let sum = self.sums.entry(second).or_default();
        *sum = (sum.0 + times.total(), sum.1 + times.sum_ns / 1e6);
        self.buckets.entry(second).or_default().push(times.clone());
    }

    /// Number and sum of the times of every second, in ms.
    pub(super) fn sums(&self) -> Vec<(u64, f64)> {
        listed(&self.sums, |a, b| (a.0 + b.0, a.1 + b.1))
    }

    /// What their mean shows of their memory.
    pub(super) fn memory(&self) -> Option<Memory> {
        Memory::of_sums(&self.sums(), self.all.variance()?).ok()
    }

    /// The mean's interval, milliseconds, with the design effect.
    pub(super) fn mean(&self, confidence: f64) -> Option<(f64, f64, f64)> {
        let spread = stats::mean::Spread::of_histogram(&self.all.histogram()).ok()?;
        let found = stats::mean::by_memory(&self.sums(), spread, confidence).ok()?;
        Some((found.low, found.high, found.design_effect))
    }

    /// The interval of a percentile, milliseconds.
    pub(super) fn percentile(&self, quantile: f64, value: Nanos) -> Option<(f64, f64)> {
        let edge = Buckets::index(value);
        let count = |times: &Vec<SparseHistogram>| {
            times
                .iter()
                .fold((0, 0), |sum: (u64, u64), one| (sum.0 + Times::above_bucket(one, edge), sum.1 + one.total()))
        };
        let above: BTreeMap<i64, (u64, u64)> = self.buckets.iter().map(|(second, all)| (*second, count(all))).collect();
        let memory = Memory::of_share(&listed_counts(&above)).ok()?.beside(self.memory().as_ref()).checked().ok()?;
        self.between_ranks(quantile, SHOWN, memory.effects(SHOWN))
    }

    /// Times of the ranks between which a percentile lies.
    pub(super) fn between_ranks(
        &self,
        quantile: f64,
        confidence: f64,
        effects: stats::memory::Effects,
    ) -> Option<(f64, f64)> {
        let ranks = stats::quantile::ranks_with_design_effect(self.all.total(), quantile, confidence, effects);
        let (low, high) = ranks?;
        let (low, high) = (self.all.edges(low)?.0, self.all.edges(high)?.1);
        Some((low.as_millis_f64(), high.as_millis_f64()))
    }
}

/// Hits and calls of every second from the first to the last.
pub(super) fn listed_counts(seconds: &BTreeMap<i64, (u64, u64)>) -> Vec<(u64, u64)> {
    listed(seconds, |a, b| (a.0 + b.0, a.1 + b.1))
}

/// Every second from the first to the last; those without a row are empty.
fn listed<T: Copy + Default>(seconds: &BTreeMap<i64, T>, join: impl Fn(T, T) -> T) -> Vec<T> {
    let (Some(first), Some(last)) = (seconds.keys().next(), seconds.keys().next_back()) else { return Vec::new() };
    let width = (last - first) / SECONDS_MOST + 1;
    let mut all = vec![T::default(); ((last - first) / width) as usize + 1];
    for (second, value) in seconds {
        let place = ((second - first) / width) as usize;
        all[place] = join(all[place], *value);
    }
    all
}
