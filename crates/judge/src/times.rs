//! Statistics of one population of times: percentiles with intervals, mean, spread.

use crate::{Percentile, Times};
use record::LegRow;
use stats::memory::Memory;
use std::collections::BTreeMap;
use terms::{Buckets, Histogram, Nanos, SparseHistogram};

/// Percentiles that every table shows.
pub const QUANTILES: [f64; 7] = [0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.999];
/// Confidence of every interval that is shown of a figure.
pub const CONFIDENCE: f64 = 0.95;
/// Two-sided confidence of the interval of a verdict: each end by itself is wrong in 5 % of all runs, which is the
/// chance of a wrong "met" and of a wrong "not met", so that verdict and interval never contradict each other.
pub const VERDICT_CONFIDENCE: f64 = 0.9;
/// Time batches of the design effect.
pub const BATCHES: usize = 30;

/// More seconds than this are taken together by twos, threes and so on before they are batched: 28 hours.
const LISTED_SECONDS_MAX: i64 = 100_000;
/// A time within this of the time-out stands on it.
const TIMEOUT_NEAR: f64 = 0.01;

/// What may have cut times off.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Censoring {
    /// The time-out; zero when there is none.
    pub(crate) timeout: Nanos,
    /// Whether some of the times are of calls that timed out.
    pub(crate) has_timeouts: bool,
}

impl Censoring {
    /// Whether a percentile of this value is a lower bound: it stands on the time-out, or calls that were cut off lie at
    /// or below it. A call that waited for a connection may take longer than the time-out and be whole.
    pub(crate) fn cuts(&self, value: Nanos) -> bool {
        let timeout = self.timeout.0 as f64;
        let value = value.0 as f64;
        timeout > 0.0
            && value >= timeout * (1.0 - TIMEOUT_NEAR)
            && (self.has_timeouts || value <= timeout * (1.0 + TIMEOUT_NEAR))
    }
}

/// Which times of a row are meant: response or service times.
pub(crate) type Part = fn(&LegRow) -> &SparseHistogram;

/// Statistics of some times, milliseconds. `None` when there are none. `merged` are the times of all `rows`.
pub(crate) fn times(
    merged: &Histogram,
    rows: impl Iterator<Item = LegRow>,
    part: Part,
    censoring: Censoring,
) -> Option<Times> {
    let mut course = Course::of(merged, part)?;
    rows.for_each(|row| course.add(&row));
    Some(course.times(censoring))
}

/// Times that are looked at second by second. Rows cost more to unpack than to add, so whoever needs the statistics of
/// several populations hands each row to all of them.
pub(crate) struct Course<'a> {
    merged: &'a Histogram,
    part: Part,
    min: Nanos,
    max: Nanos,
    /// The percentiles, and the buckets that they lie in.
    values: Vec<Nanos>,
    edges: Vec<u32>,
    seconds: Seconds,
}

impl<'a> Course<'a> {
    /// Of times of which `merged` are all; `None` when there are none.
    pub(crate) fn of(merged: &'a Histogram, part: Part) -> Option<Self> {
        let (min, max) = (merged.min()?, merged.max()?);
        let values: Vec<Nanos> = QUANTILES.iter().map(|&quantile| merged.quantile(quantile).unwrap_or(max)).collect();
        let edges = values.iter().map(|value| Buckets::index(*value)).collect();
        Some(Self { merged, part, min, max, values, edges, seconds: Seconds::default() })
    }

    pub(crate) fn add(&mut self, row: &LegRow) {
        self.seconds.add(row.intended_s, (self.part)(row), &self.edges);
    }

    /// When all rows were added. Intervals are order-statistic intervals, widened by what the share above the percentile
    /// and the mean show of memory; `None` where too few calls, or too short a time, carry one. Their bounds rise with the
    /// quantiles.
    pub(crate) fn times(self, censoring: Censoring) -> Times {
        let Self { merged, min, max, values, seconds, .. } = self;
        let spread = stats::mean::Spread::of_histogram(merged).ok();
        let variance = spread.map(|spread| spread.variance);
        let sums = without_gaps(&seconds.sums);
        let mean = variance.and_then(|variance| Memory::of_sums(&sums, variance).ok());
        let percentile = |(place, &quantile): (usize, &f64)| {
            let memory =
                Memory::of_share(&seconds.above(place)).and_then(|memory| memory.beside(mean.as_ref()).checked());
            let effects = memory.ok().map(|memory| memory.effects(CONFIDENCE));
            let estimate =
                effects.and_then(|effects| stats::quantile::estimate(merged, quantile, CONFIDENCE, effects).ok());
            Percentile {
                quantile,
                value: values[place].as_millis_f64(),
                interval: estimate.map(|estimate| (estimate.low, estimate.high)),
                is_censored: censoring.cuts(values[place]),
            }
        };
        let mut percentiles: Vec<Percentile> = QUANTILES.iter().enumerate().map(percentile).collect();
        let mut intervals: Vec<Option<(f64, f64)>> = percentiles.iter().map(|percentile| percentile.interval).collect();
        stats::quantile::ascending(&mut intervals);
        for (percentile, interval) in percentiles.iter_mut().zip(intervals) {
            percentile.interval = interval;
        }
        let interval = spread.and_then(|known| stats::mean::by_memory(&sums, known, CONFIDENCE).ok());
        Times {
            min: min.as_millis_f64(),
            mean: merged.sum_ns() / merged.total() as f64 / 1e6,
            mean_interval: interval.map(|mean| (mean.low, mean.high)),
            sd: variance.map(f64::sqrt),
            max: max.as_millis_f64(),
            percentiles,
        }
    }
}

