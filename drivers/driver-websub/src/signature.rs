//! `X-Hub-Signature: method=hex`, by which a subscriber knows that content comes from its hub (section 8 of the
//! recommendation): an HMAC over the body, with the secret that the subscriber gave.

use ring::hmac;

/// The header, as handlers see names.
pub(crate) const HEADER: &str = "x-hub-signature";
/// This much of a header that cannot be read is shown.
const SHOWN_CHARS: usize = 40;

/// A secret, ready for each method that the recommendation names.
pub(crate) struct Secret([(&'static str, hmac::Key); 4]);

impl Secret {
    /// From what the hub was told.
    pub(crate) fn new(secret: &[u8]) -> Self {
        let key = |name, algorithm| (name, hmac::Key::new(algorithm, secret));
        Self([
            key("sha1", hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY),
            key("sha256", hmac::HMAC_SHA256),
            key("sha384", hmac::HMAC_SHA384),
            key("sha512", hmac::HMAC_SHA512),
        ])
    }

    /// Whether the header signs this body.
    ///
    /// # Errors
    /// What is wrong with it: half a sentence that goes on after *the content*.
    pub(crate) fn check(&self, header: Option<&[u8]>, body: &[u8]) -> Result<(), String> {
        let Some(header) = header else { return Err("has no `X-Hub-Signature`".to_owned()) };
        let text = std::str::from_utf8(header.trim_ascii()).unwrap_or_default();
        let shown = || text.chars().take(SHOWN_CHARS).flat_map(char::escape_debug).collect::<String>();
        let Some((method, digits)) = text.split_once('=') else {
            return Err(format!("has the `X-Hub-Signature` `{}`, where `method=hex` belongs", shown()));
        };
        let Some((_, key)) = self.0.iter().find(|(name, _)| name.eq_ignore_ascii_case(method)) else {
            return Err(format!("is signed by a method that no subscriber knows: `{}`", shown()));
        };
        let signature =
            bytes(digits).ok_or_else(|| format!("has a signature that is not hexadecimal: `{}`", shown()))?;
        hmac::verify(key, body, &signature)
            .map_err(|_| format!("is not signed with the subscription's secret ({method})"))
    }
}

fn bytes(digits: &str) -> Option<Vec<u8>> {
    // Longer than any digest that is known here is none of them.
    let pairs = digits.as_bytes().chunks(2);
    let is_fit = digits.len().is_multiple_of(2) && digits.len() <= 128;
    let of = |pair: &[u8]| {
        let digit = |at: usize| char::from(*pair.get(at)?).to_digit(16);
        Some((digit(0)? << 4 | digit(1)?) as u8)
    };
    is_fit.then(|| pairs.map(of).collect())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// RFC 2202, test case 2 of HMAC-SHA-1; RFC 4231, test case 2 of the others.
    const KNOWN: [&str; 4] = [
        "sha1=effcdf6ae5eb2fa2d27416d5f184df9c259a7c79",
        "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        "sha384=af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649",
        "sha512=164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
    ];
    const BODY: &[u8] = b"what do ya want for nothing?";

    #[test]
    fn signatures_of_each_method_are_those_of_the_standards() {
        let secret = Secret::new(b"Jefe");
        for header in KNOWN {
            assert_eq!(secret.check(Some(header.as_bytes()), BODY), Ok(()), "{header}");
            let upper = header.to_ascii_uppercase();
            assert_eq!(secret.check(Some(upper.as_bytes()), BODY), Ok(()), "{upper}");
            assert!(secret.check(Some(header.as_bytes()), b"else").unwrap_err().contains("not signed with"));
            assert!(Secret::new(b"jefe").check(Some(header.as_bytes()), BODY).is_err());
        }
    }

    #[test]
    fn what_is_no_signature_is_told_for_what_it_is() {
        let check = |header: Option<&[u8]>| Secret::new(b"x").check(header, BODY).unwrap_err();
        assert!(check(None).contains("has no"));
        assert!(check(Some(b"")).contains("where `method=hex` belongs"));
        assert!(check(Some(b"\xff\xfe")).contains("where"));
        assert!(check(Some(b"md5=00")).contains("no subscriber knows: `md5=00`"));
        assert!(check(Some(b"sha256=xy")).contains("not hexadecimal"));
        assert!(check(Some(b"sha256=0")).contains("not hexadecimal"));
        assert!(check(Some(b"sha256=")).contains("not signed with"));
        assert!(check(Some(&[b"sha1=".as_slice(), &[b'0'; 4096]].concat())).contains("not hexadecimal"));
    }

    proptest! {
        #[test]
        fn no_header_passes_by_accident(header: Vec<u8>, body: Vec<u8>) {
            prop_assert!(Secret::new(b"secret").check(Some(&header), &body).is_err());
        }
    }
}
