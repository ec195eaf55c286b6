//! The secret that lets a page stop a run.

use std::fs::File;
use std::io::{self, Read};

/// 128 bits: not to be guessed.
const BYTES: usize = 16;

/// A secret as hexadecimal text.
pub(crate) struct Token(String);

impl Token {
    /// A new one.
    ///
    /// # Errors
    /// When the system gives no randomness.
    pub(crate) fn new() -> io::Result<Self> {
        let mut bytes = [0; BYTES];
        File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// For the part of an address that a browser does not send.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    /// Whether it is this one. Takes as long for every wrong one, so that it cannot be guessed piece by piece.
    pub(crate) fn is(&self, given: &[u8]) -> bool {
        let own = self.0.as_bytes();
        own.len() == given.len() && own.iter().zip(given).fold(0, |all, (own, given)| all | (own ^ given)) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_token_is_the_token() {
        let (one, other) = (Token::new().unwrap(), Token::new().unwrap());
        assert_eq!(one.text().len(), 2 * BYTES);
        assert!(one.is(one.text().as_bytes()));
        let all_but_one = &one.text().as_bytes()[1..];
        for wrong in [other.text().as_bytes(), all_but_one, b""] {
            assert!(!one.is(wrong));
        }
    }
}
