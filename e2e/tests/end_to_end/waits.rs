//! Waits around a load that a rule may end: by its rule, by their longest time, by a stop.
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use e2e::{Place, assert_balanced, step, target, until, wait};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A metrics page with a queue: as long as `served` grows it is so long, and afterwards one less each time that the page is
/// read, so that a test knows how often it must be read until it is empty.
fn queue_page(length: u64, served: impl Fn() -> u64 + Send + 'static) -> (SocketAddr, Arc<AtomicU64>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let address = listener.local_addr().expect("an address");
    let read = Arc::new(AtomicU64::new(0));
    let count = read.clone();
    std::thread::spawn(move || {
        let (mut last, mut depth) = (served(), 0);
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut request = [0; 2048];
            if !stream.read(&mut request).is_ok_and(|count| count > 0) {
                continue;
            }
            let now = served();
            depth = if now > last { length } else { depth - u64::from(depth > 0) };
            last = now;
            count.fetch_add(1, Ordering::Relaxed);
            let body = format!("# TYPE queue gauge\nqueue {depth}\n");
            let answer = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            );
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    (address, read)
}

fn study(shop: SocketAddr, page: SocketAddr, scenarios: &str) -> String {
    format!(
        "study: Waiting\nsystem: {{ name: shop, url: 'http://{shop}', identity: {{ path: /version, expect: {{ name: target-echo }} }} }}\n\
         watch: {{ page: {{ prometheus: {{ url: 'http://{page}/metrics', values: {{ queue: queue }} }} }} }}\n\
         exchanges:\n  home: {{ http.get: {{ url: '$(shop.url)/' }}, timeout: 2s }}\n\
         scenarios:\n{scenarios}\
         requirements: {{ right: share(home.failed) <= 50% }}\n"
    )
}

/// The findings of a rule, with what they are about.
fn found(result: &Value, rule: &str) -> Vec<(String, Value)> {
    let all = result["findings"].as_array().expect("findings").iter();
    let own = all.filter(|finding| finding["rule"] == rule);
    own.map(|finding| (finding["scope"].as_str().unwrap_or_default().to_owned(), finding["args"].clone())).collect()
}

#[test]
fn a_wait_ends_by_its_rule_or_by_its_longest_time() {
    let target = Arc::new(target("target-echo", &[]));
    let served = target.clone();
    let (page, _) = queue_page(4, move || served.counter("answered").unwrap_or_default());
    let place = Place::new();
    let load = "load: { arrivals: 20/s, hold: 3s }, run: [home]";
    let scenarios = format!(
        "  patient: {{ {load}, idle: {{ until: settled(page.queue), at_most: 2m }}, drain: {{ until: drained(page.queue), at_most: 2m }} }}\n\
         \x20 hasty: {{ {load}, recovery: {{ until: drained(page.queue), at_most: 1s }} }}\n"
    );
    place.file("study.yaml", &study(target.address(), page, &scenarios));
    let check = place.loadproof(&["check", "study.yaml"]);
    assert!(check.stdout.contains("at most 2m  until drained(page.queue)"), "{check:#?}");
    assert!(check.stdout.contains("6s, up to 4m 1s more where rules bring it about, and the drains"), "{check:#?}");
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    assert!([0, 3].contains(&ran.code), "{ran:#?}");
    let result = place.result("run");
    for scenario in ["patient", "hasty"] {
        assert_balanced(step(&result, scenario, "hold"));
    }
    let seconds = |scenario: &str, id: &str| step(&result, scenario, id)["seconds"].as_f64().expect("a length");
    // The baseline is what was quiet, and four more readings of the page come before an empty one.
    assert!((10.0..100.0).contains(&seconds("patient", "idle")), "{result:#}");
    assert!((3.0..100.0).contains(&seconds("patient", "drain")), "{result:#}");
    assert!((1.0..3.0).contains(&seconds("hasty", "recovery")), "{result:#}");
    let busy = found(&result, "STILL-BUSY");
    let [(scope, args)] = &busy[..] else { panic!("one wait was too short: {busy:#?}") };
    assert_eq!(scope, "hasty/recovery");
    assert_eq!(
        (&args["wait"]["text"], &args["standing"]["text"], &args["rule"]["text"]),
        (&"recovery".into(), &"drained".into(), &"drained(page.queue)".into()),
        "{args:#}"
    );
    assert!((1.0..=4.0).contains(&args["value"]["number"].as_f64().expect("a depth")), "{args:#}");
    let report = std::fs::read_to_string(place.path().join("run/report.html")).expect("a report");
    assert!(report.contains("did not hold within the longest wait of 1\u{a0}s"), "the report says so");
}

#[test]
fn a_stop_ends_a_wait_and_leaves_a_whole_folder() {
    let target = target("target-echo", &[]);
    // A queue that is never empty: each time that it is read, more has been served.
    let more = AtomicU64::new(0);
    let (page, read) = queue_page(1, move || more.fetch_add(1, Ordering::Relaxed));
    let place = Place::new();
    let scenarios = "  busy: { load: { arrivals: 20/s, hold: 1s }, run: [home], drain: { until: drained(page.queue), at_most: 1h } }\n";
    place.file("study.yaml", &study(target.address(), page, scenarios));
    let child = place.start(&["run", "study.yaml", "--out", "run"]);
    assert!(until(60, || target.counter("answered").is_ok_and(|count| count >= 20)), "the load never came");
    let readings = read.load(Ordering::Relaxed);
    assert!(until(60, || read.load(Ordering::Relaxed) >= readings + 3), "nobody waits");
    kill_process(Pid::from_child(&child), Signal::INT).expect("the process is ours");
    let ran = wait(child);
    let result = place.result("run");
    assert_eq!(result["run"]["end_reason"], "interrupted", "{ran:#?}");
    let hold = step(&result, "busy", "hold");
    assert_balanced(hold);
    assert_eq!(hold["completed"], 20);
    assert!(found(&result, "STILL-BUSY").is_empty(), "it was stopped, and not too short");
    assert!(place.path().join("run/evidence/manifest.json").exists(), "the folder is sealed");
}
