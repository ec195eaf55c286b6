//! The monitor: all instances, one after another.

use crate::config::From;
use crate::instance::{Instance, Setting};
use clock::Clock;
use contract::{Facts, Failure, Monitor, MonitorSettings, Samples};
use terms::Nanos;

/// Watches the Java virtual machines of some instances.
pub(crate) struct Jvms {
    instances: Vec<Instance>,
    setting: Setting,
}

impl Jvms {
    pub(crate) fn new(settings: &MonitorSettings, from: From) -> Self {
        let setting = Setting {
            from,
            every: settings.every,
            clock: Clock::system(),
            ticks_per_second: rustix::param::clock_ticks_per_second() as f64,
            booted: booted(&std::fs::read_to_string("/proc/stat").unwrap_or_default()),
        };
        Self { instances: settings.instances.iter().map(Instance::new).collect(), setting }
    }
}

/// Start of the machine, seconds since 1970.
fn booted(stat: &str) -> Option<i64> {
    stat.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()
}

impl Monitor for Jvms {
    fn facts(&mut self, out: &mut Facts) {
        for instance in &mut self.instances {
            instance.facts(&self.setting, out);
        }
    }

    fn sample(&mut self, at: Nanos, out: &mut Samples) -> Result<(), Failure> {
        let mut is_any = false;
        for instance in &mut self.instances {
            let is_read = instance.sample(at, &self.setting, out);
            is_any |= is_read;
            // Not every instance of a system is a Java program; one that was is missing.
            if !is_read && instance.had_machine() {
                let number = out.instance(instance.name());
                out.missing(number, instance.why.clone());
            }
        }
        if is_any {
            return Ok(());
        }
        let why: Vec<&str> = self.instances.iter().map(|instance| instance.why.as_str()).collect();
        let why = if why.is_empty() { "no instance is watched".to_owned() } else { why.join("; ") };
        Err(Failure::new(why))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_of_the_machine() {
        assert_eq!(booted("cpu 1 2\nbtime 1700000000\nprocesses 5\n"), Some(1_700_000_000));
        assert_eq!(booted("btime x"), None);
    }
}
