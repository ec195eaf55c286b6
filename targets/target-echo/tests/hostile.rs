//! The real binary and clients that misbehave: each is refused, bounded, and disturbs nobody else.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests of real servers in real time")]

use std::io::ErrorKind;
use std::time::Duration;

use target_common::probe::{Client, Target};

fn start(flags: &[&str]) -> Target {
    Target::start(env!("CARGO_BIN_EXE_target-echo"), &[&["--exit-after", "120s"], flags].concat()).unwrap()
}

const GET: &str = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// Sends `bytes`; the answer must have `status`, end the connection, and leave the target in health.
fn refused(target: &Target, bytes: &[u8], status: u16) {
    let mut client = target.connect().unwrap();
    client.send(bytes).unwrap();
    let reply = client.reply(false).unwrap();
    assert_eq!(reply.status, status, "{}", String::from_utf8_lossy(&bytes[..bytes.len().min(80)]));
    assert_eq!(reply.header("connection"), Some("close"));
    assert_eq!(client.rest().unwrap(), b"");
    assert_eq!(target.get("/health").unwrap(), "{\"status\":\"ok\"}\n");
}

#[test]
fn what_is_no_request_is_refused() {
    let target = start(&[]);
    refused(&target, b"\x16\x03\x01\x02\x00\x01\x00garbage\r\n\r\n", 400);
    refused(&target, b"GET / HTTP/1.1\r\n\r\n", 400);
    refused(&target, b"GET / HTTP/9.9\r\nHost: x\r\n\r\n", 400);
    refused(&target, b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n", 400);
    refused(&target, b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999999\r\n\r\n", 413);
    refused(&target, b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400);
    assert_eq!(target.counter("refused").unwrap(), 6);
    assert_eq!(target.counter("requests").unwrap(), 0);
}

#[test]
fn a_refusal_waits_for_the_answers_before_it() {
    let target = start(&["--service=20ms"]);
    let mut client = target.connect().unwrap();
    client.send(format!("{GET}nonsense\r\n\r\n{GET}")).unwrap();
    assert_eq!(client.reply(false).unwrap().status, 200);
    assert_eq!(client.reply(false).unwrap().status, 400);
    assert_eq!(client.rest().unwrap(), b"", "nothing after a refusal is served");
    assert_eq!(target.counter("requests").unwrap(), 1);
}

#[test]
fn an_endless_head_is_cut_off() {
    let target = start(&[]);
    let mut client = target.connect().unwrap();
    client.send("GET / HTTP/1.1\r\nHost: x\r\n").unwrap();
    let line = format!("X-More: {}\r\n", "a".repeat(1000));
    // 2 MB in all; the target may stop listening at any moment after 16 KiB.
    let stopped = (0..2_000).find_map(|_| client.send(&line).err());
    match stopped {
        Some(error) => assert!(matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe), "{error}"),
        None => assert_eq!(client.reply(false).unwrap().status, 431),
    }
    assert_eq!(target.counter("refused").unwrap(), 1);
    let resident_kib = resident_kib(target.pid());
    assert!(resident_kib < 40_000, "the target holds {resident_kib} KiB after an endless head");
}

#[test]
fn an_endless_body_is_cut_off() {
    let target = start(&[]);
    let mut client = target.connect().unwrap();
    client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n").unwrap();
    let chunk = [b"10000\r\n", vec![b'x'; 0x10000].as_slice(), b"\r\n"].concat();
    let stopped = (0..200).find_map(|_| client.send(&chunk).err());
    assert!(stopped.is_some() || client.reply(false).unwrap().status == 413);
    assert_eq!(target.counter("refused").unwrap(), 1);
}

#[test]
fn a_slow_sender_is_served_and_holds_up_nobody() {
    let target = start(&[]);
    let mut slow = target.connect().unwrap();
    for byte in GET.bytes() {
        slow.send([byte]).unwrap();
        // Another client gets its answers between any two bytes of the slow one.
        assert_eq!(target.get("/").unwrap(), "{\"ok\":true}\n");
    }
    assert_eq!(slow.reply(false).unwrap().status, 200);
    assert_eq!(target.counter("requests").unwrap(), GET.len() as u64 + 1);
}

#[test]
fn a_request_that_is_never_whole_is_refused_in_time() {
    let target = start(&["--request-timeout", "200ms"]);
    for begun in ["GET / HT", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhel"] {
        let mut client = target.connect().unwrap();
        client.send(begun).unwrap();
        assert_eq!(client.reply(false).unwrap().status, 408);
        assert_eq!(client.rest().unwrap(), b"");
    }
    // A connection that is only idle stays.
    let mut idle = target.connect().unwrap();
    assert_eq!(idle.get("/").unwrap().status, 200);
    std::thread::sleep(Duration::from_millis(600));
    assert_eq!(idle.get("/").unwrap().status, 200);
}

#[test]
fn clients_that_leave_are_counted_and_forgotten() {
    let target = start(&["--service=60s"]);
    let mut cut = target.connect().unwrap();
    cut.send(&GET[..10]).unwrap();
    drop(cut);
    let mut impatient = target.connect().unwrap();
    impatient.send(GET).unwrap();
    wait_until(&target, "\"requests\":1,");
    // With no time to linger, closing sends RST: the target learns at once that nobody waits any more.
    rustix::net::sockopt::set_socket_linger(impatient.stream(), Some(Duration::ZERO)).unwrap();
    drop(impatient);
    wait_until(&target, "\"abandoned\":1,");
    wait_until(&target, "\"truncated\":1,");
    // Only the connection that asks is left.
    wait_until(&target, "\"open_connections\":1,");
    assert_eq!(target.counter("answered").unwrap(), 0);
}

/// Asks for `/counters` until they hold `text`; fails after ten seconds.
fn wait_until(target: &Target, text: &str) {
    for _ in 0..500 {
        if target.get("/counters").unwrap().contains(text) {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("`{text}` never came true: {}", target.get("/counters").unwrap());
}

#[test]
fn hundreds_of_connections_are_held() {
    let target = start(&[]);
    let mut clients: Vec<Client> = (0..500).map(|_| target.connect().unwrap()).collect();
    clients.iter_mut().for_each(|client| client.send(GET).unwrap());
    clients.iter_mut().for_each(|client| assert_eq!(client.reply(false).unwrap().status, 200));
    assert_eq!(target.counter("answered").unwrap(), 500);
}

/// Resident memory of a process in KiB.
fn resident_kib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
