//! Messages compressed each by itself (RFC 7692): offered, agreed to or not, sent, read, and broken by servers.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use crate::common::{
    ALLOCATIONS_MAX, ANSWER, CONNECT, agreed, allocations_each, around, body_is, connected, ends, frame, numbered,
    peer, read_frame, read_opening, reversed, talk_of, url,
};
use clock::Clock;
use contract::{Compare, Node, Probe, Settings};
use driver_ws::WS;
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress};
use std::io::Write;
use std::net::TcpStream;
use terms::Outcome;
use testkit::{Lab, Server, Surroundings, check, read_request, text};

/// What the books take for their first histograms, and little more; bombs would be a hundred times as much.
const BYTES_MAX: u64 = 2_000_000;
/// The answer of a server that takes the offer.
const TAKEN: &str = "permessage-deflate; server_no_context_takeover";

fn deflate() -> (&'static str, Node) {
    ("compression", text("deflate"))
}

fn echoed(server: &Server, more: &[(&str, Node)]) -> Settings {
    Settings { checks: vec![body_is("sent")], ..numbered(url(server), &[&[deflate()], more].concat()) }
}

/// Opens a connection with this agreement on extensions.
fn open(stream: &mut TcpStream, extensions: &str) -> Option<()> {
    let key = read_opening(stream)?;
    let answer = agreed(&key);
    let answer = format!("{}Sec-WebSocket-Extensions: {extensions}\r\n\r\n", &answer[..answer.len() - 2]);
    stream.write_all(answer.as_bytes()).ok()
}

/// A server that agrees, and repeats each frame as it came but for its mask: what one side compressed, the other inflates.
fn mirror() -> Server {
    Server::start(|_, mut stream| {
        let Some(()) = open(&mut stream, TAKEN) else { return 0 };
        let mut count = 0;
        while let Some((first, payload)) = read_frame(&mut stream) {
            let mut head = vec![first];
            match payload.len() {
                short @ 0..126 => head.push(short as u8),
                medium @ 126..65536 => head.extend([&[126][..], &(medium as u16).to_be_bytes()].concat()),
                long => head.extend([&[127][..], &(long as u64).to_be_bytes()].concat()),
            }
            if first == 0x88 || stream.write_all(&[head, payload].concat()).is_err() {
                break;
            }
            count += usize::from(first == 0xc1);
        }
        count
    })
}

/// A server that agrees, takes a message and sends these bytes; the code that it is told.
fn sending(bytes: Vec<u8>) -> Server {
    Server::start(move |_, mut stream| {
        let Some(()) = open(&mut stream, TAKEN) else { return 0 };
        let Some(_) = read_frame(&mut stream) else { return 0 };
        let _ = stream.write_all(&bytes);
        while let Some((first, payload)) = read_frame(&mut stream) {
            if first == 0x88 {
                return payload.get(..2).map_or(0, |code| usize::from(u16::from_be_bytes([code[0], code[1]])));
            }
        }
        0
    })
}

/// The payload of a compressed message.
fn deflated(content: &[u8]) -> Vec<u8> {
    let (mut compress, mut payload) =
        (Compress::new(Compression::best(), false), Vec::with_capacity(content.len() + 100));
    let _ = compress.compress_vec(content, &mut payload, FlushCompress::Sync).unwrap();
    assert!(payload.ends_with(&[0, 0, 0xff, 0xff]));
    payload.truncate(payload.len() - 4);
    payload
}

#[test]
fn what_is_offered_is_that_messages_stand_alone() {
    let (tell, told) = std::sync::mpsc::channel();
    let tell = std::sync::Mutex::new(tell);
    let server = Server::start(move |_, mut stream| {
        let Some(request) = read_request(&mut stream) else { return 0 };
        let _ = tell.lock().unwrap().send(request.head);
        0
    });
    for (more, line) in [
        (vec![deflate()], Some("permessage-deflate; server_no_context_takeover; client_no_context_takeover")),
        (vec![("compression", text("none"))], None),
        (vec![], None),
    ] {
        let mut lab = Lab::with(WS, &[numbered(url(&server), &more)], around());
        lab.connect(0, 0);
        let head = told.recv().unwrap();
        let found: Vec<_> = head.lines().filter_map(|line| line.strip_prefix("Sec-WebSocket-Extensions: ")).collect();
        assert_eq!(found, line.into_iter().collect::<Vec<_>>(), "{head}");
    }
}

#[test]
fn a_message_is_compressed_and_counted_both_ways() {
    let server = mirror();
    let value = "so much, ".repeat(10_000);
    let mut lab = Lab::with(WS, &[echoed(&server, &[])], Surroundings::rows(&[value.as_bytes()]));
    assert_eq!(lab.connect(0, 0), Outcome::Ok);
    let seen = talk_of(&mut lab, 3);
    assert_eq!(ends(&seen, ANSWER), [(Outcome::Ok, 3)], "{}", seen.note);
    let plain = 3 * i64::try_from("0 says ".len() + value.len()).unwrap();
    assert_eq!((lab.counted("sent_bytes"), lab.counted("received_bytes")), (plain, plain));
    let wire = lab.counted("sent_on_wire");
    assert!(wire > 30 && wire < plain / 50, "{wire} of {plain}");
    assert_eq!((lab.counted("received_on_wire"), lab.counted("compressed")), (wire, 1));
    drop(lab);
    assert_eq!(server.results.recv(), Ok(3), "all of them with the bit of compression");
}

