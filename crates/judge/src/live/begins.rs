//! Where counters that first appear during a run begin: at zero, as in a recorded run, if their owner was sampled before.

use super::named_metrics;
use crate::counters::is_of;
use crate::row::Points;
use record::{Head, SampleRow};
use std::collections::{BTreeMap, BTreeSet};
use study::rule::Rule;
use terms::Nanos;

/// Series that are told apart. What one beyond these counted before its first value is not known.
const SERIES_MAX: usize = 100_000;

/// What is known of counters since the run began. A scenario knows only itself: what an earlier one left behind would seem
/// to have been counted within it.
#[derive(Debug, Default)]
pub struct Begins {
    /// Those of all scenarios.
    rules: Vec<Rule>,
    /// Owners by monitor; of those monitors alone of which a rule names a counter.
    owners: BTreeMap<u16, Vec<String>>,
    /// Numbers of monitor and metric of the counters that rules name.
    counters: BTreeSet<(u16, u16)>,
    /// The first moment of each series that began at zero; `None` of one that may have counted before.
    first: BTreeMap<(u16, u16), BTreeMap<String, Option<Nanos>>>,
    series: usize,
    /// The first look that brought a value, by monitor and place of the owner; without an owner that of any.
    looked: BTreeMap<(u16, Option<usize>), Nanos>,
}

impl Begins {
    /// Of the counters that these rules name, in a run that has just begun.
    pub fn new(head: &Head, rules: Vec<Rule>) -> Self {
        let mut begins = Self { rules, ..Self::default() };
        begins.follow(head);
        begins
    }

    /// More is known of the run: what is watched in it.
    pub fn follow(&mut self, head: &Head) {
        let is_counter = |&(monitor, metric): &(u16, u16)| {
            let monitor = head.monitors.get(usize::from(monitor));
            let metric = monitor.and_then(|monitor| monitor.metrics.get(usize::from(metric)));
            metric.is_some_and(|metric| metric.kind == "counter")
        };
        self.counters = named_metrics(head, &self.rules).into_iter().filter(is_counter).collect();
        let owners = |monitor: u16| head.monitors.get(usize::from(monitor)).map(|known| known.instances.clone());
        self.owners =
            self.counters.iter().map(|(monitor, _)| (*monitor, owners(*monitor).unwrap_or_default())).collect();
    }

    /// Takes samples as they are recorded.
    pub fn add_samples(&mut self, rows: &[SampleRow]) {
        rows.iter().for_each(|row| self.add(row));
    }

    fn add(&mut self, row: &SampleRow) {
        let Some(owners) = self.owners.get(&row.monitor) else { return };
        let owner = owners.iter().position(|owner| is_of(&row.instance, owner));
        let metric = (row.monitor, row.metric);
        let is_new = self.counters.contains(&metric)
            && self.series < SERIES_MAX
            && !self.first.get(&metric).is_some_and(|series| series.contains_key(&row.instance));
        if is_new {
            // A gap is a row, too: whoever did not answer may have counted long since.
            let looked = self.looked.get(&(row.monitor, owner)).is_some_and(|looked| *looked < row.at);
            let first = Some(row.at).filter(|_| looked && row.value.is_some());
            self.first.entry(metric).or_default().insert(row.instance.clone(), first);
            self.series += 1;
        }
        if row.value.is_some() {
            // What belongs to nobody that is known was looked at whenever anything was.
            for owner in [owner, None] {
                let looked = self.looked.entry((row.monitor, owner)).or_insert(row.at);
                *looked = row.at.min(*looked);
            }
        }
    }

    /// Whether points of a series are its first, and it began at zero.
    pub(super) fn began_at_zero(&self, (monitor, metric, instance): &(u16, u16, String), points: &Points) -> bool {
        let first = self.first.get(&(*monitor, *metric)).and_then(|series| *series.get(instance)?);
        first.is_some_and(|first| points.first().is_some_and(|(at, _)| *at == first))
    }
}
