//! Values of data sets that nothing written may show.

use std::borrow::Cow;
use std::fmt::Write;

/// What stands in the place of a value.
const MARK: &str = "‹kept out›";
/// Shorter values are cut out only where they stand as a word or a number of their own: `12` is none in `2012`.
const SHORT: usize = 4;
/// The beginning of a value is cut out, where its end is missing, from so many bytes on.
const BEGINNING: usize = 3;

/// The values of some columns, in the spellings in which an answer, an address or a message may repeat them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptOut {
    /// Ascending, each once, none empty.
    values: Vec<Box<[u8]>>,
}

impl KeptOut {
    /// Takes values as a data set holds them; empty ones say nothing and are left out.
    pub fn of<'a>(values: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut all: Vec<Box<[u8]>> = Vec::new();
        for value in values {
            all.push(value.into());
            if let Ok(text) = std::str::from_utf8(value)
                && !value.iter().all(u8::is_ascii_alphanumeric)
            {
                all.extend(spellings(text).into_iter().map(|spelling| spelling.into_bytes().into()));
            }
        }
        all.retain(|value| !value.is_empty());
        all.sort_unstable();
        all.dedup();
        Self { values: all }
    }

    /// Whether nothing is kept out.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The text with a mark in the place of each value: at each place the longest that begins there. What stands
    /// before a `…` may be the beginning of a value that was shortened, and goes, too.
    pub fn cut<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.is_empty() {
            return Cow::Borrowed(text);
        }
        let bytes = text.as_bytes();
        let (mut out, mut kept_from, mut at, mut end) = (String::new(), 0, 0, 0);
        while at < bytes.len() {
            if end <= at {
                end = text[at..].find(['…', char::REPLACEMENT_CHARACTER]).map_or(usize::MAX, |length| at + length);
            }
            match self.at(bytes, at).or_else(|| self.begins(bytes.get(at..end)?)) {
                Some(length) => {
                    out.push_str(&text[kept_from..at]);
                    out.push_str(MARK);
                    at += length;
                    kept_from = at;
                }
                None => at += text[at..].chars().next().map_or(1, char::len_utf8),
            }
        }
        if kept_from == 0 {
            return Cow::Borrowed(text);
        }
        out.push_str(&text[kept_from..]);
        Cow::Owned(out)
    }

    /// Length of the longest value at a place.
    fn at(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let rest = &bytes[at..];
        let mut key = rest;
        loop {
            // Whatever the text begins with comes before it in order, and nothing between is longer.
            let value = &self.values[self.up_to(key).checked_sub(1)?];
            let common = value.iter().zip(key).take_while(|(one, other)| one == other).count();
            let is_whole = common == value.len();
            if is_whole && (common >= SHORT || stands_alone(bytes, at, common)) {
                return Some(common);
            }
            key = &rest[..if is_whole { common - 1 } else { common }];
        }
    }

    /// How many values come before a text, or are it.
    fn up_to(&self, text: &[u8]) -> usize {
        self.values.partition_point(|value| **value <= *text)
    }

    /// The length of a piece of text, when a value begins with all of it.
    fn begins(&self, piece: &[u8]) -> Option<usize> {
        let next = self.values.get(self.up_to(piece))?;
        (piece.len() >= BEGINNING && next.starts_with(piece)).then_some(piece.len())
    }
}

/// Whether what stands on either side is of another kind: `u12` holds the number 12, `2012` does not.
fn stands_alone(bytes: &[u8], at: usize, length: usize) -> bool {
    let is_one_word = |one: Option<&u8>, other: Option<&u8>| match (one, other) {
        (Some(one), Some(other)) => {
            (one.is_ascii_digit() && other.is_ascii_digit()) || (is_letter(*one) && is_letter(*other))
        }
        _ => false,
    };
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    let (first, last) = (bytes.get(at), bytes.get(at + length - 1));
    !is_one_word(before, first) && !is_one_word(last, bytes.get(at + length))
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || !byte.is_ascii()
}

