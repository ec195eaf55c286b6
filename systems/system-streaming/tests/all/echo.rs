//! The backend's WebSocket, message by message and byte by byte (RFC 6455).

#![allow(clippy::unwrap_used, reason = "tests; outside of test functions the linter does not know it")]

use std::io::{Read, Write};

use crate::support::{Client, ECHO, ask, end, hear, open, opened_by_hand, start};
use testkit::program::{Link, Process};
use tungstenite::Message;
use tungstenite::protocol::CloseFrame;
use tungstenite::protocol::frame::Frame;
use tungstenite::protocol::frame::coding::{CloseCode, Data, OpCode};

fn backend() -> (Process, Client) {
    let process = start("backend");
    let client = open(&process, ECHO, "").unwrap();
    (process, client)
}

#[test]
fn each_message_is_answered_by_its_reverse() {
    let (process, mut client) = backend();
    assert_eq!(ask(&mut client, "1 äöß€😀"), "😀€ßöä 1");
    assert_eq!(ask(&mut client, ""), "");
    let long = "ab".repeat(100_000);
    assert_eq!(ask(&mut client, &long), "ba".repeat(100_000));
    client.send(Message::binary(vec![0, 1, 0xff])).unwrap();
    assert_eq!(client.read().unwrap(), Message::binary(vec![0xff, 1, 0]));
    let counters = process.counters();
    assert_eq!((&counters["messages"]["in"], &counters["messages"]["out"]), (&4.into(), &4.into()));
    assert_eq!(counters["in_flight"], 1, "a held connection is a call in flight");
}

#[test]
fn many_messages_before_the_first_answer_are_answered_in_order() {
    let (_process, mut client) = backend();
    for number in 100..200 {
        client.write(Message::text(number.to_string())).unwrap();
    }
    client.flush().unwrap();
    for number in 100..200 {
        assert_eq!(hear(&mut client), number.to_string().chars().rev().collect::<String>());
    }
}

#[test]
fn a_message_in_fragments_is_one_message_and_a_ping_may_come_between() {
    let (_process, mut client) = backend();
    let part =
        |text: &'static str, opcode, is_final| Message::Frame(Frame::message(text, OpCode::Data(opcode), is_final));
    client.send(part("ab", Data::Text, false)).unwrap();
    client.send(part("cd", Data::Continue, false)).unwrap();
    client.send(Message::Ping("p".into())).unwrap();
    client.send(part("ef", Data::Continue, true)).unwrap();
    assert_eq!(client.read().unwrap(), Message::Pong("p".into()));
    assert_eq!(hear(&mut client), "fedcba");
}

#[test]
fn the_closing_handshake_is_answered_with_the_same_code_and_counted() {
    let (process, mut client) = backend();
    assert_eq!(ask(&mut client, "abc"), "cba");
    client.close(Some(CloseFrame { code: CloseCode::Library(4321), reason: "".into() })).unwrap();
    assert_eq!(end(&mut client), Some(4321));
    let counters = process.counters_until(|counters| counters["connections"]["open"] == 0);
    let connections = &counters["connections"];
    assert_eq!(
        (&connections["opened"], &connections["closed"], &connections["lost"]),
        (&1.into(), &1.into(), &0.into())
    );
}

#[test]
fn a_client_that_vanishes_is_a_lost_connection() {
    let (process, client) = backend();
    process.counters_until(|counters| counters["connections"]["open"] == 1);
    drop(client);
    let counters = process.counters_until(|counters| counters["connections"]["open"] == 0);
    assert_eq!((&counters["connections"]["closed"], &counters["connections"]["lost"]), (&0.into(), &1.into()));
}

/// Sends bytes after the opening and reads what comes back until the end.
fn answer_to(process: &Process, frames: &[u8]) -> Vec<u8> {
    let (mut stream, head) = opened_by_hand(process, "/echo", "");
    assert!(head.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));
    stream.write_all(frames).unwrap();
    let mut answer = Vec::new();
    // A reset is an end, too: bytes that nobody read may lie at the other side.
    let _ = stream.read_to_end(&mut answer);
    answer
}

#[test]
fn what_is_against_the_protocol_ends_the_connection_with_its_code() {
    let process = start("backend");
    let code = |frames: &[u8]| {
        let answer = answer_to(&process, frames);
        assert_eq!(answer.first(), Some(&0x88), "{answer:?}");
        u16::from_be_bytes([answer[2], answer[3]])
    };
    assert_eq!(code(&[0x81, 0x01, b'a']), 1002, "not masked");
    assert_eq!(code(&[0xc1, 0x81, 0, 0, 0, 0, b'a']), 1002, "a reserved bit");
    assert_eq!(code(&[0x83, 0x80, 0, 0, 0, 0]), 1002, "an unknown opcode");
    assert_eq!(code(&[0x80, 0x81, 0, 0, 0, 0, b'a']), 1002, "the rest of nothing");
    assert_eq!(code(&[0x81, 0x81, 0, 0, 0, 0, 0xff]), 1007, "text that is not UTF-8");
    assert_eq!(code(&[0x82, 0xff, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0]), 1009, "2 MiB announced");
    let counters = process.counters_until(|counters| counters["connections"]["open"] == 0);
    assert_eq!(counters["connections"]["lost"], 6);
}

#[test]
fn what_opens_no_websocket_is_told_what_is_missing() {
    let process = start("backend");
    let answer = process.get("/echo");
    assert_eq!((answer.status, answer.header("upgrade")), (426, Some("websocket")));
    assert!(answer.body.contains("`upgrade: websocket`"), "{answer:?}");
    let mut link = Link::open(&process.address).unwrap();
    let headers = [("upgrade", "websocket"), ("connection", "upgrade"), ("sec-websocket-version", "8")];
    let answer = link.call("GET", "/echo", &headers, "").unwrap();
    assert_eq!((answer.status, answer.header("sec-websocket-version")), (426, Some("13")));
}
