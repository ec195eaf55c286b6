//! What monitors write: when samples are due, values, events, and what could not be seen.

use terms::Nanos;

/// Where in its period a sample is due, in parts of ten thousand. Loads begin on a second, and many rates have a start at
/// its beginning: samples that were taken there would hold up just those. This place lies off the grid of usual rates.
const PHASE: i64 = 4873;

/// How long after the beginning of a period of the run's clock the sample of that period is due. It may be taken later, and
/// never earlier.
pub const fn sample_phase(every: Nanos) -> Nanos {
    Nanos(every.0 / 10_000 * PHASE)
}

/// One value of one metric of one instance at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// When it was taken.
    pub at: Nanos,
    /// Number of the instance, as [`Samples::instance`] gave it.
    pub instance: u32,
    /// Number of the metric in the monitor's list.
    pub metric: u16,
    /// The value in the metric's base unit; for a distribution a duration in seconds.
    pub value: f64,
}

/// Kind of the event that a whole heap was collected.
pub const FULL_COLLECTION: &str = "full_gc";

/// Something that happened to what is watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// A word: `restart`, `gone`, `full_gc`, `flush`.
    pub kind: &'static str,
    pub text: String,
}

/// What a monitor writes its samples to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    instances: Vec<String>,
    values: Vec<Sample>,
    events: Vec<(Nanos, u32, Event)>,
    absent: Absent,
}

/// What has no value this time, and why that is so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Absent {
    /// Instances that should have been seen and were not, each with the reason.
    pub missing: Vec<(u32, String)>,
    /// Metrics of which an instance owes no value this time.
    pub quiet: Vec<(u32, u16)>,
}

impl Samples {
    /// The number of an instance; the same name gets the same number each time.
    pub fn instance(&mut self, name: &str) -> u32 {
        if let Some(index) = self.instances.iter().position(|known| known == name) {
            return index as u32;
        }
        self.instances.push(name.to_owned());
        (self.instances.len() - 1) as u32
    }

    /// Adds a value. NaN is a gap: a value that should be there and could not be read. So is an infinity: what is
    /// watched may claim anything, and a single one would spoil every sum that it is part of.
    pub fn value(&mut self, at: Nanos, instance: u32, metric: u16, value: f64) {
        let value = if value.is_finite() { value } else { f64::NAN };
        self.values.push(Sample { at, instance, metric, value });
    }

    /// Adds a duration to a distribution.
    pub fn duration(&mut self, at: Nanos, instance: u32, metric: u16, value: Nanos) {
        self.values.push(Sample { at, instance, metric, value: value.as_secs_f64() });
    }

    /// Adds an event.
    pub fn event(&mut self, at: Nanos, instance: u32, event: Event) {
        self.events.push((at, instance, event));
    }

    /// An instance that is to be watched could not be seen this time, whether it ever was or not: each of its metrics has a
    /// gap, and the first of an outage is an event with this sentence. One without any value that nobody expects, such as
    /// an instance on another machine, is not reported so.
    pub fn missing(&mut self, instance: u32, why: impl Into<String>) {
        self.absent.missing.push((instance, why.into()));
    }

    /// A metric was not asked for this time, or nothing happened that it tells of: that an instance has no value of it is
    /// not a gap.
    pub fn quiet(&mut self, instance: u32, metric: u16) {
        self.absent.quiet.push((instance, metric));
    }

    /// What an instance of this monitor is called; empty where it was never named.
    pub fn instance_name(&self, instance: u32) -> &str {
        self.instances.get(instance as usize).map_or("", String::as_str)
    }

    /// Takes what has come since, leaving the instances' numbers as they are.
    pub fn take(&mut self) -> (Vec<Sample>, Vec<(Nanos, u32, Event)>) {
        (std::mem::take(&mut self.values), std::mem::take(&mut self.events))
    }

    /// Takes what had no value since.
    pub fn take_absent(&mut self) -> Absent {
        std::mem::take(&mut self.absent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_finite_is_a_gap() {
        let mut samples = Samples::default();
        for value in [f64::INFINITY, f64::NAN, f64::MAX, f64::NEG_INFINITY] {
            samples.value(Nanos::ZERO, 0, 0, value);
        }
        let values: Vec<f64> = samples.take().0.iter().map(|sample| sample.value).collect();
        assert_eq!(values.iter().map(|value| value.is_nan()).collect::<Vec<_>>(), [true, true, false, true]);
        assert_eq!(values[2], f64::MAX);
    }
}
