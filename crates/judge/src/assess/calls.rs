//! How many calls a figure of a distribution needs before it is printed or drawn.

/// Calls that must lie beyond a percentile before a curve is drawn in full: it would else be drawn from a handful.
pub const CALLS_BEYOND: u64 = 10;
/// An empirical distribution has this many calls on either side of its middle.
const ECDF_CALLS: u64 = 2 * CALLS_BEYOND;
/// A second has a percentile of its own when this many of its calls lie at or beyond it: one is read where many
/// seconds stand beside each other.
const SECOND_BEYOND: f64 = 1.0;
/// A window of several seconds must have more: it stands for all of them.
const WINDOW_BEYOND: f64 = 2.0;
/// What products of shares lose in the last digit.
const ROUNDED: f64 = 1e-9;
/// Both tails of a 95 % interval.
const TAIL: f64 = 0.025;

/// Least number of calls for which a two-sided 95 % interval of a percentile is finite: 1 − q^n ≥ 0.975.
/// Known values: p90 36, p95 72, p99 368, p99.9 3688.
pub fn calls_needed(quantile: f64) -> u64 {
    if quantile <= 0.0 || quantile >= 1.0 {
        return 1;
    }
    let tail = quantile.max(1.0 - quantile);
    (TAIL.ln() / tail.ln()).ceil() as u64
}

/// Whether a curve of percentiles is drawn in full where so many calls lie beyond.
pub fn is_full(beyond: u64) -> bool {
    beyond >= CALLS_BEYOND
}

/// Whether so many calls have a histogram.
pub fn has_histogram(calls: u64) -> bool {
    calls >= CALLS_BEYOND
}

/// Whether so many calls have an empirical distribution.
pub fn has_ecdf(calls: u64) -> bool {
    calls >= ECDF_CALLS
}

/// Whether a second of so many calls has this percentile.
pub fn second_carries(calls: f64, quantile: f64) -> bool {
    calls * (1.0 - quantile) >= SECOND_BEYOND - ROUNDED
}

/// Whether a window of so many calls has this percentile.
pub fn window_carries(calls: f64, quantile: f64) -> bool {
    calls * (1.0 - quantile) >= WINDOW_BEYOND - ROUNDED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_needed_are_those_of_the_literature() {
        for (quantile, calls) in [(0.5, 6), (0.9, 36), (0.95, 72), (0.99, 368), (0.999, 3688)] {
            assert_eq!(calls_needed(quantile), calls, "{quantile}");
        }
        assert_eq!((calls_needed(0.0), calls_needed(1.0)), (1, 1), "minimum and maximum are always known");
    }

    #[test]
    fn a_percentile_is_carried_from_its_number_of_calls_on() {
        assert!(is_full(10) && !is_full(9) && has_histogram(10) && !has_histogram(9) && has_ecdf(20) && !has_ecdf(19));
        assert!(second_carries(20.0, 0.95) && !second_carries(19.0, 0.95));
        assert!(window_carries(40.0, 0.95) && !window_carries(39.0, 0.95));
    }
}
