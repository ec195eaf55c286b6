//! Slots that share connections: whoever's socket it is, everybody gets his own answer.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::http2::{END, END_HEADERS, HEADERS, Http2Server, frame, greeting, read_request};
use crate::common::with;
use contract::{Cancel, Compare, Node, Probe, Settings};
use driver_http::HTTP;
use std::io::Write;
use terms::{Nanos, Outcome};
use testkit::{Lab, Server, Surroundings, check, nobody, text};

fn shared(url: String, streams: &str, more: &[(&str, Node)]) -> Settings {
    let entries = [&[("version", text("2")), ("streams", text(streams))], more].concat();
    with("get", url, &entries)
}

/// So many slots in one loop, as the engine has them.
fn crowd(slots: u32, exchanges: &[Settings]) -> Lab {
    Lab::with(HTTP, exchanges, Surroundings { slots, ..Surroundings::default() })
}

fn all(crowd: &mut Lab, slots: u32, exchange: u16) -> Vec<Outcome> {
    let slots: Vec<u32> = (0..slots).collect();
    slots.iter().for_each(|&slot| _ = crowd.begin(slot, exchange));
    crowd.finish(&slots);
    slots.iter().map(|&slot| crowd.ended[slot as usize].unwrap()).collect()
}

#[test]
fn ten_slots_share_a_connection_and_wait_at_the_same_time() {
    let server = Http2Server::start(100);
    let exchanges = [shared(server.url("/slow"), "10", &[]), shared(server.url("/"), "10", &[])];
    let mut crowd = crowd(25, &exchanges);
    let clock = crowd.clock.clone();
    let began = clock.now();
    assert_eq!(all(&mut crowd, 25, 0), [Outcome::Ok; 25]);
    assert!(clock.now() - began < Nanos::from_millis(25 * 100), "25 answers of 100 ms each were waited for together");
    assert_eq!(server.accepted(), 3, "slots 0 to 9, 10 to 19, 20 to 24");
    for _ in 0..20 {
        assert_eq!(all(&mut crowd, 25, 1), [Outcome::Ok; 25]);
    }
    assert_eq!((server.accepted(), server.requests()), (3, 21 * 25));
    assert_eq!(crowd.seen().counters, [3, 0, 0, 0, 0, 0, 0, 0, 0], "connections asked for");
}

#[test]
fn a_slot_that_is_free_still_serves_its_socket() {
    let server = Http2Server::start(100);
    let mut crowd = crowd(4, &[shared(server.url("/"), "4", &[]), shared(server.url("/large/3000000"), "4", &[])]);
    // The first slot made the connection, and has nothing in hand when the others' answers come.
    crowd.begin(0, 0);
    crowd.finish(&[0]);
    for _ in 0..5 {
        [1, 2, 3].iter().for_each(|&slot| _ = crowd.begin(slot, 1));
        crowd.finish(&[1, 2, 3]);
        assert_eq!(crowd.ended, [Some(Outcome::Ok); 4]);
    }
    assert_eq!(server.accepted(), 1);
}

#[test]
fn large_answers_come_side_by_side_and_whole() {
    let server = Http2Server::start(100);
    let size = vec![check(Probe::Size, Compare::Equal, "5000000")];
    let settings = Settings { checks: size, ..shared(server.url("/large/5000000"), "8", &[]) };
    assert_eq!(all(&mut crowd(8, &[settings]), 8, 0), [Outcome::Ok; 8]);
}

#[test]
fn more_exchanges_than_the_server_allows_streams_wait_and_are_counted() {
    let server = Http2Server::start(2);
    let mut crowd = crowd(6, &[shared(server.url("/slow"), "6", &[])]);
    // Before the server has said what it allows, more may be opened than that, which it refuses.
    assert_eq!(all(&mut crowd, 1, 0), [Outcome::Ok]);
    assert_eq!(crowd.seen().counters, [1, 0, 0, 0, 0, 0, 0, 0, 0]);
    let clock = crowd.clock.clone();
    let began = clock.now();
    assert_eq!(all(&mut crowd, 6, 0), [Outcome::Ok; 6]);
    assert!(clock.now() - began >= Nanos::from_millis(3 * 100), "two at a time");
    assert_eq!((crowd.seen().counters, server.accepted()), (vec![0, 0, 0, 4, 0, 0, 0, 0, 0], 1));
}

#[test]
fn one_stream_that_is_cut_off_leaves_the_others_alone() {
    let server = Http2Server::start(100);
    let exchanges = [
        shared(server.url("/slow"), "3", &[]),
        shared(server.url("/never"), "3", &[]),
        shared(server.url("/cut"), "3", &[]),
    ];
    let mut crowd = crowd(3, &exchanges);
    (0..3).for_each(|slot| _ = crowd.begin(slot, slot as u16));
    crowd.finish(&[2]);
    crowd.cancel(1, Cancel::Deadline);
    crowd.finish(&[0, 1, 2]);
    assert_eq!(crowd.ended, [Outcome::Ok, Outcome::Timeout, Outcome::Partial].map(Some));
    assert_eq!(all(&mut crowd, 3, 0), [Outcome::Ok; 3]);
    assert_eq!(server.accepted(), 1);
}

#[test]
fn a_connection_that_breaks_ends_every_exchange_on_it_once() {
    let server = Server::start(|_, mut stream| {
        let mut is_first = true;
        for _ in 0..4 {
            if read_request(&mut stream, is_first).is_none() {
                return 0;
            }
            is_first = false;
        }
        // One answer is whole, one has begun, two have not.
        let head = |id, flags| frame(HEADERS, flags | END_HEADERS, id, &[0x88]);
        stream.write_all(&[greeting(), head(1, END), head(3, 0)].concat()).unwrap();
        4
    });
    let mut crowd = crowd(4, &[shared(server.url(), "4", &[])]);
    let ended = all(&mut crowd, 4, 0);
    assert_eq!(ended, [Outcome::Ok, Outcome::Partial, Outcome::Reset, Outcome::Reset]);
    let seen = crowd.seen();
    assert_eq!(
        (seen.counters, seen.note.split(" | ").count()),
        (vec![1, 0, 0, 0, 0, 0, 0, 0, 0], 3),
        "nothing was sent again"
    );
}

#[test]
fn a_connection_whose_slot_is_gone_is_left_to_its_last_exchange() {
    let server = Http2Server::start(100);
    let mut crowd = crowd(2, &[shared(server.url("/"), "2", &[])]);
    crowd.begin(0, 0);
    crowd.finish(&[0]);
    crowd.leave(0);
    crowd.begin(1, 0);
    crowd.finish(&[1]);
    assert_eq!((crowd.ended[1], server.accepted()), (Some(Outcome::Ok), 2));
    assert_eq!(crowd.seen().counters, [2, 0, 0, 0, 0, 0, 0, 0, 0], "that is not a connection found closed");
}

#[test]
fn nobody_listens_and_each_exchange_is_refused() {
    let mut crowd = crowd(5, &[shared(format!("http://{}/", nobody()), "5", &[])]);
    for _ in 0..3 {
        assert_eq!(all(&mut crowd, 5, 0), [Outcome::Refused; 5]);
    }
}
