//! A hub that sends requests on to another: followed, counted, and never in a circle.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::{SUBSCRIBE, UNSUBSCRIBE, VERIFY, at, call, callback_of, ends, hub, lab, topic, verify};
use contract::{Answer, Settings};
use driver_websub::WEBSUB;
use std::io::Write;
use std::sync::{Arc, Mutex};
use terms::{Nanos, Outcome};
use testkit::{Lab, Server, Surroundings, map, text};

/// A hub that sends whatever it is asked on to this address.
fn sending_on(status: u16, to: String) -> Server {
    Server::replying(move |_, _, stream| {
        let answer = format!("HTTP/1.1 {status} X\r\nLocation: {to}\r\nContent-Length: 4\r\n\r\ngone");
        stream.write_all(answer.as_bytes()).is_ok()
    })
}

/// How a subscription at this hub ended on both legs, what is reported about it, and how many redirects were counted.
fn asked(settings: Settings) -> (Outcome, String, i64) {
    let mut lab = lab(settings, 1);
    let outcome = lab.connect(0, 0);
    let seen = lab.seen();
    assert_eq!((ends(&seen, SUBSCRIBE), ends(&seen, VERIFY)), (vec![(outcome, 1)], vec![(outcome, 1)]));
    (outcome, seen.note, lab.counted("redirects"))
}

#[test]
fn a_request_that_is_sent_on_is_asked_again_as_it_was() {
    for status in [307, 308] {
        let last = hub(202);
        let middle = sending_on(status, format!("http://{}/second?a=b", last.address));
        let first = sending_on(status, format!("//{}/x", middle.address));
        let headers = map(&[("x-own", text("y")), ("cookie", text("c=d"))]);
        let mut lab = lab(topic(at(&first), &[("bearer", text("token")), ("headers", headers)]), 1);
        assert_eq!(lab.connect(0, 0), Outcome::Ok, "{}", lab.seen().note);
        let seen = lab.seen();
        assert_eq!(ends(&seen, SUBSCRIBE), [(Outcome::Ok, 1)]);
        assert_eq!((lab.counted("redirects"), lab.counted("connects")), (2, 3));
        let (asked, again, taken) = (first.request(), middle.request(), last.request());
        assert!(taken.head.starts_with("POST /second?a=b HTTP/1.1\r\n"), "{}", taken.head);
        assert!(asked.body == again.body && again.body == taken.body);
        let has = |request: &testkit::Request, line: &str| request.head.lines().any(|it| it.eq_ignore_ascii_case(line));
        for request in [&again, &taken] {
            assert!(has(request, "x-own: y"), "{}", request.head);
            // Who asks is nothing that another server should know.
            let head = request.head.to_ascii_lowercase();
            assert!(!head.contains("authorization") && !head.contains("cookie"), "{head}");
        }
        assert!(has(&asked, "Authorization: Bearer token") && has(&taken, &format!("Host: {}", last.address)));
        let callback = callback_of(&taken);
        assert_eq!(verify(&mut lab, &callback, "hub.challenge=x").body, b"x");
        assert_eq!(ends(&lab.seen(), VERIFY), [(Outcome::Ok, 1)]);
    }
}

#[test]
fn one_to_the_same_server_keeps_who_asks() {
    let server = Server::replying(|_, request, stream| {
        let answer = match request.head.starts_with("POST /hub ") {
            true => "HTTP/1.1 308 X\r\nLocation: v2/hub\r\nContent-Length: 0\r\n\r\n",
            false => "HTTP/1.1 202 X\r\nContent-Length: 0\r\n\r\n",
        };
        stream.write_all(answer.as_bytes()).is_ok()
    });
    let mut lab = lab(topic(at(&server), &[("bearer", text("token"))]), 1);
    assert_eq!(lab.connect(0, 0), Outcome::Ok, "{}", lab.seen().note);
    let (_, taken) = (server.request(), server.request());
    assert!(taken.head.starts_with("POST /v2/hub HTTP/1.1\r\n"), "{}", taken.head);
    assert!(taken.head.contains("Authorization: Bearer token\r\n"), "{}", taken.head);
}

#[test]
fn a_circle_ends_at_its_bound() {
    let to = Arc::new(Mutex::new(String::new()));
    let own = to.clone();
    let server = Server::replying(move |_, _, stream| {
        let to = own.lock().unwrap().clone();
        let answer = format!("HTTP/1.1 307 X\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n");
        stream.write_all(answer.as_bytes()).is_ok()
    });
    *to.lock().unwrap() = at(&server);
    let (outcome, note, redirects) = asked(topic(at(&server), &[]));
    assert_eq!((outcome, redirects, server.accepted()), (Outcome::Status, 5, 6));
    assert!(note.contains("after 5 redirects, the most that are followed"), "{note}");
}

#[test]
fn what_leads_where_nothing_should_go_is_not_followed() {
    let away = testkit::nobody();
    for (to, told) in [
        ("http://127.0.0.2:9/hub".to_owned(), "is on another host"),
        ("ftp://127.0.0.1/".to_owned(), "is not an address that can be requested"),
        (format!("http://u:p@{away}/"), "is not an address that can be requested"),
    ] {
        let server = sending_on(307, to.clone());
        let (outcome, note, redirects) = asked(topic(at(&server), &[]));
        assert_eq!((outcome, redirects), (Outcome::Status, 0), "{note}");
        assert!(note.contains(told) && note.starts_with("status 307, a redirect: "), "{to}: {note}");
    }
    // Followed, and nobody is there.
    let server = sending_on(307, format!("http://{away}/hub"));
    let (outcome, _, redirects) = asked(topic(at(&server), &[]));
    assert_eq!((outcome, redirects), (Outcome::Refused, 1));
    // Other redirects make something else of the request.
    let server = sending_on(302, format!("http://{away}/hub"));
    let (outcome, note, redirects) = asked(topic(at(&server), &[]));
    assert_eq!((outcome, redirects), (Outcome::Status, 0), "{note}");
}

