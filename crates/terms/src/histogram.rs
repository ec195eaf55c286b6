//! Histograms of times with a bounded relative error.
//!
//! The bucket arithmetic is HdrHistogram's with three significant digits and a lowest unit of 100 ns, so an archive
//! made of these counts is an HdrHistogram archive. It is ours because the hot path needs an index by shift and
//! addition and a drain that costs only the touched buckets.

use crate::Nanos;

/// The arithmetic of values and bucket numbers.
///
/// Unit 100 ns; exact to 100 ns below 204.8 µs; above, relative width at most 1/1024 (0.098 %); up to one hour.
#[derive(Clone, Copy, Debug)]
pub struct Buckets;

const UNIT_NS: i64 = 100;
/// Buckets of the linear part: `2^ceil(log2(2·10^3))`.
const SUB: u64 = 2048;
const SUB_BITS: u32 = 11;

impl Buckets {
    /// One hour in units of 100 ns; longer times are counted here and as saturated.
    pub const HIGHEST: u64 = 36_000_000_000;
    /// Number of buckets.
    pub const LEN: usize = Self::index_of_units(Self::HIGHEST) as usize + 1;

    /// The bucket of a time; negative times fall into bucket 0, times over an hour into the last.
    pub fn index(value: Nanos) -> u32 {
        Self::index_of_units(((value.0.max(0) / UNIT_NS) as u64).min(Self::HIGHEST))
    }

    const fn index_of_units(units: u64) -> u32 {
        let bits = 64 - units.leading_zeros();
        let shift = bits.saturating_sub(SUB_BITS);
        // Each doubling beyond the linear part adds half of SUB buckets.
        (shift as u64 * (SUB / 2) + (units >> shift)) as u32
    }

    /// Least time of a bucket.
    pub fn low(index: u32) -> Nanos {
        let (sub, shift) = Self::split(index);
        Nanos((sub << shift) as i64 * UNIT_NS)
    }

    /// Greatest time of a bucket: one nanosecond below the next bucket's least.
    pub fn high(index: u32) -> Nanos {
        let (sub, shift) = Self::split(index);
        Nanos(((sub + 1) << shift) as i64 * UNIT_NS - 1)
    }

    fn split(index: u32) -> (u64, u32) {
        let index = u64::from(index);
        if index < SUB {
            return (index, 0);
        }
        let shift = (index - SUB) / (SUB / 2) + 1;
        (index - shift * (SUB / 2), shift as u32)
    }
}

/// A dense histogram with exact minimum, maximum and sum. Merging adds counts: exact, in any order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histogram {
    counts: Vec<u64>,
    total: u64,
    saturated: u64,
    min: Option<Nanos>,
    max: Option<Nanos>,
    sum: f64,
}

/// Touched buckets only, in order of index: the form of a second on disk.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SparseHistogram {
    /// Pairs of bucket index and count, index ascending, counts above zero.
    pub buckets: Vec<(u32, u64)>,
    /// Least recorded time; meaningless when `buckets` is empty.
    pub min: Nanos,
    /// Greatest recorded time; meaningless when `buckets` is empty.
    pub max: Nanos,
    /// Sum of the recorded times in nanoseconds.
    pub sum_ns: f64,
}

impl SparseHistogram {
    /// Number of recorded times.
    pub fn total(&self) -> u64 {
        self.buckets.iter().fold(0, |sum, (_, count)| sum.saturating_add(*count))
    }
}

impl Histogram {
    /// An empty histogram.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one time.
    pub fn record(&mut self, value: Nanos) {
        self.record_n(value, 1);
    }

    /// Adds the same time `count` times.
    pub fn record_n(&mut self, value: Nanos, count: u64) {
        if count == 0 {
            return;
        }
        self.add_bucket(Buckets::index(value), count);
        if value.0 / UNIT_NS > Buckets::HIGHEST as i64 {
            self.saturated = self.saturated.saturating_add(count);
        }
        self.widen(value, value);
        self.sum += value.0 as f64 * count as f64;
    }

    fn add_bucket(&mut self, index: u32, count: u64) {
        if self.counts.is_empty() {
            self.counts = vec![0; Buckets::LEN];
        }
        let index = (index as usize).min(Buckets::LEN - 1);
        // Forged evidence holds counts that no run makes; they stay at the end of the range.
        self.counts[index] = self.counts[index].saturating_add(count);
        self.total = self.total.saturating_add(count);
    }

