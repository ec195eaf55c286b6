//! What the author states: assumptions, sums in texts, the inventory.

use super::{Seen, finding};
use crate::inventory::{Problem, lint};
use crate::{Arg, Finding, Gravity};
use study::Text;

/// All digits of a number that was stated, not three of them.
fn exact(value: f64) -> Arg {
    if value.fract() == 0.0 { Arg::Count(value) } else { Arg::Number(value) }
}

fn stated(mut found: Finding) -> Finding {
    found.evidence = vec![format!("study:{}", found.scope)];
    found
}

/// UNUSED: an assumption that nothing uses: whatever is said from it was not computed from it.
pub(super) fn unused(seen: &Seen<'_>) -> Vec<Finding> {
    let unused = seen.study.variables.iter().filter(|variable| variable.is_assumption && !variable.is_used);
    unused
        .map(|variable| {
            let args = [("name", Arg::Text(variable.name.clone())), ("value", Arg::Text(variable.value.clone()))];
            stated(finding("UNUSED", Gravity::Notice, &variable.name, args))
        })
        .collect()
}

/// INVENTORY-…: what the check of the stated inventory found.
pub(super) fn inventory(seen: &Seen<'_>) -> Vec<Finding> {
    let Some(inventory) = &seen.study.system.inventory else { return Vec::new() };
    let text = |text: &str| Arg::Text(text.to_owned());
    let of = |problem: Problem| {
        stated(match problem {
            Problem::Text { row, column, cell } => {
                let args = [("cell", text(&cell)), ("column", text(&column)), ("row", text(&row))];
                finding("INVENTORY-TEXT", Gravity::Warning, &row, args)
            }
            Problem::Units { column, units } => {
                let args = [("column", text(&column)), ("units", Arg::Text(units.join(", ")))];
                finding("INVENTORY-UNITS", Gravity::Warning, &column, args)
            }
            Problem::Memory { row, xmx, metaspace, memory } => {
                let args = [
                    ("memory", exact(memory)),
                    ("metaspace", exact(metaspace)),
                    ("row", text(&row)),
                    ("xmx", exact(xmx)),
                ];
                finding("INVENTORY-MEMORY", Gravity::Warning, &row, args)
            }
            Problem::Reservation { row, reservation, memory } => {
                let args = [("memory", exact(memory)), ("reservation", exact(reservation)), ("row", text(&row))];
                finding("INVENTORY-RESERVATION", Gravity::Warning, &row, args)
            }
            Problem::Twin { row, other } => {
                finding("INVENTORY-TWIN", Gravity::Notice, &row, [("other", text(&other)), ("row", text(&row))])
            }
            Problem::Shifted { row, column, value, usual, same_as } => {
                let args = [
                    ("column", text(&column)),
                    ("row", text(&row)),
                    ("same", text(same_as.as_deref().unwrap_or("none"))),
                    ("usual", exact(usual)),
                    ("value", exact(value)),
                ];
                finding("INVENTORY-SHIFTED", Gravity::Notice, &row, args)
            }
        })
    };
    lint(inventory).into_iter().map(of).collect()
}

/// ARITH: a sum that an author's text carries out, and that does not come to what is written.
pub(super) fn arithmetic(seen: &Seen<'_>) -> Vec<Finding> {
    let study = seen.study;
    let mut texts: Vec<(String, &Text)> = Vec::new();
    texts.extend(study.about.iter().map(|text| ("about".to_owned(), text)));
    texts.extend(study.report.comments.iter().map(|(place, text)| (format!("comments/{place}"), text)));
    texts.extend(study.report.expectations.iter().map(|text| ("expectations".to_owned(), text)));
    texts.extend(study.report.title_page.iter().map(|(place, text)| (place.clone(), text)));
    for variable in study.variables.iter().filter(|variable| variable.is_assumption) {
        texts.extend(variable.about.iter().map(|text| (variable.name.clone(), text)));
    }
    let mut findings = Vec::new();
    for (place, text) in texts {
        for (_, words) in &text.0 {
            for sum in sums(words) {
                let args = [
                    ("computed", exact(sum.computed)),
                    ("stated", Arg::Text(sum.stated)),
                    ("sum", Arg::Text(sum.text)),
                ];
                findings.push(stated(finding("ARITH", Gravity::Warning, &place, args)));
            }
        }
    }
    findings
}

/// A sum that does not come out.
#[derive(Clone, Debug, PartialEq)]
struct WrongSum {
    text: String,
    stated: String,
    computed: f64,
}

/// Characters of a text that are looked at.
const TEXT_MAX: usize = 20_000;
/// How far rounding may lead away: half a percent.
const ROUNDED: f64 = 0.005;

