//! What a connection costs: nothing for each event once warm, and little memory while it waits.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::{HEAD, due, listen, serving, until_left};
use clock::Clock;
use contract::{Compare, Incoming, Probe, Settings};
use driver_sse::SSE;
use std::io::Write;
use terms::Outcome;
use testkit::{Lab, Surroundings, check, text};

/// Of what the engine keeps to wait for an event, an ordered map and a table of what has ended grow now and then.
const ALLOCATIONS_MAX: f64 = 0.5;
const EVENTS: usize = 2_000;
const CONNECTIONS: u32 = 200;
/// What a connection may hold of this thread's memory, without the kernel's buffers.
const BYTES_MAX: i64 = 2_000;

fn lab(settings: Settings, slots: u32) -> Lab {
    Lab::with(SSE, &[settings], Surroundings { clock: Clock::simulated(), slots, ..Surroundings::default() })
}

#[test]
fn an_event_allocates_nothing_of_the_drivers() {
    // Of one line, of several, and one whose number is its id.
    let server = serving(|_, _, stream| {
        let _ = stream.write_all(HEAD.as_bytes());
        let mut sent = 0;
        while stream.write_all(format!("id: {sent}\nevent: tick\ndata: a\ndata: {sent}\n\n").as_bytes()).is_ok() {
            sent += 1;
        }
        sent
    });
    let settings = Settings {
        checks: vec![check(Probe::Header("event".into()), Compare::Equal, "tick")],
        incoming: Incoming { expect: Some(1e5), sequence: Some(Probe::Header("id".into())), sent: None },
        ..listen(server.url(), &[("max_event", text("1kB"))])
    };
    let mut lab = lab(settings, 1);
    assert_eq!(lab.connect(0, 0), Outcome::Ok);
    let mut listen = |count: usize| {
        for _ in 0..count {
            due(&mut lab, 1);
            while lab.recorder.awaiting() > 0 {
                lab.turn(terms::Nanos::SECOND);
            }
        }
    };
    listen(EVENTS);
    let each = allocation_counter::measure(|| listen(EVENTS)).count_total as f64 / EVENTS as f64;
    assert!(each <= ALLOCATIONS_MAX, "{each} allocations for each event");
}

#[test]
fn a_connection_that_waits_holds_little_memory() {
    let server = serving(|_, _, stream| {
        // An event in two parts, so that each connection has needed a buffer.
        let _ = stream.write_all(format!("{HEAD}data: {}", "x".repeat(2000)).as_bytes());
        std::thread::yield_now();
        let _ = stream.write_all(b"\n\n");
        until_left(stream)
    });
    let mut lab = lab(listen(server.url(), &[]), CONNECTIONS);
    let open = |lab: &mut Lab, slot: u32| {
        assert_eq!(lab.connect(slot, 0), Outcome::Ok);
        assert_eq!(lab.send(slot, 0), Outcome::Ok);
        while lab.recorder.awaiting() > 0 {
            lab.turn(terms::Nanos::SECOND);
        }
    };
    (0..CONNECTIONS / 2).for_each(|slot| open(&mut lab, slot));
    let memory = allocation_counter::measure(|| (CONNECTIONS / 2..CONNECTIONS).for_each(|slot| open(&mut lab, slot)));
    let each = memory.bytes_current / i64::from(CONNECTIONS / 2);
    assert!(each <= BYTES_MAX, "{each} bytes for each connection");
}
