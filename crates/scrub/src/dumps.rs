//! Lines of dumps, as `xxd`, `hexdump` and `od` write them: an offset, groups of digits or characters, perhaps a column
//! of text. Their bytes are joined over consecutive lines; what is found in them takes the whole lines with it, since
//! the column of text says the same once more.

use super::views::View;
use std::ops::Range;

/// So much of a line is read: a dump of 256 bytes a line is narrower.
const LINE_BYTES_MAX: usize = 2048;
/// A dump begins at one of the first tokens of its line, behind what a log puts in front.
const STARTS_MAX: usize = 16;
/// Groups that make a line of a dump where neither an offset stands before them nor a dump goes on.
const GROUPS_MIN: usize = 4;
/// Width of a character with what sets it apart, in `od -c` and `hexdump -c`.
const FIELD: usize = 4;

/// How the groups of a dump are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Hexadecimal digits in the order of the bytes.
    Hex,
    /// The same in words whose last byte comes first: `hexdump` and `od -x` on most machines.
    HexSwapped,
    /// A byte in three octal digits: `od -b`.
    Octal,
    /// Two bytes in six octal digits, the last byte first: `od`.
    OctalWords,
    /// A byte as a number, with a sign or without: `od -td1`.
    Decimal,
    /// A byte in eight digits: `xxd -b`.
    Binary,
    /// Characters, with names for those that cannot be shown: `od -c`, `od -a`.
    Characters,
}

const KINDS: [Kind; 7] =
    [Kind::Hex, Kind::HexSwapped, Kind::Octal, Kind::OctalWords, Kind::Decimal, Kind::Binary, Kind::Characters];

/// What stands between blanks.
struct Token<'a> {
    bytes: &'a [u8],
    /// Blanks before it.
    gap: usize,
    /// A `|` stands before it: there a column begins.
    is_column: bool,
}

/// A line in tokens.
struct Line<'a> {
    tokens: Vec<Token<'a>>,
    /// Where a row of groups may begin, and whether an offset stands before it.
    starts: Vec<(usize, bool)>,
}

impl<'a> Line<'a> {
    fn of(line: &'a [u8], is_bar_between: bool) -> Self {
        let tokens = tokens(line, is_bar_between);
        let start = |start: usize| {
            let Some(before) = start.checked_sub(1).map(|before| tokens[before].bytes) else { return Some((0, false)) };
            let has_offset = is_offset(before);
            (has_offset || !before.iter().any(u8::is_ascii_alphanumeric)).then_some((start, has_offset))
        };
        let starts = (0..tokens.len().min(STARTS_MAX)).filter_map(start).collect();
        Self { tokens, starts }
    }
}

/// What the dumps in a text say: one view for each way of reading them. Every line is looked at once.
pub(super) fn decoded(view: &View) -> Vec<View> {
    // Joined lines are not lines any more, and within a code nobody writes dumps.
    if view.is_coded || view.is_unwrapped {
        return Vec::new();
    }
    let mut views = KINDS.map(|_| view.coded_child());
    let (mut at, mut said) = (0, Vec::new());
    for whole in view.bytes().split(|byte| *byte == b'\n') {
        let line = whole.strip_suffix(b"\r").unwrap_or(whole);
        let range = at..at + line.len();
        at += whole.len() + 1;
        let start = &line[..line.len().min(LINE_BYTES_MAX)];
        let (columns, words) = (Line::of(start, true), Line::of(start, false));
        for (kind, out) in KINDS.into_iter().zip(&mut views) {
            let goes_on = out.bytes().last().is_some_and(|byte| *byte != b'\n');
            let line = if kind == Kind::Characters { &words } else { &columns };
            said.clear();
            if longest(kind, line, goes_on, &mut said) {
                if kind == Kind::Characters {
                    let rest = start.len() - start.trim_ascii_end().len();
                    said.extend(std::iter::repeat_n(b' ', rest / FIELD));
                }
                out.push(&said, view, range.clone());
            } else if goes_on {
                out.push(b"\n", view, end_of(view, &range));
            }
        }
    }
    views.into_iter().filter(|view| !view.bytes().is_empty()).collect()
}

/// A place for the end of a dump: the line that is none any more, or what stands before an empty one.
fn end_of(view: &View, line: &Range<usize>) -> Range<usize> {
    let start = line.start.min(view.bytes().len() - 1);
    start..start + 1
}

/// The tokens of a line; a `|` parts them, too, where it is not a character of the dump itself.
fn tokens(line: &[u8], is_bar_between: bool) -> Vec<Token<'_>> {
    let (mut tokens, mut at, mut gap, mut is_column) = (Vec::new(), 0, 0, false);
    let is_bar = |byte: u8| is_bar_between && byte == b'|';
    let is_between = |byte: u8| matches!(byte, b' ' | b'\t') || is_bar(byte);
    while at < line.len() {
        if is_between(line[at]) {
            is_column |= is_bar(line[at]);
            gap += 1;
            at += 1;
            continue;
        }
        let length = line[at..].iter().position(|byte| is_between(*byte)).unwrap_or(line.len() - at);
        tokens.push(Token { bytes: &line[at..at + length], gap, is_column });
        (at, gap, is_column) = (at + length, 0, false);
    }
    tokens
}

