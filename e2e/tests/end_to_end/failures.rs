//! Targets that are dead, wrong, hostile or strangers.
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use e2e::{Place, assert_balanced, leg, step, target};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpListener;

fn quick(place: &Place, url: &str, more: &[&str]) -> Value {
    let mut arguments = vec!["quick", url, "--for", "3s", "--out", "run", "--json"];
    arguments.extend(more);
    place.loadproof(&arguments).json()
}

fn classes(step: &Value) -> Vec<(String, u64)> {
    let all = leg(step, "request", "all");
    let classes = all["classes"].as_object().unwrap_or_else(|| panic!("{all:#}"));
    classes.iter().map(|(name, count)| (name.clone(), count.as_u64().expect("a count"))).collect()
}

/// A server of raw bytes: each connection is handed to `talk` on a thread of its own.
fn raw(talk: fn(std::net::TcpStream)) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || talk(stream));
        }
    });
    format!("http://{address}/")
}

#[test]
fn a_port_where_nobody_listens_is_refused_and_counted() {
    let (_held, port) = e2e::silent_port();
    let place = Place::new();
    let result = quick(&place, &format!("http://127.0.0.1:{port}/"), &["--rate", "50/s"]);
    let hold = step(&result, "quick", "hold");
    assert_balanced(hold);
    assert_eq!((hold["intended"].as_u64(), hold["failed"].as_u64()), (Some(150), Some(150)));
    assert_eq!(classes(hold), [("refused".to_owned(), 150)]);
    let rules: Vec<_> =
        result["findings"].as_array().expect("findings").iter().map(|finding| finding["rule"].clone()).collect();
    assert!(rules.contains(&Value::from("NO-ANSWER")), "{rules:?}");
}

#[test]
fn every_way_to_fail_is_a_class_of_its_own() {
    let target = target("target-echo", &["--errors", "10%", "--reset", "10%", "--half", "10%"]);
    let place = Place::new();
    let result = quick(&place, &format!("http://{}/", target.address()), &["--rate", "200/s"]);
    let hold = step(&result, "quick", "hold");
    assert_balanced(hold);
    let classes = classes(hold);
    let count = |name: &str| classes.iter().find(|(class, _)| class == name).map_or(0, |(_, count)| *count);
    // 600 requests, shares exact in any 10,000: within a few of 60 here, and what the target says it did.
    for name in ["status", "reset", "partial"] {
        assert!((30..=90).contains(&count(name)), "{name}: {classes:?}");
    }
    assert_eq!(count("ok") + count("status") + count("reset") + count("partial"), 600, "{classes:?}");
    assert_eq!(hold["failed"].as_u64().expect("a count"), 600 - count("ok"));
}

#[test]
fn a_server_that_never_answers_times_out() {
    let url = raw(|mut stream| {
        let mut bytes = [0; 4096];
        while stream.read(&mut bytes).is_ok_and(|n| n > 0) {}
    });
    let place = Place::new();
    let result = quick(&place, &url, &["--rate", "20/s", "--timeout", "500ms"]);
    let hold = step(&result, "quick", "hold");
    assert_balanced(hold);
    assert_eq!(classes(hold), [("timeout".to_owned(), 60)]);
    let failed = leg(hold, "request", "failed");
    assert!(failed["response_ms"]["min"].as_f64().expect("a number") >= 500.0, "{failed:#}");
}

#[test]
fn what_is_no_http_is_a_fault() {
    let url = raw(|mut stream| {
        let mut bytes = [0; 4096];
        let _ = stream.read(&mut bytes);
        let _ = stream.write_all(b"220 mail.example ESMTP\r\n");
    });
    let place = Place::new();
    let result = quick(&place, &url, &["--rate", "20/s"]);
    let hold = step(&result, "quick", "hold");
    assert_balanced(hold);
    assert_eq!(classes(hold), [("fault".to_owned(), 60)]);
}

#[test]
fn a_hostile_answer_reaches_neither_memory_nor_markup() {
    let url = raw(|mut stream| {
        let mut bytes = [0; 4096];
        let _ = stream.read(&mut bytes);
        let _ = stream.write_all(
            b"HTTP/1.1 500 <script>alert(1)</script>\r\nx: <script>alert(2)</script>\r\n\r\n<script>alert(3)</script>",
        );
        let junk = vec![b'<'; 1 << 20];
        while stream.write_all(&junk).is_ok() {}
    });
    let place = Place::new();
    let result = quick(&place, &url, &["--rate", "2/s", "--timeout", "1s"]);
    assert_balanced(step(&result, "quick", "hold"));
    let report = std::fs::read_to_string(place.path().join("run/report.html")).expect("a report");
    assert!(!report.contains("<script>alert"), "the answer's script stands in the report");
    assert!(report.len() < 20_000_000, "{} bytes", report.len());
}

#[test]
fn a_target_that_is_not_the_one_meant_gets_no_load() {
    let target = target("target-echo", &[]);
    let place = Place::new();
    let address = target.address();
    let study = format!(
        "study: Stranger\nsystem: {{ name: shop, url: 'http://{address}', identity: {{ path: /version, expect: {{ name: shop }} }} }}\n\
         exchanges:\n  home: {{ http.get: {{ url: '$(shop.url)/' }} }}\nscenarios:\n  busy: {{ load: {{ arrivals: 10/s, hold: 3s }}, run: [home] }}\n\
         requirements: {{ right: share(home.failed) <= 1% }}\n"
    );
    place.file("study.yaml", &study);
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    assert_eq!(ran.code, 3, "{ran:#?}");
    assert!(ran.stderr.contains("shop"), "{ran:#?}");
    assert_eq!(target.counter("answered").expect("counters"), 0, "no load went to the stranger");
}

#[test]
fn too_few_descriptors_are_the_generators_fault() {
    let target = target("target-echo", &["--service", "5s"]);
    let place = Place::new();
    let url = format!("http://{}/", target.address());
    // 60 descriptors in all; 100 arrivals a second that each need a connection for five seconds.
    let script = format!(
        "ulimit -n 60; exec {} quick {url} --rate 100/s --connections 1000 --for 2s --timeout 2s --out run --json",
        e2e::program("loadproof").display()
    );
    let output =
        std::process::Command::new("sh").args(["-c", &script]).current_dir(place.path()).output().expect("a shell");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let Ok(result) = serde_json::from_slice::<Value>(&output.stdout) else {
        assert!(text.contains("descriptor") || text.contains("ulimit"), "{text}");
        return;
    };
    let hold = step(&result, "quick", "hold");
    assert_balanced(hold);
    assert_ne!(result["validity"]["state"], "valid", "{:#}", result["validity"]);
}
