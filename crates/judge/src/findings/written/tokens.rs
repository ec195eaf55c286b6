//! A text cut into numbers, words and signs.

use std::ops::Range;

/// Readings of one number that are kept.
const READINGS_MAX: usize = 4;
/// Digits of an exponent.
const RAISED: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/// A piece of a text.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    /// A number with its readings: value, and one in its last place.
    Number(Vec<(f64, f64)>),
    /// `* × · / ÷ +`, with division and multiplication as `/` and `*`.
    Operator(char),
    /// `= ≈`
    Equals,
    /// A word, or letters behind a number.
    Word(String),
    /// Any other sign.
    Sign(char),
    /// The end of a line.
    Line,
}

/// A piece with its place in the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    pub token: Token,
    pub place: Range<usize>,
}

/// All pieces of a text, without blanks.
pub fn tokens(text: &str) -> Vec<Placed> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let (token, length) = if c.is_ascii_digit() {
            number(rest)
        } else if c.is_alphabetic() {
            let end = word_end(rest);
            (Token::Word(rest[..end].to_owned()), end)
        } else {
            let token = match c {
                '*' | '×' | '·' => Token::Operator('*'),
                '/' | '÷' => Token::Operator('/'),
                '+' => Token::Operator('+'),
                '=' | '≈' => Token::Equals,
                '\n' => Token::Line,
                other => Token::Sign(other),
            };
            (token, c.len_utf8())
        };
        if !c.is_whitespace() || c == '\n' {
            found.push(Placed { token, place: at..at + length });
        }
        at += length;
    }
    found
}

/// Letters, digits and `_`; points before digits too, for `v1.2.3` is one word.
fn word_end(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    while let Some((place, c)) = chars.next() {
        let is_point = c == '.' && chars.peek().is_some_and(|(_, next)| next.is_ascii_digit());
        if !(c.is_alphanumeric() || c == '_' || is_point) {
            return place;
        }
    }
    text.len()
}

/// A number at the beginning of a text, and its length. What cannot be read as one, such as `1.2.3`, is a word.
fn number(text: &str) -> (Token, usize) {
    let (mut digits, mut length) = plain(text);
    // 62 838 720: groups of three behind single blanks.
    if digits.len() <= 3 && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        while let Some((group, end)) = group(&text[length..]) {
            digits.push_str(&group);
            length += end;
        }
        // The whole may have decimals: 1 234,5.
        if length > digits.len()
            && let Some(separator) = text[length..].chars().next().filter(|c| matches!(c, '.' | ','))
            && let (decimals, end) = plain(&text[length + 1..])
            && !decimals.is_empty()
            && decimals.bytes().all(|byte| byte.is_ascii_digit())
        {
            digits.push(separator);
            digits.push_str(&decimals);
            length += 1 + end;
        }
    }
    let (power, end) = power_of_ten(&text[length..]);
    let readings: Vec<(f64, f64)> =
        readings(&digits).into_iter().map(|(value, last)| (value * power, last * power)).collect();
    if readings.is_empty() {
        return (Token::Word(text[..length].to_owned()), length);
    }
    (Token::Number(readings), length + end)
}

/// Digits with separators between them.
fn plain(text: &str) -> (String, usize) {
    let bytes = text.as_bytes();
    let is_digit = |place: usize| bytes.get(place).is_some_and(u8::is_ascii_digit);
    let mut end = 0;
    while is_digit(end) || (end > 0 && matches!(bytes.get(end), Some(b'.' | b',')) && is_digit(end + 1)) {
        end += 1;
    }
    (text[..end].to_owned(), end)
}

/// A blank and exactly three digits.
fn group(text: &str) -> Option<(String, usize)> {
    let blank = text.chars().next().filter(|c| matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}' | '\'' | '’'))?;
    let rest = &text[blank.len_utf8()..];
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    (digits.len() == 3).then(|| (digits, blank.len_utf8() + 3))
}

