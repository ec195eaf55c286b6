use super::*;
use crate::Expecting;
use clock::Clock;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;
use terms::Outcome;
use testkit::{Server, read_request};

/// Time enough for any of these exchanges.
const PATIENCE: Nanos = Nanos::from_secs(30);

const CALL: Call<'static> = Call {
    target: 0,
    request: b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    http2: None,
    expecting: Expecting { answers_head_request: false, keeps_head: false, leaves_body: false, keep: 100 },
    reuse: true,
    retry: false,
};

/// A client of a server that does this with a connection; what it returns is in `results`.
fn client(serve: impl Fn(&mut TcpStream) -> usize + Send + Sync + 'static) -> (Client, Server) {
    let server = Server::start(move |_, mut stream| serve(&mut stream));
    let target = crate::Target::at(server.address, None);
    (Client::new(Shared::new(vec![target]), 0), server)
}

fn request(stream: &mut TcpStream) {
    read_request(stream).unwrap();
}

/// What the server returned for its connection; nothing comes when it panicked.
fn result(server: &Server) -> usize {
    server.results.recv_timeout(Duration::from_secs(30)).unwrap()
}

/// Only the time.
struct Recorderless<'a>(&'a Clock);

impl Host for Recorderless<'_> {
    fn now(&self) -> Nanos {
        self.0.now()
    }
}

fn until(clock: &Clock) -> Nanos {
    clock.now() + PATIENCE
}

#[test]
fn a_connection_that_speaks_something_else_is_handed_over_with_what_came_on_it() {
    let clock = Clock::system();
    let (mut client, server) = client(|stream| {
        request(stream);
        stream.write_all(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: chat\r\n\r\nhello").unwrap();
        let mut said = [0; 3];
        stream.read_exact(&mut said).unwrap();
        usize::from(&said == b"bye")
    });
    assert!(client.take().is_none(), "there is nothing in hand");
    client.wait_for(&CALL, until(&clock), 0, &clock).unwrap();
    assert_eq!((client.answer().status(), client.surplus()), (101, 5));
    let (mut connection, came) = client.take().unwrap();
    assert_eq!(came, b"hello");
    assert!(client.take().is_none() && !client.keeps(0), "it is somebody else's now");
    assert!(connection.send(b"bye", &mut 0).unwrap());
    assert_eq!(result(&server), 1);
}

#[test]
fn an_answer_is_taken_in_pieces_as_it_comes() {
    let clock = Clock::system();
    let (mut client, server) = client(|stream| {
        request(stream);
        stream.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\none\n\n\r\n").unwrap();
        // The answer goes on when the first piece was taken.
        stream.read_exact(&mut [0]).unwrap();
        stream.write_all(b"5\r\ntwo\n\n\r\n0\r\n\r\n").unwrap();
        0
    });
    let first = client.wait_for(&CALL, until(&clock), 0, &clock).unwrap_err();
    assert!(matches!(first.why, Why::TooLong), "more than nothing has come: {first:?}");
    let mut piece = Vec::new();
    client.swap_body(&mut piece);
    assert_eq!(piece, b"one\n\n");
    let host = &mut Recorderless(&clock);
    assert!(matches!(client.ready(&CALL, host), Step::Waiting(_)));
    (&std::net::TcpStream::from(client.socket().unwrap().try_clone_to_owned().unwrap())).write_all(b"!").unwrap();
    while !matches!(client.ready(&CALL, host), Step::Answered) {
        clock.sleep_until(clock.now() + Nanos::from_millis(1));
    }
    assert_eq!(client.answer().body(), b"two\n\n");
    assert_eq!(client.finish(&CALL, host), Interest::Idle);
    result(&server);
}

#[test]
fn a_connection_serves_the_next_exchange_unless_more_came_than_the_answer() {
    let clock = Clock::system();
    let (mut client, server) = client(|stream| {
        request(stream);
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none").unwrap();
        request(stream);
        stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\n\r\ntwoAND MORE").unwrap();
        0
    });
    assert_eq!(client.carry_out(&CALL, until(&clock), 3, &clock).unwrap(), (200, b"one".to_vec()));
    assert!(client.keeps(0));
    assert_eq!(client.carry_out(&CALL, until(&clock), 3, &clock).unwrap(), (404, b"two".to_vec()));
    assert!(!client.keeps(0));
    result(&server);
}

#[test]
fn who_waits_does_so_within_bounds() {
    let clock = Clock::system();
    let (mut silent, server) = client(|stream| {
        request(stream);
        // Until the client lets go.
        stream.read(&mut [0]).unwrap()
    });
    let late = silent.carry_out(&CALL, clock.now() + Nanos::from_millis(50), 3, &clock).unwrap_err();
    assert_eq!((late.outcome, late.stood), (Outcome::Timeout, Some(Stood::Sent)));
    assert!(matches!(late.why, Why::Late));
    assert_eq!(result(&server), 0);

    let (mut endless, server) = client(|stream| {
        request(stream);
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
        while stream.write_all(&[b'x'; 4096]).is_ok() {}
        0
    });
    let long = endless.carry_out(&CALL, until(&clock), 10_000, &clock).unwrap_err();
    assert!(matches!(long.why, Why::TooLong), "{long:?}");
    result(&server);
}
