//! What every driver owes before it has a receiver: one mistake for each thing that is wrong, with what to type; every word
//! in every language; a server that speaks something else.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use contract::{Node, Settings};
use driver_thrift::THRIFT;
use terms::Outcome;
use testkit::{Lab, Server, Surroundings, body_is, build, exchange, list, map, mistakes, nobody, text};

fn publish(url: &str, payload: Node, more: &[(&str, Node)]) -> Settings {
    let mut entries = vec![
        ("url", text(url)),
        ("sign_in", text(url)),
        ("user", text("admin")),
        ("password", text("secret")),
        ("stream", text("smart_home")),
        ("payload", payload),
    ];
    entries.extend(more.iter().cloned());
    exchange("publish", &entries)
}

fn attribute(kind: &str, values: Node) -> Node {
    map(&[("a", map(&[(kind, values)]))])
}

fn codes(settings: Settings) -> Vec<&'static str> {
    let found = mistakes(THRIFT, settings, &Surroundings::default());
    assert!(found.iter().all(|mistake| mistake.label.is_some() || mistake.hint.is_some()), "{found:?}");
    found.iter().map(|mistake| mistake.code).collect()
}

#[test]
fn all_mistakes_come_with_something_to_type() {
    let url = "thrift://127.0.0.1:7611";
    let plain = || attribute("double", map(&[("from", text("0")), ("to", text("1"))]));
    assert_eq!(codes(publish(url, plain(), &[])), [""; 0]);
    assert_eq!(codes(publish("thrifts://[::1]:7711", plain(), &[])), [""; 0]);
    for wrong in ["127.0.0.1", "ftp://a:1", "thrift://a:1/x", "thrift://a", "thrift://user@a:1"] {
        assert!(codes(publish(wrong, plain(), &[])).contains(&"thrift::bad-url"), "{wrong}");
    }
    assert_eq!(codes(publish("binary://[::1]:9611", plain(), &[])), [""; 0]);
    assert_eq!(codes(publish("binarys://a:9711", plain(), &[("tls", map(&[("insecure", text("true"))]))])), [""; 0]);
    let define = |url: &str| [("define", text(url))];
    assert_eq!(codes(publish("binary://a:9611", plain(), &define("thrift://a:7611"))), [""; 0]);
    assert_eq!(codes(publish("binary://a:9611", plain(), &define("binary://a:9611"))), ["thrift::define"]);
    assert_eq!(codes(publish(url, plain(), &define("thrift://a:7611"))), ["thrift::define"]);
    assert_eq!(codes(publish("binary://a:9611", plain(), &define("a"))), ["thrift::bad-url"]);
    // TLS for what defines is TLS, too.
    let secured = [("define", text("thrifts://a:7711")), ("tls", map(&[("insecure", text("true"))]))];
    assert_eq!(codes(publish("binary://a:9611", plain(), &secured)), [""; 0]);
    let huge = |url| {
        let long = attribute("string", map(&[("length", text("100kB"))]));
        codes(publish(url, long, &[("events", text("30000"))]))
    };
    assert_eq!(huge(url), [""; 0]);
    assert_eq!(huge("binary://a:9611"), ["study::too-large"]);
    for (kind, values, code) in [
        ("integer", text("1"), "thrift::attribute"),
        ("int", text("now"), "thrift::attribute"),
        ("int", map(&[("from", text("1")), ("to", text("3000000000"))]), "study::out-of-range"),
        ("int", map(&[("from", text("2")), ("to", text("1"))]), "study::out-of-range"),
        ("long", map(&[("from", text("1"))]), "study::missing-key"),
        ("double", map(&[("mean", text("x")), ("deviation", text("1"))]), "study::out-of-range"),
        ("double", map(&[("from", text("0")), ("to", text("NaN"))]), "study::out-of-range"),
        ("bool", text("120%"), "study::out-of-range"),
        ("string", list(&[]), "study::out-of-range"),
        ("string", map(&[("mean", text("3kB")), ("spread", text("9"))]), "study::out-of-range"),
        ("string", map(&[("length", text("1GiB"))]), "study::out-of-range"),
    ] {
        assert_eq!(codes(publish(url, attribute(kind, values), &[])), [code], "{kind}");
    }
    assert_eq!(codes(publish(url, map(&[("a", text("int"))]), &[])), ["thrift::attribute"]);
    assert_eq!(codes(publish(url, map(&[]), &[])), ["study::missing-key"]);
    assert_eq!(codes(publish(url, plain(), &[("events", text("0"))])), ["study::out-of-range"]);
    for url in [url, "binary://a:9611"] {
        let named = [("tls", map(&[("server_name", text("receiver.lab"))]))];
        assert_eq!(codes(publish(url, plain(), &named)), ["thrift::tls-without-thrifts"]);
    }
    let checked = Settings { checks: vec![body_is("ok")], ..publish(url, plain(), &[]) };
    assert_eq!(codes(checked), ["thrift::no-answer"]);
}

#[test]
fn a_server_of_something_else_is_told_before_the_load() {
    let server = Server::start(|_, mut stream| {
        use std::io::{Read as _, Write as _};
        let _ = stream.read(&mut [0; 1024]);
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        1
    });
    let url = format!("thrift://{}", server.address);
    let settings = publish(&url, attribute("long", text("number")), &[]);
    let why = build(THRIFT, &[settings], &Surroundings::default()).unwrap().driver.set_up().unwrap_err().to_string();
    assert!(why.contains("not Thrift's binary protocol") && why.contains("HTTP/1.1"), "{why}");
}

#[test]
fn nobody_is_refused_by_the_load() {
    let settings = publish(&format!("thrift://{}", nobody()), attribute("long", text("now")), &[]);
    let mut lab = Lab::new(THRIFT, &[settings]);
    assert_eq!(lab.carry_out(0), Outcome::Refused);
    assert_eq!(lab.carry_out(0), Outcome::Refused);
}

#[test]
fn every_word_is_there_in_every_language() {
    testkit::words::of_driver(&THRIFT);
}
