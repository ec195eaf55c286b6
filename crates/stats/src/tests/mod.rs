//! Known answers, properties and edges; the modules are named after the files they test.
//!
//! "scipy" beside a number means scipy 1.17 on Python 3.11, a second implementation.

mod share;
mod special;

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
