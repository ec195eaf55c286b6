//! Journeys as a browser makes them, through the command: who logs in stays logged in, and nobody else is.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::site::{Answered, Asked, serve};
use e2e::{Place, assert_balanced, files, leg, step};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a session's name begins with: it must stand nowhere in a run folder.
const SESSION: &str = "Zq7vK2pX9w";

/// A site where a form logs in and redirects to the user's own page: its port, and how many logins it was asked for.
fn site() -> (u16, Arc<AtomicU64>) {
    let logins = Arc::<AtomicU64>::default();
    let counter = logins.clone();
    (serve(move |asked| answer(asked, &counter)), logins)
}

fn answer(asked: &Asked, logins: &AtomicU64) -> Answered {
    let mut cookies = asked.header("cookie").split("; ");
    let is_known = cookies.any(|pair| pair.strip_prefix("id=").is_some_and(|id| id.starts_with(SESSION)));
    let plain = |status, text: &str| (status, String::new(), text.to_owned());
    match asked.target.as_str() {
        "/login" => {
            let number = logins.fetch_add(1, Ordering::SeqCst);
            let session = format!("Location: home\r\nSet-Cookie: id={SESSION}{number:06}; Path=/; HttpOnly\r\n");
            match asked.body == b"who=friend" {
                true => ("303 See Other", session, String::new()),
                false => plain("403 Forbidden", "who are you?"),
            }
        }
        _ if !is_known => plain("401 Unauthorized", "log in first"),
        "/home" => ("200 OK", "X-Next: /orders?page=2\r\n".to_owned(), "welcome".to_owned()),
        "/orders?page=2" => plain("200 OK", "orders"),
        _ => plain("404 Not Found", ""),
    }
}

fn study(port: u16, scenario: &str) -> String {
    format!(
        "study: Journeys\nsystem: {{ name: site }}\nvars: {{ site: \"http://127.0.0.1:{port}\" }}\nexchanges:\n\
         \x20 login: {{ http.post: {{ url: $(site)/login, form: {{ who: friend }} }}, check: [ body = welcome ] }}\n\
         \x20 stranger: {{ http.post: {{ url: $(site)/login, form: {{ who: nobody }} }}, capture: {{ next: header(x-next) }} }}\n\
         \x20 home: {{ http.get: {{ url: $(site)/home }}, capture: {{ next: header(x-next) }} }}\n\
         \x20 orders: {{ http.get: {{ url: $(next) }}, check: [ body = orders ] }}\n\
         scenarios:\n  journey: {scenario}\n"
    )
}

/// Runs a scenario; its hold, and how many logged in.
fn run(place: &Place, scenario: &str) -> (Value, u64) {
    let (port, logins) = site();
    place.file("study.yaml", &study(port, scenario));
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    assert!(matches!(ran.code, 0 | 3), "{ran:#?}");
    let hold = step(&place.result("run"), "journey", "hold").clone();
    assert_balanced(&hold);
    (hold, logins.load(Ordering::SeqCst))
}

fn count(hold: &Value, exchange: &str, outcome: &str) -> u64 {
    leg(hold, exchange, outcome)["count"].as_u64().unwrap()
}

#[test]
fn every_visitor_logs_in_and_no_session_is_written_down() {
    let place = Place::new();
    let (hold, logins) = run(&place, "{ load: { arrivals: 40/s, hold: 3s }, run: [login, home, orders] }");
    assert_eq!((hold["failed"].as_u64(), hold["completed"].as_u64()), (Some(0), Some(120)), "{hold:#}");
    assert_eq!([logins, count(&hold, "login", "ok"), count(&hold, "orders", "ok")], [120; 3]);
    for file in files(&place.path().join("run")) {
        let bytes = std::fs::read(&file).unwrap();
        let is_there = bytes.windows(SESSION.len()).any(|window| window == SESSION.as_bytes());
        assert!(!is_there, "{} holds a session", file.display());
    }
}

#[test]
fn a_visitor_who_does_not_log_in_has_nobody_elses_session() {
    let (hold, logins) = run(&Place::new(), "{ load: { users: 1, count: 10 }, run: [ home, login, home ] }");
    assert_eq!(logins, 10, "{hold:#}");
    // The first page is refused each time: what an iteration was given does not outlive it.
    assert_eq!([count(&hold, "home", "ok"), count(&hold, "home", "failed")], [10; 2], "{hold:#}");
}

#[test]
fn users_log_in_once_each_and_a_node_once_for_all_its_arrivals() {
    for (scenario, once) in [
        ("{ load: { users: 3, hold: 2s }, set_up: [ login: per user ], run: [ home, orders, think: 50ms ] }", 3),
        ("{ load: { arrivals: 40/s, hold: 2s }, set_up: [ login: per node ], run: [ home, orders ] }", 1),
    ] {
        let (hold, logins) = run(&Place::new(), scenario);
        assert_eq!((hold["failed"].as_u64(), logins), (Some(0), once), "{scenario}: {hold:#}");
        assert!(count(&hold, "orders", "ok") >= 40, "{hold:#}");
    }
}

#[test]
fn a_wrong_password_is_tried_no_faster_than_people_think() {
    let scenario = "{ load: { users: 2, hold: 2s }, run: [ stranger, orders, think: 200ms ] }";
    let (hold, logins) = run(&Place::new(), scenario);
    // Two users, at most ten iterations each of 200 ms, and one more that begins as the load ends.
    assert!((2..=22).contains(&logins), "{logins} logins: {hold:#}");
    assert_eq!(hold["completed"].as_u64(), Some(0));
}

#[test]
fn a_transaction_is_judged_reported_and_never_counted_as_a_call() {
    let place = Place::new();
    let (port, _) = site();
    let scenario = "{ load: { arrivals: 40/s, hold: 3s }, run: [ { transaction: visit, run: [ login, think: 500ms, home ] }, orders ] }";
    let rules = "requirements:\n  fast: p95(visit.response) < 450ms\n  right: share(visit.failed) <= 0%\n  calls: count(*.ok) = 360\n";
    place.file("study.yaml", &format!("{}{rules}", study(port, scenario)));
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    assert!(matches!(ran.code, 0 | 3), "{ran:#?}");
    let result = place.result("run");
    let hold = step(&result, "journey", "hold");
    assert_balanced(hold);
    let visit = &hold["transactions"][0];
    assert_eq!((visit["id"].as_str(), visit["started"].as_u64()), (Some("visit"), Some(120)), "{hold:#}");
    assert_eq!(hold["exchanges"].as_array().map(Vec::len), Some(3));
    // The think time of half a second is none of it.
    let ok = &visit["legs"][0];
    assert_eq!((ok["id"].as_str(), ok["count"].as_u64()), (Some("whole"), Some(120)), "{visit:#}");
    assert!(ok["response_ms"]["p50"].as_f64().unwrap() < 450.0, "{visit:#}");
    for requirement in result["requirements"].as_array().unwrap() {
        if requirement["id"] != "fast" {
            assert_eq!(requirement["verdict"], "met", "{requirement:#}");
        }
    }
    let page = place.loadproof(&["report", "run", "--format", "md"]);
    // Three seconds do not decide a percentile, and a report ends as its verdicts do.
    assert_eq!(page.code, ran.code, "{page:#?}");
    let text = files(&place.path().join("run")).into_iter().find(|file| file.extension().is_some_and(|it| it == "md"));
    let text = std::fs::read_to_string(text.unwrap()).unwrap();
    assert!(text.contains("What transactions consist of") && text.contains("Transactions in journey"), "{text}");
    assert!(text.contains("[ login, { think: 500ms }, home ]"), "{text}");
}
