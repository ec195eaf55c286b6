//! Servers that break every rule of HTTP/2: each exchange ends, nothing panics, memory stays bounded.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::http2::{
    ACK, CONTINUATION, DATA, END, END_HEADERS, GOAWAY, HEADERS, PING, PUSH_PROMISE, RST_STREAM, SETTINGS, frame,
    greeting, read_request, sending,
};
use crate::common::with;
use contract::{Compare, Probe, Settings};
use driver_http::HTTP;
use proptest::prelude::*;
use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use terms::{Nanos, Outcome};
use testkit::{Lab, Server, check, text};

fn lab(url: String) -> Lab {
    let settings = with("get", url, &[("version", text("2"))]);
    let checks = vec![check(Probe::Header("x-a".into()), Compare::NotEqual, "1")];
    let mut lab = Lab::new(HTTP, &[Settings { checks, ..settings }]);
    lab.deadline = Nanos::from_secs(5);
    lab
}

/// One without checks, to which any whole answer is right.
fn trusting(url: String) -> Lab {
    let mut lab = Lab::new(HTTP, &[with("get", url, &[("version", text("2"))])]);
    lab.deadline = Nanos::from_secs(20);
    lab
}

#[test]
fn broken_answers_are_faults() {
    let head = frame(HEADERS, END_HEADERS, 1, &[0x88]);
    for (what, bytes) in [
        ("data before the head", frame(DATA, END, 1, b"a")),
        ("a stream that nobody opened", frame(HEADERS, END | END_HEADERS, 7, &[0x88])),
        ("a promise, which is not allowed", frame(PUSH_PROMISE, END_HEADERS, 1, &[0, 0, 0, 2, 0x82])),
        ("a head that is not HPACK", frame(HEADERS, END | END_HEADERS, 1, &[0xff; 10])),
        ("a head without status", frame(HEADERS, END | END_HEADERS, 1, &[])),
        ("a continuation of nothing", frame(CONTINUATION, END_HEADERS, 1, &[0x88])),
        ("a frame that is too large", [head.clone(), frame(DATA, 0, 1, &[0; 20_000])].concat()),
        ("settings of a wrong length", frame(SETTINGS, 0, 0, &[0; 5])),
        ("an acknowledgement too many", frame(SETTINGS, ACK, 0, &[])),
        ("a ping of a wrong length", frame(PING, 0, 0, &[0; 3])),
        ("a window that overflows", [8u32.to_be_bytes().to_vec(), Vec::new()].concat()),
        (
            "more than the length says",
            [frame(HEADERS, END_HEADERS, 1, &[0x88, 0x0f, 0x0d, 1, b'2']), frame(DATA, END, 1, b"abc")].concat(),
        ),
        (
            "less than the length says",
            [frame(HEADERS, END_HEADERS, 1, &[0x88, 0x0f, 0x0d, 1, b'9']), frame(DATA, END, 1, b"abc")].concat(),
        ),
    ] {
        let bytes = if what == "a window that overflows" { frame(8, 0, 0, &[0x7f, 0xff, 0xff, 0xff]) } else { bytes };
        let seen = lab(sending(bytes).url()).run(0);
        assert_eq!(seen.outcome, Outcome::Fault, "{what}: {}", seen.note);
        let begins = ["the answer is not HTTP/2 (", "the answer breaks the rules of HTTP/2"];
        assert!(begins.iter().any(|begin| seen.note.starts_with(begin)), "{what}: {}", seen.note);
    }
}

/// A server that sends the same bytes for as long as they are taken, and never reads what comes.
fn flood(bytes: Vec<u8>) -> (Server, Arc<AtomicBool>) {
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = stop.clone();
    let block = bytes.repeat(1 + 60_000 / bytes.len());
    let server = Server::start(move |_, mut stream| {
        if read_request(&mut stream, true).is_none() {
            return 0;
        }
        stream.write_all(&greeting()).unwrap();
        stream.set_write_timeout(Some(std::time::Duration::from_millis(100))).unwrap();
        let mut sent = 0;
        while !stopped.load(Ordering::SeqCst) {
            match stream.write(&block) {
                Ok(count) => sent += count,
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                Err(_) => return sent,
            }
        }
        sent
    });
    (server, stop)
}

