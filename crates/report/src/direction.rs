//! On which side of its limit a value keeps it: what a verdict's value and limit were compared by.

use judge::catalogue::{DECIDED_BY, SHOWN_OF};
use judge::{Arg, RequirementResult};
use terms::Verdict;

/// What a limit is for its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// The value keeps it below.
    Ceiling,
    /// The value keeps it above.
    Floor,
}

/// The direction of a verdict's value and limit. Both are those of one clause, which the reason names where a rule has
/// several. Where that clause has more than one comparison, or something measured on both sides, the verdict tells:
/// what is met lies on the good side. `None` where nothing does.
pub(crate) fn direction(result: &RequirementResult) -> Option<Direction> {
    let named = [DECIDED_BY, SHOWN_OF].into_iter().find_map(|name| match result.reason.args.get(name) {
        Some(Arg::Text(clause)) => Some(clause.as_str()),
        _ => None,
    });
    let found = comparisons(named.unwrap_or(&result.rule));
    match found.as_slice() {
        [Some(first), rest @ ..] if rest.iter().all(|other| *other == Some(*first)) => Some(*first),
        [] => None,
        _ => by_verdict(result),
    }
}

/// A value that keeps its limit from below has a ceiling, and so has one that breaks it from above.
fn by_verdict(result: &RequirementResult) -> Option<Direction> {
    let (value, limit) = result.value.zip(result.limit).filter(|(value, limit)| value != limit)?;
    match result.verdict {
        Verdict::CannotTell => None,
        verdict if (verdict == Verdict::Met) == (value < limit) => Some(Direction::Ceiling),
        _ => Some(Direction::Floor),
    }
}

/// The comparisons outside all parentheses, `share(x < 2s) >= 95%` is a floor: what each is for what was measured, and
/// `None` where both of its sides were.
fn comparisons(rule: &str) -> Vec<Option<Direction>> {
    let mut found = Vec::new();
    for clause in clauses(rule) {
        let sides = sides(clause);
        for pair in sides.windows(2) {
            let ((left, sign), (right, _)) = (pair[0], pair[1]);
            let is_less = sign == '<';
            found.push(match (is_measured(left), is_measured(right)) {
                (true, false) => Some(if is_less { Direction::Ceiling } else { Direction::Floor }),
                // `100/s <= rate(x.ok)` asks for at least so many.
                (false, true) => Some(if is_less { Direction::Floor } else { Direction::Ceiling }),
                _ => None,
            });
        }
    }
    found
}

/// Statistics are functions and have parentheses; constants have none.
fn is_measured(side: &str) -> bool {
    side.contains('(')
}

/// What a rule joins by `and`.
fn clauses(rule: &str) -> Vec<&str> {
    let (mut found, mut from) = (Vec::new(), 0);
    for (at, _) in outside(rule).filter(|(at, _)| rule[*at..].starts_with(" and ")) {
        found.push(&rule[from..at]);
        from = at + " and ".len();
    }
    found.push(&rule[from..]);
    found
}

/// What a clause compares, each with the sign behind it; the last with none that matters.
fn sides(clause: &str) -> Vec<(&str, char)> {
    let (mut found, mut from) = (Vec::new(), 0);
    for (at, sign) in outside(clause).filter(|(_, c)| matches!(c, '<' | '>')) {
        found.push((&clause[from..at], sign));
        from = at + 1;
    }
    found.push((&clause[from..], ' '));
    found
}

/// The letters outside all parentheses, with their places.
fn outside(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut depth = 0i32;
    text.char_indices().filter(move |(_, c)| {
        depth += i32::from(*c == '(') - i32::from(*c == ')');
        depth == 0
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::Direction::{Ceiling, Floor};
    use super::*;
    use judge::{Args, Reason};
    use terms::Severity;

    pub(crate) fn result(rule: &str, unit: &str, limit: f64) -> RequirementResult {
        RequirementResult {
            id: "r".into(),
            scope: "s/hold".into(),
            rule: rule.into(),
            severity: Severity::Must,
            verdict: Verdict::Met,
            value: None,
            low: None,
            high: None,
            limit: Some(limit),
            unit: unit.into(),
            is_census: false,
            sample_count: 0,
            design_effect: None,
            holds_up_to: None,
            disturbed: Vec::new(),
            reason: Reason { code: "census".into(), args: Args::new() },
            evidence: Vec::new(),
        }
    }

    #[test]
    fn the_comparison_outside_parentheses_counts() {
        for (rule, wanted) in [
            ("p95(x) < 2s", Some(Ceiling)),
            ("share(x < 2s) >= 95%", Some(Floor)),
            ("100/s <= rate(x.ok)", Some(Floor)),
            ("5% > share(x > 2s)", Some(Ceiling)),
            ("rate(x.ok) >= 100/s per step", Some(Floor)),
            ("p95(x) < 2s and p99(x) < 4s", Some(Ceiling)),
            ("p95(x) < 2s and rate(x.ok) >= 100/s", None),
            ("count(a) = count(b)", None),
            ("alive(shop)", None),
        ] {
            assert_eq!(direction(&result(rule, "ms", 1.0)), wanted, "{rule}");
        }
    }

    #[test]
    fn of_several_clauses_the_one_that_the_reason_names_counts() {
        let mut broken = result("p95(x) < 2s and rate(x.ok) >= 100/s", "per_s", 100.0);
        for name in [DECIDED_BY, SHOWN_OF] {
            broken.reason.args = [(name.to_owned(), Arg::Text("rate(x.ok) >= 100/s".into()))].into();
            assert_eq!(direction(&broken), Some(Floor));
        }
    }

    #[test]
    fn between_two_limits_the_verdict_says_which_one_it_was() {
        let mut between = result("50/s <= rate(x.ok) <= 100/s", "per_s", 50.0);
        between.value = Some(40.0);
        assert_eq!(direction(&between), Some(Ceiling), "met below a limit");
        between.verdict = Verdict::NotMet;
        assert_eq!(direction(&between), Some(Floor));
        between.verdict = Verdict::CannotTell;
        assert_eq!(direction(&between), None);
    }
}
