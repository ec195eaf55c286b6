//! HTTP/2: what goes well, what breaks, and what it is called then.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::http2::{END, END_HEADERS, GOAWAY, HEADERS, Http2Server, RST_STREAM, frame, sending};
use crate::common::{mistakes, once, with};
use clock::Clock;
use contract::{Cancel, Compare, Node, Probe, Settings};
use driver_http::{HTTP, JOB};
use std::io::{Read, Write};
use terms::{Nanos, Outcome};
use testkit::{Lab, Server, Surroundings, capture, check, map, nobody, read_request, status_is, text};

/// An exchange over HTTP/2.
fn two(operation: &str, url: impl Into<String>, more: &[(&str, Node)]) -> Settings {
    let entries = [&[("version", text("2"))], more].concat();
    with(operation, url, &entries)
}

#[test]
fn exchanges_follow_one_another_on_one_connection() {
    let server = Http2Server::start(100);
    let checks = vec![status_is("200"), check(Probe::Body, Compare::Equal, "hello")];
    let mut lab = Lab::new(HTTP, &[Settings { checks, ..two("get", server.url("/"), &[]) }]);
    for number in 0..50 {
        let seen = lab.run(0);
        assert_eq!((seen.outcome, seen.bytes), (Outcome::Ok, 5), "{}", seen.note);
        assert_eq!(seen.counts(), [i64::from(number == 0), 0, 0]);
    }
    assert_eq!((server.accepted(), server.requests()), (1, 50));
}

#[test]
fn method_target_headers_and_body_arrive_as_the_study_has_them() {
    let server = Http2Server::start(100);
    let headers = map(&[("X-Value", text("$(row.value)")), ("Host", text("shop.example"))]);
    let more = [("headers", headers), ("bearer", text("key")), ("json", map(&[("n", text("$(serial)"))]))];
    let seen_by_server = vec![capture(Probe::Body)];
    let settings = Settings { captures: seen_by_server, ..two("post", server.url("/seen?q=$(row.value)"), &more) };
    let mut lab = Lab::with(HTTP, &[settings], Surroundings::rows(&[b"a b", b"c"]));
    for value in ["a b", "c"] {
        let seen = lab.run(0);
        assert_eq!(seen.outcome, Outcome::Ok, "{}", seen.note);
        let request = String::from_utf8(lab.recorder.captures_of(0)[0].clone().unwrap()).unwrap();
        let encoded = value.replace(' ', "%20");
        for part in [
            format!("http://shop.example/seen?q={encoded} "),
            format!("\"x-value\": \"{value}\""),
            "\"authorization\": \"Bearer key\"".into(),
            "\"content-type\": \"application/json\"".into(),
            "\"accept\": \"*/*\"".into(),
            "\"content-length\": \"".into(),
        ] {
            assert!(request.contains(&part), "{part} in {request}");
        }
        assert!(!request.contains("connection") && !request.contains("\"host\""), "{request}");
    }
}

#[test]
fn large_bodies_go_both_ways_and_are_not_kept() {
    const LENGTH: usize = 200_000_000;
    let server = Http2Server::start(100);
    let upload = two("put", server.url("/echo"), &[("body", text("x".repeat(6_000_000)))]);
    let upload = Settings { checks: vec![check(Probe::Body, Compare::Equal, "6000000")], ..upload };
    let is_size = check(Probe::Size, Compare::Equal, &LENGTH.to_string());
    let download = Settings { checks: vec![is_size], ..two("get", server.url(&format!("/large/{LENGTH}")), &[]) };
    let holds = check(Probe::Body, Compare::Contains, "y");
    let kept = Settings { checks: vec![holds], ..two("get", server.url("/large/8000000"), &[]) };
    let mut lab = Lab::new(HTTP, &[upload, download, kept]);
    lab.deadline = Nanos::from_secs(60);
    let seen = lab.run(0);
    assert_eq!(seen.outcome, Outcome::Ok, "{}", seen.note);
    let mut seen = None;
    let memory = allocation_counter::measure(|| seen = Some(lab.run(1)));
    let seen = seen.unwrap();
    assert_eq!((seen.outcome, seen.bytes), (Outcome::Ok, LENGTH as u64), "{}", seen.note);
    assert!(memory.bytes_max < 4_000_000, "{memory:?}");
    let seen = lab.run(2);
    assert_eq!((seen.outcome, seen.bytes), (Outcome::Wrong, 8_000_000));
    assert!(seen.note.contains("body larger than what is kept: 1048576 of 8000000 bytes"), "{}", seen.note);
    assert_eq!(server.accepted(), 1);
}

