//! Loads of which nothing succeeds: decided where all calls agree, doubted where nobody answered, and explained.

use e2e::{Place, assert_balanced, leg, requirement, step, target};
use serde_json::Value;

fn study(url: &str, load: &str) -> String {
    format!(
        "study: Nothing\nsystem: {{ name: shop, instances: {{ shop: {{ url: '{url}', identity: none }} }} }}\n\
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

#[test]
fn every_call_wrong_in_a_short_run_is_not_met_and_no_capacity() {
    let target = target("target-echo", &[]);
    for load in ["{ arrivals: 20/s, hold: 8s }", "{ users: 2, think: 100ms, hold: 8s }"] {
        let place = Place::new();
        let (code, result) = run(&place, &study(&format!("http://{}", target.address()), load));
        assert_eq!(code, 1, "{result:#}");
        let hold = step(&result, "busy", "hold");
        assert_balanced(hold);
        let ended = leg(hold, "p", "all")["count"].as_u64().unwrap_or_default();
        assert!(ended > 20 && hold["completed"] == 0, "{hold:#}");
        for id in ["right", "well"] {
            let result = requirement(&result, id);
            assert_eq!((&result["verdict"], &result["reason_code"]), (&"not_met".into(), &"far_outside".into()));
        }
        assert_eq!(requirement(&result, "fast")["verdict"], "cannot_tell", "nothing ended well, so nothing was fast");
        // It answers, if only what is wrong.
        assert_eq!(result["validity"]["state"], "valid", "{:#}", result["validity"]);
        assert_eq!(failures(hold), [("wrong".to_owned(), ended)]);
        let example = hold["exchanges"][0]["failures"][0]["example"].as_str().unwrap_or_default();
        assert!(example.contains("200"), "what came instead is told: {example}");
        let lines = result["capacity"]["lines"].as_array().cloned().unwrap_or_default();
        assert!(lines.iter().all(|line| line["says"] == "nothing"), "{lines:#?}");
        let report = std::fs::read_to_string(place.path().join("run/report.md")).unwrap_or_default();
        assert!(!report.contains("the capacity is below"), "{report}");
    }
}

#[test]
fn a_host_that_does_not_resolve_and_a_port_without_a_listener_are_doubted() {
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.local_addr().expect("an address").port()
    };
    for url in ["http://no-such-host.invalid:80".to_owned(), format!("http://127.0.0.1:{port}")] {
        let place = Place::new();
        let (code, result) = run(&place, &study(&url, "{ arrivals: 20/s, hold: 5s }"));
        assert_eq!(code, 1, "{result:#}");
        assert_eq!(result["validity"]["state"], "questionable", "{:#}", result["validity"]);
        let signs = result["validity"]["signs"].as_array().cloned().unwrap_or_default();
        let sign = signs.iter().find(|sign| sign["code"] == "unanswered").unwrap_or_else(|| panic!("{signs:#?}"));
        assert_eq!((&sign["scope"], &sign["state"]), (&"run".into(), &"questionable".into()));
        assert_eq!(requirement(&result, "right")["verdict"], "not_met");
        assert_eq!(failures(step(&result, "busy", "hold")), [("refused".to_owned(), 100)]);
    }
}

#[test]
fn tls_that_never_comes_about_is_doubted() {
    let target = target("target-echo", &[]);
    let place = Place::new();
    let url = format!("https://{}", target.address());
    let (code, result) = run(&place, &study(&url, "{ arrivals: 20/s, hold: 5s }"));
    assert_eq!(code, 1, "{result:#}");
    assert_eq!(result["validity"]["state"], "questionable", "{:#}", result["validity"]);
    assert_eq!(requirement(&result, "right")["verdict"], "not_met");
}
