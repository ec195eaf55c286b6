//! Counts, times and concurrency agree.

use super::{RuleInput, finding};
use crate::findings::declare::{Milliseconds, Number, PerSecond, Share, declare};
use crate::validity::Thresholds;
use crate::{Finding, Gravity};

declare! {
    /// The mean number in flight must be the rate times the mean time in flight ([Little's
    /// law](../methods/littles-law.md)). The generator measures the number in flight by itself, so this compares two
    /// independent measurements. A difference above `LITTLE_WARNING` is a warning, above the validity limit a blocker:
    /// then times, counts or concurrency are wrong, and nothing can be based on them. Evaluated in loaded steps of at
    /// least 10 whole seconds and 100 iterations.
    LittleLaw = "LITTLE" {
        concurrency: Number,
        expected: Number,
        off: Share,
        rate: PerSecond,
        time: Milliseconds,
    }
}

/// |X·(R+Z)/N − 1| above this is worth a warning; above the limit of validity the measurement contradicts itself.
const LITTLE_WARNING: f64 = 0.05;

/// LITTLE: the mean number in flight is throughput times mean time in the system.
pub(super) fn little(seen: &RuleInput<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let threshold = Thresholds::of(seen.study).little;
    for (span, balance) in seen.index.evidence.steps.iter().zip(seen.balances) {
        let Some(balance) = balance.filter(|balance| balance.off.abs() > LITTLE_WARNING) else { continue };
        let is_contradiction = balance.off.abs() > threshold;
        let severity = if is_contradiction { Gravity::Blocker } else { Gravity::Warning };
        let args = LittleLaw {
            concurrency: Number(balance.concurrency),
            // Of what the rows allow, what is nearest: the same that the validity check and the figure go by.
            expected: Number(balance.nearest),
            off: Share(balance.off),
            rate: PerSecond(balance.rate),
            time: Milliseconds(balance.nearest / balance.rate * 1e3),
        };
        findings.push(finding(severity, &seen.index.shared_scope(span), args));
    }
    findings
}
