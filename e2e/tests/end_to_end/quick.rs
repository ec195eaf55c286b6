//! `loadproof quick` against a target whose books can be compared.
#![allow(clippy::unwrap_used, reason = "a test")]
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use e2e::{Place, assert_balanced, leg, step, target};

#[test]
fn every_request_of_an_open_load_is_in_both_books() {
    let target = target("target-echo", &["--service", "2ms"]);
    let place = Place::new();
    let url = format!("http://{}/", target.address());
    let ran = place.loadproof(&["quick", &url, "--rate", "200/s", "--for", "5s", "--out", "run", "--json"]);
    let result = ran.json();
    assert_eq!(result["schema"], "loadproof/result/1");
    let hold = step(&result, "quick", "hold");
    assert_balanced(hold);
    assert_eq!(hold["intended"], 1000);
    assert_eq!(hold["completed"], 1000);
    assert_eq!(hold["seconds"], 5.0);
    assert_eq!(hold["offered_per_s"], 200.0);
    assert!(hold["users"].is_null());
    // The target counted the same.
    assert_eq!(target.counter("answered").unwrap(), 1000);
    let ok = leg(hold, "request", "ok");
    assert_eq!(ok["count"], 1000);
    let min = ok["service_ms"]["min"].as_f64().unwrap();
    assert!(min >= 2.0, "no answer can be faster than the service time, but one took {min} ms");
    assert!(ok["response_ms"]["p50"].as_f64().unwrap() >= min);
    for name in ["report.html", "result.json", "evidence/manifest.json", "evidence/run.json", "evidence/study.yaml"] {
        assert!(place.path().join("run").join(name).exists(), "{name}");
    }
    assert_eq!(place.result("run"), result, "standard output and the file say the same");
    let head = std::fs::read_to_string(place.path().join("run/evidence/run.json")).unwrap();
    let head: serde_json::Value = serde_json::from_str(&head).unwrap();
    assert_eq!(head["shares_machine"], true, "the target has an address of this machine");
}

#[test]
fn a_closed_load_has_no_response_times() {
    let target = target("target-echo", &["--service", "20ms"]);
    let place = Place::new();
    let url = format!("http://{}/", target.address());
    let ran = place.loadproof(&["quick", &url, "--users", "4", "--for", "3s", "--out", "run", "--json"]);
    let result = ran.json();
    let hold = step(&result, "quick", "hold");
    assert_balanced(hold);
    assert_eq!(hold["users"], 4);
    let ok = leg(hold, "request", "ok");
    assert!(ok["response_ms"].is_null(), "{ok:#}");
    assert!(ok["service_ms"]["min"].as_f64().unwrap() >= 20.0);
    // Four users, 20 ms and a little more each: Little's law bounds the count from above.
    assert!(hold["completed"].as_u64().unwrap() <= 4 * 150 + 4);
    assert_eq!(hold["completed"].as_u64().unwrap(), target.counter("answered").unwrap());
}

#[test]
fn an_existing_run_folder_is_not_touched() {
    let target = target("target-echo", &[]);
    let place = Place::new();
    place.file("run/mine.txt", "mine");
    let url = format!("http://{}/", target.address());
    let ran = place.loadproof(&["quick", &url, "--rate", "10/s", "--for", "1s", "--out", "run"]);
    assert_eq!(ran.code, 2, "{ran:#?}");
    assert!(ran.stderr.contains("run"), "{ran:#?}");
    assert_eq!(std::fs::read_dir(place.path().join("run")).unwrap().count(), 1);
    assert_eq!(target.counter("answered").unwrap(), 0, "nothing was sent");
}

#[test]
fn wrong_command_lines_say_what_to_type() {
    let place = Place::new();
    for (arguments, expected) in [
        (vec!["quick", "http://127.0.0.1:1/", "--rate", "200", "--for", "1s"], "200/s"),
        (vec!["quick", "http://127.0.0.1:1/", "--rate", "200/s", "--for", "1"], "--for 30s"),
        (vec!["run", "nowhere.yaml"], "nowhere.yaml"),
        (vec!["judge", "nowhere"], "nowhere"),
    ] {
        let ran = place.loadproof(&arguments);
        assert_eq!(ran.code, 2, "{arguments:?}: {ran:#?}");
        assert!(ran.stderr.contains(expected), "{arguments:?}: {ran:#?}");
    }
}

#[test]
fn what_the_lookup_of_a_name_took_and_found_is_a_fact() {
    let target = target("target-echo", &[]);
    let place = Place::new();
    let url = format!("http://localhost:{}/", target.address().port());
    let ran = place.loadproof(&["quick", &url, "--users", "1", "--for", "3s", "--out", "run"]);
    let head = std::fs::read_to_string(place.path().join("run/evidence/run.json")).expect("a head");
    let head: serde_json::Value = serde_json::from_str(&head).expect("JSON");
    let facts = head["facts"].as_array().expect("facts");
    let found: Vec<_> = facts.iter().filter(|fact| fact[0] == "names").collect();
    assert!(found.len() == 1 && found[0][1] == "localhost", "{ran:#?}: {facts:#?}");
    let said = found[0][2].as_str().expect("a text");
    assert!(said.contains("127.0.0.1") && said.contains("(looked up in "), "{said}");
}
