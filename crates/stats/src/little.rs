//! Little's law as a check of counts, times and concurrency against each other. Page: `docs/methods/littles-law.md`.

use crate::StatsError;

/// What Little's law says about three measured numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LittleCheck {
    /// Concurrency that throughput and times imply: `X·(R + Z)`.
    pub expected: f64,
    /// `X·(R + Z)/N - 1`: 0 when the three agree; 0.05 when the implied concurrency is 5 % too high.
    pub ratio_minus_one: f64,
}

/// Checks `N = X·(R + Z)`.
///
/// `concurrency` `N`: mean number of virtual users or of calls in the system, above 0. `throughput_per_s` `X`:
/// iterations ended a second. `response_s` `R`, `think_s` `Z`: mean times in seconds, 0 or more. All over the same
/// window, which must be long against `R + Z`.
///
/// # Errors
/// [`StatsError::NotFinite`], [`StatsError::OutOfRange`].
/// Source: J. D. C. Little, "A proof for the queuing formula L = λW", Operations Research 9 (3), 1961.
pub fn check(
    concurrency: f64,
    throughput_per_s: f64,
    response_s: f64,
    think_s: f64,
) -> Result<LittleCheck, StatsError> {
    check_numbers(concurrency, &[throughput_per_s, response_s, think_s])?;
    let expected = throughput_per_s * (response_s + think_s);
    Ok(LittleCheck { expected, ratio_minus_one: expected / concurrency - 1.0 })
}

fn check_numbers(divisor: f64, others: &[f64]) -> Result<(), StatsError> {
    if !divisor.is_finite() || others.iter().any(|number| !number.is_finite()) {
        return Err(StatsError::NotFinite);
    }
    if divisor <= 0.0 {
        return Err(StatsError::OutOfRange("the number that is divided by must be above 0"));
    }
    if others.iter().any(|&number| number < 0.0) {
        return Err(StatsError::OutOfRange("concurrency, throughput and times must not be negative"));
    }
    Ok(())
}
