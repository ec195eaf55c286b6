//! Shares of calls: exact intervals, the three-valued verdict, differences. Page: `docs/methods/shares.md`.

use crate::memory::Effects;
use crate::special::{beta_quantile, normal_quantile, upper_normal};
use crate::{Estimate, StatsError, check_confidence, check_design_effect};

/// One-sided exact limits `(low, high)` of a share: each alone misses the true share in at most `alpha` of all runs.
///
/// `k` of `n` calls had the property; both may be fractions (counts divided by a design effect), `0 <= k <= n`,
/// `n > 0`; `alpha` strictly between 0 and 1. Answers are shares in 0..=1. Arguments out of range give `(NaN, NaN)`,
/// with which no comparison holds, so nothing is ever proven by them.
///
/// Low: the `alpha`-quantile of Beta(k, n-k+1), 0 for k = 0. High: the `(1-alpha)`-quantile of Beta(k+1, n-k), 1 for
/// k = n. Source: C. J. Clopper, E. S. Pearson, Biometrika 26 (4), 1934.
pub fn clopper_pearson_one_sided(k: f64, n: f64, alpha: f64) -> (f64, f64) {
    let sound = k.is_finite() && n.is_finite() && k >= 0.0 && k <= n && n > 0.0 && alpha > 0.0 && alpha < 1.0;
    if !sound {
        return (f64::NAN, f64::NAN);
    }
    let low = if k == 0.0 { 0.0 } else { beta_quantile(k, n - k + 1.0, alpha, 1.0 - alpha) };
    let high = if k == n { 1.0 } else { beta_quantile(k + 1.0, n - k, 1.0 - alpha, alpha) };
    (low, high)
}

/// The share `k/n` with its two-sided exact interval.
///
/// `k` of `n` calls had the property; `effects` at least 1, from [`crate::memory::Memory::effects`], or one number for
/// both ends. Each end is that of `k/D` of `n/D`.
///
/// # Errors
/// [`StatsError::TooFew`] for `n = 0`; [`StatsError::OutOfRange`] for `k > n` and the other arguments;
/// [`StatsError::NotFinite`].
pub fn interval(k: u64, n: u64, confidence: f64, effects: impl Into<Effects>) -> Result<Estimate, StatsError> {
    let effects = effects.into();
    check_counts(k, n)?;
    check_confidence(confidence)?;
    check_design_effect(effects)?;
    let (low, high) = limits(k, n, (1.0 - confidence) / 2.0, effects);
    Ok(Estimate {
        value: k as f64 / n as f64,
        low,
        high,
        confidence,
        sample_count: n,
        design_effect: effects.greater(),
        method: "Clopper-Pearson",
    })
}

/// What a sample says about "the share is at most p0".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ShareVerdict {
    /// Even the upper limit is at most p0.
    Pass,
    /// Even the lower limit is above p0.
    Fail,
    /// p0 lies between the limits: measure longer.
    Inconclusive,
}

/// A verdict on a share with what it rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShareJudgement {
    /// Pass, fail or inconclusive.
    pub verdict: ShareVerdict,
    /// Lower one-sided limit of the share, 0..=1.
    pub low: f64,
    /// Upper one-sided limit of the share, 0..=1.
    pub high: f64,
    /// How many more calls would settle an inconclusive verdict in four of five cases and more: the true share may be any that the calls
    /// so far leave possible, each as likely as they make it, and the design effect stays. `None` when settled, or when
    /// a thousand times as many would not do.
    pub needed: Option<u64>,
    /// The greatest design effect with which pass or fail would still stand; `None` when inconclusive.
    pub holds_up_to_design_effect: Option<f64>,
}

