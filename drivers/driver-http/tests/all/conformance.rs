//! What the driver owes beyond the suite: whatever answers HTTP/1.1 knows, and connections that are kept or not. The
//! servers are small and speak raw bytes.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::protocol::Http;
use crate::common::{exchange, once, with};
use contract::{Compare, Probe, Settings};
use driver_http::HTTP;
use std::io::{Read, Write};
use terms::{Nanos, Outcome};
use testkit::{
    Lab, Recorded, Server, Surroundings, body_is, capture, check, map, ok, read_request, reset, status_is, text,
};

testkit::conformance!(Http);

fn get(server: &Server) -> Settings {
    exchange("get", server.url())
}

/// The outcome of one exchange with a server that sends this and closes.
fn after(answer: &str) -> Recorded {
    once(get(&Server::closing_after(answer)))
}

#[test]
fn half_an_answer_is_partial_in_whatever_form_it_comes() {
    for half in ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "HTTP/1.1 100 Continue\r\n\r\n"]
    {
        let seen = after(half);
        assert_eq!(seen.outcome, Outcome::Partial, "{half}");
        assert!(seen.note.contains("the server closed the connection"), "{}", seen.note);
    }
    let broken = Server::start(|_, mut stream| {
        read_request(&mut stream);
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf").unwrap();
        reset(&stream);
        0
    });
    assert_eq!(once(get(&broken)).outcome, Outcome::Partial);
}

#[test]
fn an_answer_in_chunks_is_ok_however_it_is_split() {
    let answer = "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\
                  5;x=y\r\nhello\r\n1\r\n!\r\n0\r\nTrailer: z\r\n\r\n";
    let server = Server::start(move |_, mut stream| {
        while read_request(&mut stream).is_some() {
            answer.bytes().for_each(|byte| stream.write_all(&[byte]).unwrap());
        }
        0
    });
    let mut lab = Lab::new(HTTP, &[Settings { checks: vec![body_is("hello!")], ..get(&server) }]);
    for _ in 0..3 {
        let seen = lab.run(0);
        assert_eq!((seen.outcome, seen.bytes), (Outcome::Ok, 6), "{}", seen.note);
    }
}

