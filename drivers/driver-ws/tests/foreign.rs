//! Compression against servers by other hands: Python's `websockets` and Node's `ws`.
//!
//! Opt-in, as neither is among what the tests need: `LOADPROOF_PYTHON` is a Python that has `websockets`, `NODE_PATH` the
//! `node_modules` that has `ws`. Then `cargo test -p driver-ws --test foreign -- --ignored`.
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

use contract::{Check, Compare, Probe, Settings};
use driver_ws::WS;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};
use terms::{Nanos, Outcome};
use testkit::{Lab, Surroundings, exchange, text};

/// Lengths of texts, characters: from a byte to a mebibyte, with those around what lengths are written in.
const LENGTHS: [usize; 12] = [1, 2, 125, 126, 1000, 1023, 1024, 4096, 65_535, 65_536, 300_000, 1 << 20];

/// A server in another language.
struct Foreign {
    child: Child,
    lines: BufReader<ChildStdout>,
    port: u16,
}

impl Foreign {
    fn start(mut command: Command) -> Self {
        let shown = format!("{command:?}");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect(&shown);
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        let port = line.trim().strip_prefix("port ").and_then(|port| port.parse().ok());
        Self { child, lines, port: port.unwrap_or_else(|| panic!("{shown} says `{line}`, not its port")) }
    }

    fn python(words: &[&str]) -> Self {
        let program = std::env::var("LOADPROOF_PYTHON").unwrap_or_else(|_| "python3".to_owned());
        let mut command = Command::new(program);
        command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/foreign/websockets_echo.py")).args(words);
        Self::start(command)
    }

    fn node(words: &[&str]) -> Self {
        let mut command = Command::new("node");
        command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/foreign/ws_echo.cjs")).args(words);
        Self::start(command)
    }

    /// Sends each of these texts on one connection, each with the number of its message, and has it echoed. What the
    /// driver counted, and what the server said of the connection.
    fn talk(&mut self, path: &str, texts: &[String]) -> (Counted, String) {
        let url = format!("ws://127.0.0.1:{}{path}", self.port);
        let settings = exchange(
            "talk",
            &[
                ("url", text(url)),
                ("message", text("$(message.n) $(row.value)")),
                ("compression", text("deflate")),
                ("max_message", text("4MiB")),
            ],
        );
        let is_sent = testkit::check(Probe::Body, Compare::Equal, "sent");
        let checks = vec![Check { text: "body = sent".to_owned(), ..is_sent }];
        let settings = Settings { checks, timeout: Nanos::from_secs(60), ..settings };
        let rows: Vec<&[u8]> = texts.iter().map(String::as_bytes).collect();
        let mut lab = Lab::with(WS, &[settings], Surroundings::rows(&rows));
        lab.deadline = Nanos::from_secs(60);
        assert_eq!(lab.connect(0, 0), Outcome::Ok, "{}", lab.seen().note);
        for _ in texts {
            assert_eq!(lab.send(0, 0), Outcome::Ok);
            lab.settle();
        }
        let seen = lab.seen();
        let answers: Vec<_> = seen.legs.iter().filter(|row| row.0 == 0).map(|row| (row.1, row.2)).collect();
        assert_eq!(answers, [(Outcome::Ok, texts.len() as u64)], "{path}: {}", seen.note);
        lab.disconnect(0);
        let [compressed, sent, sent_on_wire, received, received_on_wire] =
            ["compressed", "sent_bytes", "sent_on_wire", "received_bytes", "received_on_wire"]
                .map(|it| lab.counted(it));
        drop(lab);
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        println!("{path} {line}  {sent} B sent as {sent_on_wire}, {received} B received as {received_on_wire}");
        (Counted { compressed, sent, sent_on_wire, received, received_on_wire }, line.trim().to_owned())
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

struct Counted {
    compressed: i64,
    sent: i64,
    sent_on_wire: i64,
    received: i64,
    received_on_wire: i64,
}

/// Texts of all lengths: some that repeat, some that do not and have characters of one to four bytes.
fn texts() -> Vec<String> {
    let repeated = LENGTHS.iter().map(|&length| "so it goes, ".chars().cycle().take(length).collect());
    let mixed = LENGTHS.iter().map(|&length| {
        let letter = |index: usize| match terms::seed::hash(length as u64, index as u64) {
            draw if draw % 50 == 0 => ['é', '€', '🙂'][(draw / 50 % 3) as usize],
            draw => char::from(b' ' + (draw % 95) as u8),
        };
        (0..length).map(letter).collect::<String>()
    });
    repeated.chain(mixed).filter(|text: &String| text.len() <= 1 << 20).collect()
}

fn tried(mut server: Foreign, mut without: Foreign) {
    let texts = texts();
    for path in ["/", "/parts"] {
        let (counted, line) = server.talk(path, &texts);
        assert_eq!((counted.compressed, counted.sent), (1, counted.received), "{line}");
        assert!(line.contains("permessage-deflate") && line.ends_with(&format!("messages {}", texts.len())), "{line}");
        assert!(counted.sent_on_wire < counted.sent * 3 / 4, "{} of {}", counted.sent_on_wire, counted.sent);
        assert!(counted.received_on_wire < counted.received, "{} of {}", counted.received_on_wire, counted.received);
        let (counted, line) = without.talk(path, &texts);
        assert_eq!((counted.compressed, counted.sent_on_wire), (0, 0), "{line}");
        assert!(line.starts_with("agreed nothing"), "{line}");
    }
}

#[test]
#[ignore = "opt-in: needs a Python with the library `websockets`"]
fn websockets_of_python_understand_and_are_understood() {
    tried(Foreign::python(&[]), Foreign::python(&["without"]));
}

#[test]
#[ignore = "opt-in: needs Node with the library `ws`"]
fn ws_of_node_understands_and_is_understood() {
    tried(Foreign::node(&["with", "0"]), Foreign::node(&["without"]));
    // As it comes, which leaves messages below 1024 bytes as they are.
    tried(Foreign::node(&["with", "1024"]), Foreign::node(&["without"]));
}
