//! Numbers of a text with their units, as English, Dutch and Danish reports write them.
//!
//! Which sign stands for decimals is seen from the numbers that allow one reading only; one that allows two keeps both.

use judge::findings::written::tokens::{Placed, Token, tokens};
use std::ops::Range;

/// What a number counts or measures, with its value in a base unit.
#[derive(Clone, Debug, PartialEq)]
pub enum Unit {
    /// A share; the value is in percent.
    Percent,
    /// A time; in seconds.
    Time,
    /// Something a second; the word says what, and is empty where nothing does.
    Rate(String),
    /// A size; in bytes.
    Bytes,
    /// So many of something.
    Count(String),
    /// Nothing known.
    Bare,
}

/// A number with its unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// Readings in the base unit: value, and one in the last place that is printed. The likelier first.
    pub readings: Vec<(f64, f64)>,
    /// What it is.
    pub unit: Unit,
    /// Where it stands in its text, unit included.
    pub place: Range<usize>,
    /// Whether a word before it says that it is only about so much.
    pub is_about: bool,
}

impl Quantity {
    /// The likeliest value.
    pub fn value(&self) -> f64 {
        self.readings.first().map_or(f64::NAN, |reading| reading.0)
    }

    /// Half of one in the last place: as far as rounding may have moved it.
    pub fn half(&self) -> f64 {
        self.readings.first().map_or(0.0, |reading| reading.1 / 2.0)
    }

    /// Whether only one reading is possible.
    pub fn is_sure(&self) -> bool {
        self.readings.len() == 1
    }

    /// Whether it is a time.
    pub fn is_time(&self) -> bool {
        self.unit == Unit::Time
    }

    /// Whether it is so many a second.
    pub fn is_rate(&self) -> bool {
        matches!(self.unit, Unit::Rate(_))
    }
}

