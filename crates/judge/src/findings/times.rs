//! Figures that would be misread.

use super::{Seen, finding};
use crate::{Arg, ExchangeResult, Finding, Gravity, LegResult, StepResult, Times};
use terms::{Buckets, Nanos};

/// A closed load hides stalls: this many times the median is one.
const STALL_FACTOR: f64 = 10.0;
/// Stalls that take less of the users' time would have met fewer than one in a thousand of independent callers, and no
/// percentile that is shown would have seen them.
const STALL_TIME: f64 = 0.001;
/// Time-outs above this share make every high percentile a lower bound.
const TIMEOUT_SHARE: f64 = 0.01;
/// Failures above this share can flatter an average.
const FAILED_SHARE: f64 = 0.01;

/// Every judged exchange with its scope.
fn judged<'a>(seen: &'a Seen<'_>) -> impl Iterator<Item = (String, &'a StepResult, &'a ExchangeResult)> {
    let holds = seen.steps.iter().filter(|step| step.phase == "hold");
    holds.flat_map(|step| {
        step.exchanges.iter().map(move |exchange| (format!("{}/{}", step.scope, exchange.id), step, exchange))
    })
}

fn leg<'a>(exchange: &'a ExchangeResult, outcome: &str) -> Option<&'a LegResult> {
    exchange.legs.iter().find(|leg| leg.outcome == outcome)
}

/// Response times, in a closed load service times.
fn times(leg: &LegResult) -> Option<&Times> {
    leg.response.as_ref().or(leg.service.as_ref())
}

fn at(times: &Times, quantile: f64) -> Option<f64> {
    times.percentiles.iter().find(|percentile| (percentile.quantile - quantile).abs() < 1e-9).map(|found| found.value)
}

/// CO-CLOSED: a closed load and answers far above the median: users who waited asked for nothing meanwhile.
pub(super) fn closed_omission(seen: &Seen<'_>) -> Vec<Finding> {
    judged(seen)
        .filter(|(_, step, _)| step.users.is_some())
        .filter_map(|(scope, step, exchange)| {
            let times = times(leg(exchange, "ok")?)?;
            let median = at(times, 0.5)?;
            let is_stalled = times.max > STALL_FACTOR * median
                && stalled_share(seen, step, &exchange.id, STALL_FACTOR * median) > STALL_TIME;
            let args = [("median", Arg::Milliseconds(median)), ("max", Arg::Milliseconds(times.max))];
            is_stalled.then(|| finding("CO-CLOSED", Gravity::Warning, &scope, args))
        })
        .collect()
}

/// Share of the users' time that went by in calls that took longer than `limit_ms`, by the middles of their buckets.
fn stalled_share(seen: &Seen<'_>, step: &StepResult, exchange: &str, limit_ms: f64) -> f64 {
    let number = seen.index.head().exchanges.iter().position(|head| head.name == exchange);
    let rows = number.map_or(&[][..], |number| seen.index.legs(step.number, number as u16, 0));
    let limit = Nanos::from_secs_f64(limit_ms / 1e3);
    let mut stalled = 0.0;
    for row in rows {
        for &(bucket, count) in row.service.buckets.iter().filter(|(bucket, _)| Buckets::low(*bucket) > limit) {
            let (low, high) = (Buckets::low(bucket).max(row.service.min), Buckets::high(bucket).min(row.service.max));
            stalled += count as f64 * 0.5 * (low.as_secs_f64() + high.as_secs_f64());
        }
    }
    stalled / (f64::from(step.users.unwrap_or(1).max(1)) * step.seconds.max(1e-9))
}

/// MEAN-GT-P90: the mean is above the p90, so it describes nobody's experience.
pub(super) fn mean_above_p90(seen: &Seen<'_>) -> Vec<Finding> {
    judged(seen)
        .filter_map(|(scope, _, exchange)| {
            let times = times(leg(exchange, "ok")?)?;
            let p90 = at(times, 0.9)?;
            if times.mean <= p90 {
                return None;
            }
            let tail = stats::tail::least_mean_of_slowest_tenth(times.mean, p90).ok()?;
            let args = [
                ("mean", Arg::Milliseconds(times.mean)),
                ("p90", Arg::Milliseconds(p90)),
                ("tail", Arg::Milliseconds(tail)),
            ];
            Some(finding("MEAN-GT-P90", Gravity::Warning, &scope, args))
        })
        .collect()
}

/// CENSORED: percentiles that stand on the time-out, or many time-outs.
pub(super) fn censored(seen: &Seen<'_>) -> Vec<Finding> {
    judged(seen)
        .filter_map(|(scope, _, exchange)| {
            let all = leg(exchange, "all")?;
            // An event that never came was waited for as long as an answer that did not.
            let cut = all.classes.iter().filter(|(class, _)| matches!(class.as_str(), "timeout" | "missing"));
            let timeouts: u64 = cut.map(|(_, count)| count).sum();
            let ended = all.count.max(1) as f64;
            let first = times(all)?.percentiles.iter().find(|percentile| percentile.is_censored);
            if timeouts as f64 / ended <= TIMEOUT_SHARE && first.is_none() {
                return None;
            }
            // Above the share of calls that were not cut off, no percentile is known.
            let known = 1.0 - timeouts as f64 / ended;
            let quantile = first.map_or(known, |percentile| percentile.quantile.min(known.max(0.5)));
            let args = [
                ("timeouts", Arg::Count(timeouts as f64)),
                ("share", Arg::Share(timeouts as f64 / ended)),
                ("quantile", Arg::Number(quantile * 100.0)),
            ];
            Some(finding("CENSORED", Gravity::Warning, &scope, args))
        })
        .collect()
}

/// ERR-FAST: failures answer in less than half the time: an average over all would be flattered.
pub(super) fn fast_errors(seen: &Seen<'_>) -> Vec<Finding> {
    judged(seen)
        .filter_map(|(scope, _, exchange)| {
            let (ok, failed) = (leg(exchange, "ok")?, leg(exchange, "failed")?);
            let share = failed.count as f64 / (ok.count + failed.count).max(1) as f64;
            let (good, bad) = (at(times(ok)?, 0.5)?, at(times(failed)?, 0.5)?);
            if share <= FAILED_SHARE || bad >= good / 2.0 {
                return None;
            }
            let args =
                [("failed", Arg::Milliseconds(bad)), ("ok", Arg::Milliseconds(good)), ("share", Arg::Share(share))];
            Some(finding("ERR-FAST", Gravity::Warning, &scope, args))
        })
        .collect()
}

/// FEW: the highest percentile that so many calls carry is below p99.
pub(super) fn few(seen: &Seen<'_>) -> Vec<Finding> {
    judged(seen)
        .filter_map(|(scope, _, exchange)| {
            // Where nothing at all ended well, NO-ANSWER says more.
            let count = leg(exchange, "ok")?.count;
            if count == 0 && exchange.started > 0 {
                return None;
            }
            let carried = [0.999, 0.99, 0.95, 0.9].into_iter().find(|q| count >= stats::quantile::minimum_n(*q, 0.95));
            if carried.is_some_and(|quantile| quantile >= 0.99) {
                return None;
            }
            let args = [
                ("count", Arg::Count(count as f64)),
                ("needed", Arg::Count(stats::quantile::minimum_n(0.99, 0.95) as f64)),
                ("carried", Arg::Number(carried.unwrap_or(0.0) * 100.0)),
            ];
            Some(finding("FEW", Gravity::Notice, &scope, args))
        })
        .collect()
}
