//! Values against limits: exact statements, shares, percentiles, means.

use super::ALPHA;
use super::decision::{Decision, args, reason};
use crate::Arg;
use crate::evaluate::{CountedLimit, Kind, Sureness, Value, comparable};
use crate::limits::{Bracket, Turned, is_inclusive};
use crate::times::{BATCHES, VERDICT_CONFIDENCE};
use stats::StatsError;
use stats::memory::{Beside, Effects, Memory};
use stats::share::{ShareJudgement, ShareVerdict};
use study::rule::Comparison;
use terms::{Histogram, Nanos, Verdict};

/// Neighbours are compared one by one; the first that fails decides, else the first that cannot be told.
pub(super) fn chain(values: &[Value], operators: &[Comparison]) -> Decision {
    let decisions: Vec<Decision> =
        values.windows(2).zip(operators).map(|(pair, operator)| compare(&pair[0], *operator, &pair[1])).collect();
    let of = |verdict| decisions.iter().find(move |decision: &&Decision| decision.verdict == verdict);
    let deciding = of(Verdict::NotMet).or_else(|| of(Verdict::CannotTell)).or(decisions.last());
    deciding.cloned().unwrap_or_else(|| super::cannot_tell("no_samples", []))
}

/// `left operator right`; the estimated side, if there is one, is the value, the other the limit. Between two estimates
/// nothing is decided: neither is a limit.
fn compare(left: &Value, operator: Comparison, right: &Value) -> Decision {
    let is_exact = |value: &Value| value.sureness == Sureness::Census;
    let is_turned = !is_exact(right) || (left.is_constant && !right.is_constant);
    let (value, operator, limit) = if is_turned { (right, operator.turned(), left) } else { (left, operator, right) };
    if !comparable(left, right) {
        return Decision::about(value, limit.value, "units_differ");
    }
    if !is_exact(limit) {
        return Decision::about(value, limit.value, "compound_estimate");
    }
    let mut decision = held_against(value, operator, limit);
    // What was cut off took longer than it shows: of counts of it both ends are known, and of nothing else the upper one.
    let has_ends = matches!(value.sureness, Sureness::Share { .. } | Sureness::Percentile { .. });
    let is_ceiling = matches!(operator, Comparison::Less | Comparison::AtMost);
    if value.is_censored && !has_ends && is_ceiling && decision.verdict == Verdict::Met {
        decision.withdraw("censored", []);
    }
    decision
}

fn held_against(value: &Value, operator: Comparison, limit: &Value) -> Decision {
    match &value.sureness {
        Sureness::Census => exact(value, operator, limit),
        Sureness::Share { hits, total, seconds, times } => {
            share(value, operator, limit, (*hits, *total, seconds), times.as_ref())
        }
        Sureness::Percentile { quantile, times, counted, mean } => {
            percentile(value, operator, limit.value, *quantile, (times, counted, mean.as_ref()))
        }
        Sureness::MetricPercentile { quantile, values } => {
            metric_percentile(value, operator, limit.value, *quantile, values)
        }
        Sureness::Mean { low, high, design_effect, reach } => {
            let holds_up_to = reach.and_then(|reach| reach.effect_at(value.value, limit.value));
            Decision { holds_up_to, ..mean(value, operator, limit.value, (*low, *high), *design_effect) }
        }
        Sureness::MeanWithoutInterval { batches, needed } => {
            few_of_mean(value, operator, limit.value, (*batches, *needed))
        }
        Sureness::Compound => Decision::about(value, limit.value, "compound_estimate"),
    }
}

fn holds(value: f64, operator: Comparison, limit: f64) -> bool {
    match operator {
        Comparison::Less => value < limit,
        Comparison::AtMost => value <= limit,
        Comparison::Greater => value > limit,
        Comparison::AtLeast => value >= limit,
        // Sums of decimal fractions differ in the last digits.
        Comparison::Equal => (value - limit).abs() <= 1e-9 * limit.abs().max(1.0),
    }
}

fn count(value: &Value) -> (&'static str, Arg) {
    ("count", Arg::Count(value.count as f64))
}

fn too_few_batches(value: &Value, limit: f64, batches: u64) -> Decision {
    let mut decision = Decision::about(value, limit, "");
    let needed = Arg::Count(stats::batches::FEWEST as f64);
    decision.withdraw("too_few_batches", [count(value), ("batches", Arg::Count(batches as f64)), ("needed", needed)]);
    decision
}

