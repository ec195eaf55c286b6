//! ARITH, UNIT, UNUSED, CHANGE: what sentences compute.

use crate::columns::has_word;
use crate::finding::{Finding, Weight, number, quote};
use crate::quantity::{Quantity, Unit, quantities};
use crate::seen::{Input, Sentence};
use judge::findings::written;
use regex::Regex;
use std::sync::LazyLock;

/// How far a figure with *about* before it may be off.
const ABOUT: f64 = 0.12;
/// How far a stated change may be off, as a share of it.
const CHANGE: f64 = 0.03;
/// Factors that are forgotten.
const FORGOTTEN: [(f64, &str); 8] = [
    (60.0, "60"),
    (3600.0, "3600"),
    (24.0, "24"),
    (1000.0, "1000"),
    (1024.0, "1024"),
    (7.0, "7"),
    (10.0, "10"),
    (100.0, "100"),
];

static UNITS_BETWEEN: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(\d)[ \u{a0}]+\p{L}{2,20}[ \u{a0}]*([*·×])[ \u{a0}]*(\d)").ok());
static X_BETWEEN: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(\d)(?:[ \u{a0}]+\p{L}{2,20})?[ \u{a0}]+[xX][ \u{a0}]+(\d)").ok());
static ABOUT_RESULT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)([=≈])\s*(?:ongeveer|circa|cirka|approximately|about|around|roughly|omkring|ca\.?)\s+(\d)").ok()
});

/// A sentence's products with their units taken out, `260 days * 24 hours` as `260 * 24`, and whether a result is only
/// about so much.
fn bare(text: &str) -> (String, bool) {
    let (Some(units), Some(x), Some(about)) = (UNITS_BETWEEN.as_ref(), X_BETWEEN.as_ref(), ABOUT_RESULT.as_ref())
    else {
        return (text.to_owned(), true);
    };
    let mut text = text.to_owned();
    // The last digit of one is the first of the next: twice.
    for _ in 0..2 {
        text = x.replace_all(&text, "$1 × $2").into_owned();
        text = units.replace_all(&text, "$1 $2 $3").into_owned();
    }
    let is_about = text.contains('≈') || about.is_match(&text);
    (about.replace_all(&text, "$1 $2").into_owned(), is_about)
}

/// What is written by what is computed.
fn ratio(seen: &Input<'_>, sum: &written::WrongSum) -> f64 {
    quantities(&sum.stated, seen.decimals).first().map_or(f64::NAN, Quantity::value) / sum.computed
}

/// The factor that a sum lacks to come to what is written.
fn forgotten(seen: &Input<'_>, sum: &written::WrongSum) -> Option<(f64, &'static str)> {
    let ratio = ratio(seen, sum);
    FORGOTTEN.into_iter().find(|(factor, _)| (ratio / factor - 1.0).abs() <= ABOUT)
}

/// ARITH: a product or sum that does not come to what is written behind it.
pub(super) fn sums(seen: &Input<'_>, found: &mut Vec<Finding>) {
    for sentence in seen.sentences.iter().filter(|sentence| sentence.text.contains(['=', '≈'])) {
        let (text, is_about) = bare(&sentence.text);
        for sum in written::sums(&text) {
            let ratio = ratio(seen, &sum);
            if is_about && (ratio - 1.0).abs() <= ABOUT {
                continue;
            }
            let surplus = FORGOTTEN.iter().find(|(factor, _)| (ratio * factor - 1.0).abs() <= ABOUT);
            let computed = format!("{}{}", number(sum.computed), sum.computed_unit);
            let remedy = match (forgotten(seen, &sum), surplus) {
                // The unit of the terms is written, so nothing but the number is wrong.
                _ if !sum.stated_unit.is_empty() && sum.stated_unit == sum.computed_unit => {
                    format!("{computed} or other factors")
                }
                (Some((factor, name)), _) => {
                    format!(
                        "with a further factor of {name} it is {}, near what is written: the factor is missing",
                        number(factor * sum.computed)
                    )
                }
                (_, Some((factor, name))) => {
                    format!("without a factor of {name} it is {}, near what is written", number(sum.computed / factor))
                }
                _ => format!("{computed} or other factors"),
            };
            found.push(Finding {
                code: "ARITH",
                weight: Weight::Contradiction,
                says: "the sum does not come to what is written".to_owned(),
                arithmetic: format!("{} = {computed}, written is {}{}", sum.text, sum.stated, sum.stated_unit),
                remedy,
                quotes: vec![quote(&sentence.place, &sentence.text)],
            });
        }
    }
}

