//! How much of what its limit allows a value uses, so that all requirements stand on one scale.

use crate::direction::{Direction, direction};
use crate::verdict_words::{is_projected_from_too_little, is_steady};
use judge::RequirementResult;

/// Scales of it end at twice the limit; what is beyond is an arrow.
pub(super) const MOST: f64 = 2.0;

/// Part of what a limit allows that a value uses: 1 is the limit itself, less is on the good side.
///
/// A ceiling is used by value / limit, a floor by limit / value; a share of at least p by (1 − value) / (1 − p), its
/// error budget. `None` where the limit leaves nothing to use: zero, or a share of 100 %.
pub(super) fn used(result: &RequirementResult, value: f64) -> Option<f64> {
    let limit = result.limit?;
    // A change counts in both directions; one that was projected from too little is not a value.
    if is_steady(&result.rule) {
        let part = value.abs() / limit;
        return (part.is_finite() && !is_projected_from_too_little(result)).then_some(part);
    }
    let part = match (direction(result)?, result.unit.as_str()) {
        (Direction::Floor, "share") => (1.0 - value) / (1.0 - limit),
        (Direction::Floor, _) => limit / value,
        (Direction::Ceiling, _) => value / limit,
    };
    part.is_finite().then_some(part.max(0.0))
}

/// The same of both ends of the interval, the lesser first: the low end of a floor's value uses more of it than the high
/// one. A change that may be down or up is between nothing and the further of them.
pub(super) fn used_between(result: &RequirementResult) -> Option<(f64, f64)> {
    let (low, high) = (result.low?, result.high?);
    let ends = (used(result, low)?, used(result, high)?);
    let spans_zero = is_steady(&result.rule) && low < 0.0 && high > 0.0;
    let least = if spans_zero { 0.0 } else { ends.0.min(ends.1) };
    Some((least, ends.0.max(ends.1)))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    pub(in crate::charts) use crate::direction::tests::result;
    use terms::Verdict;

    #[test]
    fn less_than_the_whole_is_always_the_good_side() {
        let near = |found: Option<f64>, wanted: f64| assert!((found.unwrap() - wanted).abs() < 1e-9, "{found:?}");
        near(used(&result("p95(x) < 2s", "ms", 2000.0), 1000.0), 0.5);
        near(used(&result("share(x < 2s) >= 95%", "share", 0.95), 0.98), 0.4);
        near(used(&result("rate(x.ok) >= 100/s", "per_s", 100.0), 80.0), 1.25);
        near(used(&result("share(x.failed) <= 1%", "share", 0.01), 0.03), 3.0);
    }

    #[test]
    fn a_floor_is_one_wherever_its_rule_says_so() {
        let mut broken = result("p95(x) < 2s and rate(x.ok) >= 100/s", "per_s", 100.0);
        broken.verdict = Verdict::NotMet;
        broken.reason.args = [("decided_by".to_owned(), judge::Arg::Text("rate(x.ok) >= 100/s".into()))].into();
        assert_eq!(used(&broken, 80.0), Some(1.25));
        assert_eq!(used(&result("100/s <= rate(x.ok)", "per_s", 100.0), 80.0), Some(1.25));
    }

    #[test]
    fn an_interval_of_a_floor_has_its_low_end_first() {
        let mut share = result("share(x < 2s) >= 95%", "share", 0.95);
        (share.value, share.low, share.high) = (Some(0.97), Some(0.96), Some(0.98));
        let (low, high) = used_between(&share).unwrap();
        assert!((low - 0.4).abs() < 1e-9 && (high - 0.8).abs() < 1e-9, "{low} {high}");
        let mut rate = result("rate(x.ok) >= 100/s", "per_s", 100.0);
        (rate.low, rate.high) = (Some(80.0), Some(125.0));
        assert_eq!(used_between(&rate), Some((0.8, 1.25)));
    }

    #[test]
    fn a_limit_that_leaves_nothing_has_no_place() {
        assert_eq!(used(&result("share(x < 2s) = 100%", "share", 1.0), 0.99), None);
        assert_eq!(used(&result("count(x.failed) <= 0", "count", 0.0), 3.0), None);
    }

    #[test]
    fn a_change_counts_in_both_directions_and_its_interval_holds_it() {
        let mut change = result("steady(host.cpu)", "share", 0.1);
        (change.value, change.low, change.high) = (Some(0.003), Some(-0.024), Some(0.615));
        assert!((used(&change, 0.003).unwrap() - 0.03).abs() < 1e-9);
        let (low, high) = used_between(&change).unwrap();
        assert!(low == 0.0 && (high - 6.15).abs() < 1e-9, "{low} {high}");
        (change.low, change.high) = (Some(-0.2), Some(-0.1));
        let (low, high) = used_between(&change).unwrap();
        assert!((low - 1.0).abs() < 1e-9 && (high - 2.0).abs() < 1e-9, "{low} {high}");
        change.reason.code = "too_short".into();
        assert_eq!(used(&change, 0.003), None);
    }
}