/// A design effect that is not to be had. `(bad, all, seconds)` are what lies on the wrong side of the limit, all, and
/// over how long; `allowed` is the share that may lie there. What is so far beyond it that even values which all went
/// wrong together show it, is not met. Nothing is ever met without a design effect.
fn without_effect(
    value: &Value,
    limit: f64,
    why: &Unknown,
    allowed: f64,
    (bad, all, seconds): (u64, u64, u64),
) -> Decision {
    if *why == Unknown::Other {
        return Decision::about(value, limit, "compound_estimate");
    }
    let share = bad.min(all) as f64 / all.max(1) as f64;
    let low = stats::few::least_share(bad.min(all), all, seconds, ALPHA);
    if stats::few::is_beyond(low, allowed) {
        let is_one = stats::few::is_beyond(stats::few::least(share, ALPHA), allowed);
        return far_outside(value, limit, if is_one { ALPHA } else { 2.0 * ALPHA });
    }
    match why {
        Unknown::Short { effect, .. } if exceeds((bad.min(all), all), *effect, allowed) => {
            let reason = reason("interval_outside", args([count(value)]));
            let design_effect = Some(*effect);
            Decision { verdict: Verdict::NotMet, reason, design_effect, ..Decision::about(value, limit, "") }
        }
        // However long memory is, a process that keeps the limit shows ten times as much in one run of ten at most.
        Unknown::Short { .. } if stats::few::is_beyond(stats::few::least(share, 2.0 * ALPHA), allowed) => {
            far_outside(value, limit, 2.0 * ALPHA)
        }
        Unknown::Short { have, need, .. } => too_short_for_memory(value, limit, *have, *need),
        Unknown::Few(batches) => too_few_batches(value, limit, *batches),
        Unknown::Other => Decision::about(value, limit, "compound_estimate"),
    }
}

/// Why nothing is known about the memory of a process.
#[derive(PartialEq)]
enum Unknown {
    /// Too few batches with calls.
    Few(u64),
    /// Steps of time that were looked at, and steps that its memory wants.
    /// By how much fewer calls count all the same for showing that a limit is exceeded.
    Short { have: u64, need: u64, effect: f64 },
    /// Figures that are none.
    Other,
}

impl From<&StatsError> for Unknown {
    fn from(error: &StatsError) -> Self {
        match error {
            StatsError::TooFew { have, .. } => Self::Few(*have),
            _ => Self::Other,
        }
    }
}

/// Whether so many calls of all beyond a limit show that more lie there than may.
fn exceeds((bad, all): (u64, u64), effect: f64, allowed: f64) -> bool {
    let (low, _) = stats::share::clopper_pearson_one_sided(bad as f64 / effect, all as f64 / effect, ALPHA);
    low > allowed
}

/// By how much fewer the calls count, of which these seconds show what lies on one side of a limit, for limits of what
/// lies on the wrong side: `is_turned` where that is the other one.
fn effects(seconds: &[(u64, u64)], mean: Option<&Memory>, is_turned: bool) -> Result<Effects, Unknown> {
    let mut memory = Memory::of_share(seconds).map_err(|error| Unknown::from(&error))?.beside(mean);
    if is_turned {
        memory = memory.turned();
    }
    let effects = memory.effects(VERDICT_CONFIDENCE);
    match memory.checked() {
        Ok(_) => Ok(effects),
        Err(StatsError::TooFew { have, need }) => Err(Unknown::Short { have, need, effect: effects.low }),
        Err(_) => Err(Unknown::Other),
    }
}

/// Not met, and wrongly so in at most this share of runs, however long memory is.
fn far_outside(value: &Value, limit: f64, wrongly: f64) -> Decision {
    let reason = reason("far_outside", args([count(value), ("runs", Arg::Count((1.0 / wrongly).round()))]));
    Decision { verdict: Verdict::NotMet, reason, ..Decision::about(value, limit, "") }
}

/// A mean of too few batches. Times are never negative, so a mean far above a ceiling is none of a system that keeps it.
fn few_of_mean(value: &Value, operator: Comparison, limit: f64, (batches, needed): (u64, u64)) -> Decision {
    let is_ceiling = matches!(operator, Comparison::Less | Comparison::AtMost);
    let is_beyond = stats::few::is_beyond(stats::few::least(value.value, ALPHA), limit);
    if value.kind == Kind::Time && is_ceiling && is_beyond {
        return far_outside(value, limit, ALPHA);
    }
    if batches >= stats::batches::FEWEST as u64 {
        return too_short_for_memory(value, limit, batches, needed);
    }
    too_few_batches(value, limit, batches)
}

