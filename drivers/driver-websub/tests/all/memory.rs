//! What a subscriber costs: ten thousand of them are in one process.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::{at, hub, lab, subscribed, topic};

const SUBSCRIBERS: u32 = 200;
/// What a subscriber may hold, with its place in the engine's books and on the board.
const BYTES_MAX: i64 = 1500;

#[test]
fn a_subscriber_that_waits_holds_little_memory_and_no_connection() {
    let server = hub(202);
    let mut lab = lab(topic(at(&server), &[]), SUBSCRIBERS);
    let mut all = |from: u32, to: u32| {
        for slot in from..to {
            subscribed(&mut lab, &server, slot);
            while lab.recorder.awaiting() > 0 {
                lab.turn(terms::Nanos::SECOND);
            }
        }
    };
    all(0, SUBSCRIBERS / 2);
    let memory = allocation_counter::measure(|| all(SUBSCRIBERS / 2, SUBSCRIBERS));
    let each = memory.bytes_current / i64::from(SUBSCRIBERS / 2);
    assert!(each <= BYTES_MAX, "{each} bytes for each subscriber");
    let open = std::fs::read_dir("/proc/self/fd").unwrap().count();
    // The other tests of this program have some.
    assert!(open < SUBSCRIBERS as usize, "{open} descriptors");
}