/// `e9`, `× 10^9`, `·10⁹` behind a number; 1 without.
fn power_of_ten(text: &str) -> (f64, usize) {
    let exponent = |text: &str| {
        let sign = usize::from(text.starts_with(['-', '+', '−'])) * text.chars().next().map_or(0, char::len_utf8);
        let digits: String = text[sign..].chars().take_while(char::is_ascii_digit).take(3).collect();
        let value: i32 = digits.parse().ok().filter(|value| *value <= 300)?;
        Some((if sign > 0 && !text.starts_with('+') { -value } else { value }, sign + digits.len()))
    };
    if let Some(rest) = text.strip_prefix(['e', 'E'])
        && let Some((power, length)) = exponent(rest)
        && !rest[length..].starts_with(|c: char| c.is_alphanumeric())
    {
        return (10f64.powi(power), 1 + length);
    }
    let after = text.trim_start().trim_start_matches(['×', '*', '·', 'x']);
    let ten = after.trim_start();
    if after.len() < text.trim_start().len()
        && let Some(rest) = ten.strip_prefix("10")
    {
        let before = text.len() - rest.len();
        if let Some(raised) = rest.strip_prefix('^')
            && let Some((power, length)) = exponent(raised)
        {
            return (10f64.powi(power), before + 1 + length);
        }
        let digits: Vec<usize> =
            rest.chars().map_while(|c| RAISED.chars().position(|known| known == c)).take(3).collect();
        if !digits.is_empty() {
            let power = digits.iter().fold(0, |power, digit| power * 10 + *digit as i32);
            let length: usize = rest.chars().take(digits.len()).map(char::len_utf8).sum();
            return (10f64.powi(power.min(300)), before + length);
        }
    }
    (1.0, 0)
}

/// `4.500` is four thousand five hundred, or four and a half: value, and one in its last place; the likelier first.
fn readings(digits: &str) -> Vec<(f64, f64)> {
    let separators: Vec<(usize, char)> = digits.char_indices().filter(|(_, c)| !c.is_ascii_digit()).collect();
    let without = |kept: Option<char>| -> Option<f64> {
        let text: String = digits.chars().filter(|c| c.is_ascii_digit() || Some(*c) == kept).collect();
        text.replace(',', ".").parse().ok()
    };
    // Groups of three between the separators `from..to`, and not more than three digits before the first.
    let are_groups = |places: &[(usize, char)], end: usize| {
        let ends = places.iter().skip(1).map(|(place, _)| *place).chain([end]);
        places.first().is_some_and(|(place, _)| (1..=3).contains(place))
            && places.iter().zip(ends).all(|((place, _), end)| end - place == 4)
    };
    let decimal_place = |place: usize| 10f64.powi(-((digits.len() - place - 1) as i32));
    let mut found = Vec::new();
    let Some(&(last, point)) = separators.last() else {
        return without(None).map(|value| (value, 1.0)).into_iter().collect();
    };
    let is_one_kind = separators.iter().all(|(_, separator)| *separator == point);
    if is_one_kind && are_groups(&separators, digits.len()) {
        found.extend(without(None).map(|value| (value, 1.0)));
    }
    let before = &separators[..separators.len() - 1];
    if before.is_empty() || (before.iter().all(|(_, separator)| *separator != point) && are_groups(before, last)) {
        found.extend(without(Some(point)).map(|value| (value, decimal_place(last))));
    }
    found.truncate(READINGS_MAX);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Vec<f64>> {
        let numbers = tokens(text).into_iter().filter_map(|placed| match placed.token {
            Token::Number(readings) => Some(readings.into_iter().map(|(value, _)| value).collect()),
            _ => None,
        });
        numbers.collect()
    }

    #[test]
    fn numbers_are_read_in_every_way_that_they_can_be_meant() {
        assert_eq!(read("4.500"), [[4500.0, 4.5]]);
        assert_eq!(read("1,5 and 1.5"), [[1.5], [1.5]]);
        assert_eq!(read("11.232.000.000"), [[11_232_000_000.0]]);
        assert_eq!(read("1.234,5 1,234.5 1 234,5"), [[1234.5], [1234.5], [1234.5]]);
        assert_eq!(read("62 838 720 62\u{202f}838\u{202f}720 62'838'720"), [[62_838_720.0]; 3]);
        assert_eq!(read("4.49e9 4.49 × 10^9 4.49·10⁹ 2*10^-3"), [[4.49e9], [4.49e9], [4.49e9], [2e-3]]);
        assert_eq!(read("2 * 10 = 20"), [[2.0], [10.0], [20.0]], "ten itself is a number");
        assert_eq!(read("v1.2.3, 1.2.3, 12,34,5"), [[0.0; 0]; 0]);
        assert_eq!(read("p95 shop_2"), [[0.0; 0]; 0]);
    }
}
