//! Percentiles of windows, where a second has too few calls for a percentile of its own.
//!
//! They are read from the bins of the heat map, which is all that is kept of a second besides its own percentiles:
//! within a bin calls are taken as evenly spread on the log axis, so a value is at most a bin's width (12 %) off.

use super::leg::LegFigures;
use judge::assess;
use judge::views::{HEAT_BINS, heat_bin_low};
use std::collections::BTreeMap;

/// Calls by bin of the heat map.
pub(super) type Bins = [u64; HEAT_BINS as usize];
pub(super) const NO_CALLS: Bins = [0; HEAT_BINS as usize];

/// Lengths of windows, seconds.
const WIDTHS: [i64; 8] = [2, 5, 10, 15, 30, 60, 120, 300];

/// A window with its percentiles in milliseconds, in the order of [`QUANTILES`].
pub(super) struct Window {
    /// The second in its middle.
    pub second: i64,
    /// `None` where too few calls lie beyond.
    pub values: [Option<f64>; 3],
}

/// p50, p95, p99.
pub(super) const QUANTILES: [f64; 3] = [0.5, 0.95, 0.99];

/// The shortest window that carries a p95 at so many calls a second; `None` where even the longest does not.
pub(super) fn width(calls_per_s: f64) -> Option<i64> {
    WIDTHS.into_iter().find(|width| assess::window_carries(calls_per_s * *width as f64, 0.95))
}

/// Windows of a leg, from the begin of each step on, so that none lies in two phases.
pub(super) fn windows(of: &LegFigures<'_, '_>, width: i64) -> Vec<Window> {
    let mut found = Vec::new();
    for (step, _, leg) in of.scenario.leg_views(of.exchange, of.leg) {
        let (from, to) = (step.from.second(), step.to.second());
        let mut bins: BTreeMap<i64, Bins> = BTreeMap::new();
        for (second, bin, count) in leg.heat.between(from..=to) {
            bins.entry((second - from) / width).or_insert(NO_CALLS)[usize::from(bin)] += count;
        }
        for (number, bins) in bins {
            let begin = from + number * width;
            let middle = (begin + (begin + width).min(to)) / 2;
            found.push(Window { second: middle, values: QUANTILES.map(|quantile| percentile(&bins, quantile)) });
        }
    }
    found.sort_by_key(|window| window.second);
    found
}

/// The quantile of binned times, milliseconds; `None` where too few calls carry it.
pub(super) fn percentile(bins: &Bins, quantile: f64) -> Option<f64> {
    let total: u64 = bins.iter().sum();
    if !assess::window_carries(total as f64, quantile) {
        return None;
    }
    let rank = quantile * total as f64;
    let mut below = 0.0;
    for (bin, count) in (0..).zip(bins).filter(|(_, count)| **count > 0) {
        let count = *count as f64;
        if below + count >= rank {
            let (low, high) = (heat_bin_low(bin).as_millis_f64(), heat_bin_low(bin + 1).as_millis_f64());
            return Some(low * (high / low).powf((rank - below) / count));
        }
        below += count;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::views::heat_bin;
    use terms::Nanos;

    #[test]
    fn the_fewer_calls_the_longer_the_window() {
        assert_eq!(width(40.0), Some(2));
        assert_eq!(width(20.0), Some(2));
        assert_eq!(width(3.0), Some(15), "45 calls, of which 2.25 lie beyond p95");
        assert_eq!(width(0.1), None, "30 calls in five minutes carry no p95");
    }

    #[test]
    fn a_percentile_of_bins_is_within_a_bin_of_the_true_one() {
        let mut bins = NO_CALLS;
        for ms in 1..=1000 {
            bins[usize::from(heat_bin(Nanos::from_millis(ms)))] += 1;
        }
        for (quantile, wanted) in [(0.5, 500.0), (0.95, 950.0), (0.99, 990.0)] {
            let found = percentile(&bins, quantile).unwrap();
            assert!((found / wanted - 1.0).abs() < 0.122, "{quantile}: {found}");
        }
        let mut few = NO_CALLS;
        few[40] = 30;
        assert!(percentile(&few, 0.5).is_some() && percentile(&few, 0.95).is_none());
    }
}
