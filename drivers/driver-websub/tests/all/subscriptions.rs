//! Subscriptions: what is asked, when a hub's question is confirmed, what is denied, and what is renewed.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::{
    SUBSCRIBE, UNSUBSCRIBE, VERIFY, at, call, callback_of, due, ends, hub, lab, never, subscribed, topic, verify,
};
use contract::{Cancel, Reply};
use std::collections::BTreeMap;
use terms::{Nanos, Outcome};
use testkit::{map, text};

#[test]
fn a_hub_is_asked_for_a_subscription_and_its_question_is_confirmed() {
    let server = hub(202);
    let settings = topic(
        at(&server),
        &[
            ("secret", text("s&cret")),
            ("lease", text("10m")),
            ("bearer", text("t0ken")),
            ("headers", map(&[("x-tenant", text("lab"))])),
        ],
    );
    let mut lab = lab(settings, 1);
    assert_eq!(lab.connect(0, 0), Outcome::Ok);
    let request = server.request();
    assert_eq!(request.line(), "POST /hub HTTP/1.1");
    for line in [
        "Content-Type: application/x-www-form-urlencoded",
        "x-tenant: lab",
        "Authorization: Bearer t0ken",
        "Connection: close",
    ] {
        assert!(request.head.lines().any(|found| found == line), "{line}: {}", request.head);
    }
    let form = String::from_utf8(request.body.clone()).unwrap();
    let rest = "hub.mode=subscribe&hub.topic=orders&hub.lease_seconds=600&hub.secret=s%26cret&hub.callback=http%3A%2F%2F127.0.0.1%3A9%2Fwebsub%2F";
    assert!(form.starts_with(rest), "{form}");

    let callback = callback_of(&request);
    let answer = verify(&mut lab, &callback, "hub.challenge=a%20b%2B&hub.lease_seconds=600");
    assert_eq!((answer.status, answer.body.as_slice(), answer.content_type), (200, b"a b+".as_slice(), "text/plain"));
    lab.settle();
    let seen = lab.seen();
    assert_eq!((ends(&seen, SUBSCRIBE), ends(&seen, VERIFY)), (vec![(Outcome::Ok, 1)], vec![(Outcome::Ok, 1)]));
    assert_eq!(seen.counts(), [1, 0, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn a_question_that_overtakes_the_answer_is_confirmed() {
    let (told, heard) = std::sync::mpsc::channel::<()>();
    let heard = std::sync::Mutex::new(heard);
    let server = testkit::Server::replying(move |_, _, stream| {
        heard.lock().unwrap().recv().unwrap();
        std::io::Write::write_all(stream, b"HTTP/1.1 202 X\r\nContent-Length: 0\r\n\r\n").is_ok()
    });
    let mut lab = lab(topic(at(&server), &[]), 1);
    lab.begin_connect(0, 0);
    lab.turn(Nanos::from_millis(20));
    let callback = callback_of(&server.request());
    assert_eq!(verify(&mut lab, &callback, "hub.challenge=x").status, 200);
    told.send(()).unwrap();
    lab.finish(&[0]);
    let seen = lab.seen();
    assert_eq!((ends(&seen, SUBSCRIBE), ends(&seen, VERIFY)), (vec![(Outcome::Ok, 1)], vec![(Outcome::Ok, 1)]));
}

#[test]
fn what_a_hub_does_not_take_fails_both_legs_alike() {
    let no_address = "status 307, a redirect: it does not say where to go";
    for (status, told) in [(400, "where 202 takes the subscription: `said so`"), (200, "202"), (307, no_address)] {
        let server = hub(status);
        let mut lab = lab(topic(at(&server), &[]), 1);
        assert_eq!(lab.connect(0, 0), Outcome::Status);
        let seen = lab.seen();
        let failed = vec![(Outcome::Status, 1)];
        assert_eq!((ends(&seen, SUBSCRIBE), ends(&seen, VERIFY)), (failed.clone(), failed), "{status}");
        assert!(seen.note.contains(told), "{}", seen.note);
    }
    let mut lab = lab(topic(format!("http://{}/", testkit::nobody()), &[]), 1);
    assert_eq!(lab.connect(0, 0), Outcome::Refused);
    let failed = vec![(Outcome::Refused, 1)];
    let seen = lab.seen();
    assert_eq!((ends(&seen, SUBSCRIBE), ends(&seen, VERIFY)), (failed.clone(), failed));
}

#[test]
fn a_hub_that_does_not_answer_is_given_up_in_time() {
    let server = testkit::Server::replying(|_, _, stream| never(stream));
    let mut lab = lab(topic(at(&server), &[]), 2);
    (0..2).for_each(|slot| _ = lab.begin_connect(slot, 0));
    lab.turn(Nanos::from_millis(50));
    assert_eq!(lab.cancel(0, Cancel::Deadline), Some(Outcome::Timeout));
    assert_eq!(lab.cancel(1, Cancel::Abort), Some(Outcome::Aborted));
    let seen = lab.seen();
    let both = vec![(Outcome::Timeout, 1), (Outcome::Aborted, 1)];
    let sorted =
        |leg| ends(&seen, leg).into_iter().map(|(outcome, count)| (outcome as u8, count)).collect::<BTreeMap<_, _>>();
    let both: BTreeMap<_, _> = both.into_iter().map(|(outcome, count)| (outcome as u8, count)).collect();
    assert_eq!((sorted(SUBSCRIBE), sorted(VERIFY)), (both.clone(), both));
    assert!(seen.note.contains("did not answer the subscription in time"), "{}", seen.note);
}

#[test]
fn a_question_that_never_comes_is_missing() {
    let server = hub(202);
    let mut settings = topic(at(&server), &[]);
    settings.within.insert("verify".to_owned(), Nanos::from_millis(100));
    let mut lab = lab(settings, 1);
    assert_eq!(lab.connect(0, 0), Outcome::Ok);
    lab.settle();
    lab.pass(Nanos::from_millis(20));
    let seen = lab.seen();
    assert_eq!(ends(&seen, VERIFY), [(Outcome::Missing, 1)]);
    assert_eq!(seen.note, "the hub took the subscription, and did not ask in time whether it is meant");
    let callback = callback_of(&server.request());
    assert_eq!(verify(&mut lab, &callback, "hub.challenge=x").status, 200, "late, and meant all the same");
    assert_eq!(ends(&lab.seen(), VERIFY), [(Outcome::Late, 1)]);
}

#[test]
fn only_what_is_meant_is_confirmed() {
    let server = hub(202);
    let mut lab = lab(topic(at(&server), &[]), 1);
    assert_eq!(lab.connect(0, 0), Outcome::Ok);
    let callback = callback_of(&server.request());
    let mut ask = |query: &str| call(&mut lab, "GET", &format!("{callback}?{query}"), &[], b"").unwrap();
    assert_eq!(ask("hub.mode=unsubscribe&hub.topic=orders&hub.challenge=x"), (Reply::Unasked, not_found()));
    assert_eq!(ask(""), (Reply::Unasked, not_found()));
    let (reply, answer) = ask("hub.mode=subscribe&hub.topic=other&hub.challenge=x");
    assert!(matches!(reply, Reply::Match { outcome: Outcome::Wrong, .. }), "{reply:?}");
    assert_eq!(answer, not_found());
    let seen = lab.seen();
    assert_eq!(ends(&seen, VERIFY), [(Outcome::Wrong, 1)]);
    assert!(seen.note.contains("names the topic `other`"), "{}", seen.note);
}

fn not_found() -> contract::Answer {
    contract::Answer { status: 404, ..contract::Answer::default() }
}

#[test]
fn a_question_without_a_challenge_is_wrong() {
    let server = hub(202);
    let mut lab = lab(topic(at(&server), &[]), 1);
    assert_eq!(lab.connect(0, 0), Outcome::Ok);
    let callback = callback_of(&server.request());
    assert_eq!(verify(&mut lab, &callback, "hub.lease_seconds=5").status, 404);
    assert_eq!(ends(&lab.seen(), VERIFY), [(Outcome::Wrong, 1)]);
}

#[test]
fn a_denial_ends_the_question_and_every_event_that_comes_due() {
    let server = hub(202);
    let mut lab = lab(topic(at(&server), &[]), 1);
    assert_eq!(lab.connect(0, 0), Outcome::Ok);
    let callback = callback_of(&server.request());
    let query = "hub.mode=denied&hub.topic=orders&hub.reason=no+more%0Aseats";
    let (_, answer) = call(&mut lab, "GET", &format!("{callback}?{query}"), &[], b"").unwrap();
    assert_eq!(answer.status, 200);
    due(&mut lab, 0, 0);
    let seen = lab.seen();
    assert_eq!(ends(&seen, VERIFY), [(Outcome::Fault, 1)]);
    assert_eq!(ends(&seen, crate::common::DELIVERY), [(Outcome::Fault, 1)]);
    assert!(seen.note.contains("denies the subscription: `no more\\nseats`"), "{}", seen.note);
    assert_eq!(lab.counted("denied"), 1);
}

#[test]
fn leases_are_renewed_before_they_are_over() {
    let server = hub(202);
    let mut lab = lab(topic(at(&server), &[]), 2);
    // Also of one who publishes nothing, and has no connection on which anything could come.
    let callbacks = [0, 1].map(|slot| {
        assert_eq!(lab.connect(slot, 0), Outcome::Ok);
        let callback = callback_of(&server.request());
        verify(&mut lab, &callback, "hub.challenge=x&hub.lease_seconds=1");
        callback
    });
    lab.pass(Nanos::from_millis(300));
    assert_eq!(lab.seen().counts(), [2, 0, 0, 0, 0, 0, 0, 0], "two thirds of a second are not over");
    assert!(lab.until(|lab| lab.recorder.awaiting() == 2), "the renewals are to be confirmed as well");
    let mut renewed = [0, 1].map(|_| callback_of(&server.request()));
    renewed.sort();
    assert!(callbacks.iter().all(|callback| renewed.contains(callback)));
    for callback in &callbacks {
        // What is there already is meant as well, and the hub may ask it again.
        assert_eq!(verify(&mut lab, callback, "hub.challenge=y&hub.lease_seconds=600").body, b"y");
        assert_eq!(verify(&mut lab, callback, "hub.challenge=z&hub.lease_seconds=600").body, b"z");
    }
    lab.pass(Nanos::from_millis(50));
    let seen = lab.seen();
    assert_eq!(ends(&seen, VERIFY), [(Outcome::Ok, 2), (Outcome::Duplicate, 2)]);
    assert_eq!((lab.counted("renewals"), lab.counted("connects")), (2, 2));
}

#[test]
fn a_renewal_that_fails_is_counted_and_tried_again() {
    let server = testkit::Server::replying(|number, _, stream| {
        let status = if number == 1 { 503 } else { 202 };
        std::io::Write::write_all(stream, format!("HTTP/1.1 {status} X\r\nContent-Length: 0\r\n\r\n").as_bytes())
            .is_ok()
    });
    let mut lab = lab(topic(at(&server), &[]), 1);
    assert_eq!(lab.connect(0, 0), Outcome::Ok);
    let callback = callback_of(&server.request());
    verify(&mut lab, &callback, "hub.challenge=x&hub.lease_seconds=1");
    let mut counted = [0; 2];
    assert!(lab.until(|lab| {
        let seen = lab.seen();
        counted[0] += seen.counters[2];
        counted[1] += seen.counters[3];
        counted == [1, 1]
    }));
}

#[test]
fn whoever_has_left_is_told_to_be_gone() {
    let server = hub(202);
    let mut lab = lab(topic(at(&server), &[]), 1);
    let callback = subscribed(&mut lab, &server, 0);
    lab.disconnect(0);
    let (reply, answer) = call(&mut lab, "POST", &callback, &[], b"0 hello").unwrap();
    assert_eq!((reply, answer.status), (Reply::Unasked, 410));
    let (reply, answer) =
        call(&mut lab, "GET", &format!("{callback}?hub.mode=subscribe&hub.topic=orders&hub.challenge=x"), &[], b"")
            .unwrap();
    assert_eq!((reply, answer.status), (Reply::Unasked, 404));
}

/// A hub's question whether the end of a subscription is meant; what is answered.
fn ask_of_end(lab: &mut testkit::Lab, callback: &str, more: &str) -> contract::Answer {
    let query = format!("hub.mode=unsubscribe&{more}");
    call(lab, "GET", &format!("{callback}?{query}"), &[], b"").unwrap().1
}

/// A subscriber that says it at the end of the load, with the request that the hub got.
fn leaving(within: Nanos) -> (testkit::Lab, testkit::Server, String, testkit::Request) {
    let server = hub(202);
    let mut settings = topic(at(&server), &[("unsubscribe", text("yes")), ("secret", text("s3cret"))]);
    settings.within.insert("unsubscribe".to_owned(), within);
    let mut lab = lab(settings, 1);
    let callback = subscribed(&mut lab, &server, 0);
    lab.pass(Nanos::from_millis(20));
    lab.seen();
    lab.say_farewell(0);
    let request = server.request();
    (lab, server, callback, request)
}

#[test]
fn a_subscription_is_ended_at_the_end_and_that_is_confirmed() {
    let (mut lab, _server, callback, request) = leaving(Nanos::from_secs(15));
    assert_eq!(callback_of(&request), callback);
    let form = String::from_utf8(request.body.clone()).unwrap();
    assert!(form.starts_with("hub.mode=unsubscribe&hub.topic=orders&hub.callback=http"), "{form}");
    assert_eq!(lab.recorder.awaiting_legs(), 1);
    // Until it is confirmed it is there.
    assert_eq!(crate::common::deliver(&mut lab, &callback, &[], b"?"), 204);
    assert_eq!(verify(&mut lab, &callback, "hub.challenge=x").status, 404, "a subscription is not meant any more");
    assert_eq!(ask_of_end(&mut lab, &callback, "hub.topic=orders&hub.challenge=bye").body, b"bye");
    lab.settle();
    let seen = lab.seen();
    assert_eq!((ends(&seen, UNSUBSCRIBE), ends(&seen, VERIFY)), (vec![(Outcome::Ok, 1)], vec![]), "{}", seen.note);
    assert_eq!(crate::common::deliver(&mut lab, &callback, &[], b"?"), 410);
    assert_eq!(
        ask_of_end(&mut lab, &callback, "hub.topic=orders&hub.challenge=bye").body,
        b"bye",
        "who asks again is told"
    );
    assert_eq!(lab.say_farewell(0), contract::Interest::Idle, "there is no subscription any more");
    lab.disconnect(0);
}

#[test]
fn an_end_that_a_hub_does_not_confirm_is_missing_or_wrong() {
    let (mut lab, _server, _, _) = leaving(Nanos::from_millis(100));
    lab.settle();
    lab.pass(Nanos::from_millis(20));
    let seen = lab.seen();
    assert_eq!(ends(&seen, UNSUBSCRIBE), [(Outcome::Missing, 1)]);
    assert!(seen.note.contains("took the end of the subscription, and did not ask in time"), "{}", seen.note);
    for (query, told) in [
        ("hub.topic=other&hub.challenge=x", "the hub's question names the topic `other`"),
        ("hub.topic=orders", "has no `hub.challenge`"),
    ] {
        let (mut lab, _server, callback, _) = leaving(Nanos::from_secs(15));
        assert_eq!(ask_of_end(&mut lab, &callback, query).status, 404);
        let seen = lab.seen();
        assert_eq!(ends(&seen, UNSUBSCRIBE), [(Outcome::Wrong, 1)]);
        assert!(seen.note.contains(told), "{}", seen.note);
    }
}

#[test]
fn an_end_that_a_hub_does_not_take_or_answer_has_its_class() {
    for (status, told, outcome) in [
        (500, "status 500, where 202 takes the end of the subscription: `said so`", Outcome::Status),
        (0, "did not answer the end of the subscription in time", Outcome::Timeout),
    ] {
        let server = testkit::Server::replying(move |number, _, stream| match (number, status) {
            (1, 0) => never(stream),
            _ => {
                let status = if number == 0 { 202 } else { status };
                let answer = format!("HTTP/1.1 {status} X\r\nContent-Length: 7\r\n\r\nsaid so");
                std::io::Write::write_all(stream, answer.as_bytes()).is_ok()
            }
        });
        let mut settings = topic(at(&server), &[("unsubscribe", text("yes"))]);
        // A hub that answers has time to, however busy the machine is.
        let within = if status == 0 { Nanos::from_millis(200) } else { Nanos::from_secs(30) };
        settings.within.insert("unsubscribe".to_owned(), within);
        let mut lab = lab(settings, 1);
        subscribed(&mut lab, &server, 0);
        lab.seen();
        lab.say_farewell(0);
        let (mut ended, mut notes) = (Vec::new(), String::new());
        assert!(lab.until(|lab| {
            let seen = lab.seen();
            ended.extend(ends(&seen, UNSUBSCRIBE));
            notes.push_str(&seen.note);
            !ended.is_empty() && !notes.is_empty()
        }));
        assert!(notes.contains(told), "{notes}");
        // The question and the answer have the same time: which of them is found to be over first is the machine's affair.
        assert!(ended == [(outcome, 1)] || (status == 0 && ended == [(Outcome::Missing, 1)]), "{ended:?}");
    }
}

#[test]
fn who_never_subscribed_or_is_not_to_has_nothing_to_end() {
    let server = hub(202);
    let mut lab = lab(topic(at(&server), &[]), 1);
    subscribed(&mut lab, &server, 0);
    assert_eq!(lab.say_farewell(0), contract::Interest::Idle);
    let server = hub(202);
    let mut lab = crate::common::lab(topic(at(&server), &[("unsubscribe", text("yes"))]), 1);
    assert_eq!(lab.connect(0, 0), Outcome::Ok);
    assert_eq!(lab.say_farewell(0), contract::Interest::Idle, "the hub never asked whether it is meant");
    assert_eq!(ends(&lab.seen(), UNSUBSCRIBE), []);
}
