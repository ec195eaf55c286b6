//! Once warm, a message costs few allocations, and their number does not grow with its size.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::peer::ACCEPTED;
use crate::common::{exchange, folder, lab};
use contract::{Node, Settings};
use testkit::{Server, list, map, text};

/// Allocations of this thread for each message after a warm-up.
fn allocations(operation: &str, more: &[(&str, Node)]) -> f64 {
    let (peer, folder) = (Server::answering(ACCEPTED), folder(&[]));
    let settings: Settings = exchange(operation, &peer.url(), more);
    lab(&[settings], folder.path()).allocations(200, 1000) as f64 / 1000.0
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
