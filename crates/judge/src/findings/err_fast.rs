//! Failures that would flatter an average.

use super::judged::{at, judged, leg, times};
use super::{RuleInput, finding};
use crate::findings::declare::{Milliseconds, Share, declare};
use crate::{Finding, Gravity};

declare! {
    /// More than `FAILED_SHARE` failed, and failures took less than half the time of good answers. They would flatter
    /// an average over all; that is why `ok` and `failed` are never mixed.
    FastErrors = "ERR-FAST" {
        failed: Milliseconds,
        ok: Milliseconds,
        share: Share,
    }
}

/// Failures above this share can flatter an average.
const FAILED_SHARE: f64 = 0.01;
/// And do where their median is below this part of that of good answers.
const FAST: f64 = 0.5;

/// ERR-FAST: failures answer in less than half the time: an average over all would be flattered.
pub(super) fn fast_errors(seen: &RuleInput<'_>) -> Vec<Finding> {
    judged(seen)
        .filter_map(|(scope, _, exchange)| {
            let (ok, failed) = (leg(exchange, "ok")?, leg(exchange, "failed")?);
            let share = failed.count as f64 / (ok.count + failed.count).max(1) as f64;
            let (good, bad) = (at(times(ok)?, 0.5)?, at(times(failed)?, 0.5)?);
            if share <= FAILED_SHARE || bad >= FAST * good {
                return None;
            }
            let args = FastErrors { failed: Milliseconds(bad), ok: Milliseconds(good), share: Share(share) };
            Some(finding(Gravity::Warning, &scope, args))
        })
        .collect()
}