#[test]
fn floods_end_with_the_deadline_or_before_and_take_no_memory() {
    let head = frame(HEADERS, END_HEADERS, 1, &[0x88]);
    for (what, bytes) in [
        ("settings, whose acknowledgements are never read", frame(SETTINGS, 0, 0, &[0, 3, 0, 0, 0, 9])),
        ("pings, whose answers are never read", frame(PING, 0, 0, &[0; 8])),
        ("interim answers", frame(HEADERS, END_HEADERS, 1, &[0x08, 3, b'1', b'0', b'3'])),
        ("resets of closed streams", frame(RST_STREAM, 0, 1, &[0; 4])),
        (
            "a head that never ends",
            [&frame(HEADERS, 0, 1, &[0x88])[..], &frame(CONTINUATION, 0, 1, &[0; 100])].concat(),
        ),
        ("goodbyes", frame(GOAWAY, 0, 0, &[0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0])),
        ("window updates", frame(8, 0, 0, &[0, 0, 0, 1])),
        ("frames that nobody knows", frame(0xbb, 0, 0, &[0; 50])),
        ("empty data", [head, frame(DATA, 0, 1, &[])].concat()),
    ] {
        let (server, stop) = flood(bytes);
        let mut lab = lab(server.url());
        lab.deadline = Nanos::from_millis(300);
        let mut seen = None;
        let memory = allocation_counter::measure(|| seen = Some(lab.run(0)));
        stop.store(true, Ordering::SeqCst);
        let seen = seen.unwrap();
        assert_ne!(seen.outcome, Outcome::Ok, "{what}: {}", seen.note);
        assert!(memory.bytes_max < 4_000_000, "{what}: {memory:?}");
    }
}

/// A server that sends the same bytes for as long as they are taken, and reads what comes.
fn reading_flood(bytes: Vec<u8>) -> Server {
    let block = bytes.repeat(1 + 60_000 / bytes.len());
    Server::start(move |_, mut stream| {
        if read_request(&mut stream, true).is_none() {
            return 0;
        }
        stream.write_all(&greeting()).unwrap();
        let mut reads = stream.try_clone().unwrap();
        let reader = std::thread::spawn(move || while reads.read(&mut [0; 65536]).is_ok_and(|count| count > 0) {});
        while stream.write_all(&block).is_ok() {}
        let _ = stream.shutdown(std::net::Shutdown::Both);
        reader.join().unwrap();
        1
    })
}

#[test]
fn interim_answers_without_end_are_given_up_at_the_seventeenth() {
    // `:status` as a literal that is never indexed, one that is indexed once and then named in a byte, and with fields.
    let literal = frame(HEADERS, END_HEADERS, 1, &[0x08, 3, b'1', b'0', b'0']);
    let indexed =
        [frame(HEADERS, END_HEADERS, 1, &[0x48, 3, b'1', b'0', b'3']), frame(HEADERS, END_HEADERS, 1, &[0xbe])];
    let mut fields = vec![0x08, 3, b'1', b'0', b'0'];
    (0..200).for_each(|_| fields.extend_from_slice(&[0x00, 1, b'a', 3, b'b', b'c', b'd']));
    for (what, bytes) in [
        ("literal", literal.clone()),
        ("indexed", indexed.concat()),
        ("with fields", frame(HEADERS, END_HEADERS, 1, &fields)),
        ("in two frames", [frame(HEADERS, 0, 1, &[0x08, 3]), frame(CONTINUATION, END_HEADERS, 1, b"100")].concat()),
    ] {
        let server = reading_flood(bytes);
        let mut lab = lab(server.url());
        let mut seen = None;
        let memory = allocation_counter::measure(|| seen = Some(lab.run(0)));
        let seen = seen.unwrap();
        assert_eq!(seen.outcome, Outcome::Fault, "{what}: {}", seen.note);
        assert!(seen.note.contains("more than 16 interim answers"), "{what}: {}", seen.note);
        assert!(memory.bytes_max < 1_500_000, "{what}: {memory:?}");
        assert_eq!(server.results.recv(), Ok(1), "{what}: the server saw the connection end");
    }
    // Sixteen are read over, as over HTTP/1.
    let answer = [literal.repeat(16), frame(HEADERS, END | END_HEADERS, 1, &[0x88])].concat();
    let seen = trusting(sending(answer).url()).run(0);
    assert_eq!(seen.outcome, Outcome::Ok, "{}", seen.note);
}

