//! Kept connections: what comes while no request is open on them, and servers that close them for standing idle.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::exchange;
use contract::{Compare, Probe, Settings};
use driver_http::HTTP;
use std::io::Write;
use std::sync::mpsc;
use terms::{Nanos, Outcome};
use testkit::{Lab, Server, body_is, check, ok, read_request};

/// An exchange whose answer must be this.
fn expects(server: &Server, body: &str) -> Settings {
    Settings { checks: vec![body_is(body)], ..exchange("get", server.url()) }
}

/// A server that answers `right`, then sends this unasked, and says when it is on its way.
fn twice(unasked: impl Into<Vec<u8>>) -> (Server, mpsc::Receiver<()>) {
    let (unasked, (told, tells)) = (unasked.into(), mpsc::channel());
    let server = Server::start(move |_, mut stream| {
        let mut requests = 0;
        while read_request(&mut stream).is_some() {
            requests += 1;
            if stream.write_all(ok("right").as_bytes()).is_err() {
                break;
            }
            // A segment of its own, so that it is not read together with the answer.
            clock::Clock::system().sleep_until(Nanos::from_millis(20));
            let _ = stream.write_all(&unasked);
            let _ = told.send(());
        }
        requests
    });
    (server, tells)
}

#[test]
fn what_came_before_a_request_is_never_its_answer() {
    for (what, unasked) in [
        ("a second answer", ok("wrong").into_bytes()),
        ("half an answer", b"HTTP/1.1 200 OK\r\nContent-Le".to_vec()),
        ("an interim answer", b"HTTP/1.1 100 Continue\r\n\r\n".to_vec()),
        ("an empty line", b"\r\n".to_vec()),
        ("many answers", ok("wrong").repeat(5000).into_bytes()),
    ] {
        let (server, tells) = twice(unasked);
        let mut lab = Lab::new(HTTP, &[expects(&server, "right")]);
        assert_eq!(lab.run(0).outcome, Outcome::Ok, "{what}");
        tells.recv().unwrap();
        // The next request begins at once: no event was passed on, and the last exchange is not long ago.
        let seen = lab.run(0);
        assert_eq!((seen.outcome, seen.counts()), (Outcome::Ok, [1, 1, 0]), "{what}: {}", seen.note);
        assert_eq!(lab.counted("unasked"), 1, "{what}");
        let notices = lab.notices();
        assert_eq!(notices.len(), 1, "{what}: {notices:?}");
        assert_eq!((notices[0].kind, notices[0].subject.as_str()), ("unasked", server.address.to_string().as_str()));
        // Which answer belongs to which request cannot be told there: each exchange has a connection of its own.
        for _ in 0..3 {
            let seen = lab.run(0);
            assert_eq!((seen.outcome, seen.counters[0]), (Outcome::Ok, 1), "{what}: {}", seen.note);
        }
        assert_eq!(lab.notices(), [], "told once");
    }
}

#[test]
fn a_server_that_answers_everything_twice_deceives_nobody_once_it_is_seen() {
    let server = Server::start(|_, mut stream| {
        let mut requests = 0;
        while read_request(&mut stream).is_some() {
            requests += 1;
            let (right, wrong) = (ok(&format!("{requests}")), ok("wrong"));
            // In two pieces, of which the second comes before or after the next request by chance, and while it comes
            // after nobody can tell; later in one.
            let is_sent = if requests < 20 {
                stream.write_all(right.as_bytes()).and_then(|()| stream.write_all(wrong.as_bytes()))
            } else {
                stream.write_all((right + &wrong).as_bytes())
            };
            if is_sent.is_err() {
                break;
            }
        }
        requests
    });
    let not_wrong = check(Probe::Body, Compare::NotEqual, "wrong");
    let mut lab = Lab::new(HTTP, &[Settings { checks: vec![not_wrong], ..exchange("get", server.url()) }]);
    let is_seen = |lab: &Lab| lab.counted("surplus") + lab.counted("unasked") > 0;
    let before = (0..300).position(|_| {
        lab.run(0);
        is_seen(&lab)
    });
    assert!(before.is_some(), "two answers in one piece were not seen");
    for _ in 0..50 {
        assert_eq!(lab.run(0).outcome, Outcome::Ok);
    }
}

