//! What people and servers write takes a bounded time and a bounded memory, as a user sees it.
#![allow(clippy::unwrap_used, reason = "a test")]

use e2e::{Place, assert_balanced, leg, step};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

/// A server that answers every request for `/version` with its name, and any other with `body`.
fn server(body: String) -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let body = body.clone();
            std::thread::spawn(move || answer(stream, &body));
        }
    });
    address
}

fn answer(mut stream: TcpStream, body: &str) {
    let mut read = Vec::new();
    let mut piece = [0; 4096];
    while let Ok(length) = stream.read(&mut piece) {
        if length == 0 {
            return;
        }
        read.extend_from_slice(&piece[..length]);
        while let Some(end) = read.windows(4).position(|window| window == b"\r\n\r\n") {
            let head: Vec<u8> = read.drain(..end + 4).collect();
            let body = if head.starts_with(b"GET /version") { r#"{"name":"deep"}"# } else { body };
            let text = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
            if stream.write_all(text.as_bytes()).is_err() {
                return;
            }
        }
    }
}

fn study(address: std::net::SocketAddr, keys: &str) -> String {
    format!(
        "study: Budgets\n\
         system: {{ name: deep, url: \"http://{address}\", identity: {{ expect: {{ name: deep }} }} }}\n\
         exchanges:\n  look: {{ http.get: {{ url: $(deep.url)/ }}, {keys} }}\n\
         scenarios:\n  busy: {{ load: {{ arrivals: 5/s, hold: 3s }}, run: [look] }}\n"
    )
}

#[test]
fn a_path_that_costs_too_much_ends_its_exchange_and_not_the_run() {
    let nested = format!("{}{}", "[".repeat(60), "]".repeat(60));
    let address = server(nested);
    for (keys, name) in [
        ("check: [ 'json($..*..*..*..*..*..*..*..*.x) = 1' ]", "check"),
        ("capture: { found: 'json($..*..*..*..*..*..*..*..*.x)' }", "capture"),
    ] {
        let place = Place::new();
        place.file("study.yaml", &study(address, keys));
        let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
        let result = place.result("run");
        let hold = step(&result, "busy", "hold");
        assert_balanced(hold);
        assert_eq!(leg(hold, "look", "all")["classes"]["bad_study"], 15, "{name}: {ran:#?}");
        let once = place.loadproof(&["check", "study.yaml", "--once"]);
        assert!(once.stdout.contains("the path looked at more than 1000000 nodes"), "{name}: {once:#?}");
    }
}

#[test]
fn what_costs_too_much_to_read_is_refused_with_its_bound() {
    let address = server(String::new());
    let nested = |deep: usize| format!("check: [ 'json(${}{}) = 1' ]", "[?@".repeat(deep), "]".repeat(deep));
    for (keys, bound) in [
        (nested(24), "8 deep"),
        (format!("check: [ 'json(${}) = 1' ]", "[".repeat(10_000)), "at most 2000"),
        (format!("check: [ 'regex({}{}) = 1' ]", "(".repeat(4000), ")".repeat(4000)), "50"),
    ] {
        let place = Place::new();
        place.file("study.yaml", &study(address, &keys));
        let ran = place.loadproof(&["check", "study.yaml"]);
        assert_eq!(ran.code, 2, "{ran:#?}");
        assert!(ran.stderr.contains(bound) && ran.stderr.len() < 20_000, "{ran:#?}");
    }
}

#[test]
fn a_pipe_or_a_device_is_refused_at_once() {
    let address = server(String::new());
    let place = Place::new();
    let made = std::process::Command::new("mkfifo").arg(place.path().join("pipe")).status().unwrap();
    assert!(made.success());
    for (file, what) in
        [("pipe", "is a pipe"), ("/dev/zero", "is a device"), ("/proc/self/environ", "lies under `/proc`")]
    {
        let text = study(address, "check: status = 200");
        for keys in [format!("include: [ {file} ]\n"), format!("data: {{ users: {{ file: {file} }} }}\n")] {
            place.file("study.yaml", &format!("{text}{keys}"));
            let ran = place.loadproof(&["check", "study.yaml"]);
            assert_eq!(ran.code, 2, "{ran:#?}");
            assert!(ran.stderr.contains(what), "{file}: {ran:#?}");
        }
        let ran = place.loadproof(&["check", file]);
        assert_eq!(ran.code, 2, "{ran:#?}");
    }
}

#[test]
fn a_program_that_is_not_there_is_found_by_check() {
    let place = Place::new();
    let text = study(([127, 0, 0, 1], 1).into(), "check: status = 200");
    let start = text.replace("url: \"http://127.0.0.1:1\"", "start: no-such-program --port $(port)");
    place.file("study.yaml", &start);
    for command in ["check", "run"] {
        let ran = place.loadproof(&[command, "study.yaml"]);
        assert_eq!(ran.code, 2, "{ran:#?}");
        assert!(ran.stderr.contains("launch::no-program"), "{ran:#?}");
    }
    assert!(!place.path().join("runs").exists(), "nothing was begun");
}
