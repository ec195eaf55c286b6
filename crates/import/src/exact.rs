//! Every time that was recorded, counted as it is: percentiles without a bucket's width, as different tools take them.

use std::collections::{BTreeMap, VecDeque};
use terms::Nanos;

/// Below this many units a time has a counter of its own in a plain list.
const DENSE: usize = 1 << 16;
/// Other times that are kept apart; of a file with more, what they tell is left out.
const APART_MAX: usize = 1 << 18;
/// JMeter's dashboard takes its percentiles from so many samples of a label, the last ones.
///
/// Source: `jmeter.reportgenerator.statistic_window` of `reportgenerator.properties`, JMeter 5.6.
pub(crate) const JMETER_WINDOW: usize = 20_000;

/// Counts of times in one unit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exact {
    dense: Vec<u64>,
    others: BTreeMap<u64, u64>,
    total: u64,
    is_over: bool,
}

impl Exact {
    pub(crate) fn add(&mut self, value: u64) {
        self.add_many(value, 1);
    }

    /// The same time so many times.
    pub(crate) fn add_many(&mut self, value: u64, count: u64) {
        self.total += count;
        match usize::try_from(value).ok().filter(|place| *place < DENSE) {
            Some(place) => {
                if self.dense.len() <= place {
                    // Grown by halves, so that a run of rising times is not copied over and over.
                    self.dense.resize((place + 1 + place / 2).min(DENSE), 0);
                }
                self.dense[place] += count;
            }
            None if self.others.len() < APART_MAX || self.others.contains_key(&value) => {
                *self.others.entry(value).or_default() += count;
            }
            None => self.is_over = true,
        }
    }

    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// The mean; `None` of nothing, and where not all times could be kept.
    pub(crate) fn mean(&self) -> Option<f64> {
        if self.is_over || self.total == 0 {
            return None;
        }
        let dense = self.dense.iter().enumerate().map(|(value, count)| value as u128 * u128::from(*count));
        let others = self.others.iter().map(|(value, count)| u128::from(*value) * u128::from(*count));
        Some(dense.chain(others).sum::<u128>() as f64 / self.total as f64)
    }

    /// The value of a rank, from 1; `None` beyond the last, and where not all times could be kept.
    fn at(&self, rank: u64) -> Option<u64> {
        if self.is_over || rank == 0 || rank > self.total {
            return None;
        }
        let dense = self.dense.iter().enumerate().map(|(value, count)| (value as u64, *count));
        let mut seen = 0;
        dense.chain(self.others.iter().map(|(value, count)| (*value, *count))).find_map(|(value, count)| {
            seen += count;
            (seen >= rank).then_some(value)
        })
    }

    /// The nearest rank: the least value with at least this share at or below it (type 1 of Hyndman and Fan, 1996).
    pub(crate) fn nearest_rank(&self, quantile: f64) -> Option<f64> {
        let exact = quantile * self.total as f64;
        let rank = if (exact - exact.round()).abs() < 1e-9 * exact.max(1.0) { exact.round() } else { exact.ceil() };
        self.at((rank as u64).clamp(1, self.total.max(1))).map(|value| value as f64)
    }

    /// Between the two values next to rank `quantile·(n + 1)`, the ends standing for what lies beyond them (type 6):
    /// what JMeter prints.
    pub(crate) fn type_6(&self, quantile: f64) -> Option<f64> {
        self.between(quantile * (self.total as f64 + 1.0))
    }

    /// Between the two values next to rank `quantile·(n − 1) + 1` (type 7): what k6 prints.
    pub(crate) fn type_7(&self, quantile: f64) -> Option<f64> {
        self.between(quantile * (self.total as f64 - 1.0) + 1.0)
    }

    fn between(&self, place: f64) -> Option<f64> {
        let place = place.clamp(1.0, self.total.max(1) as f64);
        let (low, part) = (place.floor(), place - place.floor());
        let least = self.at(low as u64)? as f64;
        if part == 0.0 { Some(least) } else { Some(least + part * (self.at(low as u64 + 1)? as f64 - least)) }
    }
}

/// The last times of a label, in the order of the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Last {
    /// In pieces, so that many are dropped at once.
    pieces: VecDeque<Vec<u32>>,
    held: usize,
}

