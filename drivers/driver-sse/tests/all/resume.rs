//! Connections that are lost and opened again, as far as that is declared.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::{CONNECT, EVENT, FIRST, HEAD, connected, due, ends, events, heard, listen, serving, until_left};
use contract::{Node, Settings};
use std::io::Write;
use terms::{Nanos, Outcome};
use testkit::{Lab, Server, map, read_request, text};

const OK: Outcome = Outcome::Ok;

/// `reconnect: { at_most, wait: 20ms }`
fn again(at_most: &str) -> (&'static str, Node) {
    ("reconnect", map(&[("at_most", text(at_most)), ("wait", text("20ms"))]))
}

/// Goes on until the counters of all books since have come so far; how the events ended meanwhile.
fn until(lab: &mut Lab, counter: &str, count: i64) -> std::collections::BTreeMap<Outcome, u64> {
    let (mut all, mut sum) = (std::collections::BTreeMap::new(), 0);
    assert!(lab.until(|lab| {
        ends(&lab.seen(), EVENT).into_iter().for_each(|(outcome, ends)| *all.entry(outcome).or_insert(0) += ends);
        sum += lab.counted(counter);
        sum >= count
    }));
    assert_eq!(sum, count);
    all
}

/// Each connection sends one event, tells what the reader says that it had, and ends, but for the third.
fn telling() -> Server {
    serving(|number, request, stream| {
        let had = request.head.lines().find_map(|line| line.strip_prefix("Last-Event-ID: ")).unwrap_or("none");
        let here = if number == 2 { ": here\n" } else { "" };
        let _ = stream.write_all(format!("{HEAD}id: {number}ü\ndata: {had}\n\n{here}").as_bytes());
        if number == 2 { until_left(stream) } else { 0 }
    })
}

#[test]
fn a_lost_connection_is_opened_again_with_the_last_id() {
    let server = telling();
    let checks = vec![testkit::check(contract::Probe::Body, contract::Compare::NotEqual, "1ü")];
    let mut lab = connected(Settings { checks, ..listen(server.url(), &[again("5")]) });
    let (mut lost, mut reconnects, mut comments) = (0, 0, 0);
    assert!(lab.until(|lab| {
        lab.seen();
        lost += lab.counted("lost");
        reconnects += lab.counted("reconnects");
        comments += lab.counted("comments");
        comments == 1
    }));
    assert_eq!((server.accepted(), lost, reconnects), (3, 2, 2));
    // Three events came, of which the last one says that it follows the second.
    due(&mut lab, 2);
    let seen = lab.seen();
    assert_eq!(ends(&seen, EVENT), [(OK, 2)], "{}", seen.note);
    let seen = heard(&mut lab, 1);
    assert_eq!(
        (ends(&seen, EVENT), ends(&seen, CONNECT), ends(&seen, FIRST)),
        (vec![(Outcome::Wrong, 1)], vec![], vec![])
    );
    lab.disconnect(0);
}

#[test]
fn what_comes_due_while_it_is_away_ends_as_it_was_lost() {
    let server = serving(|number, _, stream| match number {
        0 => stream.write_all(HEAD.as_bytes()).map_or(1, |()| 0),
        _ => {
            let _ = stream.write_all(format!("{HEAD}{}", events([1])).as_bytes());
            until_left(stream)
        }
    });
    // An hour, if nobody said otherwise.
    let mut lab =
        connected(listen(server.url(), &[("reconnect", map(&[("at_most", text("1")), ("wait", text("1h"))]))]));
    due(&mut lab, 1);
    until(&mut lab, "lost", 1);
    let seen = heard(&mut lab, 2);
    assert_eq!(ends(&seen, EVENT), [(Outcome::Reset, 2)]);
    assert!(lab.is_connected(0) && server.accepted() == 1, "it comes back");
    assert!(lab.asked(0).is_some());
    lab.disconnect(0);
}

