//! Times of a second: few of many buckets.

use record::LegRow;
use std::collections::BTreeMap;
use terms::{Buckets, Nanos, Population, SparseHistogram};

/// Times of what succeeded, by second of the intended start; `part` picks which times of a row are meant.
pub(crate) fn times_by_second(
    rows: impl Iterator<Item = LegRow>,
    part: impl Fn(&LegRow) -> &SparseHistogram,
) -> BTreeMap<i64, FewTimes> {
    let mut seconds: BTreeMap<i64, FewTimes> = BTreeMap::new();
    for row in rows.filter(|row| row.population == Population::Ok) {
        seconds.entry(row.intended_s).or_default().add(part(&row));
    }
    seconds
}

/// Times that are added to each other as a map: a dense histogram of a second would be cleared for nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct FewTimes {
    buckets: BTreeMap<u32, u64>,
    sum: SparseHistogram,
}

impl FewTimes {
    pub(crate) fn add(&mut self, times: &SparseHistogram) {
        if times.buckets.is_empty() {
            return;
        }
        let (least, greatest) = (times.min, times.max);
        let is_first = self.buckets.is_empty();
        self.sum.min = if is_first { least } else { self.sum.min.min(least) };
        self.sum.max = if is_first { greatest } else { self.sum.max.max(greatest) };
        self.sum.sum_ns += times.sum_ns;
        for &(bucket, count) in &times.buckets {
            *self.buckets.entry(bucket).or_default() += count;
        }
    }

    /// How many.
    pub(crate) fn total(&self) -> u64 {
        self.buckets.values().sum()
    }

    /// Nearest rank, never above the greatest time; `None` of no times.
    pub(crate) fn quantile(&self, quantile: f64) -> Option<Nanos> {
        let total = self.total();
        let rank = ((quantile * total as f64 - 1e-9).ceil() as u64).clamp(1, total.max(1));
        let mut seen = 0;
        let of_rank = self.buckets.iter().find(|(_, count)| {
            seen += **count;
            seen >= rank
        });
        of_rank.map(|(bucket, _)| Buckets::high(*bucket).min(self.sum.max))
    }

    pub(crate) fn max(&self) -> Option<Nanos> {
        (!self.buckets.is_empty()).then_some(self.sum.max)
    }

    pub(crate) fn finish(self) -> SparseHistogram {
        SparseHistogram { buckets: self.buckets.into_iter().collect(), ..self.sum }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use terms::Histogram;

    proptest! {
        /// A map of the buckets that are there says what the histogram of all buckets says.
        #[test]
        fn few_times_are_those_of_a_dense_histogram(
            seconds in prop::collection::vec(prop::collection::vec(0i64..5_000_000_000, 0..20), 0..6),
            quantile in 0.0..=1.0,
        ) {
            let (mut few, mut dense) = (FewTimes::default(), Histogram::new());
            for times in &seconds {
                let mut second = Histogram::new();
                times.iter().for_each(|time| second.record(Nanos(*time)));
                few.add(&second.to_sparse());
                dense.merge(&second);
            }
            prop_assert_eq!(few.quantile(quantile), dense.quantile(quantile));
            prop_assert_eq!(few.max(), dense.max());
            let (few, dense) = (few.finish(), dense.to_sparse());
            prop_assert_eq!((&few.buckets, few.min, few.max), (&dense.buckets, dense.min, dense.max));
            prop_assert!((few.sum_ns - dense.sum_ns).abs() <= 1e-9 * dense.sum_ns);
        }
    }
}
