//! The real binary: what it did to real arrivals equals what the law does to the same arrivals.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests of real servers in real time")]

use target_common::probe::Target;
use target_saturate::{Law, departures_ns};

fn start(flags: &[&str]) -> Target {
    Target::start(env!("CARGO_BIN_EXE_target-saturate"), &[&["--exit-after", "120s"], flags].concat()).unwrap()
}

#[test]
fn real_arrivals_depart_as_the_law_says() {
    let target = start(&["--one", "1000/s", "--contention", "5%", "--coherency", "0.2%"]);
    let mut clients: Vec<_> = (0..12).map(|_| target.connect().unwrap()).collect();
    for _ in 0..20 {
        clients.iter_mut().for_each(|client| client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n").unwrap());
        clients.iter_mut().for_each(|client| assert_eq!(client.reply(false).unwrap().status, 200));
    }
    let sequence = target.sequence().unwrap();
    assert_eq!(sequence.len(), 240);
    let law = Law { one_per_s: 1000.0, contention: 0.05, coherency: 0.002 };
    let departures = departures_ns(law, sequence.iter().map(|entry| entry.arrival_ns));
    for (number, (entry, departure)) in sequence.iter().zip(departures).enumerate() {
        assert_eq!(entry.due_ns, departure, "request {number}");
        assert!(entry.real_ns.unwrap() >= entry.due_ns, "request {number} left early");
    }
    let most = target.counter("most_present").unwrap();
    assert!((2..=12).contains(&most), "{most}");
}

#[test]
fn mistakes_are_said() {
    for (flags, why) in [(["--one", "100"], "write `100/s`"), (["--contention", "0.05"], "0.05")] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_target-saturate")).args(flags).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(text.contains(why), "{text}");
    }
}
