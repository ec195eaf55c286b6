//! A text as it reads once decoded, in every way, with the place of each decoded byte in the text.

use super::{dumps, letters};
use std::collections::VecDeque;
use std::ops::Range;

/// How often one code may lie within another: base64 in a form in JSON is three.
const DEPTH_MAX: u8 = 3;
/// Decoded bytes in all, as a multiple of the text's own: no honest text comes near it, and a hostile one ends there.
const BUDGET: usize = 400;
/// Runs of base64 digits that are looked at; within decoded bytes only longer ones, since any four letters are a run.
const BASE64_MIN: usize = 4;
const BASE64_MIN_INNER: usize = 8;
/// Hexadecimal digits in a run that is looked at.
const HEX_MIN: usize = 6;
/// Numbers in a list that is looked at as bytes.
const LIST_MIN: usize = 4;

/// A text, or what it is once decoded.
pub(super) struct View {
    bytes: Vec<u8>,
    /// Where each byte comes from; the text itself has none.
    places: Option<Vec<(u32, u32)>>,
    depth: u8,
    /// Decoded from what any word may be, such as base64: chance finds short values in it.
    pub(super) is_coded: bool,
    /// Lines were joined: what was found may be made of two.
    pub(super) is_unwrapped: bool,
}

impl View {
    pub(super) fn root(text: &[u8]) -> Self {
        Self { bytes: text.to_vec(), places: None, depth: 0, is_coded: false, is_unwrapped: false }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where a byte stands in the text.
    pub(super) fn place(&self, at: usize) -> Range<usize> {
        match &self.places {
            Some(places) => places[at].0 as usize..places[at].1 as usize,
            None => at..at + 1,
        }
    }

    fn child(&self) -> Self {
        let (is_coded, is_unwrapped) = (self.is_coded, self.is_unwrapped);
        Self { bytes: Vec::new(), places: Some(Vec::new()), depth: self.depth + 1, is_coded, is_unwrapped }
    }

    /// As [`View::child`], decoded from what may be no code at all.
    pub(super) fn coded_child(&self) -> Self {
        Self { is_coded: true, ..self.child() }
    }

    /// Adds bytes that stand for some of `of`.
    pub(super) fn push(&mut self, decoded: &[u8], of: &Self, range: Range<usize>) {
        let place = (of.place(range.start).start as u32, of.place(range.end - 1).end as u32);
        self.bytes.extend_from_slice(decoded);
        if let Some(places) = &mut self.places {
            places.resize(self.bytes.len(), place);
        }
    }
}

/// All views of a text, the text itself first.
pub(super) struct Views {
    waiting: VecDeque<View>,
    left: usize,
}

impl Views {
    pub(super) fn of(text: &[u8]) -> Self {
        Self { waiting: VecDeque::from([View::root(text)]), left: text.len().saturating_mul(BUDGET) + (1 << 16) }
    }