#[test]
fn what_is_sent_is_what_another_inflates() {
    let (tell, told) = std::sync::mpsc::channel();
    let tell = std::sync::Mutex::new(tell);
    let server = Server::start(move |_, mut stream| {
        let Some(()) = open(&mut stream, TAKEN) else { return 0 };
        while let Some((first, mut payload)) = read_frame(&mut stream) {
            if first == 0xc1 {
                payload.extend([0, 0, 0xff, 0xff]);
                let (mut decompress, mut content) = (Decompress::new(false), Vec::with_capacity(1000));
                let _ = decompress.decompress_vec(&payload, &mut content, FlushDecompress::Sync).unwrap();
                let _ = tell.lock().unwrap().send(String::from_utf8(content).unwrap());
            }
        }
        0
    });
    let mut lab = connected(numbered(url(&server), &[deflate(), ("answer", text("none"))]));
    talk_of(&mut lab, 2);
    assert_eq!([told.recv().unwrap(), told.recv().unwrap()], ["0 says hello", "1 says ol\u{e9} \u{1f642}"]);
}

/// The server is by another library, which knows no compression.
#[test]
fn a_server_that_declines_is_spoken_to_without() {
    let server = peer(|_, message| vec![reversed(&message)]);
    let settings = numbered(url(&server), &[deflate()]);
    let mut lab = connected(Settings { checks: vec![body_is("reverse(sent)")], ..settings.clone() });
    let seen = talk_of(&mut lab, 2);
    assert_eq!(ends(&seen, ANSWER), [(Outcome::Ok, 2)], "{}", seen.note);
    assert_eq!(["compressed", "sent_bytes", "received_on_wire"].map(|name| lab.counted(name)), [0; 3]);
    // Where that is not what a study wants, it says so.
    let agreed = check(Probe::Header("sec-websocket-extensions".into()), Compare::Contains, "permessage-deflate");
    let mut lab = Lab::with(WS, &[Settings { checks: vec![agreed], ..settings }], around());
    assert_eq!(lab.connect(0, 0), Outcome::Wrong);
}

/// As `check --once` looks.
#[test]
fn who_looks_sees_whether_it_was_agreed_on() {
    let opened = |server: &Server| {
        let mut lab = Lab::with(WS, &[echoed(server, &[])], Surroundings::rows(&["x".repeat(1000).as_bytes()]));
        lab.recorder.look();
        assert_eq!(lab.connect(0, 0), Outcome::Ok);
        let opening = lab.seen().note;
        (opening, talk_of(&mut lab, 1).note)
    };
    let (opening, answer) = opened(&mirror());
    assert_eq!(opening, format!("status 101: the connection is open, messages are compressed: `{TAKEN}`"));
    assert!(answer.starts_with("1007 bytes came, as ") && answer.contains(" on the wire: `0 says xxx"), "{answer}");
    let (opening, answer) = opened(&peer(|_, message| vec![message]));
    assert_eq!(opening, "status 101: the connection is open; the server declined to compress messages");
    assert!(answer.starts_with("1007 bytes came: `0 says xxx"), "{answer}");
}

#[test]
fn an_agreement_that_was_not_offered_fails_the_connection() {
    for (extensions, why) in [
        ("permessage-deflate", "without `server_no_context_takeover`"),
        ("permessage-deflate; server_no_context_takeover; client_max_window_bits=10", "`client_max_window_bits`"),
        ("permessage-deflate; server_no_context_takeover; server_max_window_bits=7", "where 8 to 15 may stand"),
        ("permessage-deflate; server_no_context_takeover; server_no_context_takeover", "twice"),
        ("permessage-deflate; server_no_context_takeover; quick", "`quick`, a parameter that there is not"),
        ("permessage-deflate; server_no_context_takeover, permessage-bzip2", "`permessage-bzip2`, and only"),
    ] {
        let server = Server::start(move |_, mut stream| {
            open(&mut stream, extensions);
            usize::from(read_frame(&mut stream).is_some())
        });
        let mut lab = Lab::with(WS, &[numbered(url(&server), &[deflate()])], around());
        assert_eq!(lab.connect(0, 0), Outcome::Fault);
        let seen = lab.seen();
        assert!(ends(&seen, CONNECT) == [(Outcome::Fault, 1)] && seen.note.contains(why), "{}", seen.note);
        assert!(seen.note.starts_with("the server agreed to open the connection, but it chose"), "{}", seen.note);
        assert_eq!(server.results.recv(), Ok(0), "the connection is let go");
    }
}

