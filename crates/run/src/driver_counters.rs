//! The drivers' own counters, such as resends and connections, recorded like everything else that is watched.

use crate::blueprints::used;
use crate::prepare::Prepared;
use contract::{Facts, Failure, MetricKind, Monitor, Samples};
use recorder::{Batch, COUNTERS_MAX};
use std::sync::{Arc, Mutex};
use terms::{Nanos, Unit};

/// Its name in the record.
pub(crate) const NAME: &str = "drivers";

/// Sums over all threads since the run began, as [`Batch::counters`] numbers them.
#[derive(Clone, Debug, Default)]
pub(crate) struct CounterSums(Arc<Mutex<Vec<i64>>>);

impl CounterSums {
    /// Takes what a thread has counted in a second.
    pub(crate) fn take(&self, batch: &Batch) {
        self.add(&batch.counters);
    }

    /// The same of a thread in another process.
    pub(crate) fn add(&self, counters: &[i64]) {
        let Ok(mut sums) = self.0.lock() else { return };
        if sums.len() < counters.len() {
            sums.resize(counters.len(), 0);
        }
        sums.iter_mut().zip(counters).for_each(|(sum, by)| *sum = sum.saturating_add(*by));
    }

    /// The monitor of the study's drivers, with its metrics and instances; `None` where no driver counts anything.
    pub(crate) fn monitor(&self, prepared: &Prepared) -> Option<Counted> {
        let drivers: Vec<_> =
            used(&prepared.study, prepared.registry).map(|driver| (driver.name, driver.counters)).collect();
        let mut names: Vec<&'static str> = drivers.iter().flat_map(|(_, counters)| counters.iter().copied()).collect();
        names.sort_unstable();
        names.dedup();
        let metrics: Vec<MetricKind> =
            names.iter().copied().map(|name| MetricKind::counter(name, Unit::Count)).collect();
        let instances = drivers.iter().map(|(name, _)| (*name).to_owned()).collect();
        (!metrics.is_empty()).then(|| Counted {
            metrics,
            instances,
            monitor: Box::new(Counters { counted: self.clone(), drivers, names }),
        })
    }
}

/// The counters of drivers, ready to be watched.
pub(crate) struct Counted {
    pub(crate) metrics: Vec<MetricKind>,
    pub(crate) instances: Vec<String>,
    pub(crate) monitor: Box<dyn Monitor>,
}

struct Counters {
    counted: CounterSums,
    drivers: Vec<(&'static str, &'static [&'static str])>,
    names: Vec<&'static str>,
}

impl Monitor for Counters {
    fn facts(&mut self, _: &mut Facts) {}

    fn sample(&mut self, at: Nanos, out: &mut Samples) -> Result<(), Failure> {
        let Ok(sums) = self.counted.0.lock() else { return Err(Failure::new("a thread that counted has failed")) };
        for (driver, (name, counters)) in self.drivers.iter().enumerate() {
            let instance = out.instance(name);
            for (number, counter) in counters.iter().enumerate() {
                let sum = sums.get(driver * COUNTERS_MAX + number).copied().unwrap_or_default();
                let metric = self.names.binary_search(counter).unwrap_or_default();
                out.value(at, instance, metric as u16, sum as f64);
            }
        }
        Ok(())
    }
}
