//! Runs that do not end as planned: killed, interrupted, aborted.
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use e2e::{Place, assert_balanced, requirement, step, target, until, wait};
use rustix::process::{Pid, Signal, kill_process};
use std::process::Child;
use std::time::Duration;

fn study(address: std::net::SocketAddr, hold: &str) -> String {
    format!(
        "study: Ending\nsystem: {{ name: shop, url: 'http://{address}', identity: {{ path: /version, expect: {{ name: target-echo }} }} }}\n\
         watch: {{ host: {{}} }}\nexchanges:\n  home: {{ http.get: {{ url: '$(shop.url)/' }}, timeout: 2s }}\n\
         scenarios:\n  busy: {{ load: {{ arrivals: 100/s, hold: {hold} }}, run: [home], abort: [ share(home.failed) > 50% for 2s ] }}\n\
         requirements: {{ right: share(home.failed) <= 5% }}\n"
    )
}

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).expect("the process is ours");
}

#[test]
fn a_killed_run_still_gives_its_report() {
    let target = target("target-echo", &[]);
    let place = Place::new();
    place.file("study.yaml", &study(target.address(), "60s"));
    let mut child = place.start(&["run", "study.yaml", "--out", "run"]);
    assert!(until(30, || target.counter("answered").is_ok_and(|count| count >= 500)), "the load never came");
    send(&child, Signal::KILL);
    child.wait().expect("it ends");
    std::thread::sleep(Duration::from_millis(200));
    let answered = target.counter("answered").expect("counters");
    let ran = place.loadproof(&["report", "run"]);
    assert_eq!(ran.code, 3, "a hold that was cut short proves nothing: {ran:#?}");
    assert!(ran.stderr.contains("killed"), "{ran:#?}");
    let result = place.result("run");
    assert_eq!(result["run"]["end_reason"], "interrupted");
    let hold = step(&result, "busy", "hold");
    assert_balanced(hold);
    let completed = hold["completed"].as_u64().expect("a count");
    assert!(completed + 220 >= answered, "{completed} of {answered}: more than the last second is lost");
    assert!(completed <= answered);
    let report = std::fs::read_to_string(place.path().join("run/report.html")).expect("a report");
    assert!(report.contains("killed"), "the report says so");
}

#[test]
fn ctrl_c_lets_end_what_is_open() {
    let target = target("target-echo", &["--service", "300ms"]);
    let place = Place::new();
    place.file("study.yaml", &study(target.address(), "60s"));
    let child = place.start(&["run", "study.yaml", "--out", "run"]);
    assert!(until(30, || target.counter("answered").is_ok_and(|count| count >= 200)), "the load never came");
    send(&child, Signal::INT);
    let ran = wait(child);
    let result = place.result("run");
    assert_eq!(result["run"]["end_reason"], "interrupted", "{ran:#?}");
    let hold = step(&result, "busy", "hold");
    assert_balanced(hold);
    assert_eq!((hold["aborted"].as_u64(), hold["open"].as_u64()), (Some(0), Some(0)), "{hold:#}");
    assert_eq!(hold["completed"].as_u64(), Some(target.counter("answered").expect("counters")));
    assert_eq!(requirement(&result, "right")["verdict"], "cannot_tell");
    assert_eq!(ran.code, 3);
}

#[test]
fn ctrl_c_twice_stops_now() {
    let target = target("target-echo", &["--service", "20s"]);
    let place = Place::new();
    let text = study(target.address(), "60s").replace("timeout: 2s", "timeout: 30s");
    place.file("study.yaml", &text);
    let child = place.start(&["run", "study.yaml", "--out", "run"]);
    assert!(until(60, || target.counter("requests").is_ok_and(|count| count >= 50)), "the load never came");
    // Two that come before the first is looked at are one.
    let mut child = child;
    let is_over = until(60, || {
        let is_over = child.try_wait().is_ok_and(|status| status.is_some());
        if !is_over {
            send(&child, Signal::INT);
            std::thread::sleep(Duration::from_millis(300));
        }
        is_over
    });
    assert!(is_over, "it does not stop");
    let ran = wait(child);
    let result = place.result("run");
    let hold = step(&result, "busy", "hold");
    assert_balanced(hold);
    assert!(hold["aborted"].as_u64().expect("a count") > 0, "{hold:#} {ran:#?}");
}

