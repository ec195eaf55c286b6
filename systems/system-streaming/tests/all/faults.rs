//! Every fault does what it says, to the messages that it says, and nothing else.

#![allow(clippy::unwrap_used, reason = "tests; outside of test functions the linter does not know it")]
#![allow(clippy::disallowed_methods, reason = "tests of a program ask the system for the time")]

use std::io::ErrorKind;
use std::time::{Duration, Instant};

use crate::support::{ECHO_API, Event, System, ask, end, hear, open};
use serde_json::json;
use tungstenite::Message;

/// What the client hears of ten messages when so many answers come back.
fn heard(gateway: &str, answers: usize) -> (Vec<String>, System) {
    let system = System::with("", gateway);
    let mut client = system.echo();
    for number in 0..10 {
        client.send(Message::text(format!("{number}-"))).unwrap();
    }
    let heard = (0..answers).map(|_| hear(&mut client)).collect();
    (heard, system)
}

#[test]
fn every_third_answer_is_dropped() {
    let (heard, system) = heard("--fault drop_every=3", 7);
    assert_eq!(heard, ["-0", "-1", "-3", "-4", "-6", "-7", "-9"]);
    let expected = json!({ "in": 10, "out": 7, "dropped": 3, "doubled": 0, "wrong": 0 });
    assert_eq!(system.gateway.counters()["messages"], expected);
    assert_eq!(system.backend.counters()["messages"]["out"], 10);
}

#[test]
fn every_fourth_answer_comes_twice_and_every_fifth_is_wrong() {
    let (heard, system) = heard("--fault double_every=4 --fault wrong_every=5", 12);
    let wrong = r#"{"fault":"wrong"}"#;
    assert_eq!(heard, ["-0", "-1", "-2", "-3", "-3", wrong, "-5", "-6", "-7", "-7", "-8", wrong]);
    let expected = json!({ "in": 10, "out": 12, "dropped": 0, "doubled": 2, "wrong": 2 });
    assert_eq!(system.gateway.counters()["messages"], expected);
}

#[test]
fn events_are_dropped_doubled_and_wrong_by_their_number() {
    let faults = "--fault drop_every=5 --fault double_every=3 --fault wrong_every=4";
    let system = System::with("--events 500/s", faults);
    let number = |event: &Event| event.json()["n"].as_u64();
    let numbers: Vec<_> = system.events("").take(10).iter().map(number).collect();
    let expected = [Some(1), Some(2), Some(3), Some(3), None, Some(6), Some(6), Some(7), None, Some(9)];
    assert_eq!(numbers, expected);
    let backend = System::with(&format!("--events 500/s {faults}"), "");
    let numbers: Vec<_> = backend.events("").take(10).iter().map(number).collect();
    assert_eq!(numbers, expected);
}

#[test]
fn more_connections_than_allowed_are_refused_and_places_come_back() {
    let system = System::with("--events 100/s", "--fault connections=2");
    let (mut first, mut second) = (system.echo(), system.events(""));
    assert_eq!((ask(&mut first, "ab"), second.take(1).len()), ("ba".to_owned(), 1));
    assert_eq!(open(&system.gateway, ECHO_API, &system.token).err(), Some(503));
    assert_eq!(system.events("").status(), 503);
    let connections = &system.gateway.counters()["connections"];
    assert_eq!((&connections["open"], &connections["refused_by_limit"]), (&2.into(), &2.into()));
    drop(first);
    system.gateway.counters_until(|counters| counters["connections"]["open"] == 1);
    assert_eq!(ask(&mut system.echo(), "cd"), "dc");
}

#[test]
fn connections_are_cut_at_their_age_without_a_goodbye() {
    let since = Instant::now();
    let system = System::with("--events 20/s", "--fault cut_after=500ms");
    let (mut client, mut events) = (system.echo(), system.events(""));
    assert_eq!(end(&mut client), None);
    let broken = std::iter::repeat_with(|| events.try_next()).find_map(Result::err).unwrap();
    assert!(matches!(broken.kind(), ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset), "{broken}");
    assert!(since.elapsed() >= Duration::from_millis(500));
    let counters = system.gateway.counters_until(|counters| counters["connections"]["open"] == 0);
    assert_eq!((&counters["connections"]["cut"], &counters["connections"]["lost"]), (&2.into(), &0.into()));
}

#[test]
fn a_mute_gateway_opens_connections_and_says_nothing() {
    let system = System::with("--events 100/s", "--fault mute=yes");
    let (mut client, events) = (system.echo(), system.events(""));
    assert_eq!(events.status(), 200);
    client.send(Message::text("anybody?")).unwrap();
    client.send(Message::Ping("p".into())).unwrap();
    client.get_mut().set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    let silence = client.read().unwrap_err();
    assert!(matches!(silence, tungstenite::Error::Io(error) if error.kind() == ErrorKind::WouldBlock));
    let counters = system.gateway.counters();
    assert_eq!((&counters["messages"]["out"], &counters["events"]["out"]), (&0.into(), &0.into()));
    assert_eq!(counters["connections"]["open"], 2);
}

#[test]
fn a_delay_is_added_to_each_answer_and_a_stall_holds_all_of_them() {
    let system = System::with("", "--fault delay=50ms");
    let mut client = system.echo();
    let since = Instant::now();
    for _ in 0..4 {
        ask(&mut client, "x");
    }
    assert!(since.elapsed() >= Duration::from_millis(200));
    // Whatever the age of the process by now, a stall begins within the next 1.5 s.
    let system = System::with("", "--fault stall=1500ms/1400ms");
    let mut client = system.echo();
    let (since, mut longest) = (Instant::now(), Duration::ZERO);
    while since.elapsed() < Duration::from_millis(3500) {
        let asked = Instant::now();
        ask(&mut client, "x");
        longest = longest.max(asked.elapsed());
    }
    assert!(longest >= Duration::from_secs(1), "{longest:?}");
}

#[test]
fn a_message_costs_processor_time_in_each_direction() {
    let (heard, system) = heard("--fault cost=10ms", 10);
    assert_eq!(heard.len(), 10);
    // Ten messages in and ten out.
    let ticks = |text: &str| -> u64 {
        let fields: Vec<&str> = text.rsplit_once(')').unwrap().1.split_whitespace().collect();
        // Fields 14 and 15 of proc(5), counted from the state, which is the third.
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
    };
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", system.gateway.pid())).unwrap();
    // A tick is 10 ms; one may be missing at each end.
    assert!(ticks(&stat) >= 18, "{stat}");
}

#[test]
fn a_delay_as_a_share_means_nothing_here() {
    let output = crate::support::command("backend --fault delay=7%").output().unwrap();
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("write `--fault delay=20ms`"));
}
