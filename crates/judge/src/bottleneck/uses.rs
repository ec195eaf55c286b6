//! Resources that were watched: how busy they were, what one iteration takes of them, how much more they allow.

use super::limits;
use crate::evidence::StepSpan;
use crate::levels::{Family, Level};
use crate::processors::{cores_on, samples};
use crate::rows::Index;
use contract::Role;
use terms::Phase;

/// Different loads that a line of utilisation over throughput needs.
const LEVELS_MIN: usize = 3;

/// A watched resource in one hold.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceUse {
    /// `host.cpu`.
    pub metric: String,
    pub instance: String,
    /// Mean utilisation, share of all its servers; processor time of a process is held against all cores of the machine.
    pub utilisation: f64,
    /// Greatest sample.
    pub peak: f64,
    /// What one iteration takes of it, seconds of one server: from a line over three or more loads, else utilisation
    /// above that of the idle time before, over throughput.
    pub demand_s: Option<f64>,
    /// Throughput at which it would reach 90 %, a second; `None` where its use does not grow with throughput, or where
    /// more than that was measured.
    pub throughput_at_limit: Option<f64>,
    /// Whether its idle use is taken as part of the demand: there are fewer than three loads, and no idle time.
    pub is_idle_included: bool,
    /// Servers: cores, or 1 for a disk.
    pub servers: f64,
    /// Whether it is seen of the whole machine; else of one process.
    pub is_machine: bool,
    /// Whether it is processor time.
    pub is_processor: bool,
}

/// Every utilisation that was watched in a hold, busiest first.
pub(super) fn resources(index: &Index<'_>, span: &StepSpan, level: &Level, family: &Family) -> Vec<ResourceUse> {
    let mut found = Vec::new();
    for (number, monitor) in index.head().monitors.iter().enumerate() {
        let cores = cores_on(index, &monitor.on);
        for (place, metric) in monitor.metrics.iter().enumerate() {
            let is_processor = metric.role() == Some(Role::Processor);
            let is_share = metric.unit == "share" && (is_processor || metric.role() == Some(Role::Busy));
            let is_cores = metric.unit == "cores" && is_processor;
            if metric.kind != "gauge" || !(is_share || is_cores) {
                continue;
            }
            let servers = if is_processor { cores.unwrap_or(1.0) } else { 1.0 };
            if is_cores && cores.is_none() {
                continue;
            }
            let divisor = if is_cores { servers } else { 1.0 };
            for (instance, values) in samples(index, (number, place), span) {
                let mean = values.iter().sum::<f64>() / values.len() as f64 / divisor;
                let peak = values.iter().copied().fold(0.0, f64::max) / divisor;
                let mut entry = ResourceUse {
                    metric: format!("{}.{}", monitor.name, metric.name),
                    instance,
                    utilisation: mean,
                    peak,
                    demand_s: None,
                    throughput_at_limit: None,
                    is_idle_included: true,
                    servers,
                    is_machine: is_share,
                    is_processor,
                };
                demand(index, (number, place), divisor, (span, level, family), &mut entry);
                found.push(entry);
            }
        }
    }
    found.sort_by(|a, b| b.utilisation.total_cmp(&a.utilisation));
    found
}

/// Slope of utilisation over throughput where there are three loads or more, else the quotient at this one.
fn demand(
    index: &Index<'_>,
    metric: (usize, usize),
    divisor: f64,
    (span, level, family): (&StepSpan, &Level, &Family),
    entry: &mut ResourceUse,
) {
    let limit = limits::SATURATED * entry.servers;
    let busy_in = |span: &StepSpan, least: usize| {
        let values = samples(index, metric, span).remove(&entry.instance).filter(|values| values.len() >= least)?;
        Some(values.iter().sum::<f64>() / values.len() as f64 / divisor * entry.servers)
    };
    let lies_above = |rate: &f64| *rate > level.throughput_per_s;
    if family.loads().len() >= LEVELS_MIN {
        let point = |other: &Level| {
            let span = index.evidence.steps.iter().find(|span| span.number == other.step)?;
            Some((other.throughput_per_s, busy_in(span, 1)?))
        };
        let points: Vec<(f64, f64)> = family.levels.iter().filter_map(point).collect();
        if let Ok(line) = stats::bottleneck::regress(&points, 0.95) {
            entry.is_idle_included = false;
            if line.slope.low > 0.0 {
                entry.demand_s = Some(line.slope.value);
                let background = line.intercept.value.max(0.0);
                let at_limit = stats::bottleneck::throughput_at(limit, background, line.slope.value).ok();
                entry.throughput_at_limit = at_limit.filter(lies_above);
            }
            return;
        }
    }
    // The idle time of the same scenario: what is used without load is not a demand of an iteration.
    let idle = index.evidence.steps.iter().find(|other| other.phase == Phase::Idle && other.scenario == span.scenario);
    let idle = idle.and_then(|idle| busy_in(idle, limits::IDLE_SAMPLES));
    entry.is_idle_included = idle.is_none();
    let idle = idle.unwrap_or(0.0);
    let busy = (entry.utilisation * entry.servers - idle).max(0.0);
    entry.demand_s = stats::bottleneck::demand_s(busy, level.throughput_per_s).ok().filter(|demand| *demand > 0.0);
    let at_limit = entry.demand_s.and_then(|demand| stats::bottleneck::throughput_at(limit, idle, demand).ok());
    entry.throughput_at_limit = at_limit.filter(lies_above);
}
