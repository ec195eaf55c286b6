//! How sure a value is: what its interval is made of, laid out by second from the rows, and the interval itself.
//!
//! Memory and its effects are those of `stats`. The exact limits of a share are found here by halving, from the sums of the
//! binomial distribution, where its counts are whole.

use super::language::Call;
use super::load::Series;
use super::memory::{OF_VERDICT, Timed, listed_counts};
use super::requirements::Value;
use super::share::Share;
use super::times::Below;
use stats::memory::{Beside, Effects, Memory};
use std::collections::BTreeMap;

/// Chance that one end of an interval is wrong.
const ALPHA: f64 = (1.0 - OF_VERDICT) / 2.0;
/// Batches of values that were sampled.
const BATCHES: usize = 30;

/// How sure a value is.
pub(super) enum Sure {
    /// Counted.
    Exactly,
    Share {
        share: Share,
        beside: Option<Beside>,
    },
    Percentile {
        quantile: f64,
        timed: Timed,
        below: Option<Share>,
    },
    MetricPercentile {
        quantile: f64,
        values: Vec<f64>,
    },
    /// Ends and design effect, in the value's own unit.
    Mean(Option<(f64, f64, f64)>),
    /// An estimate without an interval.
    Nothing,
    /// Not recomputed at all.
    Unknown,
}

impl Sure {
    pub(super) fn is_exact(&self) -> bool {
        matches!(self, Self::Exactly | Self::Unknown)
    }
}

impl PartialEq for Sure {
    /// Whether both are of one kind.
    fn eq(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

impl std::fmt::Debug for Sure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.is_exact() { "exact" } else { "estimated" })
    }
}

/// An interval, as far as there is one.
#[derive(Debug, Default)]
pub(super) struct Interval {
    pub(super) low: Option<f64>,
    pub(super) high: Option<f64>,
    pub(super) design_effect: Option<f64>,
}

/// That of a share, with what the times show that decide which calls are hits.
pub(super) fn of_share(series: &Series<'_>, call: &Call, share: Share) -> Sure {
    let of = call.of.as_deref();
    let (timed, limit, is_of_fast) = match call.limit() {
        Some((operator, limit)) => (series.times(of), Some(limit), operator.starts_with('<')),
        None if matches!(series.figure.as_str(), "failed" | "ok" | "timeout" | "missing") => {
            (series.response().times(Some("all")), series.time_out(), series.figure == "ok")
        }
        None => (None, None, false),
    };
    let beside = timed.zip(limit).and_then(|(timed, limit)| {
        Some(Beside::new(timed.memory()?, timed.all.greatest?.as_secs_f64(), limit.as_secs_f64()))
    });
    Sure::Share { share, beside: beside.map(|beside| if is_of_fast { beside.turned() } else { beside }) }
}

/// That of hits among values that were sampled.
pub(super) fn of_counts(seconds: &BTreeMap<i64, (u64, u64)>) -> Sure {
    let (hits, total) = seconds.values().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let share = Share { hits: Below { sure: hits, maybe: hits }, total, seconds: seconds.clone() };
    Sure::Share { share, beside: None }
}

/// That of the mean of times, seconds.
pub(super) fn of_mean(timed: &Timed) -> Sure {
    Sure::Mean(timed.mean(OF_VERDICT).map(|(low, high, effect)| (low / 1e3, high / 1e3, effect)))
}

/// That of the mean of values in order of time.
pub(super) fn of_values(values: Vec<f64>) -> Sure {
    let each: Vec<(u64, f64)> = values.iter().map(|value| (1, *value)).collect();
    let mut sorted = values;
    sorted.sort_by(f64::total_cmp);
    let spread = stats::mean::Spread::of_sorted(&sorted);
    let found = spread.and_then(|spread| stats::mean::by_memory(&each, spread, OF_VERDICT)).ok();
    Sure::Mean(found.map(|found| (found.low, found.high, found.design_effect)))
}

/// The interval of a value that is held against a limit; `None` where none is recomputed.
pub(super) fn interval(value: &Value, operator: &str, limit: &Value) -> Option<Interval> {
    let is_floor = operator.starts_with('>');
    match &value.sure {
        Sure::Exactly => Some(Interval { low: Some(value.value), high: Some(value.value), design_effect: None }),
        Sure::Share { share, beside } => Some(share_interval(share, beside.as_ref(), operator, limit.value)),
        Sure::Percentile { quantile, timed, below } => {
            let below = below.as_ref().filter(|_| operator != "=")?;
            let found = percentile_interval((*quantile, timed, below), is_floor, limit.value)?;
            Some(Interval {
                low: found.low.map(|low| low.min(value.value)),
                high: found.high.map(|high| high.max(value.value)),
                ..found
            })
        }
        Sure::MetricPercentile { quantile, values } => metric_interval(*quantile, values, operator, limit.value),
        Sure::Mean(Some((low, high, effect))) => {
            Some(Interval { low: Some(*low), high: Some(*high), design_effect: Some(*effect) })
        }
        Sure::Mean(None) | Sure::Nothing => Some(Interval::default()),
        Sure::Unknown => None,
    }
}

