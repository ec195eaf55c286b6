//! Opening a connection: agreed to, refused, and answered by something else.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::{ANSWER, CONNECT, SENT, agreed, around, connected, ends, numbered, talk_of, url};
use contract::{Cancel, Compare, Interest, Probe, Settings};
use driver_ws::WS;
use std::io::{Read, Write};
use terms::{Nanos, Outcome};
use testkit::{Lab, Server, capture, check, list, map, nobody, read_request, reset, status_is, text};
use tungstenite::handshake::server::{Request, Response};

/// The outcome of opening a connection, and what is reported about it. Messages that come due on it end the same way.
fn refused_within(settings: Settings, deadline: Nanos) -> (Outcome, String) {
    let mut lab = Lab::with(WS, &[settings], around());
    lab.deadline = deadline;
    let outcome = lab.connect(0, 0);
    assert!(!lab.is_connected(0) || outcome == Outcome::Timeout);
    let seen = lab.seen();
    assert_eq!(seen.legs, [(CONNECT, outcome, 1)]);
    assert!(seen.note.len() < 500, "{}", seen.note);
    let after = talk_of(&mut lab, 1);
    assert_eq!((ends(&after, ANSWER), ends(&after, SENT)), (vec![(outcome, 1)], vec![(outcome, 1)]));
    (outcome, seen.note)
}

fn refused(settings: Settings) -> (Outcome, String) {
    refused_within(settings, Nanos::from_secs(20))
}

fn answering(answer: &str) -> Settings {
    numbered(url(&Server::closing_after(answer)), &[])
}

#[test]
fn headers_and_subprotocols_are_agreed_on() {
    let server = Server::start(|_, stream| {
        let mut head = String::new();
        #[allow(clippy::result_large_err, reason = "as the library has it")]
        let callback = |request: &Request, mut response: Response| {
            let header = |name: &str| request.headers()[name].to_str().unwrap().to_owned();
            head = format!(
                "{} {} {} {}",
                request.uri(),
                header("authorization"),
                header("x-connection"),
                header("sec-websocket-protocol")
            );
            response.headers_mut().insert("sec-websocket-protocol", "v2".parse().unwrap());
            response.headers_mut().insert("x-session", "s-1".parse().unwrap());
            Ok(response)
        };
        let mut socket = tungstenite::accept_hdr(stream, callback).unwrap();
        let _ = socket.read();
        socket.send(head.into()).unwrap();
        let _ = socket.read();
        0
    });
    let settings = numbered(
        format!("{}talk?c=$(serial)", url(&server)),
        &[
            ("bearer", text("t-$(serial)")),
            ("headers", map(&[("x-connection", text("no $(serial)"))])),
            ("subprotocols", list(&[text("v1"), text("v2")])),
        ],
    );
    let mut lab = connected(Settings {
        checks: vec![
            status_is("101"),
            check(Probe::Header("x-session".into()), Compare::Equal, "s-1"),
            testkit::body_is("/talk?c=0 Bearer t-0 no 0 v1, v2"),
        ],
        captures: vec![capture(Probe::Header("x-session".into()))],
        ..settings
    });
    assert_eq!(lab.recorder.captures_of(0), [Some(b"s-1".to_vec())]);
    let seen = talk_of(&mut lab, 1);
    assert_eq!(ends(&seen, ANSWER), [(Outcome::Ok, 1)], "{}", seen.note);
}

#[test]
fn a_server_may_refuse_by_status() {
    for status in ["401 Unauthorized", "403 Forbidden", "404 Not Found", "503 Busy", "200 OK", "302 Found"] {
        let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 7\r\n\r\nno more");
        let (outcome, note) = refused(answering(&answer));
        let expected = format!("status {}, where 101 opens the connection:", &status[..3]);
        assert!(outcome == Outcome::Status && note.starts_with(&expected), "{note}");
    }
}

#[test]
fn what_does_not_open_a_connection_is_a_fault_that_says_why() {
    let head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
    for (answer, why) in [
        (format!("{head}\r\n"), "no `Sec-WebSocket-Accept`"),
        (format!("{head}Sec-WebSocket-Accept: AAAA\r\n\r\n"), "is `AAAA`, not that of the key"),
        ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n".to_owned(), "no `Upgrade: websocket`"),
        ("SSH-2.0-OpenSSH_9.2p1\r\n".to_owned(), "not HTTP"),
        (format!("HTTP/1.1 101 x\r\nA: {}\r\n\r\n", "b".repeat(100_000)), "64 KiB"),
    ] {
        let (outcome, note) = refused(answering(&answer));
        assert!(outcome == Outcome::Fault && note.contains(why), "{why}: {outcome} {note}");
    }
}

