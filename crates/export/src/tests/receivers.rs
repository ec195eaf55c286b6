//! Receivers that are slow, dead or lying, on real sockets.

use super::{head, second};
use crate::address::{Way, read};
use crate::pusher::Pusher;
use crate::scrape::Server;
use crate::{Registry, Snapshot, Surroundings};
use clock::Clock;
use scrub::KeptOut;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use terms::Nanos;

const TOKEN: &str = "hunter2-hunter2";

/// A receiver that does this with each request, given its number and its body.
pub(super) fn receiver(answer: impl Fn(usize, &[u8], &mut TcpStream) + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let mut number = 0;
        for connection in listener.incoming() {
            let Ok(mut connection) = connection else { return };
            while let Some(body) = request(&mut connection) {
                answer(number, &body, &mut connection);
                number += 1;
            }
        }
    });
    address
}

/// The body of the next request with its head before it.
pub(super) fn request(connection: &mut impl Read) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        if let Some(end) = bytes.windows(4).position(|end| end == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
            let length = head.split("content-length: ").nth(1)?.split("\r\n").next()?.parse::<usize>().ok()?;
            if bytes.len() >= end + 4 + length {
                return Some(bytes);
            }
        }
        match connection.read(&mut piece) {
            Ok(read) if read > 0 => bytes.extend_from_slice(&piece[..read]),
            _ => return None,
        }
    }
}

/// What is reported about three seconds for a receiver there: on the screen, and at the end.
fn export(url: &str, given: Nanos) -> (Vec<String>, String) {
    exported(&format!("{url}#token=LAB"), "", given)
}

/// The same for a whole address, on a machine on which every file holds this.
pub(super) fn exported(address: &str, file: &str, given: Nanos) -> (Vec<String>, String) {
    let variable = |_: &str| Some(TOKEN.to_owned());
    let file = |_: &std::path::Path, _: usize| Ok(file.to_owned());
    let receiver = read(address, &Surroundings { option: "--export", variable: &variable, file: &file }).unwrap();
    let Way::Push(push) = receiver.way else { panic!("{address}") };
    let (clock, heard) = (Clock::system(), Arc::new(Mutex::new(Vec::new())));
    let own = heard.clone();
    let say = Arc::new(move |text: &str| own.lock().unwrap().push(text.to_owned()));
    let pusher = Pusher::start(&receiver.shown, push, KeptOut::default(), &clock, say).unwrap();
    let (snapshots, ending) = three();
    snapshots.into_iter().for_each(|snapshot| pusher.hand_over(Arc::new(snapshot)));
    pusher.end(Some(Arc::new(ending)), clock.now() + given);
    let line = pusher.finish();
    let heard = heard.lock().unwrap().clone();
    assert!(heard.iter().chain([&line]).all(|text| !text.contains("hunter")), "{heard:?} {line}");
    (heard, line)
}

fn three() -> (Vec<Snapshot>, Snapshot) {
    let mut registry = Registry::new(KeptOut::default());
    let told = |number: i64| {
        registry.add(&second(number, 10, 1), &head());
        registry.snapshot().unwrap()
    };
    let all = (0..3).map(told).collect();
    (all, registry.ending().unwrap())
}

pub(super) const LONG: Nanos = Nanos::from_secs(60);
pub(super) const SHORT: Nanos = Nanos::from_millis(300);

#[test]
fn a_right_receiver_gets_every_second_and_the_end() {
    for (scheme, format) in
        [("prometheus", "snappy"), ("otlp", "x-protobuf"), ("influx", "authorization: token hunter2")]
    {
        let bodies = Arc::new(Mutex::new(Vec::new()));
        let own = bodies.clone();
        let address = receiver(move |_, body, connection| {
            own.lock().unwrap().push(String::from_utf8_lossy(body).to_lowercase());
            let _ = connection.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        });
        let (heard, line) = export(&format!("{scheme}+http://{address}/?db=x"), LONG);
        assert!(line.ends_with("3 of 3 seconds delivered"), "{line}");
        assert!(heard.is_empty(), "{heard:?}");
        // Series of InfluxDB have no end that could be told.
        let bodies = bodies.lock().unwrap();
        assert!(
            bodies.len() == if scheme == "influx" { 3 } else { 4 } && bodies.iter().all(|body| body.contains(format)),
            "{scheme}"
        );
    }
}

