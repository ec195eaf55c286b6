//! Limits of requirements as they are drawn into figures.

use crate::input::{Context, ScenarioContext, is_in_scenario};
use judge::Scope;
use study::rule::{Clause, Comparison, Expression, Function, Statistic, Subject, What};
use terms::{Quantity, Unit};

/// A limit on times of one leg.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Limit {
    /// Name of the requirement.
    pub name: String,
    /// The limit, milliseconds.
    pub ms: f64,
    /// Which share must lie below it, where the requirement says so; 1 for a maximum.
    pub share: Option<f64>,
    /// Whether it is on service times, which begin later than response times.
    pub is_service: bool,
}

/// Limits on the times of a leg in a scenario, least first.
pub(crate) fn limits(cx: &Context<'_>, scenario: &ScenarioContext<'_>, exchange: &str, leg: &str) -> Vec<Limit> {
    let mut found = match cx.input.study {
        Some(study) => from_study(study, scenario, exchange, leg),
        None => from_results(cx, scenario, exchange, leg),
    };
    found.sort_by(|a, b| a.ms.total_cmp(&b.ms).then_with(|| a.name.cmp(&b.name)));
    found.dedup();
    found
}

/// A share of times that must lie below a limit, as a requirement asks for it in one scenario.
pub(crate) struct ShareLimit<'a> {
    /// Name of the requirement.
    pub name: &'a str,
    /// Number of the scenario.
    pub scenario: usize,
    /// The limit, milliseconds.
    pub ms: f64,
    /// Which share must lie below it.
    pub share: f64,
    /// Whether the rule's value is the share below the limit, or the one beyond it; `None` where it is a time.
    pub counts_fast: Option<bool>,
    /// Whether a call that took just the limit is beyond it: of those that must stay under it.
    pub is_beyond_at: bool,
    /// What it is of.
    pub statistic: &'a Statistic,
}

/// What a study's requirements ask of times, those that ask nothing else.
pub(crate) fn share_limits(study: &study::Study) -> Vec<ShareLimit<'_>> {
    let mut found = Vec::new();
    for requirement in &study.requirements {
        for applies in &requirement.applies {
            let [Clause::Compare { sums, operators }] = applies.rule.clauses.as_slice() else { continue };
            let ([Expression::Statistic(statistic), Expression::Number(number)], [operator]) =
                (sums.as_slice(), operators.as_slice())
            else {
                continue;
            };
            let Some((ms, Some(share))) = limit_of(statistic, *operator, number) else { continue };
            let counts = |inner: Comparison| matches!(inner, Comparison::Less | Comparison::AtMost);
            let counts_fast = statistic.condition.as_ref().map(|(inner, _)| counts(*inner));
            // "Under 2 s" has what took 2 s beyond it, and so has "2 s or more" where slow calls are counted.
            let inner = statistic.condition.as_ref().map_or(*operator, |(inner, _)| *inner);
            let is_beyond_at = matches!(inner, Comparison::Less | Comparison::AtLeast);
            let (name, scenario) = (requirement.name.as_str(), applies.scenario);
            found.push(ShareLimit { name, scenario, ms, share, counts_fast, is_beyond_at, statistic });
        }
    }
    found
}

fn from_study(study: &study::Study, scenario: &ScenarioContext<'_>, exchange: &str, leg: &str) -> Vec<Limit> {
    let mut found = Vec::new();
    for requirement in &study.requirements {
        for applies in requirement.applies.iter().filter(|each| each.scenario == usize::from(scenario.index)) {
            for clause in &applies.rule.clauses {
                let Clause::Compare { sums, operators } = clause else { continue };
                let ([Expression::Statistic(statistic), Expression::Number(number)], [operator]) =
                    (sums.as_slice(), operators.as_slice())
                else {
                    continue;
                };
                if !looks_at(study, statistic, exchange, leg) {
                    continue;
                }
                if let Some((ms, share)) = limit_of(statistic, *operator, number) {
                    let is_service = is_on_service(statistic);
                    found.push(Limit { name: requirement.name.clone(), ms, share, is_service });
                }
            }
        }
    }
    found
}

/// Whether a statistic is of the times of this leg.
pub(crate) fn looks_at(study: &study::Study, statistic: &Statistic, exchange: &str, leg: &str) -> bool {
    let Subject::Exchanges { exchanges, leg: named, what } = &statistic.series.subject else { return false };
    if !matches!(what, What::Itself | What::Response | What::Service) {
        return false;
    }
    // In a mix the exchange is that of a part: `rih/rih_1`. A rule on one part is none on another.
    let (part, name) = exchange.split_once('/').map_or((None, exchange), |(part, name)| (Some(part), name));
    let is_of_part = statistic.series.part.is_none() || part.is_none() || named_part(statistic) == part;
    if !is_of_part {
        return false;
    }
    let of_exchange = exchanges
        .iter()
        .find_map(|number| study.exchanges.get(usize::from(*number)).filter(|found| found.name == name));
    let Some(of_exchange) = of_exchange else { return false };
    let number = usize::from(named.unwrap_or(0));
    of_exchange.legs.get(number).is_none_or(|kind| kind.name == leg)
}

pub(crate) fn is_on_service(statistic: &Statistic) -> bool {
    matches!(statistic.series.subject, Subject::Exchanges { what: What::Service, .. })
}

/// The part that a series names, the last name before the exchange.
fn named_part(statistic: &Statistic) -> Option<&str> {
    statistic.series.text.rsplit('/').nth(1)
}

fn limit_of(statistic: &Statistic, operator: Comparison, number: &Quantity) -> Option<(f64, Option<f64>)> {
    let is_upper = matches!(operator, Comparison::Less | Comparison::AtMost);
    let time = |quantity: &Quantity| (quantity.unit == Unit::Time).then_some(quantity.value * 1e3);
    match (statistic.function, &statistic.condition) {
        (Function::Percentile(quantile), None) if is_upper => Some((time(number)?, Some(quantile))),
        (Function::Max, None) if is_upper => Some((time(number)?, Some(1.0))),
        (Function::Mean, None) if is_upper => Some((time(number)?, None)),
        (Function::Share, Some((inner, limit))) => {
            let counts_fast = matches!(inner, Comparison::Less | Comparison::AtMost);
            // "at least 95 % below 2 s" and "at most 5 % above 2 s" demand the same.
            match (counts_fast, is_upper) {
                (true, false) => Some((time(limit)?, Some(number.value))),
                (false, true) => Some((time(limit)?, Some(1.0 - number.value))),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Without the study: limits of results in milliseconds that rest on this leg.
fn from_results(cx: &Context<'_>, scenario: &ScenarioContext<'_>, exchange: &str, leg: &str) -> Vec<Limit> {
    let rests_on = |evidence: &String| {
        let path = evidence.strip_prefix("load:").unwrap_or(evidence);
        let Some(place) = Scope::read(path) else { return false };
        // Within the step stand exchange and leg, in a mix the part before them.
        let behind = place.inner().join("/");
        is_in_scenario(&place, scenario.name)
            && behind.strip_prefix(exchange).is_some_and(|rest| rest.is_empty() || rest.strip_prefix('/') == Some(leg))
    };
    let results = cx.input.judgement.requirements.iter();
    let timed = results.filter(|result| result.unit == "ms" && result.evidence.iter().any(rests_on));
    let limits = timed.filter_map(|result| {
        let is_service = result.rule.contains(".service");
        Some(Limit { name: result.id.clone(), ms: result.limit?, share: None, is_service })
    });
    limits.collect()
}
