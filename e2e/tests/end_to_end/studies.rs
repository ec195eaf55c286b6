//! The ready studies, shortened, against the real reference system; and studies with mistakes.
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use e2e::{Place, assert_balanced, requirement, root, step};
use serde_json::Value;

#[test]
fn the_quickstart_runs_and_every_iteration_is_in_the_books() {
    let place = Place::new();
    let study = root().join("studies/quickstart.yaml");
    let ran = place.loadproof(&["run", &study.to_string_lossy(), "--out", "run"]);
    assert!([0, 1, 3].contains(&ran.code), "{ran:#?}");
    let result = place.result("run");
    assert_eq!(result["run"]["end_reason"], "completed", "{ran:#?}");
    for scenario in result["scenarios"].as_array().expect("scenarios") {
        for step in scenario["steps"].as_array().expect("steps") {
            assert_balanced(step);
            assert_eq!(step["open"], 0);
        }
    }
    let hold = step(&result, "steady", "hold");
    assert_eq!(hold["intended"], 2000);
    // Nearly every answer is right whatever the machine's speed: the system injects no faults.
    assert_ne!(requirement(&result, "right")["verdict"], "not_met", "{result:#}");
    assert_eq!(requirement(&result, "alive")["verdict"], Value::from("met"), "{result:#}");
    let report = std::fs::read_to_string(place.path().join("run/report.html")).expect("a report");
    for word in ["Quickstart", "gateway", "records", "holdings"] {
        assert!(report.contains(word), "{word}");
    }
}

/// Of counts and of an exact greatest value nothing is estimated, and no busy machine takes them back: whatever else it
/// does, this run ends with 0.
#[test]
fn what_is_counted_is_met_and_the_command_ends_with_zero() {
    let place = Place::new();
    let target = e2e::target("target-echo", &["--service", "2ms"]);
    let address = target.address();
    place.file(
        "study.yaml",
        &format!(
            "study: Counted\nsystem: {{ name: echo, url: \"http://{address}\", identity: {{ path: /version, expect: {{ \
             name: target-echo }} }} }}\nexchanges:\n  home: {{ http.get: {{ url: \"http://{address}/\" }}, check: [ \
             status = 200 ] }}\nscenarios:\n  steady: {{ load: {{ users: 2, hold: 4s }}, run: [home] }}\nrequirements:\n  \
             none: count(home.failed) <= 0\n  some: count(home) >= 20\n  right: share(home.failed) <= 0%\n"
        ),
    );
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    let result = place.result("run");
    for id in ["none", "some", "right"] {
        assert_eq!(requirement(&result, id)["verdict"], "met", "{:#}", requirement(&result, id));
    }
    assert_eq!(ran.code, 0, "{ran:#?}");
}

#[test]
fn a_slow_system_does_not_meet_its_requirement() {
    let place = Place::new();
    let study = root().join("studies/quickstart.yaml");
    let arguments = ["run", &study.to_string_lossy(), "--set", "delay=80ms", "--set", "rate=20/s", "--out", "run"];
    let ran = place.loadproof(&arguments);
    // 3 when the machine was too busy for a valid measurement.
    assert!([1, 3].contains(&ran.code), "{ran:#?}");
    assert_ne!(requirement(&place.result("run"), "fast")["verdict"], "met");
}

#[test]
fn the_inventory_study_shortened_is_a_trial() {
    let place = Place::new();
    let study = root().join("studies/inventory-embedded.yaml");
    let ran = place.loadproof(&["run", &study.to_string_lossy(), "--for", "30s", "--out", "run"]);
    assert!([0, 1, 3].contains(&ran.code), "{ran:#?}");
    let result = place.result("run");
    assert_balanced(step(&result, "normal", "hold"));
    assert_balanced(step(&result, "high", "hold"));
    let report = std::fs::read_to_string(place.path().join("run/report.html")).expect("a report");
    assert!(report.to_lowercase().contains("trial"));
}

#[test]
fn a_study_with_ten_mistakes_shows_ten() {
    let place = Place::new();
    place.file(
        "study.yaml",
        "study: Ten\nseeed: 1\nsystem: { name: shop, url: 'http://127.0.0.1:1', identity: { path: /version, expect: { name: shop } } }\n\
         exchanges:\n  home: { http.get: { url: '$(shop.url)/', heders: {} }, timeout: 5 }\n  other: { htpp.get: { url: '$(shopp.url)/' } }\n\
         scenarios:\n  busy: { load: { arrivals: 250, hold: 5m }, run: [hom] }\n  idle: { load: { users: many, hold: 10 }, run: [home] }\n\
         requirements:\n  fast: share(nobody.response < 1s) >= 95%\n  wrong: p95(home.response) < 300\n",
    );
    let ran = place.loadproof(&["check", "study.yaml"]);
    assert_eq!(ran.code, 2, "{ran:#?}");
    let count = ran.stderr.matches("error[").count();
    assert!(count >= 10, "{count} mistakes:\n{}", ran.stderr);
    for expected in ["seeed", "heders", "htpp", "250/s", "`hom`", "did you mean"] {
        assert!(ran.stderr.contains(expected), "{expected}:\n{}", ran.stderr);
    }
}

#[test]
fn a_new_study_checks() {
    let place = Place::new();
    assert_eq!(place.loadproof(&["new", "here"]).code, 0);
    let ran = place.loadproof(&["check", "here/study.yaml"]);
    assert_eq!(ran.code, 0, "{ran:#?}");
    assert_eq!(place.loadproof(&["new", "here"]).code, 2, "a second one is refused");
}
