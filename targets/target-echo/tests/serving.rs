//! The real binary over raw sockets: what it promises to those who behave.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests of real servers in real time")]

use target_common::probe::{Client, Target};
use target_echo::service::DEFAULT_BODY;
use target_echo::{Fate, Fates};

fn start(flags: &[&str]) -> Target {
    Target::start(env!("CARGO_BIN_EXE_target-echo"), &[&["--exit-after", "120s"], flags].concat()).unwrap()
}

fn start_at_once(flags: &[&str]) -> Target {
    start(&[&["--service", "0s"], flags].concat())
}

const GET: &str = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

#[test]
fn no_answer_is_early_and_the_books_add_up() {
    let target = start(&["--service=3ms"]);
    let mut client = target.connect().unwrap();
    for number in 0..50 {
        let reply = client.get("/x?y=z").unwrap();
        assert_eq!((reply.status, reply.body.as_slice()), (200, DEFAULT_BODY));
        assert_eq!(reply.header("request-number"), Some(number.to_string().as_str()));
    }
    let sequence = target.sequence().unwrap();
    assert_eq!(sequence.len(), 50);
    for entry in &sequence {
        assert_eq!(entry.due_ns, entry.arrival_ns + 3_000_000);
        assert!(entry.real_ns.unwrap() >= entry.due_ns);
    }
    assert!(sequence.is_sorted_by_key(|entry| entry.arrival_ns));
    assert_eq!(target.counter("requests").unwrap(), 50);
    assert_eq!(target.counter("answered").unwrap(), 50);
    // `/sequence`, two times `/counters` before, and this one.
    assert_eq!(target.counter("control").unwrap(), 4);
}

#[test]
fn a_mistake_on_the_command_line_ends_it_with_what_to_type() {
    let run =
        |flags: &[&str]| std::process::Command::new(env!("CARGO_BIN_EXE_target-echo")).args(flags).output().unwrap();
    for (flags, why) in [
        (&["--service", "5"][..], "`5ms`"),
        (&["--colour"], "'--colour'"),
        (&["--errors=60%", "--half=60%"], "together above `100%`"),
        (&["--interim", "101"], "possible are 100 and 102 to 199"),
        (&["--status", "204"], "204 allows no body"),
        (&["--tls-cert", "a.pem"], "--tls-key"),
        (&["--tls-cert", "a.pem", "--tls-key", "b.pem"], "`a.pem` cannot be used"),
        (&["--tls-self-signed", "a.pem", "--tls-key", "b.pem"], "cannot be used with"),
    ] {
        let output = run(flags);
        let text = String::from_utf8(output.stderr).unwrap();
        let is_explained = text.starts_with("error: ") && text.contains(why);
        assert!(output.status.code() == Some(2) && is_explained, "{flags:?}: {text}");
    }
    let output = run(&["--help"]);
    assert!(output.status.success());
    assert!(String::from_utf8(output.stdout).unwrap().contains("--tls-self-signed <FILE>"));
}

#[test]
fn the_body_of_a_post_comes_back_by_length_and_by_chunks() {
    let target = start(&[]);
    let mut client = target.connect().unwrap();
    let body: Vec<u8> = (0..200_000_u32).map(|i| (i % 251) as u8).collect();
    assert_eq!(client.post("/", &body).unwrap().body, body);
    client
        .send(
            "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nWiki\r\n5;x=y\r\npedia\r\n0\r\n\r\n",
        )
        .unwrap();
    assert_eq!(client.reply(false).unwrap().body, b"Wikipedia");
    assert_eq!(client.get("/").unwrap().body, DEFAULT_BODY, "the connection is still in step");
}

#[test]
fn sizes_chunks_and_heads() {
    let target = start_at_once(&["--bytes", "300000", "--chunked", "--status", "202"]);
    let mut client = target.connect().unwrap();
    let reply = client.get("/").unwrap();
    assert_eq!((reply.status, reply.body.len()), (202, 300_000));
    assert_eq!(&reply.body[..28], b"abcdefghijklmnopqrstuvwxyzab");
    let target = start_at_once(&["--bytes", "300000"]);
    let mut client = target.connect().unwrap();
    client.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let reply = client.reply(true).unwrap();
    assert_eq!(reply.header("content-length"), Some("300000"));
    assert_eq!(client.get("/").unwrap().body.len(), 300_000, "no body followed the answer to HEAD");
}

#[test]
fn pipelined_requests_are_answered_in_order_beyond_the_bound_of_waiting_ones() {
    let target = start(&[]);
    let mut client = target.connect().unwrap();
    let bodies: Vec<String> = (0..300).map(|i| format!("body {i}")).collect();
    let all: String = bodies
        .iter()
        .map(|body| format!("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{body}", body.len()))
        .collect();
    client.send(all).unwrap();
    for (number, body) in bodies.iter().enumerate() {
        let reply = client.reply(false).unwrap();
        assert_eq!(reply.body, body.as_bytes());
        assert_eq!(reply.header("request-number"), Some(number.to_string().as_str()));
    }
    // A control route behind a waiting answer keeps its place in the line.
    client.send(format!("{GET}GET /health HTTP/1.1\r\nHost: x\r\n\r\n")).unwrap();
    assert_eq!(client.reply(false).unwrap().header("request-number"), Some("300"));
    assert_eq!(client.reply(false).unwrap().body, b"{\"status\":\"ok\"}\n");
}

