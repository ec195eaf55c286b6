//! Answers that could be understood in two ways, or would take all memory: each has its outcome and says what was wrong.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::{exchange, once};
use driver_http::HTTP;
use std::io::Write;
use terms::Outcome;
use testkit::{Lab, Recorded, Server, read_request};

/// What one exchange with a server comes to that sends this and closes.
fn after(answer: &[u8]) -> Recorded {
    once(exchange("get", Server::closing_after(answer).url()))
}

#[test]
fn what_is_ambiguous_or_boundless_is_a_fault_that_says_why() {
    let head = |more: &str| format!("HTTP/1.1 200 OK\r\n{more}\r\n");
    let chunked = |body: &str| head("Transfer-Encoding: chunked\r\n") + body;
    for (what, answer, why) in [
        ("a head over 64 KiB", head(&format!("A: {}\r\n", "b".repeat(64 * 1024))), "does not end within 64 KiB"),
        ("a head without end", format!("HTTP/1.1 200 OK\r\nA: {}", "b".repeat(200_000)), "does not end within 64 KiB"),
        ("too many headers", head(&"A: b\r\n".repeat(129)), "more than 128 headers"),
        ("a size of 2^64", chunked("10000000000000000\r\n"), "more than 15 digits"),
        ("a size of 2^64 - 1", chunked("ffffffffffffffff\r\n"), "more than 15 digits"),
        ("a size below zero", chunked("-1\r\n"), "not a hexadecimal number"),
        ("an endless extension", chunked(&format!("1;{}", "x".repeat(5000))), "longer than 4 KiB"),
        ("endless trailers", chunked(&format!("0\r\n{}", "A: b\r\n".repeat(20_000))), "longer than 64 KiB"),
        (
            "both lengths",
            head("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n") + "3\r\nabc\r\n0\r\n\r\n",
            "both a content length and a transfer coding",
        ),
        (
            "both lengths, the other way round",
            head("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n") + "3\r\nabc\r\n0\r\n\r\n",
            "both a content length and a transfer coding",
        ),
        ("two lengths", head("Content-Length: 3\r\nContent-Length: 4\r\n") + "abcd", "two different content lengths"),
        ("two lengths in one", head("Content-Length: 3, 4\r\n") + "abcd", "content length is not a number"),
        (
            "a length beyond all numbers",
            head("Content-Length: 99999999999999999999\r\n"),
            "content length is not a number",
        ),
        ("HTTP/0.9", "<html><body>hello</body></html>".to_owned(), "does not begin with `HTTP/1.`"),
        ("HTTP/2 unasked", "HTTP/2.0 200 OK\r\n\r\n".to_owned(), "does not begin with `HTTP/1.`"),
        ("endless interim answers", "HTTP/1.1 100 Continue\r\n\r\n".repeat(1000), "more than 16 interim answers"),
    ] {
        let seen = after(answer.as_bytes());
        assert_eq!(seen.outcome, Outcome::Fault, "{what}: {}", seen.note);
        assert!(seen.note.starts_with("the answer is not HTTP: ") && seen.note.contains(why), "{what}: {}", seen.note);
        assert!(seen.note.len() < 400, "{what}: the note is bounded");
    }
}

#[test]
fn an_endless_head_is_given_up_while_it_still_comes() {
    // The server would go on for ever: the exchange ends at the bound, not at the deadline, and the connection is let go.
    let server = Server::start(|_, mut stream| {
        read_request(&mut stream);
        let line = format!("A: {}\r\n", "b".repeat(1000));
        let mut sent = stream.write_all(b"HTTP/1.1 200 OK\r\n").map_or(0, |()| 1);
        while stream.write_all(line.as_bytes()).is_ok() {
            sent += 1;
        }
        sent
    });
    let seen = once(exchange("get", server.url()));
    assert_eq!(seen.outcome, Outcome::Fault, "{}", seen.note);
    assert!(server.results.recv().is_ok(), "the server saw the connection end");
}

#[test]
fn the_same_length_twice_is_one_length() {
    let seen = after(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc");
    assert_eq!((seen.outcome, seen.bytes), (Outcome::Ok, 3), "{}", seen.note);
}

#[test]
fn an_answer_that_never_ends_ends_with_its_time() {
    let chunk = format!("1;{}\r\nx\r\n", "e".repeat(4000));
    for (what, begin, block, note) in [
        ("chunks with extensions", "Transfer-Encoding: chunked\r\n\r\n", chunk.as_str(), "status 200"),
        ("chunks of a byte", "Transfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n", "status 200"),
        ("a body as long as a disk", "Content-Length: 999999999999999999\r\n\r\n", "xxxxxxxx", "status 200"),
        ("a body without a length", "\r\n", "xxxxxxxx", "status 200"),
    ] {
        let (begin, block) = (format!("HTTP/1.1 200 OK\r\n{begin}"), block.repeat(8000));
        let server = Server::start(move |_, mut stream| {
            read_request(&mut stream);
            let mut sent = stream.write_all(begin.as_bytes()).map_or(0, |()| 1);
            while stream.write_all(block.as_bytes()).is_ok() {
                sent += 1;
            }
            sent
        });
        let mut lab = Lab::new(HTTP, &[exchange("get", server.url())]);
        lab.deadline = terms::Nanos::from_millis(200);
        let mut seen = None;
        let memory = allocation_counter::measure(|| seen = Some(lab.run(0)));
        let seen = seen.unwrap();
        assert_eq!(seen.outcome, Outcome::Timeout, "{what}: {}", seen.note);
        assert!(seen.note.contains(note), "{what}: {}", seen.note);
        assert!(memory.bytes_max < 1_000_000, "{what}: {memory:?}");
        assert!(server.results.recv().is_ok(), "{what}: the server saw the connection end");
    }
}

#[test]
fn an_answer_that_trickles_ends_with_its_time() {
    for (what, answer) in [
        ("a head", "HTTP/1.1 200 OK\r\nA: bcdefghijklmnopqrstuvwxyz".to_owned()),
        ("empty lines before it", "\r\n".repeat(1000)),
        ("a body", format!("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n{}", "x".repeat(1000))),
        ("trailers", format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: {}", "x".repeat(1000))),
    ] {
        let server = Server::start(move |_, mut stream| {
            read_request(&mut stream);
            let clock = clock::Clock::system();
            // A byte a millisecond, over and over until the client has left.
            for byte in answer.bytes().chain(std::iter::repeat(b'y')) {
                if stream.write_all(&[byte]).is_err() {
                    return 1;
                }
                clock.sleep_until(clock.now() + terms::Nanos::from_millis(1));
            }
            0
        });
        let mut lab = Lab::new(HTTP, &[exchange("get", server.url())]);
        lab.deadline = terms::Nanos::from_millis(300);
        let seen = lab.run(0);
        assert_eq!(seen.outcome, Outcome::Timeout, "{what}: {}", seen.note);
        assert_eq!(server.results.recv(), Ok(1), "{what}: the server saw the connection end");
    }
}
