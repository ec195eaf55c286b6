//! Letters that were set apart or drawn otherwise.

use super::codes::{Few, pointwise};
use super::views::View;

/// The text with plain letters, where it has others.
pub(super) fn decoded(view: &View) -> Option<View> {
    match view.is_coded {
        // What was decoded from no code at all is full of zeros and of anything else: there only rows of them count.
        true if view.bytes().contains(&0) => pointwise(view, |_| true, wide),
        true => without_unseen(view),
        false => pointwise(view, |byte| byte == 0 || byte >= 0xa0, letter),
    }
}

/// The same without characters that nobody sees, where it has any.
pub(super) fn without_unseen(view: &View) -> Option<View> {
    pointwise(view, |byte| byte >= 0xc2, unseen)
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
        _ => unseen(rest),
    }
}

/// The same of characters of UTF-8 alone, which noise is seldom made of.
fn unseen(rest: &[u8]) -> Option<(usize, Few)> {
    match rest {
        // U+00AD, soft hyphen; U+034F, grapheme joiner; U+061C, Arabic letter mark.
        [0xc2, 0xad, ..] | [0xcd, 0x8f, ..] | [0xd8, 0x9c, ..] => Some((2, Few::none())),
        // U+180B to U+180F: Mongolian variations and separator.
        [0xe1, 0xa0, 0x8b..=0x8f, ..] => Some((3, Few::none())),
        // U+200B to U+200F, U+202A to U+202E and U+2060 to U+206F: no width, joiners, directions, fillers.
        [0xe2, 0x80, 0x8b..=0x8f | 0xaa..=0xae, ..] | [0xe2, 0x81, 0xa0..=0xaf, ..] => Some((3, Few::none())),
        // U+FE00 to U+FE0F, variations; U+FEFF, byte order mark.
        [0xef, 0xb8, 0x80..=0x8f, ..] | [0xef, 0xbb, 0xbf, ..] => Some((3, Few::none())),
        // U+E0000 to U+E01FF: tags and more variations.
        [0xf3, 0xa0, 0x80..=0x87, 0x80..=0xbf, ..] => Some((4, Few::none())),
        // U+FF01 to U+FF5E are `!` to `~` in full width.
        [0xef, 0xbc, last @ 0x81..=0xbf, ..] => Some((3, Few::byte(last - 0x81 + b'!'))),
        [0xef, 0xbd, last @ 0x80..=0x9e, ..] => Some((3, Few::byte(last - 0x80 + b'`'))),
        _ => None,
    }
}
