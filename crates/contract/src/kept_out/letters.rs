//! Letters that were set apart or drawn otherwise, and base32.

use super::views::{Few, Step, View, pointwise};

/// Digits of base32 in a run that is looked at: six bytes, the least that is looked for of a secret, are ten.
const BASE32_MIN: usize = 10;
/// The same where a run is all small letters, as words are.
const BASE32_MIN_WORD: usize = 16;

/// What each of these makes of a text, where it applies.
pub(super) fn decoded(view: &View) -> Vec<View> {
    // What was decoded from no code at all is full of zeros and of anything else: there only rows of them count, and
    // nobody writes base32 within another code.
    if view.is_coded {
        return pointwise(view, wide as Step).into_iter().collect();
    }
    let may_be = view.bytes().iter().any(|byte| *byte == 0 || *byte >= 0xc2);
    let plain = may_be.then(|| pointwise(view, letter as Step)).flatten();
    plain.into_iter().chain(base32(view)).collect()
}

/// Letters of UTF-16 in a row, whichever half comes first.
fn wide(rest: &[u8]) -> Option<(usize, Few)> {
    match rest {
        [b' '..=b'~', 0, b' '..=b'~', 0, ..] => Some((2, Few::byte(rest[0]))),
        [0, b' '..=b'~', 0, b' '..=b'~', ..] => Some((2, Few::byte(rest[1]))),
        _ => None,
    }
}

/// Leaves out what nobody sees between letters, the zeros of UTF-16 among it, and writes full-width letters as others.
fn letter(rest: &[u8]) -> Option<(usize, Few)> {
    match rest {
        // A letter of UTF-16 beyond ASCII, whichever half comes first.
        [0, byte @ 0xa0..=0xff, ..] | [byte @ 0xa0..=0xff, 0, ..] => Some((2, Few::character(u32::from(*byte))?)),
        [0, ..] => Some((1, Few::none())),
        // U+00AD, soft hyphen.
        [0xc2, 0xad, ..] => Some((2, Few::none())),
        // U+200B to U+200F and U+2060 to U+2064: no width, joiners, directions.
        [0xe2, 0x80, 0x8b..=0x8f, ..] | [0xe2, 0x81, 0xa0..=0xa4, ..] => Some((3, Few::none())),
        // U+FEFF, byte order mark.
        [0xef, 0xbb, 0xbf, ..] => Some((3, Few::none())),
        // U+FF01 to U+FF5E are `!` to `~` in full width.
        [0xef, 0xbc, last @ 0x81..=0xbf, ..] => Some((3, Few::byte(last - 0x81 + b'!'))),
        [0xef, 0xbd, last @ 0x80..=0x9e, ..] => Some((3, Few::byte(last - 0x80 + b'`'))),
        _ => None,
    }
}

/// Runs of base32 digits (RFC 4648), wrapped or not; one view for each digit that a code may begin with, as what stands
/// before it may look like a part of it.
fn base32(view: &View) -> Vec<View> {
    let (bytes, mut at) = (view.bytes(), 0);
    let mut views: [Option<View>; 8] = Default::default();
    while at < bytes.len() {
        let is_part = |byte: &&u8| base32_digit(**byte).is_some() || matches!(byte, b'\r' | b'\n');
        let length = bytes[at..].iter().take_while(is_part).count();
        let run = at..at + length;
        at = run.end + 1;
        if !is_base32(&bytes[run.clone()]) {
            continue;
        }
        let digits: Vec<(u32, usize)> = run.filter_map(|at| Some((base32_digit(bytes[at])?, at))).collect();
        for (shift, out) in views.iter_mut().enumerate() {
            decode_base32(digits.get(shift..).unwrap_or_default(), view, out.get_or_insert_with(|| view.coded_child()));
        }
    }
    views.into_iter().flatten().filter(|view| !view.bytes().is_empty()).collect()
}

fn decode_base32(digits: &[(u32, usize)], view: &View, out: &mut View) {
    let (mut bits, mut count, mut from) = (0u32, 0, 0);
    for (digit, at) in digits {
        if count == 0 {
            from = *at;
        }
        bits = bits << 5 | digit;
        count += 5;
        if count >= 8 {
            count -= 8;
            out.push(&[(bits >> count) as u8], view, from..at + 1);
            // What is left of this digit begins the next byte.
            from = *at;
        }
    }
    if let Some((_, last)) = digits.last() {
        out.push(b"\n", view, *last..last + 1);
    }
}

/// Whether a run may be a code: all in one case, and not a word.
fn is_base32(run: &[u8]) -> bool {
    let count = |is: fn(&u8) -> bool| run.iter().filter(|byte| is(byte)).count();
    let (great, small, digits) =
        (count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase), count(u8::is_ascii_digit));
    let is_word = great == 0 && digits == 0;
    let least = if is_word { BASE32_MIN_WORD } else { BASE32_MIN };
    great.min(small) == 0 && great + small + digits >= least
}

fn base32_digit(byte: u8) -> Option<u32> {
    Some(u32::from(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a',
        b'2'..=b'7' => byte - b'2' + 26,
        _ => return None,
    }))
}
