//! Sums that a text carries out: `260*24*60*200 = 4 billion`.

use super::factors::{Quantity, quantity, seconds};
use super::tokens::{Placed, Token, tokens};
use super::{agrees, bounded};

/// Terms of one sum that are read in every way; the rest in the likeliest.
const TERMS_MAX: usize = 8;

/// Maximum number of pieces of a quantity: `5 requests / s`.
const QUANTITY_MAX: usize = 4;

/// A sum that does not come out.
#[derive(Clone, Debug, PartialEq)]
pub struct WrongSum {
    pub text: String,
    /// The number that is written.
    pub stated: String,
    /// Its unit, where the unit is known to matter; with the blank before it.
    pub stated_unit: String,
    pub computed: f64,
    /// The unit of what was computed, where one follows from the terms; with the blank before it.
    pub computed_unit: String,
}

/// Products, quotients and sums of plain numbers with a stated result that is off by more than rounding.
pub fn sums(text: &str) -> Vec<WrongSum> {
    let text = bounded(text);
    let tokens = tokens(text);
    let mut wrong = Vec::new();
    for place in (0..tokens.len()).filter(|place| tokens[*place].token == Token::Equals) {
        wrong.extend(measured(text, &tokens, place));
        let Some(terms) = terms_before(&tokens[..place]) else { continue };
        let Some(stated) = result_after(text, &tokens[place + 1..]) else { continue };
        let chain = chain(&terms).filter(|_| stated.seconds.is_some());
        let readings: Vec<(f64, f64)> = match chain {
            Some(chain) => chain.readings(&stated),
            None => stated.scaled(),
        };
        let computed = values(&terms);
        let is_right = computed.iter().any(|computed| readings.iter().any(|stated| agrees(*stated, *computed)));
        if let Some(&first) = computed.first().filter(|first| first.is_finite() && !is_right) {
            let (stated_unit, computed_unit) = match chain {
                Some(chain) => (format!(" {}", stated.word), format!(" {}", chain.name)),
                None => (String::new(), String::new()),
            };
            wrong.push(WrongSum {
                text: shown(text, &terms),
                stated: stated.shown,
                stated_unit,
                computed: first,
                computed_unit,
            });
        }
    }
    wrong
}

/// Terms as they are written.
fn shown(text: &str, terms: &[Term]) -> String {
    let shown = terms.iter().map(|term| {
        let number = &text[term.place.clone()];
        if term.operator == ' ' { number.to_owned() } else { format!(" {} {number}", term.operator) }
    });
    shown.collect()
}

/// `4 * 15 min = 50 min`: so many times a quantity, with the result in a unit of the same kind.
fn measured(text: &str, tokens: &[Placed], place: usize) -> Option<WrongSum> {
    let (last, each) = (2..=QUANTITY_MAX)
        .filter_map(|length| place.checked_sub(length))
        .find_map(|from| Some((from, quantity(&tokens[from..place]).filter(|each| from + each.length == place)?)))?;
    let terms = terms_before(&tokens[..=last]).filter(|terms| terms[1..].iter().all(|term| term.operator == '*'))?;
    let stated: Quantity = quantity(&tokens[place + 1..]).filter(|stated| stated.dimension == each.dimension)?;
    let end = place + 1 + stated.length;
    let goes_on = tokens.get(end).is_some_and(|next| {
        matches!(next.token, Token::Operator(_) | Token::Number(_) | Token::Equals | Token::Sign('-' | '−' | '–' | '^'))
    });
    let computed: Vec<f64> = values(&terms)
        .into_iter()
        .flat_map(|value| each.scales.iter().map(move |scale| value * scale))
        .flat_map(|value| stated.scales.iter().map(move |scale| value / scale))
        .collect();
    let is_right = computed.iter().any(|computed| stated.readings.iter().any(|stated| agrees(*stated, *computed)));
    let first = computed.first().copied().filter(|first| first.is_finite() && !is_right && !goes_on)?;
    let unit = |from: usize, to: usize| text[tokens[from].place.end..tokens[to - 1].place.end].to_owned();
    Some(WrongSum {
        text: format!("{}{}", shown(text, &terms), unit(last, place)),
        stated: text[tokens[place + 1].place.clone()].to_owned(),
        stated_unit: unit(place + 1, end),
        computed: first,
        computed_unit: unit(place + 1, end),
    })
}