/// Judges "the share of such calls is at most `p0`" from `k` such calls of `n`.
///
/// `p0` strictly between 0 and 1 (a share demanded at 0 % or 100 % is a matter of counting, not of statistics);
/// `alpha`: the chance of a wrong pass, and of a wrong fail, for example 0.05; `effects` at least 1, for the two-sided
/// confidence `1 - 2·alpha`. Pass when the upper one-sided limit of `k/D` of `n/D` is at most `p0`, fail when the lower
/// one is above.
///
/// Never proves anything from bad input: no calls, `k > n` or an argument out of range is inconclusive, with the
/// limits 0 and 1 and nothing needed.
/// Source: Clopper & Pearson 1934; division by the design effect after L. Kish, "Survey Sampling", 1965.
pub fn judge_at_most(k: u64, n: u64, p0: f64, alpha: f64, effects: impl Into<Effects>) -> ShareJudgement {
    let effects = effects.into();
    let sound = check_counts(k, n).is_ok()
        && p0 > 0.0
        && p0 < 1.0
        && alpha > 0.0
        && alpha < 0.5
        && check_design_effect(effects).is_ok();
    if !sound {
        return ShareJudgement {
            verdict: ShareVerdict::Inconclusive,
            low: 0.0,
            high: 1.0,
            needed: None,
            holds_up_to_design_effect: None,
        };
    }
    let (low, high) = limits(k, n, alpha, effects);
    let verdict = verdict_of(low, high, p0);
    let settled = verdict != ShareVerdict::Inconclusive;
    // The limit that decides, or that would if the share stays as it is.
    let toward = if k as f64 <= p0 * n as f64 { effects.high } else { effects.low };
    ShareJudgement {
        verdict,
        low,
        high,
        needed: if settled { None } else { needed(k, n, p0, alpha, toward) },
        holds_up_to_design_effect: settled.then(|| holds_up_to(verdict, k, n, p0, alpha, toward)),
    }
}

/// The least number of independent calls, none of them with the property, that proves "the share is at most `p0`".
///
/// `p0` and `alpha` strictly between 0 and 1; otherwise no number is enough and the answer is `u64::MAX`.
/// Source: the upper limit of 0 of n is `1 - alpha^(1/n)`.
pub fn zero_exceedance_minimum(p0: f64, alpha: f64) -> u64 {
    let sound = p0 > 0.0 && p0 < 1.0 && alpha > 0.0 && alpha < 1.0;
    if sound { (alpha.ln() / (-p0).ln_1p()).ceil() as u64 } else { u64::MAX }
}

/// A count of calls with a property, out of all calls of one side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counted {
    /// Calls with the property.
    pub hits: u64,
    /// All calls.
    pub total: u64,
    /// At least 1; from [`crate::batches::design_effect_of_share`].
    pub design_effect: f64,
}

/// The difference of two independent shares, `after - before`, with its two-sided interval.
///
/// The answer is a difference of shares, -1..=1 (0.12 is 12 percentage points); its sample count is that of both
/// sides, its design effect the greater of the two.
///
/// # Errors
/// [`StatsError::TooFew`] when a side is empty; [`StatsError::OutOfRange`], [`StatsError::NotFinite`] for arguments.
/// Source: R. G. Newcombe, "Interval estimation for the difference between independent proportions", Statistics in
/// Medicine 17, 1998, method 10 (from two Wilson intervals, without continuity correction).
pub fn newcombe(before: Counted, after: Counted, confidence: f64) -> Result<Estimate, StatsError> {
    check_confidence(confidence)?;
    let (p1, low1, high1) = wilson(before, confidence)?;
    let (p2, low2, high2) = wilson(after, confidence)?;
    let value = p2 - p1;
    Ok(Estimate {
        value,
        low: value - (p2 - low2).hypot(high1 - p1),
        high: value + (high2 - p2).hypot(p1 - low1),
        confidence,
        sample_count: before.total.saturating_add(after.total),
        design_effect: before.design_effect.max(after.design_effect),
        method: "Newcombe",
    })
}

/// Share and Wilson's interval. Source: E. B. Wilson, JASA 22, 1927.
fn wilson(side: Counted, confidence: f64) -> Result<(f64, f64, f64), StatsError> {
    check_counts(side.hits, side.total)?;
    check_design_effect(side.design_effect.into())?;
    let n = side.total as f64 / side.design_effect;
    let p = side.hits as f64 / side.total as f64;
    let z2 = normal_quantile(0.5 + confidence / 2.0).powi(2);
    let centre = p + z2 / (2.0 * n);
    let reach = (z2 * (p * (1.0 - p) / n + z2 / (4.0 * n * n))).sqrt();
    let low = ((centre - reach) / (1.0 + z2 / n)).clamp(0.0, p);
    let high = ((centre + reach) / (1.0 + z2 / n)).clamp(p, 1.0);
    Ok((p, low, high))
}

