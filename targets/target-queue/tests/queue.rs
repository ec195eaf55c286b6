//! The real binary: what it did to real arrivals equals what theory does to the same arrivals.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests of real servers in real time")]

use target_common::probe::Target;
use target_queue::{ServiceTimes, departures_ns};

fn start(flags: &[&str]) -> Target {
    Target::start(env!("CARGO_BIN_EXE_target-queue"), &[&["--exit-after", "120s"], flags].concat()).unwrap()
}

/// Sends `count` requests on `connections` connections, each a burst of pipelined ones, and waits for all answers.
fn load(target: &Target, connections: usize, count: usize) {
    let mut clients: Vec<_> = (0..connections).map(|_| target.connect().unwrap()).collect();
    for _ in 0..count / connections / 4 {
        let burst = "GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(4);
        clients.iter_mut().for_each(|client| client.send(&burst).unwrap());
        for client in &mut clients {
            (0..4).for_each(|_| assert_eq!(client.reply(false).unwrap().status, 200));
        }
    }
}

fn matches_theory(target: &Target, servers: usize, times: ServiceTimes, count: usize) {
    load(target, 10, count);
    let sequence = target.sequence().unwrap();
    assert_eq!(sequence.len(), count);
    assert!(sequence.is_sorted_by_key(|entry| entry.arrival_ns));
    let departures = departures_ns(servers, sequence.iter().map(|entry| (entry.arrival_ns, entry.service_ns)));
    for (number, (entry, departure)) in sequence.iter().zip(departures).enumerate() {
        assert_eq!(entry.service_ns, times.of(number as u64), "request {number}");
        assert_eq!(entry.due_ns, departure, "request {number}");
        assert!(entry.real_ns.unwrap() >= entry.due_ns, "request {number} left early");
    }
    let busy: u64 = sequence.iter().map(|entry| entry.service_ns).sum();
    assert_eq!(target.counter("busy_ns").unwrap(), busy);
}

#[test]
fn one_server_with_drawn_times() {
    let target = start(&["--rate-of-service", "5000/s", "--seed", "11"]);
    matches_theory(&target, 1, ServiceTimes::Exponential { mean_ns: 200_000.0, seed: 11 }, 2_000);
}

#[test]
fn four_servers_with_constant_times() {
    let target = start(&["--rate-of-service", "1000/s", "--servers", "4", "--service", "constant"]);
    matches_theory(&target, 4, ServiceTimes::Constant { service_ns: 1_000_000 }, 800);
}

#[test]
fn control_routes_do_not_wait_in_the_line() {
    let target = start(&["--rate-of-service", "1/h", "--service", "constant"]);
    let mut client = target.connect().unwrap();
    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    while target.counter("requests").unwrap() == 0 {}
    assert_eq!(target.get("/health").unwrap(), "{\"status\":\"ok\"}\n");
    let sequence = target.sequence().unwrap();
    assert_eq!((sequence.len(), sequence[0].real_ns), (1, None));
    assert_eq!(sequence[0].service_ns, 3_600_000_000_000);
}

#[test]
fn mistakes_are_said() {
    for (flags, why) in [
        (["--rate-of-service", "100"], "write `100/s`"),
        (["--service", "gamma"], "exponential, constant"),
        (["--servers", "0"], "--servers"),
    ] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_target-queue")).args(flags).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(text.contains(why), "{text}");
    }
}
