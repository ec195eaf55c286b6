//! What the gateway relays, whom it lets in, and what it does when a side stops or goes.

use std::io::{ErrorKind, Write};
use std::net::TcpListener;
use std::time::Duration;

use crate::support::{ECHO_API, EVENTS_API, Events, System, ask, end, open, start, tokens};
use tungstenite::Message;
use tungstenite::protocol::CloseFrame;
use tungstenite::protocol::frame::coding::CloseCode;

#[test]
fn messages_and_closings_are_relayed_and_counted_alike_on_both_sides() {
    let system = System::with("", "");
    let mut client = system.echo();
    for number in 0..20 {
        assert_eq!(ask(&mut client, &format!("{number} €x")), format!("x€ {}", reversed(number)));
    }
    client.send(Message::binary(vec![1, 2])).unwrap();
    assert_eq!(client.read().unwrap(), Message::binary(vec![2, 1]));
    client.close(Some(CloseFrame { code: CloseCode::Library(4000), reason: "".into() })).unwrap();
    assert_eq!(end(&mut client), Some(4000));
    for process in [&system.gateway, &system.backend] {
        let counters = process.counters_until(|counters| counters["connections"]["open"] == 0);
        assert_eq!((&counters["messages"]["in"], &counters["messages"]["out"]), (&21.into(), &21.into()));
        assert_eq!((&counters["connections"]["opened"], &counters["connections"]["closed"]), (&1.into(), &1.into()));
    }
}

fn reversed(number: u32) -> String {
    number.to_string().chars().rev().collect()
}

#[test]
fn events_are_relayed_each_once_and_in_order() {
    let system = System::with("--events 500/s", "");
    let mut events = system.events("?bytes=200");
    assert!(events.head.contains("content-type: text/event-stream"), "{}", events.head);
    let taken = events.take(100);
    assert!(taken.iter().zip(1..).all(|(event, number)| event.number() == number && event.data.len() == 200));
    let token = &system.token;
    let mut later = Events::open(&system.gateway, EVENTS_API, token, "last-event-id: 7\r\n");
    assert_eq!(later.take(1)[0].number(), 8);
    drop((events, later));
    system.gateway.counters_until(|counters| counters["connections"]["closed"] == 2);
    system.backend.counters_until(|counters| counters["connections"]["closed"] == 2);
}

#[test]
fn only_good_tokens_of_the_tenant_are_let_in() {
    let system = System::with("", "");
    assert_eq!(open(&system.gateway, ECHO_API, "x").err(), Some(401));
    let foreign = tokens("--count 1 --tenant other").remove(0);
    assert_eq!(open(&system.gateway, ECHO_API, &foreign).err(), Some(403));
    let refused = system.gateway.get(EVENTS_API);
    assert_eq!((refused.status, refused.header("www-authenticate")), (401, Some("Bearer")));
    for token in tokens("--count 3") {
        assert_eq!(Events::open(&system.gateway, EVENTS_API, &token, "").status(), 200);
    }
    let counters = system.gateway.counters();
    assert_eq!(
        (&counters["connections"]["refused"], &counters["connections"]["refused_by_token"]),
        (&3.into(), &3.into())
    );
}

#[test]
fn without_its_backend_the_gateway_says_so() {
    let system = System::with("", "");
    let mut client = system.echo();
    assert_eq!(ask(&mut client, "ab"), "ba");
    let mut events = system.events("?events=100/s");
    events.take(1);
    let System { backend, gateway, token } = system;
    drop(backend);
    assert_eq!(end(&mut client), Some(1011), "the server failed");
    let broken = std::iter::repeat_with(|| events.try_next()).find_map(Result::err).unwrap();
    assert!(matches!(broken.kind(), ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset), "{broken}");
    gateway.counters_until(|counters| counters["connections"]["lost"] == 2);
    assert_eq!(open(&gateway, ECHO_API, &token).err(), Some(502));
    let bearer = format!("Bearer {token}");
    let answer = gateway.call("GET", EVENTS_API, &[("authorization", bearer.as_str())], "");
    assert!(answer.status == 502 && answer.body.contains("does not answer"), "{answer:?}");
    assert_eq!(gateway.counters()["connections"]["refused_by_backend"], 2);
}

#[test]
fn a_client_that_vanishes_is_told_to_the_backend_as_a_proper_end() {
    let system = System::with("", "");
    let mut client = system.echo();
    assert_eq!(ask(&mut client, "ab"), "ba");
    drop(client);
    system.gateway.counters_until(|counters| counters["connections"]["lost"] == 1);
    let counters = system.backend.counters_until(|counters| counters["connections"]["open"] == 0);
    assert_eq!(counters["connections"]["closed"], 1);
}

#[test]
fn a_client_that_does_not_read_stops_its_own_messages_and_nobody_else() {
    let system = System::with("", "");
    let mut stuck = system.echo();
    stuck.get_mut().set_write_timeout(Some(Duration::from_secs(2))).unwrap();
    // Far beyond what the sockets on the way can hold: without backpressure all of it would be taken.
    let (message, most) = ("x".repeat(100_000), 2000);
    let sent = (0..most).take_while(|_| stuck.send(Message::text(message.as_str())).is_ok()).count();
    assert!(sent < most, "200 MB were taken from a client that reads nothing");
    let counters = system.gateway.counters();
    let (taken, given) = (counters["messages"]["in"].as_u64().unwrap(), counters["messages"]["out"].as_u64().unwrap());
    assert!(taken < most as u64 && given <= taken, "{counters}");
    assert!(system.gateway.resident_bytes() < 100 << 20, "nothing is queued but what the sockets hold");
    let mut other = system.echo();
    assert_eq!(ask(&mut other, "free"), "eerf");
}

#[test]
fn a_backend_that_opens_no_websocket_is_a_bad_gateway() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    // It answers, but not with what was asked for.
    std::thread::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
        }
    });
    let gateway = start(&format!("gateway --backend {address}"));
    let token = tokens("--count 1").remove(0);
    assert_eq!(open(&gateway, ECHO_API, &token).err(), Some(502));
}
