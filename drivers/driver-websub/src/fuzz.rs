//! For the fuzz targets alone: a request to a callback, and what a topic says of its hub or a hub of another, with what must
//! hold of them.

use crate::board::{Feed, Stage};
use crate::callback::{self, Callbacks};
use crate::links::Links;
use crate::redirect;
use crate::replies::{Replies, Topic};
use contract::{Answer, NO_STREAM, Place, Reply, ReplyHandler, RequestHead, Task, Template, reply_key};
use http_wire::Url;
use std::collections::HashMap;
use std::sync::Arc;
use terms::Nanos;

/// The subscriber, and the first iteration of the event that was published.
const SUBSCRIBER: u64 = 5;
const EVENT: u64 = 1000;

/// The key of an iteration of exchange 3.
fn key(serial: u64) -> u128 {
    let (intended, deadline) = (Nanos::ZERO, Nanos::MAX);
    let task = Task { exchange: 3, serial, row: 0, units: 1, intended, deadline, step: 2, stream: NO_STREAM };
    reply_key::of(0, 1, 0, &task)
}

/// Lines with method, what follows the callback's path, and a signature; the rest is the body. Nothing panics, no answer
/// grows beyond what came, and no leg but the subscriber's own is closed.
pub fn request(bytes: &[u8]) {
    let mut parts = bytes.splitn(4, |byte| *byte == b'\n');
    let mut line = || String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
    let (method, more, signature) = (line(), line(), line());
    let body = parts.next().unwrap_or_default();
    let feed = Arc::new(Feed::default());
    feed.subscribe(key(SUBSCRIBER));
    // One whose subscription is to end is asked another question.
    if !bytes.len().is_multiple_of(2) {
        feed.change(key(SUBSCRIBER), |subscriber| subscriber.stage = Stage::Leaving);
    }
    assert!(feed.publish(b"hello", EVENT));
    let topics = HashMap::from([(3, Topic::new(b"orders", Some(b"secret"), feed))]);
    let url = Callbacks::new(7).url("http://h", key(SUBSCRIBER));
    let path = format!("{}{more}", url.strip_prefix("http://h").unwrap_or_default());
    let mut replies = Replies::new(Callbacks::new(7), topics);
    let headers = [("x-hub-signature", signature.as_bytes())];
    let head = RequestHead { method: &method, path: &path, headers: &headers, at: Nanos::ZERO };
    let is_own = more.is_empty() || more.starts_with('?');
    assert!(!is_own || replies.claims(&head), "it is the callback's own address");
    let mut answer = Answer::default();
    let reply = replies.handle(&head, body, &mut answer);
    // What is not UTF-8 takes three bytes by now, and no listener hands on such a path.
    assert!(answer.body.len() <= more.len() && (200..500).contains(&answer.status));
    if let Reply::Match { key: closed, .. } | Reply::Handshake { key: closed } = reply {
        let is_delivery = closed == key(SUBSCRIBER + EVENT);
        let (question, farewell) = (callback::verification(key(SUBSCRIBER), 0), callback::farewell(key(SUBSCRIBER)));
        assert!(is_delivery || closed == question || closed == farewell, "{closed:x}");
    }
    assert!(replies.identify(&head, body).is_none_or(|told| told.len() < 100));
}

/// What a topic says of its hub: the first line is a `Link` header, the rest a page or a feed. Whatever is found stands
/// there, and what the header says comes first. The line is also where a hub sends a request on to: an address that can
/// stand in a request, and no other.
pub fn links(bytes: &[u8]) {
    let (line, body) = bytes.split_at(bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len()));
    let header = Links::of_headers(std::iter::once(line));
    let both = header.clone().or(Links::of_body(body));
    assert!(header.hub.is_none() || both.hub == header.hub);
    assert!(header.topic.is_none() || both.topic == header.topic);
    for found in [&both.hub, &both.topic].into_iter().flatten() {
        assert!(found.len() <= 3 * bytes.len() && found.trim() == found, "{found:?}");
    }
    for hub in ["http://h/hub", "https://[::1]:9/a/b?c=d"] {
        let hub = Url::read(&Template::fixed(hub.as_bytes()), Place::default()).expect("invariant: an address");
        let Ok(url) = redirect::next(&hub, line) else { continue };
        let shown = redirect::shown(&url);
        assert!(shown.bytes().all(|byte| byte.is_ascii_graphic()) && (url.is_tls || !hub.is_tls), "{shown:?}");
    }
}
