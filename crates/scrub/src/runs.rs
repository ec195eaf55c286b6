//! Codes that stand in runs of digits: base64, base32, hexadecimal digits, lists of numbers.

use super::views::View;
use std::ops::Range;

/// Runs of base64 digits that are looked at; within decoded bytes only longer ones, since any four letters are a run.
const BASE64_MIN: usize = 4;
const BASE64_MIN_INNER: usize = 6;
/// Digits of base32 in a run that is looked at: six bytes, the least that is looked for of a secret, are ten.
const BASE32_MIN: usize = 10;
/// The same where a run is all small letters, as words are.
const BASE32_MIN_WORD: usize = 16;
/// Hexadecimal digits in a run that is looked at.
const HEX_MIN: usize = 6;
/// Numbers in a list that is looked at as bytes.
const LIST_MIN: usize = 4;

/// What a byte is to a code: the value of a digit, or one of these.
type Digits = [u8; 256];
/// Stands between two digits, and says nothing.
const BETWEEN: u8 = 0xfe;
/// Ends a run.
const OTHER: u8 = 0xff;

/// Either alphabet, wrapped or not.
const BASE64: Digits = digits(
    &[(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 0), (b"-", 62), (b"_", 63)],
    b"\r\n",
);
/// RFC 4648, wrapped or not.
const BASE32: Digits = digits(&[(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 0), (b"abcdefghijklmnopqrstuvwxyz", 0)], b"\r\n");
/// With or without something between them: `6d:69`, `6d 69`, `0x6d, 0x69`.
const HEX: Digits = digits(&[(b"0123456789abcdef", 0), (b"ABCDEF", 10)], b": -,x\r\n");
/// Numbers, with what parts them.
const LIST: Digits = digits(&[(b"0123456789", 0)], b"-, ;");

/// A digit's value, and where it stands.
type Digit = (u32, usize);

const fn digits(alphabets: &[(&[u8], u8)], between: &[u8]) -> Digits {
    let mut all = [OTHER; 256];
    let mut number = 0;
    while number < alphabets.len() {
        let (alphabet, first) = alphabets[number];
        let mut at = 0;
        while at < alphabet.len() {
            all[alphabet[at] as usize] = first + at as u8;
            at += 1;
        }
        number += 1;
    }
    let mut at = 0;
    while at < between.len() {
        all[between[at] as usize] = BETWEEN;
        at += 1;
    }
    all
}

/// What the runs in a text say: one view for each digit that a code may begin with, since what stands before it may look
/// like a part of it.
pub(super) fn decoded(view: &View) -> Vec<View> {
    let mut all = base64(view);
    all.extend(hex(view));
    all.extend(list(view));
    all.extend(base32(view));
    all
}

fn base64(view: &View) -> Vec<View> {
    let least = if view.is_root() { BASE64_MIN } else { BASE64_MIN_INNER };
    shifted::<4>(
        view,
        &BASE64,
        |run| run.len() >= least,
        |digits, out| {
            for group in digits.chunks(4) {
                let bits = group.iter().enumerate().fold(0u32, |bits, (k, (digit, _))| bits | digit << (18 - 6 * k));
                for k in 0..group.len().saturating_sub(1) {
                    out.push(&[(bits >> (16 - 8 * k)) as u8], view, group[k].1..group[k + 1].1 + 1);
                }
            }
        },
    )
}

fn hex(view: &View) -> Vec<View> {
    let bytes = view.bytes();
    // The `0` of `0x` is not a digit of the code.
    let is_prefix = |(digit, at): &Digit| *digit == 0 && bytes.get(at + 1) == Some(&b'x');
    let is_code = |run: &mut Vec<Digit>| {
        let is_long = run.len() >= HEX_MIN;
        run.retain(|digit| !is_prefix(digit));
        is_long
    };
    shifted::<2>(view, &HEX, is_code, |digits, out| {
        for pair in digits.chunks_exact(2) {
            out.push(&[(pair[0].0 << 4 | pair[1].0) as u8], view, pair[0].1..pair[1].1 + 1);
        }
    })
}

fn base32(view: &View) -> Vec<View> {
    shifted::<8>(
        view,
        &BASE32,
        |run| is_base32(view.bytes(), run),
        |digits, out| {
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
        },
    )
}

