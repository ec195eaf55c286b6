//! Which legs there are, and which limits are counted exactly while the load runs: every one that a rule names.

use recorder::{ExchangeLayout, Layout, Measure, Threshold};
use study::rule::{Clause, Comparison, Expression, Function, Statistic, Subject, What};
use study::{Study, TRANSACTION_LEGS};
use terms::{Nanos, Quantity};

/// The layout of a study's exchanges, behind them its transactions, with the limits of all its requirements, of what the
/// healthiest step must pass, and of its abort rules.
pub fn layout(study: &Study) -> Layout {
    let legs = study.exchanges.iter().map(|exchange| exchange.legs);
    let legs = legs.chain(study.transactions.iter().map(|_| TRANSACTION_LEGS));
    let mut exchanges: Vec<ExchangeLayout> = legs.map(|legs| ExchangeLayout { legs, thresholds: Vec::new() }).collect();
    let requirements =
        study.requirements.iter().flat_map(|requirement| requirement.applies.iter().map(|applies| &applies.rule));
    let aborts: Vec<_> = study.scenarios.iter().flat_map(study::Scenario::aborts).collect();
    let others = study.capacity.rules().chain(study.search_rates());
    for clause in requirements.chain(others).chain(&aborts).flat_map(|rule| &rule.clauses) {
        for statistic in clause.statistics() {
            condition(statistic, &mut exchanges);
        }
        let Clause::Compare { sums, operators } = clause else { continue };
        for (pair, operator) in sums.windows(2).zip(operators) {
            percentile_limit(&pair[0], *operator, &pair[1], &mut exchanges);
            percentile_limit(&pair[1], turned(*operator), &pair[0], &mut exchanges);
        }
    }
    Layout::new(exchanges)
}

/// `share(x.response < 2s)` anywhere in an expression.
fn condition(statistic: &Statistic, exchanges: &mut [ExchangeLayout]) {
    if let Some((comparison, limit)) = &statistic.condition {
        add(statistic, *comparison, limit, exchanges);
    }
}

/// `p95(x.response) < 300ms` is a statement about the share above 300 ms.
fn percentile_limit(left: &Expression, operator: Comparison, right: &Expression, exchanges: &mut [ExchangeLayout]) {
    if let (Expression::Statistic(statistic), Expression::Number(limit)) = (left, right)
        && matches!(statistic.function, Function::Percentile(_))
    {
        add(statistic, operator, limit, exchanges);
    }
}

fn add(statistic: &Statistic, comparison: Comparison, limit: &Quantity, exchanges: &mut [ExchangeLayout]) {
    let Subject::Exchanges { exchanges: named, leg, what } = &statistic.series.subject else { return };
    let (Some(limit), true) = (limit.nanos(), is_time(*what)) else { return };
    let threshold = Threshold {
        leg: leg.unwrap_or(0),
        measure: if *what == What::Service { Measure::Service } else { Measure::Response },
        limit: Nanos(limit.0),
        // `> 2s` is what is not `<= 2s`, so that both are counted on the low side.
        inclusive: matches!(comparison, Comparison::AtMost | Comparison::Greater),
    };
    for number in named {
        if let Some(exchange) = exchanges.get_mut(usize::from(*number)) {
            exchange.thresholds.push(threshold);
        }
    }
}

fn is_time(what: What) -> bool {
    matches!(what, What::Itself | What::Response | What::Service)
}

fn turned(operator: Comparison) -> Comparison {
    match operator {
        Comparison::Less => Comparison::Greater,
        Comparison::AtMost => Comparison::AtLeast,
        Comparison::Greater => Comparison::Less,
        Comparison::AtLeast => Comparison::AtMost,
        Comparison::Equal => Comparison::Equal,
    }
}