#[test]
fn a_receiver_that_closes_after_each_answer_gets_everything() {
    let address = receiver(|_, _, connection| {
        let _ = connection.write_all(b"HTTP/1.1 204 No Content\r\n\r\n");
        let _ = connection.shutdown(std::net::Shutdown::Both);
    });
    let (_, line) = export(&format!("prometheus+http://{address}"), LONG);
    assert!(line.ends_with("3 of 3 seconds delivered"), "{line}");
}

#[test]
fn what_is_busy_is_asked_again_and_what_refuses_is_not() {
    let address = receiver(|number, _, connection| {
        let answer = match number {
            0 => "HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n",
            2 => "HTTP/1.1 400 Bad\r\nContent-Length: 39\r\n\r\nout of order sample for hunter2-hunter2",
            _ => "HTTP/1.1 204 No Content\r\n\r\n",
        };
        let _ = connection.write_all(answer.as_bytes());
    });
    let (heard, line) = export(&format!("prometheus+http://{address}"), LONG);
    assert!(line.contains("2 of 3 seconds delivered, 1 lost: answers 400: out of order sample for"), "{line}");
    assert_eq!(heard.len(), 1, "told once: {heard:?}");
    assert!(heard[0].contains("answers 503") && heard[0].contains("the run goes on"), "{heard:?}");
}

#[test]
fn the_end_of_all_series_is_sent_again_and_told_where_it_did_not_arrive() {
    let busy = "HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n";
    let told = |busy_from: usize, busy_to: usize| {
        let address = receiver(move |number, _, connection| {
            let is_busy = (busy_from..busy_to).contains(&number);
            let answer = if is_busy { busy } else { "HTTP/1.1 204 No Content\r\n\r\n" };
            let _ = connection.write_all(answer.as_bytes());
        });
        export(&format!("prometheus+http://{address}"), LONG).1
    };
    let line = told(3, 4);
    assert!(line.ends_with("3 of 3 seconds delivered"), "{line}");
    let line = told(3, 9);
    assert!(line.contains("3 of 3 seconds delivered; the end of its series did not arrive"), "{line}");
    assert!(line.ends_with("answers 503"), "{line}");
}

#[test]
fn refused_points_are_told() {
    let address = receiver(|_, _, connection| {
        let _ = connection.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n\x0a\x06\x08\x03\x12\x02no");
    });
    let (_, line) = export(&format!("otlp+http://{address}"), LONG);
    assert!(line.contains("3 of 3 seconds delivered; 9 data points of them were refused: no"), "{line}");
}

#[test]
fn liars_cost_counted_losses_and_nothing_else() {
    type Lie = fn(&mut TcpStream);
    let lies: [(&str, Lie); 8] = [
        ("closed the connection before the end of an answer", |it| {
            let _ = it.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
            let _ = it.shutdown(std::net::Shutdown::Both);
        }),
        ("answers with more than 65536 bytes", |it| {
            let _ = it.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
            while it.write_all(b"3e8\r\n").is_ok()
                && it.write_all(&[b'x'; 1000]).is_ok()
                && it.write_all(b"\r\n").is_ok()
            {}
        }),
        ("answers 308: nothing is sent on", |it| {
            let _ = it.write_all(b"HTTP/1.1 308 There\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n");
        }),
        ("does not answer in HTTP", |it| {
            let _ = it.write_all(b"HTTP/1.1 200 OK\r\n");
            while it
                .write_all(b"X-Long: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n")
                .is_ok()
            {}
        }),
        ("does not answer in HTTP", |it| {
            let _ = it.write_all(b"SSH-2.0-OpenSSH_9.2\r\n");
            let _ = it.shutdown(std::net::Shutdown::Both);
        }),
        ("answers 200 with a page", |it| {
            let _ = it.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n<!DOCTYPE html>");
        }),
        ("answers 200 with something that is not an OTLP response", |it| {
            let _ = it.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nWelcome");
        }),
        ("answers 401: who are you", |it| {
            let _ = it.write_all(b"HTTP/1.1 401 No\r\nContent-Length: 11\r\n\r\nwho are you");
        }),
    ];
    for (expected, lie) in lies {
        let address = receiver(move |_, _, connection| lie(connection));
        let (heard, line) = export(&format!("otlp+http://{address}"), LONG);
        assert!(line.contains("0 of 3 seconds delivered, 3 lost: ") && line.contains(expected), "{expected}: {line}");
        assert_eq!(heard.len(), 1, "{heard:?}");
    }
}

