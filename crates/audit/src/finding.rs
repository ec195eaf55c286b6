//! What is found: the words that contradict each other, with their places and the arithmetic that shows it.

use crate::model::Place;

/// How much a finding says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// What is printed claims more than its own figures carry.
    Remark,
    /// The figures can only be true together under something that the text does not say.
    Question,
    /// The figures cannot all be true.
    Contradiction,
}

impl Weight {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Remark => "remark",
            Self::Question => "question",
            Self::Contradiction => "contradiction",
        }
    }
}

/// Words of the report.
#[derive(Clone, Debug, PartialEq)]
pub struct Quote {
    /// Where they stand.
    pub place: Place,
    /// The words, shortened in their middle where they are long.
    pub text: String,
}

/// What cannot be true, or not without more.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The rule: a word in capitals, as in the guide.
    pub code: &'static str,
    /// How much it says.
    pub weight: Weight,
    /// What is wrong, in one sentence.
    pub says: String,
    /// What was computed, from the quoted figures.
    pub arithmetic: String,
    /// What would be right, or what would settle it.
    pub remedy: String,
    /// The words concerned, the first being where to look first.
    pub quotes: Vec<Quote>,
}

/// Longest quotation, in characters.
const QUOTE_MAX: usize = 220;

/// Words of a place, shortened.
pub(crate) fn quote(place: &Place, text: &str) -> Quote {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let count = text.chars().count();
    let text = if count <= QUOTE_MAX {
        text
    } else {
        let head: String = text.chars().take(QUOTE_MAX * 2 / 3).collect();
        let tail: String = text.chars().skip(count - QUOTE_MAX / 3).collect();
        format!("{head} … {tail}")
    };
    Quote { place: place.clone(), text }
}

/// A number with blanks between thousands, to five significant digits but never fewer than its whole part.
pub(crate) fn number(value: f64) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    let whole = if value == 0.0 { 1 } else { value.abs().log10().floor() as i64 + 1 };
    let decimals = usize::try_from((5 - whole).clamp(0, 8)).unwrap_or(0);
    let mut text = format!("{:.decimals$}", value.abs());
    if text.contains('.') {
        text = text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    let (digits, rest) = text.split_once('.').map_or((text.as_str(), None), |(digits, rest)| (digits, Some(rest)));
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) && digits.len() > 4 {
            grouped.push(' ');
        }
        grouped.push(digit);
    }
    let sign = if value < 0.0 { "-" } else { "" };
    rest.map_or_else(|| format!("{sign}{grouped}"), |rest| format!("{sign}{grouped}.{rest}"))
}

/// A time in the unit that fits.
pub(crate) fn time(seconds: f64) -> String {
    if seconds.abs() < 1.0 { format!("{} ms", number(1000.0 * seconds)) } else { format!("{} s", number(seconds)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        for (value, text) in [
            (74_880_000.0, "74 880 000"),
            (1824.5, "1824.5"),
            (2.5, "2.5"),
            (0.0, "0"),
            (-12.7, "-12.7"),
            (11_232_000_000.0, "11 232 000 000"),
            (0.03649, "0.03649"),
        ] {
            assert_eq!(number(value), text);
        }
        assert_eq!(time(0.289), "289 ms");
        assert_eq!(time(3.649), "3.649 s");
    }

    #[test]
    fn long_words_are_shortened_in_their_middle() {
        let text = quote(&Place::default(), &"long ".repeat(100)).text;
        assert!(text.chars().count() < QUOTE_MAX + 5 && text.contains('…'));
    }
}
