//! What a Java virtual machine is measured by.

use contract::{Across, MetricKind, Role};
use terms::Unit;

const fn bytes(name: &'static str) -> MetricKind {
    MetricKind::gauge(name, Unit::Bytes)
}

const fn count(name: &'static str) -> MetricKind {
    MetricKind::counter(name, Unit::Count)
}

const fn time(name: &'static str) -> MetricKind {
    MetricKind::counter(name, Unit::Time)
}

/// What a Java virtual machine is measured by.
///
/// `heap_*` is all generations together, both survivor spaces included; `committed` is what the machine has taken from
/// the system for it, `max` what it may take. `eden_used` and `survivor_used` are the young generation, `old_*` the old
/// one; collectors without generations have none of them.
///
/// `heap_after_gc` has a value only at the first sample after a collection: what is in use outside eden, which was
/// emptied then and holds nothing but what has come since. Without generations it is all that is in use at that sample.
/// `old_after_gc` has a value only at the first sample after a collection that took something out of the old
/// generation, or was a full one: its line is the floor of the live data.
///
/// `gc_young`, `gc_full`, `gc_concurrent` count collections that have ended, `…_time` is how long they stopped the
/// program. `gc_share` is the share of the real time since the sample before in which it stood still for them.
/// `gc_pause` is the last pause of each kind in a period, where it is known; others between two samples are known only
/// by their number and their sum. `safepoint_time` is all the time for which the program stood still, collections
/// included. A metric that the machine does not tell is left out.
pub const METRICS: &[MetricKind] = &[
    bytes("heap_used").below("heap_max").with_role(Role::Heap),
    bytes("heap_committed").below("heap_max").with_role(Role::HeapCommitted),
    bytes("heap_max").with_role(Role::HeapLimit),
    bytes("heap_after_gc").below("heap_max").with_role(Role::HeapFloor),
    bytes("young_committed").with_role(Role::HeapPart),
    bytes("eden_used").with_role(Role::HeapPart),
    bytes("survivor_used").with_role(Role::HeapPart),
    bytes("old_used").below("old_max").with_role(Role::OldHeap),
    bytes("old_committed").below("old_max").with_role(Role::HeapPart),
    bytes("old_max").with_role(Role::OldHeapLimit),
    bytes("old_after_gc").below("old_max").with_role(Role::OldHeapFloor),
    bytes("metaspace_used").below("metaspace_max"),
    bytes("metaspace_committed").below("metaspace_max"),
    bytes("metaspace_max"),
    count("gc_young").with_role(Role::YoungCollections),
    count("gc_full").with_role(Role::FullCollections),
    count("gc_concurrent").with_role(Role::ConcurrentCollections),
    time("gc_young_time").with_role(Role::CollectionTime),
    time("gc_full_time").with_role(Role::CollectionTime),
    time("gc_concurrent_time").with_role(Role::CollectionTime),
    MetricKind::gauge("gc_share", Unit::Share).of("the time").across(Across::Max).with_role(Role::CollectionShare),
    MetricKind::distribution("gc_pause").across(Across::Max).with_role(Role::HeapPart),
    time("safepoint_time"),
    MetricKind::gauge("threads", Unit::Count).with_role(Role::Threads),
    MetricKind::gauge("classes", Unit::Count),
];

/// Numbers of the metrics, in the order of [`METRICS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub(crate) enum Metric {
    HeapUsed,
    HeapCommitted,
    HeapMax,
    HeapAfterGc,
    YoungCommitted,
    EdenUsed,
    SurvivorUsed,
    OldUsed,
    OldCommitted,
    OldMax,
    OldAfterGc,
    MetaspaceUsed,
    MetaspaceCommitted,
    MetaspaceMax,
    GcYoung,
    GcFull,
    GcConcurrent,
    GcYoungTime,
    GcFullTime,
    GcConcurrentTime,
    GcShare,
    GcPause,
    SafepointTime,
    Threads,
    Classes,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_agree_and_ceilings_exist() {
        for (metric, name) in [
            (Metric::HeapUsed, "heap_used"),
            (Metric::HeapAfterGc, "heap_after_gc"),
            (Metric::OldUsed, "old_used"),
            (Metric::OldAfterGc, "old_after_gc"),
            (Metric::MetaspaceMax, "metaspace_max"),
            (Metric::GcFull, "gc_full"),
            (Metric::GcConcurrentTime, "gc_concurrent_time"),
            (Metric::GcPause, "gc_pause"),
            (Metric::Classes, "classes"),
        ] {
            assert_eq!(METRICS[metric as usize].name, name);
        }
        assert_eq!(METRICS.len(), Metric::Classes as usize + 1);
        let is_metric = |name: &str| METRICS.iter().any(|metric| metric.name == name);
        assert!(METRICS.iter().all(|metric| metric.ceiling.is_none_or(is_metric)));
    }
}
