//! Servers that misbehave on the wire, met by the command as a user would meet them.
#![allow(clippy::disallowed_methods, reason = "tests of real processes wait in real time")]

use e2e::{Place, assert_balanced, step, wait};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// A server with a thread for each connection, for as long as the test lives.
fn server(serve: impl Fn(TcpStream) + Clone + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let serve = serve.clone();
            std::thread::spawn(move || serve(stream));
        }
    });
    address
}

/// Reads one request without a body; `false` at the end of the connection or after its time-out.
fn read_request(stream: &mut TcpStream) -> bool {
    let mut request = Vec::new();
    let mut byte = [0];
    while !request.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte) {
            Ok(1) => request.push(byte[0]),
            _ => return false,
        }
    }
    true
}

fn answer(more: &str, body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\n{more}Content-Length: {}\r\n\r\n{body}", body.len())
}

fn run(place: &Place, study: &str) -> Value {
    place.file("study.yaml", study);
    let ran = place.loadproof(&["run", "study.yaml", "--out", "run"]);
    assert!([0, 1, 3].contains(&ran.code), "{ran:#?}");
    place.result("run")
}

#[test]
fn a_server_that_closes_idle_connections_costs_no_failures() {
    let place = Place::new();
    // Says one second, as Node does, and has gone when a request comes later than that.
    let address = server(|mut stream| {
        let mut answered: Option<Instant> = None;
        while read_request(&mut stream)
            && answered.is_none_or(|at| at.elapsed() < Duration::from_millis(1100))
            && stream.write_all(answer("Keep-Alive: timeout=1\r\n", "ok").as_bytes()).is_ok()
        {
            answered = Some(Instant::now());
        }
    });
    let result = run(
        &place,
        &format!(
            "study: Idle\nsystem: {{ name: target }}\nexchanges:\n  x: {{ http.get: {{ url: \"http://{address}/\" }} }}\n\
             scenarios:\n  a: {{ run: [x, think: 1200ms], load: {{ users: 30, hold: 6s }} }}\n"
        ),
    );
    let hold = step(&result, "a", "hold");
    assert_balanced(hold);
    assert_eq!(hold["failed"], 0, "{hold:#}");
    assert!(hold["completed"].as_u64() > Some(60), "{hold:#}");
}

#[test]
fn an_answer_that_nobody_asked_for_is_not_the_next_ones() {
    let two = [answer("", "right"), answer("", "wrong")];
    // In one piece with the answer, and on its own while the connection is idle. One that comes after the next request
    // has left cannot be told from its answer, so the users of the second server think for long.
    let serve = |pieces: Vec<String>| {
        server(move |mut stream| {
            while read_request(&mut stream) && pieces.iter().all(|piece| stream.write_all(piece.as_bytes()).is_ok()) {}
        })
    };
    let (together, apart) = (serve(vec![two.concat()]), serve(two.to_vec()));
    for (address, think, count) in [(together, "", 2000), (apart, ", think: 1s", 8)] {
        let place = Place::new();
        let result = run(
            &place,
            &format!(
                "study: Unasked\nsystem: {{ name: target }}\nexchanges:\n  x: {{ http.get: {{ url: \"http://{address}/\" }}, \
                 check: [ body = right ] }}\nscenarios:\n  a: {{ run: [x{think}], load: {{ users: 4, count: {count} }} }}\n"
            ),
        );
        let hold = step(&result, "a", "hold");
        assert_balanced(hold);
        assert_eq!((&hold["completed"], &hold["failed"]), (&count.into(), &0.into()), "{hold:#}");
        let told = std::fs::read_to_string(place.path().join("run/tables/events.csv")).expect("events");
        assert!(told.contains("bytes that no request had asked for"), "{told}");
    }
}

/// Reads the preface and frames of HTTP/2 until a request's head has come: answered any earlier, its stream would not
/// be open yet, and that would be what is wrong with the answer.
fn read_a_request(stream: &mut impl Read) {
    const PREFACE: usize = 24;
    const HEADERS: u8 = 1;
    let (mut bytes, mut frame) = (Vec::<u8>::new(), PREFACE);
    loop {
        while let Some([high, middle, low, kind, ..]) = bytes.get(frame..).filter(|rest| rest.len() >= 9) {
            if *kind == HEADERS {
                return;
            }
            frame += 9 + usize::from(*high) * 65_536 + usize::from(*middle) * 256 + usize::from(*low);
        }
        let mut piece = [0; 4096];
        match stream.read(&mut piece) {
            Ok(length) if length > 0 => bytes.extend(&piece[..length]),
            _ => return,
        }
    }
}

#[test]
fn interim_answers_without_end_take_no_memory() {
    let frame = |kind: u8, flags: u8, stream: u8, payload: &[u8]| {
        [&[0, 0, payload.len() as u8, kind, flags, 0, 0, 0, stream], payload].concat()
    };
    let greeting = [frame(4, 0, 0, &[]), frame(4, 1, 0, &[])].concat();
    let block = frame(1, 4, 1, &[0x08, 3, b'1', b'0', b'0']).repeat(4000);
    let place = Place::new();
    let address = server(move |mut stream| {
        let _ = stream.write_all(&greeting);
        read_a_request(&mut stream);
        while stream.write_all(&block).is_ok() {}
    });
    place.file(
        "study.yaml",
        &format!(
            "study: Flood\nsystem: {{ name: target }}\nexchanges:\n  x: {{ http.get: {{ url: \"http://{address}/\", version: 2 }} }}\n\
             scenarios:\n  a: {{ run: [x], load: {{ arrivals: 50/s, hold: 5s }} }}\n"
        ),
    );
    let child = place.start(&["run", "study.yaml", "--out", "run"]);
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    let peak_of = || {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.trim().strip_suffix(" kB")?.parse::<u64>().ok()
    };
    // A process that has ended has no memory to be read, and is waited for below.
    while let Some(kilobytes) = peak_of() {
        peak = kilobytes.max(peak);
        std::thread::sleep(Duration::from_millis(20));
    }
    let ran = wait(child);
    assert!([0, 1, 3].contains(&ran.code), "{ran:#?}");
    // 250 connections took 500 MB when each kept what it had read in one round.
    assert!(peak > 0 && peak < 250_000, "{peak} kB");
    let result = place.result("run");
    let hold = step(&result, "a", "hold");
    assert_balanced(hold);
    assert_eq!((&hold["completed"], &hold["failed"]), (&Value::from(0), &hold["started"]), "{hold:#}");
    let report = std::fs::read_to_string(place.path().join("run/report.html")).expect("a report");
    assert!(report.contains("more than 16 interim answers"), "the report says why");
}
