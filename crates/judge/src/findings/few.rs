//! Too few calls for a p99.

use super::judged::{judged, leg};
use super::{RuleInput, finding};
use crate::findings::declare::{Count, Number, declare};
use crate::{Finding, Gravity};

declare! {
    /// So few good answers that no interval for the p99 can be given. The highest percentile that they carry stands
    /// beside it.
    FewCalls = "FEW" {
        carried: Number,
        count: Count,
        needed: Count,
    }
}

/// FEW: the highest percentile that so many calls carry is below p99.
pub(super) fn few(seen: &RuleInput<'_>) -> Vec<Finding> {
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
            let args = FewCalls {
                carried: Number(carried.unwrap_or(0.0) * 100.0),
                count: Count(count as f64),
                needed: Count(stats::quantile::minimum_n(0.99, 0.95) as f64),
            };
            Some(finding(Gravity::Notice, &scope, args))
        })
        .collect()
}