fn too_short_for_memory(value: &Value, limit: f64, have: u64, need: u64) -> Decision {
    let mut decision = Decision::about(value, limit, "");
    let times = Arg::Number(need as f64 / (have as f64).max(1.0));
    decision.withdraw("too_short_for_memory", [count(value), ("times", times)]);
    decision
}

/// Seconds from the first with anything in it to the last, both included.
fn extent(seconds: &[(u64, u64)]) -> u64 {
    let is_any = |second: &(u64, u64)| second.1 > 0;
    let (first, last) = (seconds.iter().position(is_any), seconds.iter().rposition(is_any));
    first.zip(last).map_or(0, |(first, last)| (last - first + 1) as u64)
}

/// An exact statement about this run, unless calls of which nobody knows what they came to could turn it.
fn exact(value: &Value, operator: Comparison, limit: &Value) -> Decision {
    let decision = certain(value, operator, limit);
    if value.unsettled == 0 {
        return decision;
    }
    let other = certain(&Value { value: value.had_they_failed, ..value.clone() }, operator, limit);
    let ends = [value.value, value.had_they_failed];
    let (low, high) = (Some(ends[0].min(ends[1])), Some(ends[0].max(ends[1])));
    if other.verdict == decision.verdict {
        return Decision { low, high, ..decision };
    }
    undecided(Decision { low, high, ..Decision::about(value, limit.value, "") }, value)
}

/// An exact statement about this run.
fn certain(value: &Value, operator: Comparison, limit: &Value) -> Decision {
    let verdict = if holds(value.value, operator, limit.value) { Verdict::Met } else { Verdict::NotMet };
    let is_floor = matches!(operator, Comparison::Greater | Comparison::AtLeast);
    let grows_into = match operator {
        Comparison::Equal => limit.grows || value.value < limit.value,
        _ => is_floor,
    };
    let is_exceeded = !is_floor && value.value > limit.value && verdict == Verdict::NotMet;
    Decision {
        verdict,
        reason: reason("census", args([])),
        low: Some(value.value),
        high: Some(value.value),
        is_census: true,
        may_change: (value.grows || value.may_rise || limit.grows)
            && verdict == Verdict::NotMet
            && (grows_into || limit.grows),
        // Nothing at all is demanded of a short run as of a long one, and what is exceeded already stays exceeded.
        is_volume: value.grows && limit.is_constant && limit.value != 0.0 && !is_exceeded,
        ..Decision::about(value, limit.value, "")
    }
}

/// A share against its limit: exact binomial limits with the design effect of 30 time batches. A share demanded at
/// 100 % or 0 % is a matter of counting.
fn share(
    value: &Value,
    operator: Comparison,
    limit: &Value,
    (hits, total, seconds): (Bracket, u64, &[(u64, u64)]),
    times: Option<&Beside>,
) -> Decision {
    let p0 = limit.value;
    if p0 <= 0.0 || p0 >= 1.0 || operator == Comparison::Equal {
        let at_most = Value { value: hits.maybe as f64 / total as f64, ..value.clone() };
        let (low, high) = (certain(value, operator, limit), certain(&at_most, operator, limit));
        if low.verdict == high.verdict {
            return Decision { high: high.value, ..low };
        }
        return undecided(Decision { low: low.value, high: high.value, ..Decision::about(value, p0, "") }, value);
    }
    // "At least p" of the hits is "at most 1 − p" of the others.
    let is_floor = matches!(operator, Comparison::Greater | Comparison::AtLeast);
    let kept = times.filter(|times| times.is_kept(is_floor));
    let shared = kept.map_or_else(|| times.map(Beside::memory), Beside::shared);
    let effects = match effects(seconds, shared.as_ref(), is_floor) {
        Ok(effects) => effects,
        Err(why) => {
            let (bad, allowed) = if is_floor { (total.saturating_sub(hits.maybe), 1.0 - p0) } else { (hits.sure, p0) };
            return without_effect(value, p0, &why, allowed, (bad, total, extent(seconds)));
        }
    };
    let judge = |hits: u64| {
        let hits = hits.min(total);
        let (k, allowed) = if is_floor { (total - hits, 1.0 - p0) } else { (hits, p0) };
        let judged = stats::share::judge_at_most(k, total, allowed, ALPHA, effects);
        let (low, high) = if is_floor { (1.0 - judged.high, 1.0 - judged.low) } else { (judged.low, judged.high) };
        (judged, low, high)
    };
    let (first, second) = (judge(hits.sure), judge(hits.maybe));
    let mut decision = Decision {
        low: Some(first.1.min(second.1)),
        high: Some(first.2.max(second.2)),
        design_effect: Some(effects.greater()),
        ..Decision::about(value, p0, "")
    };
    if first.0.verdict != second.0.verdict {
        return undecided(decision, value);
    }
    settle(&mut decision, value, (&first.0, &second.0));
    unless_unseen(decision, value, kept, (total, if is_floor { 1.0 - p0 } else { p0 }))
}

