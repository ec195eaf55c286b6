//! Once warm, an exchange costs no allocation.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

mod common;

use clock::Clock;
use common::{Lab, Server, exchange, ok, status_is, text, with};
use contract::Settings;
use std::path::Path;
use terms::Outcome;

/// Allocations of this thread in `count` exchanges after a warm-up, all within one second of simulated time.
fn allocations(settings: Settings, count: usize) -> u64 {
    let values: &[&[u8]] = &[b"plain", b"with a \"quote\""];
    let mut lab = Lab::with(&[settings], values, Path::new("."), None, Clock::simulated());
    let mut run = |count: usize| (0..count).for_each(|_| assert_eq!(lab.carry_out(0), Outcome::Ok));
    run(100);
    allocation_counter::measure(|| run(count)).count_total
}

#[test]
fn ten_thousand_plain_exchanges_allocate_nothing() {
    let server = Server::answering(ok("hello"));
    let settings = Settings { checks: vec![status_is("200")], ..exchange("get", server.url()) };
    assert_eq!(allocations(settings, 10_000), 0);
}

#[test]
fn slots_in_target_header_and_body_allocate_nothing() {
    let server = Server::answering("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n");
    let url = server.url() + "?n=$(serial)&v=$(row.value)";
    let more = [
        ("headers", common::map(&[("x-n", text("$(serial)"))])),
        ("json", common::map(&[("v", text("$(row.value)")), ("n", text("$(serial)"))])),
        ("basic", text("user:$(serial)")),
    ];
    assert_eq!(allocations(with("post", url, &more), 2_000), 0);
}

#[test]
fn the_counter_counts() {
    // A check of the header keeps the head (no allocation once warm) and reads it as text (one).
    let server = Server::answering(ok("hello"));
    let header = contract::Probe::Header("content-length".into());
    let is_five = common::check(header, contract::Compare::Equal, "5");
    let slots = common::check(contract::Probe::Status, contract::Compare::Less, "300");
    let settings = |check| Settings { checks: vec![check], ..exchange("get", server.url()) };
    assert_eq!(allocations(settings(is_five), 100), 0);
    let server = Server::answering(ok("hello"));
    let settings = Settings { checks: vec![slots], ..exchange("get", server.url()) };
    assert!(allocations(settings, 100) >= 100, "a status as text is made for each answer");
}
