//! What every monitor owes: one mistake for each thing that is wrong, values of its own metrics only, no value where
//! there is none.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use contract::{Facts, Mistakes, Monitor, Samples};
use monitor_skeleton::{METRICS, SKELETON};
use terms::Nanos;

fn build(entries: &[(&str, &str)]) -> Result<Box<dyn Monitor>, Mistakes> {
    testkit::monitor(SKELETON, entries, &[], Nanos::SECOND)
}

#[test]
fn all_mistakes_come_at_once_with_hints() {
    let found = build(&[("resource", "cpuu"), ("ressource", "io")]).err().unwrap();
    let codes: Vec<_> = found.0.iter().map(|mistake| mistake.code).collect();
    assert_eq!(codes, ["study::unknown-word", "study::unknown-key"], "{found:?}");
    assert_eq!(found.0[0].label.as_deref(), Some("did you mean `cpu`?"));
    assert!(build(&[]).is_ok() && build(&[("resource", "memory")]).is_ok());
}

#[test]
fn samples_are_of_its_own_metrics_and_facts_are_told() {
    let mut monitor = build(&[]).unwrap();
    let mut facts = Facts::default();
    monitor.facts(&mut facts);
    assert_eq!(facts.0.len(), 1);
    for second in 0..3 {
        let mut out = Samples::default();
        // A kernel without the file says so, and gives no value.
        let sampled = monitor.sample(Nanos::from_secs(second), &mut out);
        let (values, _) = out.take();
        assert!(sampled.is_ok() || values.is_empty());
        assert_eq!(sampled.is_ok(), facts.0[0].2 == "available");
        for value in values {
            assert!(usize::from(value.metric) < METRICS.len() && (0.0..=1.0).contains(&value.value));
        }
    }
}

#[test]
fn every_word_is_there_in_every_language() {
    testkit::words::of_monitor(&SKELETON);
}
