//! Loads of which nothing succeeds: decided where all calls agree, doubted where nobody answered, and explained.

use e2e::{Place, assert_balanced, leg, requirement, step, target};
use serde_json::Value;
use target_common::probe::Target;

/// A load on `url`. Who is meant is asked of a target that answers, so that the load is let go.
fn study(url: &str, target: &Target, load: &str) -> String {
    let identity = format!("{{ path: 'http://{}/version', expect: {{ name: target-echo }} }}", target.address());
    format!(
        "study: Nothing\nsystem: {{ name: shop, instances: {{ shop: {{ url: '{url}', identity: {identity} }} }} }}\n\
         exchanges:\n  p: {{ http.get: {{ url: '$(shop.url)/nowhere' }}, check: [ status = 404 ], timeout: 2s }}\n\
         scenarios:\n  busy: {{ load: {load}, run: [p] }}\n\
         requirements:\n  right: share(p.failed) <= 1%\n  well: share(p.ok) >= 99%\n  fast: p95(p) < 1s\n"
    )
}

fn run(place: &Place, study: &str) -> (i32, Value) {
    place.file("study.yaml", study);
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    assert!(place.path().join("run/result.json").exists(), "{ran:#?}");
    (ran.code, place.result("run"))
}

/// How it failed: class and count of each failure of the exchange.
fn failures(hold: &Value) -> Vec<(String, u64)> {
    let exchange = &hold["exchanges"][0];
    let all = exchange["failures"].as_array().unwrap_or_else(|| panic!("{exchange:#}"));
    all.iter()
        .map(|it| (it["class"].as_str().unwrap_or_default().to_owned(), it["count"].as_u64().unwrap_or_default()))
        .collect()
}

/// What is reported about the capacity of each kind of work.
fn says(result: &Value) -> Vec<String> {
    let lines = result["capacity"]["lines"].as_array().cloned().unwrap_or_default();
    lines.iter().map(|line| line["says"].as_str().unwrap_or_default().to_owned()).collect()
}

/// Signs that speak against the run, by their codes and states.
fn bad_signs(result: &Value) -> Vec<(String, String)> {
    let signs = result["validity"]["signs"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let all = signs.iter().map(|sign| (text(&sign["code"]), text(&sign["state"])));
    all.filter(|(_, state)| state != "valid").collect()
}

/// It is not met, unless the machine that the test runs on was so busy that it voids everything.
fn assert_not_met(code: i32, result: &Value, id: &str, reason: &str) {
    let found = requirement(result, id);
    let found = (&found["verdict"], &found["reason_code"], code);
    let is_void = bad_signs(result).iter().any(|(_, state)| state == "invalid")
        && found == (&"cannot_tell".into(), &"run_invalid".into(), 3);
    assert!(is_void || found == (&"not_met".into(), &reason.into(), 1), "{id}: {found:?}: {result:#}");
}

#[test]
fn every_call_wrong_in_a_short_run_is_not_met_and_no_capacity() {
    let target = target("target-echo", &[]);
    for load in ["{ arrivals: 20/s, hold: 8s }", "{ users: 2, pacing: 100ms, hold: 8s }"] {
        let place = Place::new();
        let (code, result) = run(&place, &study(&format!("http://{}", target.address()), &target, load));
        let hold = step(&result, "busy", "hold");
        assert_balanced(hold);
        let ended = leg(hold, "p", "all")["count"].as_u64().unwrap_or_default();
        assert!(ended > 20 && hold["completed"] == 0, "{hold:#}");
        for id in ["right", "well"] {
            assert_not_met(code, &result, id, "far_outside");
        }
        assert_eq!(requirement(&result, "fast")["verdict"], "cannot_tell", "nothing succeeded, so nothing was fast");
        // It answers, if only what is wrong.
        assert!(bad_signs(&result).iter().all(|(code, _)| code != "unanswered"), "{:#}", result["validity"]);
        assert_eq!(failures(hold), [("status".to_owned(), ended)]);
        let example = hold["exchanges"][0]["failures"][0]["example"].as_str().unwrap_or_default();
        assert!(example.contains("200"), "what came instead is told: {example}");
        assert_eq!(says(&result), ["nothing"], "{:#}", result["capacity"]);
        let report = std::fs::read_to_string(place.path().join("run/report.html")).expect("a report");
        assert!(!report.contains("the capacity is below"), "the report tells a capacity");
    }
}

#[test]
fn a_port_without_a_listener_is_doubted_and_an_unknown_host_refused() {
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.local_addr().expect("an address").port()
    };
    let target = target("target-echo", &[]);
    let place = Place::new();
    let (code, result) =
        run(&place, &study(&format!("http://127.0.0.1:{port}"), &target, "{ arrivals: 20/s, hold: 5s }"));
    assert_doubted(&result);
    assert_not_met(code, &result, "right", "far_outside");
    assert_eq!(failures(step(&result, "busy", "hold")), [("refused".to_owned(), 100)]);
    // Where the name leads nowhere, nothing begins.
    let ran =
        place.loadproof(&["quick", "http://no-such-host.invalid/", "--rate", "20/s", "--for", "2s", "--out", "q"]);
    assert_eq!(ran.code, 2, "{ran:#?}");
    assert!(ran.stderr.contains("the host `no-such-host.invalid` cannot be resolved"), "{ran:#?}");
    assert!(!place.path().join("q").exists(), "what was refused leaves no folder");
}

