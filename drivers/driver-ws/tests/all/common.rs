//! Exchanges of this driver, servers by an independent library, and servers that speak raw bytes.
#![allow(unreachable_pub, reason = "a module of tests")]
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

pub use crate::peers::{around, numbered, peer, talk, url};
use contract::{Check, Compare, Probe, Settings};
use driver_ws::WS;
use std::io::{Read, Write};
use std::net::TcpStream;
use terms::Outcome;
use testkit::{Lab, Recorded, Server};
use tungstenite::Message;

/// Legs.
pub const ANSWER: u8 = 0;
pub const SENT: u8 = 1;
pub const CONNECT: u8 = 2;
pub const GAP: u8 = 3;

/// `body = sent` or `body = reverse(sent)`.
pub fn body_is(made_of: &str) -> Check {
    Check { text: format!("body = {made_of}"), ..testkit::check(Probe::Body, Compare::Equal, made_of) }
}

/// A lab with this one exchange, whose connection is made.
pub fn connected(settings: Settings) -> Lab {
    let mut lab = Lab::with(WS, &[settings], around());
    let outcome = lab.connect(0, 0);
    assert_eq!(outcome, Outcome::Ok, "{}", lab.seen().note);
    lab
}

/// So many messages are sent one after another, and their answers waited for; what the books say.
pub fn talk_of(lab: &mut Lab, count: usize) -> Recorded {
    for _ in 0..count {
        lab.send(0, 0);
    }
    lab.settle();
    lab.seen()
}

/// How the messages of a leg ended, and how many so.
pub fn ends(seen: &Recorded, leg: u8) -> Vec<(Outcome, u64)> {
    seen.legs.iter().filter(|row| row.0 == leg).map(|row| (row.1, row.2)).collect()
}

/// Its characters in reverse order.
pub fn reversed(message: &Message) -> Message {
    message.to_text().unwrap().chars().rev().collect::<String>().into()
}

/// Takes the request that opens a connection; its key.
pub fn read_opening(stream: &mut TcpStream) -> Option<String> {
    let request = testkit::read_request(stream)?;
    let key = request.head.lines().find_map(|line| line.strip_prefix("Sec-WebSocket-Key: "))?;
    Some(key.to_owned())
}

/// The answer that opens a connection.
pub fn agreed(key: &str) -> String {
    let accept = tungstenite::handshake::derive_accept_key(key.as_bytes());
    format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
    )
}

/// One frame of a client, without its mask; `None` at the end of the connection.
pub fn read_frame(stream: &mut TcpStream) -> Option<(u8, Vec<u8>)> {
    let mut head = [0; 2];
    stream.read_exact(&mut head).ok()?;
    assert!(head[1] & 0x80 != 0, "a client masks its frames");
    let length = match head[1] & 0x7f {
        126 => {
            let mut length = [0; 2];
            stream.read_exact(&mut length).ok()?;
            usize::from(u16::from_be_bytes(length))
        }
        127 => {
            let mut length = [0; 8];
            stream.read_exact(&mut length).ok()?;
            u64::from_be_bytes(length) as usize
        }
        short => usize::from(short),
    };
    let (mut mask, mut payload) = ([0; 4], vec![0; length]);
    stream.read_exact(&mut mask).ok()?;
    stream.read_exact(&mut payload).ok()?;
    payload.iter_mut().zip(mask.iter().cycle()).for_each(|(byte, mask)| *byte ^= mask);
    Some((head[0], payload))
}

/// A short frame of a server.
pub fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    assert!(payload.len() < 126);
    [&[first, payload.len() as u8], payload].concat()
}

/// A server that opens a connection, reads one message and sends these bytes; then it reads on to the end. The result of a
/// connection is the code that the client closes with, 0 if there is none.
pub fn sending(bytes: impl Into<Vec<u8>>) -> Server {
    let bytes = bytes.into();
    Server::start(move |_, mut stream| {
        let Some(key) = read_opening(&mut stream) else { return 0 };
        let _ = stream.write_all(agreed(&key).as_bytes());
        if read_frame(&mut stream).is_none() {
            return 0;
        }
        let _ = stream.write_all(&bytes);
        while let Some((first, payload)) = read_frame(&mut stream) {
            if first == 0x88 {
                return payload.get(..2).map_or(0, |code| usize::from(u16::from_be_bytes([code[0], code[1]])));
            }
        }
        0
    })
}

/// Of what the engine keeps to wait for an answer, an ordered map and a table of what has ended grow now and then.
pub(crate) const ALLOCATIONS_MAX: f64 = 0.5;
/// Messages until everything is warm, and those that are measured.
const MESSAGES: usize = 2_000;

/// Allocations for each message and its answer on the first connection, once warm.
pub(crate) fn allocations_each(lab: &mut Lab) -> f64 {
    let mut talk = || {
        for _ in 0..MESSAGES {
            assert_eq!(lab.send(0, 0), Outcome::Ok);
            while lab.recorder.awaiting() > 0 {
                lab.turn(terms::Nanos::SECOND);
            }
        }
    };
    talk();
    allocation_counter::measure(talk).count_total as f64 / MESSAGES as f64
}
