//! Once warm, a message costs few allocations, and their number does not grow with its size.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::peer::{ACCEPTED, Peer};
use crate::common::{Lab, exchange, folder, list, map, text};
use contract::{Node, Settings};
use terms::Outcome;

/// Allocations of this thread for each message after a warm-up.
fn allocations(operation: &str, more: &[(&str, Node)]) -> f64 {
    let (peer, folder) = (Peer::answering(ACCEPTED), folder(&[]));
    let settings: Settings = exchange(operation, &peer.url(), more);
    let mut lab = Lab::new(&[settings], folder.path());
    let mut run = |count: usize| (0..count).for_each(|_| assert_eq!(lab.carry_out(0), Outcome::Ok));
    run(200);
    allocation_counter::measure(|| run(1000)).count_total as f64 / 1000.0
}

#[test]
fn a_message_costs_a_handful_of_allocations_whatever_its_size() {
    // The text of the moment, the books of a second that is not the one in hand, and the tree of what is waited for.
    let ping = allocations("ping", &[]);
    assert!(ping < 8.0, "{ping} for a Ping");
    let payload =
        |bytes: usize| [("payload", list(&[map(&[("text", text(format!("{}$(serial)", "x".repeat(bytes))))])]))];
    let (small, large) = (allocations("message", &payload(10)), allocations("message", &payload(100_000)));
    assert!(small < 8.0 && large < 8.0, "{small} and {large} for a message");
}