/// The run is questionable, for nobody answered, if not worse.
fn assert_doubted(result: &Value) {
    let expected = ("unanswered".to_owned(), "questionable".to_owned());
    assert!(bad_signs(result).contains(&expected), "{:#}", result["validity"]);
    assert_ne!(result["validity"]["state"], "valid", "{:#}", result["validity"]);
}

#[test]
fn tls_that_never_comes_about_is_doubted() {
    let target = target("target-echo", &[]);
    let place = Place::new();
    let url = format!("https://{}", target.address());
    let (code, result) = run(&place, &study(&url, &target, "{ arrivals: 20/s, hold: 5s }"));
    assert_doubted(&result);
    assert_not_met(code, &result, "right", "far_outside");
}

/// What was never sent has not failed, and is not a success either.
#[test]
fn iterations_that_the_study_breaks_off_leave_nothing_met() {
    let target = target("target-echo", &[]);
    let place = Place::new();
    let study = study(&format!("http://{}", target.address()), &target, "{ arrivals: 20/s, hold: 4s }")
        .replace("check: [ status = 404 ]", "capture: { token: { from: header(x-token), optional: true } }")
        .replace("scenarios:", "  q: { http.get: { url: '$(shop.url)/$(token)' } }\nscenarios:")
        .replace("run: [p] }", "run: [p, q] }")
        .replace("share(p.failed)", "share(*.failed)");
    let (code, result) = run(&place, &study);
    let hold = step(&result, "busy", "hold");
    assert_balanced(hold);
    assert_eq!((&hold["completed"], &hold["failed"], &hold["aborted"]), (&0.into(), &0.into(), &hold["started"]));
    assert!(bad_signs(&result).contains(&("study_faults".into(), "invalid".into())), "{:#}", result["validity"]);
    assert_eq!(requirement(&result, "right")["verdict"], "cannot_tell", "{result:#}");
    assert_eq!(code, 3);
}

/// There is no report then, so the page of the build has to say it.
#[test]
fn a_build_server_is_told_of_a_system_that_does_not_answer() {
    let (_socket, port) = e2e::silent_port();
    let place = Place::new();
    place.file(
        "study.yaml",
        &format!(
            "study: Dead\nsystem: {{ name: shop, url: 'http://127.0.0.1:{port}', \
             identity: {{ path: /version, expect: {{ name: shop }} }} }}\nexchanges:\n  p: {{ http.get: {{ url: '$(shop.url)/' }} }}\n\
             scenarios:\n  busy: {{ load: {{ users: 1, hold: 1s }}, run: [p] }}\nrequirements: {{ right: share(p.failed) <= 1% }}\n"
        ),
    );
    let step = place.path().join("step.md");
    let arguments = ["run", "study.yaml", "--out", "run", "--ci", "github", "--summary", "own.md"];
    let ran = place.loadproof_with(&arguments, &[("GITHUB_STEP_SUMMARY", step.to_str().expect("a name"))]);
    assert_eq!(ran.code, 3, "{ran:#?}");
    let told = ran.stdout.lines().chain(ran.stderr.lines()).find(|line| line.starts_with("::error "));
    assert!(told.is_some_and(|line| line.contains("does not say who it is")), "{ran:#?}");
    for file in [step, place.path().join("own.md")] {
        let text = std::fs::read_to_string(&file).expect("a summary");
        assert!(
            text.starts_with("### ✗ The run failed and has no report") && text.contains("    `shop` at `http:"),
            "{text}"
        );
    }
    let ran = place.loadproof(&["run", "study.yaml", "--summary", "nowhere/own.md"]);
    assert_eq!(ran.code, 2, "{ran:#?}");
    assert!(ran.stderr.contains("type `mkdir -p nowhere`"), "{ran:#?}");
}
