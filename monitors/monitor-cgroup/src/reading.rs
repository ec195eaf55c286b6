//! A group at one moment, whoever told it, and what two readings come to.

use crate::metrics::Metric;
use contract::Samples;
use terms::Nanos;

/// A group at one moment. What is not known is `None`; the kernel's counters only grow while the group exists.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Reading {
    /// Processor time so far, seconds: all of it, of programs, of the kernel.
    pub(crate) cpu_s: Option<f64>,
    pub(crate) user_s: Option<f64>,
    pub(crate) system_s: Option<f64>,
    /// Most that it may use, cores.
    pub(crate) cpu_limit: Option<f64>,
    /// Periods of its quota, those in which it was held back, and for how long, seconds.
    pub(crate) periods: Option<u64>,
    pub(crate) throttled_periods: Option<u64>,
    pub(crate) throttled_s: Option<f64>,
    /// Bytes in all, and those of them that are file pages which nobody used lately.
    pub(crate) memory: Option<u64>,
    pub(crate) inactive_file: Option<u64>,
    pub(crate) memory_limit: Option<u64>,
    pub(crate) anonymous: Option<u64>,
    pub(crate) swap: Option<u64>,
    pub(crate) limit_hits: Option<u64>,
    pub(crate) oom_kills: Option<u64>,
    /// Microseconds in which some task waited: for the processor, memory, a disk; in which all did: memory, a disk.
    pub(crate) some_us: [Option<u64>; 3],
    pub(crate) full_us: [Option<u64>; 2],
    pub(crate) tasks: Option<u64>,
    pub(crate) tasks_limit: Option<u64>,
    /// Bytes so far.
    pub(crate) disk: Option<(u64, u64)>,
    pub(crate) network: Option<(u64, u64)>,
}

impl Reading {
    /// Whether anything is known.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What the group holds that its owner could not give back at once: what `docker stats` shows.
    fn used(&self) -> Option<u64> {
        Some(self.memory?.saturating_sub(self.inactive_file.unwrap_or(0)))
    }

    /// Adds its values; rates need the reading before.
    pub(crate) fn add_to(&self, before: Option<&(Nanos, Self)>, at: Nanos, instance: u32, out: &mut Samples) {
        let mut value = |metric: Metric, value: Option<f64>| {
            if let Some(value) = value {
                out.value(at, instance, metric as u16, value);
            }
        };
        let whole = |count: Option<u64>| count.map(|count| count as f64);
        value(Metric::CpuLimit, self.cpu_limit);
        value(Metric::ThrottledTime, self.throttled_s);
        value(Metric::Used, whole(self.used()));
        value(Metric::Memory, whole(self.memory));
        value(Metric::MemoryLimit, whole(self.memory_limit));
        value(Metric::Anonymous, whole(self.anonymous));
        value(Metric::Swap, whole(self.swap));
        value(Metric::LimitHits, whole(self.limit_hits));
        value(Metric::OomKills, whole(self.oom_kills));
        value(Metric::Tasks, whole(self.tasks));
        value(Metric::TasksLimit, whole(self.tasks_limit));
        let Some((before_at, before)) = before else { return };
        let seconds = (at - *before_at).as_secs_f64();
        if seconds <= 0.0 {
            return;
        }
        // What has become less was made anew: there is no rate over that.
        let rate = |now: Option<f64>, before: Option<f64>| {
            let grown = now? - before?;
            (grown >= 0.0).then(|| grown / seconds)
        };
        value(Metric::Cpu, rate(self.cpu_s, before.cpu_s));
        value(Metric::User, rate(self.user_s, before.user_s));
        value(Metric::System, rate(self.system_s, before.system_s));
        value(Metric::Throttled, self.throttled_since(before));
        let waited = |now: Option<u64>, before: Option<u64>| {
            rate(whole(now), whole(before)).map(|microseconds| (microseconds / 1e6).min(1.0))
        };
        let some = [Metric::CpuPressure, Metric::MemoryPressure, Metric::IoPressure];
        for (metric, (now, before)) in some.into_iter().zip(self.some_us.into_iter().zip(before.some_us)) {
            value(metric, waited(now, before));
        }
        let full = [Metric::MemoryStalled, Metric::IoStalled];
        for (metric, (now, before)) in full.into_iter().zip(self.full_us.into_iter().zip(before.full_us)) {
            value(metric, waited(now, before));
        }
        let both = |of: Option<(u64, u64)>| (of.map(|of| of.0 as f64), of.map(|of| of.1 as f64));
        for ((one, other), now, before) in [
            ((Metric::Read, Metric::Write), both(self.disk), both(before.disk)),
            ((Metric::NetIn, Metric::NetOut), both(self.network), both(before.network)),
        ] {
            value(one, rate(now.0, before.0));
            value(other, rate(now.1, before.1));
        }
    }