#[test]
fn heads_trailers_crumbs_and_statuses_are_answers() {
    let server = Http2Server::start(100);
    let header = vec![check(Probe::Header("x-method".into()), Compare::Equal, "HEAD")];
    let exchanges = [
        Settings { checks: header, ..two("head", server.url("/"), &[]) },
        two("get", server.url("/trailers"), &[]),
        two("get", server.url("/crumbs/20000"), &[]),
        two("get", server.url("/status/503"), &[]),
        Settings { checks: vec![status_is("404")], ..two("get", server.url("/status/404"), &[]) },
        two("get", server.url("/status/204"), &[]),
    ];
    let mut lab = Lab::new(HTTP, &exchanges);
    let seen: Vec<_> = (0..6).map(|exchange| lab.run(exchange)).map(|seen| (seen.outcome, seen.bytes)).collect();
    let ok = |bytes| (Outcome::Ok, bytes);
    assert_eq!(seen, [ok(0), ok(5), ok(200_000), (Outcome::Status, 5), ok(5), ok(5)]);
    assert_eq!(server.accepted(), 1);
}

#[test]
fn without_reuse_each_exchange_has_its_connection() {
    let server = Http2Server::start(100);
    let mut lab = Lab::new(HTTP, &[Settings { reuse: false, ..two("get", server.url("/"), &[]) }]);
    for _ in 0..3 {
        let seen = lab.run(0);
        assert_eq!((seen.outcome, seen.counts()), (Outcome::Ok, [1, 0, 0]));
    }
    assert_eq!(server.accepted(), 3);
}

#[test]
fn an_early_refusal_of_a_large_request_is_its_status_and_the_connection_goes_on() {
    let server = Http2Server::start(100);
    let large = two("post", server.url("/early"), &[("body", text("x".repeat(8_000_000)))]);
    let mut lab = Lab::new(HTTP, &[large, two("get", server.url("/"), &[])]);
    for _ in 0..3 {
        let seen = lab.run(0);
        assert_eq!(seen.outcome, Outcome::Status, "{}", seen.note);
        assert_eq!(lab.run(1).outcome, Outcome::Ok);
    }
    assert_eq!(server.accepted(), 1);
}

/// What each way to break is called, and what is reported about it.
#[test]
fn what_breaks_is_told_apart() {
    let server = Http2Server::start(100);
    let had_come = "status 200 and 4 bytes of the body had come";
    let none = "the request was sent, no byte of an answer had come";
    let rules = "the answer breaks the rules of HTTP/2, or its head is over 64 KiB";
    for (path, outcome, note) in [
        ("/refuse", Outcome::Refused, format!("the server reset the stream (REFUSED_STREAM): {none}")),
        ("/reset", Outcome::Reset, format!("the server reset the stream (INTERNAL_ERROR): {none}")),
        ("/not-here", Outcome::Fault, format!("the server reset the stream (HTTP_1_1_REQUIRED): {none}")),
        ("/cut", Outcome::Partial, format!("the server reset the stream (INTERNAL_ERROR): {had_come}")),
        ("/close", Outcome::Partial, format!("the server closed the connection: {had_come}")),
        ("/wide", Outcome::Fault, format!("{rules} (PROTOCOL_ERROR): {none}")),
    ] {
        let mut lab = Lab::new(HTTP, &[two("get", server.url(path), &[]), two("get", server.url("/"), &[])]);
        let seen = lab.run(0);
        assert_eq!((seen.outcome, seen.note.as_str()), (outcome, note.as_str()), "{path}");
        assert_eq!(lab.run(1).outcome, Outcome::Ok, "after {path}");
    }
}

