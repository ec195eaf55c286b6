//! S5.E8: the public configuration of the seed had a misspelt key that was ignored in silence, and a comma that made it
//! invalid. Here either stops the run before anything is sent. Errors S5.E1 to S5.E7 are in the judge's tests of that name.
#![allow(clippy::unwrap_used, reason = "a test")]

use e2e::{Place, requirement, target};

const STUDY: &str = "study: Typed by hand
vars: { RIH_RATE: 20/s, RIH_RAMP_UP: 1s }
system: { name: echo, url: 'http://127.0.0.1:PORT', ready: /health, identity: { path: /version, expect: { name: target-echo } } }
exchanges:
  rih_1: { http.get: { url: $(echo.url)/records }, check: [ status = 200 ] }
scenarios:
  rih: { load: { arrivals: $(RIH_RATE), ramp: { over: $(RIH_RAMP_UP) }, hold: 2s }, run: [rih_1] }
requirements:
  planned: count(rih_1.intended) >= 40
";

#[test]
fn s5_e8_unknown_keys_and_syntax_errors_stop_the_run_before_any_load() {
    let place = Place::new();
    let echo = target("target-echo", &[]);
    let sound = STUDY.replace("PORT", &echo.address().port().to_string());
    // What is wrong, and what the message must name.
    let mistakes = [
        ("ramp: { over", "ramp_u: { over", "ramp_u"),
        ("RIH_RAMP_UP: 1s", "RIH_RAMP_U: 1s", "RIH_RAMP_U"),
        ("over: $(RIH_RAMP_UP)", "over: $(RIH_RAMP_U)", "RIH_RAMP_U"),
        ("requirements:", "requirments:", "requirments"),
        ("check: [", "chek: [", "chek"),
        ("run: [rih_1] }", "run: [rih_1] },", "study.yaml"),
        ("hold: 2s }", "hold: 2s", "study.yaml"),
        ("hold: 2s }", "hold: 2s, hold: 3s }", "hold"),
        ("  planned", "\tplanned", "study.yaml"),
        ("{ RIH_RATE", "[ RIH_RATE", "study.yaml"),
    ];
    for (right, wrong, named) in mistakes {
        assert_eq!(sound.matches(right).count(), 1, "`{right}` is to be replaced once");
        place.file("study.yaml", &sound.replace(right, wrong));
        let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
        assert_eq!(ran.code, 2, "`{wrong}`: {ran:#?}");
        assert!(ran.stderr.contains(named), "`{wrong}` is not told by `{named}`: {}", ran.stderr);
        assert!(!place.path().join("run").exists(), "`{wrong}` left a run folder");
    }
    // The same key, misspelt on the command line.
    place.file("study.yaml", &sound);
    let ran = place.loadproof(&["run", "study.yaml", "--set", "RIH_RAMP_U=1s", "--out", "run"]);
    assert_eq!(ran.code, 2, "{ran:#?}");
    assert!(ran.stderr.contains("RIH_RAMP_U") && !place.path().join("run").exists(), "{}", ran.stderr);
    assert_eq!(echo.counter("requests").unwrap(), 0, "something was sent");

    // As JSON, with the comma too many.
    place.file(
        "study.json",
        "{ \"study\": \"Typed by hand\", \"vars\": { \"RIH_RATE\": \"3/s\" }, }, \"scenarios\": {} }",
    );
    let ran = place.loadproof(&["run", "study.json", "--out", "run"]);
    assert_eq!(ran.code, 2, "{ran:#?}");
    assert!(ran.stderr.contains("study.json"), "{}", ran.stderr);

    // Without a mistake the same study runs: none of this was the machine's doing.
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    assert_ne!(ran.code, 2, "{ran:#?}");
    assert_eq!(requirement(&place.result("run"), "planned")["value"], 40.0);
    assert!(echo.counter("requests").unwrap() >= 40);
}
