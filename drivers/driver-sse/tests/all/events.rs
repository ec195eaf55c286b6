//! Events that come, early, in time and not at all, and what is looked at in them.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::{CHUNKED, CONNECT, EVENT, FIRST, GAP, HEAD, chunk, connected, due, ends, events, heard, listen};
use crate::common::{sending, serving, told, until_left};
use contract::{Cancel, Compare, Incoming, Probe, Settings};
use driver_sse::SSE;
use std::io::Write;
use terms::{Nanos, Outcome};
use testkit::{Lab, capture, check, text};

const OK: Outcome = Outcome::Ok;

#[test]
fn each_event_that_is_due_is_ended_by_one_that_comes_whatever_frames_the_stream() {
    let text = events(1..=20);
    let pieces: String = text.as_bytes().chunks(7).map(|piece| chunk(std::str::from_utf8(piece).unwrap())).collect();
    let length = HEAD.replace("\r\n\r\n", "\r\nContent-Length: 9999\r\n\r\n");
    for (head, body) in [(HEAD, &text), (CHUNKED, &pieces), (&length, &text)] {
        let (say, server) = told(head);
        let mut lab = connected(listen(server.url(), &[]));
        due(&mut lab, 20);
        say.send(body.clone()).unwrap();
        lab.settle();
        let seen = lab.seen();
        assert_eq!(ends(&seen, EVENT), [(OK, 20)], "{}", seen.note);
        let others = [CONNECT, FIRST, GAP].map(|leg| ends(&seen, leg));
        assert_eq!(others, [vec![(OK, 1)], vec![(OK, 1)], vec![(OK, 19)]]);
        assert_eq!((lab.counted("surplus"), lab.counted("connects")), (0, 1));
        lab.disconnect(0);
        drop(say);
        assert_eq!((server.results.recv(), server.accepted()), (Ok(1), 1), "nothing more is asked");
    }
}

#[test]
fn what_does_not_come_in_its_time_is_missing() {
    let server = sending(format!("{HEAD}{}", events(1..=3)));
    let seen = heard(&mut connected(listen(server.url(), &[])), 5);
    assert_eq!(ends(&seen, EVENT), [(OK, 3), (Outcome::Missing, 2)]);
}

#[test]
fn events_before_they_are_due_are_kept_for_a_second_and_the_rest_is_surplus() {
    let (say, server) = told(HEAD);
    let mut lab = connected(listen(server.url(), &[]));
    say.send(events(1..=100)).unwrap();
    let mut surplus = 0;
    assert!(lab.until(|lab| {
        lab.seen();
        surplus += lab.counted("surplus");
        surplus == 90
    }));
    let seen = heard(&mut lab, 12);
    assert_eq!(ends(&seen, EVENT), [(OK, 10), (Outcome::Missing, 2)]);
    // As many as were given up come now: they are told from those that nobody expects.
    say.send(events(101..=115)).unwrap();
    let (mut late, mut surplus) = (0, 0);
    assert!(lab.until(|lab| {
        late += ends(&lab.seen(), EVENT).iter().filter(|end| end.0 == Outcome::Late).map(|end| end.1).sum::<u64>();
        surplus += lab.counted("surplus");
        late == 2 && surplus == 3
    }));
    drop(say);
    assert_eq!(server.results.recv(), Ok(2));
}

#[test]
fn without_expectation_all_that_comes_is_counted_and_nothing_is_missed() {
    let server = sending(format!("{HEAD}{}", events(1..=50)));
    let settings = Settings { incoming: Incoming::default(), ..listen(server.url(), &[]) };
    let mut lab = connected(settings);
    let (mut came, mut gaps) = (0, 0);
    assert!(lab.until(|lab| {
        let seen = lab.seen();
        came += crate::common::count(&seen, EVENT);
        gaps += crate::common::count(&seen, GAP);
        came == 50 && gaps == 49
    }));
    assert_eq!(lab.recorder.awaiting(), 0);
}

