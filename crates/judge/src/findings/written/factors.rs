//! Factors and conversions that a text states between two numbers with units: `500/s is five times the 100/s`,
//! `360/min = 3/s`.

use super::tokens::{Placed, Token, tokens};
use super::{agrees, bounded};

/// Words between the factor and the second number.
const WORDS_MAX: usize = 5;
/// Words for what is counted, between its number and what each of it is.
const NOUNS_MAX: usize = 3;

/// A factor that its two numbers do not make.
#[derive(Clone, Debug, PartialEq)]
pub struct WrongFactor {
    /// The words from the first number to the second.
    pub words: String,
    pub stated: f64,
    pub computed: f64,
}

/// Two quantities that are said to be equal and are not.
#[derive(Clone, Debug, PartialEq)]
pub struct WrongUnit {
    pub first: String,
    pub second: String,
    /// The first in the unit of the second.
    pub computed: f64,
    /// That unit, as it stands behind a number.
    pub unit: String,
}

/// What a unit measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dimension {
    Time,
    Rate,
    Size,
    /// Bytes a second.
    Flow,
}

/// A number with a unit.
pub(super) struct Quantity {
    pub(super) readings: Vec<(f64, f64)>,
    pub(super) dimension: Dimension,
    /// What one of the unit is in seconds, a second, bytes, or bytes a second: a kB is 1000 or 1024.
    pub(super) scales: Vec<f64>,
    /// Pieces it takes.
    pub(super) length: usize,
    /// Where the unit begins, within the text.
    unit_from: usize,
}

/// `360/min = 3/s`, `90 s (= 2 min)`: a conversion that does not come out.
pub fn units(text: &str) -> Vec<WrongUnit> {
    let text = bounded(text);
    let tokens = tokens(text);
    let mut wrong = Vec::new();
    for place in 0..tokens.len() {
        let is_whole = stands_alone(&tokens, place) && !is_multiplied(&tokens, place);
        let Some(first) = quantity(&tokens[place..]).filter(|_| is_whole) else { continue };
        let mut next = place + first.length;
        next += usize::from(tokens.get(next).is_some_and(|placed| placed.token == Token::Sign('(')));
        if tokens.get(next).is_none_or(|placed| placed.token != Token::Equals) {
            continue;
        }
        let Some(second) = quantity(&tokens[next + 1..]) else { continue };
        let end = next + 1 + second.length;
        let goes_on =
            tokens.get(end).is_some_and(|placed| matches!(placed.token, Token::Operator(_) | Token::Number(_)));
        if second.dimension != first.dimension || goes_on {
            continue;
        }
        let converted =
            |(value, scale): &(f64, f64)| second.scales.iter().map(move |to| value * scale / to).collect::<Vec<_>>();
        let from: Vec<(f64, f64)> = first
            .readings
            .iter()
            .flat_map(|(value, _)| first.scales.iter().map(move |scale| (*value, *scale)))
            .collect();
        let computed: Vec<f64> = from.iter().flat_map(converted).collect();
        let is_right = computed.iter().any(|computed| second.readings.iter().any(|stated| agrees(*stated, *computed)));
        if let Some(&likeliest) = computed.first().filter(|computed| computed.is_finite() && !is_right) {
            let piece = |from: usize, to: usize| text[tokens[from].place.start..tokens[to - 1].place.end].to_owned();
            wrong.push(WrongUnit {
                first: piece(place, place + first.length),
                second: piece(next + 1, end),
                computed: likeliest,
                unit: unit(&text[second.unit_from..tokens[end - 1].place.end]),
            });
        }
    }
    wrong
}

/// A unit behind a number: `/s` right behind it, a word after a blank that does not break.
fn unit(text: &str) -> String {
    let unit = text.trim();
    if unit.starts_with('/') { unit.to_owned() } else { format!("\u{a0}{unit}") }
}

