//! Opening a stream: agreed to, refused, and answered by something else.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::{CONNECT, EVENT, HEAD, connected, due, ends, heard, listen, serving, until_left};
use contract::{Cancel, Compare, Interest, Probe, Settings};
use driver_sse::SSE;
use std::io::{Read, Write};
use terms::{Nanos, Outcome};
use testkit::{Lab, Server, Surroundings, capture, check, map, nobody, read_request, reset, text};

/// The outcome of opening a connection, and what is reported about it. Events that come due on it end the same way.
fn refused_within(settings: Settings, deadline: Nanos) -> (Outcome, String) {
    let mut lab = Lab::new(SSE, &[settings]);
    lab.deadline = deadline;
    let outcome = lab.connect(0, 0);
    assert!(!lab.is_connected(0) || outcome == Outcome::Timeout);
    let seen = lab.seen();
    assert_eq!(seen.legs, [(CONNECT, outcome, 1)]);
    assert!(seen.note.len() < 700, "{}", seen.note);
    assert_eq!(ends(&heard(&mut lab, 2), EVENT), [(outcome, 2)]);
    (outcome, seen.note)
}

fn refused(settings: Settings) -> (Outcome, String) {
    refused_within(settings, Nanos::from_secs(20))
}

fn answering(answer: &str) -> Settings {
    listen(Server::closing_after(answer).url(), &[])
}

#[test]
fn the_request_is_that_of_an_event_stream() {
    let server = serving(|_, request, stream| {
        let wanted = [
            "GET /events?c=0 HTTP/1.1\r\n",
            "\r\nHost: 127.0.0.1:",
            "\r\nAccept: text/event-stream\r\n",
            "\r\nCache-Control: no-store\r\n",
            "\r\nAuthorization: Bearer t-0\r\n",
            "\r\nX-Connection: no 0\r\n",
        ];
        assert!(!request.head.contains("Last-Event-ID"), "{}", request.head);
        let found = wanted.iter().filter(|part| request.head.contains(**part)).count();
        let _ = stream.write_all(format!("{HEAD}data: {found}\n\n").as_bytes());
        until_left(stream)
    });
    let settings = listen(
        format!("{}events?c=$(serial)", server.url()),
        &[("bearer", text("t-$(serial)")), ("headers", map(&[("X-Connection", text("no $(serial)"))]))],
    );
    let seen = heard(&mut connected(Settings { checks: vec![testkit::body_is("6")], ..settings }), 1);
    assert_eq!(ends(&seen, EVENT), [(Outcome::Ok, 1)], "{}", seen.note);
}

#[test]
fn what_the_study_writes_takes_the_place_of_what_is_sent_otherwise() {
    let server = serving(|_, request, stream| {
        let accepts = request.head.matches("ccept: ").count();
        let is_own = request.head.contains("accept: text/event-stream, */*\r\n");
        let _ = stream.write_all(format!("{HEAD}data: {accepts} {is_own}\n\n").as_bytes());
        until_left(stream)
    });
    let settings = listen(
        server.url(),
        &[("headers", map(&[("accept", text("text/event-stream, */*")), ("Last-Event-ID", text("41"))]))],
    );
    let seen = heard(&mut connected(Settings { checks: vec![testkit::body_is("1 true")], ..settings }), 1);
    assert_eq!(ends(&seen, EVENT), [(Outcome::Ok, 1)], "{}", seen.note);
}

#[test]
fn a_server_may_refuse_by_status() {
    for (status, says) in [
        ("204 No Content", "wants nobody to come back"),
        ("302 Found", "redirects are not followed, write the address that it leads to: `/there`"),
        ("401 Unauthorized", "where 200 opens the stream: `no more`"),
        ("503 Busy", "where 200 opens the stream: `no more`"),
        ("206 Partial", "where 200 opens the stream"),
    ] {
        let body = if status.starts_with("204") { "\r\n" } else { "Content-Length: 7\r\n\r\nno more" };
        let answer = format!("HTTP/1.1 {status}\r\nLocation: /there\r\nContent-Type: text/event-stream\r\n{body}");
        let (outcome, note) = refused(answering(&answer));
        let expected = format!("status {}, where 200 opens the stream", &status[..3]);
        assert!(outcome == Outcome::Status && note.starts_with(&expected) && note.contains(says), "{note}");
    }
}

