//! Servers that break the protocol, leave, or never end: each has its outcome and says what was wrong.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::{CHUNKED, CONNECT, EVENT, HEAD, chunk, connected, due, ends, events, heard, listen, serving};
use contract::Settings;
use driver_sse::SSE;
use std::io::Write;
use std::net::TcpStream;
use std::sync::{Mutex, mpsc};
use terms::{Nanos, Outcome};
use testkit::{Lab, Server, Surroundings, reset, text};

/// What the books take for their first histograms, and little more; servers send a hundred times as much.
const BYTES_MAX: u64 = 2_000_000;

/// Sends this on each connection, and does something with it when nobody holds the other end of the channel any more.
fn held(answer: String, then: impl Fn(&TcpStream) + Send + Sync + 'static) -> (mpsc::Sender<()>, Server) {
    let (go, wait) = mpsc::channel();
    let wait = Mutex::new(wait);
    let server = serving(move |_, _, stream| {
        let _ = stream.write_all(answer.as_bytes());
        let _: Result<(), _> = wait.lock().unwrap().recv();
        then(stream);
        1
    });
    (go, server)
}

/// What two events come to when a server sends this and leaves, and what is reported about it.
fn after(answer: &str, leaves: impl Fn(&TcpStream) + Send + Sync + 'static) -> (Vec<(Outcome, u64)>, String) {
    let (go, server) = held(answer.to_owned(), leaves);
    let settings = listen(server.url(), &[("max_event", text("1kB"))]);
    let mut lab = connected(Settings { within: [("event".to_owned(), Nanos::from_secs(60))].into(), ..settings });
    due(&mut lab, 2);
    drop(go);
    lab.settle();
    assert!(lab.until(|lab| !lab.is_connected(0)));
    let seen = lab.seen();
    assert!(seen.note.len() < 700, "{}", seen.note);
    assert_eq!(lab.counted("lost"), 1);
    let later = ends(&heard(&mut lab, 1), EVENT);
    assert!(later.len() == 1 && later[0].1 == 1, "{later:?}");
    assert_eq!(server.accepted(), 1, "nothing is asked for a second time");
    (ends(&seen, EVENT), seen.note)
}

#[test]
fn a_stream_that_ends_ends_what_waits_on_it() {
    let last = format!("{CHUNKED}{}0\r\n\r\n", chunk("data: a\n\n"));
    for (answer, note) in [
        (format!("{HEAD}data: a\n\n"), "the server ended the stream"),
        (last, "the server ended the stream"),
        (
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 9\r\n\r\ndata: a\n\n".into(),
            "the server ended the stream",
        ),
        (format!("{CHUNKED}{}", chunk("data: a\n\n")), "the server closed the connection in the middle of the stream"),
    ] {
        let (ends, said) = after(&answer, |_| {});
        assert_eq!((ends, said.as_str()), (vec![(Outcome::Ok, 1), (Outcome::Reset, 1)], note));
    }
    let (ends, note) = after(&format!("{HEAD}data: a\n\n"), reset);
    assert!(ends == [(Outcome::Ok, 1), (Outcome::Reset, 1)] && note.contains("the connection is broken"), "{note}");
}

#[test]
fn a_stream_without_a_body_is_over_at_once() {
    let (ends, note) = after("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 0\r\n\r\n", |_| {});
    assert_eq!(ends, [(Outcome::Reset, 2)]);
    assert!(note.contains("ended the stream"), "{note}");
}

#[test]
fn half_an_event_is_partial_and_none() {
    for part in ["data: a", "data: a\n", "data: a\ndata: b\r\n", "id: 5"] {
        let (ends, _) = after(&format!("{HEAD}{part}"), |_| {});
        assert_eq!(ends, [(Outcome::Reset, 1), (Outcome::Partial, 1)], "{part:?}");
    }
    let (ends, _) = after(&format!("{HEAD}: nothing but a comment"), |_| {});
    assert_eq!(ends, [(Outcome::Reset, 2)]);
}

#[test]
fn what_breaks_the_protocol_is_a_fault_that_says_why() {
    for (answer, why) in [
        (format!("{CHUNKED}5\r\ndata: a\n\n"), "a chunk is longer than its size"),
        (format!("{CHUNKED}data: a\n\n"), "a chunk's size is not a hexadecimal number"),
        (format!("{HEAD}data: {}\n\n", "x".repeat(2000)), "an event longer than `max_event`"),
        (format!("{HEAD}{}", "data: 12345\n".repeat(1000)), "an event longer than `max_event`"),
        (format!("{HEAD}id: {}", "x".repeat(2000)), "an event longer than `max_event`"),
    ] {
        let (ends, note) = after(&answer, |_| {});
        assert!(ends == [(Outcome::Fault, 2)] && note.contains(why), "{ends:?}: {note}");
    }
}

