//! Too few calls for a p99.

use super::judged::{judged, leg};
use super::{RuleInput, finding};
use crate::findings::declare::{Count, Number, declare};
use crate::{Finding, Gravity};

declare! {
    /// So few good answers that no interval for the p99 can be given. The highest percentile that they support is
    /// given.
    FewCalls = "FEW" {
        carried: Number,
        count: Count,
        needed: Count,
    }
}

/// Where the highest percentile that the calls support is below this one, it is reported.
const FEW_CARRIED: f64 = 0.99;
/// The percentiles tried, highest first.
const FEW_ASKED: [f64; 4] = [0.999, FEW_CARRIED, 0.95, 0.9];
/// Confidence of the interval that a supported percentile must have.
const FEW_CONFIDENCE: f64 = 0.95;

/// FEW: the highest percentile that so many calls carry is below p99.
pub(super) fn few(seen: &RuleInput<'_>) -> Vec<Finding> {
    judged(seen)
        .filter_map(|(scope, _, exchange)| {
            // Where nothing at all succeeded, NO-ANSWER says more.
            let count = leg(exchange, "ok")?.count;
            if count == 0 && exchange.started > 0 {
                return None;
            }
            let needed = |quantile| stats::quantile::minimum_n(quantile, FEW_CONFIDENCE);
            let carried = FEW_ASKED.into_iter().find(|quantile| count >= needed(*quantile));
            if carried.is_some_and(|quantile| quantile >= FEW_CARRIED) {
                return None;
            }
            let args = FewCalls {
                carried: Number(carried.unwrap_or(0.0) * 100.0),
                count: Count(count as f64),
                needed: Count(needed(FEW_CARRIED) as f64),
            };
            Some(finding(Gravity::Notice, &scope, args))
        })
        .collect()
}