#[test]
fn a_server_that_speaks_something_else_is_a_fault_that_says_so() {
    let http1 = Server::start(|_, mut stream| {
        let _ = read_request(&mut stream);
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
        1
    });
    let seen = once(two("get", http1.url(), &[]));
    assert_eq!(seen.outcome, Outcome::Fault);
    assert!(
        seen.note.starts_with("the server does not speak HTTP/2: it answers as HTTP/1; write `version: 1.1`"),
        "{}",
        seen.note
    );
    let noise = Server::closing_after("\u{1}".repeat(100));
    assert_eq!(once(two("get", noise.url(), &[])).outcome, Outcome::Fault);
    let seen = once(two("get", format!("http://{}/", nobody()), &[]));
    assert_eq!((seen.outcome, seen.counts()), (Outcome::Refused, [1, 0, 0]));
    assert!(seen.note.contains("there was no connection"), "{}", seen.note);
}

#[test]
fn a_timeout_resets_its_stream_and_leaves_a_living_connection() {
    let server = Http2Server::start(100);
    let mut lab = Lab::new(HTTP, &[two("get", server.url("/"), &[]), two("get", server.url("/never"), &[])]);
    assert_eq!(lab.run(0).outcome, Outcome::Ok);
    lab.deadline = Nanos::from_millis(100);
    let seen = lab.run(1);
    assert_eq!((seen.outcome, seen.counts()), (Outcome::Timeout, [0, 0, 0]));
    assert_eq!(seen.note, "the request was sent, no byte of an answer had come");
    // Nothing at all came on it meanwhile, so it may be dead.
    lab.deadline = Nanos::from_secs(20);
    assert_eq!(lab.run(0).counts(), [1, 0, 0]);
    assert_eq!(server.accepted(), 2);
}

#[test]
fn a_stopped_exchange_is_aborted_once() {
    let server = Http2Server::start(100);
    let mut lab = Lab::new(HTTP, &[two("get", server.url("/never"), &[]), two("get", server.url("/"), &[])]);
    for why in [Cancel::StepEnd, Cancel::Abort] {
        lab.begin(0, 0);
        assert_eq!((lab.cancel(0, why), lab.cancel(0, why)), (Some(Outcome::Aborted), None));
    }
    assert_eq!(lab.run(1).outcome, Outcome::Ok);
}

#[test]
fn a_goodbye_while_idle_is_heard_before_the_next_request_is_sent() {
    let server = Http2Server::start(100);
    let mut lab = Lab::new(HTTP, &[two("get", server.url("/goaway"), &[])]);
    assert_eq!(lab.run(0).counts(), [1, 0, 0]);
    for _ in 0..3 {
        lab.clock.sleep_until(lab.clock.now() + Nanos::from_millis(30));
        let seen = lab.run(0);
        assert_eq!(seen.outcome, Outcome::Ok, "{}", seen.note);
        // The goodbye came with the answer, or was found when the connection was looked at.
        assert!(matches!(seen.counts(), [1, 0 | 1]), "{seen:?}");
    }
    assert_eq!((server.accepted(), server.requests()), (4, 4), "each request came once");
}