#[test]
fn a_receiver_that_never_answers_is_left_when_the_time_is_over() {
    let address = receiver(|_, _, connection| {
        // Holds the connection until the other side gives up.
        let _ = connection.read(&mut [0; 1]);
    });
    let (_, line) = export(&format!("prometheus+http://{address}"), SHORT);
    assert!(line.contains("0 of 3 seconds delivered, 3 lost"), "{line}");
    // And one whose answer comes byte by byte, without an end.
    let address = receiver(|_, _, connection| {
        let _ = connection.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n");
        let clock = Clock::system();
        while connection.write_all(b"x").is_ok() {
            clock.sleep_until(clock.now() + Nanos::from_millis(20));
        }
    });
    let (_, line) = export(&format!("prometheus+http://{address}"), SHORT);
    assert!(line.contains("0 of 3 seconds delivered, 3 lost"), "{line}");
}

#[test]
fn a_dead_receiver_costs_no_time() {
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (heard, line) = export(&format!("otlp+http://{gone}"), LONG);
    assert!(line.contains("0 of 3 seconds delivered, 3 lost: Connection refused"), "{line}");
    assert_eq!(heard.len(), 1);
}

#[test]
fn the_queue_in_front_of_a_receiver_is_bounded() {
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let none = Surroundings {
        option: "--export",
        variable: &|_| None,
        file: &|_, _| Err(std::io::ErrorKind::NotFound.into()),
    };
    let Way::Push(push) = read(&format!("otlp+http://{gone}"), &none).unwrap().way else { panic!() };
    let clock = Clock::system();
    let pusher = Pusher::start("there", push, KeptOut::default(), &clock, Arc::new(|_: &str| {})).unwrap();
    let snapshot = Arc::new(three().1);
    (0..1000).for_each(|_| pusher.hand_over(snapshot.clone()));
    assert!(Arc::strong_count(&snapshot) < 70, "{}", Arc::strong_count(&snapshot));
    pusher.end(None, clock.now() + LONG);
    let line = pusher.finish();
    assert!(line.contains("0 of 1000 seconds delivered, 1000 lost"), "{line}");
}

fn fetched(address: SocketAddr, request: &str) -> String {
    let mut connection = TcpStream::connect(address).unwrap();
    connection.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    let _ = connection.read_to_string(&mut answer);
    answer
}

#[test]
fn the_page_is_served_in_the_format_that_is_asked_for() {
    let clock = Clock::system();
    let server =
        Server::start("scrape://here", "127.0.0.1:0".parse().unwrap(), &clock, Arc::new(|_: &str| {})).unwrap();
    let at = server.address();
    assert!(fetched(at, "GET /metrics HTTP/1.1\r\n\r\n").ends_with("Content-Length: 0\r\nConnection: close\r\n\r\n"));
    let (seconds, _) = three();
    seconds.into_iter().for_each(|second| server.show(Arc::new(second)));
    let open = fetched(at, "GET /metrics?x HTTP/1.1\r\naccept: application/openmetrics-text;version=1.0.0,*/*\r\n\r\n");
    assert!(open.contains("openmetrics-text; version=1.0.0") && open.ends_with("# EOF\n"), "{open}");
    assert!(
        open.contains(
            "outcome=\"ok\",phase=\"hold\",run=\"2026-shop\",scenario=\"busy\",step=\"hold\",study=\"Shop\"} 30\n"
        ),
        "{open}"
    );
    assert!(
        fetched(at, "GET / HTTP/1.1\r\n\r\n").contains("404")
            && fetched(at, "POST /metrics HTTP/1.1\r\n\r\n").contains("405")
    );
    server.end(clock.now() + LONG);
    assert_eq!(server.finish(), format!("export to scrape://{at}: fetched 2 times, the last time after the end"));
}

#[test]
fn hostile_visitors_do_not_keep_the_page_from_others() {
    let clock = Clock::system();
    let server =
        Server::start("scrape://here", "127.0.0.1:0".parse().unwrap(), &clock, Arc::new(|_: &str| {})).unwrap();
    let at = server.address();
    // Two that say nothing, and one that says too much.
    let _silent = [TcpStream::connect(at).unwrap(), TcpStream::connect(at).unwrap()];
    let mut loud = TcpStream::connect(at).unwrap();
    while loud.write_all(&[b'x'; 1024]).is_ok() {}
    assert!(fetched(at, "GET /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 200 OK"));
    assert!(fetched(at, "\0\u{1}\r\n\r\n").contains("405"));
    // Nobody waits for them at the end either.
    server.show(Arc::new(three().1));
    server.end(clock.now());
    assert!(server.finish().contains("not after the end: the last 1 seconds are not in it"));
}
