//! An exchange, and a server that sends an event stream.
#![allow(unreachable_pub, reason = "a module of tests")]
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use contract::{Incoming, Node, Settings};
use std::io::{Read, Write};
use std::net::TcpStream;
use terms::Nanos;
use testkit::{Server, text};

/// The head of an answer whose body ends with the connection.
pub const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
/// An exchange with its address and further settings, of which ten events a second are expected within half a second.
pub fn listen(url: impl Into<String>, more: &[(&str, Node)]) -> Settings {
    Settings {
        within: [("event".to_owned(), Nanos::from_millis(500))].into(),
        incoming: Incoming { expect: Some(10.0), ..Incoming::default() },
        ..testkit::exchange("listen", &[&[("url", text(url))], more].concat())
    }
}

/// A server that takes a request and has the rest done by a test; the result of a connection is what that returns.
pub fn serving(serve: impl Fn(usize, &testkit::Request, &mut TcpStream) -> usize + Send + Sync + 'static) -> Server {
    Server::start(move |number, mut stream| match testkit::read_request(&mut stream) {
        Some(request) => serve(number, &request, &mut stream),
        None => 0,
    })
}

/// A server that sends these bytes on each connection and waits for the client to leave.
pub fn sending(bytes: impl Into<Vec<u8>>) -> Server {
    let bytes = bytes.into();
    serving(move |_, _, stream| {
        let _ = stream.write_all(&bytes);
        until_left(stream)
    })
}

/// Waits for the client to leave; 0 if it sends nothing more.
pub fn until_left(stream: &mut TcpStream) -> usize {
    stream.read_to_end(&mut Vec::new()).unwrap_or_default()
}