#[test]
fn what_was_not_offered_is_not_agreed_to() {
    for (more, why) in [
        ("Sec-WebSocket-Extensions: permessage-deflate\r\n", "extension `permessage-deflate`"),
        ("Sec-WebSocket-Protocol: chat\r\n", "subprotocol `chat`, which was not offered"),
    ] {
        let server = Server::start(move |_, mut stream| {
            let Some(key) = crate::common::read_opening(&mut stream) else { return 0 };
            let answer = agreed(&key);
            let _ = stream.write_all(format!("{}{more}\r\n", &answer[..answer.len() - 2]).as_bytes());
            stream.read(&mut [0]).unwrap_or_default()
        });
        let (outcome, note) = refused(numbered(url(&server), &[]));
        assert!(outcome == Outcome::Fault && note.contains(why), "{note}");
        assert_eq!(server.results.recv(), Ok(0), "the connection is let go");
    }
}

#[test]
fn a_check_of_the_opening_that_does_not_hold_refuses_the_connection() {
    let server = crate::common::peer(|_, message| vec![message]);
    let checks = vec![check(Probe::Header("x-node".into()), Compare::Equal, "a")];
    let (outcome, note) = refused(Settings { checks, ..numbered(url(&server), &[]) });
    assert!(outcome == Outcome::Wrong && note.contains("does not hold of the opening"), "{note}");
}

#[test]
fn a_connection_that_is_not_made_is_refused_and_one_that_breaks_is_reset() {
    assert_eq!(refused(numbered(format!("ws://{}/", nobody()), &[])).0, Outcome::Refused);
    for (reads, resets) in [(true, true), (true, false), (false, true)] {
        let server = Server::start(move |_, mut stream| {
            let taken = reads.then(|| read_request(&mut stream)).is_some();
            if resets {
                reset(&stream);
            }
            usize::from(taken)
        });
        assert_eq!(refused(numbered(url(&server), &[])).0, Outcome::Reset);
        assert_eq!(server.accepted(), 1, "nothing is asked for a second time");
    }
    assert_eq!(refused(answering("HTTP/1.1 101 Switching Proto")).0, Outcome::Partial);
}

#[test]
fn a_server_that_accepts_and_says_nothing_is_a_timeout() {
    for answer in ["", "HTTP/1.1 101 Switching", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"] {
        let server = Server::start(move |_, mut stream| {
            read_request(&mut stream);
            let _ = stream.write_all(answer.as_bytes());
            stream.read(&mut [0]).unwrap_or_default()
        });
        let (outcome, note) = refused_within(numbered(url(&server), &[]), Nanos::from_millis(100));
        assert!(outcome == Outcome::Timeout && note.starts_with("the connection was not open in time: "), "{note}");
        assert_eq!(server.results.recv(), Ok(0), "the connection is let go");
    }
}

#[test]
fn the_answer_may_come_in_crumbs_and_messages_with_it() {
    // The first message of the server comes with the end of the handshake.
    let server = Server::start(|_, mut stream| {
        let Some(key) = crate::common::read_opening(&mut stream) else { return 0 };
        let (answer, hello) = (agreed(&key), crate::common::frame(0x81, b"hello"));
        let (early, late) = answer.as_bytes().split_at(answer.len() - 1);
        if early.iter().any(|byte| stream.write_all(&[*byte]).is_err()) {
            return 0;
        }
        let _ = stream.write_all(&[late, &hello].concat());
        stream.read(&mut [0]).unwrap_or_default()
    });
    let mut lab = connected(numbered(url(&server), &[("answer", text("echo"))]));
    let mut unasked = 0;
    assert!(lab.until(|lab| {
        lab.seen();
        unasked += lab.counted("unasked");
        unasked == 1
    }));
    lab.disconnect(0);
    assert_eq!(server.results.recv(), Ok(1), "a close frame");
}

#[test]
fn an_opening_that_is_stopped_is_aborted() {
    let server = Server::start(|_, mut stream| stream.read_to_end(&mut Vec::new()).unwrap_or_default());
    let mut lab = Lab::with(WS, &[numbered(url(&server), &[])], around());
    for why in [Cancel::StepEnd, Cancel::Abort] {
        assert!(matches!(lab.begin_connect(0, 0), Interest::Io { .. }));
        assert_eq!(lab.cancel(0, why), Some(Outcome::Aborted));
        assert!(server.results.recv().is_ok(), "the connection is let go");
    }
}
