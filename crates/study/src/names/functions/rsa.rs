//! Signatures with RSA, for tokens.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use std::cell::RefCell;
use std::rc::Rc;

const BEGIN: &str = "-----BEGIN PRIVATE KEY-----";
const END: &str = "-----END PRIVATE KEY-----";

/// A key as it is written, and as it signs; none where it cannot be read.
type Known = (Vec<u8>, Option<Rc<RsaKeyPair>>);

thread_local! {
    /// The last key: to read one takes as long as to sign.
    static LAST: RefCell<Option<Known>> = const { RefCell::new(None) };
}

/// PKCS #1 v1.5 over SHA-256 (`RS256`), with a private key in PEM as `openssl genpkey -algorithm RSA` writes it. `false`
/// where it is none.
pub(super) fn sign(pem: &[u8], signed: &[u8], into: &mut Vec<u8>) -> bool {
    let Some(key) = key(pem) else { return false };
    let from = into.len();
    into.resize(from + key.public().modulus_len(), 0);
    key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), signed, &mut into[from..]).is_ok()
}

fn key(pem: &[u8]) -> Option<Rc<RsaKeyPair>> {
    LAST.with_borrow_mut(|last| {
        if let Some((_, key)) = last.as_ref().filter(|(known, _)| known == pem) {
            return key.clone();
        }
        let key = read(pem).map(Rc::new);
        *last = Some((pem.to_vec(), key.clone()));
        key
    })
}

fn read(pem: &[u8]) -> Option<RsaKeyPair> {
    let (_, behind) = std::str::from_utf8(pem).ok()?.split_once(BEGIN)?;
    let text: String = behind.split_once(END)?.0.split_ascii_whitespace().collect();
    RsaKeyPair::from_pkcs8(&STANDARD.decode(text).ok()?).ok()
}
