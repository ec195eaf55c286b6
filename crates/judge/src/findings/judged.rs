//! Exchanges whose figures are judged, and the figures.

use super::RuleInput;
use crate::Scope;
use crate::{ExchangeResult, LegResult, StepResult, Times};

/// Every judged exchange with its scope.
pub(super) fn judged<'a>(seen: &'a RuleInput<'_>) -> impl Iterator<Item = (Scope, &'a StepResult, &'a ExchangeResult)> {
    let holds = seen.steps.iter().filter(|step| step.phase == "hold");
    holds.flat_map(|step| step.exchanges.iter().map(move |exchange| (step.scope.within(&exchange.id), step, exchange)))
}

pub(super) fn leg<'a>(exchange: &'a ExchangeResult, outcome: &str) -> Option<&'a LegResult> {
    exchange.legs.iter().find(|leg| leg.outcome == outcome)
}

/// Response times, in a closed load service times.
pub(super) fn times(leg: &LegResult) -> Option<&Times> {
    leg.response.as_ref().or(leg.service.as_ref())
}

pub(super) fn at(times: &Times, quantile: f64) -> Option<f64> {
    times.percentiles.iter().find(|percentile| (percentile.quantile - quantile).abs() < 1e-9).map(|found| found.value)
}
