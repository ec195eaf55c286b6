//! What every driver owes, as far as it is not in the other files: resources of the generator, mistakes with hints, words.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::{around, body_is, numbered, peer, talk, url};
use contract::{DriverKind, Settings};
use driver_ws::WS;
use std::net::{SocketAddr, TcpStream};
use terms::Outcome;
use testkit::conformance::Protocol;
use testkit::{Lab, Surroundings, list, map, mistakes, text};

/// Of the suite what is not a matter of one answer to one request.
#[derive(Clone, Copy)]
struct Ws;

impl Protocol for Ws {
    const KIND: DriverKind = WS;

    fn exchange(self, to: SocketAddr) -> Settings {
        numbered(format!("ws://{to}/"), &[])
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

testkit::conformance!(Ws; unknown_keys_come_at_once_with_hints, every_word_is_there_in_every_language,);

#[test]
fn a_socket_that_cannot_be_watched_is_the_generators_own_trouble() {
    let server = peer(|_, message| vec![message]);
    let around = Surroundings { is_blind: true, ..around() };
    let mut lab = Lab::with(WS, &[numbered(url(&server), &[])], around);
    assert_eq!(lab.connect(0, 0), Outcome::NoResource);
    assert!(!lab.is_connected(0));
}

#[test]
fn mistakes_say_what_to_write() {
    let no_way = "ws://127.0.0.1:9/";
    let sent = ("message", text("$(message.n)"));
    let of_sent = |settings: Settings, made_of: &str| Settings { checks: vec![body_is(made_of)], ..settings };
    for (settings, code, label) in [
        (talk("ftp://h/", std::slice::from_ref(&sent)), "ws::bad-url", "write `ws://host:port/path`"),
        (talk("ws://h:x/", std::slice::from_ref(&sent)), "ws::bad-url", "write `ws://host:port/path`"),
        (talk("wss://h/#a", std::slice::from_ref(&sent)), "ws::bad-url", "write `ws://host:port/path`"),
        (talk(no_way, &[]), "study::missing-key", "add `message`"),
        (talk(no_way, &[sent.clone(), ("binary", text("x"))]), "ws::two-messages", "remove one of them"),
        (talk(no_way, &[("binary", map(&[]))]), "ws::bad-binary", "write `binary: { file: NAME }`"),
        (talk(no_way, &[("binary", map(&[("base64", text("a?"))]))]), "ws::bad-binary", ""),
        (
            talk(no_way, &[("message", text("x")), ("answer", text("echo"))]),
            "ws::no-number",
            "add `$(message.n)`, or write `answer: answer`",
        ),
        (talk(no_way, &[sent.clone(), ("answer", text("ecko"))]), "study::unknown-word", "did you mean `echo`?"),
        (
            talk(no_way, &[sent.clone(), ("compression", text("deflated"))]),
            "study::unknown-word",
            "did you mean `deflate`?",
        ),
        (
            of_sent(talk(no_way, &[sent.clone(), ("answer", text("none"))]), "sent"),
            "ws::no-answer",
            "write `answer: answer`, or remove what looks into it",
        ),
        (
            of_sent(talk(no_way, &[("binary", text("$(message.n)"))]), "reverse(sent)"),
            "ws::reverse-of-bytes",
            "write `message`, or `body = sent`",
        ),
        (
            talk(no_way, &[sent.clone(), ("max_message", text("2GiB"))]),
            "study::out-of-range",
            "write a size such as `1MiB`",
        ),
        (talk(no_way, &[sent.clone(), ("ping", text("1ms"))]), "study::out-of-range", "write a duration such as `30s`"),
        (
            talk(no_way, &[sent.clone(), ("reconnect", map(&[("at_most", text("1")), ("wait", text("2h"))]))]),
            "study::out-of-range",
            "write a duration such as `1s`",
        ),
        (talk(no_way, &[sent.clone(), ("reconnect", map(&[("wait", text("1s"))]))]), "study::missing-key", ""),
        (talk(no_way, &[sent.clone(), ("tls", map(&[]))]), "ws::tls-without-wss", "remove it, or write `wss://`"),
        (talk(no_way, &[sent.clone(), ("subprotocols", list(&[text("a b")]))]), "ws::bad-subprotocol", ""),
        (talk(no_way, &[sent.clone(), ("headers", map(&[("Sec-WebSocket-Key", text("x"))]))]), "ws::bad-header", ""),
        (talk(no_way, &[sent.clone(), ("headers", map(&[("x", text("a\nb"))]))]), "ws::bad-header", ""),
        (Settings { reuse: false, ..talk(no_way, std::slice::from_ref(&sent)) }, "ws::held", "remove `connection`"),
    ] {
        let found = mistakes(WS, settings.clone(), &Surroundings::default());
        let is_told =
            found.iter().any(|it| it.code == code && (label.is_empty() || it.label.as_deref() == Some(label)));
        assert!(is_told && found.len() == 1, "{code}: {found:?}");
        assert!(found.iter().all(|it| it.label.is_some() || it.hint.is_some()), "{found:?}");
    }
    for fine in ["ws://h/", "WSS://h", "http://h:80/a", "https://[::1]:8443/?a=$(serial)"] {
        let found = mistakes(WS, talk(fine, std::slice::from_ref(&sent)), &Surroundings::default());
        assert!(found.is_empty(), "{fine}: {found:?}");
    }
}
