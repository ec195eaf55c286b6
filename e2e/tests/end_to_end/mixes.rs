//! Several workloads at once against a real server: every part's plan is carried out, and the order again.
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use e2e::{Place, assert_balanced, requirement, target};
use serde_json::Value;

const STUDY: &str = "study: Mix
vars: { rate: 20/s }
system: { name: echo, url: 'http://127.0.0.1:PORT', ready: /health, identity: { path: /version, expect: { name: target-echo } } }
exchanges:
  one: { http.get: { url: $(echo.url)/one }, check: [ status = 200 ] }
  two: { http.get: { url: $(echo.url)/two }, check: [ status = 200 ] }
  job: { http.get: { url: $(echo.url)/job }, check: [ status = 200 ] }
scenarios:
  quick: { load: { arrivals: $(rate), hold: 3s }, run: [one] }
  people: { load: { users: 2, pacing: 100ms, hold: 4s }, run: [two] }
  import: { load: { users: 1, count: 2 }, run: [job], after: 1s }
  alone: { mix: [quick] }
  full: { set: { rate: 40/s }, mix: [quick, people, import] }
order: [alone, full]
repeat: 2
requirements:
  planned: count(quick/one.intended) >= 60
  jobs: count(import/job) >= 4
  right: share(people/two.failed) <= 50%
";

fn hold<'a>(result: &'a Value, scope: &str) -> &'a Value {
    let scenarios = result["scenarios"].as_array().expect("scenarios").iter();
    let mut steps = scenarios.flat_map(|scenario| scenario["steps"].as_array().expect("steps"));
    steps.find(|step| step["scope"] == scope).unwrap_or_else(|| panic!("{scope}: {result:#}"))
}

#[test]
fn every_part_of_a_mix_is_driven_recorded_and_judged() {
    let place = Place::new();
    let echo = target("target-echo", &[]);
    place.file("study.yaml", &STUDY.replace("PORT", &echo.address().port().to_string()));
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    assert!([0, 1, 3].contains(&ran.code), "{ran:#?}");
    let result = place.result("run");
    assert_eq!(result["run"]["end_reason"], "completed", "{ran:#?}");
    for repetition in [1, 2] {
        let of = |scenario: &str, part: &str| hold(&result, &format!("{scenario}/hold#{repetition}/{part}"));
        // What is planned does not depend on the machine's speed.
        assert_eq!(of("alone", "quick")["intended"], 60);
        assert_eq!(of("full", "quick")["intended"], 120);
        assert_eq!(of("full", "import")["intended"], 2);
        let people = of("full", "people");
        assert!((1..=60).contains(&people["intended"].as_u64().expect("a count")), "{people:#}");
        for (scenario, part) in [("alone", "quick"), ("full", "quick"), ("full", "people"), ("full", "import")] {
            let step = of(scenario, part);
            assert_balanced(step);
            assert_eq!((&step["part"], &step["repetition"]), (&Value::from(part), &Value::from(repetition)));
        }
    }
    // Both repetitions together, in the mix of all three.
    let jobs = requirement(&result, "jobs");
    assert_eq!((&jobs["scope"], &jobs["value"]), (&Value::from("full/hold/import"), &Value::from(4.0)), "{jobs:#}");
    let report = std::fs::read_to_string(place.path().join("run/report.html")).expect("a report");
    for word in ["full#2", "quick", "people", "import"] {
        assert!(report.contains(word), "{word}");
    }
    // The archive judges alike: parts and repetitions are in the effective study.
    let again = place.loadproof(&["judge", "run", "--json"]);
    assert_eq!(again.json()["requirements"], result["requirements"]);
}
