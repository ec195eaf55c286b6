//! Bearer tokens signed with RSA (`RS256` of RFC 7518): whoever checks them has the public key only.

use crate::token::{Claims, TokenError, verified};
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
use rustls_pki_types::SubjectPublicKeyInfoDer;
use rustls_pki_types::pem::PemObject;

/// The only head that is accepted.
const HEAD: &str = r#"{"alg":"RS256","typ":"JWT"}"#;
/// Tags of DER.
const SEQUENCE: u8 = 0x30;
const BIT_STRING: u8 = 0x03;
/// The algorithm of an RSA key, with its parameters: 1.2.840.113549.1.1.1 and NULL.
const RSA: [u8; 13] = [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00];

/// A key that verifies and cannot sign.
#[derive(Clone, Debug)]
pub struct PublicTokenKey(UnparsedPublicKey<Vec<u8>>);

impl PublicTokenKey {
    /// From PEM as `openssl pkey -pubout` writes it (`BEGIN PUBLIC KEY`); `None` where it is not a public RSA key.
    pub fn from_pem(pem: &str) -> Option<Self> {
        let info = SubjectPublicKeyInfoDer::from_pem_slice(pem.as_bytes()).ok()?;
        let (whole, _) = field(SEQUENCE, &info)?;
        let (algorithm, rest) = field(SEQUENCE, whole)?;
        // Before a key stands how many bits of its last byte are none of it.
        let (&0, key) = field(BIT_STRING, rest)?.0.split_first()? else { return None };
        (algorithm == RSA).then(|| Self(UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, key.to_vec())))
    }

    /// Verifies a token at a time in seconds since 1970 and returns what it says.
    ///
    /// # Errors
    /// [`TokenError`]; nothing of the claims is looked at before the signature holds.
    pub fn verify(&self, token: &str, now_s: u64) -> Result<Claims, TokenError> {
        verified(token, HEAD, now_s, |signed, signature| self.0.verify(signed, signature).is_ok())
    }
}

/// The content of a field of DER, and what stands behind it.
fn field(tag: u8, bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (&found, rest) = bytes.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = match first {
        0..=0x7f => (usize::from(first), rest),
        0x81 => (usize::from(*rest.first()?), rest.get(1..)?),
        0x82 => (usize::from(u16::from_be_bytes(*rest.first_chunk()?)), rest.get(2..)?),
        _ => return None,
    };
    (found == tag).then(|| rest.split_at_checked(length)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both written by OpenSSL 3: `openssl genpkey -algorithm RSA`, `openssl pkey -pubout`, `openssl dgst -sha256 -sign`.
    const PUBLIC: &str = include_str!("../testdata/rsa-public.pem");
    const TOKEN: &str = include_str!("../testdata/rsa-token.txt");

    #[test]
    fn what_openssl_signed_is_accepted_until_it_expires() {
        let key = PublicTokenKey::from_pem(PUBLIC).unwrap();
        let claims = Claims { sub: "perf".into(), tenant: "lab".into(), iat: 1000, exp: 2000 };
        assert_eq!(key.verify(TOKEN.trim(), 1999), Ok(claims));
        assert_eq!(key.verify(TOKEN.trim(), 2000), Err(TokenError::Expired));
    }

    #[test]
    fn no_changed_letter_is_accepted() {
        let key = PublicTokenKey::from_pem(PUBLIC).unwrap();
        let token = TOKEN.trim();
        for place in (0..token.len() - 1).filter(|place| token.as_bytes()[*place] != b'.') {
            let mut changed = token.to_owned().into_bytes();
            changed[place] = if changed[place] == b'A' { b'B' } else { b'A' };
            assert!(key.verify(std::str::from_utf8(&changed).unwrap(), 1999).is_err(), "{place}");
        }
    }

    #[test]
    fn a_shared_secret_that_is_the_public_key_signs_nothing() {
        let key = PublicTokenKey::from_pem(PUBLIC).unwrap();
        let claims = Claims { sub: "perf".into(), tenant: "lab".into(), iat: 1000, exp: 2000 };
        let token = crate::TokenKey::new(PUBLIC.as_bytes()).issue(&claims);
        assert_eq!(key.verify(&token, 1999), Err(TokenError::BadSignature));
    }

    #[test]
    fn what_is_not_a_public_rsa_key_is_refused() {
        let cut = PUBLIC.replace("MIIB", "MIIC");
        for text in ["", "secret", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", &cut] {
            assert!(PublicTokenKey::from_pem(text).is_none(), "{text}");
        }
        for bytes in [&b""[..], &[0x30], &[0x30, 0x82, 1], &[0x30, 5, 1], &[0x30, 0x84, 0, 0, 0, 1, 7]] {
            assert!(field(SEQUENCE, bytes).is_none(), "{bytes:?}");
        }
    }
}