#[test]
fn exchange_after_exchange_with_such_a_server_leaves_nothing_behind() {
    let server = reading_flood(frame(HEADERS, END_HEADERS, 1, &[0x08, 3, b'1', b'0', b'0']));
    let mut lab = lab(server.url());
    // Cut off before the bound is reached or after it, whichever comes first.
    lab.deadline = Nanos::from_millis(20);
    lab.run(0);
    let memory = allocation_counter::measure(|| {
        for _ in 0..100 {
            assert_ne!(lab.run(0).outcome, Outcome::Ok);
        }
    });
    assert!(memory.bytes_current.abs() < 2_000_000 && memory.bytes_max < 3_000_000, "{memory:?}");
}

#[test]
fn frames_without_end_that_bring_nothing_end_the_connection() {
    let head = frame(HEADERS, END_HEADERS, 1, &[0x88]);
    for (what, bytes) in [
        ("pings", frame(PING, 0, 0, &[0; 8])),
        ("answers to no ping", frame(PING, ACK, 0, &[0; 8])),
        ("settings", frame(SETTINGS, 0, 0, &[0, 3, 0, 0, 0, 9])),
        ("window updates", frame(8, 0, 0, &[0, 0, 0, 1])),
        ("window updates of the stream", frame(8, 0, 1, &[0, 0, 0, 1])),
        ("priorities", frame(2, 0, 1, &[0, 0, 0, 3, 1])),
        ("frames that nobody knows", frame(0xbb, 0, 0, &[0; 50])),
        ("large frames that nobody knows", frame(0xbb, 0, 1, &[0; 16_000])),
    ] {
        // Before the answer begins and in the midst of it.
        for begin in [Vec::new(), head.clone()] {
            let bytes = bytes.clone();
            let first = begin.clone();
            let server = Server::start(move |_, mut stream| {
                if read_request(&mut stream, true).is_none() {
                    return 0;
                }
                stream.write_all(&[greeting(), first.clone()].concat()).unwrap();
                let mut reads = stream.try_clone().unwrap();
                let reader =
                    std::thread::spawn(move || while reads.read(&mut [0; 65536]).is_ok_and(|count| count > 0) {});
                let block = bytes.repeat(1 + 60_000 / bytes.len());
                while stream.write_all(&block).is_ok() {}
                let _ = stream.shutdown(std::net::Shutdown::Both);
                reader.join().unwrap();
                1
            });
            let mut lab = lab(server.url());
            let mut seen = None;
            let memory = allocation_counter::measure(|| seen = Some(lab.run(0)));
            let seen = seen.unwrap();
            assert_eq!(seen.outcome, Outcome::Fault, "{what}: {}", seen.note);
            assert!(memory.bytes_max < 4_000_000, "{what}: {memory:?}");
            assert_eq!(server.results.recv(), Ok(1), "{what}: the server saw the connection end");
        }
    }
}

#[test]
fn an_answer_in_crumbs_with_padding_comes_through_and_endless_empty_ones_do_not() {
    let head = frame(HEADERS, END_HEADERS, 1, &[0x88]);
    // One byte of data and 200 of padding in each frame.
    let mut padded = vec![200, b'x'];
    padded.resize(202, 0);
    let crumbs = frame(DATA, 8, 1, &padded).repeat(20_000);
    let seen = trusting(sending([head.clone(), crumbs, frame(DATA, END, 1, b"")].concat()).url()).run(0);
    assert_eq!((seen.outcome, seen.bytes), (Outcome::Ok, 20_000), "{}", seen.note);
    for empty in [frame(DATA, 0, 1, &[]), frame(DATA, 8, 1, &[3, 0, 0, 0])] {
        let block = [head.clone(), empty.repeat(200_000)].concat();
        let seen = trusting(sending(block).url()).run(0);
        assert_eq!(seen.outcome, Outcome::Fault, "{}", seen.note);
    }
}

