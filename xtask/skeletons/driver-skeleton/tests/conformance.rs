//! What every driver owes, one by one: the right outcome for each way of going wrong, nothing sent twice, mistakes with
//! hints.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

mod common;

use common::{Lab, body_is, exchange, mistakes, nobody, server};
use contract::{Capture, Place, Probe, Settings};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::sync::mpsc;
use terms::{Nanos, Outcome};

const PATIENT: Nanos = Nanos::from_secs(20);
const SHORT: Nanos = Nanos::from_millis(100);

fn line(stream: &TcpStream) -> Option<String> {
    let mut text = String::new();
    let read = BufReader::new(stream).read_line(&mut text).unwrap_or(0);
    (read > 0).then(|| text.trim_end().to_owned())
}

fn greeting(address: &str) -> Settings {
    exchange(&[("address", address), ("line", "hello $(serial)")])
}

/// A server that answers each line with what it makes of it.
fn answering(answer: impl Fn(&str) -> String + Send + 'static) -> String {
    server(move |_, mut stream| {
        while let Some(line) = line(&stream) {
            if stream.write_all(answer(&line).as_bytes()).is_err() {
                return;
            }
        }
    })
}

/// The outcome with a server that reads a line, sends this and closes.
fn after(answer: &'static str) -> Outcome {
    let address = server(move |_, mut stream| {
        let _ = line(&stream);
        let _ = stream.write_all(answer.as_bytes());
    });
    Lab::new(greeting(&address)).run(PATIENT)
}

#[test]
fn a_right_answer_is_ok_and_its_connection_serves_the_next_exchange() {
    let address = answering(|line| format!("{line}\n"));
    let settings = Settings { checks: vec![body_is("hello $(serial)")], ..greeting(&address) };
    let mut lab = Lab::new(settings);
    for _ in 0..10 {
        assert_eq!(lab.run(PATIENT), Outcome::Ok);
    }
    assert_eq!(lab.connects(), 1);
}

#[test]
fn without_reuse_every_exchange_has_a_connection_of_its_own() {
    let address = answering(|line| format!("{line}\n"));
    let mut lab = Lab::new(Settings { reuse: false, ..greeting(&address) });
    for _ in 0..3 {
        assert_eq!(lab.run(PATIENT), Outcome::Ok);
    }
    assert_eq!(lab.connects(), 3);
}

#[test]
fn each_way_of_going_wrong_has_its_outcome() {
    assert_eq!(Lab::new(greeting(&nobody())).run(PATIENT), Outcome::Refused);
    assert_eq!(after(""), Outcome::Reset);
    assert_eq!(after("half"), Outcome::Partial);
    let silent = server(|_, stream| drop((line(&stream), line(&stream))));
    assert_eq!(Lab::new(greeting(&silent)).run(SHORT), Outcome::Timeout);
    let endless = server(|_, mut stream| while stream.write_all(&[b'x'; 4096]).is_ok() {});
    assert_eq!(Lab::new(greeting(&endless)).run(PATIENT), Outcome::Fault);
    let other = answering(|_| "bye\n".into());
    let settings = Settings { checks: vec![body_is("hello")], ..greeting(&other) };
    assert_eq!(Lab::new(settings).run(PATIENT), Outcome::Wrong);
}

#[test]
fn a_late_answer_is_never_taken_for_the_next_one() {
    let address = server(|number, mut stream| {
        while let Some(line) = line(&stream) {
            // The first connection answers only when its client is gone, and nobody hears it.
            if number > 0 && stream.write_all(format!("{line}\n").as_bytes()).is_err() {
                return;
            }
        }
    });
    let mut lab = Lab::new(Settings { checks: vec![body_is("hello $(serial)")], ..greeting(&address) });
    assert_eq!(lab.run(SHORT), Outcome::Timeout);
    assert_eq!(lab.run(PATIENT), Outcome::Ok);
    assert_eq!(lab.connects(), 2);
}

#[test]
fn a_server_that_leaves_between_exchanges_is_noticed() {
    let (leave, told) = mpsc::channel::<()>();
    let address = server(move |_, mut stream| {
        let text = line(&stream).unwrap_or_default();
        let _ = stream.write_all(format!("{text}\n").as_bytes());
        let _ = told.recv();
    });
    let mut lab = Lab::new(greeting(&address));
    assert_eq!(lab.run(PATIENT), Outcome::Ok);
    leave.send(()).unwrap();
    lab.hear_the_end();
    assert_eq!(lab.run(PATIENT), Outcome::Ok);
    assert_eq!(lab.connects(), 2);
}

#[test]
fn a_value_that_was_never_captured_is_the_studys_fault() {
    let address = answering(|line| format!("{line}\n"));
    let settings = exchange(&[("address", &address), ("line", "token $(token)")]);
    let capture =
        Capture { name: "token".into(), slot: 0, probe: Probe::Regex("never (there)".into()), place: Place::default() };
    assert_eq!(Lab::new(settings).run(PATIENT), Outcome::BadStudy);
    let settings = Settings { captures: vec![capture], ..greeting(&address) };
    assert_eq!(Lab::new(settings).run(PATIENT), Outcome::Wrong);
}

#[test]
fn all_mistakes_come_at_once_with_hints() {
    let found = mistakes(exchange(&[("adress", "x"), ("line", "$(nothing)")]));
    let codes: Vec<_> = found.0.iter().map(|mistake| mistake.code).collect();
    assert_eq!(codes, ["study::missing-key", "study::unknown-name", "study::unknown-key"], "{found:?}");
    assert_eq!(found.0[2].label.as_deref(), Some("did you mean `address`?"));
    let found = mistakes(exchange(&[("address", "localhost"), ("line", "a")]));
    assert_eq!(found.0[0].code, "study::wrong-type");
}
