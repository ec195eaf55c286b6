//! Resources that were watched: how busy they were, what one iteration takes of them, how much more they allow.

use super::{limits, processes};
use crate::evidence::StepSpan;
use crate::levels::{Family, Level};
use crate::row::Points;
use crate::rows::Index;
use contract::{FactRole, Role};
use std::collections::BTreeMap;
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
    let cores = cores(index);
    let mut found = Vec::new();
    for (number, monitor) in index.head().monitors.iter().enumerate() {
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
    // The idle time of the same scenario: what is used without load is no demand of an iteration.
    let idle = index.evidence.steps.iter().find(|other| other.phase == Phase::Idle && other.scenario == span.scenario);
    let idle = idle.and_then(|idle| busy_in(idle, limits::IDLE_SAMPLES));
    entry.is_idle_included = idle.is_none();
    let idle = idle.unwrap_or(0.0);
    let busy = (entry.utilisation * entry.servers - idle).max(0.0);
    entry.demand_s = stats::bottleneck::demand_s(busy, level.throughput_per_s).ok().filter(|demand| *demand > 0.0);
    let at_limit = entry.demand_s.and_then(|demand| stats::bottleneck::throughput_at(limit, idle, demand).ok());
    entry.throughput_at_limit = at_limit.filter(lies_above);
}

/// Values of a metric within a step, by instance; none of them empty.
pub(super) fn samples(index: &Index<'_>, metric: (usize, usize), span: &StepSpan) -> BTreeMap<String, Vec<f64>> {
    let of = |(instance, points): (&str, Points)| {
        let values: Vec<f64> = points.into_iter().filter_map(|(_, value)| value).collect();
        (!values.is_empty()).then(|| (instance.to_owned(), values))
    };
    index.samples(metric, span.from..span.to).into_iter().filter_map(of).collect()
}

/// Cores of the machine, as captured; 1 to 100 000.
pub(super) fn cores(index: &Index<'_>) -> Option<f64> {
    let mut cores = index.head().facts_of(FactRole::Cores).filter_map(|(_, _, value)| {
        let digits: String = value.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<f64>().ok().filter(|cores| (1.0..=100_000.0).contains(cores))
    });
    cores.next()
}

/// Share of the processors' busy time below which it is not the system's and the generator's.
pub(crate) const OWN_LEAST: f64 = 0.5;

/// Whose the processors' time was, in cores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shared {
    /// Cores of the machine.
    pub(crate) cores: f64,
    /// Busy, whoever kept them so.
    pub(crate) busy: f64,
    /// What the watched processes and the generator used of it.
    pub(crate) own: f64,
}

impl Shared {
    /// What other programs used, share of the whole machine.
    pub(crate) fn foreign(&self) -> f64 {
        (self.busy - self.own).max(0.0) / self.cores
    }

    /// Whether most of it was other work.
    pub(crate) fn is_others(&self) -> bool {
        self.own < OWN_LEAST * self.busy
    }
}

/// The machine's processor time in a step beside that of the watched processes and the generator; `None` unless the
/// machine, one process of the system at least and the generator were all seen.
pub(crate) fn shared(index: &Index<'_>, span: &StepSpan) -> Option<Shared> {
    let cores = cores(index)?;
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let mut busy: Option<f64> = None;
    let mut processes: BTreeMap<String, f64> = BTreeMap::new();
    let mut generator: Option<f64> = None;
    for (number, monitor) in index.head().monitors.iter().enumerate() {
        for (place, metric) in monitor.metrics.iter().enumerate() {
            if metric.kind != "gauge" || metric.role() != Some(Role::Processor) {
                continue;
            }
            for (instance, values) in samples(index, (number, place), span) {
                let mean = mean(&values);
                match metric.unit.as_str() {
                    "share" => busy = Some(busy.unwrap_or(0.0).max(mean * cores)),
                    "cores" if monitor.name == GENERATOR => generator = Some(generator.unwrap_or(0.0) + mean),
                    "cores" => {
                        // Two monitors may look at the same process.
                        let known = processes.entry(instance).or_default();
                        *known = known.max(mean);
                    }
                    _ => {}
                }
            }
        }
    }
    let generator = generator.or_else(|| threads(index, span))?;
    let own = processes::counted_once(&processes, index.head()) + generator;
    busy.filter(|_| !processes.is_empty()).map(|busy| Shared { cores, busy, own })
}

/// The monitor of the generator itself.
const GENERATOR: &str = "generator";

/// Cores that the load threads used; `None` where none was seen.
fn threads(index: &Index<'_>, span: &StepSpan) -> Option<f64> {
    let seconds = crate::rows::seconds_within(span.from, span.to);
    let rows = || index.evidence.engine.iter().filter(|row| seconds.contains(&row.second));
    rows().next()?;
    let used: f64 = rows().map(|row| row.cpu_s).filter(|cpu| cpu.is_finite()).sum();
    Some(used / (seconds.end - seconds.start).max(1) as f64)
}

/// Tasks ready to run on the whole machine, mean over a step, with the name of the metric; `None` where nobody counted
/// them.
pub(crate) fn run_queue(index: &Index<'_>, span: &StepSpan) -> Option<(String, f64)> {
    for (number, monitor) in index.head().monitors.iter().enumerate() {
        // The generator's own is a share of its threads' time.
        let is_queue = |metric: &record::MetricHead| metric.role() == Some(Role::RunQueue) && metric.unit == "count";
        let Some(place) = monitor.metrics.iter().position(is_queue) else { continue };
        let Some(values) = samples(index, (number, place), span).into_values().next() else { continue };
        let name = format!("{}.{}", monitor.name, monitor.metrics[place].name);
        return Some((name, values.iter().sum::<f64>() / values.len() as f64));
    }
    None
}
