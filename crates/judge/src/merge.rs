//! The merge of rows: what a leg of a step, a stream of it or a second of it adds up to. Who needs more of a row than this
//! keeps reads it itself; page 17 of the decisions says who, and why.

use crate::row::times_of;
use crate::rows::Index;
use crate::views::PopulationView;
use contract::NO_STREAM;
use record::{LegRow, OutcomeRow};
use std::collections::BTreeMap;
use terms::{Buckets, Nanos, Outcome, Population, SparseHistogram};

/// One second of a leg.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LegSums {
    /// Ended well, by second of the intended start, and the sum of their times (response, else service), ns.
    pub(crate) ok: u64,
    pub(crate) sum_ns: f64,
    /// Ended badly, likewise.
    pub(crate) failed: u64,
    /// Ended well, by second of the end.
    pub(crate) ended_ok: u64,
    /// Ended badly, likewise.
    pub(crate) ended_failed: u64,
    /// Closes by class other than ok, by second of the end.
    pub(crate) classes: Vec<(Outcome, u64)>,
}

/// Closes of a leg, whenever they were.
#[derive(Clone, Debug, Default)]
pub(crate) struct Closes {
    pub(crate) ok: PopulationView,
    pub(crate) failed: PopulationView,
    /// By the number of their class.
    pub(crate) outcomes: [u64; 16],
}

impl Closes {
    fn add(&mut self, row: &LegRow) {
        let closes = if row.population == Population::Ok { &mut self.ok } else { &mut self.failed };
        closes.add(row);
    }

    fn add_class(&mut self, row: &OutcomeRow) {
        self.outcomes[row.outcome as usize] += row.count;
    }
}

/// One leg of an exchange in a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct LegMerge {
    pub(crate) closes: Closes,
    /// By second; only those with a row.
    pub(crate) seconds: BTreeMap<i64, LegSums>,
}

impl LegMerge {
    /// Merges the rows of a leg.
    pub(crate) fn of(index: &Index<'_>, step: u32, exchange: u16, leg: u8) -> Self {
        let mut merge = Self::default();
        for row in index.legs(step, exchange, leg) {
            add(&mut merge.seconds, &row);
            merge.closes.add(&row);
        }
        for row in index.outcomes(step, exchange, leg) {
            merge.closes.add_class(&row);
            if row.outcome == Outcome::Ok {
                continue;
            }
            let classes = &mut merge.seconds.entry(row.end_s).or_default().classes;
            match classes.iter_mut().find(|(outcome, _)| *outcome == row.outcome) {
                Some((_, count)) => *count += row.count,
                None => classes.push((row.outcome, row.count)),
            }
        }
        merge
    }
}

/// Closes of a leg by stream; those without a stream are in the leg's own only. `also` sees each row of the load that is
/// merged, for what else is made of it.
pub(crate) fn by_stream(
    index: &Index<'_>,
    (step, exchange, leg): (u32, u16, u8),
    mut also: impl FnMut(&LegRow),
) -> BTreeMap<u16, Closes> {
    let mut streams: BTreeMap<u16, Closes> = BTreeMap::new();
    for row in index.legs(step, exchange, leg).filter(|row| row.stream != NO_STREAM) {
        streams.entry(row.stream).or_default().add(&row);
        also(&row);
    }
    // What came to nothing has outcomes and no times.
    for row in index.outcomes(step, exchange, leg).filter(|row| row.stream != NO_STREAM) {
        streams.entry(row.stream).or_default().add_class(&row);
    }
    streams
}

/// A leg's closes second by second, without their classes.
pub(crate) fn sums(index: &Index<'_>, step: u32, exchange: u16, leg: u8) -> BTreeMap<i64, LegSums> {
    let mut seconds: BTreeMap<i64, LegSums> = BTreeMap::new();
    index.legs(step, exchange, leg).for_each(|row| add(&mut seconds, &row));
    seconds
}

fn add(seconds: &mut BTreeMap<i64, LegSums>, row: &LegRow) {
    let intended = seconds.entry(row.intended_s).or_default();
    if row.population == Population::Ok {
        intended.ok += row.count;
        intended.sum_ns += times_of(row).sum_ns;
        seconds.entry(row.end_s).or_default().ended_ok += row.count;
    } else {
        intended.failed += row.count;
        seconds.entry(row.end_s).or_default().ended_failed += row.count;
    }
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
