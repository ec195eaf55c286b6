//! Statistics of one population of times: percentiles with intervals, mean, spread.

use crate::{Percentile, Times};
use contract::recorder::LegRow;
use std::collections::BTreeMap;
use terms::{Buckets, Histogram, Nanos, SparseHistogram};

/// Percentiles that every table shows.
pub const QUANTILES: [f64; 7] = [0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.999];
/// Confidence of every interval.
pub const CONFIDENCE: f64 = 0.95;
/// Time batches of the design effect.
pub const BATCHES: usize = 30;

/// Statistics of the times in some rows, milliseconds. `None` when there are none.
///
/// `part` picks response or service times of a row. `timeout`: a percentile within 1 % of it is a lower bound.
/// Intervals are order-statistic intervals, widened by the design effect of the share above the percentile over 30
/// time batches; `None` where too few calls or batches carry one.
pub(crate) fn times(rows: &[&LegRow], part: fn(&LegRow) -> &SparseHistogram, timeout: Nanos) -> Option<Times> {
    let mut merged = Histogram::new();
    for row in rows {
        merged.merge_sparse(part(row));
    }
    let (min, max) = (merged.min()?, merged.max()?);
    let percentile = |&quantile: &f64| {
        let value = merged.quantile(quantile).unwrap_or(max);
        let effect = stats::batches::design_effect_of_share(&above(rows, part, value), BATCHES).ok();
        let estimate = effect.and_then(|effect| stats::quantile::estimate(&merged, quantile, CONFIDENCE, effect).ok());
        Percentile {
            quantile,
            value: value.as_millis_f64(),
            interval: estimate.map(|estimate| (estimate.low, estimate.high)),
            is_censored: value.0 as f64 >= timeout.0 as f64 * 0.99,
        }
    };
    let variance = stats::mean::variance_of_histogram(&merged).unwrap_or(0.0);
    let mean = stats::mean::by_batches(&sums(rows, part), variance, BATCHES, CONFIDENCE).ok();
    Some(Times {
        min: min.as_millis_f64(),
        mean: merged.sum_ns() / merged.total() as f64 / 1e6,
        mean_interval: mean.map(|mean| (mean.low, mean.high)),
        sd: variance.max(0.0).sqrt(),
        max: max.as_millis_f64(),
        percentiles: QUANTILES.iter().map(percentile).collect(),
    })
}

/// By second of the intended start, without gaps: times above `value`, and all.
fn above(rows: &[&LegRow], part: fn(&LegRow) -> &SparseHistogram, value: Nanos) -> Vec<(u64, u64)> {
    let edge = Buckets::index(value);
    let mut seconds: BTreeMap<i64, (u64, u64)> = BTreeMap::new();
    for row in rows {
        let second = seconds.entry(row.intended_s).or_default();
        for &(index, count) in &part(row).buckets {
            second.0 += if index > edge { count } else { 0 };
            second.1 += count;
        }
    }
    without_gaps(&seconds)
}

/// By second of the intended start, without gaps: number and sum in milliseconds.
fn sums(rows: &[&LegRow], part: fn(&LegRow) -> &SparseHistogram) -> Vec<(u64, f64)> {
    let mut seconds: BTreeMap<i64, (u64, f64)> = BTreeMap::new();
    for row in rows {
        let second = seconds.entry(row.intended_s).or_default();
        second.0 += part(row).total();
        second.1 += part(row).sum_ns / 1e6;
    }
    without_gaps(&seconds)
}

/// Every second from the first to the last; the empty ones too.
pub(crate) fn without_gaps<T: Copy + Default>(seconds: &BTreeMap<i64, T>) -> Vec<T> {
    let (Some((&first, _)), Some((&last, _))) = (seconds.first_key_value(), seconds.last_key_value()) else {
        return Vec::new();
    };
    (first..=last).map(|second| seconds.get(&second).copied().unwrap_or_default()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use terms::Population;

    fn row(second: i64, times_ms: &[i64]) -> LegRow {
        let mut histogram = Histogram::new();
        times_ms.iter().for_each(|&ms| histogram.record(Nanos::from_millis(ms)));
        LegRow {
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
        // 1..=100 ms, ten a second for ten seconds, shuffled so that every second has the same spread.
        let rows: Vec<_> = (0..10).map(|s| row(s, &(0..10).map(|k| 1 + s + 10 * k).collect::<Vec<_>>())).collect();
        let rows: Vec<_> = rows.iter().collect();
        let times = times(&rows, |row| &row.response, Nanos::from_secs(30)).unwrap();
        assert_eq!((times.min, times.mean, times.max), (1.0, 50.5, 100.0));
        let p95 = &times.percentiles[3];
        assert!((p95.value - 95.0).abs() < 0.1 && !p95.is_censored);
        // Order-statistic ranks of p95 at n = 100 and 95 %: 90 and 100.
        let (low, high) = p95.interval.unwrap();
        assert!((low - 90.0).abs() < 0.2 && (high - 100.0).abs() < 0.2, "{low} {high}");
        assert_eq!(times.percentiles[6].interval, None, "p99.9 needs 3688 calls");
    }

    #[test]
    fn a_percentile_on_the_time_out_is_a_lower_bound() {
        let rows = [row(0, &[29_990; 5])];
        let rows: Vec<_> = rows.iter().collect();
        let times = times(&rows, |row| &row.response, Nanos::from_secs(30)).unwrap();
        assert!(times.percentiles.iter().all(|percentile| percentile.is_censored));
    }
}
