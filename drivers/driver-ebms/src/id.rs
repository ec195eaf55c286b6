//! Ids of messages: whose a reply is must be told from its `RefToMessageId` alone.

use std::io::Write;
use terms::seed;

/// What stands behind the `@` of every id.
const HOST: &str = "loadproof";
/// Bit of a key by which a second awaited leg of one message differs from the first: the highest of the iteration's
/// number, which counts starts and reaches it at none.
const SECOND: u128 = 1 << 39;
/// Bits of a key by which an exchange that one iteration carries out again differs from the first time: the next ones of
/// the iteration's number. What is left of it is enough for 34 thousand million starts in one step.
const TURN_SHIFT: u32 = 35;
/// So often may one iteration carry out the same exchange.
pub(crate) const TURNS_MAX: u8 = 16;

/// What an id says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Id {
    /// What the message's iteration waits under.
    pub(crate) key: u128,
    /// The run's own number, so that a reply to an earlier run is nobody's.
    pub(crate) nonce: u64,
    /// Index of the agreement and its side.
    pub(crate) route: u16,
    pub(crate) conversation: u64,
}

impl Id {
    /// Appends it.
    pub(crate) fn write(&self, into: &mut Vec<u8>) {
        let Self { key, nonce, route, conversation } = self;
        write!(into, "{key:032x}.{nonce:016x}.{route:04x}.{conversation:016x}@{HOST}")
            .expect("writing to memory does not fail");
    }

    /// Reads one; `None` for an id that is not of this form.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut parts = text.strip_suffix(HOST)?.strip_suffix('@')?.split('.');
        let mut part = |length: usize| {
            let part = parts.next().filter(|part| part.len() == length)?;
            let is_ours = part.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
            is_ours.then(|| u128::from_str_radix(part, 16).ok())?
        };
        let (key, nonce, route, conversation) = (part(32)?, part(16)?, part(4)?, part(16)?);
        parts.next().is_none().then_some(Self {
            key,
            nonce: nonce as u64,
            route: route as u16,
            conversation: conversation as u64,
        })
    }
}

/// The key of the task that an iteration carries out for the `turn`th time, counted from 0.
pub(crate) fn of_turn(key: u128, turn: u8) -> u128 {
    key | u128::from(turn % TURNS_MAX) << TURN_SHIFT
}

/// The key of a leg: the first awaited one of a message has the task's own.
pub(crate) fn of_leg(key: u128, leg: contract::Leg) -> u128 {
    if leg > 1 { key | SECOND } else { key }
}

/// By what a conversation is known again without being kept.
pub(crate) fn fingerprint(conversation: &[u8], nonce: u64) -> u64 {
    // FNV-1a over the bytes, then mixed: no secret, but no accident either.
    let hash = conversation
        .iter()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    seed::hash(nonce, hash)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_id_gives_back_what_it_was_made_of(key: u128, nonce: u64, route: u16, conversation: u64) {
            let id = Id { key, nonce, route, conversation };
            let mut text = Vec::new();
            id.write(&mut text);
            let text = String::from_utf8(text).unwrap();
            prop_assert_eq!(Id::read(&text), Some(id));
            prop_assert_eq!(Id::read(&text.to_uppercase()), None);
            prop_assert_eq!(Id::read(&text[1..]), None);
            prop_assert_eq!(Id::read(&text.replace('@', ".0@")), None);
        }

        #[test]
        fn any_text_is_read_or_is_none(text in "\\PC{0,90}|[0-9a-f.@]{60,90}") {
            let _ = Id::read(&text);
        }
    }

    #[test]
    fn conversations_and_runs_are_told_apart() {
        let all = [fingerprint(b"a", 1), fingerprint(b"b", 1), fingerprint(b"a", 2), fingerprint(b"", 1)];
        assert!((1..4).all(|n| !all[..n].contains(&all[n])));
        let keys: Vec<_> = (0..TURNS_MAX).flat_map(|turn| [1, 2].map(|leg| of_leg(of_turn(7, turn), leg))).collect();
        assert!((1..keys.len()).all(|n| !keys[..n].contains(&keys[n])));
        assert!(keys.iter().all(|key| key >> 40 == 0 && key & 0xff == 7));
    }
}
