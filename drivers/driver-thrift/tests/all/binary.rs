//! Against a receiver that speaks the receivers' own binary protocol.

use crate::common::{Receiver, body, certified, publishing};
use crate::peer::{Answers, Peer, error};
use contract::{Node, Settings};
use driver_thrift::THRIFT;
use terms::{Nanos, Outcome};
use testkit::{Lab, Surroundings, build, map, text};

fn publish_by(url: &str, sign_in: &str, more: &[(&str, Node)]) -> Settings {
    publishing(url, sign_in, &[body()], more)
}

fn publish(peer: &Peer, more: &[(&str, Node)]) -> Settings {
    let url = format!("binary://{}", peer.address);
    publish_by(&url, &url, more)
}

#[test]
fn every_event_arrives_whole_and_in_its_streams_order() {
    let peer = Peer::start();
    let mut lab = Lab::new(THRIFT, &[publish(&peer, &[])]);
    for _ in 0..20 {
        assert_eq!(lab.carry_out(0), Outcome::Ok);
    }
    lab.seen();
    assert_eq!((lab.counted("events"), lab.counted("connects")), (200, 2), "one signs in, one publishes");
    let seen = peer.seen();
    // Once before the load, and once by the only publisher.
    assert_eq!(seen.sign_ins, vec![("admin".to_owned(), "secret".to_owned()); 2]);
    assert_eq!(seen.bundles.len(), 20);
    let first = seen.bundles[0].1[0].reading;
    for (number, (session, events)) in seen.bundles.iter().enumerate() {
        assert_eq!((session.as_str(), events.len()), ("session-2", 10));
        for (place, event) in events.iter().enumerate() {
            assert!(event.at > 1_600_000_000_000, "{event:?}");
            assert!((1..=40_000).contains(&event.house) && (0.5..2.5).contains(&event.power), "{event:?}");
            assert!(["east", "west"].contains(&event.gateway.as_str()), "{event:?}");
            let rest = (event.stream.as_str(), event.ratio, event.peak, event.body.len());
            assert_eq!(rest, ("smart_home:1.0.0", 10.0, true, 150));
            // Numbered through all bundles, whoever sends them.
            assert_eq!(event.reading, first + (10 * number + place) as i64);
        }
    }
}

