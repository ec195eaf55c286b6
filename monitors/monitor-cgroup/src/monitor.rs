//! The monitor: all instances, one after another.

use crate::config::Config;
use crate::facts::SHARED;
use crate::group::Tree;
use crate::instance::{Instance, Setting, Source};
use clock::Clock;
use contract::{Event, Facts, Failure, Monitor, MonitorSettings, Samples};
use terms::Nanos;

/// Part of its period that all containers together may take to answer.
const PATIENCE: i64 = 2;

/// Watches the groups of some instances.
pub(crate) struct Groups {
    name: String,
    instances: Vec<Instance>,
    setting: Setting,
    tree: Option<Tree>,
    is_told: bool,
}

impl Groups {
    pub(crate) fn new(settings: &MonitorSettings, config: Config) -> Self {
        let count = settings.instances.len().max(1) as i64;
        let setting = Setting {
            clock: Clock::system(),
            ticks_per_second: rustix::param::clock_ticks_per_second() as f64,
            patience: Nanos(settings.every.0 / PATIENCE / count).max(Nanos::from_millis(10)),
        };
        let (sources, tree): (Vec<Source>, _) = match config {
            Config::OfProcess(tree) => {
                (settings.instances.iter().map(|_| Source::Process(tree.clone())).collect(), Some(tree))
            }
            Config::Paths(tree, paths) => {
                (paths.into_iter().map(|path| Source::Path(tree.clone(), path)).collect(), Some(tree))
            }
            Config::Docker(containers) => (containers.into_iter().map(Source::Docker).collect(), None),
        };
        let instances = settings.instances.iter().zip(sources).map(|(watched, source)| Instance::new(watched, source));
        Self { name: settings.name.clone(), instances: instances.collect(), setting, tree, is_told: false }
    }

    /// Of instances in one group the first has its figures.
    fn share(&mut self) {
        for place in 0..self.instances.len() {
            let (before, rest) = self.instances.split_at_mut(place);
            let Some(own) = &rest[0].group else { continue };
            let first = before.iter().find(|other| {
                other.shared_with.is_none() && other.group.as_ref().is_some_and(|group| group.shares(own))
            });
            rest[0].shared_with = first.map(|first| first.name.clone());
        }
    }

    /// Instances in whose group loadproof itself is.
    fn of_generator(&self) -> Vec<&str> {
        let own = self.tree.as_ref().and_then(|tree| tree.of_process(std::process::id()).ok());
        let is_shared = |instance: &&Instance| {
            own.as_ref().zip(instance.group.as_ref()).is_some_and(|(own, group)| own.shares(group))
        };
        self.instances.iter().filter(is_shared).map(|instance| instance.name.as_str()).collect()
    }
}

impl Monitor for Groups {
    fn facts(&mut self, out: &mut Facts) {
        for instance in &mut self.instances {
            instance.find(Nanos::ZERO, &self.setting);
        }
        self.share();
        for instance in &mut self.instances {
            instance.facts(&self.setting, out);
        }
        for name in self.of_generator() {
            out.fact(name, &SHARED, "loadproof itself, whose load is part of the figures");
        }
    }

    fn sample(&mut self, at: Nanos, out: &mut Samples) -> Result<(), Failure> {
        if self.instances.is_empty() {
            return Err(Failure::new("no instance is watched"));
        }
        let mut is_any = false;
        for place in 0..self.instances.len() {
            self.instances[place].find(at, &self.setting);
            self.share();
            let instance = &mut self.instances[place];
            if instance.sample(at, &self.setting, out) {
                is_any = true;
            } else if instance.is_expected() {
                let number = out.instance(&instance.name);
                out.missing(number, instance.why.clone());
            }
        }
        if !std::mem::replace(&mut self.is_told, true) {
            let shared: Vec<String> = self.of_generator().into_iter().map(|name| format!("`{name}`")).collect();
            if !shared.is_empty() {
                let text = format!(
                    "loadproof is in the control group of {}: figures of `{}` are of both together",
                    shared.join(", "),
                    self.name
                );
                let number = out.instance(&self.instances[0].name.clone());
                out.event(at, number, Event { kind: "shared_group", text });
            }
        }
        if is_any {
            return Ok(());
        }
        let why: Vec<&str> = self.instances.iter().map(|instance| instance.why.as_str()).collect();
        Err(Failure::new(why.join("; ")))
    }
}
