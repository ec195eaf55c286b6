//! Text made to fit into a document.

use super::read::is_character;

/// Appends text as the content of an element. What XML cannot hold at all becomes U+FFFD, so that no value from data can
/// break the document or add to it.
pub(crate) fn escape_into(text: &[u8], into: &mut Vec<u8>) {
    write(text, into, false);
}

/// The same as the value of an attribute in double quotes.
pub(crate) fn attribute_into(text: &[u8], into: &mut Vec<u8>) {
    write(text, into, true);
}

fn write(text: &[u8], into: &mut Vec<u8>, is_attribute: bool) {
    for chunk in text.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some(at) = rest.find(|c: char| !fits(c, is_attribute)) {
            into.extend_from_slice(&rest.as_bytes()[..at]);
            let mut after = rest[at..].chars();
            if let Some(c) = after.next() {
                into.extend_from_slice(reference(c));
            }
            rest = after.as_str();
        }
        into.extend_from_slice(rest.as_bytes());
        if !chunk.invalid().is_empty() {
            into.extend_from_slice("\u{fffd}".as_bytes());
        }
    }
}

/// Whether a character may stand there as it is, and is read back as it was: a bare line end would be changed.
fn fits(c: char, is_attribute: bool) -> bool {
    match c {
        '<' | '>' | '&' | '\r' => false,
        '"' | '\n' | '\t' => !is_attribute,
        c => is_character(c),
    }
}

fn reference(c: char) -> &'static [u8] {
    match c {
        '<' => b"&lt;",
        '>' => b"&gt;",
        '&' => b"&amp;",
        '"' => b"&quot;",
        '\r' => b"&#13;",
        '\n' => b"&#10;",
        '\t' => b"&#9;",
        _ => "\u{fffd}".as_bytes(),
    }
}
