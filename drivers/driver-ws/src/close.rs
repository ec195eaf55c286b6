//! Why a connection is closed (RFC 6455, section 7.4): codes, and what they mean for those who wait on it.

use crate::frame::Violation;
use terms::Outcome;

/// The purpose of the connection is fulfilled.
pub(crate) const NORMAL: u16 = 1000;
pub(crate) const PROTOCOL_ERROR: u16 = 1002;
/// A text that is not UTF-8.
pub(crate) const BAD_DATA: u16 = 1007;
pub(crate) const MESSAGE_TOO_BIG: u16 = 1009;

/// What a close frame says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Closed {
    /// None where it gives no reason.
    pub(crate) code: Option<u16>,
    pub(crate) reason: String,
}

impl Closed {
    /// Reads the payload of a close frame.
    ///
    /// # Errors
    /// How it breaks the protocol: half a code, one that may not be sent, a reason that is not UTF-8.
    pub(crate) fn read(payload: &[u8]) -> Result<Self, Violation> {
        let (code, reason) = match payload {
            [] => return Ok(Self { code: None, reason: String::new() }),
            [high, low, reason @ ..] => (u16::from_be_bytes([*high, *low]), reason),
            [_] => return Err(Violation::protocol("a close frame with half a code")),
        };
        if !may_be_sent(code) {
            return Err(Violation::protocol("a close frame with a code that may not be sent"));
        }
        match std::str::from_utf8(reason) {
            Ok(reason) => Ok(Self { code: Some(code), reason: reason.to_owned() }),
            Err(_) => Err(Violation { code: BAD_DATA, what: "a close frame whose reason is not UTF-8" }),
        }
    }

    /// How a message ends that was still waiting: with the connection, or since the server says that it or we failed.
    pub(crate) fn outcome(&self) -> Outcome {
        match self.code {
            Some(1002 | 1003 | 1007..=1011) => Outcome::Fault,
            _ => Outcome::Reset,
        }
    }

    /// What the standard or the registry calls it.
    pub(crate) fn word(&self) -> &'static str {
        match self.code {
            None => "without a code",
            Some(1000) => "normal closure",
            Some(1001) => "going away",
            Some(1002) => "protocol error",
            Some(1003) => "data that it cannot accept",
            Some(1007) => "invalid data",
            Some(1008) => "policy violation",
            Some(1009) => "message too big",
            Some(1010) => "an extension is missing",
            Some(1011) => "internal error",
            Some(1012) => "service restart",
            Some(1013) => "try again later",
            Some(1014) => "bad gateway",
            Some(_) => "a code of its own",
        }
    }
}

/// RFC 6455, section 7.4, and the registry of IANA: 1004 is reserved, 1005, 1006 and 1015 are never sent, 1012 to 1014
/// were added later, and from 3000 on codes belong to libraries and applications.
fn may_be_sent(code: u16) -> bool {
    matches!(code, 1000..=1003 | 1007..=1014 | 3000..=4999)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_close_frame_says_why() {
        assert_eq!(Closed::read(b"").unwrap().code, None);
        let closed = Closed::read(b"\x03\xf3too much").unwrap();
        assert_eq!((closed.code, closed.reason.as_str(), closed.word()), (Some(1011), "too much", "internal error"));
        assert_eq!(closed.outcome(), Outcome::Fault);
        assert_eq!(Closed::read(&1001u16.to_be_bytes()).unwrap().outcome(), Outcome::Reset);
    }

    #[test]
    fn a_close_frame_may_not_say_anything() {
        assert_eq!(Closed::read(b"\x03").unwrap_err().code, PROTOCOL_ERROR);
        for code in [0u16, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, u16::MAX] {
            assert_eq!(Closed::read(&code.to_be_bytes()).unwrap_err().code, PROTOCOL_ERROR, "{code}");
        }
        for code in [1000u16, 1003, 1007, 1014, 3000, 4999] {
            assert_eq!(Closed::read(&code.to_be_bytes()).unwrap().code, Some(code));
        }
        assert_eq!(Closed::read(b"\x03\xe8\xff").unwrap_err().code, BAD_DATA);
    }
}
