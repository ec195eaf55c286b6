//! Queues whose right answer is known: for reference targets and for plausibility. Page: `docs/methods/queues.md`.

use crate::StatsError;

/// Mean response time in seconds of M/M/1, `1/(µ - λ)`: Poisson arrivals, one server, exponential service.
///
/// `arrival_rate` and `service_rate` a second, `0 <= arrival_rate < service_rate`.
///
/// # Errors
/// [`StatsError::Unstable`] at or above the service rate; [`StatsError::NotFinite`]; [`StatsError::OutOfRange`].
/// Source: L. Kleinrock, "Queueing Systems", volume 1, section 3.2.
pub fn mm1_mean_response(arrival_rate: f64, service_rate: f64) -> Result<f64, StatsError> {
    check_load(arrival_rate / service_rate, &[arrival_rate, service_rate])?;
    Ok(1.0 / (service_rate - arrival_rate))
}

/// The `q`-percentile of the response time of M/M/1 (first come, first served) in seconds: `-ln(1-q)/(µ - λ)`.
///
/// Rates as in [`mm1_mean_response`]; `0 <= q < 1`.
///
/// # Errors
/// As [`mm1_mean_response`]. Source: Kleinrock, section 5.8: the response time is exponential.
pub fn mm1_quantile_response(arrival_rate: f64, service_rate: f64, q: f64) -> Result<f64, StatsError> {
    if !(0.0..1.0).contains(&q) {
        return Err(StatsError::OutOfRange("`q` must be at least 0 and below 1"));
    }
    Ok(-(-q).ln_1p() * mm1_mean_response(arrival_rate, service_rate)?)
}

/// The chance that an arrival at M/M/c must wait (Erlang's C formula), 0..=1.
///
/// `servers` `c`: 1 to 1 000 000; `offered_load` `a = λ/µ` in erlangs, `0 <= a < c`.
///
/// # Errors
/// [`StatsError::Unstable`] when `a >= c`; [`StatsError::NotFinite`]; [`StatsError::OutOfRange`].
/// Source: Erlang's B by the recursion `B_k = a·B_(k-1) / (k + a·B_(k-1))`, then `C = B / (1 - (a/c)(1 - B))`;
/// Kleinrock, section 3.5.
pub fn erlang_c(servers: u32, offered_load: f64) -> Result<f64, StatsError> {
    if servers == 0 || servers > 1_000_000 {
        return Err(StatsError::OutOfRange("`servers` must be 1 to 1 000 000"));
    }
    let utilisation = offered_load / f64::from(servers);
    check_load(utilisation, &[offered_load])?;
    let blocked = (1..=servers).fold(1.0, |b, k| offered_load * b / (f64::from(k) + offered_load * b));
    Ok(blocked / (1.0 - utilisation * (1.0 - blocked)))
}

/// Mean response time of M/M/c as a multiple of the mean service time: `1 + C/(c - a)`.
///
/// Arguments and errors as [`erlang_c`].
///
/// # Errors
/// As [`erlang_c`].
pub fn mmc_response_over_service(servers: u32, offered_load: f64) -> Result<f64, StatsError> {
    Ok(1.0 + erlang_c(servers, offered_load)? / (f64::from(servers) - offered_load))
}

/// Waits of all arrivals at one server, first come, first served: `W' = max(0, W + S - T)`.
///
/// `arrivals`: times of arrival, not falling; `services`: service times, 0 or more, one for each arrival, same unit.
/// Returns the waits before service in that unit; the response time is wait plus service.
///
/// # Errors
/// [`StatsError::NotSorted`]; [`StatsError::NotFinite`]; [`StatsError::OutOfRange`] for lengths that differ or a
/// negative service time.
/// Source: D. V. Lindley, "The theory of queues with a single server", Proc. Cambridge Phil. Soc. 48, 1952.
pub fn lindley(arrivals: &[f64], services: &[f64]) -> Result<Vec<f64>, StatsError> {
    if arrivals.len() != services.len() {
        return Err(StatsError::OutOfRange("there must be one service time for each arrival"));
    }
    if arrivals.iter().chain(services).any(|number| !number.is_finite()) {
        return Err(StatsError::NotFinite);
    }
    if !arrivals.is_sorted() {
        return Err(StatsError::NotSorted);
    }
    if services.iter().any(|&service| service < 0.0) {
        return Err(StatsError::OutOfRange("service times must not be negative"));
    }
    let mut waits = Vec::with_capacity(arrivals.len());
    let mut wait: f64 = 0.0;
    for (index, &arrival) in arrivals.iter().enumerate() {
        if index > 0 {
            wait = (wait + services[index - 1] - (arrival - arrivals[index - 1])).max(0.0);
        }
        waits.push(wait);
    }
    Ok(waits)
}

fn check_load(utilisation: f64, numbers: &[f64]) -> Result<(), StatsError> {
    if numbers.iter().any(|number| !number.is_finite()) {
        return Err(StatsError::NotFinite);
    }
    if numbers.iter().any(|&number| number < 0.0) {
        return Err(StatsError::OutOfRange("rates and loads must not be negative"));
    }
    // A service rate of 0 gives an infinite utilisation, or none at all.
    if utilisation.is_nan() || utilisation >= 1.0 {
        return Err(StatsError::Unstable { utilisation });
    }
    Ok(())
}
