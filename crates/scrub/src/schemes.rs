//! What follows a scheme of HTTP, wherever it stands: `Bearer …`, `Basic …`, `Digest …`.

use super::ends::header_end;
use regex::bytes::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// A scheme with what follows it. `$(secret.X)` is a name, and `‹kept out›` no value.
static SCHEME: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?i-u)\b(bearer|basic|negotiate|ntlm)[ \t]+([A-Za-z0-9+/._~|:@!#%*^-]{1,8192}=*)";
    Regex::new(pattern).expect("a pattern that is tested")
});
/// The one scheme whose credential is made of parts: `Digest username="x", response="y"`.
static DIGEST: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"(?i-u)\bdigest[ \t]+[a-z]{2,20}[ \t]*="#).expect("a pattern that is tested"));

/// Words that follow `Bearer` in a sentence.
const SAID: [&str; 17] = [
    "and",
    "auth",
    "authentication",
    "authorization",
    "challenge",
    "credential",
    "credentials",
    "error",
    "format",
    "header",
    "is",
    "or",
    "realm",
    "scheme",
    "token",
    "tokens",
    "was",
];
/// A word after `bearer` in small letters is a credential from this length on: that is also how a sentence has it.
const BEARER_MIN: usize = 16;
/// Less is not a `user:password` in base64; in small letters `basic` is mostly a word.
const PAIR_MIN: usize = 4;
const PAIR_MIN_SMALL: usize = 8;
/// Less is not a ticket of `Negotiate` and `NTLM`.
const TICKET_MIN: usize = 16;

/// Credentials behind the name of a scheme.
pub(super) fn find(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let simple = SCHEME.captures_iter(bytes).filter_map(|found| {
        let (kind, value) = (found.get(1)?.as_bytes(), found.get(2)?);
        let written = value.as_bytes();
        // What ends a sentence is not part of what it says.
        let length = written.len() - written.iter().rev().take_while(|byte| b".:".contains(byte)).count();
        let end = value.start() + length;
        is_credential(kind, &written[..length]).then_some(value.start()..end)
    });
    let mut done = 0;
    let digest = DIGEST.find_iter(bytes).filter_map(move |found| {
        // One that stands within the last is gone already: no byte is looked at twice.
        let from = found.start() + "digest ".len();
        let is_new = from >= done;
        done = if is_new { header_end(bytes, from) } else { done };
        is_new.then_some(from..done)
    });
    simple.chain(digest)
}

fn is_credential(scheme: &[u8], value: &[u8]) -> bool {
    let is_bearer = scheme.eq_ignore_ascii_case(b"bearer");
    let is_small = scheme[0].is_ascii_lowercase();
    let is_basic = scheme.eq_ignore_ascii_case(b"basic");
    match (value.len(), is_word(value)) {
        (0, _) => false,
        (length, false) if is_basic => length >= if is_small { PAIR_MIN_SMALL } else { PAIR_MIN },
        (length, false) => is_bearer || length >= TICKET_MIN,
        (_, true) if !is_bearer => false,
        (length, true) if is_small => length >= BEARER_MIN,
        (_, true) => !SAID.iter().any(|said| value.eq_ignore_ascii_case(said.as_bytes())),
    }
}

/// Whether it reads like a word of a sentence: letters, none of them great but the first, or all of them.
fn is_word(value: &[u8]) -> bool {
    let Some((first, rest)) = value.split_first() else { return false };
    let is_shouted = value.len() <= 8 && value.iter().all(u8::is_ascii_uppercase);
    first.is_ascii_alphabetic() && (is_shouted || rest.iter().all(u8::is_ascii_lowercase))
}