/// Days, hours, minutes and seconds multiplied: `365 * 24 * 60`. Its last factor says what its result counts.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Chain {
    /// What one of the result is in seconds.
    seconds: f64,
    name: &'static str,
    /// Whether all its factors are of the calendar, so that they count nothing else.
    is_calendar: bool,
}

impl Chain {
    /// What may be meant by a stated time: the same in a coarser unit. Where a factor may count something else, the unit
    /// of the product may be a coarser one, too; but it is never a finer one, for then a factor is missing.
    fn readings(self, stated: &Stated) -> Vec<(f64, f64)> {
        let own = stated.seconds.map(|seconds| seconds / self.seconds).filter(|own| *own > 1.0 - 1e-9);
        let others = stated.scales.iter().copied().filter(|scale| *scale > 1.0 - 1e-9 && !self.is_calendar);
        stated.scaled_by(own.into_iter().chain(others))
    }
}

/// A product with 24 hours and one or two factors of 60, in any order, and with at most two others.
fn chain(terms: &[Term]) -> Option<Chain> {
    if terms[1..].iter().any(|term| term.operator != '*') {
        return None;
    }
    let (mut hours, mut sixties, mut thousands, mut others) = (0, 0, 0, Vec::new());
    for term in terms {
        let value = term.readings.first()?.0;
        match value {
            24.0 => hours += 1,
            60.0 => sixties += 1,
            3600.0 => sixties += 2,
            1000.0 => thousands += 1,
            other => others.push(other),
        }
    }
    let is_year = matches!(others[..], [365.0 | 366.0 | 365.25] | [52.0, 7.0] | [7.0, 52.0]);
    let is_days = matches!(others[..], [] | [7.0 | 28.0 | 30.0 | 31.0]);
    let (seconds, name) = match (sixties, thousands) {
        (1, 0) => (60.0, "minutes"),
        (2, 0) => (1.0, "seconds"),
        (2, 1) => (1e-3, "ms"),
        _ => return None,
    };
    let is_calendar = is_year || (is_days && sixties == 2);
    (hours == 1 && (others.len() <= 1 || is_calendar)).then_some(Chain { seconds, name, is_calendar })
}

/// A number with the operator before it; a blank for the first.
struct Term {
    operator: char,
    place: std::ops::Range<usize>,
    readings: Vec<(f64, f64)>,
}

/// `a * b / c` at the end of some pieces, with at least one operator, when nothing before it belongs to it.
fn terms_before(tokens: &[Placed]) -> Option<Vec<Term>> {
    let number = |place: usize| match &tokens.get(place)?.token {
        Token::Number(readings) => Some((tokens[place].place.clone(), readings.clone())),
        _ => None,
    };
    let mut place = tokens.len().checked_sub(1)?;
    let mut terms = Vec::new();
    let first = loop {
        let (range, readings) = number(place)?;
        let before = place.checked_sub(1);
        let operator = before.and_then(|before| match tokens[before].token {
            Token::Operator(operator) => Some(operator),
            _ => None,
        });
        terms.push(Term { operator: operator.unwrap_or(' '), place: range, readings });
        if operator.is_none() {
            break place;
        }
        place = place.checked_sub(2)?;
    };
    terms.reverse();
    let is_bullet = |place: usize| place == 0 || tokens[place - 1].token == Token::Line;
    let belongs = first.checked_sub(1).is_some_and(|before| match &tokens[before].token {
        // A minus before a sum; at the beginning of a line it is a mark of a list.
        Token::Sign('-' | '−' | '–') => !is_bullet(before),
        Token::Sign('^' | ')' | ']' | '%' | '‰' | '°' | '√' | '<' | '>') | Token::Number(_) => true,
        // Right before the digits: `x2` is one word, `.5` half of one.
        Token::Word(_) | Token::Sign('.' | ',' | '_' | '$') => tokens[before].place.end == tokens[first].place.start,
        _ => false,
    });
    (terms.len() > 1 && !belongs).then_some(terms)
}