/// Whether a run may be a code: all in one case, and not a word.
fn is_base32(bytes: &[u8], run: &[Digit]) -> bool {
    let count = |is: fn(&u8) -> bool| run.iter().filter(|(_, at)| is(&bytes[*at])).count();
    let (great, small) = (count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase));
    let is_word = great == 0 && small == run.len();
    great.min(small) == 0 && run.len() >= if is_word { BASE32_MIN_WORD } else { BASE32_MIN }
}

/// Finds runs, and decodes each that may be a code from every one of its first digits on. A run that somebody cut keeps
/// its `…`.
fn shifted<const SHIFTS: usize>(
    view: &View,
    digits: &Digits,
    is_code: impl Fn(&mut Vec<Digit>) -> bool,
    decode: impl Fn(&[Digit], &mut View),
) -> Vec<View> {
    let bytes = view.bytes();
    let mut views: [View; SHIFTS] = std::array::from_fn(|_| view.coded_child());
    let mut run = Vec::new();
    for region in regions(view, |byte| digits[usize::from(byte)] != OTHER) {
        let mut at = region.start;
        while at < region.end {
            run.clear();
            let start = at;
            while at < region.end && digits[usize::from(bytes[at])] != OTHER {
                let digit = digits[usize::from(bytes[at])];
                if digit != BETWEEN {
                    run.push((u32::from(digit), at));
                }
                at += 1;
            }
            let Some((_, last)) = run.last().copied() else {
                at += 1;
                continue;
            };
            if view.is_new(start..at) && is_code(&mut run) {
                let cut = ["…", "\u{fffd}"].map(str::as_bytes).into_iter().find(|cut| bytes[at..].starts_with(cut));
                for (shift, out) in views.iter_mut().enumerate() {
                    decode(run.get(shift..).unwrap_or_default(), out);
                    if let Some(cut) = cut {
                        out.push(cut, view, at..at + cut.len());
                    }
                    out.push(b"\n", view, last..last + 1);
                }
            }
            at += 1;
        }
    }
    views.into()
}

/// A list of numbers that are bytes, as programs print them: `[104, 117]`, or with signs.
fn list(view: &View) -> Option<View> {
    let (bytes, mut out) = (view.bytes(), view.coded_child());
    let mut run: Vec<(u8, Range<usize>)> = Vec::new();
    for region in regions(view, |byte| LIST[usize::from(byte)] != OTHER) {
        let bytes = &bytes[..region.end];
        let mut at = region.start;
        while at < bytes.len() {
            let from = at;
            let is_negative = bytes[at] == b'-';
            let digits_from = at + usize::from(is_negative);
            let digits = bytes[digits_from..].iter().take(4).take_while(|byte| byte.is_ascii_digit());
            let (length, value) =
                digits.fold((0, 0u32), |(length, value), byte| (length + 1, value * 10 + u32::from(byte - b'0')));
            if length > 0 && value < 256 {
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
    }
    Some(out)
}

fn finish_list(run: &mut Vec<(u8, Range<usize>)>, view: &View, out: &mut View) {
    let is_new = |run: &[(u8, Range<usize>)]| {
        // What parted the list from what stands before it may be all that changed.
        let (from, to) = (run[0].1.start, run[run.len() - 1].1.end);
        let before = view.bytes()[..from].iter().rev().take(4).take_while(|byte| b", ;-".contains(byte)).count();
        view.is_new(from - before..to)
    };
    if run.len() >= LIST_MIN && is_new(run) {
        run.iter().for_each(|(byte, range)| out.push(&[*byte], view, range.clone()));
        let last = run[run.len() - 1].1.clone();
        out.push(b"\n", view, last);
    }
    run.clear();
}

/// Where runs of such bytes may be new: everywhere in a text that is new, else around what changed.
fn regions(view: &View, is_part: impl Fn(u8) -> bool) -> Vec<Range<usize>> {
    let bytes = view.bytes();
    let Some(new) = view.new_ranges() else { return vec![Range { start: 0, end: bytes.len() }] };
    let mut all: Vec<Range<usize>> = Vec::new();
    for new in new {
        let after = bytes[new.end..].iter().take_while(|byte| is_part(**byte)).count();
        let end = (new.end + after + 1).min(bytes.len());
        // What stands before a run that was looked at already ends where that began.
        let floor = all.last().map_or(0, |last| last.end.min(new.start));
        let before = bytes[floor..new.start].iter().rev().take_while(|byte| is_part(**byte)).count();
        match all.last_mut() {
            Some(last) if new.start - before <= last.end => last.end = last.end.max(end),
            _ => all.push(new.start - before..end),
        }
    }
    all
}