#[test]
fn the_server_may_say_how_long_to_wait() {
    let server = serving(|number, _, stream| {
        let text = if number == 0 { "retry: 10\n\nretry: soon\n\n".to_owned() } else { events([1]) + ": here\n" };
        let _ = stream.write_all(format!("{HEAD}{text}").as_bytes());
        if number == 0 { 0 } else { until_left(stream) }
    });
    let mut lab = connected(listen(server.url(), &[("reconnect", text("1"))]));
    assert!(lab.until(|lab| lab.asked(0).is_some() || server.accepted() == 2));
    // Without its word it would be three seconds.
    let asked = lab.asked(0).map(|at| at - lab.clock.now());
    assert!(asked.is_none_or(|wait| wait <= Nanos::from_millis(10)), "{asked:?}");
    until(&mut lab, "comments", 1);
    assert_eq!(ends(&heard(&mut lab, 1), EVENT), [(OK, 1)]);
}

#[test]
fn it_is_opened_again_so_often_and_no_more() {
    let server = serving(|_, _, stream| stream.write_all(HEAD.as_bytes()).map_or(1, |()| 0));
    let mut lab = connected(listen(server.url(), &[again("3")]));
    until(&mut lab, "lost", 4);
    assert!(lab.until(|lab| !lab.is_connected(0)));
    assert_eq!((server.accepted(), ends(&heard(&mut lab, 1), EVENT)), (4, vec![(Outcome::Reset, 1)]));
}

#[test]
fn an_answer_that_opens_no_stream_is_the_last_word() {
    for (answer, note) in [
        ("HTTP/1.1 204 No Content\r\n\r\n", "wants nobody to come back"),
        ("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n", "status 503"),
        ("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n", "the content type is not"),
    ] {
        let server = serving(move |number, _, stream| {
            let answer = if number == 0 { HEAD } else { answer };
            stream.write_all(answer.as_bytes()).map_or(1, |()| 0)
        });
        let mut lab = connected(listen(server.url(), &[again("9")]));
        let mut notes = String::new();
        assert!(lab.until(|lab| {
            notes.push_str(&lab.seen().note);
            !lab.is_connected(0)
        }));
        notes.push_str(&lab.seen().note);
        assert!(notes.contains(note), "{notes}");
        assert_eq!((server.accepted(), ends(&heard(&mut lab, 1), EVENT)), (2, vec![(Outcome::Reset, 1)]));
    }
}

#[test]
fn one_that_cannot_be_made_or_does_not_answer_is_tried_again() {
    // The second connection breaks before its answer, the third never answers, the fourth is right.
    let server = Server::start(|number, mut stream| {
        if number != 1 && read_request(&mut stream).is_none() {
            return 0;
        }
        match number {
            0 => stream.write_all(HEAD.as_bytes()).map_or(1, |()| 0),
            1 => 0,
            2 => until_left(&mut stream),
            _ => {
                let _ = stream.write_all(format!("{HEAD}{}: here\n", events([1])).as_bytes());
                until_left(&mut stream)
            }
        }
    });
    let settings = listen(server.url(), &[again("9")]);
    let within = [("event".to_owned(), Nanos::from_secs(15)), ("connect".to_owned(), Nanos::from_millis(200))].into();
    let mut lab = connected(Settings { within, ..settings });
    until(&mut lab, "comments", 1);
    let seen = heard(&mut lab, 1);
    assert_eq!((ends(&seen, EVENT), server.accepted()), (vec![(OK, 1)], 4), "{}", seen.note);
}

#[test]
fn without_it_there_is_none() {
    let server = serving(|_, _, stream| stream.write_all(HEAD.as_bytes()).map_or(1, |()| 0));
    let mut lab = connected(listen(server.url(), &[]));
    assert!(lab.until(|lab| !lab.is_connected(0)));
    assert!(lab.asked(0).is_none());
    assert_eq!(server.accepted(), 1);
}
