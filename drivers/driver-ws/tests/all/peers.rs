//! An exchange, its rows, and a server by an independent library.
#![allow(unreachable_pub, reason = "a module of tests")]

use contract::{Node, Settings};
use testkit::{Server, Surroundings, text};
use tungstenite::Message;

/// An exchange with its address and further settings.
pub fn talk(url: impl Into<String>, more: &[(&str, Node)]) -> Settings {
    testkit::exchange("talk", &[&[("url", text(url))], more].concat())
}

/// The same that sends numbered texts.
pub fn numbered(url: impl Into<String>, more: &[(&str, Node)]) -> Settings {
    talk(url, &[&[("message", text("$(message.n) says $(row.value)"))], more].concat())
}

/// Texts that a row holds.
pub fn around() -> Surroundings {
    Surroundings::rows(&[b"hello", "ol\u{e9} \u{1f642}".as_bytes()])
}

/// `ws://ADDRESS/`
pub fn url(server: &Server) -> String {
    format!("ws://{}/", server.address)
}

/// A server by another library, which answers each message with what is made of it; the result of a connection is how
/// many came.
pub fn peer(make: impl Fn(usize, Message) -> Vec<Message> + Send + Sync + 'static) -> Server {
    Server::start(move |_, stream| {
        let Ok(mut socket) = tungstenite::accept(stream) else { return 0 };
        let mut count = 0;
        while let Ok(message) = socket.read() {
            if !(message.is_text() || message.is_binary()) {
                continue;
            }
            for answer in make(count, message) {
                let _ = socket.send(answer);
            }
            count += 1;
        }
        count
    })
}
