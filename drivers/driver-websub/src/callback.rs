//! Addresses of callbacks: `…/websub/TOKEN/KEY`.
//!
//! The key says whose it is (`contract::reply_key`: load node, thread, part, exchange, step and subscriber); the token is
//! made from it and the run's own number, so that nobody but the hub that was told can call it, and what comes for an earlier run is
//! known for that.

use ring::hmac;
use std::fmt::Write;

/// Part of the path before the token.
const FOLDER: &str = "websub";
/// Hexadecimal digits of the token and of the key.
const TOKEN_DIGITS: usize = 16;
const KEY_DIGITS: usize = 32;

/// The highest bit of the iteration's number in a key, which counts starts and reaches it at none: what is waited for is a
/// verification.
const VERIFICATION: u128 = 1 << 39;
/// Above the subscriber's number, of which a study has a million at most: which of its verifications it is.
const ROUND_SHIFT: u32 = 20;
const ROUND_MASK: u128 = (1 << (39 - ROUND_SHIFT)) - 1;
const SERIAL_MASK: u128 = (1 << 40) - 1;

/// Makes tokens and knows its own.
pub(crate) struct Callbacks(hmac::Key);

impl Callbacks {
    /// Those of the run of this number.
    pub(crate) fn new(nonce: u64) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, &nonce.to_be_bytes()))
    }

    fn token(&self, key: u128) -> u64 {
        let tag = hmac::sign(&self.0, &key.to_be_bytes());
        tag.as_ref().first_chunk().map_or(0, |first| u64::from_be_bytes(*first))
    }

    /// The address of the subscriber with this key, under that of the listener.
    pub(crate) fn url(&self, listener: &str, key: u128) -> String {
        let mut url = listener.trim_end_matches('/').to_owned();
        write!(url, "/{FOLDER}/{:0TOKEN_DIGITS$x}/{key:0KEY_DIGITS$x}", self.token(key))
            .expect("writing to memory does not fail");
        url
    }

    /// The key that a path names, without its query; `None` for one that this run never gave away.
    pub(crate) fn key_of(&self, path: &str) -> Option<u128> {
        let mut parts = path.rsplit('/');
        let (key, token) = (digits(parts.next()?, KEY_DIGITS)?, digits(parts.next()?, TOKEN_DIGITS)?);
        (parts.next()? == FOLDER && u128::from(self.token(key)) == token).then_some(key)
    }
}

/// So many lower-case hexadecimal digits.
fn digits(text: &str, count: usize) -> Option<u128> {
    let is_ours = |digit: u8| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
    let is_whole = text.len() == count && text.bytes().all(is_ours);
    is_whole.then(|| u128::from_str_radix(text, 16).ok())?
}

/// The key of a subscriber's verification: the first has round 0, each renewal the next one.
pub(crate) fn verification(key: u128, round: u32) -> u128 {
    key | VERIFICATION | (u128::from(round) & ROUND_MASK) << ROUND_SHIFT
}

/// The key of the end of a subscription: no renewal comes to that round.
pub(crate) fn farewell(key: u128) -> u128 {
    verification(key, ROUND_MASK as u32)
}

/// The key of a delivery to a subscriber, for the event whose first iteration has that number.
pub(crate) fn delivery(key: u128, event: u64) -> u128 {
    let subscriber = key & SERIAL_MASK;
    (key & !SERIAL_MASK) | (u128::from(event) + subscriber) & SERIAL_MASK
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::{NO_STREAM, Task, reply_key};
    use proptest::prelude::*;
    use terms::Nanos;

    fn key(serial: u64) -> u128 {
        let (intended, deadline) = (Nanos::ZERO, Nanos::MAX);
        let task = Task { exchange: 3, serial, row: 0, units: 1, intended, deadline, step: 5, stream: NO_STREAM };
        reply_key::of(1, 2, 0, &task)
    }

    #[test]
    fn a_delivery_has_the_key_that_its_session_waits_under() {
        // Event 7 of a load with 1000 subscribers, to subscriber 12.
        assert_eq!(delivery(key(12), 7000), key(7012));
        assert_eq!(delivery(key(0), 0), key(0));
    }

    #[test]
    fn verifications_are_told_from_deliveries_and_from_each_other() {
        let all = [
            key(12),
            verification(key(12), 0),
            verification(key(12), 1),
            verification(key(13), 0),
            key(13),
            farewell(key(12)),
        ];
        assert!((1..all.len()).all(|n| !all[..n].contains(&all[n])));
        for key in all {
            assert_eq!((reply_key::worker(key), reply_key::exchange(key), reply_key::step(key)), (2, 3, 5));
        }
    }

    proptest! {
        #[test]
        fn an_address_gives_back_its_key_and_no_other_run_knows_it(key: u128, nonce: u64) {
            let own = Callbacks::new(nonce);
            let url = own.url("http://127.0.0.1:8080/", key);
            let path = &url["http://127.0.0.1:8080".len()..];
            prop_assert_eq!(own.key_of(path), Some(key));
            prop_assert_eq!(own.key_of(&format!("/behind/a/proxy{path}")), Some(key));
            prop_assert_eq!(Callbacks::new(nonce ^ 1).key_of(path), None);
            prop_assert_eq!(own.key_of(&path[..path.len() - 1]), None);
            prop_assert_eq!(own.key_of(&path.replace("/websub/", "/websab/")), None);
        }

        #[test]
        fn any_path_is_one_or_is_none(path in "\\PC{0,80}|/websub/[0-9a-f]{15,17}/[0-9a-f]{31,33}") {
            prop_assert_eq!(Callbacks::new(1).key_of(&path), None);
        }
    }
}
