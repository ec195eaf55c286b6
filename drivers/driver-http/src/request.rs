//! A request compiled into fixed bytes and slots, and rendered for each exchange.

use crate::escape::{ControlInHeader, Escape};
use contract::{BuildContext, Template};
use std::io::Write;

/// A compiled request.
#[derive(Debug, PartialEq)]
pub(crate) struct Request {
    head: Vec<RequestPiece>,
    body: Vec<RequestPiece>,
}

#[derive(Debug, PartialEq)]
enum RequestPiece {
    Fixed(Vec<u8>),
    /// A template that the engine fills in, and how it is made to fit.
    Slot {
        template: u16,
        escape: Escape,
    },
    /// Length of the body in decimal.
    BodyLength,
}

/// Why a request cannot be made from this row and these captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unrenderable {
    /// A captured value that it needs is missing.
    NoValue,
    /// A header's value would hold a control character.
    ControlInHeader,
}

impl From<ControlInHeader> for Unrenderable {
    fn from(_: ControlInHeader) -> Self {
        Self::ControlInHeader
    }
}

/// Memory for rendering, shared by all sessions of a thread.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    body: Vec<u8>,
    raw: Vec<u8>,
}

impl Request {
    /// Joins head (without its last empty line) and body; the length of the body is written where it is due.
    pub(crate) fn new(mut head: Text, body: Option<Text>, sends_length: bool) -> Self {
        let body = body.unwrap_or_default();
        if sends_length {
            head.fixed(b"Content-Length: ");
            match body.fixed_len() {
                Some(length) => head.fixed(length.to_string().as_bytes()),
                None => head.parts.push(RequestPiece::BodyLength),
            }
            head.fixed(b"\r\n");
        }
        head.fixed(b"\r\n");
        if body.fixed_len().is_some() {
            // A body without slots is part of the head's last piece, and a request without slots is one piece.
            for part in body.parts {
                if let RequestPiece::Fixed(bytes) = part {
                    head.fixed(&bytes);
                }
            }
            return Self { head: head.parts, body: Vec::new() };
        }
        Self { head: head.parts, body: body.parts }
    }

    /// The whole request, if it is the same every time.
    #[inline]
    pub(crate) fn as_fixed(&self) -> Option<&[u8]> {
        match self.head.as_slice() {
            [RequestPiece::Fixed(bytes)] if self.body.is_empty() => Some(bytes),
            _ => None,
        }
    }

    /// Appends the request for one exchange. `fill` appends the template of a number; `false` when it cannot.
    pub(crate) fn render(
        &self,
        into: &mut Vec<u8>,
        scratch: &mut Scratch,
        fill: &mut dyn FnMut(u16, &mut Vec<u8>) -> bool,
    ) -> Result<(), Unrenderable> {
        let Scratch { body, raw } = scratch;
        body.clear();
        for part in &self.body {
            part.render(body, 0, raw, fill)?;
        }
        for part in &self.head {
            part.render(into, body.len(), raw, fill)?;
        }
        into.extend_from_slice(body);
        Ok(())
    }
}

impl RequestPiece {
    #[inline]
    fn render(
        &self,
        into: &mut Vec<u8>,
        body_bytes: usize,
        raw: &mut Vec<u8>,
        fill: &mut dyn FnMut(u16, &mut Vec<u8>) -> bool,
    ) -> Result<(), Unrenderable> {
        match self {
            Self::Fixed(bytes) => into.extend_from_slice(bytes),
            Self::BodyLength => write!(into, "{body_bytes}").expect("writing to memory does not fail"),
            Self::Slot { template, escape } => {
                let start = into.len();
                if !fill(*template, into) {
                    return Err(Unrenderable::NoValue);
                }
                escape.apply(into, start, raw)?;
            }
        }
        Ok(())
    }
}

/// Builds a run of fixed pieces and slots.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Text {
    parts: Vec<RequestPiece>,
}

impl Text {
    /// Adds bytes that need no escaping.
    pub(crate) fn fixed(&mut self, bytes: &[u8]) {
        if let Some(RequestPiece::Fixed(last)) = self.parts.last_mut() {
            last.extend_from_slice(bytes);
        } else if !bytes.is_empty() {
            self.parts.push(RequestPiece::Fixed(bytes.to_vec()));
        }
    }

