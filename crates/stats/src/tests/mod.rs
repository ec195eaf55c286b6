//! Known answers, properties and edges; the modules are named after the files they test.
//!
//! "scipy" beside a number means scipy 1.17 on Python 3.11, a second implementation. "Analysis page" means the design
//! note on analysis and report, whose numbers were computed with numpy 2.4 and scipy 1.17 before this crate existed;
//! where it turned out wrong, the test says so.

mod apart;
mod batches;
mod bootstrap;
mod bottleneck;
mod capacity;
mod capacity_properties;
mod change;
mod compare;
mod compare_properties;
mod coverage;
mod exchanged;
mod extrapolate;
mod few;
mod guide;
mod looks;
mod mean;
mod memory;
mod omission;
mod outliers;
mod periodic;
mod properties;
mod quantile;
mod queues;
mod search;
mod share;
mod special;
mod steady;
mod trend;
mod usl;

/// Fails unless both numbers agree within a relative tolerance.
#[track_caller]
fn close(found: f64, expected: f64, relative: f64) {
    let error = (found - expected).abs() / expected.abs().max(f64::MIN_POSITIVE);
    assert!(error <= relative, "found {found:e}, expected {expected:e}, relative error {error:e}");
}

/// Fails unless the number, rounded to the decimals of a printed one, is that printed one.
#[track_caller]
fn prints(found: f64, expected: f64, decimals: i32) {
    let half = 0.5 * 10f64.powi(-decimals) * (1.0 + 1e-9);
    assert!((found - expected).abs() <= half, "found {found}, printed {expected}");
}

/// The values 100 + v, v' = 0.9·v + (u - 1/2) from v = 0, of the analysis page (2.6): generator seed 2026, 6000 values.
fn autoregressive_series() -> Vec<f64> {
    let mut random = crate::reference::ParkMiller::new(2026);
    let mut v = 0.0;
    (0..6000)
        .map(|_| {
            v = 0.9 * v + (random.uniform() - 0.5);
            100.0 + v
        })
        .collect()
}

/// 1000 exponential values of mean 100 of the analysis page (2.1), seed 42, in order of generation.
fn exponential_series() -> Vec<f64> {
    let mut random = crate::reference::ParkMiller::new(42);
    (0..1000).map(|_| random.exponential(100.0)).collect()
}

fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}
