//! What every driver owes, by the suite; below it what only this one knows.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use contract::{DriverKind, Probe, Settings};
use driver_skeleton::SKELETON;
use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpStream};
use terms::Outcome;
use testkit::conformance::Protocol;
use testkit::{Lab, Server, Surroundings, body_is, capture, exchange, mistakes, text};

/// A server's half of the protocol, by which the suite tries the driver.
#[derive(Clone, Copy)]
struct Lines;

impl Protocol for Lines {
    const KIND: DriverKind = SKELETON;
    // Two texts of the check that compares bodies; the session itself makes none.
    const ALLOCATIONS_MAX: f64 = 2.0;

    fn exchange(self, to: SocketAddr) -> Settings {
        Settings { checks: vec![body_is("hello $(serial)")], ..line("hello $(serial)", to) }
    }

    fn request(self, stream: &mut TcpStream) -> Option<Vec<u8>> {
        let mut line = Vec::new();
        let count = BufReader::new(stream).read_until(b'\n', &mut line).ok()?;
        (count > 0).then_some(line)
    }

    fn answer(self, request: &[u8]) -> Vec<u8> {
        request.to_vec()
    }

    fn garbage(self) -> Vec<Vec<u8>> {
        vec![vec![b'x'; 100_000]]
    }
}

testkit::conformance!(Lines);

/// An exchange of that line.
fn line(line: &str, to: SocketAddr) -> Settings {
    exchange("send", &[("address", text(to.to_string())), ("line", text(line))])
}

/// How an exchange with these settings ends, with a server that answers each line with itself.
fn ends(settings: impl Fn(SocketAddr) -> Settings) -> Outcome {
    let echo = Server::start(|_, mut stream| {
        while let Some(line) = Lines.request(&mut stream) {
            if std::io::Write::write_all(&mut stream, &line).is_err() {
                break;
            }
        }
        0
    });
    Lab::new(SKELETON, &[settings(echo.address)]).carry_out(0)
}

#[test]
fn another_answer_than_the_study_wants_is_wrong() {
    assert_eq!(ends(|to| Settings { checks: vec![body_is("hello")], ..line("bye", to) }), Outcome::Wrong);
}

#[test]
fn a_value_that_was_never_captured_is_the_studys_fault() {
    assert_eq!(ends(|to| line("token $(token)", to)), Outcome::BadStudy);
    let never = || vec![capture(Probe::Regex("never (there)".into()))];
    assert_eq!(ends(|to| Settings { captures: never(), ..line("hello", to) }), Outcome::Wrong);
}

#[test]
fn all_mistakes_come_at_once_with_hints() {
    let found = |entries: &[(&str, &str)]| {
        let entries: Vec<_> = entries.iter().map(|(key, value)| (*key, text(*value))).collect();
        mistakes(SKELETON, exchange("send", &entries), &Surroundings::default())
    };
    let wrong = found(&[("adress", "x"), ("line", "$(nothing)")]);
    let codes: Vec<_> = wrong.iter().map(|mistake| mistake.code).collect();
    // A misspelt key is not missing besides.
    assert_eq!(codes, ["study::unknown-key", "study::unknown-name"], "{wrong:?}");
    assert_eq!(wrong[0].label.as_deref(), Some("did you mean `address`?"));
    assert_eq!(found(&[("address", "localhost"), ("line", "a")])[0].code, "study::wrong-type");
}
