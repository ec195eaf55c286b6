//! The publisher: what it posts, where, and that no event is lost silently.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::{DELIVERY, PUBLISH, at, due, ends, hub, lab, never, subscribed, topic};
use std::io::Write;
use std::sync::{Mutex, mpsc};
use terms::{Nanos, Outcome};
use testkit::{Lab, Server, map, text};

fn published(lab: &mut Lab, count: u64) -> Vec<(Outcome, u64)> {
    let mut all: Vec<(Outcome, u64)> = Vec::new();
    let is_there = lab.until(|lab| {
        for (outcome, count) in ends(&lab.seen(), PUBLISH) {
            match all.iter_mut().find(|row| row.0 == outcome) {
                Some(row) => row.1 += count,
                None => all.push((outcome, count)),
            }
        }
        all.iter().map(|row| row.1).sum::<u64>() == count
    });
    assert!(is_there, "{all:?}");
    all
}

#[test]
fn subscriber_0_publishes_to_the_hub_and_no_other_does() {
    let server = hub(202);
    let settings = topic(
        at(&server),
        &[("topic", text("http://h/orders?a=1")), ("content_type", text("text/x; n=$(serial)")), ("bearer", text("t"))],
    );
    let mut lab = lab(settings, 2);
    (0..2).for_each(|slot| assert_eq!(lab.connect(slot, 0), Outcome::Ok));
    (0..2).for_each(|_| drop(server.request()));
    (0..2).for_each(|number| (0..2).rev().for_each(|slot| due(&mut lab, slot, number)));
    assert_eq!(published(&mut lab, 2), [(Outcome::Ok, 2)]);
    for (content, serial) in [("0 hello", 0), ("2 hello", 2)] {
        let request = server.request();
        assert_eq!(request.line(), "POST /hub?hub.mode=publish&hub.topic=http%3A%2F%2Fh%2Forders%3Fa%3D1 HTTP/1.1");
        assert_eq!(String::from_utf8_lossy(&request.body), content);
        let link = format!("Link: <{}>; rel=\"hub\", <http://h/orders?a=1>; rel=\"self\"", at(&server));
        for line in [&format!("Content-Type: text/x; n={serial}"), &link, "Authorization: Bearer t"] {
            assert!(request.head.lines().any(|found| found == line), "{line}: {}", request.head);
        }
    }
    // Two connections for two subscriptions, and one that is kept.
    assert_eq!(server.accepted(), 3);
}

#[test]
fn another_publisher_is_posted_to_as_it_is() {
    let (server, publisher) = (hub(202), hub(200));
    let to = format!("http://{}/publish/x?y", publisher.address);
    let body = map(&[("file", text("event.bin"))]);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("event.bin"), b"<$(message.n)>\n").unwrap();
    let settings = topic(at(&server), &[("publish", text(to)), ("body", body)]);
    let mut lab = Lab::with(driver_websub::WEBSUB, &[settings], testkit::Surroundings::at(folder.path()));
    subscribed(&mut lab, &server, 0);
    (0..2).for_each(|number| due(&mut lab, 0, number));
    assert_eq!(published(&mut lab, 2), [(Outcome::Ok, 2)]);
    let request = publisher.request();
    assert_eq!((request.line(), request.body.as_slice()), ("POST /publish/x?y HTTP/1.1", b"<0>\n".as_slice()));
    assert_eq!(publisher.request().body, b"<1>\n");
}

#[test]
fn an_event_waits_until_the_one_before_it_is_published() {
    let (tell, told) = mpsc::channel::<()>();
    let told = Mutex::new(told);
    let server = Server::replying(move |number, _, stream| {
        if number == 1 {
            told.lock().unwrap().recv().unwrap();
        }
        stream.write_all(b"HTTP/1.1 202 X\r\nContent-Length: 0\r\n\r\n").is_ok()
    });
    let mut lab = lab(topic(at(&server), &[]), 1);
    subscribed(&mut lab, &server, 0);
    (0..3).for_each(|number| due(&mut lab, 0, number));
    lab.pass(Nanos::from_millis(50));
    assert_eq!(ends(&lab.seen(), PUBLISH), []);
    tell.send(()).unwrap();
    assert_eq!(published(&mut lab, 3), [(Outcome::Ok, 3)]);
    let bodies: Vec<_> = (0..3).map(|_| server.request().body).collect();
    assert_eq!(bodies, [b"0 hello", b"1 hello", b"2 hello"]);
}

#[test]
fn what_cannot_be_published_is_told_and_its_deliveries_are_waited_for() {
    let (server, publisher) = (hub(202), hub(500));
    let to = format!("http://{}/", publisher.address);
    let mut settings = topic(at(&server), &[("publish", text(to))]);
    settings.within.insert("delivery".to_owned(), Nanos::from_millis(300));
    let mut lab = lab(settings, 1);
    subscribed(&mut lab, &server, 0);
    lab.seen();
    due(&mut lab, 0, 0);
    lab.settle();
    let seen = lab.seen();
    assert_eq!(
        (ends(&seen, PUBLISH), ends(&seen, DELIVERY)),
        (vec![(Outcome::Status, 1)], vec![(Outcome::Missing, 1)])
    );
    assert!(seen.note.contains("status 500 to the publication of an event: `said so`"), "{}", seen.note);
    assert_eq!(lab.counted("publishes"), 0);
}

#[test]
fn a_publication_without_an_answer_is_given_up_in_time_and_the_next_one_goes_out() {
    let (server, publisher) = (
        hub(202),
        Server::replying(|number, _, stream| {
            if number == 0 {
                return never(stream);
            }
            stream.write_all(b"HTTP/1.1 202 X\r\nContent-Length: 0\r\n\r\n").is_ok()
        }),
    );
    let mut settings = topic(at(&server), &[("publish", text(format!("http://{}/", publisher.address)))]);
    settings.within.insert("publish".to_owned(), Nanos::from_millis(200));
    let mut lab = lab(settings, 1);
    subscribed(&mut lab, &server, 0);
    (0..2).for_each(|number| due(&mut lab, 0, number));
    let mut ended = published(&mut lab, 2);
    ended.sort_by_key(|row| row.0 as u8);
    assert_eq!(ended, [(Outcome::Ok, 1), (Outcome::Timeout, 1)]);
}

#[test]
fn two_events_of_the_same_content_are_a_mistake_of_the_study() {
    let server = hub(202);
    let settings = topic(at(&server), &[("body", text("$(row.value)"))]);
    let around = testkit::Surroundings::rows(&[b"same", b"same"]);
    let mut lab = Lab::with(driver_websub::WEBSUB, &[settings], around);
    subscribed(&mut lab, &server, 0);
    lab.seen();
    (0..2).for_each(|number| due(&mut lab, 0, number));
    let mut ended = published(&mut lab, 2);
    ended.sort_by_key(|row| row.0 as u8);
    assert_eq!(ended, [(Outcome::Ok, 1), (Outcome::BadStudy, 1)]);
}

#[test]
fn what_is_under_way_at_the_end_is_in_the_books() {
    let (server, publisher) = (hub(202), Server::replying(|_, _, stream| never(stream)));
    let settings = topic(at(&server), &[("publish", text(format!("http://{}/", publisher.address)))]);
    let mut lab = lab(settings, 1);
    subscribed(&mut lab, &server, 0);
    (0..2).for_each(|number| due(&mut lab, 0, number));
    lab.disconnect(0);
    assert_eq!(ends(&lab.seen(), PUBLISH), [(Outcome::Aborted, 2)]);
}
