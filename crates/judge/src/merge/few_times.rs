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

/// Times that are added to each other as a list: a dense histogram of a second would be cleared for nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct FewTimes(SparseHistogram);

impl FewTimes {
    pub(crate) fn add(&mut self, times: &SparseHistogram) {
        let own = &mut self.0;
        if times.buckets.is_empty() {
            return;
        }
        if own.buckets.is_empty() {
            *own = times.clone();
            return;
        }
        own.min = own.min.min(times.min);
        own.max = own.max.max(times.max);
        own.sum_ns += times.sum_ns;
        own.buckets = merged(&own.buckets, &times.buckets);
    }

    /// How many.
    pub(crate) fn total(&self) -> u64 {
        self.0.total()
    }

    /// Nearest rank, never above the greatest time; `None` of no times.
    pub(crate) fn quantile(&self, quantile: f64) -> Option<Nanos> {
        let total = self.total();
        let rank = ((quantile * total as f64 - 1e-9).ceil() as u64).clamp(1, total.max(1));
        let mut seen = 0_u64;
        let of_rank = self.0.buckets.iter().find(|(_, count)| {
            seen = seen.saturating_add(*count);
            seen >= rank
        });
        of_rank.map(|(bucket, _)| Buckets::high(*bucket).min(self.0.max))
    }

    pub(crate) fn max(&self) -> Option<Nanos> {
        (!self.0.buckets.is_empty()).then_some(self.0.max)
    }

    pub(crate) fn finish(self) -> SparseHistogram {
        self.0
    }
}

/// Two lists of buckets as one. Both are ascending, and so is what comes of them.
fn merged(mut ours: &[(u32, u64)], mut theirs: &[(u32, u64)]) -> Vec<(u32, u64)> {
    let mut all = Vec::with_capacity(ours.len() + theirs.len());
    while let (Some(&(own, count)), Some(&(other, more))) = (ours.first(), theirs.first()) {
        let (is_own, is_other) = (own <= other, other <= own);
        let sum = if is_own { count } else { 0 }.saturating_add(if is_other { more } else { 0 });
        all.push((own.min(other), sum));
        ours = &ours[usize::from(is_own)..];
        theirs = &theirs[usize::from(is_other)..];
    }
    all.extend_from_slice(ours);
    all.extend_from_slice(theirs);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use terms::Histogram;

    proptest! {
        /// A list of the buckets that are there says what the histogram of all buckets says.
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
