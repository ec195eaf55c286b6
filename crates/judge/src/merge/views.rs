//! What the report draws second by second: percentiles, a heat map, counts within limits.

use super::{FewTimes, LegMerge, times_by_second};
use crate::heat::{Heat, heat_bin_of};
use crate::row::times_of;
use crate::rows::Index;
use crate::views::{Below, LegSecond};
use record::{Measure, Threshold};
use std::collections::BTreeMap;
use terms::{Nanos, Population};

/// Seconds whose histograms are held at once: an hour of them would be hundreds of megabytes.
const AT_ONCE_S: i64 = 600;

/// p50, p95, p99 and the greatest time of what succeeded, by second of the intended start.
pub(crate) fn percentiles_by_second(
    index: &Index<'_>,
    (step, exchange, leg): (u32, u16, u8),
    merge: &LegMerge,
) -> BTreeMap<i64, [Option<Nanos>; 4]> {
    let mut found = BTreeMap::new();
    let mut next = merge.seconds.keys().next().copied();
    while let Some(from) = next {
        let to = from.saturating_add(AT_ONCE_S);
        let seconds = times_by_second(index.evidence.rows.legs_between(step, exchange, leg, from..to), times_of);
        let four = |times: FewTimes| {
            let [p50, p95, p99] = [0.5, 0.95, 0.99].map(|quantile| times.quantile(quantile));
            [p50, p95, p99, times.max()]
        };
        found.extend(seconds.into_iter().map(|(second, times)| (second, four(times))));
        next = merge.seconds.range(to..).next().map(|(second, _)| *second);
    }
    found
}

/// Times over the run: second of the end and log bin of what succeeded.
pub(crate) fn heat(index: &Index<'_>, (step, exchange, leg): (u32, u16, u8)) -> Heat {
    let mut heat = Heat::default();
    for row in index.legs(step, exchange, leg).filter(|row| row.population == Population::Ok) {
        let calls = times_of(&row).buckets.iter().map(|(bucket, count)| (heat_bin_of(*bucket), *count));
        heat.add(row.end_s, calls);
    }
    heat
}

/// Counts within the limits of an exchange: in all, and of each second that is listed.
pub(crate) fn below(index: &Index<'_>, (step, exchange, leg): (u32, u16, u8), seconds: &[LegSecond]) -> Vec<Below> {
    let Some(head) = index.head().exchanges.get(usize::from(exchange)) else { return Vec::new() };
    let threshold = |threshold: &record::ThresholdHead| Threshold {
        leg,
        measure: if threshold.measure == "service" { Measure::Service } else { Measure::Response },
        limit: Nanos(threshold.limit_ns),
        inclusive: threshold.inclusive,
    };
    let own = head.thresholds.iter().filter(|threshold| threshold.leg == leg).map(threshold);
    let mut all: Vec<Below> =
        own.map(|threshold| Below { threshold, ok: 0, failed: 0, ok_by_second: vec![0; seconds.len()] }).collect();
    if all.is_empty() {
        return all;
    }
    for row in index.legs(step, exchange, leg) {
        let at = seconds.binary_search_by_key(&row.intended_s, |second| second.second).ok();
        for (below, count) in all.iter_mut().zip(&row.below) {
            if row.population == Population::Failed {
                below.failed += count;
                continue;
            }
            below.ok += count;
            if let Some(at) = at {
                below.ok_by_second[at] += count;
            }
        }
    }
    all
}