#[test]
fn trailers_beyond_the_bound_of_a_head_take_no_memory() {
    let head = [frame(HEADERS, END_HEADERS, 1, &[0x88]), frame(DATA, 0, 1, b"hello")].concat();
    let mut field = vec![0x00, 1, b'a', 0x7f, 0xe9, 0x06];
    field.resize(field.len() + 1000, b'b');
    let mut trailers = vec![frame(HEADERS, END, 1, &field.repeat(16))];
    (0..4).for_each(|_| trailers.push(frame(CONTINUATION, 0, 1, &field.repeat(16))));
    trailers.push(frame(CONTINUATION, END_HEADERS, 1, &field.repeat(16)));
    let mut seen = None;
    let mut lab = trusting(sending([head, trailers.concat()].concat()).url());
    let memory = allocation_counter::measure(|| seen = Some(lab.run(0)));
    let seen = seen.unwrap();
    // The body is whole by then, and nobody looks at what follows it.
    assert!(seen.outcome != Outcome::Timeout && seen.bytes == 5, "{seen:?}");
    assert!(memory.bytes_max < 4_000_000, "{memory:?}");
}

#[test]
fn a_body_without_end_is_counted_and_not_kept() {
    let (server, stop) = flood(frame(DATA, 0, 1, &[b'x'; 16_000]));
    // Data without a head is a fault; with one it goes on until the deadline.
    assert_eq!(lab(server.url()).run(0).outcome, Outcome::Fault);
    stop.store(true, Ordering::SeqCst);
    let endless = Server::start(|_, mut stream| {
        read_request(&mut stream, true);
        stream.write_all(&[greeting(), frame(HEADERS, END_HEADERS, 1, &[0x88])].concat()).unwrap();
        let block = frame(DATA, 0, 1, &[b'x'; 16_000]);
        while stream.write_all(&block).is_ok() {}
        0
    });
    let mut lab = lab(endless.url());
    lab.deadline = Nanos::from_millis(300);
    let mut seen = None;
    let memory = allocation_counter::measure(|| seen = Some(lab.run(0)));
    let seen = seen.unwrap();
    assert_eq!(seen.outcome, Outcome::Timeout);
    assert!(seen.bytes > 0 && memory.bytes_max < 4_000_000, "{memory:?}");
}

#[test]
fn a_goodbye_shows_only_the_beginning_of_what_it_says() {
    let debug = [&[0, 0, 0, 0, 0, 0, 0, 2][..], &[b'\n'; 10_000]].concat();
    let seen = lab(sending(frame(GOAWAY, 0, 0, &debug)).url()).run(0);
    assert_eq!(seen.outcome, Outcome::Reset);
    assert!(seen.note.len() < 300 && !seen.note.contains('\n'), "{}", seen.note);
}

/// Frames as a careless server would send them.
fn frames() -> impl Strategy<Value = Vec<u8>> {
    let kind = prop_oneof![0u8..10, any::<u8>()];
    let stream = prop_oneof![Just(0u32), Just(1), Just(2), Just(3), any::<u32>()];
    let payload = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..40),
        Just(vec![0x88]),
        Just(vec![0; 8]),
        Just(vec![0, 0, 0, 0, 0, 0, 0, 0, 0x82]),
    ];
    let one =
        (kind, any::<u8>(), stream, payload).prop_map(|(kind, flags, id, payload)| frame(kind, flags, id, &payload));
    proptest::collection::vec(one, 1..12).prop_map(|frames| frames.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]
    #[test]
    fn whatever_comes_the_exchange_ends_once(bytes in frames(), greets in any::<bool>()) {
        let server = Server::start(move |_, mut stream| {
            let _ = read_request(&mut stream, true);
            let _ = stream.write_all(&if greets { greeting() } else { Vec::new() });
            let _ = stream.write_all(&bytes);
            let _ = stream.shutdown(std::net::Shutdown::Write);
            let _ = stream.read(&mut [0; 4096]);
            0
        });
        let seen = lab(server.url()).run(0);
        prop_assert!(seen.outcome != Outcome::Timeout, "{seen:?}");
    }
}
