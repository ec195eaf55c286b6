//! Errors that come later: whatever was waited for, they fail the message that they name.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::peer::{ACCEPTED, Message, peer, xml};
use crate::common::{Messages, RELIABLE, exchange, folder, lab};
use contract::{Node, Reply, RequestHead};
use terms::{Nanos, Outcome};
use testkit::{Lab, Recorded, Request, Server, text};

/// The leg of errors that come when nothing is waited for.
const ERROR: u8 = 3;
/// How long an error is waited for in `exchange`.
const WITHIN: Nanos = Nanos::from_millis(300);

fn message(words: &[(&str, &str)], more: &[(&str, Node)], mut after: impl FnMut(&mut Lab, &Request)) -> Recorded {
    let peer = Server::answering(ACCEPTED);
    let folder = folder(words);
    let settings = exchange("message", &peer.url(), more);
    lab(&[settings], folder.path()).run_on(0, |lab| {
        let request = peer.request();
        after(lab, &request);
    })
}

#[test]
fn an_error_to_a_best_effort_message_fails_it_once() {
    let seen = message(&[], &[], |lab, request| {
        assert_eq!(lab.recorder.awaiting(), 1, "the load does not end before an error could come");
        let (reply, answer) = lab.arrive(request.error("ValueNotRecognized").as_bytes());
        assert!(matches!(reply, Reply::Refusal { leg: ERROR, outcome: Outcome::Fault, .. }), "{reply:?}");
        assert_eq!(answer.status, 204);
        lab.arrive(request.error("ValueNotRecognized").as_bytes());
    });
    let expected = [(0, Outcome::Ok, 1), (ERROR, Outcome::Fault, 1), (ERROR, Outcome::Duplicate, 1)];
    assert_eq!(seen.legs, expected, "{seen:?}");
    assert!(seen.note.contains("the other side says ValueNotRecognized: not so"), "{seen:?}");
}

#[test]
fn silence_after_a_best_effort_message_is_nothing_to_tell() {
    let seen = message(&[], &[], |_, _| {});
    assert_eq!(seen.legs, [(0, Outcome::Ok, 1)]);
}

#[test]
fn an_error_from_a_stranger_fails_the_message_as_wrong() {
    let seen = message(&[], &[], |lab, request| {
        let foreign = request.error("DeliveryFailure").replace("<e:CPAId>urn:cpa:1<", "<e:CPAId>urn:cpa:9<");
        let (reply, _) = lab.arrive(foreign.as_bytes());
        assert!(matches!(reply, Reply::Refusal { outcome: Outcome::Wrong, .. }), "{reply:?}");
    });
    assert_eq!(seen.leg(ERROR), Some(Outcome::Wrong), "{seen:?}");
}

#[test]
fn an_error_after_the_acknowledgment_ends_the_reply_that_waits() {
    let seen = message(&[RELIABLE], &[("reply", text("Confirm"))], |lab, request| {
        lab.arrive(request.signal("Acknowledgment").as_bytes());
        lab.arrive(request.error("DeliveryFailure").as_bytes());
        assert_eq!(lab.recorder.awaiting(), 0, "nothing else will come");
    });
    let expected = [(0, Outcome::Ok, 1), (1, Outcome::Ok, 1), (2, Outcome::Fault, 1)];
    assert_eq!(seen.legs, expected, "one failure, no duplicate and nothing missing: {seen:?}");
}

#[test]
fn an_error_after_the_acknowledgment_alone_fails_the_message_all_the_same() {
    let seen = message(&[RELIABLE], &[], |lab, request| {
        lab.arrive(request.signal("Acknowledgment").as_bytes());
        assert_eq!(lab.recorder.awaiting(), 1, "the load does not end before an error could come");
        assert_eq!(lab.recorder.awaiting_legs(), 0);
        lab.arrive(request.error("DeliveryFailure").as_bytes());
        assert_eq!(lab.recorder.awaiting(), 0, "it has come");
    });
    assert_eq!(seen.legs, [(0, Outcome::Ok, 1), (1, Outcome::Ok, 1), (ERROR, Outcome::Fault, 1)], "{seen:?}");
}

