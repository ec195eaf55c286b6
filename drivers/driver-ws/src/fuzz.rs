//! For the fuzz targets alone: the parsers of this crate, with what must hold of them.

use crate::close::Closed;
use crate::decode::{Decoder, Event};
use crate::deflate::{Deflater, Inflater};
use crate::frame::{CONTROL_BYTES_MAX, Violation};
use crate::handshake::{self, Offered};
use http_wire::{Expecting, Parser, Spare};

/// Most bytes of a message.
const MESSAGE_MAX: u64 = 1000;

/// What has come of frames: kinds with their contents, and how they broke the protocol.
type Seen = (Vec<(u8, Vec<u8>)>, Option<Violation>);

/// Frames of a server, on a connection without compression and on one with it. They mean the same however they are split,
/// and nothing grows beyond its bound. What comes of them is the same once more when it is compressed and inflated.
pub fn frames(bytes: &[u8]) {
    let mut inflater = Inflater::default();
    let plain = kept_to(bytes, false, &mut inflater);
    let agreed = kept_to(bytes, true, &mut inflater);
    if bytes.iter().all(|byte| byte & 0x40 == 0) {
        assert_eq!(plain, agreed, "without the bit of compression");
    }
    let mut deflater = Deflater::default();
    for (_, content) in agreed.0.iter().filter(|(kind, _)| *kind < 8) {
        let payload = deflater.deflate(content);
        assert_eq!(inflater.inflate(payload, content.len() as u64), Ok(content.as_slice()));
    }
}

fn kept_to(bytes: &[u8], has_compression: bool, inflater: &mut Inflater) -> Seen {
    let whole = read(bytes, bytes.len().max(1), has_compression, inflater);
    for size in [1, 2, 3, 7, 64] {
        assert_eq!(read(bytes, size, has_compression, inflater), whole, "in pieces of {size} bytes");
    }
    for (kind, content) in &whole.0 {
        match kind {
            1 => assert!(std::str::from_utf8(content).is_ok() && content.len() as u64 <= MESSAGE_MAX),
            2 => assert!(content.len() as u64 <= MESSAGE_MAX),
            _ => assert!(content.len() <= CONTROL_BYTES_MAX),
        }
        if let (8, Ok(closed)) = (kind, Closed::read(content)) {
            assert!(closed.code.is_none_or(|code| (1000..5000).contains(&code)) && !closed.word().is_empty());
        }
    }
    if let Some(violation) = whole.1 {
        assert!([1002, 1007, 1009].contains(&violation.code) && !violation.what.is_empty());
    }
    whole
}

fn read(bytes: &[u8], size: usize, has_compression: bool, inflater: &mut Inflater) -> Seen {
    let (mut decoder, spare, mut seen) = (Decoder::new(MESSAGE_MAX, has_compression), Spare::default(), Vec::new());
    for piece in bytes.chunks(size) {
        let mut rest = piece;
        while !rest.is_empty() {
            match decoder.feed(rest, &spare, inflater) {
                Err(violation) => return (seen, Some(violation)),
                Ok((used, event)) => {
                    assert!(used > 0 && used <= rest.len(), "it goes on");
                    rest = &rest[used..];
                    seen.extend(event.map(kept));
                }
            }
        }
    }
    (seen, None)
}

fn kept(event: Event<'_>) -> (u8, Vec<u8>) {
    match event {
        Event::Text(text, _) => (1, text.as_bytes().to_vec()),
        Event::Binary(bytes, _) => (2, bytes.to_vec()),
        Event::Close(bytes) => (8, bytes.to_vec()),
        Event::Ping(bytes) => (9, bytes.to_vec()),
        Event::Pong(bytes) => (10, bytes.to_vec()),
    }
}

/// The answer to an opening handshake: whatever it is, it is refused in a sentence or agrees to the key.
pub fn opening(bytes: &[u8]) {
    let mut parser = Parser::new();
    parser.begin(Expecting { keeps_head: true, ..Expecting::default() });
    if parser.feed(bytes).is_err() || parser.status() != 101 {
        return;
    }
    let key = handshake::key(1, 1);
    let subprotocols = ["a".to_owned()];
    let checked =
        |compression| handshake::check(parser.head(), &key, Offered { subprotocols: &subprotocols, compression });
    let (plain, offered) = (checked(false), checked(true));
    assert!(plain != Ok(true) && (plain.is_err() || offered == Ok(false)), "{plain:?} {offered:?}");
    match offered {
        Err(why) => assert!(!why.is_empty() && !why.chars().any(char::is_control), "{why:?}"),
        Ok(_) => {
            let accept = handshake::accept(&key);
            assert!(bytes.windows(accept.len()).any(|window| window == accept.as_bytes()));
        }
    }
}
