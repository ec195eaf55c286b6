//! Connections that are lost and opened again, as far as that is declared.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::{ANSWER, CONNECT, SENT, agreed, body_is, connected, ends, numbered, read_opening, talk_of, url};
use contract::{Node, Settings};
use std::collections::BTreeMap;
use std::io::Write;
use std::net::TcpStream;
use terms::{Nanos, Outcome};
use testkit::{Lab, Server, map, text};

const OK: Outcome = Outcome::Ok;

/// `reconnect: { at_most, wait }`
fn again(at_most: &str, wait: &str) -> (&'static str, Node) {
    ("reconnect", map(&[("at_most", text(at_most)), ("wait", text(wait))]))
}

fn echoes(server: &Server, more: &[(&str, Node)]) -> Settings {
    Settings { checks: vec![body_is("sent")], ..numbered(url(server), more) }
}

/// A server whose connection with that number echoes so many messages and then ends without a word.
fn cutting(echoed: impl Fn(usize) -> usize + Send + Sync + 'static) -> Server {
    Server::start(move |number, stream| {
        let Ok(mut socket) = tungstenite::accept(stream) else { return 0 };
        let mut count = 0;
        while count < echoed(number) {
            match socket.read() {
                Ok(message) if message.is_text() => count += usize::from(socket.send(message).is_ok()),
                Ok(_) => {}
                Err(_) => break,
            }
        }
        count
    })
}

/// Goes on until the counter has come so far; how legs ended meanwhile, and what was stated.
fn until(lab: &mut Lab, counter: &str, count: i64) -> (BTreeMap<(u8, Outcome), u64>, String) {
    let (mut all, mut notes, mut sum) = (BTreeMap::new(), String::new(), 0);
    let reached = lab.until(|lab| {
        let seen = lab.seen();
        seen.legs.iter().for_each(|row| *all.entry((row.0, row.1)).or_insert(0) += row.2);
        notes.push_str(&seen.note);
        sum += lab.counted(counter);
        sum >= count
    });
    assert!(reached && sum == count, "{counter} is {sum}, not {count}: {notes}");
    (all, notes)
}

#[test]
fn a_lost_connection_is_opened_again_and_numbers_go_on() {
    let server = cutting(|number| if number < 2 { 2 } else { 9 });
    let mut lab = connected(echoes(&server, &[again("5", "20ms")]));
    let mut ok = 0;
    for round in 0..3 {
        ok += ends(&talk_of(&mut lab, 2), ANSWER).iter().map(|end| end.1).sum::<u64>();
        if round < 2 {
            until(&mut lab, "reopened", 1);
        }
    }
    assert_eq!((ok, server.accepted(), lab.is_connected(0)), (6, 3, true));
    lab.disconnect(0);
    assert_eq!(server.results.iter().take(3).sum::<usize>(), 6);
}

#[test]
fn what_comes_due_while_it_is_away_is_planned_and_not_sent() {
    let server = cutting(|number| if number == 0 { 1 } else { 9 });
    let mut lab = connected(echoes(&server, &[again("1", "1h")]));
    assert_eq!(ends(&talk_of(&mut lab, 1), ANSWER), [(OK, 1)]);
    assert!(lab.until(|lab| lab.asked(0).is_some()), "it is lost");
    let seen = talk_of(&mut lab, 3);
    assert_eq!((ends(&seen, ANSWER), ends(&seen, SENT)), (vec![(Outcome::Reset, 3)], vec![(Outcome::Reset, 3)]));
    assert!(lab.is_connected(0) && server.accepted() == 1, "it comes back");
    let asked = lab.asked(0).expect("it asks to be called").0 - lab.clock.now().0;
    assert!(asked > Nanos::from_secs(3500).0, "{asked}");
    lab.disconnect(0);
}

