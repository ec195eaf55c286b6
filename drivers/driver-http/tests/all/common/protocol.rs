//! HTTP/1.1 for the suite of what every driver owes.
#![allow(unreachable_pub, reason = "two test binaries share it")]

use contract::{DriverKind, Settings};
use driver_http::HTTP;
use std::net::{SocketAddr, TcpStream};
use terms::Outcome;
use testkit::conformance::Protocol;
use testkit::{exchange, ok, read_request, status_is, text};

/// Plain requests without a body.
#[derive(Clone, Copy)]
pub struct Http;

impl Protocol for Http {
    const KIND: DriverKind = HTTP;

    fn exchange(self, to: SocketAddr) -> Settings {
        let url = text(format!("http://{to}/"));
        Settings { checks: vec![status_is("200")], ..exchange("get", &[("url", url)]) }
    }

    fn request(self, stream: &mut TcpStream) -> Option<Vec<u8>> {
        read_request(stream).map(|request| request.body)
    }

    fn answer(self, _: &[u8]) -> Vec<u8> {
        ok("hello").into()
    }

    fn garbage(self) -> Vec<Vec<u8>> {
        let head = "HTTP/1.1 200 OK\r\n";
        let all = [
            "SSH-2.0-OpenSSH_9.2p1\r\n".to_owned(),
            format!("{head}Content-Length: many\r\n\r\n"),
            format!("{head}Transfer-Encoding: chunked\r\n\r\nxyz\r\n"),
            format!("{head}{}\r\n", "A: b\r\n".repeat(200)),
            format!("{head}A: {}\r\n\r\n", "b".repeat(100_000)),
        ];
        all.map(String::into_bytes).into()
    }

    fn tells(self, outcome: Outcome, note: &str) -> bool {
        match outcome {
            Outcome::Refused => note.contains("there was no connection"),
            Outcome::Partial => note.contains("the server closed the connection"),
            Outcome::Timeout => note.contains("had come"),
            Outcome::Fault => note.starts_with("the answer is not HTTP: "),
            _ => !note.is_empty(),
        }
    }
}
