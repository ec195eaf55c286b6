//! Messages and their answers, against a server by another library.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::{
    ANSWER, CONNECT, GAP, SENT, around, body_is, connected, ends, numbered, peer, reversed, talk, talk_of, url,
};
use contract::{Cancel, Compare, Probe, Settings};
use driver_ws::WS;
use std::io::Read;
use std::sync::Mutex;
use terms::{Nanos, Outcome};
use testkit::{Lab, Server, Surroundings, capture, check, map, text};
use tungstenite::{Bytes, Message};

const OK: Outcome = Outcome::Ok;

/// An exchange whose numbered messages are echoed by that server.
fn echoed(server: &Server) -> Settings {
    Settings { checks: vec![body_is("sent")], ..numbered(url(server), &[]) }
}

#[test]
fn echoes_are_known_by_their_content_and_several_may_be_on_the_way() {
    // The first three are answered when the fourth has come.
    let kept = Mutex::new(Vec::new());
    let server = peer(move |count, message| {
        kept.lock().unwrap().push(message);
        if count < 3 { Vec::new() } else { std::mem::take(&mut *kept.lock().unwrap()) }
    });
    let mut lab = connected(echoed(&server));
    let seen = talk_of(&mut lab, 10);
    assert_eq!(
        (seen.legs, seen.note.as_str()),
        (vec![(ANSWER, OK, 10), (SENT, OK, 10), (CONNECT, OK, 1), (GAP, OK, 9)], "")
    );
    assert_eq!((seen.counters.as_slice(), server.accepted()), (&[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0][..], 1));
    lab.disconnect(0);
    assert_eq!(server.results.recv(), Ok(10));
}

#[test]
fn reversed_texts_are_known_by_their_characters() {
    let server = peer(|_, message| vec![reversed(&message)]);
    let mut lab = connected(Settings { checks: vec![body_is("reverse(sent)")], ..numbered(url(&server), &[]) });
    assert_eq!(ends(&talk_of(&mut lab, 4), ANSWER), [(OK, 4)]);
}

#[test]
fn an_echo_that_is_not_the_right_one_is_wrong_and_shown() {
    let server = peer(|count, message| vec![if count == 1 { Message::text("who?") } else { message }]);
    let seen = talk_of(&mut connected(echoed(&server)), 3);
    assert_eq!(ends(&seen, ANSWER), [(OK, 2), (Outcome::Wrong, 1)]);
    assert_eq!(seen.note, "no message that waits is this one: `who?`");
}

#[test]
fn what_is_lost_doubled_or_out_of_order_is_told_apart() {
    // The first is never answered, the second twice, the third after the fourth.
    let kept = Mutex::new(Vec::new());
    let server = peer(move |count, message| match count {
        0 => Vec::new(),
        1 => vec![message.clone(), message],
        2 => {
            kept.lock().unwrap().push(message);
            Vec::new()
        }
        _ => vec![message, kept.lock().unwrap().pop().unwrap()],
    });
    let within = [("answer".to_owned(), Nanos::from_millis(500))].into();
    let mut lab = connected(Settings { within, ..echoed(&server) });
    let seen = talk_of(&mut lab, 4);
    assert_eq!(ends(&seen, ANSWER), [(OK, 3), (Outcome::Missing, 1), (Outcome::Duplicate, 1)]);
    assert_eq!((lab.counted("unordered"), lab.counted("unasked")), (1, 0));
    assert!(lab.is_connected(0), "the others go on");
}

#[test]
fn the_bytes_of_answers_are_booked() {
    // Of nine bytes each; the third comes twice, and the fourth is another one.
    let server = peer(|count, message| match count {
        2 => vec![message.clone(), message],
        3 => vec![Message::text("who?")],
        _ => vec![message],
    });
    let settings = talk(url(&server), &[("message", text("$(message.n) 1234567"))]);
    let mut lab = connected(Settings { checks: vec![body_is("sent")], ..settings });
    lab.seen();
    let seen = talk_of(&mut lab, 5);
    assert_eq!(ends(&seen, ANSWER), [(OK, 4), (Outcome::Wrong, 1), (Outcome::Duplicate, 1)]);
    assert_eq!(seen.bytes, 4 * 9 + 4, "what comes twice stands beside the books");
}

#[test]
fn an_echo_that_comes_when_its_time_is_over_is_late_and_not_the_next_ones() {
    let kept = Mutex::new(None);
    let server = peer(move |count, message| match count {
        0 => {
            *kept.lock().unwrap() = Some(message);
            Vec::new()
        }
        _ => vec![kept.lock().unwrap().take().unwrap(), message],
    });
    let within = [("answer".to_owned(), Nanos::from_millis(300))].into();
    let mut lab = connected(Settings { within, ..echoed(&server) });
    talk_of(&mut lab, 1);
    assert_eq!(ends(&talk_of(&mut lab, 1), ANSWER), [(OK, 1), (Outcome::Late, 1)]);
}