/// UNIT: a conversion that does not come out, `360/min = 3/s`.
pub(super) fn units(seen: &Input<'_>, found: &mut Vec<Finding>) {
    for sentence in seen.sentences.iter().filter(|sentence| sentence.text.contains(['=', '≈'])) {
        for unit in written::units(&sentence.text) {
            found.push(Finding {
                code: "UNIT",
                weight: Weight::Contradiction,
                says: "the two quantities are written as equal, and are not".to_owned(),
                arithmetic: format!("{} is {}{}, not {}", unit.first, number(unit.computed), unit.unit, unit.second),
                remedy: format!("{} = {}{}", unit.first, number(unit.computed), unit.unit),
                quotes: vec![quote(&sentence.place, &sentence.text)],
            });
        }
    }
}

static HOURS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(\d{1,2})\s+(?:als\s+|as\s+)?(?:bedrijfsuren|werkuren|kantooruren|business hours|working hours|office hours|arbejdstimer|kontortimer|åbningstimer)",
    )
    .ok()
});
static PRODUCT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\d[\d.,]*(?: ?[*·×] ?\d[\d.,]*){2,}").ok());

/// Whether a product is nothing but a length of time, such as the 24 * 60 * 60 seconds of a day.
fn is_of_time(text: &str, product: &std::ops::Range<usize>, factors: &[f64]) -> bool {
    const LENGTHS: [f64; 8] = [7.0, 24.0, 52.0, 60.0, 365.0, 366.0, 1000.0, 3600.0];
    const SIGNS: [char; 3] = ['*', '·', '×'];
    let is_whole =
        !text[..product.start].trim_end().ends_with(SIGNS) && !text[product.end..].trim_start().starts_with(SIGNS);
    is_whole && factors.iter().all(|factor| LENGTHS.contains(factor))
}

/// Whether a sentence is on what a system could carry, which it can do all day, and not on what is asked of it.
fn is_of_capacity(lower: &str) -> bool {
    const WORDS: [&str; 8] = [
        "capacity",
        "capaciteit",
        "kapacitet",
        "kapaciteten",
        "theoretical",
        "theoretically",
        "theoretisch",
        "teoretisk",
    ];
    const CAN: [&str; 6] =
        ["can handle", "could handle", "can process", "could process", "kan verwerken", "kan håndtere"];
    has_word(lower, &WORDS) || CAN.iter().any(|words| lower.contains(words))
}

/// UNUSED: hours of business a day that are stated, and products that count 24 all the same.
pub(super) fn unused(seen: &Input<'_>, found: &mut Vec<Finding>) {
    let (Some(hours), Some(product)) = (HOURS.as_ref(), PRODUCT.as_ref()) else { return };
    let stated = seen.sentences.iter().find_map(|sentence| {
        let hours: f64 = hours.captures(&sentence.text)?[1].parse().ok()?;
        (hours > 0.0 && hours < 24.0).then_some((sentence, hours))
    });
    let Some((assumption, hours)) = stated else { return };
    let mut quotes = vec![quote(&assumption.place, &assumption.text)];
    let mut arithmetic = Vec::new();
    for sentence in &seen.sentences {
        let (text, _) = bare(&sentence.text);
        for product in product.find_iter(&text) {
            let factors: Vec<f64> =
                product.as_str().split(['*', '·', '×']).filter_map(|factor| factor.trim().parse().ok()).collect();
            if factors.contains(&hours) {
                return;
            }
            let is_volume = !is_of_time(&text, &product.range(), &factors) && !is_of_capacity(&sentence.lower);
            if factors.contains(&24.0) && is_volume {
                // Where a factor is missing, as ARITH says, it is put in here.
                let missing = written::sums(&text).iter().find_map(|sum| forgotten(seen, sum));
                let all: f64 = factors.iter().product::<f64>() * missing.map_or(1.0, |(factor, _)| factor);
                quotes.push(quote(&sentence.place, &sentence.text));
                arithmetic.push(format!(
                    "{}{} = {}; with {} hours a day {}",
                    product.as_str(),
                    missing.map_or_else(String::new, |(_, name)| format!(" (* {name})")),
                    number(all),
                    number(hours),
                    number(all * hours / 24.0)
                ));
            }
        }
    }
    if !arithmetic.is_empty() {
        found.push(Finding {
            code: "UNUSED",
            weight: Weight::Question,
            says: format!("{} hours a day are assumed, and the volume is computed with 24", number(hours)),
            arithmetic: arithmetic.join("; "),
            remedy: format!("compute with {} hours, or leave the assumption out", number(hours)),
            quotes,
        });
    }
}

static FROM_TO: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:from|fra|van)\s+([\d][\d.,]*\s?[\p{L}/%]*(?:\s(?:per|pr\.?)\s\p{L}+)?)\s+(?:to|til|naar)\s+([\d][\d.,]*\s?[\p{L}/%]*(?:\s(?:per|pr\.?)\s\p{L}+)?)\s*[,(]?\s*\(?(?:an?\s+)?(?:[+\-−~]|about\s|((?:increase|decrease|reduction|improvement|change|rise|drop|gain|growth) of\s))?\s*(\d[\d.,]*)\s?%",
    )
    .ok()
});