#[test]
fn what_follows_the_end_of_the_answer_is_nobodys() {
    let (ends, _) = after(&format!("{CHUNKED}{}0\r\n\r\n{}", chunk("data: a\n\n"), chunk("data: b\n\n")), |_| {});
    assert_eq!(ends, [(Outcome::Ok, 1), (Outcome::Reset, 1)]);
}

#[test]
fn a_stream_that_never_ends_a_line_or_says_nothing_takes_no_memory() {
    for (block, outcome) in [
        (":".repeat(1000), Outcome::Missing),
        (": a comment\n".repeat(100), Outcome::Missing),
        ("\n".repeat(1000), Outcome::Missing),
        ("nobody knows this: x\n".repeat(100), Outcome::Missing),
        ("data: x\n".repeat(100), Outcome::Fault),
    ] {
        let server = serving(move |_, _, stream| {
            let _ = stream.write_all(HEAD.as_bytes());
            let mut sent = 0;
            while stream.write_all(block.as_bytes()).is_ok() {
                sent += 1;
            }
            sent
        });
        let settings = listen(server.url(), &[("max_event", text("1kB"))]);
        let mut lab =
            connected(Settings { within: [("event".to_owned(), Nanos::from_millis(300))].into(), ..settings });
        let mut seen = None;
        let memory = allocation_counter::measure(|| seen = Some(heard(&mut lab, 1)));
        assert_eq!(ends(&seen.unwrap(), EVENT), [(outcome, 1)]);
        assert!(memory.bytes_max < BYTES_MAX, "{memory:?}");
        drop(lab);
        assert!(server.results.recv().is_ok(), "the server saw the connection end");
    }
}

#[test]
fn events_without_end_take_no_memory() {
    let server = serving(|_, _, stream| {
        let _ = stream.write_all(HEAD.as_bytes());
        let block = events(1..=1000);
        let mut sent = 0;
        while stream.write_all(block.as_bytes()).is_ok() {
            sent += 1;
        }
        sent
    });
    let mut lab = connected(listen(server.url(), &[]));
    let memory = allocation_counter::measure(|| lab.pass(Nanos::from_millis(500)));
    assert!(memory.bytes_max < BYTES_MAX, "{memory:?}");
    let seen = heard(&mut lab, 3);
    assert_eq!(ends(&seen, EVENT), [(Outcome::Ok, 3)]);
    assert!(lab.counted("surplus") > 1000);
    drop(lab);
    assert!(server.results.recv().is_ok(), "the server saw the connection end");
}

#[test]
fn many_connections_that_are_cut_at_once_leave_their_books_in_balance() {
    const COUNT: u32 = 50;
    let (go, server) = held(format!("{HEAD}{}", events(1..=2)), reset);
    let around = Surroundings { slots: COUNT, ..Surroundings::default() };
    let settings = listen(server.url(), &[]);
    let settings = Settings { within: [("event".to_owned(), Nanos::from_secs(60))].into(), ..settings };
    let mut lab = Lab::with(SSE, &[settings], around);
    for slot in 0..COUNT {
        assert_eq!(lab.connect(slot, 0), Outcome::Ok);
        due_on(&mut lab, slot, 3);
    }
    drop(go);
    lab.settle();
    assert!(lab.until(|lab| (0..COUNT).all(|slot| !lab.is_connected(slot))));
    (0..COUNT).for_each(|slot| due_on(&mut lab, slot, 2));
    let seen = lab.seen();
    let count = u64::from(COUNT);
    assert_eq!(ends(&seen, CONNECT), [(Outcome::Ok, count)]);
    assert_eq!(ends(&seen, EVENT), [(Outcome::Ok, 2 * count), (Outcome::Reset, 3 * count)]);
    assert_eq!((lab.counted("connects"), lab.counted("lost")), (i64::from(COUNT), i64::from(COUNT)));
}

fn due_on(lab: &mut Lab, slot: u32, count: usize) {
    (0..count).for_each(|_| assert_eq!(lab.send(slot, 0), Outcome::Ok));
}

#[test]
fn a_server_that_leaves_between_events_is_noticed() {
    let server = serving(|_, _, stream| usize::from(stream.write_all(HEAD.as_bytes()).is_ok()));
    let mut lab = connected(listen(server.url(), &[]));
    assert!(lab.until(|lab| !lab.is_connected(0)));
    due(&mut lab, 1);
    let seen = lab.seen();
    assert_eq!((ends(&seen, EVENT), lab.counted("lost")), (vec![(Outcome::Reset, 1)], 1));
}
