//! `listeners`: addresses of the lab at which later legs arrive.

use crate::model::{Listener, ListenerTls};
use crate::names::variables::Scope;
use crate::syntax::keys::{Form, Key, Reader, key};
use crate::syntax::read;
use contract::{Mistake, Mistakes, Node, Shape};

/// Kinds of listener.
const KINDS: [&str; 1] = ["http"];

/// What a listener is: its kind with its settings.
pub(crate) static LISTENER: [Key; 1] = [key("http", Form::Table(&HTTP), "HTTP/1.1")];

pub(crate) static HTTP: [Key; 4] = [
    key("bind", Form::Text, "address of this machine to listen at; 127.0.0.1"),
    key("port", Form::Count(1, 65_535), "port; a free one"),
    key("public", Form::Text, "the URL under which the system reaches it, where that is another"),
    key("tls", Form::Table(&TLS), "HTTPS"),
];

pub(crate) static TLS: [Key; 3] = [
    key("certificate", Form::Text, "file with the certificate and what signed it, as PEM"),
    key("key", Form::Text, "file with its private key, as PEM"),
    key("clients", Form::Text, "file with the authorities whose certificates callers must show, as PEM"),
];

/// Reads `listeners`.
pub(crate) fn read(node: &Node, scope: &Scope, mistakes: &mut Mistakes) -> Vec<Listener> {
    let Some(entries) = node.map() else {
        mistakes.push(
            Mistake::at(node.place, "study::wrong-type", format!("`listeners` is {}, not a map", node.what()))
                .label("write `{ NAME: http }`"),
        );
        return Vec::new();
    };
    let mut listeners: Vec<Listener> = Vec::new();
    for (key, value) in entries {
        if let Some(name) = read::name(key, "a listener", mistakes) {
            let value = scope.fill_node(value, mistakes);
            listeners.push(read_one(name, &value, mistakes));
        }
    }
    let mut seen: Vec<(&str, u16)> = Vec::new();
    for listener in &listeners {
        let Some(port) = listener.port else { continue };
        if seen.contains(&(&listener.bind, port)) {
            mistakes.push(
                Mistake::at(listener.place, "study::conflict", format!("two listeners have the port {port}"))
                    .label("give one of them another, or leave `port` out for a free one"),
            );
        }
        seen.push((&listener.bind, port));
    }
    listeners
}

fn read_one(name: String, node: &Node, mistakes: &mut Mistakes) -> Listener {
    let plain = Listener { name, place: node.place, bind: "127.0.0.1".into(), port: None, public: None, tls: None };
    // One with a mistake stays known, so that what names it is not blamed.
    if node.text().is_some() {
        read::word(node, "the kind of a listener", &KINDS, mistakes);
        return plain;
    }
    let mut keys = Reader::of(node, &LISTENER, format!("listener `{}`", plain.name), mistakes);
    let http = keys.take("http");
    keys.finish(mistakes);
    let Some(http) = http else {
        // `http:` with nothing behind it counts as not written; any other map has had its mistake, unless it is empty.
        let is_empty = matches!(&node.shape, Shape::Map(entries) if entries.is_empty());
        if is_empty {
            mistakes.push(
                Mistake::at(node.place, "study::missing-key", format!("listener `{}` has no kind", plain.name))
                    .label("write `http`"),
            );
        }
        return plain;
    };
    let mut keys = Reader::of(http, &HTTP, format!("listener `{}`", plain.name), mistakes);
    let text = |keys: &mut Reader<'_>, word: &'static str, mistakes: &mut Mistakes| {
        let node = keys.take(word)?;
        mistakes.keep(node.as_text(&format!("`{word}`"))).map(str::to_owned)
    };
    let bind = text(&mut keys, "bind", mistakes);
    let public = text(&mut keys, "public", mistakes);
    let port = keys.take("port").and_then(|node| mistakes.keep(node.as_count("`port`", 1, 65_535)));
    let tls = keys.take("tls").and_then(|node| tls(node, mistakes));
    keys.finish(mistakes);
    let bind = bind.unwrap_or_else(|| plain.bind.clone());
    if bind.parse::<std::net::IpAddr>().is_err() {
        mistakes.push(
            Mistake::at(http.place, "study::wrong-type", format!("`bind: {bind}` is not an address of this machine"))
                .label("write an address such as `127.0.0.1`"),
        );
    }
    Listener { bind, port: port.map(|port| port as u16), public, tls, ..plain }
}

fn tls(node: &Node, mistakes: &mut Mistakes) -> Option<ListenerTls> {
    let mut keys = Reader::of(node, &TLS, "`tls` of a listener", mistakes);
    let mut file = |word: &'static str, is_needed: bool| {
        let node = if is_needed { keys.need(word, mistakes) } else { keys.take(word) };
        node.and_then(|node| mistakes.keep(node.as_text(&format!("`{word}`")))).map(str::to_owned)
    };
    let (certificate, key, clients) = (file("certificate", true), file("key", true), file("clients", false));
    keys.finish(mistakes);
    Some(ListenerTls { certificate: certificate?, key: key?, clients })
}
