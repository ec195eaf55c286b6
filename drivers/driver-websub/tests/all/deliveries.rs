//! Content at callbacks: right, twice, wrong, unsigned, unknown, missing.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::{DELIVERY, at, call, deliver, due, ends, hub, lab, subscribed, topic};
use contract::{Reply, Settings};
use ring::hmac;
use terms::{Nanos, Outcome};
use testkit::{Lab, Server, text};

fn both(server: &Server, settings: Settings) -> (Lab, [String; 2]) {
    let mut lab = lab(settings, 2);
    let callbacks = [0, 1].map(|slot| subscribed(&mut lab, server, slot));
    lab.seen();
    (lab, callbacks)
}

#[test]
fn each_subscriber_gets_each_event_once() {
    let server = hub(202);
    let (mut lab, callbacks) = both(&server, topic(at(&server), &[]));
    assert_ne!(callbacks[0], callbacks[1]);
    due(&mut lab, 0, 0);
    // Content may overtake what this thread has to say of it.
    assert_eq!(deliver(&mut lab, &callbacks[1], &[], b"0 hello"), 204);
    due(&mut lab, 1, 0);
    assert_eq!(deliver(&mut lab, &callbacks[0], &[], b"0 hello"), 204);
    assert_eq!(ends(&lab.seen(), DELIVERY), [(Outcome::Ok, 2)]);
    // Once more, and the next one.
    assert_eq!(deliver(&mut lab, &callbacks[1], &[], b"0 hello"), 204);
    due(&mut lab, 0, 1);
    lab.pass(Nanos::from_millis(50));
    due(&mut lab, 1, 1);
    callbacks.iter().for_each(|callback| assert_eq!(deliver(&mut lab, callback, &[], b"2 hello"), 204));
    assert_eq!(ends(&lab.seen(), DELIVERY), [(Outcome::Ok, 2), (Outcome::Duplicate, 1)]);
}

#[test]
fn what_never_comes_is_missing_and_what_comes_late_is_late() {
    let server = hub(202);
    let mut settings = topic(at(&server), &[]);
    settings.within.insert("delivery".to_owned(), Nanos::from_millis(100));
    let (mut lab, callbacks) = both(&server, settings);
    (0..2).for_each(|slot| due(&mut lab, slot, 0));
    assert_eq!(deliver(&mut lab, &callbacks[0], &[], b"0 hello"), 204);
    lab.settle();
    assert_eq!(ends(&lab.seen(), DELIVERY), [(Outcome::Ok, 1), (Outcome::Missing, 1)]);
    assert_eq!(deliver(&mut lab, &callbacks[1], &[], b"0 hello"), 204);
    assert_eq!(ends(&lab.seen(), DELIVERY), [(Outcome::Late, 1)]);
}

#[test]
fn a_wrong_byte_makes_the_delivery_wrong_and_says_where() {
    let server = hub(202);
    let (mut lab, callbacks) = both(&server, topic(at(&server), &[]));
    (0..2).for_each(|slot| due(&mut lab, slot, 0));
    assert_eq!(deliver(&mut lab, &callbacks[0], &[], b"0 hellO"), 204, "the hub is not told");
    assert_eq!(deliver(&mut lab, &callbacks[1], &[], b"0 hello"), 204);
    let seen = lab.seen();
    assert_eq!(ends(&seen, DELIVERY), [(Outcome::Ok, 1), (Outcome::Wrong, 1)]);
    assert_eq!(seen.note, "the content differs from what was published, from byte 7 on");
    // The load thread fetches what the listener has counted with whatever comes due.
    due(&mut lab, 0, 1);
    // The publisher goes on when its hub has answered.
    lab.pass(Nanos::from_millis(50));
    lab.seen();
    assert_eq!((lab.counted("altered"), lab.counted("unasked"), lab.counted("signatures")), (1, 0, 0));
    // Nothing in common with any, and the only one that this subscriber has not had.
    assert_eq!(deliver(&mut lab, &callbacks[0], &[], b""), 204);
    assert_eq!(ends(&lab.seen(), DELIVERY), [(Outcome::Wrong, 1)]);
}