    /// Adds a slot that is filled in by this number.
    pub(crate) fn slot(&mut self, template: u16, escape: Escape) {
        self.parts.push(RequestPiece::Slot { template, escape });
    }

    /// Adds a template; its fixed pieces are made to fit now, its slots in each exchange.
    pub(crate) fn template(
        &mut self,
        template: &Template,
        escape: Escape,
        context: &mut BuildContext<'_>,
    ) -> Result<(), ControlInHeader> {
        if escape == Escape::Base64 && template.as_fixed().is_none() {
            // Three bytes become four letters: pieces cannot be encoded one by one.
            self.slot(context.keep(template.clone()), escape);
            return Ok(());
        }
        for piece in &template.pieces {
            match piece {
                contract::Piece::Fixed(bytes) => self.fixed(&escape.of(bytes)?),
                slot => {
                    let template = context.keep(Template { pieces: vec![slot.clone()] });
                    self.slot(template, escape);
                }
            }
        }
        Ok(())
    }

    /// Adds all of another.
    pub(crate) fn append(&mut self, other: Self) {
        for part in other.parts {
            match part {
                RequestPiece::Fixed(bytes) => self.fixed(&bytes),
                slot => self.parts.push(slot),
            }
        }
    }

    /// Whether these bytes stand in a fixed piece.
    pub(crate) fn contains(&self, bytes: &[u8]) -> bool {
        let holds = |piece: &RequestPiece| match piece {
            RequestPiece::Fixed(fixed) => fixed.windows(bytes.len()).any(|window| window == bytes),
            _ => false,
        };
        self.parts.iter().any(holds)
    }

    /// Length in bytes, if there are no slots.
    fn fixed_len(&self) -> Option<usize> {
        match self.parts.as_slice() {
            [] => Some(0),
            [RequestPiece::Fixed(bytes)] => Some(bytes.len()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::Piece;
    use testkit::NoNames;

    fn text(pieces: Vec<Piece>, escape: Escape, context: &mut BuildContext<'_>) -> Text {
        let mut text = Text::default();
        text.template(&Template { pieces }, escape, context).unwrap();
        text
    }

    fn render(request: &Request, value: &[u8]) -> Result<String, Unrenderable> {
        let mut into = Vec::new();
        let mut fill = |_: u16, into: &mut Vec<u8>| {
            into.extend_from_slice(value);
            true
        };
        request.render(&mut into, &mut Scratch::default(), &mut fill)?;
        Ok(String::from_utf8(into).unwrap())
    }

    #[test]
    fn a_request_without_slots_is_one_piece() {
        let mut context = BuildContext::new(&NoNames, ".");
        let head = text(vec![Piece::Fixed(b"POST / HTTP/1.1\r\n".as_slice().into())], Escape::Nothing, &mut context);
        let body = text(vec![Piece::Fixed(b"abc".as_slice().into())], Escape::Nothing, &mut context);
        let request = Request::new(head, Some(body), true);
        assert_eq!(request.as_fixed(), Some(b"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc".as_slice()));
    }

    #[test]
    fn the_length_follows_the_rendered_body() {
        let mut context = BuildContext::new(&NoNames, ".");
        let mut head = Text::default();
        head.fixed(b"POST / HTTP/1.1\r\n");
        let body = text(vec![Piece::Fixed(b"n=".as_slice().into()), Piece::Serial], Escape::Form, &mut context);
        let request = Request::new(head, Some(body), true);
        assert_eq!(request.as_fixed(), None);
        assert_eq!(render(&request, b"a b&").unwrap(), "POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\nn%3Da+b%26");
        assert_eq!(render(&request, b"").unwrap(), "POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\nn%3D");
    }

    #[test]
    fn a_line_break_from_data_never_reaches_a_header() {
        let mut context = BuildContext::new(&NoNames, ".");
        let mut head = Text::default();
        head.fixed(b"x: ");
        head.template(&Template { pieces: vec![Piece::Serial] }, Escape::Header, &mut context).unwrap();
        head.fixed(b"\r\n");
        let request = Request::new(head, None, false);
        assert_eq!(render(&request, b"fine"), Ok("x: fine\r\n\r\n".into()));
        assert_eq!(render(&request, b"a\r\nadmin: yes"), Err(Unrenderable::ControlInHeader));
    }
}
