//! What is reported about a failed exchange: short, escaped, bounded.

use contract::Note;
use scrub::MARK;
use std::borrow::Cow;
use std::fmt::{Arguments, Write};

/// This much of an answer is shown.
const SHOWN_BYTES: usize = 200;
/// This much of what a check found is shown.
const FOUND_BYTES: usize = 256;
/// This much of it is looked through for what is kept out.
const CLEANED_BYTES: usize = 4096;

/// Adds a sentence.
pub fn say(note: &mut Note, sentence: Arguments<'_>) {
    note.add(sentence.to_string().as_bytes());
}

/// A text of one line in the words of a sentence: control characters and the like are written out, quotation marks stay
/// what they are.
pub fn written_out(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '"' | '\'' | '\\') { out.push(c) } else { out.extend(c.escape_debug()) }
    }
    out
}

/// What a check found, or the state of a job, in the words of a sentence: without what is kept out, and short.
pub fn found(note: &Note, found: &str) -> String {
    // What is kept out goes first: a value that is cut in two is not known again.
    let clean = note.clean(found.as_bytes()).into_owned();
    let clean = String::from_utf8_lossy(&clean);
    written_out(&shortened(&clean, FOUND_BYTES))
}

/// The beginning of a text; a mark is not cut in two.
fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return text.into();
    }
    format!("{}…", &text[..end_of(text.as_bytes(), text.floor_char_boundary(most))]).into()
}

/// Where the beginning of a text ends, so that it has `most` bytes or all of a mark that begins within them.
fn end_of(text: &[u8], most: usize) -> usize {
    if text.len() <= most {
        return text.len();
    }
    // Of marks that begin there only the last can reach beyond.
    let near = most.saturating_sub(MARK.len() - 1)..most;
    let mark = near.rev().find(|at| text[*at..].starts_with(MARK.as_bytes()));
    mark.map_or(most, |at| at + MARK.len())
}

/// Adds the beginning of an answer, control characters and what is not UTF-8 written out.
pub fn show(note: &mut Note, bytes: &[u8]) {
    // What is kept out goes first: a value that is cut in two is not known again.
    let clean = note.clean(&bytes[..bytes.len().min(CLEANED_BYTES)]).into_owned();
    let end = end_of(&clean, SHOWN_BYTES);
    let (cut, is_whole) = (&clean[..end], end == clean.len() && bytes.len() <= CLEANED_BYTES);
    let mut text = String::new();
    for chunk in cut.utf8_chunks() {
        for c in chunk.valid().chars() {
            if c.is_control() {
                text.extend(c.escape_default());
            } else {
                text.push(c);
            }
        }
        for byte in chunk.invalid() {
            write!(text, "\\x{byte:02x}").expect("writing to memory does not fail");
        }
    }
    note.add(b" `");
    note.add(text.as_bytes());
    note.add(if is_whole { b"`" } else { "…`".as_bytes() });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotation_marks_stay_what_they_are() {
        assert_eq!(written_out("{\"a\":\"x\\\"y\"}\n\u{1b}[2J"), "{\"a\":\"x\\\"y\"}\\n\\u{1b}[2J");
    }

    #[test]
    fn a_mark_is_not_cut_in_two() {
        let text = format!("{}{MARK}{}", "x".repeat(250), "y".repeat(50));
        assert_eq!(shortened(&text, 256), format!("{}{MARK}…", "x".repeat(250)));
        assert_eq!(shortened(&text, 240), format!("{}…", "x".repeat(240)));
        assert_eq!(shortened("äöü", 3), "ä…");
        assert_eq!(shortened("äöü", 6), "äöü");
        for before in 0..SHOWN_BYTES {
            let text = format!("{}{MARK}{}", "x".repeat(before), "y".repeat(300));
            let end = end_of(text.as_bytes(), SHOWN_BYTES);
            assert!(text[..end].contains(MARK), "{before}");
            assert!((SHOWN_BYTES..SHOWN_BYTES + MARK.len()).contains(&end), "{before}: {end}");
        }
    }
}