#[test]
fn what_comes_compressed_may_be_as_it_is_or_in_parts() {
    let server = Server::start(|_, mut stream| {
        let Some(()) = open(&mut stream, "permessage-deflate; server_no_context_takeover; server_max_window_bits=9")
        else {
            return 0;
        };
        let mut count = 0;
        while let Some((0xc1, _)) = read_frame(&mut stream) {
            let content = format!("{count} says hello");
            let payload = deflated(content.as_bytes());
            let bytes = match count {
                0 => frame(0x81, content.as_bytes()),
                1 => frame(0xc1, &payload),
                _ => [frame(0x41, &payload[..4]), frame(0x89, b"ping"), frame(0x00, b""), frame(0x80, &payload[4..])]
                    .concat(),
            };
            if bytes.iter().any(|byte| stream.write_all(&[*byte]).is_err()) {
                break;
            }
            count += 1;
        }
        count
    });
    let mut lab = Lab::with(WS, &[echoed(&server, &[])], Surroundings::rows(&[b"hello"]));
    assert_eq!(lab.connect(0, 0), Outcome::Ok, "{}", lab.seen().note);
    for _ in 0..3 {
        assert_eq!(lab.send(0, 0), Outcome::Ok);
        lab.settle();
    }
    let seen = lab.seen();
    assert_eq!(ends(&seen, ANSWER), [(Outcome::Ok, 3)], "{}", seen.note);
    let (plain, wire) = (lab.counted("received_bytes"), lab.counted("received_on_wire"));
    let compressed = 2 * i64::try_from(deflated(b"1 says hello").len()).unwrap();
    assert_eq!((plain, wire), (36, 12 + compressed));
}

#[test]
fn a_server_that_breaks_the_agreement_is_told_by_the_code() {
    let payload = deflated(b"some message of some length");
    // A mebibyte or more of zeros in a frame that `max_message` would allow, which is 1 kB.
    let bomb = deflated(&vec![0; 1_000_000]);
    assert!(bomb.len() < 1100, "{}", bomb.len());
    let long = [&[0xc2, 126][..], &(bomb.len() as u16).to_be_bytes(), &bomb].concat();
    for (bytes, code, why) in [
        ([frame(0x41, &payload[..4]), frame(0xc0, &payload[4..])].concat(), 1002, "a continuation with the bit"),
        (frame(0xc9, b"ping"), 1002, "a control frame with the bit"),
        (frame(0xa1, &payload), 1002, "a reserved bit"),
        (frame(0xc1, &payload[..payload.len() - 5]), 1007, "in the middle of a block"),
        (frame(0xc1, &[6, 6, 6]), 1007, "that cannot be inflated"),
        (frame(0xc1, &deflated(b"\xe9")), 1007, "not UTF-8"),
        (long, 1009, "inflates to more than `max_message`"),
    ] {
        let server = sending(bytes);
        let mut lab = connected(echoed(&server, &[("max_message", text("1kB"))]));
        let mut seen = None;
        let memory = allocation_counter::measure(|| seen = Some(talk_of(&mut lab, 1)));
        let seen = seen.unwrap();
        assert_eq!(ends(&seen, ANSWER), [(Outcome::Fault, 1)], "{why}");
        assert!(seen.note.contains(why) && seen.note.contains(&format!("closed with {code}")), "{why}: {}", seen.note);
        assert_eq!((lab.counted("lost"), server.results.recv()), (1, Ok(code)), "{why}");
        assert!(memory.bytes_max < BYTES_MAX, "{why}: {memory:?}");
    }
}

#[test]
fn empty_blocks_without_end_are_a_message_too_long() {
    let server = Server::start(|_, mut stream| {
        let Some(()) = open(&mut stream, TAKEN) else { return 0 };
        read_frame(&mut stream);
        let nothing = frame(0x00, &[0, 0, 0, 0xff, 0xff].repeat(25)).repeat(100);
        let _ = stream.write_all(&frame(0x41, &[]));
        let mut sent = 0;
        while stream.write_all(&nothing).is_ok() {
            sent += 1;
        }
        sent
    });
    let mut lab = connected(echoed(&server, &[("max_message", text("1kB"))]));
    let mut seen = None;
    let memory = allocation_counter::measure(|| seen = Some(talk_of(&mut lab, 1)));
    let seen = seen.unwrap();
    assert_eq!(ends(&seen, ANSWER), [(Outcome::Fault, 1)]);
    assert!(seen.note.contains("a compressed message longer than any") && memory.bytes_max < BYTES_MAX, "{memory:?}");
    drop(lab);
    assert!(server.results.recv().is_ok(), "the server saw the connection end");
}

#[test]
fn a_compressed_message_and_its_answer_allocate_nothing_of_the_drivers() {
    let server = mirror();
    let around = Surroundings { clock: Clock::simulated(), ..Surroundings::rows(&[b"hello there"]) };
    let mut lab = Lab::with(WS, &[echoed(&server, &[])], around);
    assert_eq!(lab.connect(0, 0), Outcome::Ok);
    let each = allocations_each(&mut lab);
    assert!(each <= ALLOCATIONS_MAX, "{each} allocations for each message");
}
