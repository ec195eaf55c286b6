//! The monitor: one scan of the machine's processes, all instances from it.

use crate::facts;
use crate::instance::{Cost, Instance, Machine};
use clock::Clock;

use contract::{Facts, Failure, Monitor, MonitorSettings, Samples};
use terms::Nanos;

/// Watches the process trees of some instances.
pub(crate) struct Processes {
    name: String,
    instances: Vec<Instance>,
    machine: Machine,
    cost: Cost,
}

impl Processes {
    pub(crate) fn new(settings: &MonitorSettings) -> Self {
        let machine = Machine {
            ticks_per_second: rustix::param::clock_ticks_per_second() as f64,
            page_bytes: rustix::param::page_size() as u64,
            memory_bytes: memory_bytes(),
            clock: Clock::system(),
        };
        let instances = settings.instances.iter().map(|watched| Instance::new(watched, &machine)).collect();
        Self { name: settings.name.clone(), instances, machine, cost: Cost::default() }
    }
}

/// The machine's memory; without bound when it cannot be read, so that every limit counts.
fn memory_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:")?.trim().strip_suffix("kB"));
    total.and_then(|total| total.trim().parse::<u64>().ok()?.checked_mul(1024)).unwrap_or(u64::MAX)
}

impl Monitor for Processes {
    fn facts(&mut self, out: &mut Facts) {
        for instance in &self.instances {
            instance.facts(self.machine.ticks_per_second, out);
        }
        out.fact(&self.name, &facts::RATES, facts::REAL_TIME);
        out.fact(&self.name, &facts::TICKS, self.machine.ticks_per_second.to_string());
        if let Some(cost) = self.cost.in_words() {
            out.fact(&self.name, &facts::SAMPLE_COST, cost);
        }
    }

    fn sample(&mut self, at: Nanos, out: &mut Samples) -> Result<(), Failure> {
        if !self.instances.iter().any(Instance::can_be_watched) {
            let names: Vec<_> = self.instances.iter().map(|instance| format!("`{}`", instance.name)).collect();
            let names = if names.is_empty() { "no instance".to_owned() } else { names.join(", ") };
            return Err(Failure::new(format!(
                "{names}: none is a process of this machine; start it with `start`, or leave it out with `of`"
            )));
        }
        let began = self.machine.clock.now();
        let scan = processes::scan().map_err(|error| Failure::new(format!("`/proc` cannot be read: {error}")))?;
        for instance in &mut self.instances {
            instance.sample(at, &scan, &self.machine, out);
        }
        self.cost.add(self.machine.clock.now() - began);
        Ok(())
    }
}