/// Times of a piece, unless it came as one.
const PIECE: usize = 4096;

impl Last {
    pub(crate) fn add(&mut self, value: u64) {
        let value = u32::try_from(value).unwrap_or(u32::MAX);
        match self.pieces.back_mut().filter(|piece| piece.len() < PIECE) {
            Some(piece) => piece.push(value),
            None => self.pieces.push_back(vec![value]),
        }
        self.held += 1;
        self.drop_first();
    }

    /// Adds those that come later in the file.
    pub(crate) fn join(&mut self, later: Self) {
        for piece in later.pieces {
            self.held += piece.len();
            match self.pieces.back_mut().filter(|last| last.len() + piece.len() <= PIECE) {
                Some(last) => last.extend_from_slice(&piece),
                None => self.pieces.push_back(piece),
            }
        }
        self.drop_first();
    }

    fn drop_first(&mut self) {
        while let Some(first) = self.pieces.front().map(Vec::len).filter(|first| self.held - first >= JMETER_WINDOW) {
            self.held -= first;
            self.pieces.pop_front();
        }
    }

    pub(crate) fn counts(&self) -> Exact {
        let mut exact = Exact::default();
        let all = self.pieces.iter().flatten().skip(self.held.saturating_sub(JMETER_WINDOW));
        all.for_each(|value| exact.add(u64::from(*value)));
        exact
    }
}

/// A time in units of that length, rounded down.
pub(crate) fn units(time: Nanos, unit: Nanos) -> u64 {
    (time.0.max(0) / unit.0.max(1)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: impl IntoIterator<Item = u64>) -> Exact {
        let mut exact = Exact::default();
        values.into_iter().for_each(|value| exact.add(value));
        exact
    }

    fn close(value: Option<f64>, expected: f64) {
        let value = value.expect("it has one");
        assert!((value - expected).abs() < 1e-4, "{value} is not {expected}");
    }

    /// Source: NIST/SEMATECH e-Handbook, 7.2.6.2 (95.1981 by type 6), and Hyndman & Fan's formulas for 1..10 and 1..20.
    #[test]
    fn percentiles_are_those_of_the_handbook() {
        let gauges = [951772, 951567, 951937, 951959, 951442, 950610, 951591, 951195, 951065, 950925, 951990, 951682];
        let gauges = of(gauges);
        close(gauges.type_6(0.9).map(|value| value / 1e4), 95.19807);
        close(gauges.type_7(0.9).map(|value| value / 1e4), 95.19568);
        close(gauges.nearest_rank(0.9).map(|value| value / 1e4), 95.1959);
        let ten = of(1..=10);
        for (quantile, one, six, seven) in [(0.9, 9.0, 9.9, 9.1), (0.95, 10.0, 10.0, 9.55)] {
            close(ten.nearest_rank(quantile), one);
            close(ten.type_6(quantile), six);
            close(ten.type_7(quantile), seven);
        }
        close(of(1..=20).type_6(0.95), 19.95);
        assert_eq!(of([]).type_6(0.95), None);
    }

    #[test]
    fn long_times_are_counted_like_short_ones() {
        let exact = of([3, 70_000, 1_000_000, 70_000]);
        assert_eq!(
            (exact.at(1), exact.at(3), exact.at(4), exact.at(5)),
            (Some(3), Some(70_000), Some(1_000_000), None)
        );
    }

    #[test]
    fn the_last_are_those_of_the_end() {
        let mut last = Last::default();
        (0..JMETER_WINDOW as u64 + 5).for_each(|value| last.add(value));
        assert_eq!((last.counts().at(1), last.counts().total()), (Some(5), JMETER_WINDOW as u64));
        let mut joined = Last::default();
        let all: Vec<u64> = (0..JMETER_WINDOW as u64 + 12_345).collect();
        for piece in all.chunks(999) {
            let mut later = Last::default();
            piece.iter().for_each(|value| later.add(*value));
            joined.join(later);
        }
        assert_eq!((joined.counts().at(1), joined.counts().total()), (Some(12_345), JMETER_WINDOW as u64));
        assert!(joined.held < JMETER_WINDOW + 2 * PIECE, "the others are forgotten");
    }
}
