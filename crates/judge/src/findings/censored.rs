//! Percentiles that stand on a time-out.

use super::judged::{judged, leg, times};
use super::{RuleInput, finding};
use crate::findings::declare::{Count, Given, Number, Share, declare};
use crate::{Finding, Gravity};

declare! {
    /// A percentile reaches the timeout, or more than `TIMEOUT_SHARE` of the calls timed out or waited for an event
    /// that never came. The true percentiles are higher; by how much, this run cannot say. Raise the timeout.
    Censored = "CENSORED" {
        quantile: Given<Number>,
        share: Share,
        timeouts: Count,
    }
}

/// Timeouts above this share make every high percentile a lower bound.
const TIMEOUT_SHARE: f64 = 0.01;

/// CENSORED: percentiles that stand on the time-out, or many time-outs.
pub(super) fn censored(seen: &RuleInput<'_>) -> Vec<Finding> {
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
            let args = Censored {
                quantile: Given(Number(quantile * 100.0)),
                share: Share(timeouts as f64 / ended),
                timeouts: Count(timeouts as f64),
            };
            Some(finding(Gravity::Warning, &scope, args))
        })
        .collect()
}