/// Words that make a number an approximate one.
pub(crate) const ABOUT: [&str; 16] = [
    "about",
    "approximately",
    "approx",
    "around",
    "circa",
    "ca",
    "cirka",
    "nearly",
    "roughly",
    "almost",
    "ongeveer",
    "rond",
    "omkring",
    "bijna",
    "over",
    "næsten",
];
/// Units of time: their length in seconds.
const TIMES: [(&str, f64); 42] = [
    // The micro sign, and the Greek letter.
    ("µs", 1e-6),
    ("μs", 1e-6),
    ("ms", 1e-3),
    ("msec", 1e-3),
    ("millisecond", 1e-3),
    ("milliseconds", 1e-3),
    ("milliseconde", 1e-3),
    ("milliseconden", 1e-3),
    ("millisekund", 1e-3),
    ("millisekunder", 1e-3),
    ("s", 1.0),
    ("sec", 1.0),
    ("secs", 1.0),
    ("second", 1.0),
    ("seconds", 1.0),
    ("seconde", 1.0),
    ("seconden", 1.0),
    ("sekund", 1.0),
    ("sekunder", 1.0),
    ("sek", 1.0),
    ("min", 60.0),
    ("mins", 60.0),
    ("minute", 60.0),
    ("minutes", 60.0),
    ("minuut", 60.0),
    ("minuten", 60.0),
    ("minut", 60.0),
    ("minutter", 60.0),
    ("h", 3600.0),
    ("hour", 3600.0),
    ("hours", 3600.0),
    ("uur", 3600.0),
    ("uren", 3600.0),
    ("time", 3600.0),
    ("timer", 3600.0),
    ("day", 86_400.0),
    ("dag", 86_400.0),
    ("days", 86_400.0),
    ("dagen", 86_400.0),
    ("week", 604_800.0),
    ("uge", 604_800.0),
    ("hr", 3600.0),
];
/// Units of size.
const SIZES: [(&str, f64); 16] = [
    ("B", 1.0),
    ("bytes", 1.0),
    ("kB", 1e3),
    ("KB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("TB", 1e12),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
    ("TiB", 1_099_511_627_776.0),
    ("GIB", 1_073_741_824.0),
    ("Kb", 1e3),
    ("Mb", 1e6),
    ("Gb", 1e9),
    ("kb", 1e3),
];
/// Units that are rates by themselves: so many a second.
const RATES: [(&str, f64); 10] = [
    ("tps", 1.0),
    ("rps", 1.0),
    ("qps", 1.0),
    ("rpm", 1.0 / 60.0),
    ("tpm", 1.0 / 60.0),
    ("ops", 1.0),
    ("hps", 1.0),
    ("eps", 1.0),
    ("mps", 1.0),
    ("cps", 1.0),
];
/// Words that multiply; *billion* is 10^12 in Danish, which only the sums of `judge` ask for.
const SCALES: [(&str, f64); 24] = [
    ("k", 1e3),
    ("K", 1e3),
    ("thousand", 1e3),
    ("duizend", 1e3),
    ("tusind", 1e3),
    ("M", 1e6),
    ("mio", 1e6),
    ("mln", 1e6),
    ("million", 1e6),
    ("millions", 1e6),
    ("miljoen", 1e6),
    ("millioner", 1e6),
    ("billion", 1e9),
    ("miljard", 1e9),
    ("milliard", 1e9),
    ("milliarder", 1e9),
    ("mia", 1e9),
    ("mrd", 1e9),
    ("bn", 1e9),
    ("Mio", 1e6),
    ("mill", 1e6),
    ("Million", 1e6),
    ("Billion", 1e9),
    ("Thousand", 1e3),
];
/// Numbers in words, where they are likely in a report.
const WORDS: [(&str, f64); 40] = [
    ("two", 2.0),
    ("three", 3.0),
    ("four", 4.0),
    ("five", 5.0),
    ("six", 6.0),
    ("seven", 7.0),
    ("eight", 8.0),
    ("nine", 9.0),
    ("ten", 10.0),
    ("twelve", 12.0),
    ("fifteen", 15.0),
    ("twenty", 20.0),
    ("thirty", 30.0),
    ("forty", 40.0),
    ("fifty", 50.0),
    ("sixty", 60.0),
    ("seventy", 70.0),
    ("eighty", 80.0),
    ("ninety", 90.0),
    ("twee", 2.0),
    ("drie", 3.0),
    ("vier", 4.0),
    ("vijf", 5.0),
    ("zes", 6.0),
    ("zeven", 7.0),
    ("acht", 8.0),
    ("negen", 9.0),
    ("tien", 10.0),
    ("twintig", 20.0),
    ("honderd", 100.0),
    ("tre", 3.0),
    ("fire", 4.0),
    ("fem", 5.0),
    ("seks", 6.0),
    ("syv", 7.0),
    ("otte", 8.0),
    ("ni", 9.0),
    ("ti", 10.0),
    ("tyve", 20.0),
    ("hundred", 100.0),
];
/// Words between a number and its `per second`.
const NOUNS_MAX: usize = 3;

fn found<T: Copy>(list: &[(&str, T)], word: &str) -> Option<T> {
    list.iter().find(|(known, _)| *known == word).map(|(_, value)| *value)
}

fn of_time(word: &str) -> Option<f64> {
    found(&TIMES, word).or_else(|| found(&TIMES, &word.to_lowercase()).filter(|_| word.len() > 1))
}

/// The sign that stands for decimals, as far as a report shows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decimals(Option<char>);

impl Decimals {
    /// Looks at all numbers of a report that can be read in one way only.
    /// Where none can, an English text has points for decimals, as long as no comma stands for them.
    pub fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut seen = [0usize; 2];
        let mut english = 0;
        for text in texts {
            english += tokens(text)
                .iter()
                .filter(|placed| matches!(&placed.token, Token::Word(word) if is_english(word)))
                .count();
            let bytes = text.as_bytes();
            for (at, sign) in text.char_indices().filter(|(_, c)| matches!(c, '.' | ',')) {
                let run = |places: &mut dyn Iterator<Item = usize>| {
                    places.take_while(|place| bytes.get(*place).is_some_and(u8::is_ascii_digit)).count()
                };
                let (before, after) = (run(&mut (0..at).rev()), run(&mut (at + 1..bytes.len().min(at + 20))));
                let is_alone = |place: Option<usize>| {
                    place.and_then(|place| bytes.get(place)).is_none_or(|byte| !matches!(byte, b'.' | b','))
                };
                let is_version = !is_alone(at.checked_sub(before + 1)) || !is_alone_behind(bytes, at + 1 + after);
                // Three digits may be a group of thousands, unless they follow a zero alone.
                let is_group = after == 3 && !(before == 1 && bytes.get(at - 1) == Some(&b'0'));
                if (1..=6).contains(&before) && after > 0 && !is_group && !is_version {
                    seen[usize::from(sign == ',')] += 1;
                }
            }
        }
        match seen {
            [points, commas] if points >= 2 && points > 8 * commas => Self(Some('.')),
            [points, commas] if commas >= 2 && commas > 8 * points => Self(Some(',')),
            [_, 0] if english >= ENGLISH_LEAST => Self(Some('.')),
            _ => Self(None),
        }
    }

    /// Whether the report shows it.
    pub fn is_known(self) -> bool {
        self.0.is_some()
    }

    /// Readings that agree with it.
    fn choose(self, digits: &str, readings: &[(f64, f64)]) -> Vec<(f64, f64)> {
        let separator = digits.chars().find(|c| matches!(c, '.' | ','));
        match (self.0, separator) {
            (Some(point), Some(sign)) if readings.len() == 2 => {
                // The first is that of thousands.
                vec![readings[usize::from(sign == point)]]
            }
            (_, Some(_)) if readings.len() == 2 && digits.starts_with('0') => vec![readings[1]],
            _ => readings.to_vec(),
        }
    }
}

