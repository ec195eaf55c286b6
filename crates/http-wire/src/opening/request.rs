//! The request that opens a connection, compiled into fixed bytes and slots.

use contract::{BuildContext, Note, Piece, Template};

/// A compiled request.
#[derive(Debug, Default)]
pub struct Request {
    parts: Vec<Part>,
}

#[derive(Debug, PartialEq)]
enum Part {
    Fixed(Vec<u8>),
    /// A template that the engine fills in, and where it stands.
    Slot(u16, Fit),
    /// What the driver puts there, another one each time.
    Own,
}

/// Where a value stands in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// In path or query: what may not stand there is percent-encoded, all else is left alone.
    Target,
    /// In a header's value: control characters are refused.
    Header,
}

/// Why a request cannot be made from this row and these captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unrenderable {
    /// A captured value that it needs is missing.
    NoValue,
    /// A header's value would hold a line break or another control character.
    ControlInHeader,
}

impl Request {
    /// Adds bytes as they are.
    pub fn fixed(&mut self, bytes: &[u8]) {
        match self.parts.last_mut() {
            Some(Part::Fixed(last)) => last.extend_from_slice(bytes),
            _ => self.parts.push(Part::Fixed(bytes.to_vec())),
        }
    }

    /// Adds the place of what the driver puts there, another one each time.
    pub fn own(&mut self) {
        self.parts.push(Part::Own);
    }

    /// Adds a template; its fixed pieces are made to fit now, its slots each time.
    ///
    /// # Errors
    /// A control character in a header's fixed piece.
    pub(super) fn template(
        &mut self,
        template: &Template,
        fit: Fit,
        context: &mut BuildContext<'_>,
    ) -> Result<(), Unrenderable> {
        for piece in &template.pieces {
            match piece {
                Piece::Fixed(bytes) => {
                    let mut bytes = bytes.to_vec();
                    fit.apply(&mut bytes, 0)?;
                    self.fixed(&bytes);
                }
                slot => {
                    let number = context.keep(Template { pieces: vec![slot.clone()] });
                    self.parts.push(Part::Slot(number, fit));
                }
            }
        }
        Ok(())
    }

    /// Appends the request, with what the driver puts at its own place. `fill` appends the template of a number; `false`
    /// when it cannot.
    ///
    /// # Errors
    /// Why it cannot be made.
    pub fn render(
        &self,
        own: &[u8],
        into: &mut Vec<u8>,
        fill: &mut dyn FnMut(u16, &mut Vec<u8>) -> bool,
    ) -> Result<(), Unrenderable> {
        for part in &self.parts {
            match part {
                Part::Fixed(bytes) => into.extend_from_slice(bytes),
                Part::Own => into.extend_from_slice(own),
                Part::Slot(number, fit) => {
                    let start = into.len();
                    if !fill(*number, into) {
                        return Err(Unrenderable::NoValue);
                    }
                    fit.apply(into, start)?;
                }
            }
        }
        Ok(())
    }
}

impl Unrenderable {
    /// Says it; `trouble` is why a script failed, if one did.
    pub fn tell(self, trouble: Option<&str>, note: &mut Note) {
        match (self, trouble) {
            (Self::NoValue, Some(trouble)) => note.add(trouble.as_bytes()),
            (Self::NoValue, None) => note.add(b"a value that the request needs was never captured"),
            (Self::ControlInHeader, _) => {
                note.add(b"a header's value would hold a line break or control character");
            }
        }
    }
}

impl Fit {
    /// Makes what stands from `start` on fit.
    fn apply(self, text: &mut Vec<u8>, start: usize) -> Result<(), Unrenderable> {
        match self {
            // RFC 9110, section 5.5: visible characters, blanks, and bytes above ASCII.
            Self::Header if text[start..].iter().any(|&byte| byte != b'\t' && (byte < b' ' || byte == 0x7f)) => {
                Err(Unrenderable::ControlInHeader)
            }
            Self::Target if !text[start..].iter().all(|&byte| fits_target(byte)) => {
                let raw = text.split_off(start);
                for byte in raw {
                    match fits_target(byte) {
                        true => text.push(byte),
                        false => text.extend_from_slice(format!("%{byte:02X}").as_bytes()),
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// RFC 3986: reserved and unreserved characters and `%`; `#` would begin a fragment, which is never sent.
fn fits_target(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~:/?[]@!$&'()*+,;=%".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::NoNames;

    fn rendered(pieces: Vec<Piece>, fit: Fit, value: &[u8]) -> Result<String, Unrenderable> {
        let (mut request, mut into) = (Request::default(), Vec::new());
        request.template(&Template { pieces }, fit, &mut BuildContext::new(&NoNames, "."))?;
        let mut fill = |_: u16, into: &mut Vec<u8>| {
            into.extend_from_slice(value);
            true
        };
        request.render(b"", &mut into, &mut fill)?;
        Ok(String::from_utf8(into).unwrap())
    }

    #[test]
    fn slots_are_made_to_fit_where_they_stand() {
        let pieces = || vec![Piece::Fixed((*b"/a b?q=").into()), Piece::Serial];
        assert_eq!(rendered(pieces(), Fit::Target, "ü #&".as_bytes()).unwrap(), "/a%20b?q=%C3%BC%20%23&");
        assert_eq!(rendered(pieces(), Fit::Header, b"x y").unwrap(), "/a b?q=x y");
        assert_eq!(rendered(pieces(), Fit::Header, b"x\r\nadmin: yes"), Err(Unrenderable::ControlInHeader));
        let fixed = vec![Piece::Fixed((*b"a\nb").into())];
        assert_eq!(rendered(fixed, Fit::Header, b""), Err(Unrenderable::ControlInHeader));
    }
}