/// More calls than this multiple of those so far are not recommended: nobody would measure for so long.
const MOST_TIMES: f64 = 1000.0;
/// Into how many equally likely parts what the true share may be is cut.
const TRUTHS: usize = 40;
/// The chance with which the advised number of calls settles the question, over all that the share may be. By simulation,
/// at shares that are not the limit itself it is then 85 to 97 %.
const POWER: f64 = 0.7;

fn limits(k: u64, n: u64, alpha: f64, effects: Effects) -> (f64, f64) {
    let of = |effect: f64| clopper_pearson_one_sided(k as f64 / effect, n as f64 / effect, alpha);
    (of(effects.low).0, of(effects.high).1)
}

fn verdict_of(low: f64, high: f64, p0: f64) -> ShareVerdict {
    if high <= p0 {
        ShareVerdict::Pass
    } else if low > p0 {
        ShareVerdict::Fail
    } else {
        ShareVerdict::Inconclusive
    }
}

/// The greatest design effect with which the verdict stands: the limits widen as it grows, so bisection finds it.
fn holds_up_to(verdict: ShareVerdict, k: u64, n: u64, p0: f64, alpha: f64, known_good: f64) -> f64 {
    let holds = |design_effect: f64| {
        let (low, high) = limits(k, n, alpha, design_effect.into());
        verdict_of(low, high, p0) == verdict
    };
    let (mut good, mut bad) = (known_good, known_good * 2.0);
    while holds(bad) && bad < f64::MAX / 4.0 {
        (good, bad) = (bad, bad * 2.0);
    }
    while bad - good > 1e-9 * good {
        let middle = 0.5 * (good + bad);
        if holds(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    good
}

/// See [`ShareJudgement::needed`]. The greater of two answers: the size with its chance, and the least size at which the
/// observed share itself would settle it (the normal approximation is too small for rare events).
fn needed(k: u64, n: u64, p0: f64, alpha: f64, design_effect: f64) -> Option<u64> {
    let share = k as f64 / n as f64;
    let (hits, calls) = (k as f64 / design_effect, n as f64 / design_effect);
    // What the share may really be, as likely as each other, after H. Jeffreys.
    let truths: Vec<f64> = (0..TRUTHS)
        .map(|truth| (truth as f64 + 0.5) / TRUTHS as f64)
        .map(|part| beta_quantile(hits + 0.5, calls - hits + 0.5, part, 1.0 - part))
        .collect();
    let is_likely = |total: f64| {
        let settled = truths.iter().map(|truth| chance_to_settle(total / design_effect, *truth, p0, alpha));
        settled.sum::<f64>() >= POWER * TRUTHS as f64
    };
    let settles = |total: f64| {
        let effective = total / design_effect;
        let (low, high) = clopper_pearson_one_sided(share * effective, effective, alpha);
        verdict_of(low, high, p0) != ShareVerdict::Inconclusive
    };
    let is_enough = |total: f64| is_likely(total) && settles(total);
    let (mut short, mut enough) = (n as f64, n as f64 * 2.0);
    while !is_enough(enough) {
        (short, enough) = (enough, enough * 2.0);
        if enough > n as f64 * MOST_TIMES {
            return None;
        }
    }
    while enough - short > 1.0 {
        let middle = (0.5 * (short + enough)).floor();
        if is_enough(middle) {
            enough = middle;
        } else {
            short = middle;
        }
    }
    Some(enough.ceil() as u64 - n)
}

/// Chance that a share of `truth` is told from `p0` by so many independent calls.
///
/// Source: normal approximation; J. L. Fleiss, "Statistical Methods for Rates and Proportions", one-sample case.
pub(crate) fn chance_to_settle(calls: f64, truth: f64, p0: f64, alpha: f64) -> f64 {
    let ahead = (truth - p0).abs() * calls.sqrt() + normal_quantile(alpha) * (p0 * (1.0 - p0)).sqrt();
    let spread = (truth * (1.0 - truth)).sqrt();
    if spread <= 0.0 { f64::from(u8::from(ahead > 0.0)) } else { upper_normal(-ahead / spread) }
}

fn check_counts(k: u64, n: u64) -> Result<(), StatsError> {
    if n == 0 {
        return Err(StatsError::TooFew { have: 0, need: 1 });
    }
    if k > n {
        return Err(StatsError::OutOfRange("more calls have the property than there are calls"));
    }
    Ok(())
}
