//! The real binary: every answer was due when the pure function says.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests of real servers in real time")]

use std::time::Duration;

use target_common::probe::Target;
use target_stall::FreezeSchedule;

fn start(flags: &[&str]) -> Target {
    Target::start(env!("CARGO_BIN_EXE_target-stall"), &[&["--exit-after", "120s"], flags].concat()).unwrap()
}

/// A period of 50 ms with a freeze of 20 ms, long enough to be met many times in a second.
const FLAGS: &[&str] = &["--service", "1ms", "--every", "50ms", "--for", "20ms"];

fn follows_schedule(target: &Target, epoch_ns: u64) {
    let schedule = FreezeSchedule::new(1_000_000, 50_000_000, 20_000_000).unwrap();
    let mut clients: Vec<_> = (0..5).map(|_| target.connect().unwrap()).collect();
    for _ in 0..60 {
        clients.iter_mut().for_each(|client| client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n").unwrap());
        clients.iter_mut().for_each(|client| assert_eq!(client.reply(false).unwrap().status, 200));
    }
    let sequence = target.sequence().unwrap();
    assert_eq!(sequence.len(), 300);
    let epoch_ns = if epoch_ns == u64::MAX { sequence[0].arrival_ns } else { epoch_ns };
    let mut frozen = 0;
    for entry in &sequence {
        let offset = Duration::from_nanos(entry.arrival_ns - epoch_ns);
        let response = Duration::from_nanos(entry.due_ns - entry.arrival_ns);
        assert_eq!(response, schedule.expected_response(offset));
        assert!(entry.real_ns.unwrap() >= entry.due_ns);
        frozen += u64::from(response > Duration::from_millis(1));
    }
    assert_eq!(target.counter("frozen").unwrap(), frozen);
    assert_eq!(target.counter("epoch_ns").unwrap(), epoch_ns);
    assert!(frozen > 0, "the test must meet a freeze");
}

#[test]
fn from_the_first_request() {
    let target = start(FLAGS);
    // Control requests start no epoch.
    assert!(!target.get("/counters").unwrap().contains("epoch_ns"));
    follows_schedule(&target, u64::MAX);
}

#[test]
fn from_the_start_of_the_target() {
    let target = start(&[FLAGS, &["--from", "start"]].concat());
    follows_schedule(&target, 0);
}

#[test]
fn a_freeze_that_never_ends_is_refused() {
    for (flags, why) in [(["--every", "100ms"], "shorter than `--every`"), (["--from", "now"], "first, start")] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_target-stall")).args(flags).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(text.contains(why), "{text}");
    }
}
