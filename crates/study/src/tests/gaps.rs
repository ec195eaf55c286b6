//! Gaps that end when what is watched has come to rest.

use super::fakes::{archived, load, load_in, study as right};
use super::samples::QUICKSTART;
use crate::model::Study;
use std::path::Path;
use terms::Nanos;

/// The quickstart with these keys in its scenario.
fn study(keys: &str) -> String {
    QUICKSTART.replace("run: [search],", &format!("run: [search], {keys},"))
}

fn read(keys: &str) -> Study {
    right(&study(keys))
}

/// Code, what is to be written, and the hint of the first mistake.
fn mistake(keys: &str) -> (&'static str, String) {
    let rejected = load(&study(keys)).err().unwrap_or_else(|| panic!("accepted: {keys}"));
    let first = &rejected.mistakes.0[0];
    (first.code, first.label.clone().unwrap_or_default())
}

#[test]
fn a_gap_waits_for_states_and_for_so_long_at_most() {
    let found = read("idle: 1m, gap: { until: settled(host.cpu), at_most: 5m }");
    let scenario = &found.scenarios[0];
    assert_eq!(scenario.gap, Nanos::from_secs(300));
    assert_eq!(scenario.gap_until.as_ref().unwrap().text, "settled(host.cpu)");
    // The archived study says the same.
    let again =
        load_in(Path::new("/nonexistent"), &found.effective, &archived()).unwrap_or_else(|why| panic!("{why}")).0;
    assert_eq!(again.scenarios[0].gap, scenario.gap);
    assert_eq!(again.scenarios[0].gap_until.as_ref().unwrap().text, "settled(host.cpu)");
    let both = read("idle: 1m, gap: { until: \"settled(host.cpu, band: 10%) and drained(host.cpu)\", at_most: 30s }");
    assert_eq!(both.scenarios[0].gap_until.as_ref().unwrap().clauses.len(), 2);
    assert!(read("gap: { until: drained(host.cpu), at_most: 30s }").scenarios[0].gap_until.is_some());
    let plain = read("gap: 30s");
    assert_eq!((plain.scenarios[0].gap, &plain.scenarios[0].gap_until), (Nanos::from_secs(30), &None));
}

#[test]
fn what_a_gap_cannot_wait_for_is_said() {
    let gap = |until: &str| format!("idle: 1m, gap: {{ until: \"{until}\", at_most: 5m }}");
    for (keys, code, label) in [
        (gap("mean(host.cpu) < 30%"), "study::rule-not-here", "write `settled(metric)` or `drained(metric)`"),
        (gap("steady(host.cpu)"), "study::rule-not-here", "write `settled(metric)` or `drained(metric)`"),
        (gap("settled(host.cpu) for 30s"), "study::rule-not-here", "remove `for …`"),
        (gap("settled(host.cpu) in recovery"), "study::rule-not-here", "remove `in …`"),
        (gap("settled(host.cpu) per instance"), "study::rule-not-here", "remove `per …`"),
        (
            "gap: { until: settled(host.cpu), at_most: 5m }".into(),
            "study::rule-not-here",
            "add `idle: 1m` to the scenario",
        ),
        ("idle: 1m, gap: { until: settled(host.cpu) }".into(), "study::missing-key", ""),
        ("gap: { at_most: 5m }".into(), "study::missing-key", ""),
        (
            "idle: 1m, gap: { until: settled(host.cpu), at_most: 0s }".into(),
            "study::out-of-range",
            "write a duration above zero",
        ),
        (
            "idle: 1m, recovery: { until: settled(host.cpu), at_most: 5m }".into(),
            "study::not-yet",
            "leave this out for now",
        ),
    ] {
        let (found, said) = mistake(&keys);
        assert_eq!(found, code, "{keys}: {said}");
        assert!(said.contains(label), "{keys}: {said}");
    }
}
