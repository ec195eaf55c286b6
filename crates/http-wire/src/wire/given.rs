//! Answers that come as parts, already taken out of their framing: those of HTTP/2.

use super::{EXCERPT_BYTES, Parser};

impl Parser {
    /// The head of the answer, with its fields in order.
    pub fn give_head<'a>(&mut self, status: u16, fields: impl Iterator<Item = (&'a [u8], &'a [u8])>) {
        self.has_begun = true;
        self.status = status;
        if !super::is_success(status) {
            self.keep = self.keep.max(EXCERPT_BYTES);
        }
        if !self.keeps_head && super::is_success(status) {
            return;
        }
        self.head.extend_from_slice(b"HTTP/2\r\n");
        for (name, value) in fields {
            for part in [name, b": ", value, b"\r\n"] {
                self.head.extend_from_slice(part);
            }
        }
    }

    /// The next bytes of its body.
    pub fn give_body(&mut self, bytes: &[u8]) {
        self.keep_body(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Expecting;
    use extract::Headers;

    #[test]
    fn parts_are_kept_as_those_of_a_stream_of_bytes() {
        let mut parser = Parser::new();
        parser.begin(Expecting { keeps_head: true, keep: 4, ..Expecting::default() });
        parser.give_head(200, [("etag", "a: b"), ("etag", "c")].map(|(n, v)| (n.as_bytes(), v.as_bytes())).into_iter());
        parser.give_body(b"abc");
        parser.give_body(b"def");
        assert_eq!((parser.status(), parser.body(), parser.body_bytes()), (200, b"abcd".as_slice(), 6));
        assert_eq!(parser.head().header("ETag"), Some(b"a: b".as_slice()));
        parser.begin(Expecting::default());
        parser.give_head(500, std::iter::empty());
        parser.give_body(b"oops");
        assert_eq!((parser.body(), parser.head().header("etag")), (b"oops".as_slice(), None));
    }
}
