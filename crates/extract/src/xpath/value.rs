//! Values and their conversions (XPath 1.0, section 4): numbers and texts to each other.

use std::borrow::Cow;

/// A value while an expression is evaluated.
pub(super) enum Value<'v> {
    /// Numbers of nodes, in the order of the document.
    Nodes(Vec<u32>),
    Number(f64),
    Text(Cow<'v, str>),
    Truth(bool),
}

/// A text as a number: digits with an optional `-` and point, white space around them; else not a number.
pub(super) fn number_of(text: &str) -> f64 {
    let text = text.trim_matches([' ', '\t', '\n', '\r']);
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && digits.bytes().any(|byte| byte.is_ascii_digit())
        && digits.bytes().filter(|byte| *byte == b'.').count() <= 1;
    if is_number { text.parse().unwrap_or(f64::NAN) } else { f64::NAN }
}

/// A number as text: as many digits as tell it from others, never with an exponent.
pub(super) fn text_of(number: f64) -> String {
    match number {
        _ if number.is_nan() => "NaN".to_owned(),
        _ if number.is_infinite() => if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned(),
        // Both zeros.
        _ if number == 0.0 => "0".to_owned(),
        _ => number.to_string(),
    }
}

/// The nearest whole number, of two the greater (section 4.4).
pub(super) fn round(number: f64) -> f64 {
    // From 2^52 on all are whole, and the sum would not be exact.
    if number.abs() >= 4_503_599_627_370_496.0 || number.is_nan() {
        return number;
    }
    let floor = number.floor();
    if number - floor >= 0.5 { floor + 1.0 } else { floor }
}

/// The characters of a text from one place on, counted from 1 and rounded (section 4.2).
pub(super) fn substring(text: &str, from: f64, length: Option<f64>) -> &str {
    let from = round(from);
    let end = length.map_or(f64::INFINITY, |length| from + round(length));
    let is_within = |place: f64| place >= from && place < end;
    let mut found = None;
    let mut place = 1.0;
    for (index, c) in text.char_indices() {
        if is_within(place) {
            let start = found.map_or(index, |(start, _)| start);
            found = Some((start, index + c.len_utf8()));
        } else if found.is_some() {
            break;
        }
        place += 1.0;
    }
    found.map_or("", |(start, end)| &text[start..end])
}

/// Without white space around it, and one space for any within it.
pub(super) fn normalized(text: &str) -> String {
    let mut into = String::with_capacity(text.len());
    for word in text.split([' ', '\t', '\n', '\r']).filter(|word| !word.is_empty()) {
        if !into.is_empty() {
            into.push(' ');
        }
        into.push_str(word);
    }
    into
}