/// `500/s is five times the 100/s`: a factor between two numbers of one kind that is not theirs, either way round.
pub fn factors(text: &str) -> Vec<WrongFactor> {
    let text = bounded(text);
    let tokens = tokens(text);
    let mut wrong = Vec::new();
    for place in 0..tokens.len() {
        let Some(first) = quantity(&tokens[place..]).filter(|_| stands_alone(&tokens, place)) else { continue };
        let mut next = place + first.length;
        while tokens.get(next).is_some_and(is_link) {
            next += 1;
        }
        let Some(factor) = factor(&tokens[next.min(tokens.len())..]) else { continue };
        let behind = next + factor.length;
        let Some(words) = words_to_number(&tokens[behind.min(tokens.len())..]) else { continue };
        let Some(second) = quantity(&tokens[behind + words..]).filter(|second| second.dimension == first.dimension)
        else {
            continue;
        };
        let ratios = ratios(&first, &second);
        let is_more = tokens[behind..behind + words].iter().any(|placed| is_word(placed, &MORE));
        // "Three times more" is three times as much to one, four times to another.
        let stated: Vec<f64> = if is_more { vec![factor.value, factor.value + 1.0] } else { vec![factor.value] };
        let is_right = ratios.iter().any(|ratio| stated.iter().any(|value| agrees((*value, factor.last), *ratio)));
        if let Some(&computed) = ratios.first().filter(|ratio| ratio.is_finite() && !is_right) {
            let end = tokens[behind + words + second.length - 1].place.end;
            let words = text[tokens[place].place.start..end].split_whitespace().collect::<Vec<_>>().join(" ");
            wrong.push(WrongFactor { words, stated: factor.value, computed });
        }
    }
    wrong
}

/// All ratios of two quantities, either way round; the likeliest first, and above one.
fn ratios(first: &Quantity, second: &Quantity) -> Vec<f64> {
    let values = |quantity: &Quantity| -> Vec<f64> {
        let scaled = |scale: &f64| quantity.readings.iter().map(|(value, _)| value * scale).collect::<Vec<_>>();
        quantity.scales.iter().flat_map(scaled).collect()
    };
    let seconds = values(second);
    let both = values(first).into_iter().flat_map(|a| seconds.iter().map(move |b| (a / b, b / a)).collect::<Vec<_>>());
    both.flat_map(|(one, other)| if one >= 1.0 { [one, other] } else { [other, one] }).collect()
}

/// Whether a quantity is not part of a longer expression.
fn stands_alone(tokens: &[Placed], place: usize) -> bool {
    place.checked_sub(1).is_none_or(|before| {
        !matches!(
            tokens[before].token,
            Token::Operator(_)
                | Token::Number(_)
                | Token::Equals
                | Token::Sign('-' | '−' | '–' | '^' | ')' | '<' | '>')
        )
    })
}

/// Whether a quantity comes so many times: `4 x 15 min`, `10 users x 5 req/s`, `three runs of 20 min`.
fn is_multiplied(tokens: &[Placed], place: usize) -> bool {
    const LINKS: [&str; 14] =
        ["x", "times", "keer", "maal", "gange", "of", "à", "a", "at", "by", "van", "af", "på", "med"];
    let Some(link) = place.checked_sub(1).filter(|link| is_word(&tokens[*link], &LINKS)) else { return false };
    // The nearest of what stands before it: so many, or so many of something.
    let before = tokens[..link].iter().rev().take(1 + NOUNS_MAX);
    before.take_while(|placed| matches!(placed.token, Token::Word(_) | Token::Number(_))).any(|placed| {
        match &placed.token {
            Token::Word(word) => counted(&word.to_lowercase()).is_some(),
            _ => true,
        }
    })
}

