//! Agreements and exchanges of this driver, and the lab they are tried in, with what comes to its listener.
#![allow(unreachable_pub, reason = "a module of tests")]
#![allow(clippy::unwrap_used, reason = "clippy does not see that this is test code")]

pub mod peer;

use contract::{Answer, Mistake, Node, Reply, Settings, Table};
use driver_ebms::EBMS;
use std::collections::BTreeMap;
use std::path::Path;
use terms::Nanos;
use testkit::{Lab, Recorded, Surroundings, text};

/// An agreement of the tests with words filled in; the others are those of best effort.
pub fn agreement(words: &[(&str, &str)]) -> String {
    let usual = [
        ("ID", "urn:cpa:1"),
        ("START", "2001-01-01T00:00:00Z"),
        ("A", "00000001"),
        ("B", "00000002"),
        ("A_URL", "$(listeners.pong.url)"),
        ("B_URL", "http://127.0.0.1:2/ebms"),
        ("SIGNALS", "none"),
        (
            "CHARACTERISTICS",
            "tns:syncReplyMode=\"none\" tns:ackRequested=\"perMessage\" tns:duplicateElimination=\"perMessage\"",
        ),
        ("WANTS", ""),
        ("RETRIES", "3"),
        ("INTERVAL", "PT0.1S"),
        ("SENDER", ""),
    ];
    let mut text = include_str!("../../agreement.xml").to_owned();
    for (word, value) in words.iter().chain(&usual) {
        text = text.replace(&format!("@{word}@"), value);
    }
    text
}

pub const RELIABLE: (&str, &str) = (
    "CHARACTERISTICS",
    "tns:syncReplyMode=\"none\" tns:ackRequested=\"always\" tns:actor=\"urn:oasis:names:tc:ebxml-msg:actor:toPartyMSH\" \
     tns:ackSignatureRequested=\"never\" tns:duplicateElimination=\"always\"",
);

/// A folder with one agreement in `cpas/`.
pub fn folder(words: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("cpas")).unwrap();
    std::fs::write(folder.path().join("cpas/1.xml"), agreement(words)).unwrap();
    folder
}

/// An exchange to that address, with further settings.
pub fn exchange(operation: &str, to: &str, more: &[(&str, Node)]) -> Settings {
    let mut entries = vec![
        ("to", text(to)),
        ("agreements", text("cpas")),
        ("cpa", text("urn:cpa:1")),
        ("from", text("00000001")),
        ("reply_at", text("pong")),
    ];
    if operation == "message" {
        entries.push(("action", text("Order")));
    }
    for (key, value) in more {
        entries.retain(|(known, _)| known != key);
        entries.push((*key, value.clone()));
    }
    entries.retain(|(_, value)| !value.is_missing());
    // What nothing else comes for is refused at once or never, in these tests.
    let within = BTreeMap::from([("error".to_owned(), Nanos::from_millis(300))]);
    Settings { timeout: Nanos::from_secs(5), within, ..testkit::exchange(operation, &entries) }
}

/// One session for these exchanges, with the files of that folder.
pub fn lab(exchanges: &[Settings], base: &Path) -> Lab {
    Lab::with(EBMS, exchanges, Surroundings::at(base))
}

/// The mistakes in an exchange; the table is what `$(cpas.…)` stands for.
pub fn mistakes(base: &Path, settings: Settings, table: Table) -> Vec<Mistake> {
    testkit::mistakes(EBMS, settings, &Surroundings { table, ..Surroundings::at(base) })
}

/// What a lab of messages can do besides.
pub trait Messages {
    /// One exchange with all that comes of it: `after` is called while its later legs are open.
    fn run_on(&mut self, exchange: u16, after: impl FnMut(&mut Self)) -> Recorded;

    /// A message comes to the listener.
    fn arrive_as(&mut self, content_type: &str, body: &[u8]) -> (Reply, Answer);

    /// A message without parts comes to the listener.
    fn arrive(&mut self, body: &[u8]) -> (Reply, Answer) {
        self.arrive_as("text/xml; charset=UTF-8", body)
    }
}

impl Messages for Lab {
    fn run_on(&mut self, exchange: u16, mut after: impl FnMut(&mut Self)) -> Recorded {
        self.carry_out(exchange);
        after(self);
        self.settle();
        self.seen()
    }

    fn arrive_as(&mut self, content_type: &str, body: &[u8]) -> (Reply, Answer) {
        self.deliver(&[("soapaction", b"\"ebXML\""), ("content-type", content_type.as_bytes())], body)
    }
}
