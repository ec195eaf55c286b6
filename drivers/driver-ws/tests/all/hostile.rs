//! Servers that break the protocol, leave, or never end: each has its outcome and says what was wrong, and the server is
//! told by the code of the close frame.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::{
    ANSWER, CONNECT, SENT, agreed, around, body_is, connected, ends, frame, numbered, read_frame, read_opening,
    sending, talk_of, url,
};
use contract::{Cancel, Settings};
use driver_ws::WS;
use std::io::Write;
use std::net::TcpStream;
use terms::{Nanos, Outcome};
use testkit::{Lab, Server, Surroundings, reset, text};

/// What the books take for their first histograms, and little more; servers send a hundred times as much.
const BYTES_MAX: u64 = 2_000_000;

/// An exchange whose messages are echoed.
fn echoed(server: &Server) -> Settings {
    Settings { checks: vec![body_is("sent")], ..numbered(url(server), &[("max_message", text("1kB"))]) }
}

/// What a message comes to that the server answers so, what is reported about it, and the code that the server is told.
fn after(bytes: &[u8]) -> (Outcome, String, usize) {
    let server = sending(bytes);
    let mut lab = connected(echoed(&server));
    let seen = talk_of(&mut lab, 1);
    let [(outcome, 1)] = ends(&seen, ANSWER)[..] else { panic!("{seen:?}") };
    assert!(!lab.is_connected(0) && seen.note.len() < 500, "{}", seen.note);
    assert_eq!(lab.counted("lost"), 1);
    assert_eq!(ends(&talk_of(&mut lab, 1), ANSWER), [(Outcome::Reset, 1)], "it is gone");
    (outcome, seen.note, server.results.recv().unwrap())
}

#[test]
fn what_breaks_the_protocol_fails_the_connection_with_its_code() {
    for (bytes, code, why) in [
        (vec![0xc1, 0], 1002, "a reserved bit"),
        (vec![0x83, 0], 1002, "a reserved opcode"),
        (vec![0x81, 0x85, 1, 2, 3, 4, 5, 6, 7, 8, 9], 1002, "a masked frame"),
        (vec![0x89, 126, 0, 126], 1002, "a control frame of more than 125 bytes"),
        (frame(0x09, b"a"), 1002, "a fragment of a control frame"),
        (frame(0x80, b"a"), 1002, "a continuation of no message"),
        ([frame(0x01, b"a"), frame(0x01, b"b")].concat(), 1002, "a new message before the end"),
        (vec![0x81, 126, 0, 5], 1002, "a length written in more bytes"),
        (frame(0x81, b"\xff\xfe"), 1007, "a text that is not UTF-8"),
        (vec![0x82, 126, 0x03, 0xe9], 1009, "longer than `max_message`"),
        (vec![0x82, 127, 0x7f, 0, 0, 0, 0, 0, 0, 0], 1009, "longer than `max_message`"),
        (vec![0x82, 127, 0xff, 0, 0, 0, 0, 0, 0, 0], 1009, "2^63"),
        (frame(0x88, b"\x03"), 1002, "half a code"),
        (frame(0x88, &1005u16.to_be_bytes()), 1002, "a code that may not be sent"),
        (frame(0x88, b"\x03\xe8\xff"), 1007, "a close frame whose reason is not UTF-8"),
    ] {
        let (outcome, note, told) = after(&bytes);
        assert_eq!((outcome, told), (Outcome::Fault, code), "{why}: {note}");
        assert!(note.contains(why) && note.contains(&format!("closed with {code}")), "{why}: {note}");
    }
}

#[test]
fn fragments_with_control_frames_between_them_are_one_message() {
    let server = Server::start(|_, mut stream| {
        let Some(key) = read_opening(&mut stream) else { return 0 };
        let _ = stream.write_all(agreed(&key).as_bytes());
        let Some((_, payload)) = read_frame(&mut stream) else { return 0 };
        let mut first = 1;
        for byte in payload {
            let bytes = [frame(first, &[byte]), frame(0x89, b"ping"), frame(0x8a, b"")].concat();
            if bytes.iter().any(|byte| stream.write_all(&[*byte]).is_err()) {
                return 0;
            }
            first = 0;
        }
        let _ = stream.write_all(&frame(0x80, b""));
        let mut pongs = 0;
        while let Some((first, payload)) = read_frame(&mut stream) {
            pongs += usize::from(first == 0x8a && payload == b"ping");
        }
        pongs
    });
    let mut lab = connected(echoed(&server));
    let seen = talk_of(&mut lab, 1);
    assert_eq!(ends(&seen, ANSWER), [(Outcome::Ok, 1)], "{}", seen.note);
    drop(lab);
    assert!(server.results.recv().unwrap() >= 1, "pings are answered, the newest at least");
}

