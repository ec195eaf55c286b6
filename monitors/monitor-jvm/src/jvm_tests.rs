//! Readings made here, and what must come of them.

use super::*;
use crate::metrics::METRICS;
use crate::reading::{Space, Young};

const MB: f64 = 1e6;

/// Megabytes in eden, survivors and old; young and full collections; seconds that each kind took.
fn reading(eden: f64, survivor: f64, old: f64, young: (u64, f64), full: (u64, f64)) -> Reading {
    let collector = |(count, seconds)| Some(Collector { count, seconds, last: None });
    Reading {
        young: Some(Young { eden_used: eden * MB, survivor_used: survivor * MB, committed: 20.0 * MB }),
        old: Space { used: old * MB, committed: 40.0 * MB, max: Some(40.0 * MB) },
        heap_max: Some(60.0 * MB),
        collectors: [collector(young), collector(full), None],
        cause: Some("Ergonomics".into()),
        ..Reading::default()
    }
}

struct Watched {
    jvm: Jvm,
    out: Samples,
    second: i64,
}

/// Values by name and events of one more reading, a second later.
type Sampled = (Vec<(&'static str, f64)>, Vec<String>);

impl Watched {
    fn new() -> Self {
        Self { jvm: Jvm::default(), out: Samples::default(), second: 0 }
    }

    fn take(&mut self, reading: Reading) -> Sampled {
        self.second += 1;
        let instance = self.out.instance("shop");
        self.jvm.take(Nanos::from_secs(self.second), reading, "shop", instance, &mut self.out);
        let (values, events) = self.out.take();
        let values = values.into_iter().map(|one| (METRICS[usize::from(one.metric)].name, one.value)).collect();
        (values, events.into_iter().map(|(_, _, event)| event.text).collect())
    }
}

fn of(told: &Sampled, name: &str) -> Option<f64> {
    told.0.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

#[test]
fn levels_are_there_at_once_and_what_needs_two_readings_is_not() {
    let mut watched = Watched::new();
    let first = watched.take(reading(5.0, 1.0, 10.0, (3, 0.3), (1, 0.1)));
    assert_eq!((of(&first, "heap_used"), of(&first, "heap_committed")), (Some(16.0 * MB), Some(60.0 * MB)));
    assert_eq!((of(&first, "old_used"), of(&first, "old_max")), (Some(10.0 * MB), Some(40.0 * MB)));
    assert_eq!((of(&first, "gc_young"), of(&first, "gc_full_time")), (Some(3.0), Some(0.1)));
    for name in ["gc_share", "heap_after_gc", "old_after_gc", "gc_pause", "gc_concurrent", "metaspace_used"] {
        assert_eq!(of(&first, name), None, "{name}");
    }
    assert!(first.1.is_empty(), "a full collection before the first reading is not an event of the run");
}

#[test]
fn what_is_left_after_a_collection_leaves_eden_out() {
    let mut watched = Watched::new();
    watched.take(reading(19.0, 1.0, 10.0, (3, 0.30), (0, 0.0)));
    let quiet = watched.take(reading(19.5, 1.0, 10.0, (3, 0.30), (0, 0.0)));
    assert_eq!((of(&quiet, "heap_after_gc"), of(&quiet, "gc_share")), (None, Some(0.0)));
    let young = watched.take(reading(7.0, 2.0, 11.0, (4, 0.35), (0, 0.0)));
    assert_eq!(of(&young, "heap_after_gc"), Some(13.0 * MB), "2 in survivors and 11 in the old generation");
    assert_eq!(of(&young, "old_after_gc"), None, "nobody went through the old generation");
    assert!((of(&young, "gc_share").unwrap() - 0.05).abs() < 1e-12);
    assert!((of(&young, "gc_pause").unwrap() - 0.05).abs() < 1e-12);
    let full = watched.take(reading(1.0, 0.0, 4.0, (4, 0.35), (1, 0.25)));
    assert_eq!((of(&full, "old_after_gc"), of(&full, "heap_after_gc")), (Some(4.0 * MB), Some(4.0 * MB)));
    assert_eq!(full.1, ["full collection 1 of `shop` (`Ergonomics`) took 0.250 s and left 3.8 MiB of 57.2 MiB in use"]);
    // A mixed collection counts as young, and is known by what it took out of the old generation.
    let mixed = watched.take(reading(1.0, 0.0, 3.0, (5, 0.36), (1, 0.25)));
    assert_eq!(of(&mixed, "old_after_gc"), Some(3.0 * MB));
    assert_eq!(watched.jvm.old_collections, 2);
}

#[test]
fn several_full_collections_in_a_period_are_one_event_and_pauses_that_are_not_known_are_not_made_up() {
    let mut watched = Watched::new();
    watched.take(reading(1.0, 0.0, 39.0, (4, 0.1), (10, 1.0)));
    let storm = watched.take(reading(1.0, 0.0, 39.5, (4, 0.1), (16, 1.9)));
    assert_eq!(storm.1.len(), 1);
    assert!(storm.1[0].starts_with("full collections 11 to 16 of `shop`"), "{}", storm.1[0]);
    assert_eq!(of(&storm, "gc_pause"), None, "six pauses, of which only the sum is known");
    assert!((of(&storm, "gc_share").unwrap() - 0.9).abs() < 1e-9);
    assert_eq!(of(&storm, "old_after_gc"), Some(39.5 * MB), "a full collection that found nothing");
    // Where the machine tells the last pause, that one is known.
    let mut told = reading(1.0, 0.0, 39.5, (4, 0.1), (19, 2.5));
    told.collectors[FULL].as_mut().unwrap().last = Some((77, 0.125));
    assert_eq!(of(&watched.take(told), "gc_pause"), Some(0.125));
}

#[test]
fn counters_that_fall_back_tell_nothing_wrong() {
    let mut watched = Watched::new();
    watched.take(reading(1.0, 0.0, 20.0, (40, 2.0), (16, 1.9)));
    let after = watched.take(reading(1.0, 0.0, 2.0, (1, 0.1), (0, 0.0)));
    assert_eq!(of(&after, "gc_share"), Some(0.0));
    assert_eq!((of(&after, "gc_pause"), of(&after, "heap_after_gc"), of(&after, "old_after_gc")), (None, None, None));
    assert!(after.1.is_empty());
}

#[test]
fn without_generations_everything_in_use_is_what_is_left() {
    let made = |count, used: f64| Reading {
        old: Space { used: used * MB, committed: 60.0 * MB, max: Some(60.0 * MB) },
        collectors: [None, None, Some(Collector { count, seconds: 0.0, last: None })],
        ..Reading::default()
    };
    let mut watched = Watched::new();
    watched.jvm.set_maxima(60.0 * MB, 60.0 * MB);
    let first = watched.take(made(1, 30.0));
    assert_eq!((of(&first, "heap_used"), of(&first, "old_used")), (Some(30.0 * MB), None));
    assert_eq!((of(&first, "heap_max"), watched.jvm.heap_max()), (Some(60.0 * MB), Some(60.0 * MB)));
    let after = watched.take(made(2, 12.0));
    assert_eq!((of(&after, "heap_after_gc"), of(&after, "old_after_gc")), (Some(12.0 * MB), None));
}

#[test]
fn counts_beyond_the_range_stay_at_its_end() {
    let made = |young| Reading {
        young,
        collectors: [Some(Collector { count: u64::MAX, seconds: 1.0, last: None }); 3],
        ..Reading::default()
    };
    assert_eq!(made(Some(Young::default())).collections(), u64::MAX);
    assert_eq!(made(None).without_generations().collections(), u64::MAX);
}
