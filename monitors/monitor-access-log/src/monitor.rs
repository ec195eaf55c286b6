//! The monitor: the logs of all instances, one after another.

use crate::config::{Config, Times};
use crate::facts::{FORMAT, LINES, LOG, LOGGED, LOGGED_SECONDS, NO_DURATION, READ, TIMES, UNIT};
use crate::instance::{Instance, Now};
use crate::tail::Budget;
use access_lines::Stamp;
use clock::Clock;
use contract::{Facts, Failure, Monitor, Samples};
use terms::Nanos;

/// Lines of one sample, all logs together: `watch` takes 200 000 values of one.
const LINES_MAX: usize = 150_000;
/// Bytes of one sample, all logs together.
const BYTES_MAX: usize = 128 * 1024 * 1024;

/// Follows the access logs of some instances.
pub(crate) struct Logs {
    config: Config,
    instances: Vec<Instance>,
    clock: Clock,
}

impl Logs {
    pub(crate) fn new(config: Config) -> Self {
        let instances = config.logs.iter().map(|(name, path)| Instance::new(name.clone(), path.clone())).collect();
        Self { config, instances, clock: Clock::system() }
    }

    fn times(&self) -> &'static str {
        match (self.config.times, self.config.format.stamp()) {
            (Times::Logged, Some(stamp)) if stamp.is_whole_second() => LOGGED_SECONDS,
            (Times::Logged, Some(Stamp::Any | Stamp::Common | Stamp::Epoch(_))) => LOGGED,
            _ => READ,
        }
    }
}

impl Monitor for Logs {
    fn facts(&mut self, out: &mut Facts) {
        let times = self.times();
        let unit = if self.config.format.has_duration() { self.config.unit() } else { NO_DURATION };
        for instance in &mut self.instances {
            instance.begin();
            out.fact(&instance.name, &LOG, instance.log());
            out.fact(&instance.name, &FORMAT, &self.config.shown);
            out.fact(&instance.name, &UNIT, unit);
            out.fact(&instance.name, &TIMES, times);
            out.fact(&instance.name, &LINES, instance.lines());
        }
    }

    fn sample(&mut self, at: Nanos, out: &mut Samples) -> Result<(), Failure> {
        let now = Now { at, wall: self.clock.wall() };
        let each = self.instances.len().max(1);
        let budget = Budget { lines: LINES_MAX / each, bytes: BYTES_MAX / each };
        for instance in &mut self.instances {
            instance.sample(&self.config, now, budget, out);
        }
        let why: Vec<&str> = self.instances.iter().filter_map(|instance| instance.why.as_deref()).collect();
        if self.instances.is_empty() {
            return Err(Failure::new("no instance is watched"));
        }
        if why.len() < self.instances.len() { Ok(()) } else { Err(Failure::new(why.join("; "))) }
    }
}