/// A limit that nothing came near is kept if not even a spell that was not seen is likely to exceed it: so many calls,
/// of which so large a share may.
fn unless_unseen(
    mut decision: Decision,
    value: &Value,
    times: Option<&Beside>,
    (total, allowed): (u64, f64),
) -> Decision {
    let needed = times.map_or(0.0, |times| times.times_needed(total, allowed, VERDICT_CONFIDENCE));
    if decision.verdict == Verdict::Met && needed > 1.0 {
        decision.withdraw("too_short_for_memory", [count(value), ("times", Arg::Number(needed))]);
        // Nor does an interval that knows nothing of such a spell cover what it says.
        (decision.low, decision.high) = (None, None);
    }
    decision
}

/// The verdict depends on which side some calls are on: those in the bucket of the limit, those that timed out before it, or
/// those that neither succeeded nor failed.
fn undecided(mut decision: Decision, value: &Value) -> Decision {
    match value.unsettled {
        0 if value.is_censored => decision.withdraw("censored", []),
        0 => decision.withdraw("bucket_straddles_limit", [count(value)]),
        open => decision.withdraw("unsettled", [("open", Arg::Count(open as f64))]),
    }
    decision
}

/// From both ends of what the bucket leaves open, which agree.
fn settle(decision: &mut Decision, value: &Value, (sure, maybe): (&ShareJudgement, &ShareJudgement)) {
    let (verdict, code) = match sure.verdict {
        ShareVerdict::Pass => (Verdict::Met, "interval_inside"),
        ShareVerdict::Fail => (Verdict::NotMet, "interval_outside"),
        ShareVerdict::Inconclusive => (Verdict::CannotTell, "interval_straddles_limit"),
    };
    decision.verdict = verdict;
    let both = sure.holds_up_to_design_effect.zip(maybe.holds_up_to_design_effect);
    decision.holds_up_to = both.map(|(sure, maybe)| sure.min(maybe));
    decision.reason = match sure.needed {
        Some(needed) if verdict == Verdict::CannotTell => {
            reason("interval_straddles_needs", args([count(value), ("needed", Arg::Count(needed as f64))]))
        }
        _ => reason(code, args([count(value)])),
    };
}

/// "p95 below T" is "at most 5 % are not below T"; counted exactly where the run counted T, else bracketed by the
/// histogram's bucket.
fn percentile(
    value: &Value,
    operator: Comparison,
    limit: f64,
    q: f64,
    (times, counted, mean): (&Histogram, &[CountedLimit], Option<&Memory>),
) -> Decision {
    let (at, inclusive) = (Nanos::from_secs_f64(limit), is_inclusive(operator));
    let known = counted.iter().find(|counted| counted.limit == at && counted.inclusive == inclusive);
    let (Some(known), true) = (known, operator != Comparison::Equal) else {
        // A limit that was itself measured was not counted by second, so nothing is known about the design effect.
        return Decision::about(value, limit, "compound_estimate");
    };
    let is_floor = !matches!(operator, Comparison::Less | Comparison::AtMost);
    let beside = mean.zip(times.max()).map(|(mean, max)| Beside::new(mean.clone(), max.as_secs_f64(), limit));
    let beside = beside.filter(|_| !is_floor);
    let shared = if is_floor { mean.cloned() } else { beside.as_ref().and_then(Beside::shared) };
    let effects = match effects(&known.seconds, shared.as_ref(), is_floor) {
        Ok(effects) => effects,
        Err(why) => {
            let (bad, allowed) = wrong_side(operator, q, known.below, times.total());
            return without_effect(value, limit, &why, allowed, (bad, times.total(), extent(&known.seconds)));
        }
    };
    let of_above = if is_floor { effects.turned() } else { effects };
    let interval = stats::quantile::estimate(times, q, VERDICT_CONFIDENCE, of_above).ok();
    let decision = Decision {
        low: interval.as_ref().map(|interval| (interval.low / 1e3).min(value.value)),
        high: interval.as_ref().map(|interval| (interval.high / 1e3).max(value.value)),
        design_effect: Some(effects.greater()),
        ..Decision::about(value, limit, "")
    };
    let decision = by_share_above(decision, value, operator, q, (known.below, times.total(), effects));
    unless_unseen(decision, value, beside.as_ref(), (times.total(), 1.0 - q))
}

