//! How numbers lie: mean, median, p99.

use serde_json::{Value, json};

/// Absolute deviations, in the unit of the numbers.
pub(crate) fn spread(mut deviations: Vec<f64>) -> Value {
    if deviations.is_empty() {
        return Value::Null;
    }
    deviations.sort_by(f64::total_cmp);
    let mean = deviations.iter().sum::<f64>() / deviations.len() as f64;
    let max = deviations[deviations.len() - 1];
    json!({ "mean": mean, "p50": at(&deviations, 0.5), "p90": at(&deviations, 0.9), "p99": at(&deviations, 0.99),
        "p999": at(&deviations, 0.999), "max": max })
}

/// The nearest-rank percentile of ordered numbers.
pub(crate) fn at(sorted: &[f64], quantile: f64) -> f64 {
    let rank = (quantile * sorted.len() as f64).ceil() as usize;
    sorted[rank.clamp(1, sorted.len()) - 1]
}

/// Distances of arrivals (µs, any order) from a schedule of one every `interval` µs that begins where it fits best: at
/// the median of what each arrival says.
pub(crate) fn from_schedule(arrivals: &[f64], interval: f64) -> Vec<f64> {
    let mut begins: Vec<f64> = arrivals.iter().enumerate().map(|(i, at)| at - i as f64 * interval).collect();
    begins.sort_by(f64::total_cmp);
    let Some(&begin) = begins.get(begins.len() / 2) else { return Vec::new() };
    begins.iter().map(|at| (at - begin).abs()).collect()
}

/// Distances of the gaps between arrivals from `interval`, µs.
pub(crate) fn gaps(arrivals: &[f64], interval: f64) -> Vec<f64> {
    arrivals.windows(2).map(|pair| (pair[1] - pair[0] - interval).abs()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_arrival_is_one_distance_and_two_gaps() {
        let mut arrivals: Vec<f64> = (0..101).map(|i| 1e6 + f64::from(i) * 200.0).collect();
        arrivals[50] += 60.0;
        let distances = from_schedule(&arrivals, 200.0);
        assert_eq!(distances.iter().filter(|d| **d > 0.0).collect::<Vec<_>>(), [&60.0]);
        assert_eq!(gaps(&arrivals, 200.0).iter().sum::<f64>(), 120.0);
    }

    #[test]
    fn percentiles_are_of_nearest_rank() {
        let sorted: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!((at(&sorted, 0.5), at(&sorted, 0.99), at(&sorted, 0.999)), (50.0, 99.0, 100.0));
        assert_eq!(spread(Vec::new()), Value::Null);
    }
}
