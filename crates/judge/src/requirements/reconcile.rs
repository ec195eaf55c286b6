//! Counts that must be equal: what was sent, accepted, stored and received, side by side, whatever the verdict.

use super::decision::{Decision, args, reason};
use super::formula::shown;
use super::scopes::{ScopeOf, default_window};
use crate::Arg;
use crate::evaluate::{Kind, Sureness, Value};
use crate::figures::{Counted, Figures};
use crate::rows::Index;
use crate::rows::metric_number;
use study::rule::{Clause, Comparison, Expression, Rule, Subject};
use terms::{Phase, Verdict};

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
    decision.is_reconciliation = true;
    let each = sums.iter().zip(values).map(|(sum, value)| format!("{} = {}", written(sum), value.value));
    let counts = ("counts", Arg::Text(each.collect::<Vec<_>>().join(", ")));
    let least = values.iter().map(|value| value.value).fold(f64::INFINITY, f64::min);
    let most = values.iter().map(|value| value.value).fold(f64::NEG_INFINITY, f64::max);
    decision.reason = match decision.verdict {
        Verdict::NotMet => reason("counts_differ", args([counts, ("difference", Arg::Count(most - least))])),
        _ => reason("reconciled", args([counts])),
    };
}

/// A watched counter of which no value was read before the load, or none after it, has grown by more than what was seen:
/// a difference may be that alone.
pub(super) fn check_ends(decision: &mut Decision, sums: &[Expression], index: &Index<'_>, scope: &ScopeOf<'_>) {
    if !decision.is_reconciliation || decision.verdict != Verdict::NotMet {
        return;
    }
    let counted = watched(sums, index, scope);
    if counted.iter().any(|counted| counted.is_begin_unseen || !counted.begins_unseen.is_empty()) {
        decision.withdraw("not_counted_before", []);
    } else if counted.iter().any(|counted| counted.is_end_unseen) {
        decision.withdraw("not_counted_after", []);
    }
}

/// Whether a difference stays although the run was cut short: the load was ended and drained, nothing was left open or
/// cut off, and what is watched was counted until it stood still.
pub(super) fn is_final(
    decision: &Decision,
    clause: &Clause,
    rule: &Rule,
    index: &Index<'_>,
    scope: &ScopeOf<'_>,
) -> bool {
    let Clause::Compare { sums, .. } = clause else { return false };
    if !decision.is_reconciliation || decision.verdict != Verdict::NotMet || !is_drained(index, scope) {
        return false;
    }
    let window = rule.window.unwrap_or_else(|| default_window(rule));
    let is_all = window.phase.is_none() && window.part.is_none();
    let metrics = sums.iter().flat_map(Expression::statistics);
    let metrics = metrics.filter(|statistic| matches!(statistic.series.subject, Subject::Metric { .. })).count();
    let counted = watched(sums, index, scope);
    metrics == 0 || (is_all && !counted.is_empty() && counted.iter().all(|counted| counted.is_still))
}

/// Every load of the scope has ended, its drain too, and each of its iterations has an end of its own.
fn is_drained(index: &Index<'_>, scope: &ScopeOf<'_>) -> bool {
    let steps = &index.evidence.steps;
    let own = scope.rests_on();
    let mut loads = steps.iter().filter(|step| own.contains(&step.number) && step.phase.has_load()).peekable();
    loads.peek().is_some()
        && loads.all(|load| {
            let books = index.books(load.number);
            let is_drain = |step: &&crate::evidence::StepSpan| {
                (step.scenario, step.phase) == (load.scenario, Phase::Drain)
                    && index.repetition(step) == index.repetition(load)
            };
            load.is_ended
                && books.open() == 0
                && books.aborted == 0
                && steps.iter().find(is_drain).is_some_and(|drain| drain.is_ended)
        })
}

/// What was counted of each watched metric that some sums name.
fn watched<'a>(sums: &[Expression], index: &Index<'_>, scope: &'a ScopeOf<'_>) -> Vec<&'a Counted> {
    let figures = || std::iter::once(&*scope.figures).chain(scope.elsewhere.iter());
    let of = |statistic: &study::rule::Statistic| -> Option<&'a Counted> {
        let Subject::Metric { monitor, metric } = &statistic.series.subject else { return None };
        let ((monitor, metric), _) = metric_number(index, &(monitor.clone(), metric.clone()))?;
        let own = statistic.series.scenario;
        let mut there = figures().filter(|figures: &&Figures| own.is_none_or(|own| own == figures.scenario));
        there.find_map(|figures| figures.counted.get(&(monitor as u16, metric as u16)))
    };
    sums.iter().flat_map(Expression::statistics).filter_map(of).collect()
}

/// A sum as it is written, without the word that says it is counted.
fn written(sum: &Expression) -> String {
    match sum {
        Expression::Binary { operator, left, right } => format!("{} {operator} {}", written(left), written(right)),
        Expression::Statistic(statistic) => statistic.series.text.clone(),
        number => shown(number),
    }
}
