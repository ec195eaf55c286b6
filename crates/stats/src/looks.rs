//! A share that is looked at every second: when it may be called too large, or small enough, while a run goes on.
//! Page: `docs/methods/looks.md`.

use crate::special::{binomial_at_least, binomial_at_most};

/// Chance of a wrong answer in an hour of looks, one a second, at a share that is exactly at its limit.
pub const WRONG_AN_HOUR: f64 = 0.05;
/// Looks in an hour.
const LOOKS: f64 = 3600.0;

/// Whether a share is above `limit`; `None` where that cannot be told yet.
///
/// `windows`: hits and calls of the last window, of the one before it, and so on, newest first; they do not overlap.
/// `limit` strictly between 0 and 1 (a share held against 0 % or 100 % is a matter of counting).
///
/// The newest window must lie on that side itself. Whether it can do so by chance is asked of it, and of the last two,
/// four, eight … windows together, so that few calls a window are no reason never to answer. Half of the chance of a
/// wrong answer goes to the first of these questions, a quarter to the second, and so on; all looks of an hour share
/// [`WRONG_AN_HOUR`]. That bound is a sum, and holds however looks and stretches overlap. It rests on calls that fail
/// independently within a stretch: what it tells is that the chance of a hit is above the limit *now*, not that it will
/// stay there.
///
/// Never answers from bad input: no calls, more hits than calls, a limit out of range.
/// Source: exact binomial tails, and C. E. Bonferroni's inequality with the chance spent geometrically.
pub fn is_above(windows: impl IntoIterator<Item = (u64, u64)>, limit: f64) -> Option<bool> {
    if !(limit > 0.0 && limit < 1.0) {
        return None;
    }
    let (mut hits, mut calls) = (0u64, 0u64);
    let mut is_above = None;
    let (mut allowed, mut next) = (WRONG_AN_HOUR / LOOKS / 2.0, 1u64);
    for (seen, (window_hits, window_calls)) in (1u64..).zip(windows) {
        hits = hits.saturating_add(window_hits);
        calls = calls.saturating_add(window_calls);
        if hits > calls {
            return None;
        }
        let (k, n) = (hits as f64, calls as f64);
        if seen == 1 {
            is_above = match () {
                () if calls == 0 => return None,
                () if k > limit * n => Some(true),
                () if k < limit * n => Some(false),
                () => return None,
            };
        }
        if seen < next {
            continue;
        }
        let chance =
            if is_above == Some(true) { binomial_at_least(k, n, limit) } else { binomial_at_most(k, n, limit) };
        if chance <= allowed {
            return is_above;
        }
        (allowed, next) = (allowed / 2.0, next * 2);
    }
    None
}