/// Whether a percentage behind two figures is said to be their change: by what it is called, or by nothing else that it
/// could be of, such as `(95 % confidence interval)` or `, 5 % of the requests failed`.
fn is_of_change(before: &str, behind: &str) -> bool {
    const CHANGES: [&str; 31] = [
        "faster",
        "slower",
        "increase",
        "decrease",
        "reduction",
        "improvement",
        "more",
        "less",
        "higher",
        "lower",
        "growth",
        "drop",
        "better",
        "worse",
        "change",
        "gain",
        "saving",
        "quicker",
        "shorter",
        "longer",
        "rise",
        "fall",
        "up",
        "down",
        "hurtigere",
        "langsommere",
        "højere",
        "lavere",
        "sneller",
        "hoger",
        "lager",
    ];
    const RANGES: [&str; 18] = [
        "range",
        "ranges",
        "ranged",
        "ranging",
        "vary",
        "varies",
        "varied",
        "varying",
        "spread",
        "interval",
        "is",
        "are",
        "was",
        "were",
        "latencies",
        "times",
        "varierer",
        "varieert",
    ];
    let last = before.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    let behind = behind.trim_start();
    let next: String = behind.chars().take_while(|c| c.is_alphabetic()).collect();
    let is_named = CHANGES.contains(&next.to_lowercase().as_str());
    let is_ended = next.is_empty() && !behind.starts_with(['<', '>', '≤', '≥', '/', '±']);
    !RANGES.contains(&last.as_str()) && (is_named || is_ended)
}

/// CHANGE: `from 200 ms to 150 ms (40 %)`, where no way to reckon gives that share.
pub(super) fn changes(seen: &Input<'_>, found: &mut Vec<Finding>) {
    let Some(from_to) = FROM_TO.as_ref() else { return };
    for sentence in seen.sentences.iter().filter(|sentence| sentence.text.contains('%')) {
        for groups in from_to.captures_iter(&sentence.text) {
            let one = |group: usize| quantities(groups[group].trim(), seen.decimals).into_iter().next();
            let (Some(from), Some(to), Some(share)) = (one(1), one(2), one(4)) else { continue };
            let Some(whole) = groups.get(0) else { continue };
            let (before, behind) = (&sentence.text[..whole.start()], &sentence.text[whole.end()..]);
            if groups.get(3).is_none() && !is_of_change(before, behind) {
                continue;
            }
            let is_alike =
                std::mem::discriminant(&from.unit) == std::mem::discriminant(&to.unit) || from.unit == Unit::Bare;
            if !is_alike
                || to.unit == Unit::Percent
                || !from.is_sure()
                || !to.is_sure()
                || from.value() <= 0.0
                || to.value() <= 0.0
            {
                continue;
            }
            let texts = [groups[1].trim(), groups[2].trim(), &groups[4]];
            found.extend(change(sentence, texts, &from, &to, &share, CHANGE));
        }
    }
}

/// CHANGE: two figures and a share between them, each with its words, where no way to count gives that share; it may be
/// off by a share of itself, by one in its last place, and by one percent.
pub(super) fn change(
    sentence: &Sentence,
    texts: [&str; 3],
    from: &Quantity,
    to: &Quantity,
    share: &Quantity,
    off: f64,
) -> Option<Finding> {
    let (low, high) = ratio_range(from, to);
    let stated = share.value();
    // Growth, fall, share of the one in the other, and a speed-up's way to count.
    let ways = [
        (100.0 * (low - 1.0), 100.0 * (high - 1.0)),
        (100.0 * (1.0 - high), 100.0 * (1.0 - low)),
        (100.0 * low, 100.0 * high),
        (100.0 / high, 100.0 / low),
        (100.0 * (1.0 / high - 1.0), 100.0 * (1.0 / low - 1.0)),
    ];
    let slack = share.readings.first().map_or(1.0, |reading| reading.1).max(off * stated).max(1.0);
    if ways.iter().any(|(low, high)| stated > low - slack && stated < high + slack) {
        return None;
    }
    let change = 100.0 * (to.value() / from.value() - 1.0);
    let change = format!("{}{} %", if change > 0.0 { "+" } else { "" }, number((change * 10.0).round() / 10.0));
    Some(Finding {
        code: "CHANGE",
        weight: Weight::Contradiction,
        says: "the change is not that of its two figures".to_owned(),
        arithmetic: format!("from {} to {} is {change}, written is {} %", texts[0], texts[1], texts[2]),
        remedy: format!("{change}, or other figures"),
        quotes: vec![quote(&sentence.place, &sentence.text)],
    })
}

/// The ratio of two printed figures, between what their rounding allows.
pub(super) fn ratio_range(from: &Quantity, to: &Quantity) -> (f64, f64) {
    let (a, b) = (from.value(), to.value());
    let (da, db) = (from.half(), to.half());
    ((b - db) / (a + da), (b + db) / (a - da).max(f64::MIN_POSITIVE))
}
