//! Comparing what was found with what was expected.

use contract::Compare;
use std::cmp::Ordering;

/// Whether the comparison holds. Both sides are compared as numbers if both are numbers; an order of anything else
/// never holds.
pub fn holds(found: &[u8], compare: Compare, expected: &[u8]) -> bool {
    if compare == Compare::Contains {
        return contains(found, expected);
    }
    let order = number(found).zip(number(expected)).and_then(|(found, expected)| found.order(&expected));
    match compare {
        Compare::Equal => order.map_or(found == expected, Ordering::is_eq),
        Compare::NotEqual => order.map_or(found != expected, Ordering::is_ne),
        Compare::Less => order.is_some_and(Ordering::is_lt),
        Compare::AtMost => order.is_some_and(Ordering::is_le),
        Compare::Greater => order.is_some_and(Ordering::is_gt),
        Compare::AtLeast => order.is_some_and(Ordering::is_ge),
        Compare::Contains => contains(found, expected),
    }
}

/// Whether the comparison looks at sizes, so that something that is not a number can never satisfy it.
pub(crate) fn is_order(compare: Compare) -> bool {
    matches!(compare, Compare::Less | Compare::AtMost | Compare::Greater | Compare::AtLeast)
}

/// Whether a text is a number in the sense of [`holds`].
pub(crate) fn is_number(text: &[u8]) -> bool {
    number(text).is_some()
}

/// Whole numbers stay exact: identifiers of 17 digits and more would meet as floating point.
enum Number {
    Whole(i128),
    Real(f64),
}

impl Number {
    fn order(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Whole(a), Self::Whole(b)) => Some(a.cmp(b)),
            _ => self.real().partial_cmp(&other.real()),
        }
    }

    fn real(&self) -> f64 {
        match self {
            Self::Whole(whole) => *whole as f64,
            Self::Real(real) => *real,
        }
    }
}

/// Decimal numbers as JSON and people write them; `inf`, `nan` and hexadecimal are words.
fn number(text: &[u8]) -> Option<Number> {
    let text = text.trim_ascii();
    let first = *text.first()?;
    let is_plain = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E');
    if text.len() > 64 || !(first.is_ascii_digit() || matches!(first, b'-' | b'+' | b'.')) || !text.iter().all(is_plain)
    {
        return None;
    }
    let text = std::str::from_utf8(text).ok()?;
    if let Ok(whole) = text.parse() {
        return Some(Number::Whole(whole));
    }
    text.parse::<f64>().ok().filter(|real| real.is_finite()).map(Number::Real)
}

fn contains(found: &[u8], expected: &[u8]) -> bool {
    expected.is_empty() || memmem(found, expected)
}

/// Plain search by first byte: expected texts are short, bodies bounded, and a table would be built for each answer.
fn memmem(hay: &[u8], needle: &[u8]) -> bool {
    let Some((&first, rest)) = needle.split_first() else { return true };
    let mut hay = hay;
    while let Some(at) = hay.iter().position(|&byte| byte == first) {
        hay = &hay[at + 1..];
        if hay.len() < rest.len() {
            return false;
        }
        if hay.starts_with(rest) {
            return true;
        }
    }
    false
}