#[test]
fn what_was_on_its_way_ends_with_the_connection_it_was_sent_on() {
    // The second message is never answered: its connection breaks, and the third is answered on the next one.
    let server = Server::start(|number, stream| {
        let Ok(mut socket) = tungstenite::accept(stream) else { return 0 };
        for count in 0.. {
            let Ok(message) = socket.read() else { return count };
            if (number, count) == (0, 1) || socket.send(message).is_err() {
                return count;
            }
        }
        0
    });
    let mut lab = connected(echoes(&server, &[again("1", "10ms")]));
    let seen = talk_of(&mut lab, 2);
    assert_eq!((ends(&seen, ANSWER), ends(&seen, SENT)), (vec![(OK, 1), (Outcome::Reset, 1)], vec![(OK, 2)]));
    until(&mut lab, "reopened", 1);
    let seen = talk_of(&mut lab, 1);
    assert_eq!((ends(&seen, ANSWER), ends(&seen, CONNECT)), (vec![(OK, 1)], vec![]), "opening again is not a leg");
}

#[test]
fn it_is_opened_again_so_often_and_no_more() {
    let server = cutting(|_| 0);
    let mut lab = connected(echoes(&server, &[again("3", "20ms")]));
    until(&mut lab, "lost", 4);
    assert!(lab.until(|lab| !lab.is_connected(0)));
    let seen = talk_of(&mut lab, 1);
    assert_eq!((server.accepted(), ends(&seen, SENT)), (4, vec![(Outcome::Reset, 1)]));
}

#[test]
fn an_answer_that_opens_no_connection_is_the_last_word() {
    for (answer, note) in [
        ("HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nfull", "status 503"),
        ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n", "no `Upgrade: websocket`"),
    ] {
        let server = Server::start(move |number, mut stream: TcpStream| {
            let Some(key) = read_opening(&mut stream) else { return 0 };
            let answer = if number == 0 { agreed(&key) } else { answer.to_owned() };
            stream.write_all(answer.as_bytes()).map_or(1, |()| 0)
        });
        let mut lab = connected(echoes(&server, &[again("9", "20ms")]));
        let mut notes = String::new();
        assert!(lab.until(|lab| {
            notes.push_str(&lab.seen().note);
            !lab.is_connected(0)
        }));
        notes.push_str(&lab.seen().note);
        assert!(notes.contains(note), "{notes}");
        assert_eq!((server.accepted(), ends(&talk_of(&mut lab, 1), SENT)), (2, vec![(Outcome::Reset, 1)]));
    }
}

#[test]
fn one_that_does_not_answer_is_cut_off_and_tried_again() {
    // The second connection breaks before its answer, the third never answers, the fourth is right.
    let server = Server::start(|number, mut stream: TcpStream| match number {
        0 => {
            let key = read_opening(&mut stream).unwrap_or_default();
            stream.write_all(agreed(&key).as_bytes()).map_or(1, |()| 0)
        }
        1 => 0,
        2 => {
            let _ = read_opening(&mut stream);
            std::io::copy(&mut stream, &mut std::io::sink()).map_or(0, |_| 0)
        }
        _ => {
            let Ok(mut socket) = tungstenite::accept(stream) else { return 0 };
            while let Ok(message) = socket.read() {
                let _ = socket.send(message);
            }
            0
        }
    });
    let within = [("answer".to_owned(), Nanos::from_secs(15)), ("connect".to_owned(), Nanos::from_millis(200))].into();
    let mut lab = connected(Settings { within, ..echoes(&server, &[again("9", "20ms")]) });
    let (_, notes) = until(&mut lab, "reopened", 1);
    assert!(notes.contains("the connection was not open in time"), "{notes}");
    let seen = talk_of(&mut lab, 2);
    assert_eq!((ends(&seen, ANSWER), server.accepted()), (vec![(OK, 2)], 4), "{}", seen.note);
}

#[test]
fn without_it_there_is_none() {
    let server = cutting(|_| 0);
    let mut lab = connected(echoes(&server, &[]));
    assert!(lab.until(|lab| !lab.is_connected(0)));
    assert!(lab.asked(0).is_none());
    assert_eq!(server.accepted(), 1);
}