    fn widen(&mut self, min: Nanos, max: Nanos) {
        self.min = Some(self.min.map_or(min, |old| old.min(min)));
        self.max = Some(self.max.map_or(max, |old| old.max(max)));
    }

    /// Adds a second, a thread, a node or a run.
    pub fn merge_sparse(&mut self, other: &SparseHistogram) {
        if other.buckets.is_empty() {
            return;
        }
        for &(index, count) in &other.buckets {
            self.add_bucket(index, count);
        }
        self.widen(other.min, other.max);
        if other.max.0 / UNIT_NS > Buckets::HIGHEST as i64 {
            // How many of the last bucket were saturated is not kept by second; all of it is the safe reading.
            self.saturated = self.saturated.saturating_add(other.buckets.last().map_or(0, |(_, count)| *count));
        }
        self.sum += other.sum_ns;
    }

    /// Adds another histogram.
    pub fn merge(&mut self, other: &Self) {
        if other.total == 0 {
            return;
        }
        if self.counts.is_empty() {
            self.counts = vec![0; Buckets::LEN];
        }
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine = mine.saturating_add(*theirs);
        }
        self.total = self.total.saturating_add(other.total);
        self.saturated = self.saturated.saturating_add(other.saturated);
        if let (Some(min), Some(max)) = (other.min, other.max) {
            self.widen(min, max);
        }
        self.sum += other.sum;
    }

    /// The touched buckets.
    pub fn to_sparse(&self) -> SparseHistogram {
        SparseHistogram {
            buckets: self.nonzero().collect(),
            min: self.min.unwrap_or_default(),
            max: self.max.unwrap_or_default(),
            sum_ns: self.sum,
        }
    }

    /// Touched buckets with their counts, least time first.
    pub fn nonzero(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.counts.iter().enumerate().filter(|(_, count)| **count > 0).map(|(index, count)| (index as u32, *count))
    }

    /// Number of recorded times.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// How many times lay above one hour, and so stand in the last bucket.
    pub fn saturated(&self) -> u64 {
        self.saturated
    }

    /// Least recorded time, exact.
    pub fn min(&self) -> Option<Nanos> {
        self.min
    }

    /// Greatest recorded time, exact.
    pub fn max(&self) -> Option<Nanos> {
        self.max
    }

    /// Sum of all recorded times in nanoseconds, exact up to floating point.
    pub fn sum_ns(&self) -> f64 {
        self.sum
    }

    /// Arithmetic mean, exact up to floating point.
    pub fn mean(&self) -> Option<Nanos> {
        (self.total > 0).then(|| Nanos((self.sum / self.total as f64).round() as i64))
    }

    /// The nearest-rank percentile: the greatest time of the bucket of rank `max(1, ceil(quantile·n))`, never above
    /// the true maximum nor below the true minimum.
    ///
    /// `quantile` in 0..=1. Returns `None` when nothing was recorded. Source: Hyndman & Fan 1996, type 1.
    pub fn quantile(&self, quantile: f64) -> Option<Nanos> {
        let (min, max) = (self.min?, self.max?);
        let rank = nearest_rank(quantile, self.total);
        if rank == self.total {
            return Some(max);
        }
        let mut seen = 0u64;
        for (index, count) in self.nonzero() {
            seen = seen.saturating_add(count);
            if seen >= rank {
                return Some(Buckets::high(index).min(max).max(min));
            }
        }
        Some(max)
    }

    /// How many times certainly lie below `limit`, and how many may: buckets wholly below, and with the bucket that
    /// `limit` cuts. The two are equal when `limit` lies on a bucket's edge.
    pub fn count_below(&self, limit: Nanos) -> (u64, u64) {
        let (mut sure, mut maybe) = (0u64, 0u64);
        for (index, count) in self.nonzero() {
            if Buckets::high(index) < limit {
                sure = sure.saturating_add(count);
            }
            if Buckets::low(index) < limit {
                maybe = maybe.saturating_add(count);
            }
        }
        if self.max.is_some_and(|max| max < limit) {
            sure = self.total;
        }
        (sure, maybe)
    }
}

