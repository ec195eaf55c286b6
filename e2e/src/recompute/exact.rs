//! Exact limits of a share.
//!
//! Where counts are whole they are found by halving, from the sums of the binomial distribution; counts that are divided by
//! a design effect take `stats`.

use stats::memory::Effects;

/// Exact one-sided limits of a share, each of counts divided by its effect; `alpha` is the chance of being wrong at one end.
pub(super) fn limits_at(hits: u64, total: u64, effects: Effects, alpha: f64) -> (f64, f64) {
    let of = |effect: f64| {
        if effect == 1.0 {
            return (lower_limit(hits, total, alpha), 1.0 - lower_limit(total - hits, total, alpha));
        }
        stats::share::clopper_pearson_one_sided(hits as f64 / effect, total as f64 / effect, alpha)
    };
    (of(effects.low).0, of(effects.high).1)
}

/// Up to which design effect it stands that a share is at most as large as allowed, or that it is larger, whichever these
/// counts say: that at which the limit of the share is what is allowed.
pub(super) fn holds_up_to((bad, total): (u64, u64), allowed: f64, alpha: f64) -> f64 {
    let is_kept = bad as f64 <= allowed * total as f64;
    let stands = |effect: f64| {
        let (low, high) = stats::share::clopper_pearson_one_sided(bad as f64 / effect, total as f64 / effect, alpha);
        if is_kept { high <= allowed } else { low > allowed }
    };
    // Limits widen as the effect grows.
    let (mut good, mut wrong) = (1.0, 2.0);
    while stands(wrong) && wrong < 1e300 {
        (good, wrong) = (wrong, wrong * 2.0);
    }
    for _ in 0..100 {
        let middle = 0.5 * (good + wrong);
        if stands(middle) { good = middle } else { wrong = middle }
    }
    good
}

/// The share of which so many hits or more are seen with this chance.
fn lower_limit(hits: u64, total: u64, alpha: f64) -> f64 {
    if hits == 0 {
        return 0.0;
    }
    if hits == total {
        return alpha.powf(1.0 / total as f64);
    }
    let (mut low, mut high) = (0.0, hits as f64 / total as f64);
    // The chance of so many or more rises with the share.
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if at_least(hits, total, middle) < alpha { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The chance of `hits` or more of `total` at a share below `hits / total`: the terms of the binomial distribution from the
/// largest of them on, each from the one before.
fn at_least(hits: u64, total: u64, share: f64) -> f64 {
    let (k, n) = (hits as f64, total as f64);
    let first = ln_choose(hits, total) + k * share.ln() + (n - k) * (-share).ln_1p();
    let (mut term, mut sum) = (1.0, 1.0);
    for next in hits + 1..=total {
        term *= (total - next + 1) as f64 / next as f64 * share / (1.0 - share);
        sum += term;
        if term < 1e-17 * sum {
            break;
        }
    }
    (first + sum.ln()).exp()
}

/// Natural logarithm of how many ways there are to choose so many of all.
fn ln_choose(some: u64, all: u64) -> f64 {
    let fewer = some.min(all - some);
    ln_factorial(all) - ln_factorial(fewer) - ln_factorial(all - fewer)
}

/// By adding up to 256, beyond that by Stirling's series, which is exact to the last digits there.
fn ln_factorial(n: u64) -> f64 {
    if n < 256 {
        return (2..=n).map(|k| (k as f64).ln()).sum();
    }
    let x = n as f64;
    let correction = 1.0 / (12.0 * x) - 1.0 / (360.0 * x.powi(3)) + 1.0 / (1260.0 * x.powi(5));
    x * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI * x).ln() + correction
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two ways to the same limits.
    #[test]
    fn limits_by_halving_are_those_of_the_beta_distribution() {
        for (hits, total) in
            [(0, 4000), (1, 10), (5, 10), (9, 10), (10, 10), (3, 997), (412, 4120), (4000, 100_000), (99_999, 100_000)]
        {
            for alpha in [0.05, 0.025] {
                let (low, high) = limits_at(hits, total, 1.0.into(), alpha);
                let known = stats::share::clopper_pearson_one_sided(hits as f64, total as f64, alpha);
                let is_near = |one: f64, other: f64| (one - other).abs() < 1e-8;
                assert!(is_near(low, known.0) && is_near(high, known.1), "{hits} of {total}: {low} {high}, {known:?}");
            }
        }
    }
}
