//! Letters that were set apart or drawn otherwise.

use super::codes::{Few, pointwise};
use super::views::View;

/// The text with plain letters, where it has others.
pub(super) fn decoded(view: &View) -> Option<View> {
    match view.is_coded {
        // What was decoded from no code at all is full of zeros and of anything else: there only rows of them count.
        true if view.bytes().contains(&0) => pointwise(view, |_| true, wide),
        true => None,
        false => pointwise(view, |byte| byte == 0 || byte >= 0xa0, letter),
    }
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
