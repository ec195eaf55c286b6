//! From a rate to a volume, as one expression that is computed where it is printed; and names of big numbers. Page:
//! `docs/methods/extrapolation.md`.

use crate::{Estimate, StatsError};

/// How a rate goes on: `rate · 3600 · hours · days / peak_factor`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Horizon {
    /// Hours of each day, above 0 and at most 24.
    pub hours: f64,
    /// Days, above 0.
    pub days: f64,
    /// Peak hour over mean hour, 1 or more. 1 is a flat load: an upper bound.
    pub peak_factor: f64,
}

impl Horizon {
    /// Seconds of full load: `3600 · hours · days / peak_factor`.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        3600.0 * self.hours * self.days / self.peak_factor
    }

    /// Whether the load is assumed round the clock without a peak, so that the volume is an upper bound.
    #[must_use]
    pub fn is_flat_round_the_clock(&self) -> bool {
        self.hours >= 24.0 && self.peak_factor <= 1.0
    }
}

/// The volume of a rate over a horizon, with the rate's interval carried through. In units.
///
/// `rate`: a second. 103.9 a second over a flat week are 62 838 720.
///
/// # Errors
/// [`StatsError::NotFinite`]; [`StatsError::OutOfRange`] for a negative rate, hours outside 0..=24, days of 0 or less, a
/// peak factor below 1.
pub fn volume(rate: &Estimate, horizon: &Horizon) -> Result<Estimate, StatsError> {
    let numbers = [rate.value, rate.low, rate.high, horizon.hours, horizon.days, horizon.peak_factor];
    if numbers.iter().any(|number| !number.is_finite()) {
        return Err(StatsError::NotFinite);
    }
    if rate.value < 0.0 {
        return Err(StatsError::OutOfRange("the rate must be 0 or more"));
    }
    if horizon.hours <= 0.0 || horizon.hours > 24.0 || horizon.days <= 0.0 {
        return Err(StatsError::OutOfRange("`hours` must lie above 0 and up to 24, `days` above 0"));
    }
    if horizon.peak_factor < 1.0 {
        return Err(StatsError::OutOfRange("`peak_factor` is the peak hour over the mean hour: 1 or more"));
    }
    let seconds = horizon.seconds();
    let scaled = Estimate {
        value: rate.value * seconds,
        low: rate.low.max(0.0) * seconds,
        high: rate.high * seconds,
        ..rate.clone()
    };
    if scaled.high.is_finite() { Ok(scaled) } else { Err(StatsError::NotFinite) }
}

/// `a/b` of two measured or stated numbers, each with the bounds that its printed digits or its interval leave.
///
/// All six numbers finite; `a` 0 or more, `b` with its low bound above 0. Returns the ratio with the widest bounds.
///
/// # Errors
/// [`StatsError::NotFinite`], [`StatsError::OutOfRange`].
pub fn ratio(a: (f64, f64, f64), b: (f64, f64, f64)) -> Result<(f64, f64, f64), StatsError> {
    if [a.0, a.1, a.2, b.0, b.1, b.2].iter().any(|number| !number.is_finite()) {
        return Err(StatsError::NotFinite);
    }
    if a.1 < 0.0 || b.1 <= 0.0 {
        return Err(StatsError::OutOfRange("the first number must be 0 or more, the second above 0"));
    }
    Ok((a.0 / b.0, a.1 / b.2, a.2 / b.1))
}