#[test]
fn a_stream_is_defined_over_thrift_where_it_is_said_where() {
    let (peer, thrift) = (Peer::start(), Receiver::start());
    let define = ("define", text(format!("thrift://{}", thrift.address)));
    let mut lab = Lab::new(THRIFT, &[publish(&peer, std::slice::from_ref(&define))]);
    assert_eq!((lab.carry_out(0), lab.carry_out(0)), (Outcome::Ok, Outcome::Ok));
    lab.seen();
    assert_eq!(lab.counted("connects"), 3, "to sign in, to define, to publish");
    {
        let (seen, defined) = (peer.seen(), thrift.seen());
        assert_eq!((seen.sign_ins.len(), seen.bundles.len()), (2, 2));
        // Before the load and by the publisher, with the sessions that the other protocol gave.
        assert_eq!((defined.definitions.len(), defined.sign_ins.len(), defined.bundles.len()), (2, 0, 0));
        assert!(defined.definitions[0].contains(r#"{"name":"ratio","type":"FLOAT"}"#));
    }
    // What is refused there ends the run before it begins.
    thrift.seen().refuses.insert("defineStream", 1);
    let built = build(THRIFT, &[publish(&peer, &[define])], &Surroundings::default());
    let why = built.unwrap().driver.set_up().unwrap_err().to_string();
    assert!(why.contains("defining the stream: it knows another definition"), "{why}");
}

#[test]
fn a_session_may_be_got_over_thrift() {
    let (peer, thrift) = (Peer::start(), Receiver::start());
    let [url, sign_in] = [format!("binary://{}", peer.address), format!("thrift://{}", thrift.address)];
    let mut lab = Lab::new(THRIFT, &[publish_by(&url, &sign_in, &[])]);
    assert_eq!(lab.carry_out(0), Outcome::Ok);
    assert_eq!((peer.seen().sign_ins.len(), thrift.seen().sign_ins.len()), (0, 2));
    assert_eq!(peer.seen().bundles[0].0, "session-2");
}

#[test]
fn what_a_receiver_refuses_before_the_load_ends_it_before_it_begins() {
    let peer = Peer::start();
    peer.seen().refuses_sign_ins = true;
    let built = build(THRIFT, &[publish(&peer, &[])], &Surroundings::default());
    let why = built.unwrap().driver.set_up().unwrap_err().to_string();
    let expected = "signing in: it refuses user and password: not today (org.wso2.AuthenticationException)";
    assert!(why.contains(expected), "{why}");
}

#[test]
fn a_receiver_of_thrift_is_told_from_one_of_the_binary_protocol() {
    let thrift = Receiver::start();
    let url = format!("binary://{}", thrift.address);
    let built = build(THRIFT, &[publish_by(&url, &url, &[])], &Surroundings::default());
    let why = built.unwrap().driver.set_up().unwrap_err().to_string();
    assert!(why.starts_with("signing in: "), "{why}");
}

#[test]
fn errors_are_faults_in_the_receivers_words_and_an_expired_session_is_signed_in_for_anew() {
    let peer = Peer::start();
    let mut lab = Lab::new(THRIFT, &[publish(&peer, &[])]);
    assert_eq!(lab.carry_out(0), Outcome::Ok);
    lab.seen();

    // A stream that is not known is refused, and the connection is still good.
    peer.answer(Answers::Error("a.UndefinedEventTypeException", "no stream `smart_home:1.0.0`"));
    let ran = lab.run(0);
    assert_eq!(ran.outcome, Outcome::Fault);
    let words = "publishing: it does not know the stream: no stream `smart_home:1.0.0` (a.UndefinedEventTypeException)";
    assert!(ran.note.contains(words), "{}", ran.note);
    peer.answer(Answers::Ok);
    assert_eq!(lab.carry_out(0), Outcome::Ok);
    lab.seen();
    assert_eq!(lab.counted("connects"), 0, "none since");

    peer.answer(Answers::Error("org.wso2.SessionTimeoutException", "long gone"));
    let ran = lab.run(0);
    assert_eq!((ran.outcome, lab.counted("expired")), (Outcome::Fault, 1));
    assert!(ran.note.contains("the session has expired: long gone (org.wso2.SessionTimeoutException)"), "{}", ran.note);
    peer.answer(Answers::Ok);
    let sign_ins = peer.seen().sign_ins.len();
    assert_eq!(lab.carry_out(0), Outcome::Ok);
    assert_eq!(peer.seen().sign_ins.len(), sign_ins + 1);
}

#[test]
fn answers_are_hostile_until_they_are_read() {
    let peer = Peer::start();
    let long = error("c", &"m".repeat(100_000));
    for (answers, outcome, part) in [
        (Answers::Bytes(vec![0]), Outcome::Ok, ""),
        // An error that comes byte by byte is one error.
        (
            Answers::Bytes(error("a.MalformedEventException", "half")),
            Outcome::Fault,
            "it cannot read the bundle: half (a.MalformedEventException)",
        ),
        (Answers::Whole(long), Outcome::Fault, "answers with an error"),
        (
            Answers::Bytes(b"HTTP/1.1 400 Bad Request".to_vec()),
            Outcome::Fault,
            "not the receivers' own binary protocol",
        ),
        (Answers::Bytes(b"\x02\0\0\0\x01s".to_vec()), Outcome::Fault, "something else than what was asked"),
        (Answers::Bytes(b"\x01\x7f\xff\xff\xff\0\0\0\0".to_vec()), Outcome::Fault, "impossible length"),
        (Answers::Bytes(b"\x01\0\0\0\0\xff\xff\xff\xff".to_vec()), Outcome::Fault, "impossible length"),
        (Answers::BytesAndEnd(b"\0\0".to_vec()), Outcome::Fault, "more came than the reply"),
        (Answers::BytesAndEnd(Vec::new()), Outcome::Reset, "closed the connection"),
        (Answers::BytesAndEnd(b"\x01\0\0\0\x05\0\0\0\x05a.B".to_vec()), Outcome::Partial, "closed the connection"),
    ] {
        // Of notes of a kind only the first few are kept.
        let mut lab = Lab::new(THRIFT, &[publish(&peer, &[])]);
        peer.answer(answers);
        let ran = lab.run(0);
        assert_eq!(ran.outcome, outcome, "{part}: {}", ran.note);
        assert!(ran.note.contains(part), "{part}: {}", ran.note);
        peer.answer(Answers::Ok);
        assert_eq!(lab.carry_out(0), Outcome::Ok, "after {part}");
    }
    peer.answer(Answers::Never);
    let mut lab = Lab::new(THRIFT, &[publish(&peer, &[])]);
    lab.deadline = Nanos::from_millis(200);
    assert_eq!(lab.carry_out(0), Outcome::Timeout);
    lab.deadline = Nanos::from_secs(10);
    peer.answer(Answers::Ok);
    let sign_ins = peer.seen().sign_ins.len();
    assert_eq!(lab.carry_out(0), Outcome::Ok);
    assert_eq!(peer.seen().sign_ins.len(), sign_ins + 1, "a late answer is not taken for the next one's");
}

#[test]
fn a_session_is_got_over_tls_and_events_go_beside_it() {
    let (config, pem) = certified();
    let (data, sign_in) = (Peer::start(), Peer::secured(Some(config)));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("ca.pem"), pem).unwrap();
    let trusted = [("tls", map(&[("ca", text("ca.pem"))]))];
    let secure = format!("binarys://localhost:{}", sign_in.address.port());
    let around = Surroundings { base: folder.path().to_owned(), ..Surroundings::default() };
    let settings = publish_by(&format!("binary://{}", data.address), &secure, &trusted);
    let mut lab = Lab::with(THRIFT, &[settings], around);
    assert_eq!((lab.carry_out(0), lab.carry_out(0)), (Outcome::Ok, Outcome::Ok));
    assert_eq!((sign_in.seen().sign_ins.len(), data.seen().sign_ins.len()), (2, 0));
    assert_eq!((sign_in.seen().bundles.len(), data.seen().bundles.len()), (0, 2));
}

#[test]
fn a_bundle_takes_no_memory_once_its_publisher_is_warm() {
    let peer = Peer::start();
    let mut lab = Lab::new(THRIFT, &[publish(&peer, &[])]);
    assert_eq!(lab.allocations(20, 100), 0);
}
