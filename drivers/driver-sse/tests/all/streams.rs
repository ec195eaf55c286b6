//! What a server of event streams sends, and how an exchange reads its numbers.
#![allow(unreachable_pub, reason = "a module of tests")]
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::peers::{listen, serving};
use contract::{Incoming, Node, Probe, Settings};
use std::io::Write;
use std::sync::{Mutex, mpsc};
use testkit::Server;

/// The head of an answer whose body comes in chunks.
pub const CHUNKED: &str =
    "HTTP/1.1 200 OK\r\nContent-Type: Text/Event-Stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n";

/// An exchange as [`listen`] makes it, with numbers as `json($.n)`.
pub fn numbered(url: impl Into<String>, more: &[(&str, Node)]) -> Settings {
    let settings = listen(url, more);
    let sequence = Some(Probe::Json("$.n".into()));
    Settings { incoming: Incoming { sequence, ..settings.incoming.clone() }, ..settings }
}

/// A server that sends a head, and then what it is told; each connection ends when nobody tells it any more.
pub fn told(head: &str) -> (mpsc::Sender<String>, Server) {
    let (say, told) = mpsc::channel::<String>();
    let (told, head) = (Mutex::new(told), head.to_owned());
    let server = serving(move |_, _, stream| {
        let _ = stream.write_all(head.as_bytes());
        let told = told.lock().unwrap();
        let mut count = 0;
        while let Ok(bytes) = told.recv() {
            count += usize::from(stream.write_all(bytes.as_bytes()).is_ok());
        }
        count
    });
    (say, server)
}

/// Events with these numbers.
pub fn events(numbers: impl IntoIterator<Item = i64>) -> String {
    numbers.into_iter().map(|number| format!("id: {number}\ndata: {{\"n\":{number}}}\n\n")).collect()
}

/// A chunk.
pub fn chunk(text: &str) -> String {
    format!("{:x}\r\n{text}\r\n", text.len())
}
