//! Whose the time of the machine's processors was: the system's, the generator's, or that of other programs.

mod once;

use crate::evidence::StepSpan;
use crate::row::Points;
use crate::rows::Index;
use crate::validity;
use contract::{FactRole, Role};
use std::collections::BTreeMap;

/// Values of a metric within a step, by instance; none of them empty.
pub(crate) fn samples(index: &Index<'_>, metric: (usize, usize), span: &StepSpan) -> BTreeMap<String, Vec<f64>> {
    let of = |(instance, points): (&str, Points)| {
        let values: Vec<f64> = points.into_iter().filter_map(|(_, value)| value).collect();
        (!values.is_empty()).then(|| (instance.to_owned(), values))
    };
    index.samples(metric, span.from..span.to).into_iter().filter_map(of).collect()
}

/// Cores of the machine that the load comes from, as captured; 1 to 100 000.
pub(crate) fn cores(index: &Index<'_>) -> Option<f64> {
    cores_on(index, "")
}

/// Cores of the machine that monitors watch over ssh under this address; without one, of that which the load comes from.
pub(crate) fn cores_on(index: &Index<'_>, on: &str) -> Option<f64> {
    let monitors = &index.head().monitors;
    let is_there =
        |subject: &str| monitors.iter().find(|known| known.name == subject).map_or("", |known| known.on.as_str()) == on;
    let facts = index.head().facts_of(FactRole::Cores).filter(|(subject, ..)| is_there(subject));
    let mut cores = facts.filter_map(|(_, _, value)| {
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
/// machine, one process of the system at least and the generator were all seen. Other machines have no part in it, nor have
/// load nodes on them.
pub(crate) fn shared(index: &Index<'_>, span: &StepSpan) -> Option<Shared> {
    let cores = cores(index)?;
    let mut busy: Option<f64> = None;
    let mut processes: BTreeMap<String, f64> = BTreeMap::new();
    let mut generator: Option<f64> = None;
    for (number, monitor) in index.head().monitors.iter().enumerate().filter(|(_, monitor)| monitor.is_here()) {
        for (place, metric) in monitor.metrics.iter().enumerate() {
            if metric.kind != "gauge" || metric.role() != Some(Role::Processor) {
                continue;
            }
            for (instance, values) in samples(index, (number, place), span) {
                let mean = mean(&values);
                match metric.unit.as_str() {
                    "share" => busy = Some(busy.unwrap_or(0.0).max(mean * cores)),
                    "cores" if monitor.name == GENERATOR => {
                        let own = if is_here(index, &instance) { mean } else { 0.0 };
                        generator = Some(generator.unwrap_or(0.0) + own);
                    }
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
    let generator = if is_in_group(index, &processes) { 0.0 } else { generator };
    let own = once::counted_once(&processes, index.head()) + generator;
    busy.filter(|_| !processes.is_empty()).map(|busy| Shared { cores, busy, own })
}

/// Whether the generator's process of this name, or that of a node, ran on the machine that conducted the run.
fn is_here(index: &Index<'_>, instance: &str) -> bool {
    let node = index.head().nodes.iter().find(|node| node.name == instance);
    // Without a server over which to meet they were children of whoever conducted the run.
    node.is_none_or(|node| node.is_here || index.head().meeting.is_none())
}

/// Whether figures of a watched group are of the generator, too, as `cgroup` captures it.
fn is_in_group(index: &Index<'_>, processes: &BTreeMap<String, f64>) -> bool {
    let facts = index.head().facts.iter().chain(&index.head().facts_end);
    let mut shared = facts.filter(|(_, name, value)| name == "also in the group" && value.starts_with("loadproof"));
    shared.any(|(instance, ..)| processes.contains_key(instance))
}

/// Processor time that was taken from the generator in a step, share: on the machine that lost most of it among those that
/// drove the load. As the generator saw it, else another monitor of the machine.
pub(crate) fn stolen(index: &Index<'_>, span: &StepSpan) -> Option<f64> {
    let of = |metric: Option<(usize, usize)>| {
        let means: BTreeMap<String, f64> =
            samples(index, metric?, span).into_iter().map(|(name, values)| (name, mean(&values))).collect();
        let nodes = index.head().nodes.iter().filter(|node| node.threads > 0);
        let driving = nodes.filter_map(|node| means.get(&node.name)).copied().reduce(f64::max);
        driving.or_else(|| means.into_values().reduce(f64::max))
    };
    of(validity::stolen_of(index, true)).or_else(|| of(validity::stolen_of(index, false)))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The monitor of the generator itself.
pub(crate) const GENERATOR: &str = "generator";

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
    for (number, monitor) in index.head().monitors.iter().enumerate().filter(|(_, monitor)| monitor.is_here()) {
        // The generator's own is a share of its threads' time.
        let is_queue = |metric: &record::MetricHead| metric.role() == Some(Role::RunQueue) && metric.unit == "count";
        let Some(place) = monitor.metrics.iter().position(is_queue) else { continue };
        let Some(values) = samples(index, (number, place), span).into_values().next() else { continue };
        let name = format!("{}.{}", monitor.name, monitor.metrics[place].name);
        return Some((name, values.iter().sum::<f64>() / values.len() as f64));
    }
    None
}
