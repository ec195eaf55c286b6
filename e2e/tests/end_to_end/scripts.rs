//! Scripts of a study, as the system and a user see them.
#![allow(clippy::unwrap_used, reason = "a test")]

use e2e::{Place, assert_balanced, leg, step};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// Targets and signatures.
type Asked = Arc<Mutex<Vec<(String, String)>>>;

/// A server that keeps the targets and signatures it is asked with, and answers with two numbers and their sum.
fn server() -> (SocketAddr, Asked) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let asked = Asked::default();
    let kept = asked.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let kept = kept.clone();
            std::thread::spawn(move || answer(stream, &kept));
        }
    });
    (address, asked)
}

fn answer(mut stream: TcpStream, asked: &Mutex<Vec<(String, String)>>) {
    let mut read = Vec::new();
    let mut piece = [0; 4096];
    while let Ok(length) = stream.read(&mut piece) {
        if length == 0 {
            return;
        }
        read.extend_from_slice(&piece[..length]);
        while let Some(end) = read.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8(read.drain(..end + 4).collect()).unwrap();
            let target = head.split(' ').nth(1).unwrap().to_owned();
            let signature =
                head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("x-sig: ").map(str::to_owned));
            if let Some(signature) = signature {
                asked.lock().unwrap().push((target.clone(), signature));
            }
            let total = if target.starts_with("/wrong") { 6 } else { 5 };
            let body = match target.as_str() {
                "/version" => r#"{"name":"signed"}"#.to_owned(),
                target if target.starts_with("/broken") => "<html>".to_owned(),
                _ => format!(r#"{{"items":[{{"n":2}},{{"n":3}}],"total":{total}}}"#),
            };
            let text = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
            if stream.write_all(text.as_bytes()).is_err() {
                return;
            }
        }
    }
}

const SCRIPTS: &str = "
// Parameters in the order of their names, then FNV-1a.
fn make(query) {
    let parts = query.split('&');
    parts.sort();
    let h = 0x811c9dc5;
    for part in parts {
        for byte in part.to_blob().to_array() { h = ((h ^ byte) * 16777619) & 0xffffffff; }
    }
    h.to_hex()
}

fn adds_up(body) {
    let answer = parse_json(body);
    let sum = 0;
    for item in answer.items { sum += item.n; }
    sum == answer.total
}

fn endless(text) { loop { } }
";

fn fnv(text: &str) -> String {
    let hash = text.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(16_777_619));
    format!("{hash:x}")
}

#[test]
fn what_a_script_computes_is_sent_and_checked_and_one_without_end_stops_nothing() {
    let (address, asked) = server();
    let place = Place::new();
    place.file("sums.rhai", SCRIPTS);
    let get = |path: &str, keys: &str| format!("{{ http.get: {{ url: $(signed.url)/{path} }}, {keys} }}");
    let sums = "check: [ \"script(sums.adds_up, body)\" ]";
    let study = format!(
        "study: Scripts\n\
         system: {{ name: signed, url: \"http://{address}\", identity: {{ expect: {{ name: signed }} }} }}\n\
         scripts: {{ sums: {{ file: sums.rhai }} }}\n\
         exchanges:\n\
         \x20 right: {{ http.get: {{ url: \"$(signed.url)/right?n=$(serial)\", headers: {{ x-sig: \"$(sums.make('z=1&n=$(serial)'))\" }} }}, {sums} }}\n\
         \x20 wrong: {}\n  broken: {}\n  endless: {}\n\
         scenarios:\n\
         \x20 busy: {{ load: {{ arrivals: 5/s, hold: 3s }}, run: [ right, wrong, broken ] }}\n\
         \x20 stuck: {{ load: {{ arrivals: 5/s, hold: 3s }}, run: [ right, endless ] }}\n",
        get("wrong", sums),
        get("broken", sums),
        get("$(sums.endless(serial))", "timeout: 5s"),
    );
    place.file("study.yaml", &study);
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    let result = place.result("run");
    let classes = |scenario: &str, exchange: &str| {
        let hold = step(&result, scenario, "hold");
        assert_balanced(hold);
        leg(hold, exchange, "all")["classes"].clone()
    };
    assert_eq!(classes("busy", "right")["ok"], 15, "{ran:#?}");
    assert_eq!(classes("busy", "wrong")["wrong"], 15, "{ran:#?}");
    assert_eq!(classes("busy", "broken")["wrong"], 15, "{ran:#?}");
    assert_eq!(classes("stuck", "endless")["bad_study"], 15, "{ran:#?}");
    assert_eq!(classes("stuck", "right")["ok"], 15, "the load goes on: {ran:#?}");
    for told in [
        "script `sums.endless`: it takes more than 500000 steps; does it end?",
        "`script(sums.adds_up, body)` does not hold, found `false`",
        "script `sums.adds_up`, line 14: this is not JSON",
    ] {
        assert!(result.to_string().contains(told), "{told}: {}", result["failures"]);
    }
    let asked = asked.lock().unwrap();
    assert_eq!(asked.len(), 30);
    for (target, signature) in asked.iter() {
        let parameter = target.strip_prefix("/right?").unwrap();
        assert_eq!(*signature, fnv(&format!("{parameter}z=1")), "{target}");
    }
}

#[test]
fn a_slip_in_a_script_is_found_before_anything_is_sent() {
    let (address, asked) = server();
    let place = Place::new();
    place.file("sums.rhai", &SCRIPTS.replace("to_blob()", "to_blbo()"));
    place.file(
        "study.yaml",
        &format!(
            "study: Slip\nsystem: {{ name: signed, url: \"http://{address}\", identity: {{ expect: {{ name: signed }} }} }}\n\
             scripts: {{ sums: {{ file: sums.rhai }} }}\n\
             exchanges: {{ a: {{ http.get: {{ url: \"$(signed.url)/$(sums.make(serial))\" }} }} }}\n\
             scenarios: {{ busy: {{ load: {{ arrivals: 5/s, hold: 1s }}, run: [a] }} }}\n"
        ),
    );
    for command in ["check", "run"] {
        let ran = place.loadproof(&[command, "study.yaml"]);
        assert_eq!(ran.code, 2, "{ran:#?}");
        for told in ["study::bad-script", "sums.rhai:8", "did you mean `to_blob`?"] {
            assert!(ran.stderr.contains(told), "{told}: {ran:#?}");
        }
    }
    assert!(asked.lock().unwrap().is_empty());
}
