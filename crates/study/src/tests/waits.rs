//! Waits around a load that end when what is watched has come to rest.

use super::fakes::{archived, load, load_in, study as right};
use super::samples::QUICKSTART;
use crate::Options;
use crate::model::{Study, Wait};
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
fn mistake(keys: &str) -> (&'static str, String, String) {
    let rejected = load(&study(keys)).err().unwrap_or_else(|| panic!("accepted: {keys}"));
    let first = &rejected.mistakes.0[0];
    (first.code, first.label.clone().unwrap_or_default(), first.hint.clone().unwrap_or_default())
}

/// The longest of each wait, in seconds, and the rule that may end it.
fn waits(study: &Study) -> Vec<(&'static str, i64, &str)> {
    let scenario = &study.scenarios[0];
    let rule = |wait| scenario.until.get(&wait).map_or("", |rule| rule.text.as_str());
    Wait::ALL.into_iter().map(|wait| (wait.name(), scenario.longest(wait).second(), rule(wait))).collect()
}

const ALL: &str = "idle: { until: settled(host.cpu), at_most: 1m }, \
    drain: { until: drained(host.cpu), at_most: 2h }, \
    recovery: { until: \"settled(host.cpu, band: 10%) and drained(host.cpu)\", at_most: 5m }, \
    gap: { until: settled(host.cpu), at_most: 30s }";

#[test]
fn waits_are_for_states_and_for_so_long_at_most() {
    let found = read(ALL);
    let expected = [
        ("idle", 60, "settled(host.cpu)"),
        ("drain", 7200, "drained(host.cpu)"),
        ("recovery", 300, "settled(host.cpu, band: 10%) and drained(host.cpu)"),
        ("gap", 30, "settled(host.cpu)"),
    ];
    assert_eq!(waits(&found), expected);
    assert_eq!(found.scenarios[0].until[&Wait::Recovery].clauses.len(), 2);
    // The archived study says the same.
    let again =
        load_in(Path::new("/nonexistent"), &found.effective, &archived()).unwrap_or_else(|why| panic!("{why}")).0;
    assert_eq!(waits(&again), expected);
    // An idle phase that a rule ends is one that `settled` can be held against.
    assert!(
        read("idle: { until: drained(host.cpu), at_most: 1m }, gap: { until: settled(host.cpu), at_most: 5m }")
            .scenarios[0]
            .until
            .len()
            == 2
    );
    let plain = read("idle: 1m, drain: 5s, recovery: 2m, gap: 30s");
    assert_eq!(waits(&plain), [("idle", 60, ""), ("drain", 5, ""), ("recovery", 120, ""), ("gap", 30, "")]);
    assert_eq!(read("drain: automatic").scenarios[0].drain, None);
}

#[test]
fn a_trial_shortens_waits_and_can_be_read_again() {
    let options = Options { trial: Some(Nanos::from_secs(30)), ..Options::default() };
    let short = load_in(Path::new("/nonexistent"), &study(ALL), &options).unwrap_or_else(|why| panic!("{why}")).0;
    let scenario = &short.scenarios[0];
    // Waits for a state take what the system takes, and are bounded by the length asked for; they leave the rest its time.
    assert_eq!(Wait::ALL.map(|wait| scenario.longest(wait).second()), [30, 30, 30, 30]);
    let crate::model::Extent::Time(hold) = scenario.parts[0].load.hold else { panic!("a count") };
    assert_eq!(hold.second(), 27, "30 s, shared with a ramp of a tenth of it");
    let left_out = &short.trial.as_ref().unwrap().left_out;
    assert!(left_out.iter().any(|text| text.contains("come on top: up to 2m more")), "{left_out:?}");
    let again = load_in(Path::new("/nonexistent"), &short.effective, &archived());
    assert_eq!(again.unwrap_or_else(|why| panic!("{why}")).0.scenarios[0].idle, scenario.idle);
}