/// Products, quotients and sums of plain numbers with a stated result, `260*24*60*200 = 4 billion` among words, that are
/// off by more than rounding. A separator may stand for thousands or for decimals: any reading that agrees is right.
fn sums(text: &str) -> Vec<WrongSum> {
    let text: String = text.chars().take(TEXT_MAX).collect();
    let mut wrong = Vec::new();
    for (place, sign) in text.char_indices().filter(|(_, c)| matches!(c, '=' | '≈')) {
        let (left, right) = (&text[..place], &text[place + sign.len_utf8()..]);
        let Some(terms) = terms_before(left) else { continue };
        let Some((stated, readings)) = result_after(right) else { continue };
        let computed = compute(&terms);
        let agrees = |stated: &f64| (stated - computed).abs() <= ROUNDED * computed.abs().max(stated.abs());
        if computed.is_finite() && !readings.iter().any(agrees) {
            let shown = terms.iter().map(|(operator, number)| match operator {
                ' ' => number.clone(),
                operator => format!(" {operator} {number}"),
            });
            wrong.push(WrongSum { text: shown.collect(), stated, computed });
        }
    }
    wrong
}

/// `a * b / c` at the end of a text, with at least one operator; operators with the numbers after them.
fn terms_before(text: &str) -> Option<Vec<(char, String)>> {
    let mut terms: Vec<(char, String)> = Vec::new();
    let mut rest = text.trim_end();
    loop {
        let start =
            rest.char_indices().rev().take_while(|(_, c)| c.is_ascii_digit() || matches!(c, '.' | ',')).last()?.0;
        let number = rest[start..].trim_start_matches(['.', ',']).to_owned();
        if number.is_empty() {
            return None;
        }
        rest = rest[..start].trim_end();
        let operator = rest.chars().next_back().filter(|c| matches!(c, '*' | '×' | '·' | '/' | '+'));
        terms.push((operator.unwrap_or(' '), number));
        let Some(operator) = operator else { break };
        rest = rest[..rest.len() - operator.len_utf8()].trim_end();
    }
    terms.reverse();
    (terms.len() > 1).then_some(terms)
}

/// The number after the sign, as written, in all its readings; a word of size counts.
fn result_after(text: &str) -> Option<(String, Vec<f64>)> {
    let text = text.trim_start().trim_start_matches(['≈', '~']).trim_start();
    let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ','))).unwrap_or(text.len());
    let digits = text[..end].trim_end_matches(['.', ',']);
    let readings = readings(digits);
    let word: String = text[end..].trim_start().chars().take_while(|c| c.is_alphabetic()).collect();
    // Billion is 10^9 in English and 10^12 in Danish: either may be meant.
    let factors: &[f64] = match word.to_lowercase().as_str() {
        "million" | "millions" | "miljoen" | "mio" | "millioner" => &[1e6],
        "billion" | "billions" | "billioner" => &[1e9, 1e12],
        "miljard" | "milliard" | "milliarder" => &[1e9],
        "biljoen" | "trillion" => &[1e12],
        _ => &[1.0],
    };
    let stated = if factors == [1.0] { digits.to_owned() } else { format!("{digits} {word}") };
    let all: Vec<f64> = readings.iter().flat_map(|value| factors.iter().map(move |factor| value * factor)).collect();
    (!all.is_empty()).then_some((stated, all))
}

/// `4.500` is four and a half, or four thousand five hundred.
fn readings(digits: &str) -> Vec<f64> {
    let thousands: String = digits.chars().filter(char::is_ascii_digit).collect();
    let decimal = |point: char| {
        let other = if point == '.' { ',' } else { '.' };
        let text: String = digits.chars().filter(|c| *c != other).map(|c| if c == point { '.' } else { c }).collect();
        text.parse::<f64>().ok()
    };
    let mut all: Vec<f64> = [thousands.parse::<f64>().ok(), decimal('.'), decimal(',')].into_iter().flatten().collect();
    all.dedup();
    all
}

/// Left to right with products before sums; every term read with its separators as thousands unless it has decimals.
fn compute(terms: &[(char, String)]) -> f64 {
    let value = |text: &str| {
        // One group of other than three digits behind the last separator is a decimal part.
        let last = text.rfind(['.', ',']);
        let is_decimal = last.is_some_and(|place| text.len() - place != 4);
        let readings = readings(text);
        let whole = readings.first().copied().unwrap_or(f64::NAN);
        if is_decimal { readings.iter().copied().fold(whole, f64::min) } else { whole }
    };
    let (mut sum, mut product) = (0.0, f64::NAN);
    for (operator, text) in terms {
        match operator {
            ' ' => product = value(text),
            '+' => {
                sum += product;
                product = value(text);
            }
            '/' => product /= value(text),
            _ => product *= value(text),
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
}
