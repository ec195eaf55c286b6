//! Once warm, an exchange costs no allocation.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::{Lab, Server, exchange, ok, status_is, text, with};
use clock::Clock;
use contract::{Compare, Probe, Settings};
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
        ("headers", crate::common::map(&[("x-n", text("$(serial)"))])),
        ("json", crate::common::map(&[("v", text("$(row.value)")), ("n", text("$(serial)"))])),
        ("basic", text("user:$(serial)")),
    ];
    assert_eq!(allocations(with("post", url, &more), 2_000), 0);
}

#[test]
fn a_check_of_a_header_allocates_nothing_and_the_counter_counts() {
    let run = |probe, compare, expected| {
        let server = Server::answering(ok("hello"));
        let check = crate::common::check(probe, compare, expected);
        allocations(Settings { checks: vec![check], ..exchange("get", server.url()) }, 100)
    };
    let header = Probe::Header("content-length".into());
    assert_eq!(run(header, Compare::Equal, "5"), 0);
    // An order of the status is compared as text, which is made for each answer.
    assert!(run(Probe::Status, Compare::Less, "300") >= 100);
}
