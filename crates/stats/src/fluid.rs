//! A backlog as a fluid: what flows in, what flows out, how long it takes to drain. Page: `docs/methods/backlog.md`.

use crate::StatsError;

/// A stretch of time with a constant rate of arrival.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// Length in seconds, 0 or more.
    pub seconds: f64,
    /// Units that arrive a second, 0 or more.
    pub arrivals_per_s: f64,
}

/// The backlog at the end of each stretch, starting from `start`, when at most `service_per_s` units a second are served.
///
/// All numbers 0 or more. The backlog never falls below 0. In units.
///
/// # Errors
/// [`StatsError::NotFinite`], [`StatsError::OutOfRange`].
/// Source: the fluid approximation; L. Kleinrock, "Queueing Systems" 2, section 2.7.
pub fn backlog(start: f64, stretches: &[Stretch], service_per_s: f64) -> Result<Vec<f64>, StatsError> {
    check(&[start, service_per_s])?;
    let mut level = start;
    stretches
        .iter()
        .map(|stretch| {
            check(&[stretch.seconds, stretch.arrivals_per_s])?;
            level = (level + (stretch.arrivals_per_s - service_per_s) * stretch.seconds).max(0.0);
            if level.is_finite() { Ok(level) } else { Err(StatsError::NotFinite) }
        })
        .collect()
}

/// Seconds until a backlog is gone, `lag/(µ - λ)`; `None` when it never is, because as much arrives as is served.
///
/// # Errors
/// [`StatsError::NotFinite`], [`StatsError::OutOfRange`].
/// Source: as [`backlog`].
pub fn drain_s(lag: f64, service_per_s: f64, arrivals_per_s: f64) -> Result<Option<f64>, StatsError> {
    check(&[lag, service_per_s, arrivals_per_s])?;
    if lag <= 0.0 {
        return Ok(Some(0.0));
    }
    let net = service_per_s - arrivals_per_s;
    Ok((net > 0.0).then(|| lag / net).filter(|seconds| seconds.is_finite()))
}

/// The age in seconds of the oldest unit of a backlog, `lag / consume rate`; `None` when nothing is consumed.
///
/// # Errors
/// [`StatsError::NotFinite`], [`StatsError::OutOfRange`].
/// Source: Little's law on the queue.
pub fn age_s(lag: f64, consumed_per_s: f64) -> Result<Option<f64>, StatsError> {
    drain_s(lag, consumed_per_s, 0.0)
}

/// The rate that can go on for ever: all units over the time from the first arrival until the backlog was gone.
///
/// `units` 0 or more; `load_s` length of the load and `drain_s` of the draining after it, together above 0. A second.
/// 3 738 500 registrations in 29.9 minutes and a drain of over 60: at most 693/s, not the 2095/s that were accepted.
///
/// # Errors
/// [`StatsError::NotFinite`], [`StatsError::OutOfRange`].
pub fn sustained_per_s(units: f64, load_s: f64, drain_s: f64) -> Result<f64, StatsError> {
    check(&[units, load_s, drain_s])?;
    if load_s + drain_s <= 0.0 {
        return Err(StatsError::OutOfRange("load and drain together must last above 0 s"));
    }
    Ok(units / (load_s + drain_s))
}

/// Consumers that must idle, because a partition feeds at most one consumer of a group.
#[must_use]
pub fn idle_consumers(consumers: u64, partitions: u64) -> u64 {
    consumers.saturating_sub(partitions)
}

fn check(numbers: &[f64]) -> Result<(), StatsError> {
    if numbers.iter().any(|number| !number.is_finite()) {
        return Err(StatsError::NotFinite);
    }
    if numbers.iter().any(|&number| number < 0.0) {
        return Err(StatsError::OutOfRange("times, rates and backlogs must be 0 or more"));
    }
    Ok(())
}
