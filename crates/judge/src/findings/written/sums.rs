//! Sums that a text carries out: `260*24*60*200 = 4 billion`.

use super::tokens::{Placed, Token, tokens};
use super::{agrees, bounded};

/// Terms of one sum that are read in every way; the rest in the likeliest.
const TERMS_MAX: usize = 8;

/// A sum that does not come out.
#[derive(Clone, Debug, PartialEq)]
pub struct WrongSum {
    pub text: String,
    pub stated: String,
    pub computed: f64,
}

/// Products, quotients and sums of plain numbers with a stated result that is off by more than rounding.
pub fn sums(text: &str) -> Vec<WrongSum> {
    let text = bounded(text);
    let tokens = tokens(text);
    let mut wrong = Vec::new();
    for place in (0..tokens.len()).filter(|place| tokens[*place].token == Token::Equals) {
        let Some(terms) = terms_before(&tokens[..place]) else { continue };
        let Some(stated) = result_after(text, &tokens[place + 1..]) else { continue };
        let computed = values(&terms);
        let is_right = computed.iter().any(|computed| stated.1.iter().any(|stated| agrees(*stated, *computed)));
        if let Some(&first) = computed.first().filter(|first| first.is_finite() && !is_right) {
            let shown = terms.iter().map(|term| {
                let number = &text[term.place.clone()];
                if term.operator == ' ' { number.to_owned() } else { format!(" {} {number}", term.operator) }
            });
            wrong.push(WrongSum { text: shown.collect(), stated: stated.0, computed: first });
        }
    }
    wrong
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

/// The number after the sign, as written, in all its readings and with the word of size behind it. `None` where it is
/// the beginning of something longer.
fn result_after(text: &str, tokens: &[Placed]) -> Option<(String, Vec<(f64, f64)>)> {
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
    let scaled = |scale: &f64| {
        let scale = *scale;
        readings.iter().map(move |(value, last)| (value * scale, last * scale)).collect::<Vec<_>>()
    };
    Some((shown, scales.iter().flat_map(scaled).collect()))
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
        | "days" | "week" | "weeks" | "year" | "years" | "uur" | "dag" | "dagen" | "dage" | "time" | "timer"
        | "jaar" | "år" => {
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
        assert_eq!(sums("- 260*24*60*200 = 4 billion").len(), 1, "a list is no minus");
        assert_eq!(sums("2 + 2 = 5").len(), 1);
        assert_eq!(sums("3 runs. 7 * 7 = 50").len(), 1);
    }
}
