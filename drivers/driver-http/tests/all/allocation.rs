//! Once warm, an exchange costs no allocation, whatever is put into it and looked at. A plain one is in the suite.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::{exchange, with};
use clock::Clock;
use contract::{Compare, Probe, Settings};
use driver_http::HTTP;
use testkit::{Lab, Server, Surroundings, check, map, ok, text};

/// Allocations of this thread in `count` exchanges after a warm-up, all within one second of simulated time.
fn allocations(settings: Settings, count: usize) -> u64 {
    let values: &[&[u8]] = &[b"plain", b"with a \"quote\""];
    let around = Surroundings { clock: Clock::simulated(), ..Surroundings::rows(values) };
    let mut lab = Lab::with(HTTP, &[settings], around);
    // With as many digits from the first to the last: one more can be the one that a buffer has no room for.
    lab.serial = 1_000;
    lab.allocations(100, count)
}

#[test]
fn slots_in_target_header_and_body_allocate_nothing() {
    let server = Server::answering("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n");
    let url = server.url() + "?n=$(serial)&v=$(row.value)";
    let more = [
        ("headers", map(&[("x-n", text("$(serial)"))])),
        ("json", map(&[("v", text("$(row.value)")), ("n", text("$(serial)"))])),
        ("basic", text("user:$(serial)")),
    ];
    assert_eq!(allocations(with("post", url, &more), 2_000), 0);
}

#[test]
fn a_trace_for_each_exchange_allocates_nothing() {
    let server = Server::answering(ok("hello"));
    let around = Surroundings { clock: Clock::simulated(), traces: true, ..Surroundings::default() };
    let mut lab = Lab::with(HTTP, &[exchange("get", server.url())], around);
    assert_eq!(lab.allocations(100, 2_000), 0);
    assert!(server.request().head.contains("\r\ntraceparent: 00-"));
}

#[test]
fn a_check_of_a_header_allocates_nothing_and_the_counter_counts() {
    let run = |probe, compare, expected| {
        let server = Server::answering(ok("hello"));
        let check = check(probe, compare, expected);
        allocations(Settings { checks: vec![check], ..exchange("get", server.url()) }, 100)
    };
    let header = Probe::Header("content-length".into());
    assert_eq!(run(header, Compare::Equal, "5"), 0);
    // An order of the status is compared as text, which is made for each answer.
    assert!(run(Probe::Status, Compare::Less, "300") >= 100);
}
