//! The backend's WebSocket that repeats frames as they came, compressed ones included (RFC 7692).

#![allow(clippy::unwrap_used, reason = "tests; outside of test functions the linter does not know it")]

use std::io::{Read, Write};
use std::net::TcpStream;

use crate::support::{ask, end, open, opened_by_hand, start};
use testkit::program::Process;
use tungstenite::Message;
use tungstenite::protocol::CloseFrame;
use tungstenite::protocol::frame::coding::CloseCode;

const MIRROR: &str = "/mirror";

#[test]
fn messages_come_back_as_they_were_sent() {
    let process = start("backend");
    let mut client = open(&process, MIRROR, "").unwrap();
    for text in ["", "1 äöß€😀", &"x".repeat(100_000)] {
        assert_eq!(ask(&mut client, text), text);
    }
    client.send(Message::binary(vec![0, 1, 0xff])).unwrap();
    assert_eq!(client.read().unwrap(), Message::binary(vec![0, 1, 0xff]));
    client.send(Message::Ping("p".into())).unwrap();
    assert_eq!(client.read().unwrap(), Message::Pong("p".into()));
    client.close(Some(CloseFrame { code: CloseCode::Library(4321), reason: "".into() })).unwrap();
    assert_eq!(end(&mut client), Some(4321));
    let counters = process.counters_until(|counters| counters["connections"]["open"] == 0);
    assert_eq!((&counters["messages"]["in"], &counters["messages"]["out"]), (&4.into(), &4.into()));
    assert_eq!(counters["connections"]["closed"], 1);
}

/// Opens a WebSocket with this offer of extensions; the connection, and what was agreed on.
fn offering(process: &Process, offer: &str) -> (TcpStream, Option<String>) {
    let (stream, head) = opened_by_hand(process, MIRROR, &format!("sec-websocket-extensions: {offer}\r\n"));
    let agreed = head.lines().find_map(|line| line.strip_prefix("sec-websocket-extensions: ")).map(str::to_owned);
    (stream, agreed)
}

/// `Hello` of RFC 7692, section 7.2.3.1, masked by zeros.
#[test]
fn a_compressed_frame_comes_back_compressed_where_that_was_agreed_on() {
    let process = start("backend");
    let both = "permessage-deflate; server_no_context_takeover; client_no_context_takeover";
    let (mut stream, agreed) = offering(&process, both);
    assert_eq!(agreed.as_deref(), Some(both));
    let payload = [0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00];
    stream.write_all(&[&[0xc1, 0x87, 0, 0, 0, 0][..], &payload].concat()).unwrap();
    let mut frame = [0; 9];
    stream.read_exact(&mut frame).unwrap();
    assert_eq!(frame, [0xc1, 0x07, 0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00]);
    // What would be kept from one message to the next is not agreed on, nor anything else.
    for offer in ["permessage-deflate", "permessage-deflate; server_no_context_takeover", "x-webkit-deflate-frame"] {
        assert_eq!(offering(&process, offer).1, None, "{offer}");
    }
}

#[test]
fn a_frame_without_a_mask_ends_the_connection() {
    let process = start("backend");
    let (mut stream, _) = offering(&process, "none");
    stream.write_all(&[0x81, 0x00]).unwrap();
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).unwrap();
    assert_eq!(rest, [0x88, 0x02, 0x03, 0xea], "1002");
    process.counters_until(|counters| counters["connections"]["lost"] == 1);
}

#[test]
fn faults_meet_its_messages_too() {
    let process = start("backend --fault drop_every=2 --fault wrong_every=3");
    let mut client = open(&process, MIRROR, "").unwrap();
    for number in 1..=3 {
        client.send(Message::text(number.to_string())).unwrap();
    }
    assert_eq!(client.read().unwrap(), Message::text("1"));
    assert_eq!(client.read().unwrap(), Message::text(r#"{"fault":"wrong"}"#));
}