#[test]
fn another_status_is_status() {
    for line in ["404 Not Found", "500 Oops", "300 Multiple Choices", "101 Switching Protocols"] {
        let seen = after(&format!("HTTP/1.1 {line}\r\nLocation: /\r\nContent-Length: 4\r\n\r\nwhy?"));
        assert_eq!(seen.outcome, Outcome::Status, "{line}");
        assert!(seen.note.contains(&line[..3]), "{}", seen.note);
    }
    let excerpt = after("HTTP/1.1 500 Oops\r\nContent-Length: 9\r\n\r\na\u{1b}[31m\nb\n").note;
    assert!(excerpt.ends_with("`a\\u{1b}[31m\\nb\\n`"), "{excerpt}");
    let server = Server::answering("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    let seen = once(Settings { checks: vec![status_is("404")], ..get(&server) });
    assert_eq!(seen.outcome, Outcome::Ok, "the study says what is right");
    let seen = once(Settings { checks: vec![status_is("200")], ..get(&server) });
    assert_eq!(seen.outcome, Outcome::Status);
}

#[test]
fn an_answer_that_a_check_refuses_is_wrong() {
    let server = Server::answering(ok(r#"{"id":"17","n":3}"#));
    let json = |expected| check(Probe::Json("$.id".into()), Compare::Equal, expected);
    let seen = once(Settings { checks: vec![json("18")], ..get(&server) });
    assert_eq!(seen.outcome, Outcome::Wrong);
    assert!(seen.note.contains("found `17`") && seen.note.contains(r#"{"id":"17""#), "{}", seen.note);
    let own = Settings { checks: vec![status_is("200"), json("$(row.value)")], ..get(&server) };
    let mut lab = Lab::with(HTTP, &[own], Surroundings::rows(&[b"17", b"18"]));
    assert_eq!(
        [lab.run(0).outcome, lab.run(0).outcome, lab.run(0).outcome],
        [Outcome::Ok, Outcome::Wrong, Outcome::Ok]
    );
    drop(lab);
    let header = check(Probe::Header("content-length".into()), Compare::Equal, "17");
    assert_eq!(once(Settings { checks: vec![header], ..get(&server) }).outcome, Outcome::Ok);
}

#[test]
fn answers_without_a_body_are_complete_with_their_head() {
    let server = Server::answering("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
    let mut lab = Lab::new(HTTP, &[exchange("head", server.url())]);
    assert_eq!([lab.run(0).outcome, lab.run(0).outcome], [Outcome::Ok; 2]);
    assert_eq!(server.accepted(), 1);
    let server = Server::answering("HTTP/1.1 204 No Content\r\n\r\n");
    let mut lab = Lab::new(HTTP, &[exchange("delete", server.url())]);
    assert_eq!([lab.run(0).counts(), lab.run(0).counts()], [[1, 0, 0], [0, 0, 0]]);
    let server = Server::answering("HTTP/1.1 304 Not Modified\r\nContent-Length: 1000\r\n\r\n");
    let mut lab = Lab::new(HTTP, &[Settings { checks: vec![status_is("304")], ..get(&server) }]);
    assert_eq!([lab.run(0).outcome, lab.run(0).outcome], [Outcome::Ok; 2]);
}

#[test]
fn the_server_decides_whether_the_connection_stays() {
    for (answer, connections) in [
        ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\na", 3),
        ("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na", 3),
        ("HTTP/1.0 200 OK\r\nContent-Length: 1\r\nConnection: keep-alive\r\n\r\na", 1),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na", 1),
    ] {
        let server = Server::answering(answer);
        let mut lab = Lab::new(HTTP, &[get(&server)]);
        for _ in 0..3 {
            assert_eq!(lab.run(0).outcome, Outcome::Ok);
        }
        assert_eq!(server.accepted(), connections, "{answer}");
    }
    let until_close = after("HTTP/1.1 200 OK\r\n\r\nall of it");
    assert_eq!((until_close.outcome, until_close.bytes), (Outcome::Ok, 9));
}

#[test]
fn surplus_bytes_are_noted() {
    let server = Server::answering(ok("a") + "HTTP/1.1 200 OK\r\n");
    let mut lab = Lab::new(HTTP, &[get(&server)]);
    for _ in 0..2 {
        let seen = lab.run(0);
        assert_eq!((seen.outcome, seen.counts()), (Outcome::Ok, [1, 0, 1]));
        assert!(seen.note.contains("17 bytes came after the answer"), "{}", seen.note);
    }
}

#[test]
fn bytes_that_nobody_asked_for_end_an_idle_connection() {
    let server = Server::start(|_, mut stream| {
        read_request(&mut stream);
        stream.write_all(ok("a").as_bytes()).unwrap();
        // Later than the answer, so that it is taken while the connection is idle.
        clock::Clock::system().sleep_until(Nanos::from_millis(50));
        stream.write_all(b"HTTP/1.1 408 Request Timeout\r\n\r\n").unwrap();
        stream.read(&mut [0]).unwrap_or_default()
    });
    let mut lab = Lab::new(HTTP, &[get(&server)]);
    assert_eq!(lab.run(0).outcome, Outcome::Ok);
    assert!(lab.idle_event());
    let seen = lab.run(0);
    assert_eq!((seen.outcome, seen.counts()), (Outcome::Ok, [1, 1, 0]));
    assert_eq!((lab.counted("unasked"), lab.notices()), (0, vec![]), "this is how a server may say that it closes");
}

#[test]
fn a_connection_closed_while_idle_is_found_without_an_event_too() {
    let server = Server::closing_after(ok("a"));
    let mut lab = Lab::new(HTTP, &[get(&server)]);
    lab.run(0);
    for _ in 0..3 {
        // The end may have come together with the answer, and then there is no event for it.
        assert_eq!(server.results.recv(), Ok(1), "the server has closed");
        lab.clock.sleep_until(lab.clock.now() + Nanos::from_millis(20));
        let seen = lab.run(0);
        assert_eq!((seen.outcome, seen.counts()), (Outcome::Ok, [1, 1, 0]));
    }
}

#[test]
fn without_retry_a_connection_closed_under_the_request_is_a_reset() {
    let server = Server::start(|_, mut stream| {
        read_request(&mut stream);
        stream.write_all(ok("a").as_bytes()).unwrap();
        1 + usize::from(read_request(&mut stream).is_some())
    });
    let mut lab = Lab::new(HTTP, &[Settings { retry: false, ..get(&server) }]);
    assert_eq!(lab.run(0).outcome, Outcome::Ok);
    let seen = lab.run(0);
    assert_eq!((seen.outcome, seen.counts()), (Outcome::Reset, [0, 0, 0]));
    assert_eq!((server.results.recv(), server.accepted()), (Ok(2), 1));
}

#[test]
fn a_kept_connection_that_breaks_amid_the_request_is_a_reset_not_a_second_try() {
    let server = Server::start(|_, mut stream| {
        read_request(&mut stream);
        stream.write_all(ok("a").as_bytes()).unwrap();
        stream.read_exact(&mut [0; 1000]).unwrap();
        reset(&stream);
        0
    });
    let large = with("post", server.url(), &[("body", text("x".repeat(20_000_000)))]);
    let mut lab = Lab::new(HTTP, &[get(&server), large]);
    assert_eq!(lab.run(0).outcome, Outcome::Ok);
    let seen = lab.run(1);
    assert_eq!((seen.outcome, seen.counts()), (Outcome::Reset, [0, 0, 0]), "{}", seen.note);
    assert_eq!(server.accepted(), 1);
}

#[test]
fn an_early_refusal_of_a_large_request_is_its_status() {
    let server = Server::start(|_, mut stream| {
        let mut head = [0; 100];
        stream.read_exact(&mut head).unwrap();
        stream.write_all(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        // What is still on its way is read, so that the end is not a reset.
        let mut rest = [0; 65536];
        while stream.read(&mut rest).is_ok_and(|count| count > 0) {}
        0
    });
    let large = text("x".repeat(8_000_000));
    let seen = once(with("post", server.url(), &[("body", large)]));
    assert_eq!(seen.outcome, Outcome::Status, "{}", seen.note);
}

#[test]
fn an_early_refusal_counts_even_if_the_rest_of_the_request_finds_a_reset() {
    let server = Server::start(|_, mut stream| {
        stream.read_exact(&mut [0; 100]).unwrap();
        stream.write_all(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n").unwrap();
        // Closing with unread bytes is a reset: the client's next send fails while the answer waits to be read.
        0
    });
    let mut lab = Lab::new(HTTP, &[with("post", server.url(), &[("body", text("x".repeat(20_000_000)))])]);
    for _ in 0..20 {
        let seen = lab.run(0);
        assert_eq!((seen.outcome, seen.counts()), (Outcome::Status, [1, 0, 0]), "{}", seen.note);
    }
}

#[test]
fn a_large_request_goes_out_in_parts() {
    let server = Server::start(|_, mut stream| {
        while let Some(request) = read_request(&mut stream) {
            let answer = ok(&request.body.len().to_string());
            stream.write_all(answer.as_bytes()).unwrap();
        }
        0
    });
    for slot in ["", "$(serial)"] {
        let body = text(format!("{}{slot}", "x".repeat(6_000_000)));
        let length = check(Probe::Body, Compare::AtLeast, "6000000");
        let mut lab =
            Lab::new(HTTP, &[Settings { checks: vec![length], ..with("put", server.url(), &[("body", body)]) }]);
        for _ in 0..2 {
            let seen = lab.run(0);
            assert_eq!(seen.outcome, Outcome::Ok, "{}", seen.note);
        }
    }
}

#[test]
fn a_gigabyte_is_counted_and_not_kept() {
    const LENGTH: usize = 1_000_000_000;
    let server = Server::start(|_, mut stream| {
        while read_request(&mut stream).is_some() {
            stream.write_all(format!("HTTP/1.1 200 OK\r\nContent-Length: {LENGTH}\r\n\r\n").as_bytes()).unwrap();
            let block = vec![b'x'; 1_000_000];
            (0..LENGTH / block.len()).for_each(|_| stream.write_all(&block).unwrap());
        }
        0
    });
    let is_size = check(Probe::Size, Compare::Equal, &LENGTH.to_string());
    let holds = check(Probe::Body, Compare::Contains, "y");
    let plain = Settings { checks: vec![is_size], ..get(&server) };
    let kept = Settings { checks: vec![holds], ..get(&server) };
    let mut lab = Lab::new(HTTP, &[plain, kept]);
    lab.deadline = Nanos::from_secs(60);
    let mut seen = None;
    let memory = allocation_counter::measure(|| seen = Some(lab.run(0)));
    let seen = seen.unwrap();
    assert_eq!((seen.outcome, seen.bytes), (Outcome::Ok, LENGTH as u64), "{}", seen.note);
    assert!(memory.bytes_max < 1_000_000, "{memory:?}");
    let memory = allocation_counter::measure(|| {
        let seen = lab.run(1);
        assert_eq!((seen.outcome, seen.bytes), (Outcome::Wrong, LENGTH as u64));
        assert!(seen.note.contains("body larger than what is kept: 1048576 of 1000000000 bytes"), "{}", seen.note);
    });
    assert!(memory.bytes_max < 8_000_000, "{memory:?}");
}

#[test]
fn captures_serve_the_next_exchange_and_failures_clear_them() {
    let server = Server::start(|_, mut stream| {
        let mut requests = 0;
        while let Some(request) = read_request(&mut stream) {
            requests += 1;
            let token = if requests == 1 { "X-Token: t-1\r\n" } else { "" };
            let seen = request.head.contains("x-auth: t-1");
            let answer = format!("HTTP/1.1 200 OK\r\n{token}Content-Length: 5\r\n\r\n{seen:<5}");
            stream.write_all(answer.as_bytes()).unwrap();
        }
        requests
    });
    let login = Settings { captures: vec![capture(Probe::Header("x-token".into()))], ..get(&server) };
    let headers = map(&[("x-auth", text("$(token)"))]);
    let is_seen = check(Probe::Body, Compare::Contains, "true");
    let read = Settings { checks: vec![is_seen], ..with("get", server.url(), &[("headers", headers)]) };
    let mut lab = Lab::new(HTTP, &[login, read]);
    assert_eq!(lab.run(1).outcome, Outcome::BadStudy, "nothing was captured yet");
    assert_eq!([lab.run(0).outcome, lab.run(1).outcome], [Outcome::Ok, Outcome::Ok]);
    let seen = lab.run(0);
    assert_eq!(seen.outcome, Outcome::Wrong);
    assert!(seen.note.contains("nothing to capture as `token`"), "{}", seen.note);
    assert_eq!(lab.run(1).outcome, Outcome::BadStudy, "an old value is never shown");
    drop(lab);
    assert_eq!(server.results.recv(), Ok(3));
}

#[test]
fn a_failed_exchange_clears_what_an_earlier_one_captured() {
    let server = Server::start(|_, mut stream| {
        let mut requests = 0;
        while read_request(&mut stream).is_some() {
            requests += 1;
            let status = if requests == 1 { "200 OK" } else { "503 Busy" };
            let answer = format!("HTTP/1.1 {status}\r\nX-Token: t\r\nContent-Length: 0\r\n\r\n");
            stream.write_all(answer.as_bytes()).unwrap();
        }
        requests
    });
    let login = Settings { captures: vec![capture(Probe::Header("x-token".into()))], ..get(&server) };
    let mut lab = Lab::new(HTTP, &[login]);
    assert_eq!(lab.run(0).outcome, Outcome::Ok);
    assert_eq!(lab.recorder.captures_of(0), [Some(b"t".to_vec())]);
    assert_eq!(lab.run(0).outcome, Outcome::Status);
    assert_eq!(lab.recorder.captures_of(0), [None]);
}

#[test]
fn data_cannot_smuggle_a_header_in() {
    let server = Server::answering(ok("a"));
    let headers = map(&[("x-value", text("$(row.value)"))]);
    let settings = with("get", server.url() + "?q=$(row.value)", &[("headers", headers)]);
    let values: &[&[u8]] = &[b"fine", b"a\r\nadmin: yes"];
    let mut lab = Lab::with(HTTP, &[settings], Surroundings::rows(values));
    assert_eq!([lab.run(0).outcome, lab.run(0).outcome], [Outcome::Ok, Outcome::BadStudy]);
    assert!(!lab.recorder.was_started(0), "nothing of it was sent");
    drop(lab);
    assert_eq!(server.results.recv(), Ok(1));
}

#[test]
fn two_addresses_have_a_connection_each() {
    let (a, b) = (Server::answering(ok("a")), Server::answering(ok("b")));
    let mut lab = Lab::new(HTTP, &[get(&a), get(&b)]);
    for _ in 0..3 {
        assert_eq!([lab.run(0).outcome, lab.run(1).outcome], [Outcome::Ok, Outcome::Ok]);
    }
    assert_eq!([a.accepted(), b.accepted()], [1, 1]);
}

#[test]
fn names_and_ipv6_are_addresses_too() {
    let server = Server::answering(ok("a"));
    let by_name = format!("http://localhost:{}/", server.address.port());
    assert_eq!(once(exchange("get", by_name)).outcome, Outcome::Ok, "`localhost` may be ::1 first");
    // Not every machine has IPv6.
    if let Ok(server) = Server::at("[::1]:0", |_, mut stream| {
        read_request(&mut stream);
        stream.write_all(ok("a").as_bytes()).unwrap();
        0
    }) {
        assert_eq!(once(get(&server)).outcome, Outcome::Ok);
    }
}

#[test]
fn a_host_without_address_is_said_before_the_run() {
    // RFC 1035, section 2.3.4: a label has at most 63 letters, so nobody need be asked.
    let settings = exchange("get", format!("http://{}/", "x".repeat(64)));
    let mut driver = testkit::build(HTTP, &[settings], &Surroundings::default()).unwrap().driver;
    let failure = driver.set_up().unwrap_err();
    assert!(failure.0.contains("cannot be resolved"), "{failure}");
}
