//! A mean that describes nobody.

use super::judged::{at, judged, leg, times};
use super::{RuleInput, finding};
use crate::findings::declare::{Milliseconds, declare};
use crate::{Finding, Gravity};

declare! {
    /// The mean is above the p90: a few very slow calls dominate it, and it is no caller's experience. The finding says
    /// how slow the slowest tenth must be on average, at least ([tail bound](../methods/tail-bound.md)).
    MeanAboveP90 = "MEAN-GT-P90" {
        mean: Milliseconds,
        p90: Milliseconds,
        tail: Milliseconds,
    }
}

/// MEAN-GT-P90: the mean is above the p90, so it describes nobody's experience.
pub(super) fn mean_above_p90(seen: &RuleInput<'_>) -> Vec<Finding> {
    judged(seen)
        .filter_map(|(scope, _, exchange)| {
            let times = times(leg(exchange, "ok")?)?;
            let p90 = at(times, 0.9)?;
            if times.mean <= p90 {
                return None;
            }
            let tail = stats::tail::least_mean_of_slowest_tenth(times.mean, p90).ok()?;
            let args =
                MeanAboveP90 { mean: Milliseconds(times.mean), p90: Milliseconds(p90), tail: Milliseconds(tail) };
            Some(finding(Gravity::Warning, &scope, args))
        })
        .collect()
}
