//! `change(statistic, base, other)`: the rows of a comparison against the limit of a requirement.
//!
//! The comparison says what the change is and how sure; here only the limit is laid beside it. So a requirement and the
//! table of `compare` rest on the same ratio, the same interval and the same doubts.

use super::Before;
use super::decision::{Decision, args, cannot_tell, reason};
use super::scopes::ScopeOf;
use crate::Arg;
use crate::comparison::{OneSided, Row, RowVerdict, within_run};
use crate::evaluate::Kind;
use study::rule::{Change, CompareOf, Comparison, Subject};
use terms::Verdict;

/// The verdict on all exchanges that the change is about, or on the one of the scope: the first that is not met
/// decides, else the first that cannot be told, else the one that comes closest to the limit.
pub(super) fn verdict(change: &Change, scope: &ScopeOf<'_>, before: &Before<'_>) -> Decision {
    let Some(run) = before.run else { return cannot_tell("no_samples", []) };
    let of = of_scope(&change.of, scope.exchange);
    let rows = within_run(before.study, run, &of, change.base, change.other);
    let base = before.study.scenarios.get(change.base).map_or("", |scenario| scenario.name.as_str());
    let decisions: Vec<Decision> = rows.iter().map(|row| of_row(row, change, base)).collect();
    let of = |verdict| decisions.iter().find(move |decision: &&Decision| decision.verdict == verdict);
    let closest = || {
        let distance = |decision: &Decision| match is_ceiling(change.operator) {
            true => change.limit - decision.high.unwrap_or(f64::INFINITY),
            false => decision.low.unwrap_or(f64::NEG_INFINITY) - change.limit,
        };
        decisions.iter().min_by(|one, other| distance(one).total_cmp(&distance(other)))
    };
    let deciding = of(Verdict::NotMet).or_else(|| of(Verdict::CannotTell)).or_else(closest);
    deciding.cloned().unwrap_or_else(|| cannot_tell("no_samples", []))
}

/// The statistic of one exchange; of all for `None`.
fn of_scope(of: &CompareOf, exchange: Option<u16>) -> CompareOf {
    let mut of = of.clone();
    if let (Subject::Exchanges { exchanges, .. }, Some(only)) = (&mut of.statistic.series.subject, exchange) {
        exchanges.retain(|number| *number == only);
    }
    of
}

fn is_ceiling(operator: Comparison) -> bool {
    matches!(operator, Comparison::Less | Comparison::AtMost)
}

fn of_row(row: &Row, change: &Change, base: &str) -> Decision {
    let undecided = Decision {
        value: row.change.map(|change| change.value),
        limit: Some(change.limit),
        kind: Kind::Share,
        count: row.base_count.min(row.other_count),
        ..cannot_tell("", [])
    };
    // Without an interval the comparison has said why.
    let ends = row.one_sided.filter(|_| row.verdict != RowVerdict::NotComparable);
    let Some(ends) = ends else { return Decision { reason: row.reason.clone(), ..undecided } };
    let (verdict, code) = judge(&ends, change.operator, 1.0 + change.limit);
    let told = || args([("base", Arg::Text(base.to_owned())), ("subject", Arg::Text(row.subject.clone()))]);
    Decision {
        verdict,
        reason: reason(code, if code.starts_with("change_") { told() } else { args([]) }),
        low: Some(ends.low - 1.0),
        high: ends.high.map(|high| high - 1.0),
        ..undecided
    }
}

/// A ratio's interval beside a limit on the ratio. To lie beyond a limit above 1 is to claim a rise, and below one under
/// 1 a fall: such a claim has to be larger than what the machine may have added. That something has not risen by so
/// much is no such claim, as "equivalent" is none.
fn judge(ends: &OneSided, operator: Comparison, limit: f64) -> (Verdict, &'static str) {
    let high_or_none = |high: Option<f64>| high.unwrap_or(f64::INFINITY);
    let plain = (ends.low, high_or_none(ends.high));
    let low = if limit >= 1.0 { ends.low_of_rise } else { ends.low };
    let high = if limit <= 1.0 { high_or_none(ends.high_of_fall) } else { plain.1 };
    match (side((low, high), operator, limit), side(plain, operator, limit)) {
        (Some(true), _) => (Verdict::Met, "change_inside"),
        (Some(false), _) => (Verdict::NotMet, "change_outside"),
        (None, Some(_)) => (Verdict::CannotTell, "compared_within_noise"),
        (None, None) if ends.high.is_none() => (Verdict::CannotTell, "compared_other_censored"),
        (None, None) => (Verdict::CannotTell, "change_straddles"),
    }
}