/// The quantity at the beginning of some pieces.
pub(super) fn quantity(tokens: &[Placed]) -> Option<Quantity> {
    let Token::Number(readings) = &tokens.first()?.token else { return None };
    let word = |place: usize| match &tokens.get(place)?.token {
        Token::Word(word) => Some(word.as_str()),
        _ => None,
    };
    let is_per = |place: usize| match tokens.get(place).map(|placed| &placed.token) {
        Some(Token::Operator('/')) => true,
        Some(Token::Word(word)) => matches!(word.as_str(), "per" | "pr"),
        _ => false,
    };
    let (dimension, scales, length) = if is_per(1) {
        (Dimension::Rate, vec![1.0 / seconds(word(2)?)?], 3)
    } else if let Some(what) = word(1).filter(|_| is_per(2)) {
        let each = 1.0 / seconds(word(3)?)?;
        match bytes(what) {
            Some(sizes) => (Dimension::Flow, sizes.into_iter().map(|size| size * each).collect(), 4),
            // What is counted stands between: 200 requests/s.
            None => (Dimension::Rate, vec![each], 4),
        }
    } else if let Some(flow) = word(1).and_then(flow) {
        (Dimension::Flow, flow, 2)
    } else if let Some(time) = seconds(word(1)?) {
        (Dimension::Time, vec![time], 2)
    } else {
        (Dimension::Size, bytes(word(1)?)?, 2)
    };
    Some(Quantity { readings: readings.clone(), dimension, scales, length, unit_from: tokens[0].place.end })
}

/// What one of a unit of time is in seconds.
pub(super) fn seconds(word: &str) -> Option<f64> {
    Some(match word {
        "µs" | "us" => 1e-6,
        "ms" => 1e-3,
        "s" | "sec" | "second" | "seconds" | "seconde" | "seconden" | "sekund" | "sekunder" | "sek" => 1.0,
        "min" | "minute" | "minutes" | "minuut" | "minuten" | "minut" | "minutter" => 60.0,
        "h" | "hour" | "hours" | "uur" | "time" | "timer" => 3600.0,
        "d" | "day" | "days" | "dag" | "dagen" | "dage" => 86_400.0,
        _ => return None,
    })
}

/// What one of a unit of size is, bytes; eight bits are one of them.
fn bytes(word: &str) -> Option<Vec<f64>> {
    let both = |power: i32| vec![1000f64.powi(power), 1024f64.powi(power)];
    let bits = |power: i32| Some(vec![1000f64.powi(power) / 8.0, 1024f64.powi(power) / 8.0]);
    // Some write bytes with a small letter, too.
    let either = |power: i32| [both(power), bits(power).unwrap_or_default()].concat();
    if let Some(prefix) = ["bits", "bit"].iter().find_map(|end| word.strip_suffix(end)) {
        return match prefix {
            "" => Some(vec![0.125]),
            "k" | "K" | "kilo" => bits(1),
            "M" | "mega" => bits(2),
            "G" | "giga" => bits(3),
            "T" | "tera" => bits(4),
            "Ki" => Some(vec![1024.0 / 8.0]),
            "Mi" => Some(vec![1024f64.powi(2) / 8.0]),
            "Gi" => Some(vec![1024f64.powi(3) / 8.0]),
            _ => None,
        };
    }
    Some(match word {
        "B" | "bytes" => vec![1.0],
        "kB" | "KB" => both(1),
        "MB" => both(2),
        "GB" => both(3),
        "TB" => both(4),
        "kb" | "Kb" => either(1),
        "Mb" => either(2),
        "Gb" => either(3),
        "KiB" | "kiB" => vec![1024.0],
        "MiB" => vec![1024f64.powi(2)],
        "GiB" => vec![1024f64.powi(3)],
        "TiB" => vec![1024f64.powi(4)],
        _ => return None,
    })
}

/// Bits a second in one word; bytes a second.
fn flow(word: &str) -> Option<Vec<f64>> {
    bytes(match word {
        "bps" => "bit",
        "kbps" | "Kbps" => "kbit",
        "Mbps" => "Mbit",
        "Gbps" => "Gbit",
        _ => return None,
    })
}

