//! Codes of single characters: addresses, JSON, XML, mail, and line ends in the middle of a value.

use super::views::View;

/// The views that such codes make of a text, each where it applies.
pub(super) fn decoded(view: &View) -> Vec<View> {
    let codes: [(&[u8], Step); 6] = [
        (b"%", percent),
        (b"+%", form),
        (b"\\", backslash),
        (b"&", entity),
        (b"=", quoted_printable),
        (b"\xc2\xc3", latin),
    ];
    let by = |(begins, step): (&[u8], Step)| pointwise(view, |byte| begins.contains(&byte), step);
    codes.into_iter().filter_map(by).collect()
}

/// A text with its lines joined, if there are several.
pub(super) fn unwrapped(view: &View) -> Option<View> {
    pointwise(view, |byte| matches!(byte, b'\r' | b'\n'), joined).map(View::unwrapped)
}

/// What a code makes of the beginning of some bytes: how many it takes, and what they stand for.
pub(super) type Step = fn(&[u8]) -> Option<(usize, Few)>;

/// The bytes of one character.
pub(super) struct Few([u8; 4], usize);

impl Few {
    pub(super) fn none() -> Self {
        Self([0; 4], 0)
    }

    pub(super) fn byte(byte: u8) -> Self {
        Self([byte, 0, 0, 0], 1)
    }

    pub(super) fn character(number: u32) -> Option<Self> {
        let mut bytes = [0; 4];
        let length = char::from_u32(number)?.encode_utf8(&mut bytes).len();
        Some(Self(bytes, length))
    }
}

/// Decodes where the code applies and keeps everything else. `None` when it applies nowhere. A code begins with one of
/// the bytes that `may_begin` names: all others are passed by.
pub(super) fn pointwise(view: &View, may_begin: impl Fn(u8) -> bool, step: Step) -> Option<View> {
    let (bytes, mut changed, mut new, mut at, mut kept) = (view.bytes(), None, Vec::new(), 0, 0);
    while let Some(next) = bytes[at..].iter().position(|byte| may_begin(*byte)) {
        at += next;
        match step(&bytes[at..]) {
            Some((used, Few(decoded, length))) => {
                let out: &mut View = changed.get_or_insert_with(|| view.child());
                out.push_as_is(view, kept..at);
                let from = out.bytes().len();
                out.push(&decoded[..length], view, at..at + used);
                new.push(from..out.bytes().len());
                at += used;
                kept = at;
            }
            None => at += 1,
        }
    }
    let mut out: View = changed?;
    out.push_as_is(view, kept..bytes.len());
    Some(out.new_in(new))
}

/// Addresses: `%C5`, and `%u0053` of old scripts.
fn percent(rest: &[u8]) -> Option<(usize, Few)> {
    match rest {
        [b'%', b'u' | b'U', digits @ ..] => Some((6, Few::character(number(digits.get(..4)?, 16)?)?)),
        [b'%', digits @ ..] => Some((3, Few::byte(number(digits.get(..2)?, 16)? as u8))),
        _ => None,
    }
}

/// Forms: as addresses, with `+` for a blank.
fn form(rest: &[u8]) -> Option<(usize, Few)> {
    if rest[0] == b'+' { Some((1, Few::byte(b' '))) } else { percent(rest) }
}

/// JSON, and what languages write in quotation marks.
fn backslash(rest: &[u8]) -> Option<(usize, Few)> {
    let [b'\\', what, digits @ ..] = rest else { return None };
    let simple = |byte| Some((2, Few::byte(byte)));
    match what {
        b'u' if digits.first() == Some(&b'{') => {
            let length = digits.iter().take(8).position(|byte| *byte == b'}')?;
            Some((length + 3, Few::character(number(&digits[1..length], 16)?)?))
        }
        b'u' => {
            let first = number(digits.get(..4)?, 16)?;
            if let (0xd800..0xdc00, Some([b'\\', b'u', ..])) = (first, digits.get(4..))
                && let Some(second @ 0xdc00..0xe000) = digits.get(6..10).and_then(|digits| number(digits, 16))
            {
                return Some((12, Few::character(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))?));
            }
            Some((6, Few::character(first)?))
        }
        b'U' => Some((10, Few::character(number(digits.get(..8)?, 16)?)?)),
        b'x' => Some((4, Few::byte(number(digits.get(..2)?, 16)? as u8))),
        b'0'..=b'3' if let Some(value) = rest.get(1..4).and_then(|digits| number(digits, 8)) => {
            Some((4, Few::byte(value as u8)))
        }
        b'n' => simple(b'\n'),
        b'r' => simple(b'\r'),
        b't' => simple(b'\t'),
        b'b' => simple(8),
        b'f' => simple(12),
        b'0' => simple(0),
        other if !other.is_ascii_alphanumeric() => simple(*other),
        _ => None,
    }
}

