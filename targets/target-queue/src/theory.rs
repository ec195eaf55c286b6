//! What queueing theory says about Poisson arrivals at rate λ, each server serving μ a second.
//!
//! All rates are a second, all times seconds; `λ < c μ` is needed for a steady state, and without it every
//! function returns infinity. Source: L. Kleinrock, "Queueing Systems", volume 1, 1975, chapters 3 and 5.

/// Mean response time of M/M/1: `1 / (μ - λ)`.
pub fn mm1_mean_s(arrivals_per_s: f64, served_per_s: f64) -> f64 {
    if arrivals_per_s >= served_per_s { f64::INFINITY } else { 1.0 / (served_per_s - arrivals_per_s) }
}

/// The `q` quantile (0 to below 1) of the response time of M/M/1, which is exponential: `-ln(1 - q) / (μ - λ)`.
pub fn mm1_quantile_s(arrivals_per_s: f64, served_per_s: f64, q: f64) -> f64 {
    -(1.0 - q).ln() * mm1_mean_s(arrivals_per_s, served_per_s)
}

/// Mean response time of M/D/1 (Pollaczek and Khinchine): `S (1 + ρ / (2 (1 - ρ)))` with `S = 1/μ`.
pub fn md1_mean_s(arrivals_per_s: f64, served_per_s: f64) -> f64 {
    let load = arrivals_per_s / served_per_s;
    if load >= 1.0 { f64::INFINITY } else { (1.0 + load / (2.0 * (1.0 - load))) / served_per_s }
}

/// Erlang's C: the probability that an arrival at M/M/c waits, with `offered = λ/μ` below `servers`.
///
/// By the recursion of Erlang's B, `B(k) = a B(k-1) / (k + a B(k-1))`, which needs no factorials.
pub fn erlang_c(servers: u32, offered: f64) -> f64 {
    let servers_f = f64::from(servers);
    if offered >= servers_f {
        return 1.0;
    }
    let blocked = (1..=servers).fold(1.0, |b, k| offered * b / (f64::from(k) + offered * b));
    blocked / (1.0 - offered / servers_f * (1.0 - blocked))
}

/// Mean response time of M/M/c: `1/μ + C(c, λ/μ) / (c μ - λ)`.
pub fn mmc_mean_s(arrivals_per_s: f64, served_per_s: f64, servers: u32) -> f64 {
    let capacity = f64::from(servers) * served_per_s;
    if arrivals_per_s >= capacity {
        return f64::INFINITY;
    }
    1.0 / served_per_s + erlang_c(servers, arrivals_per_s / served_per_s) / (capacity - arrivals_per_s)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64, digits: i32) {
        assert!((found - expected).abs() < 0.5 * 10_f64.powi(-digits), "{found} is not {expected}");
    }

    /// R/S of M/M/1 at ρ = .5, .8, .9, .95 is 2, 5, 10, 20; p95 at μ = 100/s and λ = 80/s is .149787 s.
    #[test]
    fn mm1_reference_values() {
        for (load, ratio) in [(0.5, 2.0), (0.8, 5.0), (0.9, 10.0), (0.95, 20.0)] {
            close(mm1_mean_s(load * 100.0, 100.0) * 100.0, ratio, 9);
        }
        close(mm1_quantile_s(80.0, 100.0, 0.95), 0.149_787, 6);
    }

    /// C(8, 7.2) = .701533 with R/S = 1.876916; C(2, 1) = 1/3; with one server C is the load.
    #[test]
    fn mmc_reference_values() {
        close(erlang_c(8, 7.2), 0.701_533, 6);
        close(mmc_mean_s(720.0, 100.0, 8) * 100.0, 1.876_916, 6);
        close(erlang_c(2, 1.0), 1.0 / 3.0, 12);
        close(erlang_c(1, 0.8), 0.8, 12);
        close(mmc_mean_s(80.0, 100.0, 1), mm1_mean_s(80.0, 100.0), 12);
    }

    /// At ρ = .8: 1 + .8 / .4 = 3 service times; waiting is half of that of M/M/1 (4 service times).
    #[test]
    fn md1_reference_value() {
        close(md1_mean_s(80.0, 100.0) * 100.0, 3.0, 12);
    }

    #[test]
    fn without_a_steady_state_there_is_no_mean() {
        assert_eq!(mm1_mean_s(100.0, 100.0), f64::INFINITY);
        assert_eq!(md1_mean_s(100.0, 100.0), f64::INFINITY);
        assert_eq!(mmc_mean_s(200.0, 100.0, 2), f64::INFINITY);
        assert_eq!(erlang_c(2, 5.0), 1.0);
    }
}
