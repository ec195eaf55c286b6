//! Agreements for tests.

use crate::agreement::{Agreement, from_document};
use crate::xml::Element;

/// The tests' agreement, with words filled in; the others are those of best effort.
pub(crate) fn document(words: &[(&str, &str)]) -> String {
    let usual = [
        ("ID", "urn:cpa:1"),
        ("START", "2001-01-01T00:00:00Z"),
        ("A", "00000001"),
        ("B", "00000002"),
        ("A_URL", "http://127.0.0.1:1/pong"),
        ("B_URL", "http://127.0.0.1:2/ebms"),
        ("SIGNALS", "none"),
        (
            "CHARACTERISTICS",
            "tns:syncReplyMode=\"none\" tns:ackRequested=\"perMessage\" tns:duplicateElimination=\"perMessage\"",
        ),
        ("WANTS", ""),
        ("RETRIES", "3"),
        ("INTERVAL", "PT5S"),
        ("SENDER", ""),
    ];
    let mut text = include_str!("../tests/agreement.xml").to_owned();
    for (word, value) in words.iter().chain(&usual) {
        text = text.replace(&format!("@{word}@"), value);
    }
    text
}

/// The same, read.
pub(crate) fn agreement(words: &[(&str, &str)]) -> Agreement {
    read(&document(words)).unwrap()
}

pub(crate) fn read(text: &str) -> Result<Agreement, String> {
    let root = Element::read(text.as_bytes()).map_err(|why| why.0)?;
    from_document(&root, "cpa.xml").map(|(agreement, ..)| agreement)
}

/// What reliable messaging has.
pub(crate) const RELIABLE: (&str, &str) = (
    "CHARACTERISTICS",
    "tns:syncReplyMode=\"none\" tns:ackRequested=\"always\" tns:actor=\"urn:oasis:names:tc:ebxml-msg:actor:toPartyMSH\" \
     tns:ackSignatureRequested=\"never\" tns:duplicateElimination=\"always\"",
);
