//! Scenarios that are carried out again, and those that depend on what others came to.
#![allow(clippy::unwrap_used, reason = "a test")]

use e2e::{Place, assert_balanced, target};
use serde_json::Value;

#[test]
fn the_next_value_is_tried_while_the_rule_holds_and_each_in_every_round() {
    let target = target("target-echo", &["--service", "1ms"]);
    let place = Place::new();
    place.file(
        "study.yaml",
        &format!(
            "study: Adapting\nvars: {{ word: ok, rate: 20/s }}\n\
             system: {{ name: echo, url: \"http://{}\", identity: {{ expect: {{ name: target-echo }} }} }}\n\
             exchanges: {{ get: {{ http.get: {{ url: $(echo.url)/x }}, check: [ body contains $(word) ] }} }}\n\
             scenarios:\n  try:\n    grid: {{ rate: [20/s, 30/s] }}\n\
             \x20   adapt: {{ word: [nothing, ok, never], again: share(get.failed) > 0% }}\n\
             \x20   repeat: 2\n    load: {{ arrivals: $(rate), hold: 2s }}\n    run: [get]\n\
             requirements: {{ right: {{ that: share(get.failed) <= 1%, severity: informative }} }}\n",
            target.address()
        ),
    );
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    // A busy machine makes the run invalid, and nothing that is asked here depends on that.
    assert!([0, 3].contains(&ran.code), "{ran:#?}");
    let result = place.result("run");
    let scenarios = result["scenarios"].as_array().unwrap();
    let mut carried_out = Vec::new();
    for scenario in scenarios {
        for step in scenario["steps"].as_array().unwrap().iter().filter(|step| step["phase"] == "hold") {
            assert_balanced(step);
            let again = step["repetition"].as_u64().unwrap();
            carried_out.push((again, scenario["id"].as_str().unwrap().to_owned(), step["failed"] == step["intended"]));
        }
    }
    carried_out.sort();
    let step = |again, rate: &str, word: &str| (again, format!("try_rate_{rate}_s_word_{word}"), word == "nothing");
    let each = |again| ["20", "30"].map(|rate| [step(again, rate, "nothing"), step(again, rate, "ok")]).concat();
    assert_eq!(carried_out, [each(1), each(2)].concat(), "{ran:#?}");
    // What was not needed asks for nothing, and why it was left out is in the record.
    let judged = result["requirements"].as_array().unwrap();
    let never = |row: &&Value| row["scope"].as_str().unwrap().contains("never");
    assert!(judged.len() >= 4 && judged.iter().find(never).is_none(), "{judged:#?}");
    let report = std::fs::read_to_string(place.path().join("run/report.html")).unwrap();
    assert!(report.contains("did not hold of"), "the report says why a scenario was left out");
}