#[test]
fn a_trial_of_a_search_or_a_grid_does_not_count_waits_for_states() {
    let hold = |keys: &str| {
        let text = format!(
            "{}  other: {{ {keys}, load: {{ users: $(n), hold: 10m }}, run: [search], \
             recovery: {{ until: drained(host.cpu), at_most: 10h }} }}\n\
             requirements: {{ right: share(search.failed) <= 1% }}\n",
            QUICKSTART.split_once("scenarios:").map(|(head, _)| format!("{head}scenarios:\n")).unwrap()
        );
        let text = text.replacen("exchanges:", "vars: { n: 1 }\nexchanges:", 1);
        let options = Options { trial: Some(Nanos::from_secs(600)), ..Options::default() };
        let short = load_in(Path::new("/nonexistent"), &text, &options).unwrap_or_else(|why| panic!("{why}")).0;
        short.scenarios[0].parts[0].load.hold
    };
    let is_long = |hold: crate::model::Extent| match hold {
        crate::model::Extent::Time(hold) => hold > Nanos::from_secs(20),
        crate::model::Extent::Count(_) => false,
    };
    assert!(is_long(hold("grid: { n: [1, 2] }")));
    assert!(is_long(hold("search: { vary: n, from: 1, to: 64 }")));
}

#[test]
fn a_trial_keeps_two_seconds_of_an_idle_phase() {
    let options = Options { trial: Some(Nanos::from_secs(3)), ..Options::default() };
    let idle = |keys: &str| {
        let short = load_in(Path::new("/nonexistent"), &study(keys), &options).unwrap_or_else(|why| panic!("{why}")).0;
        short.scenarios[0].idle
    };
    assert_eq!(idle("idle: 5m"), Nanos::from_secs(2));
    assert_eq!(idle("idle: 1s"), Nanos::from_secs(1));
}

#[test]
fn what_a_wait_cannot_be_for_is_said() {
    let state = "write `settled(metric)` or `drained(metric)`";
    for wait in Wait::ALL.map(Wait::name) {
        let until = |rule: &str| match wait {
            "idle" => format!("idle: {{ until: \"{rule}\", at_most: 5m }}"),
            _ => format!("idle: 1m, {wait}: {{ until: \"{rule}\", at_most: 5m }}"),
        };
        for (rule, label) in [
            ("mean(host.cpu) < 30%", state),
            ("steady(host.cpu)", state),
            ("settled(host.cpu) for 30s", "remove `for …`"),
            ("settled(host.cpu) in recovery", "remove `in …`"),
            ("settled(host.cpu) per instance", "remove `per …`"),
        ] {
            let (found, said, hint) = mistake(&until(rule));
            assert_eq!(found, "study::rule-not-here", "{wait}: {rule}: {said}");
            assert!(said.contains(label), "{wait}: {rule}: {said}");
            assert!(hint.contains(&format!("`{wait}: {{ until: settled(host.cpu), at_most: 5m }}`")), "{hint}");
        }
    }
    for (keys, code, label) in [
        (
            "recovery: { until: settled(host.cpu), at_most: 5m }",
            "study::rule-not-here",
            "add `idle: 1m` to the scenario",
        ),
        ("idle: 1m, drain: { until: settled(host.cpu) }", "study::missing-key", ""),
        ("recovery: { at_most: 5m }", "study::missing-key", ""),
        ("idle: 1m, gap: { until: settled(host.cpu), at_most: 5m, least: 1m }", "study::unknown-key", ""),
        (
            "idle: 1m, gap: { until: settled(host.cpu), at_most: 0s }",
            "study::out-of-range",
            "write a duration above zero",
        ),
        (
            "idle: { until: settled(host.cpu), at_most: 10s }",
            "study::out-of-range",
            "write a longer time, such as `5m`",
        ),
        ("recovery: { until: drained(host.cup), at_most: 5m }", "study::unknown-name", "did you mean `cpu`?"),
    ] {
        let (found, said, _) = mistake(keys);
        assert_eq!(found, code, "{keys}: {said}");
        assert!(said.contains(label), "{keys}: {said}");
    }
}
