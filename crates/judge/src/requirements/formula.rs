//! The value of a sum by itself: what `capacity` asks for.

use super::scopes::{ScopeOf, scopes};
use crate::Scope;
use crate::evaluate::{Evaluator, NoValue, Value};
use crate::rows::{Index, joined, seconds_within};
use crate::times::{BATCHES, CONFIDENCE};
use std::collections::BTreeMap;
use study::rule::{Clause, Expression, Function, Rule, Scope as Split, Subject, What};

/// A formula's value, with what it rests on.
pub(crate) struct FormulaValue {
    /// `nominal/hold`.
    pub(crate) scope: Scope,
    /// The value, or why there is none.
    pub(crate) value: Result<Value, NoValue>,
    /// 95 % interval of a rate of what succeeded, from batches of seconds.
    pub(crate) interval: Option<(f64, f64)>,
    /// What stands in it, in the order written: text and value.
    pub(crate) operands: Vec<(String, Value)>,
    /// Steps it rests on.
    pub(crate) steps: Vec<u32>,
    /// Those of them that it is about: without those of other parts and scenarios that the formula names.
    pub(crate) own_steps: Vec<u32>,
    /// Whether the run ended before all of its window was seen.
    pub(crate) is_cut: bool,
}

/// Evaluates the one sum of a rule in a scenario. `None` where the rule is no such sum.
pub(crate) fn formula(index: &Index<'_>, scenario: usize, rule: &Rule) -> Option<FormulaValue> {
    scopes(index, scenario, rule).first().and_then(|scope| in_scope(index, rule, scope))
}

/// The same in each hold of the scenario.
pub(crate) fn formulas(index: &Index<'_>, scenario: usize, rule: &Rule) -> Vec<FormulaValue> {
    let rule = Rule { per: vec![Split::Step], ..rule.clone() };
    scopes(index, scenario, &rule).iter().filter_map(|scope| in_scope(index, &rule, scope)).collect()
}

fn in_scope(index: &Index<'_>, rule: &Rule, scope: &ScopeOf<'_>) -> Option<FormulaValue> {
    let [Clause::Compare { sums, .. }] = &rule.clauses[..] else { return None };
    let sum = sums.first()?;
    let evaluator = Evaluator {
        head: index.head(),
        figures: &scope.figures,
        elsewhere: &scope.elsewhere,
        exchange: None,
        instance: None,
        stream: None,
    };
    let value = if scope.pieces.is_empty() { Err(NoValue::NoSamples) } else { evaluator.expression(sum) };
    let operand = |part: &Expression| Some((shown(part), evaluator.expression(part).ok()?));
    Some(FormulaValue {
        interval: interval(index, sum, scope),
        value,
        operands: sum.leaves().into_iter().filter_map(operand).collect(),
        steps: scope.rests_on(),
        own_steps: scope.steps(),
        is_cut: scope.is_cut,
        scope: scope.base.clone(),
    })
}

/// A number or a statistic as the study would write it.
pub(super) fn shown(part: &Expression) -> String {
    let Expression::Statistic(statistic) = part else {
        let Expression::Number(quantity) = part else { return String::new() };
        return quantity.to_string();
    };
    let word = match statistic.function {
        Function::Percentile(quantile) => format!("p{}", quantile * 100.0),
        function => format!("{function:?}").to_lowercase(),
    };
    format!("{word}({})", statistic.series.text)
}

/// The interval of a rate of what succeeded: the seconds' counts in 30 batches, Student's t.
fn interval(index: &Index<'_>, sum: &Expression, scope: &ScopeOf<'_>) -> Option<(f64, f64)> {
    let Expression::Statistic(statistic) = sum else { return None };
    let Subject::Exchanges { exchanges, leg, what } = &statistic.series.subject else { return None };
    if *what == What::Units {
        // Seconds know their calls, not what these carried.
        return None;
    }
    let has_legs = |number: &u16| {
        index.head().exchanges.get(usize::from(*number)).is_some_and(record::ExchangeHead::has_several_legs)
    };
    if leg.is_none() && exchanges.iter().any(has_legs) {
        return None;
    }
    if statistic.function != Function::Rate
        || statistic.series.scenario.is_some_and(|own| own != scope.figures.scenario)
    {
        return None;
    }
    let mut seconds: BTreeMap<i64, f64> = BTreeMap::new();
    for moment in joined(scope.pieces.iter().map(|piece| piece.from..piece.to)) {
        seconds.extend(seconds_within(moment.start, moment.end).map(|second| (second, 0.0)));
    }
    // Whoever was intended earlier may end within the window, so all steps of the scenario are looked at.
    for step in index.evidence.steps_of(scope.figures.scenario, None) {
        for &exchange in exchanges {
            for (second, sums) in crate::merge::sums(index, step.number, exchange, leg.unwrap_or(0)) {
                if let Some(count) = seconds.get_mut(&second) {
                    *count += sums.ended_ok as f64;
                }
            }
        }
    }
    let counts: Vec<f64> = seconds.into_values().collect();
    if counts.len() < 2 * BATCHES {
        return None;
    }
    let batch = |place: usize| {
        let part = &counts[place * counts.len() / BATCHES..(place + 1) * counts.len() / BATCHES];
        part.iter().sum::<f64>() / part.len() as f64
    };
    let means: Vec<f64> = (0..BATCHES).map(batch).collect();
    let estimate = stats::mean::estimate(&means, CONFIDENCE, 1.0).ok()?;
    let half = (estimate.high - estimate.low) / 2.0;
    let value = counts.iter().sum::<f64>() / counts.len() as f64;
    Some(((value - half).max(0.0), value + half))
}