/// Words of English that neither Dutch nor Danish has.
const ENGLISH: [&str; 12] =
    ["the", "and", "with", "second", "seconds", "average", "users", "requests", "from", "was", "were", "which"];
/// How many of them make a text an English one.
const ENGLISH_LEAST: usize = 3;

fn is_english(word: &str) -> bool {
    ENGLISH.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// A point behind the decimals is the end of a sentence unless digits follow it.
fn is_alone_behind(bytes: &[u8], place: usize) -> bool {
    !(matches!(bytes.get(place), Some(b'.' | b',')) && bytes.get(place + 1).is_some_and(u8::is_ascii_digit))
}

/// All quantities of a text in order.
pub fn quantities(text: &str, decimals: Decimals) -> Vec<Quantity> {
    let tokens = tokens(text);
    let mut all = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match quantity(text, &tokens, at, decimals) {
            Some((quantity, next)) => {
                all.push(quantity);
                at = next;
            }
            None => at += 1,
        }
    }
    all
}

fn word(tokens: &[Placed], at: usize) -> Option<&str> {
    match &tokens.get(at)?.token {
        Token::Word(word) => Some(word),
        _ => None,
    }
}

fn is_sign(tokens: &[Placed], at: usize, sign: char) -> bool {
    tokens.get(at).is_some_and(|placed| placed.token == Token::Sign(sign))
}

/// The quantity that begins at a piece, and the piece behind it.
fn quantity(text: &str, tokens: &[Placed], at: usize, decimals: Decimals) -> Option<(Quantity, usize)> {
    let placed = &tokens[at];
    let readings = match &placed.token {
        Token::Number(readings) if stands_alone(tokens, at) => decimals.choose(&text[placed.place.clone()], readings),
        Token::Word(word) => vec![(found(&WORDS, &word.to_lowercase())?, 1.0)],
        _ => return None,
    };
    let mut next = at + 1;
    let mut scale = 1.0;
    if let Some(factor) = word(tokens, next).and_then(|word| found(&SCALES, word)) {
        scale = factor;
        next += 1;
        // `mio.`
        next += usize::from(
            is_sign(tokens, next, '.')
                && word(tokens, next + 1).is_some_and(|word| of_time(word).is_none())
                && is_close(tokens, next)
                && !is_capital(word(tokens, next + 1)),
        );
    }
    let (unit, factor, end) = unit(tokens, next);
    let readings = readings.iter().map(|(value, last)| (value * scale * factor, last * scale * factor)).collect();
    let is_about = (1..=2).any(|back| {
        let word = at.checked_sub(back).and_then(|before| word(tokens, before));
        word.is_some_and(|word| ABOUT.contains(&word.to_lowercase().as_str()))
    }) || at
        .checked_sub(1)
        .is_some_and(|before| is_sign(tokens, before, '~') || tokens[before].token == Token::Equals);
    let until = tokens[end - 1].place.end;
    Some((Quantity { readings, unit, place: placed.place.start..until, is_about }, end))
}