#[test]
fn a_server_that_closes_says_why() {
    let closing = |code: u16, reason: &str| frame(0x88, &[&code.to_be_bytes(), reason.as_bytes()].concat());
    for (bytes, outcome, note, code) in [
        (closing(1001, "bye"), Outcome::Reset, "the server closed the connection: 1001, going away, `bye`", 1001),
        (closing(1000, ""), Outcome::Reset, "the server closed the connection: 1000, normal closure", 1000),
        (frame(0x88, b""), Outcome::Reset, "the server closed the connection: without a code", 0),
        (closing(1011, "oops"), Outcome::Fault, "the server closed the connection: 1011, internal error, `oops`", 1011),
        (closing(1013, ""), Outcome::Reset, "the server closed the connection: 1013, try again later", 1013),
        (closing(4001, ""), Outcome::Reset, "the server closed the connection: 4001, a code of its own", 4001),
    ] {
        let (ended, said, told) = after(&bytes);
        assert_eq!((ended, said.as_str(), told), (outcome, note, code));
    }
}

/// What two messages come to when the server does this after them, and what is reported about it.
fn broken(breaks: impl Fn(&mut TcpStream) + Send + Sync + 'static) -> (Vec<(Outcome, u64)>, String) {
    let server = Server::start(move |_, mut stream| {
        let Some(key) = read_opening(&mut stream) else { return 0 };
        let _ = stream.write_all(agreed(&key).as_bytes());
        let taken = [read_frame(&mut stream), read_frame(&mut stream)].iter().flatten().count();
        breaks(&mut stream);
        taken
    });
    let seen = talk_of(&mut connected(echoed(&server)), 2);
    assert_eq!((server.results.recv(), server.accepted()), (Ok(2), 1), "nothing is sent a second time");
    (ends(&seen, ANSWER), seen.note)
}

#[test]
fn what_waits_on_a_connection_that_breaks_is_reset_and_half_an_answer_is_partial() {
    let (ends, note) = broken(|_| {});
    assert_eq!(ends, [(Outcome::Reset, 2)]);
    assert!(note.starts_with("the server ended the connection without a close frame"), "{note}");
    let (ends, note) = broken(|stream| reset(stream));
    assert!(ends == [(Outcome::Reset, 2)] && note.contains("the connection is broken"), "{note}");
    for part in [&[0x81][..], &[0x81, 5], &[0x81, 5, b'a'], &[0x01, 1, b'a']] {
        let (ends, _) = broken(move |stream| drop(stream.write_all(part)));
        assert_eq!(ends, [(Outcome::Reset, 1), (Outcome::Partial, 1)]);
    }
}

#[test]
fn a_server_that_leaves_between_messages_is_noticed() {
    let server = Server::start(|_, mut stream| {
        let Some(key) = read_opening(&mut stream) else { return 0 };
        let _ = stream.write_all(agreed(&key).as_bytes());
        1
    });
    let mut lab = connected(echoed(&server));
    assert!(lab.until(|lab| !lab.is_connected(0)));
    let seen = talk_of(&mut lab, 1);
    let reset = vec![(Outcome::Reset, 1)];
    assert_eq!((ends(&seen, ANSWER), ends(&seen, SENT), lab.counted("lost")), (reset.clone(), reset, 1));
}

#[test]
fn a_message_without_end_ends_with_its_time_and_takes_no_memory() {
    // Fragments of nothing, over and over; then of a byte, until the bound.
    for (block, outcome) in [(frame(0x00, b""), Outcome::Missing), (frame(0x00, b"x"), Outcome::Fault)] {
        let server = Server::start(move |_, mut stream| {
            let Some(key) = read_opening(&mut stream) else { return 0 };
            let _ = stream.write_all(agreed(&key).as_bytes());
            read_frame(&mut stream);
            let _ = stream.write_all(&frame(0x01, b"a"));
            let blocks = block.repeat(1000);
            let mut sent = 0;
            while stream.write_all(&blocks).is_ok() {
                sent += 1;
            }
            sent
        });
        let mut lab = connected(Settings { timeout: Nanos::from_millis(300), ..echoed(&server) });
        let mut seen = None;
        let memory = allocation_counter::measure(|| seen = Some(talk_of(&mut lab, 1)));
        assert_eq!(ends(&seen.unwrap(), ANSWER), [(outcome, 1)]);
        assert!(memory.bytes_max < BYTES_MAX, "{memory:?}");
        drop(lab);
        assert!(server.results.recv().is_ok(), "the server saw the connection end");
    }
}

#[test]
fn pings_without_end_are_answered_as_far_as_they_are_taken() {
    // The server never reads an answer to them.
    let server = Server::start(|_, mut stream| {
        let Some(key) = read_opening(&mut stream) else { return 0 };
        let _ = stream.write_all(agreed(&key).as_bytes());
        let pings = frame(0x89, &[b'x'; 125]).repeat(500);
        let mut sent = 0;
        while stream.write_all(&pings).is_ok() {
            sent += 1;
        }
        sent
    });
    let mut lab = connected(Settings { timeout: Nanos::from_millis(500), ..echoed(&server) });
    let mut seen = None;
    let memory = allocation_counter::measure(|| seen = Some(talk_of(&mut lab, 1)));
    assert_eq!(ends(&seen.unwrap(), ANSWER), [(Outcome::Missing, 1)]);
    assert!(memory.bytes_max < BYTES_MAX, "{memory:?}");
    drop(lab);
    assert!(server.results.recv().is_ok(), "the server saw the connection end");
}

