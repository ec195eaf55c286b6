//! Names of large numbers.

/// A large number as a small one and a word: `(62.83872, "million")`.
///
/// `value` 0 or more; `None` below a million, and where the language's list ends (10^24). English has the short scale
/// (billion is 10^9), Dutch and Danish the long one (*miljard*, *milliard*), so the digits must stand beside the word.
/// The Danish plural is used unless the number is 1.
pub(crate) fn in_words(value: f64, language: &str) -> Option<(f64, &'static str)> {
    if !value.is_finite() || value >= 1e24 {
        return None;
    }
    const SIZES: [f64; 6] = [1e21, 1e18, 1e15, 1e12, 1e9, 1e6];
    let group = SIZES.iter().position(|&size| value >= size)?;
    let number = value / SIZES[group];
    let words: [&'static str; 6] = match language {
        "nl" => ["triljard", "triljoen", "biljard", "biljoen", "miljard", "miljoen"],
        "da" if number == 1.0 => ["trilliard", "trillion", "billiard", "billion", "milliard", "million"],
        "da" => ["trilliarder", "trillioner", "billiarder", "billioner", "milliarder", "millioner"],
        _ => ["sextillion", "quintillion", "quadrillion", "trillion", "billion", "million"],
    };
    Some((number, words[group]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// English billion is Dutch miljard is Danish milliard; Dutch biljoen is Danish billion.
    #[test]
    fn names_of_big_numbers() {
        for (language, word) in [("en", "billion"), ("nl", "miljard"), ("da", "milliarder")] {
            assert_eq!(in_words(4_492_800_000.0, language), Some((4.4928, word)));
        }
        for (language, word) in [("en", "trillion"), ("nl", "biljoen"), ("da", "billioner")] {
            assert_eq!(in_words(2.5e12, language), Some((2.5, word)));
        }
        assert_eq!(in_words(1e6, "da"), Some((1.0, "million")));
        assert_eq!(in_words(1e6, "en"), Some((1.0, "million")));
        for none in [999_999.0, 1e24, f64::NAN, -5e9] {
            assert_eq!(in_words(none, "nl"), None);
        }
    }
}
