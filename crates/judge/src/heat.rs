//! Calls by second and by log bin of their time: what heat maps, windows and charts of iterations are drawn from.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::OnceLock;
use terms::{Buckets, Nanos};

/// Number of log bins.
pub const HEAT_BINS: u16 = 140;

/// Calls by second and log bin; only the bins that have calls are kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heat {
    /// Pairs of bin and count, bins ascending, counts above zero.
    seconds: BTreeMap<i64, Vec<(u16, u64)>>,
}

impl Heat {
    /// Adds calls of one second: bins, each with how many.
    pub fn add(&mut self, second: i64, calls: impl IntoIterator<Item = (u16, u64)>) {
        let mut calls = calls.into_iter().filter(|(_, count)| *count > 0).peekable();
        if calls.peek().is_none() {
            return;
        }
        let bins = self.seconds.entry(second).or_default();
        for (bin, count) in calls {
            // Buckets of a histogram come in order, so that most belong to the bin of the one before.
            match bins.last_mut() {
                Some((last, known)) if *last == bin => *known = known.saturating_add(count),
                Some((last, _)) if *last > bin => match bins.binary_search_by_key(&bin, |(bin, _)| *bin) {
                    Ok(at) => bins[at].1 = bins[at].1.saturating_add(count),
                    Err(at) => bins.insert(at, (bin, count)),
                },
                _ => bins.push((bin, count)),
            }
        }
    }

    /// Second, bin and count of every cell with calls, in order.
    pub fn cells(&self) -> impl Iterator<Item = (i64, u16, u64)> {
        self.between(i64::MIN..=i64::MAX)
    }

    /// The cells of these seconds, in order.
    pub fn between(&self, seconds: RangeInclusive<i64>) -> impl Iterator<Item = (i64, u16, u64)> {
        let range = if seconds.is_empty() { 0..=0 } else { seconds.clone() };
        let found = self.seconds.range(range).filter(move |(second, _)| seconds.contains(second));
        found.flat_map(|(second, bins)| bins.iter().map(|(bin, count)| (*second, *bin, *count)))
    }

    /// Calls of all cells.
    pub fn total(&self) -> u64 {
        self.cells().fold(0, |sum, (_, _, count)| sum.saturating_add(count))
    }
}

impl FromIterator<(i64, u16, u64)> for Heat {
    fn from_iter<T: IntoIterator<Item = (i64, u16, u64)>>(cells: T) -> Self {
        let mut heat = Self::default();
        cells.into_iter().for_each(|(second, bin, count)| heat.add(second, [(bin, count)]));
        heat
    }
}

/// Log bins of the heat map: 20 for each factor of ten, from 10 µs.
pub fn heat_bin(time: Nanos) -> u16 {
    let ratio = (time.0.max(10_000) as f64 / 10_000.0).log10();
    ((ratio * 20.0).floor() as u16).min(HEAT_BINS - 1)
}

/// The log bin of a histogram's bucket, by the bucket's least time; beyond the last bucket that of the last.
pub(crate) fn heat_bin_of(bucket: u32) -> u16 {
    static BINS: OnceLock<Vec<u16>> = OnceLock::new();
    let bins = BINS.get_or_init(|| (0..Buckets::LEN as u32).map(|bucket| heat_bin(Buckets::low(bucket))).collect());
    bins.get(bucket as usize).or(bins.last()).copied().unwrap_or_default()
}

/// From which time on calls are in a log bin: the first has all that are faster, too.
pub fn heat_bin_from(bin: u16) -> Nanos {
    if bin == 0 { Nanos::ZERO } else { heat_bin_low(bin) }
}

/// Least time of a log bin, as it is drawn on an axis without a zero.
pub fn heat_bin_low(bin: u16) -> Nanos {
    Nanos((10_000.0 * 10f64.powf(f64::from(bin) / 20.0)).round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn cells_are_those_of_a_plain_map(cells in prop::collection::vec((-3i64..4, 0u16..HEAT_BINS, 0u64..4), 0..60)) {
            let mut map = BTreeMap::new();
            for &(second, bin, count) in cells.iter().filter(|(_, _, count)| *count > 0) {
                *map.entry((second, bin)).or_insert(0) += count;
            }
            let heat: Heat = cells.into_iter().collect();
            let expected: Vec<(i64, u16, u64)> = map.iter().map(|((second, bin), count)| (*second, *bin, *count)).collect();
            prop_assert_eq!(heat.cells().collect::<Vec<_>>(), expected.clone());
            prop_assert_eq!(heat.total(), map.values().sum::<u64>());
            let inner: Vec<_> = expected.into_iter().filter(|(second, _, _)| (-1..=2).contains(second)).collect();
            prop_assert_eq!(heat.between(-1..=2).collect::<Vec<_>>(), inner);
            prop_assert_eq!(heat.between(RangeInclusive::new(2, -1)).count(), 0);
        }
    }

    #[test]
    fn the_bin_of_a_bucket_is_that_of_its_least_time() {
        for bucket in [0, 1, 99, 100, 101, 2048, 5000, Buckets::LEN as u32 - 1] {
            assert_eq!(heat_bin_of(bucket), heat_bin(Buckets::low(bucket)));
        }
        assert_eq!(heat_bin_of(u32::MAX), heat_bin_of(Buckets::LEN as u32 - 1));
    }
}
