//! A topic at a hub that takes whatever it is asked, and what such a hub does to callbacks.
#![allow(unreachable_pub, reason = "a module of tests")]
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use contract::{Answer, Node, Reply, RequestHead, Settings};
use driver_websub::WEBSUB;
use std::io::{Read, Write};
use std::net::TcpStream;
use terms::Outcome;
use testkit::{Lab, Recorded, Request, Server, Surroundings, text};

/// Legs.
pub const DELIVERY: u8 = 0;
pub const SUBSCRIBE: u8 = 1;
pub const VERIFY: u8 = 2;
pub const PUBLISH: u8 = 3;
pub const UNSUBSCRIBE: u8 = 4;

/// An exchange with its hub and further settings.
pub fn topic(hub: impl Into<String>, more: &[(&str, Node)]) -> Settings {
    let mut entries = vec![
        ("hub", text(hub)),
        ("topic", text("orders")),
        ("callback", text("pong")),
        ("body", text("$(serial) hello")),
    ];
    entries.retain(|(key, _)| !more.iter().any(|(other, _)| other == key));
    testkit::exchange("topic", &[&entries, more].concat())
}

/// A hub that answers each request with this status and tells nobody.
pub fn hub(status: u16) -> Server {
    Server::replying(move |_, _, stream| {
        let body = "said so";
        let answer = format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        stream.write_all(answer.as_bytes()).is_ok()
    })
}

/// No answer comes until the client has left.
pub fn never(stream: &mut TcpStream) -> bool {
    let _ = stream.read(&mut [0]);
    false
}

/// Where a server is a hub.
pub fn at(server: &Server) -> String {
    format!("http://{}/hub", server.address)
}

/// So many subscribers of one topic.
pub fn lab(settings: Settings, slots: u32) -> Lab {
    Lab::with(WEBSUB, &[settings], Surroundings { slots, ..Surroundings::default() })
}

/// The path of the callback that a request for a subscription names.
pub fn callback_of(request: &Request) -> String {
    let form = String::from_utf8(request.body.clone()).unwrap();
    let value = form.split('&').find_map(|field| field.strip_prefix("hub.callback=")).unwrap();
    let url = value.replace("%3A", ":").replace("%2F", "/").replacen("https:", "http:", 1);
    url.strip_prefix("http://127.0.0.1:9").unwrap().to_owned()
}

/// A request comes to the listener; whose it is, and what is answered. `None` where no driver claims it.
pub fn call(
    lab: &mut Lab,
    method: &str,
    path: &str,
    headers: &[(&str, &[u8])],
    body: &[u8],
) -> Option<(Reply, Answer)> {
    let at = lab.clock.now();
    lab.take_in(&RequestHead { method, path, headers, at }, body)
}

/// The hub asks whether a subscription is meant; what is answered.
pub fn verify(lab: &mut Lab, callback: &str, query: &str) -> Answer {
    let path = format!("{callback}?hub.mode=subscribe&hub.topic=orders&{query}");
    call(lab, "GET", &path, &[], b"").unwrap().1
}

/// Content comes to a callback; the status that is answered.
pub fn deliver(lab: &mut Lab, callback: &str, headers: &[(&str, &[u8])], body: &[u8]) -> u16 {
    call(lab, "POST", callback, headers, body).unwrap().1.status
}

/// A slot subscribes, and confirms that; its callback.
pub fn subscribed(lab: &mut Lab, server: &Server, slot: u32) -> String {
    assert_eq!(lab.connect(slot, 0), Outcome::Ok, "{}", lab.seen().note);
    let callback = callback_of(&server.request());
    assert_eq!(verify(lab, &callback, "hub.challenge=x&hub.lease_seconds=600").body, b"x");
    callback
}

/// Event `number` is due to a slot, of as many as the lab has.
pub fn due(lab: &mut Lab, slot: u32, number: u64) {
    let slots = lab.ended.len() as u64;
    lab.serial = number * slots + u64::from(slot);
    lab.begin(slot, 0);
}

/// How a leg ended, and how often so.
pub fn ends(seen: &Recorded, leg: u8) -> Vec<(Outcome, u64)> {
    seen.legs.iter().filter(|row| row.0 == leg).map(|row| (row.1, row.2)).collect()
}