#[test]
fn the_next_message_answers_and_is_checked_and_captured_from() {
    let server = peer(|count, message| vec![Message::text(format!("{{\"of\": \"{message}\", \"count\": {count}}}"))]);
    let settings = talk(url(&server), &[("message", text("ping"))]);
    let mut lab = connected(Settings {
        checks: vec![
            check(Probe::Json("$.count".into()), Compare::Less, "2"),
            check(Probe::Json("$.count".into()), Compare::Equal, "$(message.n)"),
        ],
        captures: vec![capture(Probe::Json("$.of".into()))],
        ..settings
    });
    assert_eq!(ends(&talk_of(&mut lab, 2), ANSWER), [(OK, 2)]);
    assert_eq!(lab.recorder.captures_of(0), [Some(b"ping".to_vec())]);
    let seen = talk_of(&mut lab, 1);
    assert_eq!(ends(&seen, ANSWER), [(Outcome::Wrong, 1)]);
    assert_eq!(lab.recorder.captures_of(0), [None], "after a failure nothing old is shown");
    assert!(seen.note.contains("does not hold, found `2`"), "{}", seen.note);
}

#[test]
fn answers_in_order_that_are_late_are_not_taken_for_those_of_later_messages() {
    // Each answer waits for the next message.
    let kept = Mutex::new(None);
    let server = peer(move |_, message| kept.lock().unwrap().replace(message).into_iter().collect());
    let within = [("answer".to_owned(), Nanos::from_millis(300))].into();
    let settings = numbered(url(&server), &[("answer", text("answer"))]);
    let mut lab = connected(Settings { within, ..settings });
    assert_eq!(ends(&talk_of(&mut lab, 1), ANSWER), [(Outcome::Missing, 1)]);
    assert_eq!(ends(&talk_of(&mut lab, 1), ANSWER), [(Outcome::Missing, 1), (Outcome::Late, 1)]);
}

#[test]
fn one_way_messages_end_when_they_are_sent() {
    let server = peer(|count, _| if count == 0 { vec![Message::text("welcome")] } else { Vec::new() });
    let mut lab = connected(numbered(url(&server), &[("answer", text("none"))]));
    let features = lab.features();
    assert!(!features[0].is_exercised && features[0].leg == Some(ANSWER));
    let mut unasked = 0;
    assert_eq!(ends(&talk_of(&mut lab, 5), SENT), [(OK, 5)]);
    assert!(lab.until(|lab| {
        lab.seen();
        unasked += lab.counted("unasked");
        unasked == 1
    }));
    lab.disconnect(0);
    assert_eq!(server.results.recv(), Ok(5));
}

#[test]
fn binary_messages_are_files_base64_or_texts() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("pixel.bin"), [0, 255, 128]).unwrap();
    let server = peer(|_, message| {
        let Message::Binary(bytes) = message else { return Vec::new() };
        vec![Message::text(format!("{:?}", &bytes[..]))]
    });
    for (node, expected) in [
        (map(&[("file", text("pixel.bin"))]), "[0, 255, 128]"),
        (map(&[("base64", text("AP+A"))]), "[0, 255, 128]"),
        (text("n$(message.n)"), "[110, 48]"),
    ] {
        let checks = vec![testkit::body_is(expected)];
        let settings = Settings { checks, ..talk(url(&server), &[("binary", node)]) };
        let mut lab = Lab::with(WS, &[settings], Surroundings::at(folder.path()));
        assert_eq!(lab.connect(0, 0), OK);
        let seen = talk_of(&mut lab, 1);
        assert_eq!(ends(&seen, ANSWER), [(OK, 1)], "{}", seen.note);
    }
}

#[test]
fn large_messages_go_and_come_in_pieces() {
    let server = peer(|_, message| vec![message]);
    let value = "x".repeat(3_000_000);
    let settings = Settings {
        checks: vec![body_is("sent")],
        timeout: Nanos::from_secs(15),
        ..numbered(url(&server), &[("max_message", text("4MB"))])
    };
    let mut lab = Lab::with(WS, &[settings], Surroundings::rows(&[value.as_bytes()]));
    assert_eq!(lab.connect(0, 0), OK);
    let seen = talk_of(&mut lab, 4);
    assert_eq!(ends(&seen, ANSWER), [(OK, 4)], "{}", seen.note);
}

#[test]
fn pings_are_sent_and_answered() {
    let server = Server::start(|_, stream| {
        let mut socket = tungstenite::accept(stream).unwrap();
        socket.send(Message::Ping(Bytes::from_static(b"there?"))).unwrap();
        let (mut pings, mut pongs) = (0, 0);
        while let Ok(message) = socket.read() {
            match message {
                Message::Ping(_) => pings += 1,
                Message::Pong(payload) => pongs += usize::from(payload == "there?"),
                Message::Text(text) => socket.send(Message::Text(text)).unwrap(),
                _ => {}
            }
        }
        pings * 10 + pongs
    });
    let mut lab =
        connected(Settings { checks: vec![body_is("sent")], ..numbered(url(&server), &[("ping", text("100ms"))]) });
    lab.pass(Nanos::from_millis(150));
    assert_eq!(ends(&talk_of(&mut lab, 1), ANSWER), [(OK, 1)]);
    // A busy machine may let more than one of them come due.
    let pings = lab.counted("pings");
    assert!(pings >= 1 && lab.counted("pinged") == 1, "{pings}");
    lab.disconnect(0);
    assert_eq!(server.results.recv(), Ok(usize::try_from(pings).unwrap() * 10 + 1));
}

