//! The page beside a run: it tells what the run does, ends it for whoever has the token, and changes nothing else.
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use e2e::{Place, assert_balanced, step, target, wait};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Child;
use std::time::Duration;

fn connect(address: &str) -> TcpStream {
    let socket = TcpStream::connect(address).expect("the page is served");
    socket.set_read_timeout(Some(Duration::from_secs(60))).expect("a socket has time-outs");
    socket
}

fn asked(address: &str, first: &str, more: &str) -> String {
    let mut socket = connect(address);
    write!(socket, "{first} HTTP/1.1\r\n{more}Content-Length: 0\r\nConnection: close\r\n\r\n").expect("it listens");
    let mut answer = String::new();
    socket.read_to_string(&mut answer).expect("it answers with text");
    answer
}

/// Address and token of the page, as the command prints them.
fn page(child: &mut Child) -> (String, String) {
    let mut lines = BufReader::new(child.stderr.take().expect("it is piped")).lines();
    let told = lines.find_map(|line| line.ok()?.strip_prefix("live page: http://").map(str::to_owned));
    let (address, token) = told
        .expect("the address is printed")
        .split_once("/#")
        .map(|(a, t)| (a.to_owned(), t.to_owned()))
        .expect("a token");
    // What else is printed is read, so that nobody waits for a reader.
    std::thread::spawn(move || lines.for_each(drop));
    (address, token)
}

#[test]
fn a_run_is_watched_drained_with_the_token_and_judged_on_its_page() {
    let target = target("target-echo", &["--service", "2ms"]);
    let place = Place::new();
    let hostile = "<script>alert(1)</script>";
    place.file(
        "study.yaml",
        &format!(
            "study: '{hostile}'\nsystem: {{ name: shop }}\n\
             exchanges:\n  home: {{ http.get: {{ url: 'http://{}/' }} }}\n\
             scenarios:\n  busy: {{ load: {{ arrivals: 100/s, hold: 120s }}, run: [home] }}\n\
             requirements: {{ right: share(home.failed) <= 5% }}\n",
            target.address()
        ),
    );
    let mut child = place.start(&["run", "study.yaml", "--live", "--out", "run"]);
    let (address, token) = page(&mut child);
    let own = format!("Host: {address}\r\n");
    let mut events = connect(&address);
    write!(events, "GET /events?from=0 HTTP/1.1\r\n{own}\r\n").expect("it listens");
    let mut events = BufReader::new(events).lines().map_while(Result::ok);
    let mut next = |kind: &str| -> Value {
        let wanted = format!("event: {kind}");
        let found = events.by_ref().find(|line| *line == wanted);
        assert!(found.is_some(), "no event `{kind}` came");
        let data = events.by_ref().find_map(|line| line.strip_prefix("data: ").map(str::to_owned));
        serde_json::from_str(&data.expect("an event has data")).expect("it is JSON")
    };
    assert_eq!(next("about")["study"], hostile);
    assert_eq!(next("requirements")["rows"][0]["verdict"], "");
    // A second of full load: a hundred were due and answered.
    let is_full = |second: &Value| second["b"][0] == 100 && second["b"][2].as_u64().is_some_and(|done| done > 80);
    while !is_full(&next("second")) {}
    // Judged by the rules of the report while the load goes on: what was measured, and no verdict yet.
    let so_far =
        std::iter::repeat_with(|| next("requirements")).find(|told| !told["at"].is_null()).expect("it is judged");
    let row = &so_far["rows"][0];
    assert_eq!((&row["id"], &row["verdict"]), (&"right".into(), &"".into()), "{so_far:#}");
    assert!(row["measured"].as_str().is_some_and(|text| text.contains("0%")), "{so_far:#}");
    assert_eq!(row["reason"], "its load has not ended", "{so_far:#}");
    for (token, host, expected) in [
        ("wrong", address.as_str(), "403"),
        (token.as_str(), "evil.example", "421"),
        (token.as_str(), address.as_str(), "202"),
    ] {
        let answer = asked(&address, "POST /drain", &format!("Host: {host}\r\nX-Loadproof-Token: {token}\r\n"));
        assert!(answer.starts_with(&format!("HTTP/1.1 {expected}")), "{answer}");
    }
    let over = next("over");
    assert!(over["report"].as_str().is_some_and(|path| path.ends_with("report.html")), "{over:#}");
    assert!(over["ending"].as_str().is_some_and(|text| text.contains("operator")), "{over:#}");
    let ran = wait(child);
    let result = place.result("run");
    assert_eq!(result["run"]["end_reason"], "interrupted", "{ran:#?}");
    let hold = step(&result, "busy", "hold");
    assert_balanced(hold);
    assert_eq!(hold["aborted"], 0, "what was open could end");
    let run = record::Run::open(place.path().join("run")).expect("it is sealed");
    let interrupts: Vec<_> =
        run.events().expect("they can be read").into_iter().filter(|event| event.kind == "interrupt").collect();
    assert_eq!(interrupts.len(), 1, "{interrupts:?}");
    assert!(interrupts[0].text.contains("asked for on the live page"), "it says who asked: {interrupts:?}");
}

#[test]
fn a_port_that_is_taken_is_told_once_with_what_to_type() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = taken.local_addr().expect("an address").port();
    let place = Place::new();
    let live = format!("--live={port}");
    let quick = ["quick", "http://127.0.0.1:1/", "--rate", "1/s", "--for", "1s", "--out", "run", &live];
    let ran = place.loadproof(&quick);
    assert_eq!(ran.code, 2, "{ran:#?}");
    assert_eq!(ran.stderr.matches("os error").count(), 1, "{ran:#?}");
    assert!(
        ran.stderr.contains(&format!("127.0.0.1:{port}: ")) && ran.stderr.contains("leave out the port"),
        "{ran:#?}"
    );
    assert!(!place.path().join("run").exists(), "nothing was sent");
}