#[test]
fn checks_and_captures_look_at_fields_and_data_of_events_and_at_the_opening() {
    let head = HEAD.replace("\r\n\r\n", "\r\nX-Node: a\r\n\r\n");
    let server = sending(format!(
        "{head}event: tick\nid: 7\ndata: {{\"n\":1,\ndata: \"t\":\"x\"}}\n\nevent: tock\ndata: {{\"n\":2,\"t\":\"x\"}}\n\ndata: {{\"n\":-1}}\n\n"
    ));
    let is = |name: &str, value: &str| check(Probe::Header(name.into()), Compare::Equal, value);
    let settings = Settings {
        checks: vec![
            testkit::status_is("200"),
            is("x-node", "a"),
            is("event", "tick"),
            check(Probe::Json("$.n".into()), Compare::AtLeast, "0"),
            check(Probe::Regex("^\\{\"n\":1,\n".into()), Compare::Contains, "n"),
        ],
        captures: vec![capture(Probe::Header("id".into()))],
        ..listen(server.url(), &[])
    };
    let mut lab = connected(settings);
    let seen = heard(&mut lab, 3);
    assert_eq!(ends(&seen, EVENT), [(OK, 1), (Outcome::Wrong, 2)], "{}", seen.note);
    assert!(seen.note.contains("does not hold, found `tock`:") && seen.note.contains("`message`"), "{}", seen.note);
    assert!(seen.note.contains("`{\"n\":2,\"t\":\"x\"}`"), "{}", seen.note);
}

#[test]
fn a_captured_value_is_the_connections_own() {
    let server = sending(format!("{HEAD}id: 7\ndata: a\n\n"));
    let mut lab =
        connected(Settings { captures: vec![capture(Probe::Header("id".into()))], ..listen(server.url(), &[]) });
    assert_eq!(ends(&heard(&mut lab, 1), EVENT), [(OK, 1)]);
    assert_eq!(lab.recorder.captures_of(0), [Some(b"7".to_vec())]);
}

#[test]
fn data_that_is_not_utf8_is_replaced_as_the_standard_has_it() {
    let server = sending([HEAD.as_bytes(), b"data: a\xff\xe2\x82b\n\n"].concat());
    let checks = vec![testkit::body_is("a\u{fffd}\u{fffd}b")];
    let seen = heard(&mut connected(Settings { checks, ..listen(server.url(), &[]) }), 1);
    assert_eq!(ends(&seen, EVENT), [(OK, 1)], "{}", seen.note);
}

/// The times of events that say when they were sent: so long ago, in seconds.
fn times(ages: &[f64]) -> (Lab, Vec<(Outcome, u64)>, Nanos) {
    let wall = clock::Clock::system().wall().0 as f64 / 1e9;
    let text: String = ages.iter().map(|age| format!("data: {{\"t\":{:.6}}}\n\n", wall - age)).collect();
    let server = sending(format!("{HEAD}{text}"));
    let settings = listen(server.url(), &[]);
    let sent = Some(Probe::Json("$.t".into()));
    let mut lab = connected(Settings { incoming: Incoming { sent, ..settings.incoming.clone() }, ..settings });
    due(&mut lab, ages.len());
    lab.settle();
    let folded = lab.recorder.drain();
    let counters = folded.counters.clone();
    let rows = folded.fold();
    let longest = rows.legs.iter().filter(|row| row.leg == EVENT).map(|row| row.response.max).max().unwrap();
    let ends = rows.outcomes.iter().filter(|row| row.leg == EVENT).map(|row| (row.outcome, row.count)).collect();
    assert_eq!(counters.get(6).copied().unwrap_or_default(), ages.iter().filter(|age| **age < 0.0).count() as i64);
    (lab, ends, longest)
}

