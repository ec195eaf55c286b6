//! Heads of requests, compiled into fixed bytes and slots; the length of the body and the body follow.

use contract::{BuildContext, Piece, Template};
use std::io::Write;

/// The head of a request up to the length of its body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Head(Vec<Part>);

#[derive(Clone, Debug)]
enum Part {
    Fixed(Vec<u8>),
    /// A template that the engine fills in, as the value of a header.
    Slot(u16),
}

/// Why a request cannot be made from this row and these captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unrenderable {
    /// A value that it needs is missing.
    NoValue,
    /// A header's value would hold a line break or another control character.
    Control,
}

impl Head {
    /// Adds bytes as they are.
    pub(crate) fn fixed(&mut self, bytes: &[u8]) {
        match self.0.last_mut() {
            Some(Part::Fixed(last)) => last.extend_from_slice(bytes),
            _ => self.0.push(Part::Fixed(bytes.to_vec())),
        }
    }

    /// The same between these bytes.
    pub(crate) fn between(&self, first: &[u8], last: &[u8]) -> Self {
        let mut head = Self::default();
        head.fixed(first);
        head.add(self);
        head.fixed(last);
        head
    }

    /// Adds all of another.
    pub(crate) fn add(&mut self, other: &Self) {
        for part in &other.0 {
            match part {
                Part::Fixed(bytes) => self.fixed(bytes),
                slot @ Part::Slot(_) => self.0.push(slot.clone()),
            }
        }
    }

    /// Adds the value of a header.
    ///
    /// # Errors
    /// A control character in a fixed piece.
    pub(crate) fn value(&mut self, value: &Template, context: &mut BuildContext<'_>) -> Result<(), Unrenderable> {
        for piece in &value.pieces {
            match piece {
                Piece::Fixed(bytes) if !is_fit(bytes) => return Err(Unrenderable::Control),
                Piece::Fixed(bytes) => self.fixed(bytes),
                slot => self.0.push(Part::Slot(context.keep(Template { pieces: vec![slot.clone()] }))),
            }
        }
        Ok(())
    }

    /// Appends the whole request with this body. `fill` appends the template of a number; `false` when it cannot.
    ///
    /// # Errors
    /// Why it cannot be made.
    pub(crate) fn write(
        &self,
        body: &[u8],
        into: &mut Vec<u8>,
        fill: &mut dyn FnMut(u16, &mut Vec<u8>) -> bool,
    ) -> Result<(), Unrenderable> {
        for part in &self.0 {
            match part {
                Part::Fixed(bytes) => into.extend_from_slice(bytes),
                Part::Slot(number) => {
                    let start = into.len();
                    if !fill(*number, into) {
                        return Err(Unrenderable::NoValue);
                    }
                    if !is_fit(&into[start..]) {
                        return Err(Unrenderable::Control);
                    }
                }
            }
        }
        write!(into, "Content-Length: {}\r\n\r\n", body.len()).expect("writing to memory does not fail");
        into.extend_from_slice(body);
        Ok(())
    }
}

/// What may stand in a header, by RFC 9110, section 5.5: visible characters, blanks, and bytes above ASCII.
pub(crate) fn is_fit(value: &[u8]) -> bool {
    value.iter().all(|&byte| byte == b'\t' || (byte >= b' ' && byte != 0x7f))
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::NoNames;

    fn written(value: Vec<Piece>, filled: &[u8]) -> Result<String, Unrenderable> {
        let (mut head, mut into) = (Head::default(), Vec::new());
        head.fixed(b"POST / HTTP/1.1\r\nx: ");
        head.value(&Template { pieces: value }, &mut BuildContext::new(&NoNames, "."))?;
        head.fixed(b"\r\n");
        head.write(b"abc", &mut into, &mut |_, into| {
            into.extend_from_slice(filled);
            !filled.is_empty()
        })?;
        Ok(String::from_utf8(into).unwrap())
    }

    #[test]
    fn the_length_of_the_body_stands_before_it() {
        let whole = "POST / HTTP/1.1\r\nx: 7\r\nContent-Length: 3\r\n\r\nabc";
        assert_eq!(written(vec![Piece::Serial], b"7").as_deref(), Ok(whole));
        assert_eq!(written(vec![Piece::Fixed((*b"7").into())], b"").as_deref(), Ok(whole));
    }

    #[test]
    fn a_line_break_never_reaches_a_header() {
        assert_eq!(written(vec![Piece::Serial], b"a\r\nadmin: yes"), Err(Unrenderable::Control));
        assert_eq!(written(vec![Piece::Fixed((*b"a\nb").into())], b""), Err(Unrenderable::Control));
        assert_eq!(written(vec![Piece::Serial], b""), Err(Unrenderable::NoValue));
    }
}