#[test]
fn a_connection_closed_while_idle_is_replaced_before_anything_is_sent() {
    let server = Server::start(|_, mut stream| {
        let request = crate::common::http2::read_request(&mut stream, true);
        let answer = frame(HEADERS, END | END_HEADERS, 1, &[0x88]);
        stream.write_all(&[crate::common::http2::greeting(), answer].concat()).unwrap();
        // The end comes later than the answer, as an event of its own.
        Clock::system().sleep_until(Nanos::from_millis(50));
        usize::from(request.is_some())
    });
    let mut lab = Lab::new(HTTP, &[two("get", server.url(), &[])]);
    assert_eq!(lab.run(0).counts(), [1, 0, 0]);
    for _ in 0..3 {
        // With the event or without it.
        assert_eq!(server.results.recv(), Ok(1), "the server has closed");
        lab.clock.sleep_until(lab.clock.now() + Nanos::from_millis(20));
        let seen = lab.run(0);
        assert_eq!((seen.outcome, seen.counts()), (Outcome::Ok, [1, 1, 0]), "{}", seen.note);
    }
}

#[test]
fn a_request_that_meets_the_closing_of_an_idle_connection_says_so() {
    // Closed with the next request unread, as by a server whose time-out ends at that moment.
    let close_under = |idle: i64| {
        let server = Server::start(|_, mut stream| {
            let request = crate::common::http2::read_request(&mut stream, true);
            let answer = frame(HEADERS, END | END_HEADERS, 1, &[0x88]);
            stream.write_all(&[crate::common::http2::greeting(), answer].concat()).unwrap();
            // What the other side says to the greeting comes first.
            stream.set_read_timeout(Some(std::time::Duration::from_millis(200))).unwrap();
            let mut rest = [0; 1024];
            while stream.read(&mut rest).is_ok_and(|count| count > 0) {}
            stream.set_read_timeout(None).unwrap();
            let _ = stream.peek(&mut rest[..1]);
            usize::from(request.is_some())
        });
        let mut lab = Lab::new(HTTP, &[two("get", server.url(), &[])]);
        assert_eq!(lab.run(0).outcome, Outcome::Ok);
        lab.clock.sleep_until(lab.clock.now() + Nanos::from_millis(idle));
        let seen = lab.run(0);
        assert_eq!(seen.outcome, Outcome::Reset, "{}", seen.note);
        (lab.counted("idle_resets"), seen.note)
    };
    let (count, note) = close_under(900);
    assert!(count == 1 && note.contains("had been idle for ") && !note.contains("Keep-Alive"), "{note}");
    let (count, note) = close_under(300);
    assert!(count == 0 && !note.contains("idle"), "so soon no server closes one: {note}");
}

#[test]
fn a_connection_is_not_kept_without_use_for_longer_than_the_study_says() {
    for (idle, waits, is_new) in [(300, 500, true), (60_000, 300, false)] {
        let server = Http2Server::start(100);
        let kept = Settings { idle: Some(Nanos::from_millis(idle)), ..two("get", server.url("/"), &[]) };
        let mut lab = Lab::new(HTTP, &[kept]);
        assert_eq!(lab.run(0).outcome, Outcome::Ok);
        lab.clock.sleep_until(lab.clock.now() + Nanos::from_millis(waits));
        let seen = lab.run(0);
        assert_eq!((seen.outcome, seen.counts()), (Outcome::Ok, [is_new.into(), 0, 0]), "{idle}: {}", seen.note);
        assert_eq!((lab.counted("expired"), server.accepted()), (is_new.into(), 1 + usize::from(is_new)), "{idle}");
    }
}

#[test]
fn jobs_go_over_http2_too() {
    let server = Http2Server::start(100);
    let url = text(server.url("/jobs"));
    let entries = [("start", url), ("poll", text("status = 200")), ("every", text("20ms")), ("version", text("2"))];
    let settings = Settings { operation: "http".into(), node: map(&entries), ..two("get", "http://a/", &[]) };
    let mut lab = Lab::new(JOB, &[settings]);
    let seen = lab.run(0);
    assert_eq!((seen.outcome, seen.counts()), (Outcome::Ok, [1, 0, 0]), "{}", seen.note);
    assert_eq!((server.accepted(), server.requests()), (1, 2));
}