/// A result as it is written.
struct Stated {
    /// The number, with the word of size behind it.
    shown: String,
    /// The number in all its readings: value, and one in its last place.
    readings: Vec<(f64, f64)>,
    /// What the word behind it may multiply it by.
    scales: Vec<f64>,
    /// That word, in lower case; or empty.
    word: String,
    /// The length of its unit, where that is one of time.
    seconds: Option<f64>,
}

impl Stated {
    fn scaled(&self) -> Vec<(f64, f64)> {
        self.scaled_by(self.scales.iter().copied())
    }

    fn scaled_by(&self, scales: impl Iterator<Item = f64>) -> Vec<(f64, f64)> {
        scales.flat_map(|scale| self.readings.iter().map(move |(value, last)| (value * scale, last * scale))).collect()
    }
}

/// The number after the sign. `None` where it is the beginning of something longer.
fn result_after(text: &str, tokens: &[Placed]) -> Option<Stated> {
    let tokens = match tokens.first()?.token {
        Token::Equals | Token::Sign('~') => &tokens[1..],
        _ => tokens,
    };
    let Token::Number(readings) = &tokens.first()?.token else { return None };
    let next = tokens.get(1).map(|placed| &placed.token);
    let is_number = |place: usize| matches!(tokens.get(place).map(|placed| &placed.token), Some(Token::Number(_)));
    if matches!(next, Some(Token::Operator(_) | Token::Sign('-' | '−' | '–' | '^'))) && is_number(2) {
        return None;
    }
    let word = match next {
        Some(Token::Word(word)) => word.to_lowercase(),
        Some(Token::Sign(sign @ ('%' | '‰'))) => sign.to_string(),
        _ => String::new(),
    };
    let (scales, is_size) = scales(&word);
    let end = if is_size { tokens[1].place.end } else { tokens[0].place.end };
    let shown = text[tokens[0].place.start..end].to_owned();
    let seconds = match word.as_str() {
        "week" | "weeks" | "weken" | "uge" | "uger" => Some(604_800.0),
        "year" | "years" | "jaar" | "år" => Some(31_536_000.0),
        // A letter alone may be short for minutes, thousands or metres.
        "m" => None,
        other => seconds(other),
    };
    Some(Stated { shown, readings: readings.clone(), scales, word, seconds })
}

/// What the word behind a number may multiply it by, and whether it is a word of size.
fn scales(word: &str) -> (Vec<f64>, bool) {
    let powers = |base: f64| (-4..=4).map(move |power| base.powi(power));
    let (scales, is_size): (Vec<f64>, bool) = match word {
        "thousand" | "duizend" | "tusind" | "k" => (vec![1e3], true),
        "million" | "millions" | "miljoen" | "mio" | "mln" | "millioner" => (vec![1e6], true),
        // Billion is 10^9 in English and 10^12 in Danish: either may be meant.
        "billion" | "billions" | "billioner" => (vec![1e9, 1e12], true),
        "miljard" | "milliard" | "milliarder" | "mrd" | "mia" | "bn" => (vec![1e9], true),
        "biljoen" | "trillion" => (vec![1e12], true),
        "%" | "percent" | "procent" | "pct" => (vec![1.0, 1e-2], true),
        "‰" => (vec![1.0, 1e-3], true),
        // A unit of another size than that of the terms, which nobody stated: what it measures may have been converted.
        "b" | "kb" | "mb" | "gb" | "tb" | "kib" | "mib" | "gib" | "tib" | "bytes" => {
            (powers(1000.0).chain(powers(1024.0)).collect(), true)
        }
        "m" | "g" => (vec![1.0, 1e6, 1e9, 60.0], false),
        "ms" | "s" | "sec" | "second" | "seconds" | "min" | "minute" | "minutes" | "h" | "hour" | "hours" | "day"
        | "days" | "week" | "weeks" | "year" | "years" | "seconde" | "seconden" | "sekund" | "sekunder" | "sek"
        | "minuut" | "minuten" | "minut" | "minutter" | "uur" | "dag" | "dagen" | "dage" | "time" | "timer"
        | "weken" | "uge" | "uger" | "jaar" | "år" => {
            let units = [1e-3, 1.0, 60.0, 3600.0, 86_400.0, 604_800.0, 31_536_000.0];
            let ratios = units.iter().flat_map(|a| units.iter().map(move |b| a / b));
            (ratios.collect(), false)
        }
        _ => (vec![1.0], false),
    };
    (scales, is_size)
}