#[test]
fn an_abort_rule_stops_the_run_and_is_the_reason() {
    let target = target("target-echo", &["--errors", "100%"]);
    let place = Place::new();
    place.file("study.yaml", &study(target.address(), "60s"));
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    let result = place.result("run");
    assert_eq!(result["run"]["end_reason"], "aborted", "{ran:#?}");
    assert_balanced(step(&result, "busy", "hold"));
    // Three seconds are too few for a design effect, so the share stays undecided; it is never met.
    assert_ne!(requirement(&result, "right")["verdict"], "met", "{result:#}");
    assert!([1, 3].contains(&ran.code), "{ran:#?}");
}

#[test]
fn the_same_evidence_gives_the_same_bytes() {
    let target = target("target-echo", &["--service", "1ms"]);
    let place = Place::new();
    place.file("study.yaml", &study(target.address(), "12s"));
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    // 3 when the machine was too busy for a valid measurement: the bytes must be the same all the same.
    assert!([0, 3].contains(&ran.code), "{ran:#?}");
    let read = |name: &str| std::fs::read(place.path().join("run").join(name)).expect("a file");
    let (report, result) = (read("report.html"), read("result.json"));
    assert_eq!(place.loadproof(&["report", "run"]).code, ran.code);
    assert_eq!(place.loadproof(&["judge", "run"]).code, ran.code);
    assert!(read("report.html") == report, "the report differs");
    assert!(read("result.json") == result, "the result differs");
    // Another requirement, years later, without running again.
    let strict = study(target.address(), "12s").replace("share(home.failed) <= 5%", "share(home.service < 1ms) >= 99%");
    place.file("strict.yaml", &strict);
    let ran = place.loadproof(&["judge", "run", "--study", "strict.yaml", "--json"]);
    assert_ne!(ran.code, 0, "{ran:#?}");
    assert_ne!(requirement(&ran.json(), "right")["verdict"], "met");
}

#[test]
fn changed_evidence_is_noticed() {
    let target = target("target-echo", &[]);
    let place = Place::new();
    place.file("study.yaml", &study(target.address(), "11s"));
    assert!([0, 3].contains(&place.loadproof(&["run", "study.yaml", "--out", "run"]).code));
    let path = place.path().join("run/evidence/study.yaml");
    let text = std::fs::read_to_string(&path).expect("a study");
    std::fs::write(&path, text + "\n# changed\n").expect("it is ours");
    let ran = place.loadproof(&["report", "run"]);
    assert_eq!(ran.code, 3, "{ran:#?}");
    assert_eq!(place.result("run")["validity"]["state"], "invalid");
}

#[test]
fn a_secret_never_reaches_the_run_folder() {
    let target = target("target-echo", &["--errors", "20%"]);
    let place = Place::new();
    let text = study(target.address(), "4s")
        .replace(
            "url: '$(shop.url)/'",
            "url: '$(shop.url)/', headers: { x-key: $(secret.SHOP_KEY) }, body: 'k=$(secret.SHOP_KEY)'",
        )
        .replace("http.get", "http.post");
    place.file("study.yaml", &text);
    let missing = place.loadproof(&["check", "study.yaml"]);
    assert_eq!(missing.code, 2, "a secret that is not set is a mistake: {missing:#?}");
    assert!(missing.stderr.contains("SHOP_KEY"));
    let value = "hunter2-very-secret";
    let ran = place.loadproof_with(&["run", "study.yaml", "--out", "run"], &[("SHOP_KEY", value)]);
    assert!(place.path().join("run/report.html").exists(), "{ran:#?}");
    assert!(!ran.stderr.contains(value) && !ran.stdout.contains(value));
    for path in e2e::files(&place.path().join("run")) {
        let bytes = std::fs::read(&path).expect("a file");
        let found = bytes.windows(value.len()).any(|window| window == value.as_bytes());
        assert!(!found, "the secret stands in {}", path.display());
    }
}
