//! Figures of a step, and what could not be seen of it.

use super::{Candidate, HealthStep, Round};
use crate::StepResult;
use crate::evidence::StepSpan;
use crate::findings::RISE_SECONDS;
use crate::processors::{GENERATOR, cores_on, samples, shared};
use crate::rows::Index;
use contract::Role;

/// How busy a processor was.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcessorUse {
    /// `host.cpu`.
    pub metric: String,
    pub instance: String,
    /// Mean, share of all cores.
    pub share: f64,
}

/// The busiest processor in any of these holds. That of the generator is not the system's, and that of the machine says
/// nothing of it where other programs kept it busy.
pub(super) fn processor<'a>(
    index: &Index<'_>,
    holds: impl Iterator<Item = &'a (&'a StepSpan, &'a StepResult)>,
) -> Option<ProcessorUse> {
    let mut found: Option<ProcessorUse> = None;
    for (span, _) in holds {
        let is_others = shared(index, span).is_some_and(|shared| shared.is_others());
        for (number, monitor) in index.head().monitors.iter().enumerate().filter(|(_, it)| it.name != GENERATOR) {
            let (all_cores, is_others) = (cores_on(index, &monitor.on), is_others && monitor.is_here());
            for (place, metric) in monitor.metrics.iter().enumerate() {
                if metric.kind != "gauge" || metric.role() != Some(Role::Processor) {
                    continue;
                }
                let divisor = match (metric.unit.as_str(), all_cores) {
                    ("share", _) if !is_others => 1.0,
                    ("cores", Some(cores)) => cores,
                    _ => continue,
                };
                for (instance, values) in samples(index, (number, place), span) {
                    let share = values.iter().sum::<f64>() / values.len() as f64 / divisor;
                    if found.as_ref().is_none_or(|known| known.share < share) {
                        let metric = format!("{}.{}", monitor.name, metric.name);
                        found = Some(ProcessorUse { metric, instance, share });
                    }
                }
            }
        }
    }
    found
}

/// Of all that was planned, the share that failed or was never sent.
pub(super) fn failed_share<'a>(rounds: impl Iterator<Item = &'a Round<'a>>) -> Option<f64> {
    let (bad, planned) = rounds
        .map(Round::books)
        .fold((0, 0), |(bad, planned), books| (bad + books.failed + books.dropped, planned + books.intended));
    (planned > 0).then(|| bad as f64 / planned as f64)
}

/// The highest p95 of what succeeded in the first leg of its exchanges, ms.
pub(super) fn p95_ms(index: &Index<'_>, candidate: &Candidate<'_>) -> Option<f64> {
    let holds = candidate.rounds.iter().flat_map(|round| &round.holds);
    let exchanges = holds.flat_map(|(_, step)| &step.exchanges);
    let p95 = |exchange: &crate::ExchangeResult| {
        let head = index.head().exchanges.iter().find(|head| head.name == exchange.id)?;
        let first = head.legs.first()?;
        let leg = exchange.legs.iter().find(|leg| leg.outcome == "ok" && leg.id == first.name)?;
        let times = leg.response.as_ref().or(leg.service.as_ref())?;
        times.percentiles.iter().find(|known| known.quantile == 0.95).map(|known| known.value)
    };
    exchanges.filter_map(p95).reduce(f64::max)
}

/// Virtual users, or planned iterations a second; in a mix those of all parts.
pub(super) fn load(index: &Index<'_>, candidate: &Candidate<'_>) -> (f64, bool) {
    let Some(round) = candidate.rounds.first() else { return (0.0, false) };
    if round.holds.iter().all(|(_, step)| step.users.is_some()) {
        return (round.holds.iter().filter_map(|(_, step)| step.users).map(f64::from).sum(), true);
    }
    let planned = |(span, step): &(&StepSpan, &StepResult)| {
        let planned = index.planned_step(span).and_then(|planned| planned.offered_from.zip(planned.offered_to));
        planned.filter(|(from, to)| from == to && *from > 0.0).map_or(step.offered_per_s, |(rate, _)| rate)
    };
    (round.holds.iter().map(planned).sum(), false)
}

/// What was not watched, or not for long enough to tell anything: codes of [`crate::catalogue::UNSEEN`].
pub(super) fn unseen(index: &Index<'_>, candidate: &Candidate<'_>, step: &HealthStep) -> Vec<&'static str> {
    let is_memory = |metric: &record::MetricHead| {
        let is_held = !metric.role().is_some_and(Role::is_not_held);
        metric.kind == "gauge" && metric.unit == "bytes" && metric.of.is_none() && is_held
    };
    let monitors = index.head().monitors.iter().filter(|monitor| monitor.name != GENERATOR);
    let has_memory = monitors.flat_map(|monitor| &monitor.metrics).any(is_memory);
    let is_short = candidate.rounds.iter().any(|round| round.seconds() < RISE_SECONDS);
    let is_trial = index.head().trial.is_some();
    let mut found = Vec::new();
    if !has_memory {
        found.push("memory");
    } else if is_short && !is_trial {
        found.push("memory_short");
    }
    if step.processor.is_none() {
        found.push("processor");
    }
    if is_trial {
        found.push("trial");
    }
    found
}