    /// The next view. The outer `None` says that there is no end to them.
    pub(super) fn next(&mut self) -> Option<Option<View>> {
        let Some(view) = self.waiting.pop_front() else { return Some(None) };
        self.left = self.left.checked_sub(view.bytes.len())?;
        if view.depth < DEPTH_MAX {
            self.waiting.extend(decoded(&view));
        }
        Some(Some(view))
    }
}

fn decoded(view: &View) -> impl Iterator<Item = View> {
    let steps: [Step; 5] = [percent, form, backslash, entity, quoted_printable];
    let mut all: Vec<View> = steps.into_iter().filter_map(|step| pointwise(view, step)).collect();
    all.extend(pointwise(view, joined).map(|joined| View { is_unwrapped: true, ..joined }));
    all.extend((0..4).filter_map(|shift| base64(view, shift)));
    all.extend((0..2).filter_map(|shift| hex(view, shift)));
    all.extend(list(view));
    all.extend(letters::decoded(view));
    all.extend(dumps::decoded(view));
    all.into_iter()
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

/// Decodes where the code applies and keeps everything else. `None` when it applies nowhere.
pub(super) fn pointwise(view: &View, step: Step) -> Option<View> {
    let (bytes, mut out, mut at, mut is_new) = (&view.bytes, view.child(), 0, false);
    while at < bytes.len() {
        match step(&bytes[at..]) {
            Some((used, Few(decoded, length))) => {
                is_new = true;
                out.push(&decoded[..length], view, at..at + used);
                at += used;
            }
            None => {
                out.push(&bytes[at..=at], view, at..at + 1);
                at += 1;
            }
        }
    }
    is_new.then_some(out)
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

/// Runs of base64 digits of either alphabet, wrapped or not, `shift` digits after their beginning: what stands before
/// a code may look like a part of it.
fn base64(view: &View, shift: usize) -> Option<View> {
    let least = if view.depth == 0 { BASE64_MIN } else { BASE64_MIN_INNER };
    runs(
        view,
        least,
        base64_digit,
        |byte| matches!(byte, b'\r' | b'\n'),
        |run, out| {
            for group in run.get(shift..).unwrap_or_default().chunks(4) {
                let bits = group.iter().enumerate().fold(0u32, |bits, (k, (digit, _))| bits | digit << (18 - 6 * k));
                for k in 0..group.len().saturating_sub(1) {
                    let byte = (bits >> (16 - 8 * k)) as u8;
                    out.push(&[byte], view, group[k].1..group[k + 1].1 + 1);
                }
            }
        },
    )
}

fn base64_digit(byte: u8) -> Option<u32> {
    Some(u32::from(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    }))
}

/// Hexadecimal digits, two a byte, with or without something between them: `6d:69`, `6d 69`, `0x6d, 0x69`.
fn hex(view: &View, shift: usize) -> Option<View> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let is_between = |byte: u8| matches!(byte, b':' | b' ' | b'-' | b',' | b'x' | b'\r' | b'\n');
    runs(view, HEX_MIN, digit, is_between, |run, out| {
        // The `0` of `0x` is no digit of the code.
        let is_prefix = |at: usize| run[at].0 == 0 && view.bytes.get(run[at].1 + 1) == Some(&b'x');
        let run: Vec<_> = (0..run.len()).filter(|at| !is_prefix(*at)).map(|at| run[at]).collect();
        for pair in run.get(shift..).unwrap_or_default().chunks_exact(2) {
            out.push(&[(pair[0].0 << 4 | pair[1].0) as u8], view, pair[0].1..pair[1].1 + 1);
        }
    })
}

/// A list of numbers that are bytes, as programs print them: `[104, 117]`, or with signs.
fn list(view: &View) -> Option<View> {
    let (bytes, mut out, mut at) = (&view.bytes, view.coded_child(), 0);
    let mut run: Vec<(u8, Range<usize>)> = Vec::new();
    while at < bytes.len() {
        let from = at;
        let is_negative = bytes[at] == b'-';
        let digits_from = at + usize::from(is_negative);
        let length = bytes[digits_from..].iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
        let value = number(&bytes[digits_from..digits_from + length], 10).filter(|value| length > 0 && *value < 256);
        if let Some(value) = value {
            let byte = if is_negative { (value as u8).wrapping_neg() } else { value as u8 };
            at = digits_from + length;
            run.push((byte, from..at));
            at += bytes[at..].iter().take(4).take_while(|byte| matches!(byte, b',' | b' ' | b';')).count();
            if at > run[run.len() - 1].1.end {
                continue;
            }
        }
        finish_list(&mut run, view, &mut out);
        at = at.max(from + 1);
    }
    finish_list(&mut run, view, &mut out);
    (!out.bytes.is_empty()).then_some(out)
}

fn finish_list(run: &mut Vec<(u8, Range<usize>)>, view: &View, out: &mut View) {
    if run.len() >= LIST_MIN {
        run.iter().for_each(|(byte, range)| out.push(&[*byte], view, range.clone()));
        let last = run[run.len() - 1].1.clone();
        out.push(b"\n", view, last);
    }
    run.clear();
}

/// Decodes every run of digits that is long enough. A run that somebody cut keeps its `…`.
fn runs(
    view: &View,
    least: usize,
    digit: impl Fn(u8) -> Option<u32>,
    is_between: impl Fn(u8) -> bool,
    decode: impl Fn(&[(u32, usize)], &mut View),
) -> Option<View> {
    let (bytes, mut out, mut run) = (&view.bytes, view.coded_child(), Vec::new());
    let mut at = 0;
    while at <= bytes.len() {
        let byte = bytes.get(at).copied();
        match byte.and_then(&digit) {
            Some(value) => run.push((value, at)),
            None if byte.is_some_and(&is_between) && !run.is_empty() => {}
            None => {
                if run.len() >= least {
                    decode(&run, &mut out);
                    let end = run[run.len() - 1].1;
                    for mark in ["…", "\u{fffd}"].map(str::as_bytes) {
                        if bytes[at.min(bytes.len())..].starts_with(mark) {
                            out.push(mark, view, at..at + mark.len());
                        }
                    }
                    out.push(b"\n", view, end..end + 1);
                }
                run.clear();
            }
        }
        at += 1;
    }
    (!out.bytes.is_empty()).then_some(out)
}