#[test]
fn a_message_that_is_not_taken_in_time_is_a_timeout_and_its_frame_is_written_to_its_end() {
    let (go, told) = std::sync::mpsc::channel();
    let told = std::sync::Mutex::new(told);
    let server = Server::start(move |_, mut stream| {
        let Some(key) = read_opening(&mut stream) else { return 0 };
        let _ = stream.write_all(agreed(&key).as_bytes());
        let _: Result<(), _> = told.lock().unwrap().recv();
        let mut taken = 0;
        while let Some((first, payload)) = read_frame(&mut stream) {
            taken += usize::from(first == 0x81 && payload.ends_with(b"x"));
        }
        taken
    });
    let value = "x".repeat(10_000_000);
    let settings = numbered(url(&server), &[("answer", text("none"))]);
    let mut lab = Lab::with(WS, &[settings], Surroundings::rows(&[value.as_bytes()]));
    assert_eq!(lab.connect(0, 0), Outcome::Ok);
    let patient = std::mem::replace(&mut lab.deadline, Nanos::from_millis(200));
    assert_eq!((lab.send(0, 0), lab.send(0, 0)), (Outcome::Timeout, Outcome::Timeout));
    assert!(lab.is_connected(0));
    go.send(()).unwrap();
    lab.deadline = patient;
    assert_eq!(lab.send(0, 0), Outcome::Ok);
    lab.disconnect(0);
    assert_eq!(server.results.recv(), Ok(2), "the one that was never begun is not sent");
    let seen = lab.seen();
    assert_eq!(ends(&seen, SENT), [(Outcome::Ok, 1), (Outcome::Timeout, 2)]);
    assert!(seen.note.contains("did not take the message in time"), "{}", seen.note);
}

#[test]
fn a_message_that_is_stopped_half_way_is_aborted() {
    let server = Server::start(|_, mut stream| {
        let Some(key) = read_opening(&mut stream) else { return 0 };
        let _ = stream.write_all(agreed(&key).as_bytes());
        // Until the client has left, of which only a write can tell.
        while stream.write_all(&frame(0x8a, b"")).is_ok() {
            std::thread::yield_now();
        }
        1
    });
    let value = "x".repeat(10_000_000);
    let settings = Settings { checks: vec![body_is("sent")], ..numbered(url(&server), &[]) };
    let mut lab = Lab::with(WS, &[settings], Surroundings::rows(&[value.as_bytes()]));
    assert_eq!(lab.connect(0, 0), Outcome::Ok);
    lab.begin(0, 0);
    lab.stop(0, Cancel::Abort);
    lab.disconnect(0);
    let seen = lab.seen();
    let aborted = vec![(Outcome::Aborted, 1)];
    assert_eq!((ends(&seen, ANSWER), ends(&seen, SENT)), (aborted.clone(), aborted));
    drop(lab);
    assert_eq!(server.results.recv(), Ok(1), "the connection is let go");
}

#[test]
fn many_connections_that_are_cut_at_once_leave_their_books_in_balance() {
    const COUNT: u32 = 50;
    let server = Server::start(|_, mut stream| {
        let Some(key) = read_opening(&mut stream) else { return 0 };
        let _ = stream.write_all(agreed(&key).as_bytes());
        let taken = [read_frame(&mut stream), read_frame(&mut stream)].iter().flatten().count();
        reset(&stream);
        taken
    });
    let mut lab = Lab::with(WS, &[echoed(&server)], Surroundings { slots: COUNT, ..around() });
    for slot in 0..COUNT {
        assert_eq!(lab.connect(slot, 0), Outcome::Ok);
    }
    for slot in 0..COUNT {
        for _ in 0..3 {
            lab.begin(slot, 0);
            lab.finish(&[slot]);
        }
    }
    lab.settle();
    assert!(lab.until(|lab| (0..COUNT).all(|slot| !lab.is_connected(slot))));
    let seen = lab.seen();
    let count = u64::from(COUNT);
    assert_eq!(
        (ends(&seen, CONNECT), ends(&seen, ANSWER)),
        (vec![(Outcome::Ok, count)], vec![(Outcome::Reset, 3 * count)])
    );
    assert_eq!(ends(&seen, SENT).iter().map(|end| end.1).sum::<u64>(), 3 * count);
    assert_eq!((lab.counted("connects"), lab.counted("lost")), (i64::from(COUNT), i64::from(COUNT)));
}