#[test]
fn a_connection_that_idles_is_called_for_its_pings() {
    let server = Server::start(|_, stream| {
        let mut socket = tungstenite::accept(stream).unwrap();
        let mut pings = 0;
        while let Ok(message) = socket.read() {
            pings += usize::from(matches!(message, Message::Ping(_)));
        }
        pings
    });
    let mut lab = connected(numbered(url(&server), &[("ping", text("100ms"))]));
    // The engine calls at the moment that was asked for; nothing is sent meanwhile.
    let mut counted = 0;
    for number in 1..=3 {
        let asked = lab.asked(0).expect("it asked to be called");
        while lab.asked(0) == Some(asked) {
            lab.turn(Nanos::from_millis(20));
        }
        counted += lab.seen().counts::<7>()[6];
        assert_eq!(counted, number);
    }
    lab.disconnect(0);
    assert_eq!(server.results.recv(), Ok(3));
}

#[test]
fn a_connection_without_a_pong_is_dead() {
    // It opens the connection and reads nothing from then on.
    let server = Server::start(|_, stream| {
        let socket = tungstenite::accept(stream).unwrap();
        socket.get_ref().try_clone().unwrap().read_to_end(&mut Vec::new()).unwrap_or_default()
    });
    let mut lab = connected(numbered(url(&server), &[("ping", text("100ms"))]));
    lab.pass(Nanos::from_millis(150));
    assert_eq!(lab.send(0, 0), OK);
    lab.pass(Nanos::from_millis(150));
    assert_eq!(lab.send(0, 0), Outcome::Reset);
    lab.settle();
    let seen = lab.seen();
    assert_eq!(ends(&seen, ANSWER), [(Outcome::Reset, 2)]);
    assert!(seen.note.contains("no pong came") && lab.counted("lost") == 1, "{}", seen.note);
}

#[test]
fn what_comes_due_without_a_connection_is_counted_until_it_is_open_again() {
    let server = peer(|_, message| vec![message]);
    let mut lab = connected(echoed(&server));
    talk_of(&mut lab, 1);
    lab.disconnect(0);
    let seen = talk_of(&mut lab, 2);
    assert_eq!((ends(&seen, ANSWER), ends(&seen, SENT)), (vec![(Outcome::Reset, 2)], vec![(Outcome::Reset, 2)]));
    assert_eq!(lab.connect(0, 0), OK);
    assert_eq!(ends(&talk_of(&mut lab, 1), ANSWER), [(OK, 1)]);
    assert_eq!(server.accepted(), 2);
}

#[test]
fn a_text_that_is_not_utf8_is_the_studys_fault() {
    let server = peer(|_, message| vec![message]);
    let settings = numbered(url(&server), &[("answer", text("echo"))]);
    let mut lab = Lab::with(WS, &[settings], Surroundings::rows(&[b"\xff"]));
    assert_eq!(lab.connect(0, 0), OK);
    let seen = talk_of(&mut lab, 1);
    assert_eq!((ends(&seen, ANSWER), ends(&seen, SENT)), (vec![(Outcome::BadStudy, 1)], vec![(Outcome::BadStudy, 1)]));
    assert!(seen.note.contains("write `binary`") && lab.is_connected(0));
}

#[test]
fn when_the_load_is_over_what_waits_is_aborted_and_the_server_is_told() {
    let server = crate::common::sending(Vec::new());
    let mut lab = connected(echoed(&server));
    assert_eq!((lab.send(0, 0), lab.send(0, 0)), (OK, OK));
    lab.stop(0, Cancel::StepEnd);
    lab.disconnect(0);
    assert_eq!(ends(&lab.seen(), ANSWER), [(Outcome::Aborted, 2)]);
    assert_eq!(server.results.recv(), Ok(1000));
}

#[test]
fn each_slot_has_a_connection_of_its_own() {
    let server = peer(|_, message| vec![message]);
    let mut lab = Lab::with(WS, &[echoed(&server)], Surroundings { slots: 3, ..around() });
    (0..3).for_each(|slot| assert_eq!(lab.connect(slot, 0), OK));
    for slot in [0, 2, 1, 0] {
        assert_eq!(lab.send(slot, 0), OK);
    }
    lab.settle();
    assert_eq!((ends(&lab.seen(), ANSWER), server.accepted()), (vec![(OK, 4)], 3));
}