/// Reads the longest row of groups that stands behind an offset or begins the line, signs aside; of equal ones the last,
/// since an offset may look like a group. `false` when the line is none of a dump.
fn longest(kind: Kind, line: &Line<'_>, goes_on: bool, said: &mut Vec<u8>) -> bool {
    let (mut most, mut row) = (0, Vec::new());
    for (start, has_offset) in &line.starts {
        row.clear();
        let groups = read_row(kind, &line.tokens[*start..], &mut row);
        if groups >= most.max(1) && (*has_offset || goes_on || groups >= GROUPS_MIN) {
            most = groups;
            std::mem::swap(said, &mut row);
        }
    }
    most > 0
}

/// Reads groups as far as there are any, and returns how many.
fn read_row(kind: Kind, tokens: &[Token<'_>], row: &mut Vec<u8>) -> usize {
    let is_hex = matches!(kind, Kind::Hex | Kind::HexSwapped);
    let width = tokens.first().map_or(0, |token| bare(token.bytes).len());
    if kind == Kind::HexSwapped && width <= 2 {
        return 0;
    }
    for (number, token) in tokens.iter().enumerate() {
        if token.is_column && number > 0 {
            return number;
        }
        let length = bare(token.bytes).len();
        if is_hex && length > width {
            return number;
        }
        if kind == Kind::Characters {
            let blanks = ((token.gap + token.bytes.len()) / FIELD).saturating_sub(1);
            row.extend(std::iter::repeat_n(b' ', blanks));
        }
        if !read_group(kind, token.bytes, row) {
            return number;
        }
        // Only the last group of a dump is shorter.
        if is_hex && length < width {
            return number + 1;
        }
    }
    tokens.len()
}

/// Whether a token may say where in the dump its line begins, also behind a quotation mark or a name: `msg="00000010:`.
fn is_offset(token: &[u8]) -> bool {
    let token = token.strip_suffix(b":").unwrap_or(token);
    let length = token.iter().rev().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let is_begun =
        token[..token.len() - length].last().is_none_or(|byte| !byte.is_ascii_alphanumeric() || *byte == b'x');
    is_begun && (4..=16).contains(&length)
}

/// A group without what programs put around it: `0x6b,`.
fn bare(token: &[u8]) -> &[u8] {
    let token = token.strip_suffix(b",").unwrap_or(token);
    token.strip_prefix(b"0x").unwrap_or(token)
}

/// Adds the bytes of a group; `false`, and nothing, when it is none of this kind.
fn read_group(kind: Kind, token: &[u8], row: &mut Vec<u8>) -> bool {
    let group = bare(token);
    match kind {
        Kind::Hex | Kind::HexSwapped => {
            let is_one = group.len() >= 2 && group.len().is_multiple_of(2);
            if !is_one || !group.iter().all(u8::is_ascii_hexdigit) {
                return false;
            }
            let from = row.len();
            row.extend(group.chunks(2).filter_map(|pair| number(pair, 16)).map(|byte| byte as u8));
            if kind == Kind::HexSwapped {
                row[from..].reverse();
            }
        }
        Kind::Octal if group.len() == 3 => match number(group, 8).and_then(|byte| u8::try_from(byte).ok()) {
            Some(byte) => row.push(byte),
            None => return false,
        },
        Kind::OctalWords if group.len() == 6 => match number(group, 8).and_then(|word| u16::try_from(word).ok()) {
            Some(word) => row.extend(word.to_le_bytes()),
            None => return false,
        },
        Kind::Binary if group.len() == 8 => match number(group, 2) {
            Some(byte) => row.push(byte as u8),
            None => return false,
        },
        Kind::Decimal if group.len() <= 4 => match decimal(group) {
            Some(byte) => row.push(byte),
            None => return false,
        },
        Kind::Characters => return read_character(token, row),
        _ => return false,
    }
    true
}

fn number(digits: &[u8], base: u32) -> Option<u32> {
    let is_digit = |byte: &u8| char::from(*byte).is_digit(base);
    let text = std::str::from_utf8(digits).ok().filter(|_| digits.iter().all(is_digit))?;
    u32::from_str_radix(text, base).ok()
}

fn decimal(group: &[u8]) -> Option<u8> {
    match group.strip_prefix(b"-") {
        Some(digits) => number(digits, 10).filter(|value| *value <= 128).map(|value| (value as u8).wrapping_neg()),
        None => number(group, 10).and_then(|value| u8::try_from(value).ok()),
    }
}

fn read_character(token: &[u8], row: &mut Vec<u8>) -> bool {
    let named = match token {
        b"\\0" | b"nul" => 0,
        b"\\a" | b"bel" => 7,
        b"\\b" | b"bs" => 8,
        b"\\t" | b"ht" => b'\t',
        b"\\n" | b"nl" | b"lf" => b'\n',
        b"\\v" | b"vt" => 11,
        b"\\f" | b"ff" => 12,
        b"\\r" | b"cr" => b'\r',
        b"sp" => b' ',
        _ => {
            if token.len() == 3
                && let Some(byte) = number(token, 8).and_then(|byte| u8::try_from(byte).ok())
            {
                row.push(byte);
                return true;
            }
            let is_one = std::str::from_utf8(token).is_ok_and(|text| text.chars().count() == 1);
            if is_one {
                row.extend_from_slice(token);
            }
            return is_one;
        }
    };
    row.push(named);
    true
}
