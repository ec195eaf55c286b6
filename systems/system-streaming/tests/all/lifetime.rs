//! When processes end, what they still do then, and what is in their log.

#![allow(clippy::disallowed_methods, reason = "tests of a program ask the system for the time")]

use crate::support::{System, ask, end};

#[test]
fn a_signal_ends_every_connection_with_a_goodbye_and_the_process_with_it() {
    for signal in ["TERM", "INT"] {
        let mut system = System::with("--events 100/s", "");
        let (mut client, mut events) = (system.echo(), system.events(""));
        assert_eq!((ask(&mut client, "ab"), events.take(1).len()), ("ba".to_owned(), 1));
        system.gateway.signal(signal);
        assert_eq!(end(&mut client), Some(1001), "going away");
        while events.try_next().unwrap().is_some() {}
        assert!(system.gateway.ended().success());
        let counters = system.backend.counters_until(|counters| counters["connections"]["open"] == 0);
        assert_eq!((&counters["connections"]["closed"], &counters["connections"]["lost"]), (&2.into(), &0.into()));
    }
}

#[test]
fn the_log_has_a_line_a_connection_with_its_whole_duration_and_its_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("access.log");
    let mut system = System::with("--events 100/s", &format!("--access-log {}", path.display()));
    let mut client = system.echo();
    for _ in 0..3 {
        assert_eq!(ask(&mut client, "12345678"), "87654321");
    }
    let held = std::time::Duration::from_millis(100);
    std::thread::sleep(held);
    client.close(None).unwrap();
    end(&mut client);
    let mut events = system.events("");
    events.take(2);
    drop(events);
    system.gateway.counters_until(|counters| counters["connections"]["open"] == 0 && counters["in_flight"] == 0);
    system.gateway.signal("TERM");
    assert!(system.gateway.ended().success());
    let text = std::fs::read_to_string(path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    let (head, rest) = lines[0].split_once("gateway \"GET /echoapi/1.0.0\" 101 24 ").unwrap();
    assert!(head.ends_with("Z "), "{text}");
    let duration_ms: f64 = rest.split(' ').next().unwrap().parse().unwrap();
    assert!(duration_ms >= 100.0, "{text}");
    assert!(lines[1].contains("gateway \"GET /sse/1.0.0/events\" 200 "), "{text}");
}

#[test]
fn each_process_says_who_it_is() {
    let system = System::with("--nonce abc --events 5/s --bytes 500", "--name front");
    let version = system.backend.json("/version");
    assert_eq!((&version["name"], &version["module"]), (&"system-streaming".into(), &"backend".into()));
    assert_eq!(
        (&version["nonce"], &version["events_per_s"], &version["bytes"]),
        (&"abc".into(), &5.0.into(), &500.into())
    );
    assert_eq!(system.gateway.json("/version")["instance"], "front");
    for process in [&system.backend, &system.gateway] {
        assert_eq!(process.get("/health").status, 200);
    }
}
