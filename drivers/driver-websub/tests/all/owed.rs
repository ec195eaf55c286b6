//! What every driver owes, as far as it is not in the other files: resources of the generator, mistakes with hints, words.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::{SUBSCRIBE, VERIFY, at, ends, hub, topic};
use contract::{DriverKind, Settings};
use driver_websub::WEBSUB;
use std::net::{SocketAddr, TcpStream};
use terms::Outcome;
use testkit::conformance::Protocol;
use testkit::{Lab, Surroundings, map, mistakes, text};

/// Of the suite what is not a matter of one answer to one request.
#[derive(Clone, Copy)]
struct WebSub;

impl Protocol for WebSub {
    const KIND: DriverKind = WEBSUB;

    fn exchange(self, to: SocketAddr) -> Settings {
        topic(format!("http://{to}/hub"), &[])
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

testkit::conformance!(WebSub; unknown_keys_come_at_once_with_hints, every_word_is_there_in_every_language,);

#[test]
fn a_socket_that_cannot_be_watched_is_the_generators_own_trouble() {
    let server = hub(202);
    let around = Surroundings { is_blind: true, ..Surroundings::default() };
    let mut lab = Lab::with(WEBSUB, &[topic(at(&server), &[])], around);
    assert_eq!(lab.connect(0, 0), Outcome::NoResource);
    let seen = lab.seen();
    let failed = vec![(Outcome::NoResource, 1)];
    assert_eq!((ends(&seen, SUBSCRIBE), ends(&seen, VERIFY)), (failed.clone(), failed));
}

#[test]
fn mistakes_say_what_to_write() {
    let hub = "http://127.0.0.1:9/hub";
    let long = "x".repeat(200);
    for (settings, code, label) in [
        (topic("ftp://h/", &[]), "websub::bad-url", "write `http://host:port/path`"),
        (topic(hub, &[("publish", text("h/"))]), "websub::bad-url", "write `http://host:port/path`"),
        (topic(hub, &[("topic", text("a<b"))]), "websub::bad-topic", ""),
        (topic(hub, &[("callback", text("http://h/?x"))]), "websub::bad-callback", "write the name of a listener"),
        (topic(hub, &[("callback", text("hook"))]), "study::unknown-name", ""),
        (topic(hub, &[("secret", text(long))]), "websub::bad-secret", "a secret has 1 to 199 bytes"),
        (topic(hub, &[("lease", text("1ms"))]), "study::out-of-range", "write a duration such as `10m`"),
        (topic(hub, &[("unsubscribe", text("jes"))]), "study::wrong-type", "write `yes` or `no`"),
        (topic(hub, &[("body", text("always the same"))]), "websub::no-number", "add `$(serial)`"),
        (topic(hub, &[("tls", map(&[]))]), "websub::tls-without-https", "remove it, or write `https://`"),
        (topic(hub, &[("headers", map(&[("link", text("x"))]))]), "websub::bad-header", ""),
        (topic(hub, &[("headers", map(&[("x", text("a\nb"))]))]), "websub::bad-header", ""),
        (
            topic(hub, &[("bearer", text("x")), ("headers", map(&[("Authorization", text("y"))]))]),
            "websub::two-authorizations",
            "remove one of them",
        ),
        (Settings { checks: vec![testkit::status_is("200")], ..topic(hub, &[]) }, "websub::no-checks", "remove it"),
    ] {
        let found = mistakes(WEBSUB, settings.clone(), &Surroundings::default());
        let is_told =
            found.iter().any(|it| it.code == code && (label.is_empty() || it.label.as_deref() == Some(label)));
        assert!(is_told && found.len() == 1, "{code}: {found:?}");
        let is_ours = code.starts_with("websub::");
        assert!(found.iter().all(|it| !is_ours || it.label.is_some() || it.hint.is_some()), "{found:?}");
    }
    for needed in ["hub", "topic", "callback", "body"] {
        let mut settings = topic(hub, &[]);
        if let contract::Shape::Map(entries) = &mut settings.node.shape {
            entries.retain(|(key, _)| key.text() != Some(needed));
        }
        let found = mistakes(WEBSUB, settings, &Surroundings::default());
        assert!(
            found.iter().any(|it| it.code == "study::missing-key" && it.message.contains(needed) || needed == "body"),
            "{needed}: {found:?}"
        );
    }
    for fine in ["http://h/", "https://[::1]:8443/hub?a=1"] {
        let found = mistakes(WEBSUB, topic(fine, &[("callback", text("http://h:1/x/"))]), &Surroundings::default());
        assert!(found.is_empty(), "{fine}: {found:?}");
    }
}
