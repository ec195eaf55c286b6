//! How sure a value is: what its interval is made of, laid out by second from the rows, and the interval itself.
//!
//! Memory and its effects are those of `stats`.

use super::exact::{holds_up_to, limits_at};
use super::language::Call;
use super::load::Series;
use super::memory::{OF_VERDICT, Timed, listed_counts};
use super::requirements::Value;
use super::share::Share;
use super::times::Below;
use stats::mean::{Reach, Spread, by_memory};
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
    Mean(Option<Mean>),
    /// It is more, and nobody knows how much.
    AtLeast,
    /// An estimate without an interval.
    Nothing,
    /// Not recomputed at all.
    Unknown,
}

/// The interval of a mean, in the value's own unit.
pub(super) struct Mean {
    low: f64,
    high: f64,
    design_effect: f64,
    /// How far its ends would lie away for other effects.
    reach: Reach,
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
    /// Up to which design effect the verdict stands, if there is one.
    pub(super) holds_up_to: Option<f64>,
}

impl Interval {
    fn between(low: f64, high: f64) -> Self {
        Self { low: Some(low), high: Some(high), ..Self::default() }
    }
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
        Some(Beside::new(timed.memory()?, timed.all.maximum?.as_secs_f64(), limit.as_secs_f64()))
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
    // Milliseconds to seconds.
    Sure::Mean(Spread::of_histogram(&timed.all.histogram()).ok().and_then(|spread| mean(&timed.sums(), spread, 1e-3)))
}

/// That of the mean of values in order of time.
pub(super) fn of_values(values: Vec<f64>) -> Sure {
    let each: Vec<(u64, f64)> = values.iter().map(|value| (1, *value)).collect();
    let mut sorted = values;
    sorted.sort_by(f64::total_cmp);
    Sure::Mean(Spread::of_sorted(&sorted).ok().and_then(|spread| mean(&each, spread, 1.0)))
}

/// Of numbers and sums by second; `factor` to the value's own unit.
fn mean(sums: &[(u64, f64)], spread: Spread, factor: f64) -> Option<Mean> {
    let found = by_memory(sums, spread, OF_VERDICT).ok()?;
    let reach = spread.reach(found.sample_count, OF_VERDICT).times(factor);
    let (low, high) = (found.low * factor, found.high * factor);
    Some(Mean { low, high, design_effect: found.design_effect, reach })
}

/// The interval of a value that is held against a limit; `None` where none is recomputed.
pub(super) fn interval(value: &Value, operator: &str, limit: &Value) -> Option<Interval> {
    let is_floor = operator.starts_with('>');
    match &value.sure {
        Sure::Exactly => Some(Interval::between(value.value, value.value)),
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
        Sure::Mean(Some(mean)) => Some(Interval {
            low: Some(mean.low),
            high: Some(mean.high),
            design_effect: Some(mean.design_effect),
            holds_up_to: mean.reach.effect_at(value.value, limit.value),
        }),
        Sure::AtLeast => Some(Interval { low: Some(value.value), design_effect: Some(1.0), ..Interval::default() }),
        Sure::Mean(None) | Sure::Nothing => Some(Interval::default()),
        Sure::Unknown => None,
    }
}

/// By how much fewer calls count, of hits by second beside the memory of their times. Where the time is too short
/// for it, no interval is given; that a limit is exceeded may be shown all the same.
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
        return Interval::between(of(sure), of(maybe));
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
            let (low, high) = limits_at(total - hits, total, effects, ALPHA);
            (1.0 - high, 1.0 - low)
        } else {
            limits_at(hits, total, effects, ALPHA)
        }
    };
    let (first, second) = (of(sure), of(maybe));
    let bad = |hits: u64| if is_floor { (total - hits.min(total), total) } else { (hits.min(total), total) };
    let allowed = if is_floor { 1.0 - limit } else { limit };
    Interval {
        design_effect: Some(effects.greater()),
        holds_up_to: Some(both(bad(sure), bad(maybe), allowed)),
        ..Interval::between(first.0.min(second.0), first.1.max(second.1))
    }
}

fn percentile_interval(
    (quantile, timed, below): (f64, &Timed, &Share),
    is_floor: bool,
    limit: f64,
) -> Option<Interval> {
    let mean = timed.memory();
    let maximum = timed.all.maximum?.as_secs_f64();
    let shared = match (is_floor, &mean) {
        (true, mean) => mean.clone(),
        (false, Some(mean)) => Beside::new(mean.clone(), maximum, limit).shared(),
        (false, None) => None,
    };
    let effects = match effects(&below.seconds, shared.as_ref(), is_floor) {
        Ok(effects) => effects,
        Err(without) => return Some(without),
    };
    let of_above = if is_floor { effects.turned() } else { effects };
    let found = timed.between_ranks(quantile, OF_VERDICT, of_above);
    let (low, high) = (found.map(|(low, _)| low / 1e3), found.map(|(_, high)| high / 1e3));
    let holds_up_to = Some(above(below.hits, timed.all.total(), quantile, is_floor));
    Some(Interval { low, high, design_effect: Some(effects.greater()), holds_up_to })
}

fn metric_interval(quantile: f64, values: &[f64], operator: &str, limit: f64) -> Option<Interval> {
    let is_low = |value: f64| value < limit || (matches!(operator, "<=" | ">") && value == limit);
    let points: Vec<(u64, u64)> = values.iter().map(|value| (u64::from(!is_low(*value)), 1)).collect();
    let effect = stats::batches::design_effect_of_share(&points, BATCHES).ok()?;
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let ranks = stats::quantile::ranks_with_design_effect(sorted.len() as u64, quantile, OF_VERDICT, effect);
    let (low, high) = ranks.map(|(low, high)| (sorted[low as usize - 1], sorted[high as usize - 1])).unzip();
    let low_side = values.iter().filter(|value| is_low(**value)).count() as u64;
    let below = Below { sure: low_side, maybe: low_side };
    let holds_up_to = Some(above(below, values.len() as u64, quantile, operator.starts_with('>')));
    Some(Interval { low, high, design_effect: Some(effect), holds_up_to })
}

/// The lesser of what both ends of what a bucket leaves open allow.
fn both(sure: (u64, u64), maybe: (u64, u64), allowed: f64) -> f64 {
    holds_up_to(sure, allowed, ALPHA).min(holds_up_to(maybe, allowed, ALPHA))
}

/// Of a percentile: by the share on the wrong side of its limit.
fn above(below: Below, total: u64, quantile: f64, is_floor: bool) -> f64 {
    let bad = |below: u64| if is_floor { (below.min(total), total) } else { (total - below.min(total), total) };
    both(bad(below.sure), bad(below.maybe), if is_floor { quantile } else { 1.0 - quantile })
}
