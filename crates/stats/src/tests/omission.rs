//! Coordinated omission, one case seen three ways: raw, corrected afterwards, and measured from the intended start.

use super::{close, sorted};
use crate::quantile::nearest_rank;
use crate::queues::lindley;
use crate::reference::expected_interval_correction;

/// Times in ms: 10 000 calls of 1 ms, one every 10 ms, then one of 100 s. HdrHistogram's own example.
fn raw() -> Vec<f64> {
    let mut times = vec![1.0; 10_000];
    times.push(100_000.0);
    times
}

/// Analysis page 2.1, "CO, raw".
#[test]
fn raw_times_hide_the_stall() {
    let times = raw();
    assert_eq!(times.len(), 10_001);
    close(times.iter().sum::<f64>() / 10_001.0, 10.998_900_11, 1e-9);
    assert_eq!(nearest_rank(&times, 0.9999), Ok(1.0));
    assert_eq!(nearest_rank(&times, 0.99999), Ok(100_000.0));
}

/// Analysis page 2.1, "CO, expected-interval correction"; the same case as HdrHistogram_rust's tests/data_access.rs.
#[test]
fn invented_samples_after_the_stall() {
    let times = sorted(expected_interval_correction(&raw(), 10.0));
    assert_eq!(times.len(), 20_000);
    close(times.iter().sum::<f64>() / 20_000.0, 25_003.0, 1e-12);
    for (q, expected) in [(0.75, 50_000.0), (0.9, 80_000.0), (0.99, 98_000.0), (0.9999, 99_980.0)] {
        assert_eq!(nearest_rank(&times, q), Ok(expected));
    }
}

/// Analysis page 2.1: the same in µs through the crate hdrhistogram, whose maximum is its bucket's, not the true one.
#[test]
fn the_same_through_hdrhistogram() {
    let mut histogram = hdrhistogram::Histogram::<u64>::new_with_bounds(1, 3_600_000_000, 3).unwrap();
    for time in raw() {
        histogram.record_correct((time * 1000.0) as u64, 10_000).unwrap();
    }
    assert_eq!(histogram.len(), 20_000);
    close(histogram.mean(), 25_003_006.699_4, 1e-11);
    for (q, expected) in [(0.75, 50_003_967), (0.9, 80_019_455), (0.99, 98_041_855)] {
        assert_eq!(histogram.value_at_quantile(q), expected);
    }
    assert_eq!(histogram.max(), 100_007_935);
}

/// Analysis page 2.1, "CO, true open loop": what users would have waited; the correction understates it.
#[test]
fn response_times_from_the_intended_start() {
    let arrivals: Vec<f64> = (0..20_000).map(|call| f64::from(call) * 10.0).collect();
    let mut services = vec![1.0; 20_000];
    services[10_000] = 100_000.0;
    let waits = lindley(&arrivals, &services).unwrap();
    let responses: Vec<f64> = waits.iter().zip(&services).map(|(wait, service)| wait + service).collect();
    assert_eq!(responses[19_999], 10_009.0);
    close(responses.iter().sum::<f64>() / 20_000.0, 27_502.75, 1e-12);
    let responses = sorted(responses);
    for (q, expected) in [(0.75, 55_000.0), (0.9, 82_000.0), (0.99, 98_200.0)] {
        // The page rounds: response times fall by 9 ms a call, so a rank falls up to 9 ms beside a round number.
        let found = nearest_rank(&responses, q).unwrap();
        assert!((found - expected).abs() <= 9.0, "{q}: {found}");
    }
}