/// XML and HTML.
fn entity(rest: &[u8]) -> Option<(usize, Few)> {
    let [b'&', inner @ ..] = rest else { return None };
    if let [b'#', digits @ ..] = inner {
        let (digits, base, before) = match digits {
            [b'x' | b'X', digits @ ..] => (digits, 16, 3),
            _ => (digits, 10, 2),
        };
        let is_digit = |byte: &&u8| char::from(**byte).is_digit(base);
        let length = digits.iter().take(9).take_while(is_digit).count();
        let end = before + length + usize::from(digits.get(length) == Some(&b';'));
        return Some((end, Few::character(number(digits.get(..length).filter(|d| !d.is_empty())?, base)?)?));
    }
    let length = inner.iter().take(8).position(|byte| *byte == b';')?;
    let name = &inner[..length];
    let (_, byte) = ENTITIES.iter().find(|(known, _)| known.as_bytes() == name)?;
    Some((length + 2, Few::byte(*byte)))
}

/// The names that HTML has for what stands on a keyboard.
const ENTITIES: &[(&str, u8)] = &[
    ("amp", b'&'),
    ("lt", b'<'),
    ("gt", b'>'),
    ("quot", b'"'),
    ("apos", b'\''),
    ("nbsp", b' '),
    ("Tab", b'\t'),
    ("NewLine", b'\n'),
    ("excl", b'!'),
    ("num", b'#'),
    ("dollar", b'$'),
    ("percnt", b'%'),
    ("lpar", b'('),
    ("rpar", b')'),
    ("ast", b'*'),
    ("midast", b'*'),
    ("plus", b'+'),
    ("comma", b','),
    ("period", b'.'),
    ("sol", b'/'),
    ("colon", b':'),
    ("semi", b';'),
    ("equals", b'='),
    ("quest", b'?'),
    ("commat", b'@'),
    ("lsqb", b'['),
    ("lbrack", b'['),
    ("bsol", b'\\'),
    ("rsqb", b']'),
    ("rbrack", b']'),
    ("Hat", b'^'),
    ("lowbar", b'_'),
    ("grave", b'`'),
    ("lcub", b'{'),
    ("lbrace", b'{'),
    ("vert", b'|'),
    ("verbar", b'|'),
    ("rcub", b'}'),
    ("rbrace", b'}'),
];

/// Mail.
fn quoted_printable(rest: &[u8]) -> Option<(usize, Few)> {
    match rest {
        [b'=', b'\r', b'\n', ..] => Some((3, Few::none())),
        [b'=', b'\n', ..] => Some((2, Few::none())),
        [b'=', digits @ ..] => Some((3, Few::byte(number(digits.get(..2)?, 16)? as u8))),
        _ => None,
    }
}

/// UTF-8 that was taken for Latin-1 and written as UTF-8 once more, as servers do with headers.
fn latin(rest: &[u8]) -> Option<(usize, Few)> {
    match rest {
        [first @ 0xc2..=0xc3, second @ 0x80..=0xbf, ..] => Some((2, Few::byte(first << 6 | second & 0x3f))),
        _ => None,
    }
}

/// Lines that were folded or wrapped, in one.
fn joined(rest: &[u8]) -> Option<(usize, Few)> {
    let ends = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    let blanks = rest[ends..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    (ends > 0).then_some((ends + blanks, Few::none()))
}

fn number(digits: &[u8], base: u32) -> Option<u32> {
    if !digits.iter().all(|byte| char::from(*byte).is_digit(base)) {
        return None;
    }
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, base).ok()
}