#[test]
fn another_host_that_the_study_names_may_take_over() {
    let elsewhere = Server::at("127.0.0.2:0", |_, mut stream| {
        let _ = testkit::read_request(&mut stream);
        usize::from(stream.write_all(b"HTTP/1.1 202 X\r\nContent-Length: 0\r\n\r\n").is_ok())
    });
    let elsewhere = elsewhere.unwrap();
    let server = sending_on(307, at(&elsewhere));
    let publish = ("publish", text(format!("http://{}/publish", elsewhere.address)));
    let mut lab = lab(topic(at(&server), &[publish]), 1);
    assert_eq!(lab.connect(0, 0), Outcome::Ok, "{}", lab.seen().note);
    assert_eq!(ends(&lab.seen(), SUBSCRIBE), [(Outcome::Ok, 1)]);
    assert_eq!(lab.counted("redirects"), 1);
}

#[test]
fn what_the_last_hub_answers_is_shown_with_where_that_was() {
    let last = hub(503);
    let server = sending_on(308, at(&last));
    let (outcome, note, redirects) = asked(topic(at(&server), &[]));
    assert_eq!((outcome, redirects), (Outcome::Status, 1));
    assert!(note.starts_with(&format!("sent on to `{}`: status 503", at(&last))), "{note}");
}

#[test]
fn renewals_and_ends_are_sent_on_too() {
    let last = hub(202);
    let server = sending_on(307, at(&last));
    let settings = topic(at(&server), &[("unsubscribe", text("yes")), ("lease", text("1s"))]);
    let mut lab = lab(settings, 1);
    assert_eq!(lab.connect(0, 0), Outcome::Ok, "{}", lab.seen().note);
    let callback = callback_of(&last.request());
    let confirm = |lab: &mut Lab, mode: &str| -> Answer {
        let path = format!("{callback}?hub.mode={mode}&hub.topic=orders&hub.challenge=x&hub.lease_seconds=1");
        call(lab, "GET", &path, &[], b"").unwrap().1
    };
    assert_eq!(confirm(&mut lab, "subscribe").body, b"x");
    let mut count = 0;
    let mut are_sent_on = |lab: &mut Lab, wanted: i64| {
        lab.until(|lab| {
            lab.seen();
            count += lab.counted("redirects");
            count == wanted
        })
    };
    assert!(are_sent_on(&mut lab, 2), "two thirds of a second");
    assert!(last.request().body.starts_with(b"hub.mode=subscribe"));
    assert_eq!(confirm(&mut lab, "subscribe").body, b"x");
    lab.say_farewell(0);
    assert!(are_sent_on(&mut lab, 3));
    assert_eq!(confirm(&mut lab, "unsubscribe").body, b"x");
    lab.settle();
    let seen = lab.seen();
    assert_eq!(ends(&seen, UNSUBSCRIBE), [(Outcome::Ok, 1)], "{}", seen.note);
}

#[test]
fn a_hub_that_sends_on_and_says_nothing_there_is_given_up_in_time() {
    let silent = Server::replying(|_, _, stream| crate::common::never(stream));
    let server = sending_on(307, at(&silent));
    let mut lab = lab(topic(at(&server), &[]), 1);
    lab.begin_connect(0, 0);
    lab.turn(Nanos::from_millis(200));
    assert_eq!(lab.cancel(0, contract::Cancel::Deadline), Some(Outcome::Timeout));
    let seen = lab.seen();
    assert_eq!(ends(&seen, SUBSCRIBE), [(Outcome::Timeout, 1)], "{}", seen.note);
}

/// The secret goes over no line that others can read because a hub says so.
#[test]
fn what_was_asked_over_tls_is_not_asked_without() {
    let rcgen::CertifiedKey { cert, signing_key } =
        rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    let key = rustls_pki_types::PrivateKeyDer::Pkcs8(signing_key.serialize_der().into());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = Arc::new(builder.with_no_client_auth().with_single_cert(vec![cert.der().clone()], key).unwrap());
    let plain = hub(202);
    let to = at(&plain);
    let server = Server::start(move |_, stream| {
        let connection = rustls::ServerConnection::new(config.clone()).unwrap();
        let mut stream = rustls::StreamOwned::new(connection, stream);
        let _ = testkit::read_request(&mut stream);
        let answer = format!("HTTP/1.1 307 X\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n");
        usize::from(stream.write_all(answer.as_bytes()).is_ok())
    });
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("ca.pem"), cert.pem()).unwrap();
    let tls = ("tls", map(&[("ca", text("ca.pem"))]));
    let settings = topic(format!("https://{}/hub", server.address), &[tls, ("secret", text("s3cret"))]);
    let around = Surroundings { base: folder.path().into(), ..Surroundings::default() };
    let mut lab = Lab::with(WEBSUB, &[settings], around);
    assert_eq!(lab.connect(0, 0), Outcome::Status);
    let note = lab.seen().note;
    assert!(note.contains("is not followed from `https://`"), "{note}");
    assert_eq!(plain.accepted(), 0);
}
