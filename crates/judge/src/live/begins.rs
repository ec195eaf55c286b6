//! What counters begin at that come up while a run goes on: as in a recorded run, nothing, where whoever owns them was
//! looked at before.

use crate::counters::is_of;
use record::{Head, SampleRow};
use std::collections::{BTreeMap, BTreeSet};
use terms::Nanos;

/// Series that are told apart. Of one beyond these the first value is where it begins.
const SERIES_MAX: usize = 100_000;

/// The counters that were seen, and when their owners were looked at.
#[derive(Debug)]
pub(super) struct Begins {
    /// Numbers of monitor and metric.
    counters: BTreeSet<(u16, u16)>,
    seen: BTreeSet<(u16, u16, String)>,
    /// The last two looks that brought a value, the newest first, by monitor and place of the owner among its instances.
    looks: BTreeMap<(u16, Option<usize>), [Option<Nanos>; 2]>,
}

impl Begins {
    /// `metrics` are those that rules name.
    pub(super) fn of(head: &Head, metrics: &BTreeSet<(u16, u16)>) -> Self {
        let is_counter = |&&(monitor, metric): &&(u16, u16)| {
            let monitor = head.monitors.get(usize::from(monitor));
            let metric = monitor.and_then(|monitor| monitor.metrics.get(usize::from(metric)));
            metric.is_some_and(|metric| metric.kind == "counter")
        };
        let counters = metrics.iter().filter(is_counter).copied().collect();
        Self { counters, seen: BTreeSet::new(), looks: BTreeMap::new() }
    }

    /// Takes a row; the nothing that stands before it, where it is the first of a counter that began at nothing.
    pub(super) fn before(&mut self, head: &Head, row: &SampleRow) -> Option<SampleRow> {
        if self.counters.is_empty() {
            return None;
        }
        let instances = head.monitors.get(usize::from(row.monitor)).map_or(&[][..], |monitor| &monitor.instances);
        let owner = instances.iter().position(|owner| is_of(&row.instance, owner));
        let looks = self.looks.get(&(row.monitor, owner)).into_iter().flatten().flatten();
        let looked = looks.copied().find(|at| *at < row.at);
        // What belongs to nobody that is known was looked at whenever anything was.
        for owner in BTreeSet::from([owner, None]) {
            let looks = self.looks.entry((row.monitor, owner)).or_default();
            if row.value.is_some() && looks[0].is_none_or(|newest| newest < row.at) {
                *looks = [Some(row.at), looks[0]];
            }
        }
        let is_new = self.counters.contains(&(row.monitor, row.metric))
            && self.seen.len() < SERIES_MAX
            && self.seen.insert((row.monitor, row.metric, row.instance.clone()));
        let at = looked.filter(|_| is_new && row.value.is_some())?;
        Some(SampleRow { at, value: Some(0.0), ..row.clone() })
    }
}
