//! The header by which the system traces a request.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::{exchange, with};
use contract::Settings;
use driver_http::HTTP;
use std::collections::HashSet;
use terms::Outcome;
use testkit::{Lab, Server, Surroundings, map, ok, text};

fn traced(exchanges: &[Settings]) -> Lab {
    Lab::with(HTTP, exchanges, Surroundings { traces: true, ..Surroundings::default() })
}

/// The values of the header in a request.
fn headers(request: &str) -> Vec<String> {
    let value = |line: &str| Some(line.strip_prefix("traceparent: ")?.to_owned());
    request.lines().filter_map(value).collect()
}

#[test]
fn each_exchange_has_a_trace_of_its_own_and_the_books_have_its_id() {
    let server = Server::answering(ok("hello"));
    let mut lab = traced(&[exchange("get", server.url())]);
    let mut sent = HashSet::new();
    for _ in 0..5 {
        assert_eq!(lab.run(0).outcome, Outcome::Ok);
        let values = headers(&server.request().head);
        let [value] = values.as_slice() else { panic!("one header, not {values:?}") };
        let parts: Vec<&str> = value.split('-').collect();
        assert_eq!(parts.iter().map(|part| part.len()).collect::<Vec<_>>(), [2, 32, 16, 2], "{value}");
        assert_eq!((parts[0], parts[3]), ("00", "01"));
        assert!(sent.insert(parts[1].to_owned()), "{value} came twice");
    }
}

#[test]
fn what_the_author_wrote_is_what_is_sent() {
    let server = Server::answering(ok("hello"));
    let own = [("headers", map(&[("TraceParent", text("mine"))]))];
    let mut lab = traced(&[with("get", server.url(), &own)]);
    assert_eq!(lab.run(0).outcome, Outcome::Ok);
    let request = server.request().head;
    assert!(request.contains("TraceParent: mine\r\n") && headers(&request).is_empty(), "{request}");
}

#[test]
fn nothing_is_sent_unless_the_study_says_so() {
    let server = Server::answering(ok("hello"));
    let mut lab = Lab::new(HTTP, &[exchange("get", server.url())]);
    assert_eq!(lab.run(0).outcome, Outcome::Ok);
    assert!(headers(&server.request().head).is_empty());
}
