//! For the fuzz targets alone: the parsers of this crate, with what must hold of them.

use crate::cookies::{Destination, Jar};
use crate::endpoint::Endpoint;
use crate::redirect;
use crate::session::coding;
use terms::Nanos;

/// Most bytes that a body is decoded to.
const DECODED_MAX: usize = 10_000;
const REQUEST: &[u8] = b"POST /a/b?c=d HTTP/1.1\r\nHost: shop.example\r\nContent-Length: 1\r\n\r\nx";

/// An address to which an answer redirects.
pub fn location(bytes: &[u8]) {
    let endpoint = |port| Endpoint {
        host: "shop.example".to_owned(),
        port,
        tls: None,
        http2: None,
        idle: None,
        all_addresses: false,
        proxy: None,
    };
    let endpoints = [endpoint(80), endpoint(8080)];
    let keeps = redirect::Keeps { cookie: false, elsewhere: false };
    for status in [302, 307] {
        let Ok(hop) = redirect::next(REQUEST, status, bytes, 0, &endpoints, keeps) else { continue };
        let text = String::from_utf8(hop.request).expect("a request for a text is a text");
        let (head, body) = text.split_once("\r\n\r\n").expect("the head ends");
        assert!(hop.endpoint < endpoints.len() && body.len() == usize::from(status == 307), "{text}");
        // Whatever the address holds, it stays in the first line, and in its second word.
        let mut lines = head.lines();
        let line: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
        assert!(line.len() == 3 && line[1].starts_with('/') && line[1].is_ascii(), "{text}");
        let host = lines.next().unwrap_or_default();
        assert!(["Host: shop.example", "Host: shop.example:8080"].contains(&host), "{text}");
        assert_eq!(lines.count(), usize::from(status == 307), "{text}");
    }
}

/// `Set-Cookie`, a line each.
pub fn cookies(bytes: &[u8]) {
    let now = Nanos::from_secs(1_000_000_000);
    let at = Destination { host: "www.shop.example", is_tls: true, target: "/a/b?c" };
    let mut jar = Jar::default();
    for line in bytes.split(|&byte| byte == b'\n') {
        jar.take(line, &at, now);
        let written = jar.write();
        assert_eq!(Jar::read(&written).write(), written, "what is kept reads back");
        let header = jar.header(&at, now);
        assert!(!header.chars().any(char::is_control), "{header:?}");
        let elsewhere = Destination { host: "other.test", ..at };
        assert_eq!(jar.header(&elsewhere, now), "", "a cookie leaves its site");
    }
}

/// A body under the codings that are named in the first line.
pub fn coded(codings: &[u8], body: &[u8]) {
    for is_whole in [true, false] {
        match coding::decode(body, is_whole, std::iter::once(codings), DECODED_MAX) {
            Ok(content) => assert!(content.bytes.len() <= DECODED_MAX.max(body.len())),
            Err(why) => assert!(!why.chars().any(char::is_control), "{why:?}"),
        }
    }
}