#[test]
fn what_is_no_event_stream_is_wrong_and_shown() {
    for (head, says) in [
        ("Content-Type: text/html\r\nContent-Length: 5", "but `text/html`: `<htm>`"),
        ("Content-Type: text/html\r\nTransfer-Encoding: chunked", "but `text/html`: `<htm>`"),
        ("Content-Type: text/event-streams", "but `text/event-streams`: "),
        ("Content-Length: 5", "the answer has no content type"),
    ] {
        let body = if head.contains("chunked") { "5\r\n<htm>\r\n" } else { "<htm>" };
        let (outcome, note) = refused(answering(&format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n{body}")));
        assert!(outcome == Outcome::Wrong && note.contains(says), "{note}");
    }
    let coded = HEAD.replace("\r\n\r\n", "\r\nContent-Encoding: gzip\r\n\r\n");
    let (outcome, note) = refused(answering(&coded));
    assert!(outcome == Outcome::Fault && note.contains("no coding was asked for: `gzip`"), "{note}");
}

#[test]
fn what_is_not_http_is_a_fault() {
    for (answer, why) in [
        ("SSH-2.0-OpenSSH_9.2p1\r\n".to_owned(), "not HTTP"),
        (format!("HTTP/1.1 200 x\r\nA: {}\r\n\r\n", "b".repeat(100_000)), "64 KiB"),
        ("data: a\n\n".to_owned(), "not HTTP"),
    ] {
        let (outcome, note) = refused(answering(&answer));
        assert!(outcome == Outcome::Fault && note.contains(why), "{why}: {outcome} {note}");
    }
}

#[test]
fn a_check_of_the_opening_that_does_not_hold_refuses_the_connection() {
    let checks = vec![check(Probe::Header("x-node".into()), Compare::Equal, "a")];
    let (outcome, note) = refused(Settings { checks, ..answering(HEAD) });
    assert!(outcome == Outcome::Wrong && note.contains("does not hold of the opening"), "{note}");
    let captures = vec![capture(Probe::Header("x-node".into()))];
    let (outcome, note) = refused(Settings { captures, ..answering(HEAD) });
    assert!(outcome == Outcome::Wrong && note.contains("the opening has nothing to capture as `token`"), "{note}");
}

#[test]
fn a_connection_that_is_not_made_is_refused_and_one_that_breaks_is_reset() {
    assert_eq!(refused(listen(format!("http://{}/", nobody()), &[])).0, Outcome::Refused);
    for (reads, resets) in [(true, true), (true, false), (false, true)] {
        let server = Server::start(move |_, mut stream| {
            let taken = reads.then(|| read_request(&mut stream)).is_some();
            if resets {
                reset(&stream);
            }
            usize::from(taken)
        });
        assert_eq!(refused(listen(server.url(), &[("reconnect", text("3"))])).0, Outcome::Reset);
        assert_eq!(server.accepted(), 1, "nothing is asked for a second time");
    }
    assert_eq!(refused(answering("HTTP/1.1 200 O")).0, Outcome::Partial);
}

#[test]
fn a_server_that_accepts_and_says_nothing_is_a_timeout() {
    for answer in ["", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"] {
        let server = Server::start(move |_, mut stream| {
            read_request(&mut stream);
            let _ = stream.write_all(answer.as_bytes());
            stream.read(&mut [0]).unwrap_or_default()
        });
        let (outcome, note) = refused_within(listen(server.url(), &[]), Nanos::from_millis(100));
        assert!(outcome == Outcome::Timeout && note.starts_with("the connection was not open in time: "), "{note}");
        assert_eq!(server.results.recv(), Ok(0), "the connection is let go");
    }
}

#[test]
fn the_answer_may_come_in_crumbs_and_events_with_it() {
    let server = serving(|_, _, stream| {
        let answer = format!("{HEAD}data: a\r\n\r\ndata: b\r\n\r\n");
        let (early, late) = answer.as_bytes().split_at(HEAD.len() - 1);
        if early.iter().any(|byte| stream.write_all(&[*byte]).is_err()) {
            return 1;
        }
        let _ = stream.write_all(late);
        until_left(stream)
    });
    let mut lab = connected(listen(server.url(), &[]));
    due(&mut lab, 2);
    lab.settle();
    assert_eq!(ends(&lab.seen(), EVENT), [(Outcome::Ok, 2)]);
}

#[test]
fn an_opening_that_is_stopped_is_aborted() {
    let server = Server::start(|_, mut stream| stream.read_to_end(&mut Vec::new()).unwrap_or_default());
    let mut lab = Lab::new(SSE, &[listen(server.url(), &[])]);
    for why in [Cancel::StepEnd, Cancel::Abort] {
        assert!(matches!(lab.begin_connect(0, 0), Interest::Io { .. }));
        assert_eq!(lab.cancel(0, why), Some(Outcome::Aborted));
        assert!(server.results.recv().is_ok(), "the connection is let go");
    }
}

#[test]
fn a_value_that_cannot_be_sent_is_the_studys_fault() {
    let around = Surroundings::rows(&[b"a\r\nb"]);
    let settings = listen("http://127.0.0.1:9/", &[("headers", map(&[("X", text("$(row.value)"))]))]);
    let mut lab = Lab::with(SSE, &[settings], around);
    assert_eq!(lab.connect(0, 0), Outcome::BadStudy);
    let seen = heard(&mut lab, 1);
    assert_eq!(ends(&seen, EVENT), [(Outcome::BadStudy, 1)]);
    assert!(seen.note.contains("line break or control character"), "{}", seen.note);
}