#[test]
fn a_connection_is_not_used_when_the_server_is_about_to_close_it() {
    for (told, waits, is_new) in [
        ("timeout=1", 600, true),
        ("max=100, Timeout=1", 600, true),
        ("timeout=0", 0, true),
        ("timeout=60", 100, false),
        ("timeout=99999999999", 100, false),
        ("timeout=", 100, false),
        ("max=5", 100, false),
    ] {
        let server = Server::answering(format!("HTTP/1.1 200 OK\r\nKeep-Alive: {told}\r\nContent-Length: 1\r\n\r\na"));
        let mut lab = Lab::new(HTTP, &[exchange("get", server.url())]);
        assert_eq!(lab.run(0).outcome, Outcome::Ok, "{told}");
        lab.clock.sleep_until(lab.clock.now() + Nanos::from_millis(waits));
        let seen = lab.run(0);
        assert_eq!((seen.outcome, seen.counts()), (Outcome::Ok, [is_new.into(), 0, 0]), "{told}: {}", seen.note);
        assert_eq!(lab.counted("expired"), i64::from(is_new), "{told}");
    }
}

#[test]
fn a_connection_is_not_kept_without_use_for_longer_than_the_study_says() {
    for (told, idle, waits, is_new) in
        [("", 300, 500, true), ("timeout=60", 300, 500, true), ("timeout=1", 5000, 600, true), ("", 60_000, 300, false)]
    {
        let server = Server::answering(format!("HTTP/1.1 200 OK\r\nKeep-Alive: {told}\r\nContent-Length: 1\r\n\r\na"));
        let kept = Settings { idle: Some(Nanos::from_millis(idle)), ..exchange("get", server.url()) };
        let mut lab = Lab::new(HTTP, &[kept]);
        assert_eq!(lab.run(0).outcome, Outcome::Ok);
        lab.clock.sleep_until(lab.clock.now() + Nanos::from_millis(waits));
        let seen = lab.run(0);
        assert_eq!((seen.outcome, seen.counts()), (Outcome::Ok, [is_new.into(), 0, 0]), "{told} {idle}: {}", seen.note);
        assert_eq!(lab.counted("expired"), i64::from(is_new), "{told} {idle}");
    }
}

#[test]
fn a_request_that_meets_the_closing_of_an_idle_connection_says_so() {
    // The server closes with the request unread, as one whose time-out ends at that moment.
    let server = Server::start(|_, mut stream| {
        read_request(&mut stream);
        stream.write_all(ok("a").as_bytes()).unwrap();
        stream.set_nodelay(true).unwrap();
        let mut first = [0];
        let _ = stream.peek(&mut first);
        0
    });
    let once = Settings { retry: false, ..exchange("get", server.url()) };
    let mut lab = Lab::new(HTTP, &[once]);
    assert_eq!(lab.run(0).outcome, Outcome::Ok);
    lab.clock.sleep_until(lab.clock.now() + Nanos::from_millis(700));
    let seen = lab.run(0);
    assert_eq!((seen.outcome, seen.counts()), (Outcome::Reset, [0, 0, 0]), "{}", seen.note);
    assert_eq!(lab.counted("idle_resets"), 1);
    assert!(seen.note.contains("had been idle for ") && seen.note.contains("Keep-Alive: timeout="), "{}", seen.note);
    assert!(seen.note.contains("write `connection: { idle: 5"), "{}", seen.note);
}

#[test]
fn a_connection_that_breaks_in_use_is_not_told_as_idle() {
    let server = Server::start(|_, mut stream| {
        read_request(&mut stream);
        stream.write_all(ok("a").as_bytes()).unwrap();
        1 + usize::from(read_request(&mut stream).is_some())
    });
    let mut lab = Lab::new(HTTP, &[exchange("post", server.url())]);
    assert_eq!(lab.run(0).outcome, Outcome::Ok);
    let seen = lab.run(0);
    assert_eq!((seen.outcome, lab.counted("idle_resets")), (Outcome::Reset, 0), "{}", seen.note);
    assert!(!seen.note.contains("idle"), "{}", seen.note);
}