/// How a value is written in addresses, forms, JSON, XML and messages.
fn spellings(text: &str) -> Vec<String> {
    let percent = |is_upper: bool| {
        text.bytes().fold(String::new(), |mut out, byte| {
            match byte {
                _ if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) => out.push(char::from(byte)),
                _ if is_upper => write!(out, "%{byte:02X}").expect("writing to memory does not fail"),
                _ => write!(out, "%{byte:02x}").expect("writing to memory does not fail"),
            }
            out
        })
    };
    let xml = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let json = text.replace('\\', "\\\\").replace('"', "\\\"");
    let ascii = text.chars().fold(String::new(), |mut out, c| {
        if c.is_ascii() {
            out.push(c);
        } else {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                write!(out, "\\u{unit:04x}").expect("writing to memory does not fail");
            }
        }
        out
    });
    let mut all = vec![
        percent(true).replace("%20", "+"),
        percent(true),
        percent(false),
        xml.replace('"', "&quot;"),
        xml,
        json.replace('/', "\\/"),
        json,
        ascii,
        text.escape_debug().to_string(),
    ];
    all.retain(|spelling| spelling != text);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(values: &[&str]) -> KeptOut {
        KeptOut::of(values.iter().map(|value| value.as_bytes()))
    }

    #[test]
    fn values_go_wherever_they_stand_and_the_longest_first() {
        let kept = kept(&["anna.smit", "anna.smit@example.org", "Bo Ek", ""]);
        assert_eq!(kept.cut("nothing here"), "nothing here");
        assert_eq!(
            kept.cut("{\"user\":\"anna.smit@example.org\",\"by\":\"anna.smit\"}xanna.smity"),
            "{\"user\":\"‹kept out›\",\"by\":\"‹kept out›\"}x‹kept out›y"
        );
        assert_eq!(kept.cut("/q?name=Bo%20Ek&also=Bo+Ek"), "/q?name=‹kept out›&also=‹kept out›");
        assert!(KeptOut::default().is_empty() && super::tests::kept(&[""]).is_empty());
    }

    #[test]
    fn short_values_go_where_they_stand_alone() {
        let kept = kept(&["12", "al"]);
        assert_eq!(
            kept.cut("user 12, u12, 2012, 12.5, al, total, al7"),
            "user ‹kept out›, u‹kept out›, 2012, ‹kept out›.5, ‹kept out›, total, ‹kept out›7"
        );
    }

    #[test]
    fn other_spellings_of_a_value_go_too() {
        let kept = kept(&["Žofie \"Q\" & Søn/1"]);
        for spelling in [
            "Žofie \"Q\" & Søn/1",
            "%C5%BDofie%20%22Q%22%20%26%20S%C3%B8n%2F1",
            "%c5%bdofie%20%22Q%22%20%26%20S%c3%b8n%2f1",
            "%C5%BDofie+%22Q%22+%26+S%C3%B8n%2F1",
            "Žofie \"Q\" &amp; Søn/1",
            "Žofie &quot;Q&quot; &amp; Søn/1",
            "Žofie \\\"Q\\\" & Søn/1",
        ] {
            assert_eq!(kept.cut(&format!("<{spelling}>")), "<‹kept out›>", "{spelling}");
        }
        assert_eq!(super::tests::kept(&["Søn"]).cut("a \\u0053 S\\u00f8n"), "a \\u0053 ‹kept out›");
    }

    #[test]
    fn a_value_whose_end_was_cut_off_goes_too() {
        let kept = kept(&["anna.smit@example.org"]);
        assert_eq!(kept.cut("found anna.smit@exa…"), "found ‹kept out›…");
        assert_eq!(kept.cut("found `anna.smit@exa…`; status 200"), "found `‹kept out›…`; status 200");
        assert_eq!(kept.cut("found anna.smit@exa"), "found anna.smit@exa", "nothing was cut off here");
        assert_eq!(kept.cut("found an…"), "found an…");
    }

    /// Against looking for every value at every place.
    #[test]
    fn the_longest_value_at_a_place_is_found() {
        let letters = |mut number: u32, length: u32| {
            let letter = |_| {
                let letter = ["a", "b", "c"][number as usize % 3];
                number /= 3;
                letter
            };
            (0..length).map(letter).collect::<String>()
        };
        for values in [&["abca", "abcab", "abcc", "bcaa"][..], &["aaaa", "aaaaaa", "aaab"], &["cccc"]] {
            let kept = kept(values);
            for text in (0..3u32.pow(8)).map(|number| letters(number, 8)) {
                let expected = values.iter().filter(|value| text.starts_with(**value)).map(|value| value.len()).max();
                assert_eq!(kept.at(text.as_bytes(), 0), expected, "{text}");
            }
        }
    }
}
