//! Counts that must be equal: what was sent, accepted, stored and received, side by side, whatever the verdict.

use super::decision::{Decision, args, reason};
use super::formula::shown;
use crate::Arg;
use crate::evaluate::{Kind, Sureness, Value};
use study::rule::{Comparison, Expression};
use terms::Verdict;

/// Replaces "counted exactly" by the counts themselves, and how far the most different two of them are apart.
pub(super) fn tell(decision: &mut Decision, sums: &[Expression], operators: &[Comparison], values: &[Value]) {
    let is_count = |value: &Value| value.kind == Kind::Count && value.sureness == Sureness::Census;
    let counted = values.iter().filter(|value| !value.is_constant).count();
    if decision.reason.code != "census"
        || counted < 2
        || !operators.iter().all(|operator| *operator == Comparison::Equal)
        || !values.iter().all(is_count)
    {
        return;
    }
    let each = sums.iter().zip(values).map(|(sum, value)| format!("{} = {}", written(sum), value.value));
    let counts = ("counts", Arg::Text(each.collect::<Vec<_>>().join(", ")));
    let least = values.iter().map(|value| value.value).fold(f64::INFINITY, f64::min);
    let most = values.iter().map(|value| value.value).fold(f64::NEG_INFINITY, f64::max);
    decision.reason = match decision.verdict {
        Verdict::NotMet => reason("counts_differ", args([counts, ("difference", Arg::Count(most - least))])),
        _ => reason("reconciled", args([counts])),
    };
}

/// A sum as it is written, without the word that says it is counted.
fn written(sum: &Expression) -> String {
    match sum {
        Expression::Binary { operator, left, right } => format!("{} {operator} {}", written(left), written(right)),
        Expression::Statistic(statistic) => statistic.series.text.clone(),
        number => shown(number),
    }
}
