//! Resources that were watched: how busy they were, what one iteration takes of them, how much more they allow.

use super::limits;
use crate::evidence::StepSpan;
use crate::levels::{Family, Level};
use crate::rows::Index;
use std::collections::BTreeMap;

/// Gauges of a share of time that are a utilisation.
const SHARES: [&str; 2] = ["cpu", "disk_busy"];
/// Different loads that a line of utilisation over throughput needs.
const LEVELS_MIN: usize = 3;

/// A watched resource in one hold.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceUse {
    /// `host.cpu`.
    pub metric: String,
    /// The instance.
    pub instance: String,
    /// Mean utilisation, share of all its servers; processor time of a process is held against all cores of the machine.
    pub utilisation: f64,
    /// Greatest sample.
    pub peak: f64,
    /// What one iteration takes of it, seconds of one server: from a line over three or more loads, else utilisation
    /// over throughput.
    pub demand_s: Option<f64>,
    /// Throughput at which it would reach 90 %, a second; `None` where its use does not grow with throughput.
    pub throughput_at_limit: Option<f64>,
    /// Whether the two before come from one load only, so that its idle use is taken as part of the demand.
    pub is_one_load: bool,
    /// Servers: cores, or 1 for a disk.
    pub servers: f64,
    /// Whether it is seen of the whole machine; else of one process.
    pub is_machine: bool,
}

/// Every utilisation that was watched in a hold, busiest first.
pub(super) fn resources(index: &Index<'_>, span: &StepSpan, level: &Level, family: &Family) -> Vec<ResourceUse> {
    let cores = cores(index);
    let mut found = Vec::new();
    for (number, monitor) in index.head().monitors.iter().enumerate() {
        for (place, metric) in monitor.metrics.iter().enumerate() {
            let is_share = metric.unit == "share" && SHARES.contains(&metric.name.as_str());
            let is_cores = metric.unit == "cores" && metric.name == "cpu";
            if metric.kind != "gauge" || !(is_share || is_cores) {
                continue;
            }
            let servers = if metric.name == "cpu" { cores.unwrap_or(1.0) } else { 1.0 };
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
                    is_one_load: true,
                    servers,
                    is_machine: is_share,
                };
                demand(index, (number, place), divisor, level, family, &mut entry);
                found.push(entry);
            }
        }
    }
    found.sort_by(|a, b| b.utilisation.total_cmp(&a.utilisation));
    found
}

/// Slope of utilisation over throughput where there are three loads or more, else their quotient at this one.
fn demand(
    index: &Index<'_>,
    metric: (usize, usize),
    divisor: f64,
    level: &Level,
    family: &Family,
    entry: &mut ResourceUse,
) {
    let mut points = Vec::new();
    for other in &family.levels {
        let Some(span) = index.evidence.steps.iter().find(|span| span.number == other.step) else { continue };
        let Some(values) = samples(index, metric, span).remove(&entry.instance) else { continue };
        let mean = values.iter().sum::<f64>() / values.len() as f64 / divisor;
        points.push((other.throughput_per_s, mean * entry.servers));
    }
    if family.loads().len() >= LEVELS_MIN
        && let Ok(line) = stats::bottleneck::regress(&points, 0.95)
    {
        entry.is_one_load = false;
        if line.slope.low > 0.0 {
            entry.demand_s = Some(line.slope.value);
            let background = line.intercept.value.max(0.0);
            let limit = limits::SATURATED * entry.servers;
            entry.throughput_at_limit = stats::bottleneck::throughput_at(limit, background, line.slope.value).ok();
        }
        return;
    }
    let busy = entry.utilisation * entry.servers;
    entry.demand_s = stats::bottleneck::demand_s(busy, level.throughput_per_s).ok().filter(|demand| *demand > 0.0);
    let limit = limits::SATURATED * entry.servers;
    entry.throughput_at_limit =
        entry.demand_s.and_then(|demand| stats::bottleneck::throughput_at(limit, 0.0, demand).ok());
}

/// Values of a metric within a step, by instance; none of them empty.
pub(super) fn samples(index: &Index<'_>, metric: (usize, usize), span: &StepSpan) -> BTreeMap<String, Vec<f64>> {
    let mut found: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let is_ours = |row: &&record::SampleRow| {
        (usize::from(row.monitor), usize::from(row.metric)) == metric && span.from <= row.at && row.at < span.to
    };
    for row in index.evidence.samples.iter().filter(is_ours) {
        if let Some(value) = row.value.filter(|value| value.is_finite()) {
            found.entry(row.instance.clone()).or_default().push(value);
        }
    }
    found
}

/// Cores of the machine, as captured; 1 to 100 000.
pub(super) fn cores(index: &Index<'_>) -> Option<f64> {
    let facts = index.head().facts.iter().chain(&index.head().facts_end);
    let mut cores = facts.filter(|(_, name, _)| name == "cores").filter_map(|(_, _, value)| {
        let digits: String = value.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<f64>().ok().filter(|cores| (1.0..=100_000.0).contains(cores))
    });
    cores.next()
}
