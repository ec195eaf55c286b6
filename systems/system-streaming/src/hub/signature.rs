//! `X-Hub-Signature`: an HMAC over the content with the subscriber's secret.

use std::fmt::Write;

use ring::hmac;

/// The method by which a hub signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Method {
    Sha1,
    Sha256,
    Sha384,
    Sha512,
}

impl Method {
    /// `method=hex`; with the fault `wrong_signature` its last digit is another one.
    pub(super) fn sign(self, secret: &str, content: &[u8]) -> String {
        let (name, algorithm) = match self {
            Self::Sha1 => ("sha1", hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY),
            Self::Sha256 => ("sha256", hmac::HMAC_SHA256),
            Self::Sha384 => ("sha384", hmac::HMAC_SHA384),
            Self::Sha512 => ("sha512", hmac::HMAC_SHA512),
        };
        let tag = hmac::sign(&hmac::Key::new(algorithm, secret.as_bytes()), content);
        let mut text = format!("{name}=");
        for byte in tag.as_ref() {
            write!(text, "{byte:02x}").expect("writing to memory does not fail");
        }
        text
    }
}

/// The same with another last digit.
pub(super) fn spoilt(mut signature: String) -> String {
    let last = signature.pop();
    signature.push(if last == Some('0') { '1' } else { '0' });
    signature
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 2202 and RFC 4231, test case 2.
    #[test]
    fn signatures_are_those_of_the_standards() {
        let sign = |method: Method| method.sign("Jefe", b"what do ya want for nothing?");
        assert_eq!(sign(Method::Sha1), "sha1=effcdf6ae5eb2fa2d27416d5f184df9c259a7c79");
        let sha256 = sign(Method::Sha256);
        assert_eq!(sha256, "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
        assert!(sign(Method::Sha384).starts_with("sha384=af45d2e376484031617f78d2b58a6b1b"));
        assert!(sign(Method::Sha512).starts_with("sha512=164b7a7bfcf819e2e395fbe73b56e0a3"));
        assert!(spoilt(sha256.clone()).starts_with("sha256=5bdc") && spoilt(sha256.clone()) != sha256);
    }
}