/// What memory between calls is looked for in, by second of the intended start.
#[derive(Default)]
struct Seconds {
    /// How many times lie above exactly the first so many percentiles, which ascend as the quantiles do.
    counts: BTreeMap<i64, [u64; QUANTILES.len() + 1]>,
    /// Number of times, and their sum in milliseconds.
    sums: BTreeMap<i64, (u64, f64)>,
}

impl Seconds {
    fn add(&mut self, second: i64, times: &SparseHistogram, edges: &[u32]) {
        let counts = self.counts.entry(second).or_default();
        // Both ascend.
        let mut place = 0;
        for &(index, count) in &times.buckets {
            while edges.get(place).is_some_and(|edge| *edge < index) {
                place += 1;
            }
            counts[place] += count;
        }
        let sum = self.sums.entry(second).or_default();
        *sum = (sum.0 + times.total(), sum.1 + times.sum_ns / 1e6);
    }

    /// Without gaps: times above the percentile at this place, and all.
    fn above(&self, place: usize) -> Vec<(u64, u64)> {
        let of = |counts: &[u64; QUANTILES.len() + 1]| (counts[place + 1..].iter().sum(), counts.iter().sum());
        without_gaps(&self.counts.iter().map(|(second, counts)| (*second, of(counts))).collect())
    }
}

/// Every second from the first to the last, the empty ones too. Over very long stretches, each entry is of several.
pub(crate) fn without_gaps<T: Copy + Default + Joined>(seconds: &BTreeMap<i64, T>) -> Vec<T> {
    let (Some((&first, _)), Some((&last, _))) = (seconds.first_key_value(), seconds.last_key_value()) else {
        return Vec::new();
    };
    let width = last.saturating_sub(first) / LISTED_SECONDS_MAX + 1;
    let mut listed = vec![T::default(); (last.saturating_sub(first) / width) as usize + 1];
    for (second, value) in seconds {
        listed[((second - first) / width) as usize].join(*value);
    }
    listed
}

/// What two seconds come to.
pub(crate) trait Joined {
    /// Adds another second.
    fn join(&mut self, other: Self);
}

impl Joined for (u64, u64) {
    fn join(&mut self, other: Self) {
        *self = (self.0 + other.0, self.1 + other.1);
    }
}

impl Joined for (u64, f64) {
    fn join(&mut self, other: Self) {
        *self = (self.0 + other.0, self.1 + other.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use terms::Population;

    const THIRTY: Censoring = Censoring { timeout: Nanos::from_secs(30), has_timeouts: false };

    fn statistics(rows: &[LegRow]) -> Times {
        let mut merged = Histogram::new();
        rows.iter().for_each(|row| merged.merge_sparse(&row.response));
        times(&merged, rows.iter().cloned(), |row| &row.response, THIRTY).unwrap()
    }

    fn row(second: i64, times_ms: &[i64]) -> LegRow {
        let mut histogram = Histogram::new();
        times_ms.iter().for_each(|&ms| histogram.record(Nanos::from_millis(ms)));
        LegRow {
            stream: contract::NO_STREAM,
            step: 0,
            exchange: 0,
            leg: 0,
            population: Population::Ok,
            intended_s: second,
            end_s: second,
            count: times_ms.len() as u64,
            units: 0,
            bytes: 0,
            below: Vec::new(),
            response: histogram.to_sparse(),
            service: histogram.to_sparse(),
        }
    }

    #[test]
    fn statistics_of_a_hundred_known_times() {
        // 10, 20, … 100 ms in each of ten seconds: nothing is remembered.
        let rows: Vec<_> = (0..10).map(|s| row(s, &(1..=10).map(|k| 10 * k).collect::<Vec<_>>())).collect();
        let times = statistics(&rows);
        assert_eq!((times.min, times.mean, times.max), (10.0, 55.0, 100.0));
        let p95 = &times.percentiles[3];
        assert!((p95.value - 100.0).abs() < 0.1 && !p95.is_censored);
        // Order-statistic ranks of p95 at n = 100 and 95 %: 90 and 100.
        let (low, high) = p95.interval.unwrap();
        assert!((low - 90.0).abs() < 0.2 && (high - 100.0).abs() < 0.2, "{low} {high}");
        assert_eq!(times.percentiles[6].interval, None, "p99.9 needs 3688 calls");
    }

    #[test]
    fn a_percentile_on_the_time_out_is_a_lower_bound() {
        let rows = [row(0, &[29_990; 5])];
        let times = statistics(&rows);
        assert!(times.percentiles.iter().all(|percentile| percentile.is_censored));
    }

    #[test]
    fn long_waits_are_whole_unless_calls_were_cut_off() {
        // A minute of waiting for a connection and then an answer: longer than the time-out of 30 s, and whole.
        let (waited, cut) = (Nanos::from_secs(60), Nanos::from_millis(29_800));
        let none = Censoring { timeout: Nanos::ZERO, has_timeouts: true };
        let some = Censoring { has_timeouts: true, ..THIRTY };
        assert!(!THIRTY.cuts(waited) && some.cuts(waited) && THIRTY.cuts(cut) && !none.cuts(cut));
        assert!(!some.cuts(Nanos::from_secs(29)), "below every time-out nothing is cut");
    }

    #[test]
    fn one_time_has_no_spread() {
        let rows = [row(0, &[7])];
        let times = statistics(&rows);
        assert_eq!((times.sd, times.mean_interval), (None, None));
    }

    #[test]
    fn years_between_two_rows_cost_no_memory() {
        let seconds = BTreeMap::from([(-100_000_000, (1u64, 2u64)), (300_000_000, (3, 4))]);
        let listed = without_gaps(&seconds);
        assert!(listed.len() <= LISTED_SECONDS_MAX as usize + 1);
        assert_eq!((listed[0], *listed.last().unwrap()), ((1, 2), (3, 4)));
    }
}
