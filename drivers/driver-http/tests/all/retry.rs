//! Requests that meet the closing of a kept connection: sent once more where their method allows it, counted, and never a
//! third time.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::http2::{self, END, END_HEADERS, GOAWAY, HEADERS, RST_STREAM, frame, greeting};
use crate::common::{exchange, with};
use contract::Settings;
use driver_http::HTTP;
use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use terms::{Nanos, Outcome};
use testkit::{Lab, Server, ok, read_request, reset, text};

/// How a server ends a connection on which a request has come.
#[derive(Clone, Copy, Debug)]
enum Ends {
    /// With the request read.
    Closes,
    /// With it unread, which resets the connection.
    Unread,
    Resets,
    /// After the first bytes of an answer.
    Half,
}

/// A server that answers the first request of each connection and ends the connection at the second; with the number of
/// all requests that it has read or seen.
fn leaving(ends: Ends) -> (Server, Arc<AtomicUsize>) {
    let seen = Arc::new(AtomicUsize::new(0));
    let count = seen.clone();
    let server = Server::start(move |_, mut stream| {
        stream.set_nodelay(true).unwrap();
        if read_request(&mut stream).is_none() {
            return 0;
        }
        count.fetch_add(1, Ordering::SeqCst);
        stream.write_all(ok("").as_bytes()).unwrap();
        if !matches!(stream.peek(&mut [0]), Ok(1)) {
            return 1;
        }
        count.fetch_add(1, Ordering::SeqCst);
        match ends {
            Ends::Closes => _ = read_request(&mut stream),
            Ends::Unread => {}
            Ends::Resets => {
                read_request(&mut stream);
                reset(&stream);
            }
            Ends::Half => {
                read_request(&mut stream);
                stream.write_all(b"HTTP/1.1 2").unwrap();
            }
        }
        2
    });
    (server, seen)
}

/// The connection stands idle for longer than half a second.
fn stand_idle() {
    clock::Clock::system().sleep_until(Nanos::from_millis(510));
}

#[test]
fn a_request_that_repeats_safely_goes_once_more_over_a_new_connection() {
    for (operation, ends) in [
        ("get", Ends::Closes),
        ("get", Ends::Unread),
        ("get", Ends::Resets),
        ("head", Ends::Closes),
        ("options", Ends::Resets),
        ("put", Ends::Closes),
        ("delete", Ends::Unread),
    ] {
        let (server, requests) = leaving(ends);
        let mut lab = Lab::new(HTTP, &[exchange(operation, server.url())]);
        assert_eq!(lab.run(0).outcome, Outcome::Ok, "{operation} {ends:?}");
        stand_idle();
        let seen = lab.run(0);
        assert_eq!(seen.outcome, Outcome::Ok, "{operation} {ends:?}: {}", seen.note);
        let counted = ["connects", "idle_retries", "idle_resets", "reconnects"].map(|name| lab.counted(name));
        assert_eq!(counted, [1, 1, 0, 0], "{operation} {ends:?}");
        assert_eq!(requests.load(Ordering::SeqCst), 3, "{operation} {ends:?}");
        let notices: Vec<_> = lab.notices().into_iter().map(|notice| notice.kind).collect();
        assert_eq!(notices, ["idle_retry"], "told once");
    }
}

/// A server that breaks connections under load fails, and is not helped.
#[test]
fn a_connection_that_was_in_use_a_moment_ago_is_no_idle_one() {
    for ends in [Ends::Closes, Ends::Unread, Ends::Resets] {
        let (server, requests) = leaving(ends);
        let mut lab = Lab::new(HTTP, &[exchange("get", server.url())]);
        // Should the machine hold this thread up for half a second, the connection was idle indeed.
        let begun = clock::Clock::system();
        assert_eq!(lab.run(0).outcome, Outcome::Ok, "{ends:?}");
        let seen = lab.run(0);
        if begun.now() < Nanos::from_millis(500) {
            assert_eq!((seen.outcome, lab.counted("idle_retries")), (Outcome::Reset, 0), "{ends:?}: {}", seen.note);
            assert_eq!(requests.load(Ordering::SeqCst), 2, "{ends:?}");
        }
    }
}

#[test]
fn what_may_do_its_work_twice_is_never_sent_twice() {
    for operation in ["post", "patch"] {
        let (server, requests) = leaving(Ends::Closes);
        let mut lab = Lab::new(HTTP, &[with(operation, server.url(), &[("body", text("buy"))])]);
        assert_eq!(lab.run(0).outcome, Outcome::Ok);
        stand_idle();
        let seen = lab.run(0);
        assert_eq!((seen.outcome, lab.counted("idle_retries")), (Outcome::Reset, 0), "{operation}: {}", seen.note);
        assert_eq!((requests.load(Ordering::SeqCst), server.accepted()), (2, 1), "{operation}");
    }
}

#[test]
fn the_study_can_forbid_it_and_half_an_answer_does() {
    for (retry, ends, outcome) in [(false, Ends::Closes, Outcome::Reset), (true, Ends::Half, Outcome::Partial)] {
        let (server, requests) = leaving(ends);
        let mut lab = Lab::new(HTTP, &[Settings { retry, ..exchange("get", server.url()) }]);
        assert_eq!(lab.run(0).outcome, Outcome::Ok);
        stand_idle();
        let seen = lab.run(0);
        assert_eq!((seen.outcome, lab.counted("idle_retries")), (outcome, 0), "{ends:?}: {}", seen.note);
        assert_eq!(requests.load(Ordering::SeqCst), 2);
    }
}