#[test]
fn content_that_nobody_published_is_nobodys() {
    let server = hub(202);
    let (mut lab, callbacks) = both(&server, topic(at(&server), &[]));
    for number in 0..2 {
        due(&mut lab, 0, number);
        lab.pass(Nanos::from_millis(50));
    }
    // It may be either of two, or is neither.
    for content in [b"? hello".as_slice(), b"", b"\xff\x00"] {
        let (reply, answer) = call(&mut lab, "POST", &callbacks[0], &[], content).unwrap();
        assert_eq!((reply, answer.status), (Reply::Unasked, 204));
    }
    lab.begin(1, 0);
    assert_eq!(ends(&lab.seen(), DELIVERY), []);
    assert_eq!((lab.counted("unasked"), lab.counted("altered")), (3, 0));
}

#[test]
fn whether_content_was_altered_before_or_after_it_was_signed_is_told_apart() {
    let server = hub(202);
    let (mut lab, callbacks) = both(&server, topic(at(&server), &[("secret", text("s3cret"))]));
    let sign = |content: &[u8]| {
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, b"s3cret"), content);
        let hex: String = tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        format!("sha256={hex}")
    };
    let cases = [
        ("2 hellO", "; the hub signed it as it came", 0),
        ("4 hello", "; it was signed as it was published", 0),
        ("else", ", and is not signed with the subscription's secret (sha256)", 1),
    ];
    for ((signed, told, unsigned), event) in cases.into_iter().zip(1..) {
        (0..2).for_each(|slot| due(&mut lab, slot, event));
        lab.pass(Nanos::from_millis(50));
        let content = format!("{} hellO", 2 * event);
        let signature = sign(signed.as_bytes());
        deliver(&mut lab, &callbacks[0], &[("x-hub-signature", signature.as_bytes())], content.as_bytes());
        let seen = lab.seen();
        assert_eq!(ends(&seen, DELIVERY), [(Outcome::Wrong, 1)], "{told}");
        assert!(seen.note.ends_with(told), "{}", seen.note);
        due(&mut lab, 1, event);
        lab.seen();
        assert_eq!((lab.counted("altered"), lab.counted("signatures")), (1, unsigned), "{told}");
    }
}

#[test]
fn only_signed_content_is_right_and_the_hub_is_not_told() {
    let server = hub(202);
    let (mut lab, callbacks) = both(&server, topic(at(&server), &[("secret", text("s3cret"))]));
    let sign = |key: &str| {
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA512, key.as_bytes()), b"0 hello");
        let hex: String = tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        format!("sha512={hex}")
    };
    let (right, wrong) = (sign("s3cret"), sign("s4cret"));
    (0..2).for_each(|slot| due(&mut lab, slot, 0));
    assert_eq!(deliver(&mut lab, &callbacks[0], &[("x-hub-signature", right.as_bytes())], b"0 hello"), 204);
    assert_eq!(deliver(&mut lab, &callbacks[1], &[("x-hub-signature", wrong.as_bytes())], b"0 hello"), 204);
    let seen = lab.seen();
    assert_eq!(ends(&seen, DELIVERY), [(Outcome::Ok, 1), (Outcome::Wrong, 1)]);
    assert!(seen.note.contains("not signed with the subscription's secret (sha512)"), "{}", seen.note);
    assert_eq!(deliver(&mut lab, &callbacks[1], &[], b"0 hello"), 204, "it is told no less that one has no signature");
    assert_eq!(ends(&lab.seen(), DELIVERY), [(Outcome::Duplicate, 1)], "its leg has ended");
    // The load thread fetches what the listener has counted with whatever comes due.
    due(&mut lab, 1, 1);
    lab.seen();
    assert_eq!(lab.counted("signatures"), 2);
}

#[test]
fn events_fail_at_once_where_there_is_no_subscription() {
    let server = hub(503);
    let mut lab = lab(topic(at(&server), &[]), 2);
    (0..2).for_each(|slot| assert_eq!(lab.connect(slot, 0), Outcome::Status));
    lab.seen();
    (0..2).for_each(|slot| due(&mut lab, slot, 0));
    (0..2).for_each(|slot| due(&mut lab, slot, 1));
    let seen = lab.seen();
    assert_eq!(ends(&seen, DELIVERY), [(Outcome::Status, 4)]);
    assert!(seen.note.contains("no subscription stands"), "{}", seen.note);
    assert_eq!(lab.recorder.awaiting_legs(), 0);
}
