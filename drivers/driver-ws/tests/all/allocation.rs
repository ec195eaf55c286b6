//! What a connection costs: nothing for each message once warm, and little memory while it waits.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::{ALLOCATIONS_MAX, allocations_each, body_is, numbered, peer, url};
use clock::Clock;
use contract::Settings;
use driver_ws::WS;
use terms::Outcome;
use testkit::{Lab, Surroundings};

const CONNECTIONS: u32 = 200;
/// What a connection may hold of this thread's memory, without the kernel's buffers.
const BYTES_MAX: u64 = 2_500;

fn echoed(server: &testkit::Server, made_of: &str) -> Settings {
    Settings { checks: vec![body_is(made_of)], ..numbered(url(server), &[]) }
}

fn lab(settings: Settings, slots: u32) -> Lab {
    let around = Surroundings { clock: Clock::simulated(), slots, ..Surroundings::rows(&[b"hello there"]) };
    Lab::with(WS, &[settings], around)
}

#[test]
fn a_message_and_its_answer_allocate_nothing_of_the_drivers() {
    for (made_of, server) in [
        ("sent", peer(|_, message| vec![message])),
        ("reverse(sent)", peer(|_, message| vec![crate::common::reversed(&message)])),
    ] {
        let mut lab = lab(echoed(&server, made_of), 1);
        assert_eq!(lab.connect(0, 0), Outcome::Ok);
        let each = allocations_each(&mut lab);
        assert!(each <= ALLOCATIONS_MAX, "{each} allocations for each message");
    }
}

#[test]
fn a_connection_that_waits_holds_little_memory() {
    let server = peer(|_, message| vec![message]);
    let mut lab = lab(echoed(&server, "sent"), CONNECTIONS);
    let open = |lab: &mut Lab, slot: u32| {
        assert_eq!(lab.connect(slot, 0), Outcome::Ok);
        lab.begin(slot, 0);
        lab.finish(&[slot]);
        while lab.recorder.awaiting() > 0 {
            lab.turn(terms::Nanos::SECOND);
        }
    };
    (0..CONNECTIONS / 2).for_each(|slot| open(&mut lab, slot));
    let memory = allocation_counter::measure(|| (CONNECTIONS / 2..CONNECTIONS).for_each(|slot| open(&mut lab, slot)));
    let each = memory.bytes_current / i64::from(CONNECTIONS / 2);
    assert!(each <= BYTES_MAX as i64, "{each} bytes for each connection");
}