/// From its second connection on, this server ends each at the first request.
#[test]
fn there_is_no_third_time() {
    let server = Server::start(|number, mut stream| {
        read_request(&mut stream);
        if number == 0 {
            stream.write_all(ok("a").as_bytes()).unwrap();
            read_request(&mut stream);
        }
        0
    });
    let mut lab = Lab::new(HTTP, &[exchange("get", server.url())]);
    assert_eq!(lab.run(0).outcome, Outcome::Ok);
    stand_idle();
    let seen = lab.run(0);
    assert_eq!((seen.outcome, lab.counted("idle_retries")), (Outcome::Reset, 1), "{}", seen.note);
    assert_eq!(server.accepted(), 2);
    // The next one has a new connection as its first, and so no second try.
    let seen = lab.run(0);
    assert_eq!((seen.outcome, lab.counted("idle_retries")), (Outcome::Reset, 0), "{}", seen.note);
    assert_eq!(server.accepted(), 3);
}

/// However many exchanges, each costs one connection at most; the request that crosses the closing right behind an
/// answer is a reset and stays one.
#[test]
fn a_server_that_never_says_that_it_closes_does_not_loop() {
    let server = Server::start(|_, mut stream| {
        let came = read_request(&mut stream).is_some();
        stream.write_all(ok("a").as_bytes()).unwrap();
        usize::from(came)
    });
    let mut lab = Lab::new(HTTP, &[exchange("get", server.url())]);
    let mut connects = 0;
    for _ in 0..50 {
        let seen = lab.run(0);
        assert!(matches!(seen.outcome, Outcome::Ok | Outcome::Reset), "{}", seen.note);
        assert!(lab.counted("idle_retries") + lab.counted("reconnects") <= 1);
        connects += lab.counted("connects");
    }
    assert_eq!(server.accepted() as i64, connects);
    assert!((2..=50).contains(&connects), "{connects}");
}

#[test]
fn the_lost_try_counts_as_time_of_the_exchange() {
    let wait = Nanos::from_millis(80);
    let server = Server::start(move |number, mut stream| {
        read_request(&mut stream);
        stream.write_all(ok("").as_bytes()).unwrap();
        if number == 0 {
            let _ = stream.peek(&mut [0]);
            clock::Clock::system().sleep_until(wait);
        }
        0
    });
    let mut lab = Lab::new(HTTP, &[exchange("get", server.url())]);
    assert_eq!(lab.run(0).outcome, Outcome::Ok);
    stand_idle();
    assert_eq!(lab.carry_out(0), Outcome::Ok);
    let folded = lab.recorder.drain().fold();
    let longest = folded.legs.iter().map(|leg| leg.service.max).max();
    assert!(longest >= Some(wait), "{longest:?}");
}

/// What a server of HTTP/2 says and does as the second request comes.
fn parting(bytes: Vec<u8>) -> Server {
    Server::start(move |number, mut stream| {
        if http2::read_request(&mut stream, true).is_none() {
            return 0;
        }
        let answer = |stream_id| frame(HEADERS, END | END_HEADERS, stream_id, &[0x88]);
        stream.write_all(&[greeting(), answer(1)].concat()).unwrap();
        if http2::read_request(&mut stream, false).is_none() {
            return 1;
        }
        let last = if number == 0 { bytes.clone() } else { answer(3) };
        let _ = stream.write_all(&last);
        if !last.is_empty() {
            // The end comes later than what was stated, and not with it.
            let _ = stream.set_read_timeout(Some(std::time::Duration::from_millis(200)));
            let _ = stream.read(&mut [0; 1000]);
        }
        2
    })
}

#[test]
fn over_http2_what_the_server_says_it_did_not_take_goes_once_more() {
    let goaway = |last: u32, reason: u32| frame(GOAWAY, 0, 0, &[last.to_be_bytes(), reason.to_be_bytes()].concat());
    let refused = frame(RST_STREAM, 0, 3, &7u32.to_be_bytes());
    for (what, bytes, operation, outcome, retries) in [
        ("it did not take it", goaway(1, 0), "get", Outcome::Ok, 1),
        ("so it says of the stream", [goaway(1, 0), refused.clone()].concat(), "get", Outcome::Ok, 1),
        ("it closes without a word", Vec::new(), "get", Outcome::Ok, 1),
        ("it may have taken it", goaway(3, 0), "post", Outcome::Reset, 0),
        ("its method may do twice what it does", goaway(1, 0), "post", Outcome::Reset, 0),
        ("it finds fault", goaway(1, 11), "get", Outcome::Reset, 0),
        ("it refuses, and goes on", refused, "get", Outcome::Refused, 0),
        ("it gives up", frame(RST_STREAM, 0, 3, &2u32.to_be_bytes()), "get", Outcome::Reset, 0),
    ] {
        let server = parting(bytes);
        let mut lab = Lab::new(HTTP, &[with(operation, server.url(), &[("version", text("2"))])]);
        assert_eq!(lab.run(0).outcome, Outcome::Ok, "{what}");
        stand_idle();
        let seen = lab.run(0);
        assert_eq!((seen.outcome, lab.counted("idle_retries")), (outcome, retries), "{what}: {}", seen.note);
        assert_eq!(server.accepted() as i64, 1 + retries, "{what}");
    }
}