fn is_capital(word: Option<&str>) -> bool {
    word.and_then(|word| word.chars().next()).is_some_and(char::is_uppercase)
}

/// Whether a piece follows the one before without a blank.
fn is_close(tokens: &[Placed], at: usize) -> bool {
    at > 0 && tokens[at - 1].place.end == tokens[at].place.start
}

/// Whether a number belongs to nothing before it: `v1`, `-5`, `1.2.3`, `/8`, `2020-12`.
fn stands_alone(tokens: &[Placed], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| &tokens[before].token);
    let touches = match before {
        Some(
            Token::Word(_) | Token::Sign('.' | ',' | '-' | '_' | ':' | '#' | '@' | '\\' | '^') | Token::Operator('/'),
        ) => is_close(tokens, at),
        _ => false,
    };
    let behind = tokens.get(at + 1).map(|placed| &placed.token);
    let goes_on = match behind {
        Some(Token::Sign('-' | ':' | '_' | '–') | Token::Operator('/')) => {
            is_close(tokens, at + 1)
                && tokens.get(at + 2).is_some_and(|placed| matches!(placed.token, Token::Number(_)))
                && is_close(tokens, at + 2)
        }
        _ => false,
    };
    !touches && !goes_on
}

/// The unit at a piece, what one of it is in the base unit, and the piece behind it.
fn unit(tokens: &[Placed], at: usize) -> (Unit, f64, usize) {
    if is_sign(tokens, at, '%') {
        return (Unit::Percent, 1.0, at + 1);
    }
    if let Some((scale, end)) = per(tokens, at) {
        return (Unit::Rate(String::new()), scale, end);
    }
    let Some(first) = word(tokens, at) else { return (Unit::Bare, 1.0, at) };
    let lower = first.to_lowercase();
    if ["percent", "procent", "pct"].contains(&lower.as_str()) {
        return (Unit::Percent, 1.0, at + 1);
    }
    if let Some(scale) = found(&RATES, &lower) {
        return (Unit::Rate(String::new()), scale, at + 1);
    }
    if let Some(scale) = of_time(first) {
        return (Unit::Time, scale, at + 1);
    }
    if let Some(scale) = found(&SIZES, first) {
        return match per(tokens, at + 1) {
            Some((per, end)) => (Unit::Rate("bytes".to_owned()), scale * per, end),
            None => (Unit::Bytes, scale, at + 1),
        };
    }
    let mut nouns = Vec::new();
    let mut place = at;
    while let Some(noun) = word(tokens, place).filter(|_| nouns.len() < NOUNS_MAX) {
        // `per` itself, or words that begin something else.
        if STOPS.contains(&noun.to_lowercase().as_str()) {
            break;
        }
        nouns.push(noun.to_lowercase());
        place += 1;
        if let Some((scale, end)) = per(tokens, place) {
            return (Unit::Rate(nouns.join(" ")), scale, end);
        }
    }
    if nouns.is_empty() { (Unit::Bare, 1.0, at) } else { (Unit::Count(nouns.join(" ")), 1.0, at + 1) }
}

/// Words that end what a number counts.
const STOPS: [&str; 30] = [
    "per", "pr", "and", "or", "with", "in", "of", "at", "for", "to", "the", "is", "was", "were", "are", "en", "of",
    "met", "op", "van", "voor", "og", "med", "på", "til", "af", "er", "i", "as", "by",
];