/// Everything that the terms may come to, the likeliest first; products before sums.
fn values(terms: &[Term]) -> Vec<f64> {
    let mut all: Vec<Vec<f64>> = vec![Vec::new()];
    for (number, term) in terms.iter().enumerate() {
        let readings = if number < TERMS_MAX { &term.readings[..] } else { &term.readings[..1] };
        let mut next = Vec::new();
        // The likeliest reading of every term stands first.
        for (value, _) in readings {
            next.extend(all.iter().map(|before| before.iter().copied().chain([*value]).collect::<Vec<f64>>()));
        }
        all = next;
    }
    all.iter().map(|values| compute(terms, values)).collect()
}

fn compute(terms: &[Term], values: &[f64]) -> f64 {
    let (mut sum, mut product) = (0.0, 0.0);
    for (term, value) in terms.iter().zip(values) {
        match term.operator {
            ' ' => product = *value,
            '+' => {
                sum += product;
                product = *value;
            }
            '/' => product /= value,
            _ => product *= value,
        }
    }
    sum + product
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The yearly volume of the message adapter as it was printed, without its second factor 60.
    #[test]
    fn the_printed_year_does_not_come_out() {
        let found = sums("Dit zijn 260*24*60*200 = 4 miljard berichten per jaar.");
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].computed, 74_880_000.0);
        assert_eq!((found[0].text.as_str(), found[0].stated.as_str()), ("260 * 24 * 60 * 200", "4 miljard"));
        assert_eq!(sums("260*24*3600*500 = 11.232.000.000"), []);
        assert_eq!(sums("260 × 24 × 3600 × 200 ≈ 4,5 milliarder"), []);
    }

    #[test]
    fn words_and_settings_are_no_sums() {
        for text in [
            "",
            "=",
            "x = 5",
            "rate = 200/s",
            "-Xmx = 4",
            "2 + = 3",
            "3 * x = 9",
            "20 * 5 = many",
            "1.5 * 2 = 3",
            "1,5 * 2 = 3",
        ] {
            assert_eq!(sums(text), [], "{text}");
        }
        assert_eq!(sums("2 * 1.000 = 2.000"), []);
        assert_eq!(sums("500 / 200 = 5")[0].computed, 2.5);
        assert_eq!(sums("10 + 2 * 3 = 36")[0].computed, 16.0);
    }

    /// Each of these was, or could have been, taken for a slip although nothing is wrong with it.
    #[test]
    fn what_is_right_or_not_understood_is_left_alone() {
        for text in [
            "103.9 * 604800 = 62 838 720",
            "62 838 720 / 7 = 8 976 960",
            "260*24*3600*200 = 4.49 × 10^9",
            "260*24*3600*200 = 4.4928e9",
            "10 / 3 = 3.3",
            "100 / 7 = 14.2 (cut, not rounded)",
            "1 / 3 = 33%",
            "5 / 10 = 50 %",
            "500 * 60 = 30 k",
            "512 * 4 = 2 GB",
            "90 * 40 = 1 h",
            "4.500 * 2 = 9",
            "100 - 20 + 5 = 85",
            "10 − 2 * 3 = 4",
            "(2 + 3) * 4 = 20",
            "2^3 * 4 = 32",
            "1e3 * 2 = 2000",
            "x2 * 3 = 9",
            "2 * 3 = 3 * 2",
            "2 * 3 = 7 - 1",
            "50% * 200 = 100",
            "10 h * 3600 = 36000",
            "1.2.3 + 4 = 9",
            "24x7 = 168",
            "2 * 3 == 6",
            "a 12 20 * 3 = 60",
        ] {
            assert_eq!(sums(text), [], "{text}");
        }
        assert_eq!(sums("- 260*24*60*200 = 4 billion").len(), 1, "a list is not a minus");
        assert_eq!(sums("2 + 2 = 5").len(), 1);
        assert_eq!(sums("3 runs. 7 * 7 = 50").len(), 1);
    }
    /// A year has 525 600 minutes and 31 536 000 seconds.
    #[test]
    fn a_product_of_days_hours_and_minutes_has_a_unit() {
        let found = sums("365 * 24 * 60 = 31,536,000 seconds");
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].computed, found[0].computed_unit.as_str()), (525_600.0, " minutes"));
        assert_eq!((found[0].stated.as_str(), found[0].stated_unit.as_str()), ("31,536,000", " seconds"));
        for text in [
            "365 * 24 * 60 = 525,600 seconds",
            "60 * 24 * 365 = 31,536,000 seconds",
            "7 * 24 * 60 * 60 = 10,080 seconds",
            "7 * 24 * 3600 = 604,800 minutes",
            "24 * 60 = 86,400 seconds",
            "260 * 24 * 60 = 22.464.000 sekunder",
        ] {
            assert_eq!(sums(text).len(), 1, "{text}");
        }
        for text in [
            "365 * 24 * 60 * 60 = 31,536,000 seconds",
            "365 * 24 * 3600 = 31.536.000 seconden",
            "365 * 24 * 60 = 525,600 minutes",
            "365 * 24 * 60 * 60 = 1 year",
            "365 * 24 * 60 * 60 = 365 days",
            "7 * 24 * 60 = 168 h",
            "52 * 7 * 24 * 60 = 524,160 min",
            "24 * 60 * 60 * 1000 = 86,400,000 ms",
            "20 * 24 * 60 = 480 min",
            "10 * 24 * 60 = 14,400 s",
            "24 * 60 = 1440 s",
            "365 * 24 = 8,760 hours",
            "90 * 60 = 1.5 h",
            "8 * 60 * 60 = 28,800 s",
            "365 * 24 * 60 = 525,600",
            "365 * 24 * 60 = 525,600 messages",
        ] {
            assert_eq!(sums(text), [], "{text}");
        }
    }

    #[test]
    fn so_many_times_a_quantity() {
        let found = sums("4 * 15 min = 50 min");
        assert_eq!(found.len(), 1, "{found:?}");
        let parts = (found[0].text.as_str(), found[0].computed, found[0].computed_unit.as_str());
        assert_eq!(parts, ("4 * 15 min", 60.0, " min"));
        for text in ["10 × 5 req/s = 500 req/s", "3 × 20 MB/s = 60 Mbit/s", "2 × 30 s = 2 min", "12 * 5 GB = 75 GB"]
        {
            assert_eq!(sums(text).len(), 1, "{text}");
        }
        for text in [
            "4 × 15 min = 60 min",
            "4 × 15 min = 1 h",
            "10 × 5 req/s = 50 req/s",
            "10 × 5 req/s = 3000 req/min",
            "12 * 5 GB = 60 GB",
            "4 * 256 MB = 1 GB",
            "8 × 100 Mbit/s = 100 MB/s",
            "100 req/s * 60 s = 6000 requests",
            "2 + 15 min = 17 min",
            "3 × 20 ms = 60 ms × 1",
            "365 * 24 h = 8760 h",
            "3 × 0.33 s = 1 s",
        ] {
            assert_eq!(sums(text), [], "{text}");
        }
    }
}