/// A factor, with one in its last place and the pieces it takes.
struct Factor {
    value: f64,
    last: f64,
    length: usize,
}

/// `5 times`, `2.5×`, `2.5-fold`, `five times`, `twice`, `fivefold`, `vijfvoudig`.
fn factor(tokens: &[Placed]) -> Option<Factor> {
    const TIMES: [&str; 7] = ["times", "fold", "keer", "maal", "gange", "gang", "x"];
    let is_times = |place: usize| tokens.get(place).is_some_and(|placed| is_word(placed, &TIMES));
    let is_sign = |place: usize, sign: Token| tokens.get(place).is_some_and(|placed| placed.token == sign);
    match &tokens.first()?.token {
        Token::Number(readings) if readings.len() == 1 => {
            let length = if is_times(1) || is_sign(1, Token::Operator('*')) {
                2
            } else if is_sign(1, Token::Sign('-')) && is_times(2) {
                3
            } else {
                return None;
            };
            Some(Factor { value: readings[0].0, last: readings[0].1, length })
        }
        Token::Word(word) => {
            let word = word.to_lowercase();
            let whole = |value: f64, length: usize| Some(Factor { value, last: 1.0, length });
            if let Some(value) = counted(&word).filter(|_| is_times(1)) {
                return whole(value, 2);
            }
            match word.as_str() {
                "twice" => return whole(2.0, 1),
                "thrice" => return whole(3.0, 1),
                _ => {}
            }
            let stem =
                ["fold", "voudig", "voudige", "dobbelt", "dobbelte"].iter().find_map(|end| word.strip_suffix(end));
            stem.and_then(counted).and_then(|value| whole(value, 1))
        }
        _ => None,
    }
}

/// Two to ten in words.
fn counted(word: &str) -> Option<f64> {
    const NAMES: [[&str; 3]; 9] = [
        ["two", "twee", "to"],
        ["three", "drie", "tre"],
        ["four", "vier", "fire"],
        ["five", "vijf", "fem"],
        ["six", "zes", "seks"],
        ["seven", "zeven", "syv"],
        ["eight", "acht", "otte"],
        ["nine", "negen", "ni"],
        ["ten", "tien", "ti"],
    ];
    NAMES.iter().position(|names| names.contains(&word)).map(|place| place as f64 + 2.0)
}

/// Words that make a factor a difference to some.
const MORE: [&str; 12] =
    ["more", "higher", "greater", "larger", "faster", "slower", "less", "meer", "hoger", "mere", "højere", "hurtigere"];

fn is_word(placed: &Placed, known: &[&str]) -> bool {
    matches!(&placed.token, Token::Word(word) if known.contains(&word.to_lowercase().as_str()))
}

/// What may stand between the first number and the factor: that the one is the other.
fn is_link(placed: &Placed) -> bool {
    const LINKS: [&str; 17] = [
        "is", "are", "was", "were", "or", "about", "roughly", "exactly", "a", "zijn", "ongeveer", "dus", "er", "var",
        "cirka", "ca", "et",
    ];
    is_word(placed, &LINKS) || matches!(placed.token, Token::Sign(',' | '(') | Token::Equals)
}