/// The same for the values of a metric, each of which counts as one.
fn metric_percentile(value: &Value, operator: Comparison, limit: f64, q: f64, values: &[f64]) -> Decision {
    if operator == Comparison::Equal {
        return Decision::about(value, limit, "compound_estimate");
    }
    let is_low = |each: f64| each < limit || (is_inclusive(operator) && each == limit);
    let points: Vec<(u64, u64)> = values.iter().map(|each| (u64::from(!is_low(*each)), 1)).collect();
    let below = values.iter().filter(|each| is_low(**each)).count() as u64;
    let below = Bracket { sure: below, maybe: below };
    let effect = match stats::batches::design_effect_of_share(&points, BATCHES) {
        Ok(effect) => effect,
        Err(error) => {
            let all = values.len() as u64;
            let (bad, allowed) = wrong_side(operator, q, below, all);
            // Samples may lie close together: they are one observation.
            return without_effect(value, limit, &Unknown::from(&error), allowed, (bad, all, 1));
        }
    };
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let interval = stats::quantile::estimate_sorted(&sorted, q, VERDICT_CONFIDENCE, effect).ok();
    let decision = Decision {
        low: interval.as_ref().map(|interval| interval.low),
        high: interval.as_ref().map(|interval| interval.high),
        design_effect: Some(effect),
        ..Decision::about(value, limit, "")
    };
    by_share_above(decision, value, operator, q, (below, values.len() as u64, effect.into()))
}

/// How many certainly lie on the wrong side of a percentile's limit, and what share may.
fn wrong_side(operator: Comparison, q: f64, below: Bracket, total: u64) -> (u64, f64) {
    match operator {
        Comparison::Less | Comparison::AtMost => (total.saturating_sub(below.maybe), 1.0 - q),
        _ => (below.sure, q),
    }
}

/// Settles a percentile by the share on the wrong side of its limit: `(below, total, design effect)`.
fn by_share_above(
    mut decision: Decision,
    value: &Value,
    operator: Comparison,
    q: f64,
    (below, total, effects): (Bracket, u64, Effects),
) -> Decision {
    let is_ceiling = matches!(operator, Comparison::Less | Comparison::AtMost);
    let p0 = if is_ceiling { 1.0 - q } else { q };
    let judge = |below: u64| {
        let below = below.min(total);
        let k = if is_ceiling { total - below } else { below };
        stats::share::judge_at_most(k, total, p0, ALPHA, effects)
    };
    let (first, second) = (judge(below.sure), judge(below.maybe));
    if first.verdict != second.verdict {
        return undecided(decision, value);
    }
    settle(&mut decision, value, (&first, &second));
    let needed = (stats::share::zero_exceedance_minimum(p0, ALPHA) as f64 * effects.high).ceil();
    if decision.verdict == Verdict::CannotTell && (total as f64) < needed {
        decision.withdraw("too_few", [count(value), ("needed", Arg::Count(needed))]);
    }
    decision
}

fn mean(value: &Value, operator: Comparison, limit: f64, (low, high): (f64, f64), effect: f64) -> Decision {
    let (verdict, code) = match (operator, holds(low, operator, limit), holds(high, operator, limit)) {
        // An interval proves no equality; it can only rule it out.
        (Comparison::Equal, ..) if low > limit || high < limit => (Verdict::NotMet, "interval_outside"),
        (Comparison::Equal, ..) => (Verdict::CannotTell, "interval_straddles_limit"),
        (_, true, true) => (Verdict::Met, "interval_inside"),
        (_, false, false) => (Verdict::NotMet, "interval_outside"),
        _ => (Verdict::CannotTell, "interval_straddles_limit"),
    };
    Decision {
        verdict,
        reason: reason(code, args([count(value)])),
        low: Some(low),
        high: Some(high),
        design_effect: Some(effect),
        ..Decision::about(value, limit, "")
    }
}