#[test]
fn silence_after_the_acknowledgment_is_nothing_to_tell() {
    let seen = message(&[RELIABLE], &[], |lab, request| {
        // It counts from the arrival: a machine that stands still behind it shortens the wait.
        let until = lab.clock.now() + WITHIN;
        lab.arrive(request.signal("Acknowledgment").as_bytes());
        lab.settle();
        assert!(lab.clock.now() >= until, "the whole time of the leg `error`");
    });
    assert_eq!(seen.legs, [(0, Outcome::Ok, 1), (1, Outcome::Ok, 1)], "{seen:?}");
}

#[test]
fn no_error_is_waited_for_behind_an_acknowledgment_unless_the_study_asks() {
    let peer = Server::answering(ACCEPTED);
    let folder = folder(&[RELIABLE]);
    let mut settings = exchange("message", &peer.url(), &[]);
    settings.within.clear();
    let seen = lab(&[settings], folder.path()).run_on(0, |lab| {
        let request = peer.request();
        lab.arrive(request.signal("Acknowledgment").as_bytes());
        assert_eq!(lab.recorder.awaiting(), 0);
        lab.arrive(request.error("DeliveryFailure").as_bytes());
    });
    assert_eq!(seen.leg(ERROR), Some(Outcome::Fault), "it counts all the same while the load goes on: {seen:?}");
}

#[test]
fn an_error_before_the_acknowledgment_ends_it_and_what_comes_then_is_no_duplicate() {
    let seen = message(&[RELIABLE], &[], |lab, request| {
        lab.arrive(request.error("DeliveryFailure").as_bytes());
        lab.arrive(request.signal("Acknowledgment").as_bytes());
    });
    assert_eq!(seen.legs, [(0, Outcome::Ok, 1), (1, Outcome::Fault, 1)], "each came once: {seen:?}");
}

#[test]
fn what_identifies_a_message_is_told_before_its_text() {
    let peer = Server::answering(ACCEPTED);
    let folder = folder(&[]);
    let mut lab = lab(&[exchange("message", &peer.url(), &[])], folder.path());
    lab.carry_out(0);
    let request = peer.request();
    let told = |body: &str| {
        let headers = [("content-type", b"text/xml".as_slice())];
        let head = RequestHead { method: "POST", path: "/", headers: &headers, at: Nanos::ZERO };
        lab.replies.identify(&head, body.as_bytes())
    };
    let (id, conversation) = (request.id(), request.element("ConversationId"));
    let expected = format!(
        "MessageError DeliveryFailure, RefToMessageId {id}, MessageId reply@peer, ConversationId {conversation}, \
         CPAId urn:cpa:1"
    );
    assert_eq!(told(&request.error("DeliveryFailure")), Some(expected));
    assert_eq!(told("<a/>"), None);
}

#[test]
fn an_error_after_the_pong_fails_the_ping() {
    let peer = Server::answering(ACCEPTED);
    let folder = folder(&[]);
    let seen = lab(&[exchange("ping", &peer.url(), &[])], folder.path()).run_on(0, |lab| {
        let request = peer.request();
        lab.arrive(request.signal("Pong").as_bytes());
        lab.arrive(request.error("Unknown").as_bytes());
    });
    assert_eq!(seen.legs, [(0, Outcome::Ok, 1), (1, Outcome::Ok, 1), (2, Outcome::Fault, 1)], "{seen:?}");
}

#[test]
fn an_error_on_the_same_connection_is_a_fault_of_the_acceptance() {
    let peer = peer(|_, request| Some(xml(&request.error("ValueNotRecognized"))));
    let folder = folder(&[]);
    let seen = lab(&[exchange("message", &peer.url(), &[])], folder.path()).run_on(0, |lab| {
        assert_eq!(lab.recorder.awaiting(), 0, "nothing more will be said of it");
    });
    assert_eq!(seen.legs, [(0, Outcome::Fault, 1)], "{seen:?}");
}