    /// Share of the periods since in which the group was held back; `None` where it had no quota, or none has passed.
    fn throttled_since(&self, before: &Self) -> Option<f64> {
        let periods = self.periods?.checked_sub(before.periods?)?;
        let throttled = self.throttled_periods?.checked_sub(before.throttled_periods?)?;
        (periods > 0).then(|| (throttled as f64 / periods as f64).min(1.0))
    }

    /// Processes that were killed for lack of memory since.
    pub(crate) fn killed_since(&self, before: &Self) -> u64 {
        let counts = self.oom_kills.zip(before.oom_kills);
        counts.map_or(0, |(now, before)| now.saturating_sub(before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::METRICS;
    use proptest::prelude::*;

    fn values(before: Option<(i64, Reading)>, now: &Reading, at_ms: i64) -> Vec<(&'static str, f64)> {
        let mut out = Samples::default();
        let instance = out.instance("shop");
        let before = before.map(|(at, reading)| (Nanos::from_millis(at), reading));
        now.add_to(before.as_ref(), Nanos::from_millis(at_ms), instance, &mut out);
        out.take().0.iter().map(|one| (METRICS[usize::from(one.metric)].name, one.value)).collect()
    }

    #[test]
    fn rates_are_over_the_real_time_and_in_cores() {
        let reading = |cpu_s: f64, periods, throttled, waited| Reading {
            cpu_s: Some(cpu_s),
            periods: Some(periods),
            throttled_periods: Some(throttled),
            memory: Some(1000),
            inactive_file: Some(300),
            some_us: [Some(waited), None, None],
            disk: Some((waited, 2 * waited)),
            ..Reading::default()
        };
        let first = reading(10.0, 100, 10, 0);
        assert_eq!(values(None, &first, 0), [("used", 700.0), ("memory", 1000.0)], "the first has levels only");
        // 3 s of processor in 2 s: one core and a half; 5 of 20 periods; half a second of two waited.
        let second = values(Some((0, first.clone())), &reading(13.0, 120, 15, 500_000), 2000);
        let of = |name: &str| second.iter().find(|(known, _)| *known == name).unwrap().1;
        assert_eq!([of("cpu"), of("throttled"), of("cpu_pressure")], [1.5, 0.25, 0.25]);
        assert_eq!([of("read"), of("write")], [250_000.0, 500_000.0]);
        assert!(!second.iter().any(|(name, _)| *name == "memory_pressure"), "what is not known has no value");
        let anew = values(Some((0, first.clone())), &reading(0.5, 3, 0, 0), 2000);
        assert!(!anew.iter().any(|(name, _)| *name == "cpu" || *name == "throttled"), "{anew:?}");
        assert_eq!(values(Some((2000, first.clone())), &first, 2000).len(), 2, "no time, no rate");
    }

    proptest! {
        #[test]
        fn no_value_is_negative_or_infinite(
            numbers in prop::collection::vec(any::<u64>(), 24), cpu in any::<f64>(), at in any::<i32>(),
        ) {
            let reading = |from: usize| Reading {
                cpu_s: Some(cpu.abs() * from as f64),
                memory: Some(numbers[from]),
                inactive_file: Some(numbers[from + 1]),
                periods: Some(numbers[from + 2]),
                throttled_periods: Some(numbers[from + 3]),
                some_us: [Some(numbers[from + 4]), Some(numbers[from + 5]), None],
                full_us: [Some(numbers[from + 6]), None],
                disk: Some((numbers[from + 7], numbers[from + 8])),
                oom_kills: Some(numbers[from + 9]),
                ..Reading::default()
            };
            let found = values(Some((0, reading(0))), &reading(12), i64::from(at));
            // What is not finite is a gap, which is NaN.
            prop_assert!(found.iter().all(|(_, value)| value.is_nan() || *value >= 0.0), "{found:?}");
            let _ = reading(0).killed_since(&reading(12));
        }
    }
}