#[test]
fn a_goodbye_under_the_request_is_a_reset_not_a_second_try() {
    let none = "the request was sent, no byte of an answer had come";
    let goaway = |last: u32, reason: u32| frame(GOAWAY, 0, 0, &[last.to_be_bytes(), reason.to_be_bytes()].concat());
    for (bytes, outcome, note) in [
        (
            goaway(0, 0),
            Outcome::Reset,
            format!("the server closes the connection and did not take the request (NO_ERROR): {none}"),
        ),
        (
            goaway(0, 11),
            Outcome::Reset,
            format!("the server closes the connection and did not take the request (ENHANCE_YOUR_CALM): {none}"),
        ),
        (
            goaway(0, 1),
            Outcome::Fault,
            format!("the server closes the connection and did not take the request (PROTOCOL_ERROR): {none}"),
        ),
        (
            frame(RST_STREAM, 0, 1, &2u32.to_be_bytes()),
            Outcome::Reset,
            format!("the server reset the stream (INTERNAL_ERROR): {none}"),
        ),
    ] {
        let server = sending(bytes);
        let seen = once(two("get", server.url(), &[]));
        assert_eq!((seen.outcome, seen.note.as_str(), seen.counts()), (outcome, note.as_str(), [1, 0, 0]));
        assert_eq!(server.accepted(), 1, "nothing is sent twice");
    }
    // An answer that was under way is taken to its end.
    let answer = [goaway(1, 0), frame(HEADERS, END | END_HEADERS, 1, &[0x88])].concat();
    assert_eq!(once(two("get", sending(answer).url(), &[])).outcome, Outcome::Ok);
}

#[test]
fn captures_serve_the_next_exchange() {
    let server = Http2Server::start(100);
    let login =
        Settings { captures: vec![capture(Probe::Header("x-token".into()))], ..two("get", server.url("/"), &[]) };
    let headers = map(&[("x-auth", text("$(token)"))]);
    let holds = check(Probe::Body, Compare::Contains, "\"x-auth\": \"t-1\"");
    let read = Settings { checks: vec![holds], ..two("get", server.url("/seen"), &[("headers", headers)]) };
    let mut lab = Lab::new(HTTP, &[login, read]);
    assert_eq!(lab.run(1).outcome, Outcome::BadStudy, "nothing was captured yet");
    assert_eq!([lab.run(0).outcome, lab.run(1).outcome], [Outcome::Ok, Outcome::Ok]);
}

#[test]
fn both_versions_go_to_one_address_on_connections_of_their_own() {
    let server = Http2Server::start(100);
    let mut lab =
        Lab::new(HTTP, &[two("get", server.url("/"), &[]), with("get", server.url("/"), &[("version", text("1.1"))])]);
    assert_eq!(
        [lab.run(0).outcome, lab.run(1).outcome, lab.run(0).outcome],
        [Outcome::Ok, Outcome::Fault, Outcome::Ok]
    );
    assert_eq!(server.accepted(), 2);
}

#[test]
fn mistakes_of_the_study_are_told_before_the_run() {
    for (more, code) in [
        (vec![("version", text("3"))], "study::unknown-word"),
        (vec![("streams", text("10"))], "http::streams-without-http2"),
        (vec![("version", text("2")), ("streams", text("0"))], "study::out-of-range"),
        (vec![("version", text("2")), ("headers", map(&[("Keep-Alive", text("1"))]))], "http::bad-header"),
    ] {
        let settings = with("get", "http://127.0.0.1:9/", &more);
        assert_eq!(mistakes(settings)[0].code, code, "{more:?}");
    }
    let alone = Settings { reuse: false, ..two("get", "http://127.0.0.1:9/", &[("streams", text("2"))]) };
    assert_eq!(mistakes(alone)[0].code, "http::streams-without-reuse");
}
