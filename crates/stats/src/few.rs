//! What all data agree on, where there are too few to measure how much they depend on each other.
//! Page: `docs/methods/few.md`.

/// Two observations that lie so many seconds apart, each at an end of the stretch that was looked at, count as two.
pub const APART: u64 = 3;

/// The least share, or mean of what is never negative, that a sample allows however much its values depend on each
/// other: `alpha` times the observed one.
///
/// `observed` 0 or more, any unit; `alpha` strictly between 0 and 1. Anything else gives 0, by which nothing is ever
/// proven to be too much. A process whose true value is `t` shows `t / alpha` or more in at most `alpha` of all
/// samples, because what is never negative has a mean of `t` only if it is seldom far above it. No independence is
/// needed, only that one moment of the process is like another.
/// Source: A. A. Markov, "The calculus of probabilities", 1913 (the inequality).
pub fn least(observed: f64, alpha: f64) -> f64 {
    let is_sound = observed.is_finite() && observed >= 0.0 && alpha > 0.0 && alpha < 1.0;
    if is_sound { alpha * observed } else { 0.0 }
}

/// The least share that `hits` of `calls` allow: [`least`] of the observed share; and where all calls are hits over
/// `seconds` that hold two observations [`APART`], twice `alpha`.
///
/// `seconds` from the first second with a call to the last, both included. Beyond the bound of [`least`] it rests on
/// memory that is shorter than the stretch; where memory is longer, the answer is wrong in at most twice `alpha` of
/// samples, for no share below twice `alpha` shows one call with the property more often than that.
pub fn least_share(hits: u64, calls: u64, seconds: u64, alpha: f64) -> f64 {
    if calls == 0 || hits > calls {
        return 0.0;
    }
    let one = least(hits as f64 / calls as f64, alpha);
    let is_twice = one > 0.0 && hits == calls && seconds >= 2 * APART;
    // Two independent observations alone would allow the square root of `alpha`.
    if is_twice { (2.0 * alpha).min(alpha.sqrt()) } else { one }
}

/// Whether even the least value that a sample allows is beyond a limit. At the limit itself the chance of being wrong is
/// `alpha`, which is what is stated.
pub fn is_beyond(least: f64, limit: f64) -> bool {
    limit.is_finite() && least > 0.0 && least >= limit * (1.0 - 1e-9)
}
