//! Bearer tokens: JSON Web Tokens signed with HMAC-SHA-256 (RFC 7519, `HS256` of RFC 7518).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use thiserror::Error;

/// What a token says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claims {
    pub sub: String,
    /// The tenant that the user belongs to.
    pub tenant: String,
    /// Issued at, in seconds since 1970.
    pub iat: u64,
    /// Not valid from then on, in seconds since 1970.
    pub exp: u64,
}

/// Why a token is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TokenError {
    /// Not three pieces of base64url, or too long.
    #[error("the token is malformed")]
    Malformed,
    /// Signed with another key or another method, or changed since.
    #[error("the token's signature is wrong")]
    BadSignature,
    /// Its time is over.
    #[error("the token has expired")]
    Expired,
}

/// The only head that is issued, and so the only one that is accepted: the method is not the bearer's choice.
const HEAD: &str = r#"{"alg":"HS256","typ":"JWT"}"#;
/// Longest token; a server must not decode whatever it is sent.
const TOKEN_MAX: usize = 4096;

/// A key that signs and verifies.
#[derive(Clone)]
pub struct TokenKey(Hmac<Sha256>);

impl TokenKey {
    /// From secret bytes; 32 are right, any number is possible.
    pub fn new(secret: &[u8]) -> Self {
        Self(Hmac::new_from_slice(secret).expect("invariant: HMAC takes keys of any length"))
    }

    /// A key that nobody knows, from the system's source of randomness.
    ///
    /// # Errors
    /// The source cannot be read.
    pub fn random() -> std::io::Result<Self> {
        let mut secret = [0; 32];
        std::io::Read::read_exact(&mut std::fs::File::open("/dev/urandom")?, &mut secret)?;
        Ok(Self::new(&secret))
    }

    /// Signs claims.
    pub fn issue(&self, claims: &Claims) -> String {
        let body = serde_json::to_vec(claims).expect("invariant: strings and numbers can be written as JSON");
        let mut token = format!("{}.{}", URL_SAFE_NO_PAD.encode(HEAD), URL_SAFE_NO_PAD.encode(body));
        let signature = self.0.clone().chain_update(token.as_bytes()).finalize().into_bytes();
        token.push('.');
        URL_SAFE_NO_PAD.encode_string(signature, &mut token);
        token
    }

    /// Verifies a token at a time in seconds since 1970 and returns what it says. Takes the same time for every wrong
    /// signature.
    ///
    /// # Errors
    /// [`TokenError`]; nothing of the claims is looked at before the signature holds.
    pub fn verify(&self, token: &str, now_s: u64) -> Result<Claims, TokenError> {
        let is_right =
            |signed: &[u8], signature: &[u8]| self.0.clone().chain_update(signed).verify_slice(signature).is_ok();
        verified(token, HEAD, now_s, is_right)
    }
}

/// What a token says whose signature `is_right` of what is signed, with the head that is accepted.
pub(crate) fn verified(
    token: &str,
    accepted: &str,
    now_s: u64,
    is_right: impl Fn(&[u8], &[u8]) -> bool,
) -> Result<Claims, TokenError> {
    if token.len() > TOKEN_MAX {
        return Err(TokenError::Malformed);
    }
    let (signed, signature) = token.rsplit_once('.').ok_or(TokenError::Malformed)?;
    let (head, body) = signed.split_once('.').ok_or(TokenError::Malformed)?;
    let decode = |text: &str| URL_SAFE_NO_PAD.decode(text).map_err(|_| TokenError::Malformed);
    let (head, body, signature) = (decode(head)?, decode(body)?, decode(signature)?);
    if !is_right(signed.as_bytes(), &signature) || head != accepted.as_bytes() {
        return Err(TokenError::BadSignature);
    }
    let claims: Claims = serde_json::from_slice(&body).map_err(|_| TokenError::Malformed)?;
    if now_s >= claims.exp { Err(TokenError::Expired) } else { Ok(claims) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn claims() -> Claims {
        Claims { sub: "perf".into(), tenant: "diku".into(), iat: 1000, exp: 2000 }
    }

    #[test]
    fn hmac_answers_as_in_rfc_4231() {
        // RFC 4231, section 4.3 (test case 2).
        let key = TokenKey::new(b"Jefe");
        let mac = key.0.chain_update(b"what do ya want for nothing?").finalize().into_bytes();
        let hex: String = mac.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    }

    #[test]
    fn what_is_issued_is_accepted_until_it_expires() {
        let key = TokenKey::new(b"key");
        let token = key.issue(&claims());
        assert_eq!(key.verify(&token, 1999), Ok(claims()));
        assert_eq!(key.verify(&token, 2000), Err(TokenError::Expired));
        assert_eq!(TokenKey::new(b"other").verify(&token, 1999), Err(TokenError::BadSignature));
    }

    #[test]
    fn another_method_is_refused_even_if_well_signed() {
        let key = TokenKey::new(b"key");
        let body = URL_SAFE_NO_PAD.encode(serde_json::to_vec(&claims()).unwrap());
        let signed = format!("{}.{body}", URL_SAFE_NO_PAD.encode(r#"{"alg":"none"}"#));
        assert_eq!(key.verify(&format!("{signed}."), 1999), Err(TokenError::BadSignature));
        let mac = key.0.clone().chain_update(signed.as_bytes()).finalize().into_bytes();
        let token = format!("{signed}.{}", URL_SAFE_NO_PAD.encode(mac));
        assert_eq!(key.verify(&token, 1999), Err(TokenError::BadSignature));
    }

    #[test]
    fn random_keys_differ() {
        let (one, other) = (TokenKey::random().unwrap(), TokenKey::random().unwrap());
        assert_ne!(one.issue(&claims()), other.issue(&claims()));
    }

    proptest! {
        #[test]
        fn no_changed_byte_is_accepted(place in 0usize..160, change in 1u8..=255) {
            let key = TokenKey::new(b"key");
            let mut token = key.issue(&claims()).into_bytes();
            let place = place % token.len();
            token[place] ^= change;
            if let Ok(token) = String::from_utf8(token) {
                prop_assert!(key.verify(&token, 1999).is_err());
            }
        }

        #[test]
        fn no_text_makes_it_panic(text in "[A-Za-z0-9_.-]{0,200}") {
            prop_assert!(TokenKey::new(b"key").verify(&text, 0).is_err());
        }
    }
}
