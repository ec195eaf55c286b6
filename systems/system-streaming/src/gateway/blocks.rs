//! Where one event of a stream ends and the next begins: at an empty line, however lines end (WHATWG HTML, "Server-sent
//! events", section on parsing).

use axum::body::Bytes;
use bytes::BytesMut;

/// Largest event that is relayed.
const EVENT_MAX: usize = 1 << 20;

/// Lines up to an empty one, byte for byte as they came.
#[derive(Debug, PartialEq)]
pub(super) struct Block {
    pub(super) bytes: Bytes,
    /// Whether a reader would see an event: it has a line of data. Comments alone are none.
    pub(super) is_event: bool,
}

/// A stream taken apart, however it is split into pieces.
#[derive(Default)]
pub(super) struct Blocks {
    held: BytesMut,
    /// Where the line in hand begins, and up to where it was looked at.
    line: usize,
    seen: usize,
    has_data: bool,
    /// Whether the last line ended with CR as the last byte held, so that LF would still belong to it.
    after_cr: bool,
}

impl Blocks {
    /// Adds what came; false if an event becomes too large.
    pub(super) fn push(&mut self, piece: &[u8]) -> bool {
        self.held.extend_from_slice(piece);
        self.held.len() <= EVENT_MAX
    }

    /// The next whole block.
    pub(super) fn next(&mut self) -> Option<Block> {
        while let Some(&byte) = self.held.get(self.seen) {
            let at = self.seen;
            self.seen += 1;
            if std::mem::take(&mut self.after_cr) && byte == b'\n' {
                // The rest of CRLF; its line has ended.
                self.line = self.seen;
                continue;
            }
            if byte != b'\n' && byte != b'\r' {
                continue;
            }
            let line = &self.held[self.line..at];
            if line.is_empty() {
                let takes_lf = byte == b'\r' && self.held.get(self.seen) == Some(&b'\n');
                self.after_cr = byte == b'\r' && !takes_lf;
                let bytes = self.held.split_to(self.seen + usize::from(takes_lf)).freeze();
                (self.line, self.seen) = (0, 0);
                return Some(Block { bytes, is_event: std::mem::take(&mut self.has_data) });
            }
            self.has_data |= line == b"data" || line.starts_with(b"data:");
            self.after_cr = byte == b'\r';
            self.line = self.seen;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(pieces: &[&[u8]]) -> Vec<(String, bool)> {
        let mut blocks = Blocks::default();
        let mut found = Vec::new();
        for piece in pieces {
            assert!(blocks.push(piece));
            while let Some(block) = blocks.next() {
                found.push((String::from_utf8(block.bytes.to_vec()).unwrap(), block.is_event));
            }
        }
        found
    }

    #[test]
    fn blocks_end_at_an_empty_line_of_any_kind() {
        let found = all(&[b": hello\n\nid: 1\ndata: a\ndata: b\n\ndata\r\n\r\nretry: 9\r\rdatum: x\n\ndata: cut"]);
        let expected = [
            (": hello\n\n", false),
            ("id: 1\ndata: a\ndata: b\n\n", true),
            ("data\r\n\r\n", true),
            ("retry: 9\r\r", false),
            ("datum: x\n\n", false),
        ];
        assert_eq!(found, expected.map(|(text, is_event)| (text.to_owned(), is_event)));
    }

    #[test]
    fn an_event_has_a_largest_size() {
        let mut blocks = Blocks::default();
        assert!(blocks.push(&vec![b'x'; EVENT_MAX]));
        assert!(!blocks.push(b"x"));
    }

    proptest! {
        #[test]
        fn how_it_is_split_changes_nothing(
            lines in proptest::collection::vec(prop_oneof!["data: [ab]{0,3}", "(id: 1|: c)", Just(String::new())], 0..12),
            ending in prop_oneof![Just("\n"), Just("\r\n")],
            cut in 0usize..200,
        ) {
            let text: String = lines.iter().flat_map(|line| [line.as_str(), ending]).collect();
            let (one, other) = text.as_bytes().split_at(cut.min(text.len()));
            let (whole, parted) = (all(&[text.as_bytes()]), all(&[one, other]));
            let events = |found: &[(String, bool)]| found.iter().filter(|(_, is_event)| *is_event).count();
            prop_assert_eq!(events(&whole), events(&parted));
            let joined = |found: &[(String, bool)]| found.iter().map(|(text, _)| text.as_str()).collect::<String>();
            prop_assert!(text.starts_with(&joined(&whole)) && text.starts_with(&joined(&parted)));
        }
    }
}