#[test]
fn the_time_of_an_event_is_the_one_since_it_was_sent() {
    let (_, ends, longest) = times(&[100.0]);
    assert_eq!(ends.iter().map(|end| end.1).sum::<u64>(), 1);
    assert!((Nanos::from_secs(100)..Nanos::from_secs(130)).contains(&longest), "{longest:?}");
    // From the future: the clocks differ, by little, and by so much that nothing can be told.
    let (_, ends, longest) = times(&[-0.09]);
    assert_eq!((ends, longest), (vec![(OK, 1)], Nanos::ZERO));
    let (_, ends, _) = times(&[-1000.0]);
    assert_eq!(ends, [(Outcome::Wrong, 1)]);
}

#[test]
fn an_event_without_its_number_or_its_time_is_wrong() {
    let server = sending(format!("{HEAD}data: {{\"n\":\"one\"}}\n\ndata: {{\"n\":1.5}}\n\ndata: x\n\n{}", events([1])));
    let seen = heard(&mut connected(crate::common::numbered(server.url(), &[])), 4);
    assert_eq!(ends(&seen, EVENT), [(OK, 1), (Outcome::Wrong, 3)]);
    assert!(seen.note.contains("`sequence` finds nothing that it can read: `{\"n\":\"one\"}`"), "{}", seen.note);
    let server = sending(format!("{HEAD}data: {{\"t\":\"soon\"}}\n\n"));
    let settings = listen(server.url(), &[]);
    let incoming = Incoming { sent: Some(Probe::Json("$.t".into())), ..settings.incoming.clone() };
    let seen = heard(&mut connected(Settings { incoming, ..settings }), 1);
    assert_eq!(ends(&seen, EVENT), [(Outcome::Wrong, 1)]);
    assert!(seen.note.contains("`sent` finds nothing"), "{}", seen.note);
}

#[test]
fn a_look_shows_the_opening_and_the_first_event() {
    let server = sending(format!("{HEAD}event: tick\ndata: hello\n\n{}", events(1..=3)));
    let mut lab = Lab::new(SSE, &[Settings { incoming: Incoming::default(), ..listen(server.url(), &[]) }]);
    lab.recorder.look();
    assert_eq!(lab.connect(0, 0), OK);
    let seen = heard(&mut lab, 1);
    let note = "status 200: the stream is open | an event of 5 bytes came, of the type `tick`: `hello`";
    assert!(seen.note.starts_with(note), "{}", seen.note);
    assert_eq!(ends(&seen, EVENT), [(OK, 1)]);
}

#[test]
fn comments_are_counted_and_keep_nobody_waiting() {
    let server = sending(format!("{HEAD}: a\n: b\n\n{}:c", events([1])));
    let mut lab = connected(listen(server.url(), &[]));
    let seen = heard(&mut lab, 1);
    assert_eq!((ends(&seen, EVENT), lab.counted("comments")), (vec![(OK, 1)], 3));
}

#[test]
fn when_the_load_is_over_what_waits_is_aborted_and_the_connection_is_closed() {
    let server = sending(HEAD);
    let mut lab = connected(listen(server.url(), &[("max_event", text("1kB"))]));
    due(&mut lab, 3);
    lab.stop(0, Cancel::StepEnd);
    lab.disconnect(0);
    assert_eq!(ends(&lab.seen(), EVENT), [(Outcome::Aborted, 3)]);
    assert_eq!(server.results.recv(), Ok(0));
}

#[test]
fn each_slot_has_a_connection_of_its_own() {
    let server = serving(|_, _, stream| {
        let _ = stream.write_all(format!("{HEAD}{}", events(1..=2)).as_bytes());
        until_left(stream)
    });
    let around = testkit::Surroundings { slots: 3, ..testkit::Surroundings::default() };
    let mut lab = Lab::with(SSE, &[listen(server.url(), &[])], around);
    (0..3).for_each(|slot| assert_eq!(lab.connect(slot, 0), OK));
    for slot in [0, 2, 1, 0, 1, 2] {
        assert_eq!(lab.send(slot, 0), OK);
    }
    lab.settle();
    assert_eq!((ends(&lab.seen(), EVENT), server.accepted()), (vec![(OK, 6)], 3));
}