/// On which side of the limit an interval lies as a whole: the good one, the bad one, or neither.
fn side((low, high): (f64, f64), operator: Comparison, limit: f64) -> Option<bool> {
    let holds = |value: f64| match operator {
        Comparison::Less => value < limit,
        Comparison::AtMost => value <= limit,
        Comparison::Greater => value > limit,
        Comparison::AtLeast => value >= limit,
        Comparison::Equal => false,
    };
    let (best, worst) = if is_ceiling(operator) { (low, high) } else { (high, low) };
    match (holds(worst), holds(best)) {
        (true, _) => Some(true),
        (_, false) => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Comparison::{AtLeast, AtMost, Greater, Less};

    fn ends(low: f64, high: f64, noise: f64) -> OneSided {
        OneSided { low, high: Some(high), low_of_rise: low * (1.0 - noise), high_of_fall: Some(high / (1.0 - noise)) }
    }

    fn told(ends: OneSided, operator: Comparison, limit: f64) -> (&'static str, &'static str) {
        let (verdict, code) = judge(&ends, operator, 1.0 + limit);
        (verdict.name(), code)
    }

    #[test]
    fn an_interval_lies_on_one_side_of_a_limit_or_across_it() {
        for (low, high, operator, limit, expected) in [
            (1.01, 1.08, AtMost, 0.1, ("met", "change_inside")),
            (1.12, 1.20, AtMost, 0.1, ("not_met", "change_outside")),
            (1.05, 1.20, AtMost, 0.1, ("cannot_tell", "change_straddles")),
            (0.40, 0.60, AtMost, 0.1, ("met", "change_inside")),
            (1.35, 1.50, AtLeast, 0.3, ("met", "change_inside")),
            (1.10, 1.20, AtLeast, 0.3, ("not_met", "change_outside")),
            (0.80, 0.85, AtLeast, -0.1, ("not_met", "change_outside")),
            (0.80, 0.85, Less, -0.1, ("met", "change_inside")),
            (1.0, 1.1, Less, 0.1, ("cannot_tell", "change_straddles")),
            (1.0, 1.1, AtMost, 0.1, ("met", "change_inside")),
            (1.1, 1.2, Less, 0.1, ("not_met", "change_outside")),
            (1.1, 1.2, Greater, 0.1, ("cannot_tell", "change_straddles")),
        ] {
            // The limits are 1.1 and the like, which sums of fractions miss by a digit.
            let limit = ((1.0 + limit) * 1e9f64).round() / 1e9 - 1.0;
            assert_eq!(told(ends(low, high, 0.0), operator, limit), expected, "{low} … {high} {operator:?} {limit}");
        }
    }

    #[test]
    fn a_rise_or_a_fall_has_to_be_larger_than_what_the_machine_adds() {
        // 12 % to 20 % more, of which the machine may have added a tenth.
        assert_eq!(told(ends(1.12, 1.2, 0.1), AtMost, 0.1), ("cannot_tell", "compared_within_noise"));
        assert_eq!(told(ends(1.12, 1.2, 0.1), AtLeast, 0.1), ("cannot_tell", "compared_within_noise"));
        assert_eq!(told(ends(0.8, 0.88, 0.1), AtMost, -0.1), ("cannot_tell", "compared_within_noise"));
        assert_eq!(told(ends(0.8, 0.88, 0.1), AtLeast, -0.1), ("cannot_tell", "compared_within_noise"));
        // Not to have risen by so much is not a claim of a change.
        assert_eq!(told(ends(0.98, 1.04, 0.3), AtMost, 0.1), ("met", "change_inside"));
        assert_eq!(told(ends(0.98, 1.04, 0.3), AtLeast, -0.1), ("met", "change_inside"));
    }

    #[test]
    fn what_is_cut_off_proves_a_rise_at_most() {
        let bound = OneSided { high: None, high_of_fall: None, ..ends(1.5, 0.0, 0.0) };
        assert_eq!(told(bound, AtMost, 0.1), ("not_met", "change_outside"));
        assert_eq!(told(bound, AtLeast, 0.1), ("met", "change_inside"));
        assert_eq!(told(bound, AtMost, 0.8), ("cannot_tell", "compared_other_censored"));
    }
}
