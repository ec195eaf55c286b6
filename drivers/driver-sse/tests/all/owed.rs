//! What every driver owes, as far as it is not in the other files: resources of the generator, mistakes with hints, words.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::{HEAD, listen, sending};
use contract::{DriverKind, Incoming, Probe, Settings};
use driver_sse::SSE;
use std::net::{SocketAddr, TcpStream};
use terms::Outcome;
use testkit::conformance::Protocol;
use testkit::{Lab, Surroundings, map, mistakes, text};

/// Of the suite what is not a matter of one answer to one request.
#[derive(Clone, Copy)]
struct Sse;

impl Protocol for Sse {
    const KIND: DriverKind = SSE;

    fn exchange(self, to: SocketAddr) -> Settings {
        listen(format!("http://{to}/"), &[])
    }

    fn request(self, _: &mut TcpStream) -> Option<Vec<u8>> {
        None
    }

    fn answer(self, _: &[u8]) -> Vec<u8> {
        Vec::new()
    }

    fn garbage(self) -> Vec<Vec<u8>> {
        Vec::new()
    }
}

testkit::conformance!(Sse; unknown_keys_come_at_once_with_hints, every_word_is_there_in_every_language,);

#[test]
fn a_socket_that_cannot_be_watched_is_the_generators_own_trouble() {
    let server = sending(HEAD);
    let around = Surroundings { is_blind: true, ..Surroundings::default() };
    let mut lab = Lab::with(SSE, &[listen(server.url(), &[])], around);
    assert_eq!(lab.connect(0, 0), Outcome::NoResource);
    assert!(!lab.is_connected(0));
}

#[test]
fn mistakes_say_what_to_write() {
    let url = "http://127.0.0.1:9/";
    let headers = |name: &str, value: &str| ("headers", map(&[(name, text(value))]));
    let reconnect = |entries: &[(&str, &str)]| {
        let entries: Vec<_> = entries.iter().map(|(key, value)| (*key, text(*value))).collect();
        ("reconnect", map(&entries))
    };
    let looking = |sequence: Option<Probe>, sent: Option<Probe>| Settings {
        incoming: Incoming { expect: Some(1.0), sequence, sent },
        ..listen(url, &[])
    };
    let header = |name: &str| Some(Probe::Header(name.into()));
    for (settings, code, label) in [
        (listen("ftp://h/", &[]), "sse::bad-url", "write `http://host:port/path`"),
        (listen("http://h:x/", &[]), "sse::bad-url", "write `http://host:port/path`"),
        (listen("https://h/#a", &[]), "sse::bad-url", "write `http://host:port/path`"),
        (testkit::exchange("listen", &[]), "study::missing-key", ""),
        (listen(url, &[("max_event", text("2GiB"))]), "study::out-of-range", "write a size such as `1MiB`"),
        (listen(url, &[("tls", map(&[]))]), "sse::tls-without-https", "remove it, or write `https://`"),
        (listen(url, &[headers("Connection", "close")]), "sse::bad-header", ""),
        (listen(url, &[headers("x y", "a")]), "sse::bad-header", ""),
        (listen(url, &[headers("x", "a\nb")]), "sse::bad-header", ""),
        (listen(url, &[headers("last-event-id", "5"), ("reconnect", text("3"))]), "sse::bad-header", ""),
        (
            listen(url, &[headers("Authorization", "x"), ("bearer", text("y"))]),
            "sse::two-authorizations",
            "remove one of them",
        ),
        (listen(url, &[("reconnect", text("often"))]), "study::no-count", ""),
        (listen(url, &[("reconnect", text("0"))]), "study::out-of-range", ""),
        (listen(url, &[reconnect(&[])]), "study::missing-key", ""),
        (
            listen(url, &[reconnect(&[("at_most", "3"), ("wait", "2h")])]),
            "study::out-of-range",
            "write a duration such as `1s`",
        ),
        (listen(url, &[reconnect(&[("at_most", "3"), ("waits", "2s")])]), "study::unknown-key", ""),
        (Settings { reuse: false, ..listen(url, &[]) }, "sse::held", "remove `connection`"),
        (looking(Some(Probe::Status), None), "sse::not-of-event", ""),
        (looking(None, header("date")), "sse::not-of-event", "write `sent: json($.t)`, where the event's data has it"),
    ] {
        let found = mistakes(SSE, settings.clone(), &Surroundings::default());
        let is_told =
            found.iter().any(|it| it.code == code && (label.is_empty() || it.label.as_deref() == Some(label)));
        assert!(is_told && found.len() == 1, "{code}: {found:?}");
        assert!(found.iter().all(|it| it.label.is_some() || it.hint.is_some()), "{found:?}");
    }
    for fine in [
        listen("http://h/", &[]),
        listen("HTTPS://h", &[("reconnect", text("3"))]),
        listen("https://[::1]:8443/?a=$(serial)", &[reconnect(&[("at_most", "3"), ("wait", "0s")])]),
        listen(url, &[headers("Last-Event-ID", "5")]),
        looking(header("id"), header("event")),
    ] {
        let found = mistakes(SSE, fine.clone(), &Surroundings::default());
        assert!(found.is_empty(), "{fine:?}: {found:?}");
    }
}