/// By how much fewer calls count, of hits by second beside the memory of their times. Where time is too short for it there
/// is no interval; that a limit is exceeded may be shown all the same.
fn effects(seconds: &BTreeMap<i64, (u64, u64)>, beside: Option<&Memory>, is_turned: bool) -> Result<Effects, Interval> {
    let Ok(memory) = Memory::of_share(&listed_counts(seconds)) else { return Err(Interval::default()) };
    let memory = memory.beside(beside);
    let memory = if is_turned { memory.turned() } else { memory };
    let effects = memory.effects(OF_VERDICT);
    match memory.checked() {
        Ok(_) => Ok(effects),
        Err(_) => Err(Interval { design_effect: Some(effects.low), ..Interval::default() }),
    }
}

fn share_interval(share: &Share, beside: Option<&Beside>, operator: &str, limit: f64) -> Interval {
    let (sure, maybe, total) = (share.hits.sure, share.hits.maybe, share.total);
    if limit <= 0.0 || limit >= 1.0 || operator == "=" {
        let of = |hits: u64| hits as f64 / total as f64;
        return Interval { low: Some(of(sure)), high: Some(of(maybe)), design_effect: None };
    }
    // "At least so many hits" is "at most so many of the others".
    let is_floor = operator.starts_with('>');
    let effects = match effects(&share.seconds, beside.and_then(Beside::shared).as_ref(), is_floor) {
        Ok(effects) => effects,
        Err(without) => return without,
    };
    let of = |hits: u64| {
        let hits = hits.min(total);
        if is_floor {
            let (low, high) = exact_limits(total - hits, total, effects);
            (1.0 - high, 1.0 - low)
        } else {
            exact_limits(hits, total, effects)
        }
    };
    let (first, second) = (of(sure), of(maybe));
    let design_effect = Some(effects.greater());
    Interval { low: Some(first.0.min(second.0)), high: Some(first.1.max(second.1)), design_effect }
}

fn percentile_interval(
    (quantile, timed, below): (f64, &Timed, &Share),
    is_floor: bool,
    limit: f64,
) -> Option<Interval> {
    let mean = timed.memory();
    let greatest = timed.all.greatest?.as_secs_f64();
    let shared = match (is_floor, &mean) {
        (true, mean) => mean.clone(),
        (false, Some(mean)) => Beside::new(mean.clone(), greatest, limit).shared(),
        (false, None) => None,
    };
    let effects = match effects(&below.seconds, shared.as_ref(), is_floor) {
        Ok(effects) => effects,
        Err(without) => return Some(without),
    };
    let of_above = if is_floor { effects.turned() } else { effects };
    let found = timed.between_ranks(quantile, OF_VERDICT, of_above);
    let (low, high) = (found.map(|(low, _)| low / 1e3), found.map(|(_, high)| high / 1e3));
    Some(Interval { low, high, design_effect: Some(effects.greater()) })
}

fn metric_interval(quantile: f64, values: &[f64], operator: &str, limit: f64) -> Option<Interval> {
    let is_low = |value: f64| value < limit || (matches!(operator, "<=" | ">") && value == limit);
    let points: Vec<(u64, u64)> = values.iter().map(|value| (u64::from(!is_low(*value)), 1)).collect();
    let effect = stats::batches::design_effect_of_share(&points, BATCHES).ok()?;
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let ranks = stats::quantile::ranks_with_design_effect(sorted.len() as u64, quantile, OF_VERDICT, effect);
    let (low, high) = ranks.map(|(low, high)| (sorted[low as usize - 1], sorted[high as usize - 1])).unzip();
    Some(Interval { low, high, design_effect: Some(effect) })
}

/// Exact one-sided limits of a share, each of counts divided by its effect.
pub(super) fn exact_limits(hits: u64, total: u64, effects: Effects) -> (f64, f64) {
    limits_at(hits, total, effects, ALPHA)
}

/// The same for any chance of being wrong at one end.
pub(super) fn limits_at(hits: u64, total: u64, effects: Effects, alpha: f64) -> (f64, f64) {
    let of = |effect: f64| {
        if effect == 1.0 {
            return (lower_limit(hits, total, alpha), 1.0 - lower_limit(total - hits, total, alpha));
        }
        stats::share::clopper_pearson_one_sided(hits as f64 / effect, total as f64 / effect, alpha)
    };
    (of(effects.low).0, of(effects.high).1)
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
/// greatest of them on, each from the one before.
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
