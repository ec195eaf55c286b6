//! Against a receiver on the library `thrift`.

use crate::common::{Receiver, body, certified, publishing};
use contract::{Node, Settings};
use driver_thrift::THRIFT;
use terms::{Nanos, Outcome};
use testkit::{Lab, Surroundings, build, map, text};

fn publish(receiver: &Receiver) -> Settings {
    let url = format!("thrift://{}", receiver.address);
    publish_by(&url, &url, &[])
}

fn publish_by(url: &str, sign_in: &str, more: &[(&str, Node)]) -> Settings {
    let device = map(&[("string", map(&[("before", text("d-")), ("from", text("7")), ("to", text("7"))]))]);
    publishing(url, sign_in, &[("device", device), body()], more)
}

/// By how much a counter has grown since the last call.
fn counted(lab: &mut Lab, name: &str) -> i64 {
    lab.seen();
    lab.counted(name)
}

#[test]
fn every_event_arrives_as_its_stream_is_defined() {
    let receiver = Receiver::start();
    let mut lab = Lab::new(THRIFT, &[publish(&receiver)]);
    for _ in 0..20 {
        assert_eq!(lab.carry_out(0), Outcome::Ok);
    }
    assert_eq!(counted(&mut lab, "events"), 200);
    let seen = receiver.seen();
    // Once before the load, and once by the only publisher.
    assert_eq!(seen.sign_ins, vec![("admin".to_owned(), "secret".to_owned()); 2]);
    assert!(seen.definitions.iter().all(|definition| {
        definition.contains(r#""metaData":[{"name":"gateway","type":"STRING"}]"#)
            && definition.contains(r#"{"name":"ratio","type":"FLOAT"}"#)
    }));
    assert_eq!(seen.bundles.len(), 20);
    for (number, bundle) in seen.bundles.iter().enumerate() {
        assert_eq!((bundle.session.as_str(), bundle.events), ("session-2", 10));
        let lengths = (bundle.ints.len(), bundle.longs.len(), bundle.doubles.len(), bundle.bools.len());
        assert_eq!((lengths, bundle.texts.len()), ((10, 20, 20, 10), 40));
        assert!(bundle.ints.iter().all(|house| (1..=40_000).contains(house)));
        assert!(bundle.bools.iter().all(|peak| *peak));
        for event in 0..10 {
            let (longs, doubles) = (&bundle.longs[2 * event..][..2], &bundle.doubles[2 * event..][..2]);
            assert!(longs[0] > 1_600_000_000_000, "a time comes first: {longs:?}");
            assert!((0.5..2.5).contains(&doubles[0]) && doubles[1] == 10.0, "{doubles:?}");
            let [stream, gateway, device, body] = &bundle.texts[4 * event..][..4] else { unreachable!() };
            assert_eq!((stream.as_str(), device.as_str(), body.len()), ("smart_home:1.0.0", "d-7", 150));
            assert!(["east", "west"].contains(&gateway.as_str()));
        }
        // Numbered through all bundles, whoever sends them.
        let first = seen.bundles[0].longs[1];
        assert_eq!(bundle.longs[1], first + 10 * number as i64);
    }
}

#[test]
fn two_runs_with_one_seed_publish_the_same() {
    let bundles = || {
        let receiver = Receiver::start();
        let mut lab = Lab::new(THRIFT, &[publish(&receiver)]);
        (0..5).for_each(|_| assert_eq!(lab.carry_out(0), Outcome::Ok));
        let seen = receiver.seen();
        seen.bundles.iter().map(|it| (it.ints.clone(), it.doubles.clone(), it.texts.clone())).collect::<Vec<_>>()
    };
    assert_eq!(bundles(), bundles());
}

#[test]
fn what_a_receiver_refuses_before_the_load_ends_it_before_it_begins() {
    for (call, id, part) in [
        ("connect", 1, "signing in: it refuses user and password: not today"),
        ("defineStream", 1, "defining the stream: it knows another definition of that stream: not today"),
        ("defineStream", 2, "it cannot read the definition"),
    ] {
        let receiver = Receiver::start();
        receiver.seen().refuses.insert(call, id);
        let built = build(THRIFT, &[publish(&receiver)], &Surroundings::default());
        let why = built.unwrap().driver.set_up().unwrap_err().to_string();
        assert!(why.contains(part), "{why}");
    }
}

#[test]
fn failures_are_told_apart_and_the_next_bundle_has_a_connection_of_its_own() {
    let receiver = Receiver::start();
    let mut lab = Lab::new(THRIFT, &[publish(&receiver)]);
    assert_eq!(lab.carry_out(0), Outcome::Ok);

    receiver.seen().hangs_up = true;
    assert_eq!(lab.carry_out(0), Outcome::Reset);
    assert_eq!(lab.carry_out(0), Outcome::Ok);

    // A stream that is not known is refused, and the connection is still good.
    receiver.seen().refuses.insert("publish", 1);
    counted(&mut lab, "connects");
    assert_eq!(lab.carry_out(0), Outcome::Fault);
    receiver.seen().refuses.clear();
    assert_eq!((lab.carry_out(0), counted(&mut lab, "connects")), (Outcome::Ok, 0), "none since");

    // A session that has expired is signed in for anew, by the next bundle.
    receiver.seen().refuses.insert("publish", 2);
    assert_eq!(lab.carry_out(0), Outcome::Fault);
    receiver.seen().refuses.clear();
    let sign_ins = receiver.seen().sign_ins.len();
    assert_eq!(lab.carry_out(0), Outcome::Ok);
    assert_eq!((counted(&mut lab, "expired"), receiver.seen().sign_ins.len()), (1, sign_ins + 1));

    receiver.seen().is_silent = true;
    lab.deadline = Nanos::from_millis(200);
    assert_eq!(lab.carry_out(0), Outcome::Timeout);
    lab.deadline = Nanos::from_secs(10);
    assert_eq!(lab.carry_out(0), Outcome::Ok, "the answer that was missing is not taken for this one's");
}

#[test]
fn a_session_is_got_over_tls_and_events_go_beside_it() {
    let (config, pem) = certified();
    let (data, sign_in) = (Receiver::start(), Receiver::secured(Some(config)));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("ca.pem"), pem).unwrap();
    let data_url = format!("thrift://{}", data.address);
    let secure = format!("thrifts://localhost:{}", sign_in.address.port());
    let trusted = [("tls", map(&[("ca", text("ca.pem"))]))];
    let around = || Surroundings { base: folder.path().to_owned(), ..Surroundings::default() };
    let mut lab = Lab::with(THRIFT, &[publish_by(&data_url, &secure, &trusted)], around());
    assert_eq!((lab.carry_out(0), lab.carry_out(0)), (Outcome::Ok, Outcome::Ok));
    assert_eq!((sign_in.seen().sign_ins.len(), data.seen().sign_ins.len()), (2, 0));
    assert_eq!((sign_in.seen().bundles.len(), data.seen().bundles.len()), (0, 2));

    // One that is not trusted is told before the load, and so is one that speaks no TLS.
    std::fs::write(folder.path().join("ca.pem"), certified().1).unwrap();
    let why =
        |settings: Settings| build(THRIFT, &[settings], &around()).unwrap().driver.set_up().unwrap_err().to_string();
    assert!(why(publish_by(&data_url, &secure, &trusted)).contains("signing in"), "who it is");
    let plain = format!("thrifts://localhost:{}", data.address.port());
    assert!(why(publish_by(&data_url, &plain, &trusted)).starts_with("signing in: "), "what it speaks");
}

#[test]
fn a_bundle_takes_no_memory_once_its_publisher_is_warm() {
    let receiver = Receiver::start();
    let mut lab = Lab::new(THRIFT, &[publish(&receiver)]);
    assert_eq!(lab.allocations(20, 100), 0);
}