/// How many words lead from a factor to a number: none, or some that say of what it is a multiple.
fn words_to_number(tokens: &[Placed]) -> Option<usize> {
    const OF: [&str; 24] = [
        "the", "as", "of", "that", "what", "than", "more", "higher", "greater", "larger", "faster", "slower",
        "nominal", "de", "het", "van", "zo", "meer", "så", "den", "det", "som", "af", "mere",
    ];
    let words = tokens.iter().take_while(|placed| matches!(placed.token, Token::Word(_))).count();
    let ends = tokens.get(words).is_some_and(|placed| matches!(placed.token, Token::Number(_)));
    let is_of = words == 0 || is_word(&tokens[0], &OF);
    (words <= WORDS_MAX && ends && is_of).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_that_is_not_that_of_its_numbers() {
        // The adapter's peak of 500/s was called five times the nominal 200/s.
        for text in [
            "Peak is 500/s, five times the nominal 200/s.",
            "500 messages per second is 5 times the 200 messages per second",
            "500/s (5x 200/s)",
            "Piek: 500 berichten per seconde, vijf keer de nominale 200 berichten per seconde",
            "500 beskeder/s er fem gange så mange som 200 beskeder/s",
        ] {
            let found = factors(text);
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert_eq!((found[0].stated, found[0].computed), (5.0, 2.5), "{text}");
        }
        assert_eq!(factors("40 min is ten times the 10 min")[0].words, "40 min is ten times the 10 min");
    }

    #[test]
    fn right_factors_and_other_words_are_left_alone() {
        for text in [
            "500/s is five times the assumed 100/s",
            "500/s, 2.5× the 200/s",
            "100/s is five times less than 500/s",
            "120 ms is three times faster than 360 ms",
            "400 ms is three times more than the 100 ms",
            "2 h is about eight times the 15 min",
            "59 ms, about three times the 20 ms",
            "20/s was run 3 times, and 40/s once",
            "20/s for 60 s, repeated five times at 40/s",
            "run at 20/s five times. 40/s failed",
            "20/s, twice a day, then 60/s",
            "90 s is 3 times the 20/s",
            "1 GB is four times the 256 MB",
            "five times the load",
        ] {
            assert_eq!(factors(text), [], "{text}");
        }
    }

    #[test]
    fn a_conversion_that_does_not_come_out() {
        // 360 samples a minute over two requests were printed as 3/s of each.
        let found = units("360 samples/min = 3/s");
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].first.as_str(), found[0].second.as_str()), ("360 samples/min", "3/s"));
        assert!((found[0].computed - 6.0).abs() < 1e-9 && found[0].unit == "/s");
        assert_eq!(units("hold 90 s (= 3 min)")[0].computed, 1.5);
        assert_eq!(units("2 GB = 1024 MB").len(), 1);
        assert_eq!(units("100 Mbit/s = 100 MB/s")[0].computed, 12.5);
        assert_eq!(units("1 MB/s = 100 kB/s").len(), 1);
        assert_eq!(units("a throughput of 360/min = 3/s").len(), 1, "of, and no number before it");
    }

    #[test]
    fn right_conversions_and_settings_are_left_alone() {
        for text in [
            "90 s = 1.5 min",
            "1500 ms (= 1.5 s)",
            "2 GB = 2048 MB",
            "2 GB = 2000 MB",
            "180/min = 3/s",
            "180 requests per minute = 3 requests per second",
            "360 samples/min over two requests = 3/s each",
            "2 * 30 s = 1 min",
            "The test ran 4 x 15 min = 60 min",
            "10 users x 5 req/s = 50 req/s",
            "3 X 300 s = 900 s",
            "5 x 20 ms = 100 ms",
            "10 clients x 100 KB = 1,000 KB",
            "4 times 15 min = 60 min",
            "four runs of 15 min = 60 min",
            "4 tests à 15 min = 1 uur",
            "100 Mbit/s = 12.5 MB/s",
            "8 kbit/s = 1 kB/s",
            "1 Gbit/s = 125 MB/s",
            "1 Gb/s = 125 MB/s",
            "100 Mbps = 12.5 MB/s",
            "80 Mbit = 10 MB",
            "1024 kB/s = 1 MB/s",
            "60 MB/min = 1 MB/s",
            "limit = 2 s",
            "p95 300 ms (250 ms before)",
            "1 h = 20/s",
            "100 min = 1.7 h",
            "1 h = 60 min = 3600 s",
        ] {
            assert_eq!(units(text), [], "{text}");
        }
    }
}
