//! Reliable messaging: sent again as agreed, with the same id, until it is acknowledged or of no use.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::peer::{ACCEPTED, Message, fault, nobody, peer, with_body, xml};
use crate::common::{Messages, RELIABLE, exchange, folder, lab};
use contract::Reply;
use driver_ebms::EBMS;
use terms::{Nanos, Outcome};
use testkit::{Lab, Recorded, Request, Server, text};

/// Three retries, 100 ms apart: nothing is waited for longer than 400 ms.
fn send(peer: &Server, after: impl FnMut(&mut Lab)) -> Recorded {
    under(peer, &[RELIABLE], after)
}

/// One retry after a second: long enough to answer before it, also on a slow machine.
const SLOW: [(&str, &str); 3] = [RELIABLE, ("RETRIES", "1"), ("INTERVAL", "PT1S")];

fn under(peer: &Server, words: &[(&str, &str)], after: impl FnMut(&mut Lab)) -> Recorded {
    let folder = folder(words);
    let settings = exchange("message", &peer.url(), &[("profile", text("osb-rm"))]);
    lab(&[settings], folder.path()).run_on(0, after)
}

/// What the driver counted under this name.
fn counted(seen: &Recorded, name: &str) -> i64 {
    let index = EBMS.counters.iter().position(|known| *known == name);
    seen.counters[index.unwrap()]
}

fn all(peer: &Server) -> Vec<Request> {
    peer.requests.try_iter().collect()
}

#[test]
fn an_acknowledged_message_is_sent_once() {
    let peer = Server::answering(ACCEPTED);
    let seen = under(&peer, &SLOW, |lab| {
        let request = peer.request();
        let body = String::from_utf8_lossy(&request.body).into_owned();
        assert!(body.contains("<eb:DuplicateElimination/>") && body.contains("<eb:AckRequested "), "{body}");
        let (reply, _) = lab.arrive(request.signal("Acknowledgment").as_bytes());
        assert!(matches!(reply, Reply::Match { leg: 1, outcome: Outcome::Ok, .. }), "{reply:?}");
        let until = lab.clock.now() + Nanos::from_millis(1200);
        while lab.clock.now() < until {
            lab.turn(Nanos::from_millis(5));
        }
    });
    assert_eq!(seen.legs, [(0, Outcome::Ok, 1), (1, Outcome::Ok, 1)]);
    assert_eq!((counted(&seen, "resends"), all(&peer).len()), (0, 0));
}

#[test]
fn one_that_nobody_acknowledges_is_sent_again_as_often_as_agreed() {
    let peer = Server::answering(ACCEPTED);
    let seen = send(&peer, |_| {});
    assert_eq!(seen.legs, [(0, Outcome::Ok, 1), (1, Outcome::Missing, 1)], "{seen:?}");
    let requests = all(&peer);
    assert_eq!((counted(&seen, "resends"), requests.len()), (3, 4), "once, and three times again");
    assert!(requests.iter().all(|request| request.body == requests[0].body), "byte for byte, the id included");
}

#[test]
fn the_first_acknowledgment_ends_it_whichever_message_it_is_for() {
    let peer = Server::answering(ACCEPTED);
    let seen = under(&peer, &SLOW, |lab| {
        let first = peer.request();
        while lab.clock.now() >= Nanos::ZERO {
            lab.turn(Nanos::from_millis(5));
            if let Ok(again) = peer.requests.try_recv() {
                assert_eq!(again.id(), first.id());
                lab.arrive(again.signal("Acknowledgment").as_bytes());
                return;
            }
        }
    });
    assert_eq!(seen.legs, [(0, Outcome::Ok, 1), (1, Outcome::Ok, 1)]);
    assert_eq!((counted(&seen, "resends"), all(&peer).len()), (1, 0));
}

#[test]
fn a_message_that_could_not_be_sent_is_sent_again() {
    let (gone, folder) = (nobody(), folder(&[RELIABLE]));
    let mut lab = lab(&[exchange("message", &gone, &[])], folder.path());
    let seen = lab.run_on(0, |_| {});
    assert_eq!(seen.legs, [(0, Outcome::Refused, 1), (1, Outcome::Missing, 1)], "{seen:?}");
    assert_eq!(counted(&seen, "resends"), 3);
    // Refused for now, closed without a word, then taken, with the acknowledgment on the same connection.
    let peer = peer(|number, request| match number {
        0 => Some(with_body("503 Busy", "text/plain", "later")),
        1 => None,
        _ => Some(xml(&request.signal("Acknowledgment"))),
    });
    let seen = send(&peer, |_| {});
    assert_eq!(seen.legs, [(0, Outcome::Status, 1), (1, Outcome::Ok, 1)], "{seen:?}");
    assert_eq!((counted(&seen, "resends"), all(&peer).len()), (2, 3));
}

#[test]
fn what_is_refused_for_good_is_not_sent_again() {
    for (answer, outcome) in [
        (fault("Client", "unknown CPA"), Outcome::Fault),
        (with_body("403 Forbidden", "text/plain", "no"), Outcome::Status),
        (with_body("501 Not Implemented", "text/plain", "no"), Outcome::Status),
    ] {
        let peer = Server::answering(answer);
        let seen = send(&peer, |_| {});
        assert_eq!(seen.legs, [(0, outcome, 1), (1, outcome, 1)]);
        assert_eq!((counted(&seen, "resends"), all(&peer).len()), (0, 1));
    }
    let peer = Server::answering(fault("Server", "disk full"));
    let seen = send(&peer, |_| {});
    assert_eq!(seen.legs, [(0, Outcome::Fault, 1), (1, Outcome::Missing, 1)], "that may pass");
    assert_eq!(counted(&seen, "resends"), 3);
}

#[test]
fn an_error_message_ends_it() {
    let peer = Server::answering(ACCEPTED);
    let seen = under(&peer, &SLOW, |lab| _ = lab.arrive(peer.request().error("Inconsistent").as_bytes()));
    assert_eq!(seen.legs, [(0, Outcome::Ok, 1), (1, Outcome::Fault, 1)]);
    assert_eq!(counted(&seen, "resends"), 0);
}

#[test]
fn a_hundred_messages_are_sent_again_side_by_side() {
    let peer = Server::answering(ACCEPTED);
    let folder = folder(&[RELIABLE, ("RETRIES", "2"), ("INTERVAL", "PT1S")]);
    let mut lab = lab(&[exchange("message", &peer.url(), &[])], folder.path());
    (0..100).for_each(|_| _ = lab.carry_out(0));
    // Every second one is acknowledged at once.
    let first = all(&peer);
    first.iter().step_by(2).for_each(|request| _ = lab.arrive(request.signal("Acknowledgment").as_bytes()));
    lab.settle();
    let seen = lab.seen();
    assert_eq!(seen.legs, [(0, Outcome::Ok, 100), (1, Outcome::Ok, 50), (1, Outcome::Missing, 50)]);
    assert_eq!((counted(&seen, "resends"), counted(&seen, "unkept")), (100, 0), "fifty, twice each");
}
