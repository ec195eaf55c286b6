//! What the page has to know of a run before it can draw it: names, and which samples are drawn.

use crate::words::short;
use follow::Sample;
use judge::validity::limits;
use record::Head;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Longest name.
const NAME_MAX: usize = 120;
/// Steps that are named; a search has a few hundred.
const STEPS_MAX: usize = 4000;
/// Series of samples that are drawn.
const SERIES_MAX: usize = 48;

/// What a metric is drawn as, by its role and unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Drawn {
    /// In cores, or as a share of a machine.
    Processor,
    Memory,
}

/// The samples that are drawn, numbered as they are first seen.
#[derive(Debug, Default)]
pub(crate) struct Series {
    known: BTreeMap<(u16, u16, String), u16>,
    told: Vec<Value>,
    /// Others, for which there was no place.
    pub(crate) left_out: usize,
}

impl Series {
    /// The number of a sample's series; `None` where it is not drawn.
    pub(crate) fn number(&mut self, sample: &Sample, head: &Head) -> Option<u16> {
        let key = (sample.monitor_number, sample.metric_number, sample.instance.clone());
        if let Some(number) = self.known.get(&key) {
            return Some(*number);
        }
        let monitor = head.monitors.get(usize::from(sample.monitor_number))?;
        let drawn = drawn(&monitor.metrics.get(usize::from(sample.metric_number))?.role)?;
        if self.told.len() >= SERIES_MAX {
            self.left_out += 1;
            return None;
        }
        let number = self.told.len() as u16;
        self.told.push(json!({
            "drawn": match drawn { Drawn::Processor => "processor", Drawn::Memory => "memory" },
            "instance": short(&sample.instance, NAME_MAX),
            "monitor": short(&sample.monitor, NAME_MAX),
            "unit": short(&sample.unit, NAME_MAX),
        }));
        self.known.insert(key, number);
        Some(number)
    }

    pub(crate) fn json(&self) -> &[Value] {
        &self.told
    }

    pub(crate) fn len(&self) -> usize {
        self.told.len()
    }
}

fn drawn(role: &str) -> Option<Drawn> {
    match role {
        "processor" => Some(Drawn::Processor),
        "memory" | "machine_memory" => Some(Drawn::Memory),
        _ => None,
    }
}

/// The run's names, and the limits of the generator's health.
pub(crate) fn about(head: &Head, series: &Series) -> Value {
    let name = |text: &str| short(text, NAME_MAX);
    let step = |step: &record::StepHead| {
        let scenario = head.scenarios.get(usize::from(step.scenario)).map_or("", |scenario| &scenario.name);
        let part = head.part_of(step).unwrap_or("");
        json!({
            "scenario": name(scenario), "part": name(part), "id": name(&step.id), "phase": name(&step.phase),
            "seconds": step.seconds, "from": step.offered_from, "to": step.offered_to,
        })
    };
    json!({
        "id": name(&head.id), "study": name(&head.study), "system": name(&head.system), "started": name(&head.started),
        "version": name(&head.version), "threads": head.workers, "trial": head.trial.is_some(),
        "steps": head.steps.iter().take(STEPS_MAX).map(step).collect::<Vec<_>>(),
        "series": series.json(),
        "limits": {
            "lateness_ms": limits::LATENESS_QUESTIONABLE_MS, "lateness_invalid_ms": limits::LATENESS_INVALID_MS,
            "run_queue": limits::RUN_QUEUE_QUESTIONABLE, "cores_full": limits::CORES_FULL,
        },
    })
}

/// Name of an exchange's leg; of the exchange alone where it has but one.
pub(crate) fn leg_name(head: &Head, exchange: u16, leg: u16) -> String {
    let known = head.exchanges.get(usize::from(exchange));
    let exchange_name = known.map_or_else(|| format!("#{exchange}"), |known| short(&known.name, NAME_MAX));
    match known.and_then(|known| known.legs.get(usize::from(leg))) {
        Some(_) if known.is_some_and(|known| known.legs.len() == 1) => exchange_name,
        Some(leg) => format!("{exchange_name} · {}", short(&leg.name, NAME_MAX)),
        None => format!("{exchange_name} · #{leg}"),
    }
}
