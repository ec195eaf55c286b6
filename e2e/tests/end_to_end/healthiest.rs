//! The healthiest of the steps of a load, against a server whose capacity is what it is told.
#![allow(clippy::unwrap_used, reason = "a test")]

use e2e::{Place, target};
use serde_json::Value;

/// A server that does 100 a second, one after another, asked for 20, 50 and 200 a second: the first two it carries, the
/// last it cannot, whatever else the machine does.
fn study(place: &Place, address: std::net::SocketAddr) {
    place.file(
        "study.yaml",
        &format!(
            "study: Steps\n\
             system: {{ name: queue, url: \"http://{address}\", identity: {{ expect: {{ name: target-queue }} }} }}\n\
             watch: {{ host: {{}} }}\n\
             exchanges: {{ work: {{ http.get: {{ url: $(queue.url)/x }}, check: [ status = 200 ] }} }}\n\
             scenarios:\n  grown:\n    \
             load: {{ arrivals: [ {{ rate: 20/s, for: 6s }}, {{ rate: 50/s, for: 6s }}, {{ rate: 200/s, for: 12s }} ] }}\n    run: [work]\n\
             requirements: {{ soon: {{ that: share(work.response < 500ms) >= 50%, severity: should }} }}\n\
             capacity:\n  healthiest: {{ needs: [ soon, share(work.failed) <= 1%, alive(*), mean(host.cpu) <= 100% ] }}\n  \
             volumes: {{ week: {{ of: rate(work.ok), from: healthiest, hours: 24, days: 7 }} }}\n"
        ),
    );
}

#[test]
fn the_step_that_is_chosen_is_one_that_the_server_carries() {
    let target = target("target-queue", &["--rate-of-service", "100/s", "--service", "constant"]);
    let place = Place::new();
    study(&place, target.address());
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    assert!([0, 3].contains(&ran.code), "{ran:#?}");
    let result = place.result("run");
    let [choice] = result["capacity"]["healthiest"].as_array().unwrap().as_slice() else { panic!("{result:#}") };
    let steps = choice["steps"].as_array().unwrap();
    let scopes: Vec<&str> = steps.iter().map(|step| step["scope"].as_str().unwrap()).collect();
    assert_eq!(scopes, ["grown/hold 1", "grown/hold 2", "grown/hold 3"]);
    // Of 2,400 half are answered while the load lasts, which is so whatever else the machine does.
    let codes = |step: &Value| -> Vec<String> {
        let lost = step["lost"].as_array().unwrap().iter();
        lost.map(|lost| lost["reason"]["code"].as_str().unwrap().to_owned()).collect()
    };
    let last = codes(&steps[2]);
    assert!(last.contains(&"undrained".to_owned()), "{choice:#}");
    assert_eq!(steps[2]["passed"], 0);
    // One of the others, or on a machine that is busy with something else none; whoever lost has a reason.
    let best = choice["best"].as_str();
    assert_ne!(best, Some("grown/hold 3"), "{choice:#}");
    for step in steps {
        assert_eq!(codes(step).is_empty(), step["scope"].as_str() == best, "{choice:#}");
    }
    let volume = &result["capacity"]["volumes"][0];
    match best {
        None => assert_eq!(volume["refused"]["code"], "no_healthiest", "{volume:#}"),
        Some(best) => {
            assert_eq!(volume["scope"], best);
            let rate = volume["rate_per_s"].as_f64().unwrap();
            assert!(rate <= 60.0, "{volume:#}");
            let is_computed = volume["value"].as_f64().is_some_and(|value| (value / rate - 604_800.0).abs() < 1.0);
            assert!(is_computed || !volume["refused"].is_null(), "{volume:#}");
        }
    }
    let report = std::fs::read_to_string(place.path().join("run/report.html")).unwrap();
    assert!(report.contains("The healthiest step"), "the report has its section");
    // The folder alone gives the same again.
    assert_eq!(place.loadproof(&["judge", "run"]).code, ran.code);
    assert_eq!(place.result("run")["capacity"], result["capacity"]);
}