/// Rank of the nearest-rank percentile, 1-based. A product that should be whole is not lifted by rounding noise.
fn nearest_rank(quantile: f64, total: u64) -> u64 {
    let exact = quantile * total as f64;
    let rounded = exact.round();
    let rank = if (exact - rounded).abs() < 1e-9 * exact.max(1.0) { rounded } else { exact.ceil() };
    (rank as u64).clamp(1, total.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_that_no_run_makes_stay_at_the_end_of_the_range() {
        let forged = SparseHistogram { buckets: vec![(3, u64::MAX), (9, 2)], ..SparseHistogram::default() };
        assert_eq!(forged.total(), u64::MAX);
        let mut merged = Histogram::new();
        merged.merge_sparse(&forged);
        merged.merge_sparse(&forged);
        let again = merged.clone();
        merged.merge(&again);
        assert_eq!((merged.total(), merged.count_below(Nanos::MAX).0), (u64::MAX, u64::MAX));
        assert!(merged.quantile(0.5).is_some());
    }

    fn units(value: u64) -> Nanos {
        Nanos(value as i64 * UNIT_NS)
    }

    #[test]
    fn buckets_are_those_of_hdrhistogram_with_three_digits() {
        // Value, least and greatest value of its bucket, in units; greatest as HdrHistogram counts it, inclusive.
        for (value, low, high) in [
            (1000, 1000, 1000),
            (2048, 2048, 2049),
            (12_496, 12_496, 12_503),
            (99_999, 99_968, 100_031),
            (1_000_000, 999_936, 1_000_447),
            (100_000_000, 99_942_400, 100_007_935),
        ] {
            let index = Buckets::index(units(value));
            assert_eq!(Buckets::low(index), units(low));
            assert_eq!(Buckets::high(index), Nanos(units(high + 1).0 - 1));
        }
    }

    #[test]
    fn buckets_follow_each_other_without_gap() {
        for index in 0..Buckets::LEN as u32 - 1 {
            assert_eq!(Buckets::high(index).0 + 1, Buckets::low(index + 1).0);
            assert_eq!(Buckets::index(Buckets::low(index)), index);
            assert_eq!(Buckets::index(Buckets::high(index)), index);
        }
    }

    #[test]
    fn merged_percentiles_are_not_averaged_ones() {
        let mut a = Histogram::new();
        a.record_n(Nanos::from_millis(10), 1000);
        let mut b = Histogram::new();
        b.record_n(Nanos::from_millis(1000), 10);
        a.merge(&b);
        let p99 = a.quantile(0.99).unwrap();
        assert!((p99.as_millis_f64() - 10.0).abs() < 0.01, "{p99}");
        assert_eq!(a.quantile(0.995), Some(Nanos::from_millis(1000)));
    }

    #[test]
    fn a_percentile_never_exceeds_the_true_maximum() {
        let mut histogram = Histogram::new();
        histogram.record(Nanos(12_496_001));
        assert_eq!(histogram.quantile(1.0), Some(Nanos(12_496_001)));
        assert_eq!(histogram.quantile(0.5), Some(Nanos(12_496_001)));
    }

    #[test]
    fn ranks_are_nearest_ranks() {
        let mut histogram = Histogram::new();
        for value in 1..=20 {
            histogram.record(Nanos::from_micros(value));
        }
        let at = |q| Buckets::low(Buckets::index(histogram.quantile(q).unwrap()));
        assert_eq!(at(0.95), Nanos::from_micros(19));
        assert_eq!(at(0.0), Nanos::from_micros(1));
        assert_eq!(at(0.05), Nanos::from_micros(1));
        assert_eq!(at(0.051), Nanos::from_micros(2));
    }

    #[test]
    fn counts_below_a_limit_bracket_the_truth() {
        let mut histogram = Histogram::new();
        histogram.record(Nanos::from_millis(299));
        histogram.record(Nanos(300_010_000));
        histogram.record(Nanos::from_millis(400));
        let (sure, maybe) = histogram.count_below(Nanos::from_millis(300));
        assert!(sure <= 1 && (1..=2).contains(&maybe));
        assert_eq!(histogram.count_below(Nanos::from_millis(500)), (3, 3));
    }

    #[test]
    fn times_over_an_hour_are_counted_as_saturated() {
        let mut histogram = Histogram::new();
        histogram.record(Nanos::from_secs(4000));
        assert_eq!(histogram.saturated(), 1);
        assert_eq!(histogram.max(), Some(Nanos::from_secs(4000)));
    }

    #[test]
    fn sparse_and_dense_agree() {
        let mut histogram = Histogram::new();
        for k in 0..5000u64 {
            histogram.record(Nanos((crate::seed::uniform(3, k) * 5e8) as i64));
        }
        let mut again = Histogram::new();
        again.merge_sparse(&histogram.to_sparse());
        assert_eq!(again.quantile(0.99), histogram.quantile(0.99));
        assert_eq!(again, histogram);
    }
}