/// `/s`, `per second`, `pr. minut`, `a second`: what one of it is a second, and the piece behind it.
fn per(tokens: &[Placed], at: usize) -> Option<(f64, usize)> {
    let mut place = at;
    let is_slash = tokens.get(place).is_some_and(|placed| placed.token == Token::Operator('/'));
    if is_slash {
        place += 1;
    } else if word(tokens, place).is_some_and(|word| ["per", "pr", "each", "a", "every", "elke"].contains(&word)) {
        place += 1;
        place += usize::from(is_sign(tokens, place, '.'));
    } else {
        return None;
    }
    let seconds = of_time(word(tokens, place)?)?;
    Some((1.0 / seconds, place + 1))
}

/// A number alone, such as a table's cell has it: its readings, and the text behind it.
pub fn leading(text: &str, decimals: Decimals) -> Option<(Vec<(f64, f64)>, &str)> {
    let text = text.trim().trim_start_matches(['~', '≈', '+']).trim_start();
    let (sign, digits) = match text.strip_prefix(['-', '−']) {
        Some(rest) => (-1.0, rest),
        None => (1.0, text),
    };
    let first = tokens(digits).into_iter().next()?;
    let Token::Number(readings) = first.token else { return None };
    if first.place.start > 0 {
        return None;
    }
    let readings = decimals.choose(&digits[first.place.clone()], &readings);
    Some((readings.into_iter().map(|(value, last)| (sign * value, last)).collect(), &digits[first.place.end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> (f64, Unit) {
        let all = quantities(text, Decimals(None));
        (all[0].value(), all[0].unit.clone())
    }

    #[test]
    fn numbers_have_the_units_of_three_languages() {
        let rate = |noun: &str| Unit::Rate(noun.to_owned());
        assert_eq!(one("200 berichten per seconde"), (200.0, rate("berichten")));
        assert_eq!(one("103,9 kald per sekund"), (103.9, rate("kald")));
        assert_eq!(one("2839 events/second"), (2839.0, rate("events")));
        assert_eq!(one("360 samples a minute"), (6.0, rate("samples")));
        assert_eq!(one("500/s").0, 500.0);
        assert_eq!(one("96K TPS"), (96_000.0, rate("")));
        assert_eq!(one("29 ms"), (0.029, Unit::Time));
        assert_eq!(one("1 uur"), (3600.0, Unit::Time));
        assert_eq!(one("8kB"), (8000.0, Unit::Bytes));
        assert_eq!(one("1.398.272 KB"), (1_398_272_000.0, Unit::Bytes));
        assert_eq!(one("7,5 %"), (7.5, Unit::Percent));
        assert_eq!(one("Eighty JMeter users"), (80.0, Unit::Count("jmeter users".to_owned())));
        assert_eq!(one("ca. 63 mio kald").0, 63e6);
        assert_eq!(one("ongeveer 4 miljard berichten").0, 4e9);
        assert!(quantities("ca. 63 mio kald", Decimals(None))[0].is_about);
    }

    #[test]
    fn dates_versions_and_names_are_no_quantities() {
        for text in ["2020-12-09", "v2.0.45", "1.2.3", "node01", "13:45", "iteration-3", "24/7", "docker02"] {
            assert_eq!(quantities(text, Decimals(None)), [], "{text}");
        }
    }

    #[test]
    fn a_report_shows_how_it_writes_decimals() {
        let danish = Decimals::of(["18,1 og 23,18 og 103,9 i 2.0.45"].into_iter());
        assert_eq!(danish, Decimals(Some(',')));
        assert_eq!(quantities("2.500 kald", danish)[0].readings, [(2500.0, 1.0)]);
        let english = Decimals::of(["18.1, 23.18 and 103.9."].into_iter());
        assert_eq!(english, Decimals(Some('.')));
        assert_eq!(quantities("2,695 events", english)[0].readings, [(2695.0, 1.0)]);
        let unknown = Decimals::of(["nothing"].into_iter());
        assert_eq!(quantities("2,695 events", unknown)[0].readings.len(), 2);
        assert_eq!(quantities("0.024 s", unknown)[0].readings.len(), 1);
    }

    #[test]
    fn a_cell_may_have_a_sign() {
        assert_eq!(leading("-4%", Decimals(None)), Some((vec![(-4.0, 1.0)], "%")));
        assert_eq!(leading("n/a", Decimals(None)), None);
    }
}