#[test]
fn all_pipelined_requests_of_a_client_that_ends_its_side_are_answered() {
    for service in ["0s", "1ms"] {
        let target = start(&["--service", service]);
        let mut client = target.connect().unwrap();
        client.send(format!("{}GET / HT", GET.repeat(300))).unwrap();
        client.stream().shutdown(std::net::Shutdown::Write).unwrap();
        (0..300).for_each(|_| assert_eq!(client.reply(false).unwrap().status, 200));
        assert_eq!(client.rest().unwrap(), b"");
        assert_eq!(target.counter("answered").unwrap(), 300);
        assert_eq!(target.counter("truncated").unwrap(), 1, "the piece behind the last whole request");
    }
}

#[test]
fn a_client_that_reads_late_gets_all_of_it() {
    let target = start_at_once(&["--bytes", "4000000"]);
    let mut client = target.connect().unwrap();
    // 40 MB of answers before the first read: more than the sockets hold.
    client.send(GET.repeat(10)).unwrap();
    assert_eq!(target.get("/health").unwrap(), "{\"status\":\"ok\"}\n", "others are served meanwhile");
    for _ in 0..10 {
        assert_eq!(client.reply(false).unwrap().body.len(), 4_000_000);
    }
    assert_eq!(target.counter("answered").unwrap(), 10);
}

#[test]
fn interim_answers_come_first() {
    let target = start(&["--continue"]);
    let mut client = target.connect().unwrap();
    assert_eq!(client.get("/").unwrap().status, 100);
    assert_eq!(client.reply(false).unwrap().status, 200);
    let target = start(&["--interim", "103"]);
    let mut client = target.connect().unwrap();
    assert_eq!(client.get("/").unwrap().status, 103);
    assert_eq!(client.reply(false).unwrap().status, 200);
}

#[test]
fn a_client_that_expects_it_is_told_to_continue() {
    let target = start(&[]);
    let mut client = target.connect().unwrap();
    client.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n").unwrap();
    assert_eq!(client.reply(false).unwrap().status, 100);
    assert_eq!(target.counter("requests").unwrap(), 0, "the request has not arrived before its body has");
    client.send("hello").unwrap();
    assert_eq!(client.reply(false).unwrap().body, b"hello");
}

#[test]
fn connections_end_after_so_many_answers() {
    let target = start(&["--close-every", "3"]);
    let mut client = target.connect().unwrap();
    assert_eq!(client.get("/").unwrap().header("connection"), None);
    client.get("/").unwrap();
    assert_eq!(client.get("/").unwrap().header("connection"), Some("close"));
    assert_eq!(client.rest().unwrap(), b"");
    let target = start(&["--close-every", "1", "--unannounced"]);
    let mut client = target.connect().unwrap();
    assert_eq!(client.get("/").unwrap().header("connection"), None);
    assert_eq!(client.rest().unwrap(), b"");
}

#[test]
fn the_clients_wish_to_close_is_kept() {
    let target = start(&[]);
    for head in ["GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"] {
        let mut client = target.connect().unwrap();
        client.send(head).unwrap();
        assert_eq!(client.reply(false).unwrap().header("connection"), Some("close"));
        assert_eq!(client.rest().unwrap(), b"");
    }
    // A client that ends its side right after the request still gets the answer.
    let mut client = target.connect().unwrap();
    client.send(GET).unwrap();
    client.stream().shutdown(std::net::Shutdown::Write).unwrap();
    assert_eq!(client.reply(false).unwrap().status, 200);
    assert_eq!(client.rest().unwrap(), b"");
}

/// What a client sees of one request on a fresh connection.
fn see(target: &Target) -> Fate {
    let mut client: Client = target.connect().unwrap();
    match client.get("/") {
        Ok(reply) if reply.status == 503 => Fate::Error,
        Ok(reply) if reply.body == DEFAULT_BODY => Fate::Right,
        Ok(reply) => {
            assert_eq!(reply.body.len(), DEFAULT_BODY.len());
            Fate::Wrong
        }
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
            let rest = client.rest().unwrap();
            assert_eq!(rest, DEFAULT_BODY[..DEFAULT_BODY.len() / 2]);
            Fate::Half
        }
        Err(error) => {
            assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
            Fate::Reset
        }
    }
}

#[test]
fn every_request_meets_its_fate() {
    let target = start_at_once(&["--errors=10%", "--reset=5%", "--half=4%", "--wrong=3%"]);
    let fates = Fates { errors: 1_000, resets: 500, halves: 400, wrongs: 300 };
    let count = 300;
    for number in 0..count {
        assert_eq!(see(&target), fates.of(number), "request {number}");
    }
    for (name, fate) in
        [("resets", Fate::Reset), ("halves", Fate::Half), ("errors", Fate::Error), ("wrongs", Fate::Wrong)]
    {
        assert_eq!(target.counter(name).unwrap(), fates.count(fate, count), "{name}");
        assert!(fates.count(fate, count) > 0, "the test must see each fate");
    }
    let cut = fates.count(Fate::Reset, count) + fates.count(Fate::Half, count);
    assert_eq!(target.counter("answered").unwrap(), count - cut);
}

#[test]
fn a_full_log_counts_what_it_lost() {
    let target = start_at_once(&["--sequence-limit", "3"]);
    let mut client = target.connect().unwrap();
    (0..5).for_each(|_| assert_eq!(client.get("/").unwrap().status, 200));
    assert_eq!(target.sequence().unwrap().len(), 3);
    assert_eq!(target.counter("sequence_lost").unwrap(), 2);
    assert_eq!(target.counter("requests").unwrap(), 5);
}
