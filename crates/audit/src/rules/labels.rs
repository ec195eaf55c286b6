//! RATIO and COPY-TWIN: what is reported about two scenarios that the headings tell apart.

use crate::columns::has_word;
use crate::finding::{Finding, Weight, number, quote};
use crate::quantity::{Quantity, Unit};
use crate::seen::{Input, Pair, Sentence, words};
use judge::findings::written;
use regex::Regex;
use std::sync::LazyLock;

/// Words of a factor: the ends of `fivefold`, `vijfvoudig`, `femdobbelt`.
const FOLD: [&str; 6] = ["fold", "voudig", "voudige", "voud", "dobbelt", "dobbelte"];
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

/// Words for what sends side by side.
pub(super) const STREAMS: [&str; 5] = ["stromen", "streams", "strømme", "connections", "users"];

const TIMES: [&str; 5] = ["times", "maal", "keer", "gange", "fold"];
static TIMES_NUMBER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\b(\d+(?:[.,]\d+)?)[ -]?(?:times|maal|keer|gange|fold)\b").ok());

/// A factor in words, `fivefold` or `five times`.
fn factor(lower: &str) -> Option<f64> {
    let all: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let counted = |word: &str| {
        let named = NAMES.iter().position(|names| names.contains(&word)).map(|at| at as f64 + 2.0);
        named.or_else(|| word.parse().ok())
    };
    let folded = all.iter().find_map(|word| {
        let stem = FOLD.iter().find_map(|end| word.strip_suffix(end))?;
        counted(stem)
    });
    let named = || {
        let named =
            all.windows(2).find(|two| TIMES.contains(&two[1]) && !two[0].contains(|c: char| c.is_ascii_digit()));
        named.and_then(|two| counted(two[0]))
    };
    // `2.5 times`: a number with its decimals, which are words of their own.
    let numbered = || TIMES_NUMBER.as_ref()?.captures(lower)?[1].replace(',', ".").parse().ok();
    folded.or_else(named).or_else(numbered).filter(|value| (1.1..=1000.0).contains(value))
}

/// RATIO: a factor between two numbers of a sentence, or between two scenarios of the report, that is not theirs.
pub(super) fn factors(seen: &Input<'_>, found: &mut Vec<Finding>) {
    for sentence in &seen.sentences {
        for wrong in written::factors(&sentence.text) {
            found.push(Finding {
                code: "RATIO",
                weight: Weight::Contradiction,
                says: "the factor is not that of its two figures".to_owned(),
                arithmetic: format!(
                    "{}: the figures make {}, written is {}",
                    wrong.words,
                    number(wrong.computed),
                    number(wrong.stated)
                ),
                remedy: format!("a factor of {}, or other figures", number(wrong.computed)),
                quotes: vec![quote(&sentence.place, &sentence.text)],
            });
        }
        if let Some(stated) = factor(&sentence.lower)
            && is_load(&sentence.lower)
        {
            found.extend(seen.pairs.iter().filter_map(|pair| between(seen, sentence, stated, pair)));
        }
    }
}

/// Whether a sentence speaks of load.
fn is_load(lower: &str) -> bool {
    has_word(lower, &["load", "belasting", "last", "belastning", "rate", "traffic", "throughput", "volume"])
}

/// The factor of a sentence that names both scenarios of a pair, against all rates below their headings.
fn between(seen: &Input<'_>, sentence: &Sentence, stated: f64, pair: &Pair) -> Option<Finding> {
    let has = |word: &str| words(&sentence.text).any(|found| found == word);
    if !has(&pair.first) || !has(&pair.second) {
        return None;
    }
    let (one, other) = (seen.rates(&pair.first, &pair.second), seen.rates(&pair.second, &pair.first));
    let largest = |rates: &[(&Sentence, &Quantity)]| {
        let best = rates.iter().rev().max_by(|a, b| a.1.value().total_cmp(&b.1.value()))?;
        Some((quote(&best.0.place, &best.0.text), best.1.value()))
    };
    let (first, second) = (largest(&one)?, largest(&other)?);
    // Any two rates that make the factor acquit it: a stream's, a step's, the whole.
    let is_made = one.iter().any(|(_, a)| {
        other.iter().any(|(_, b)| {
            let ratio = b.value() / a.value();
            [ratio, 1.0 / ratio].iter().any(|ratio| (ratio / stated - 1.0).abs() <= 0.1)
        })
    });
    if is_made {
        return None;
    }
    let ratio = (second.1 / first.1).max(first.1 / second.1);
    let (high, low) = (first.1.max(second.1), first.1.min(second.1));
    let assumed = high / stated;
    let of_an_assumption = seen.sentences.iter().find_map(|other| {
        let makes = |quantity: &&Quantity| quantity.is_rate() && one_of(quantity.value(), assumed, high, stated, seen);
        other.quantities.iter().find(makes).map(|quantity| (other, quantity.value()))
    });
    let mut quotes = vec![quote(&sentence.place, &sentence.text), first.0, second.0];
    let mut arithmetic =
        format!("{} / {} = {}, written is {}", number(high), number(low), number(ratio), number(stated));
    if let Some((other, rate)) = of_an_assumption {
        quotes.push(quote(&other.place, &other.text));
        arithmetic.push_str(&format!(
            "; a factor of {} leads to {} a second, which an assumption of {} a second makes",
            number(stated),
            number(assumed),
            number(rate)
        ));
    }
    Some(Finding {
        code: "RATIO",
        weight: Weight::Contradiction,
        says: format!("“{}” is not {} times “{}” in the rates of the report", pair.second, number(stated), pair.first),
        arithmetic,
        remedy: format!("a factor of {}, or another load", number(ratio)),
        quotes,
    })
}

/// Whether a rate, alone or times a number of streams that the report states, is the one that a factor would lead to.
fn one_of(rate: f64, assumed: f64, high: f64, stated: f64, seen: &Input<'_>) -> bool {
    let near = |value: f64| (value / assumed - 1.0).abs() < 1e-6;
    let per_stream = seen.sentences.iter().flat_map(|sentence| &sentence.quantities).any(|quantity| {
        let is_of_streams = match &quantity.unit {
            Unit::Count(noun) => STREAMS.iter().any(|end| noun.split(' ').any(|word| word.ends_with(end))),
            _ => false,
        };
        is_of_streams && quantity.value() > 1.0 && near(rate * quantity.value())
    });
    rate < high / stated.max(1.0) * 1.01 && (near(rate) || per_stream)
}

/// COPY-TWIN: a row with the name of one scenario in the table of the other.
pub(super) fn rows(seen: &Input<'_>, found: &mut Vec<Finding>) {
    for pair in &seen.pairs {
        for (own, other) in [(&pair.first, &pair.second), (&pair.second, &pair.first)] {
            let has = |text: &str, word: &str| words(text).any(|found| found == word);
            let label = |cell: Option<&String>| cell.filter(|cell| has(cell, own) && !has(cell, other)).cloned();
            // The table where the name belongs, and the one where it does not.
            let right = seen.tables.iter().find(|table| {
                seen.is_below(table.block, own, other)
                    && table.view.rows.iter().any(|row| label(row.cells.first()).is_some())
            });
            let Some(right) = right else { continue };
            for table in seen.tables.iter().filter(|table| seen.is_below(table.block, other, own)) {
                let is_same = table.view.columns.len() == right.view.columns.len()
                    && table.view.columns.iter().zip(&right.view.columns).all(|(a, b)| a.heading == b.heading);
                let is_all = table.view.rows.iter().all(|row| label(row.cells.first()).is_some());
                let Some(row) = table.view.rows.first().filter(|_| is_same && is_all && !table.view.is_turned) else {
                    continue;
                };
                let twin = right.view.rows.iter().find(|other| other.cells.first() == row.cells.first());
                let same = twin.map_or(Vec::new(), |twin| {
                    let cells = row.cells.iter().zip(&twin.cells).enumerate().skip(1);
                    let same = cells.filter(|(_, (a, b))| a == b && a.chars().any(|c| c.is_ascii_digit() && c != '0'));
                    same.map(|(at, (cell, _))| {
                        format!("{} {cell}", table.view.columns.get(at).map_or("", |column| &column.heading))
                    })
                    .collect()
                });
                let also =
                    if same.is_empty() { String::new() } else { format!("; the same in both: {}", same.join(", ")) };
                let mut quotes = vec![quote(&table.place(row), &table.view.shown(row))];
                quotes.extend(twin.map(|twin| quote(&right.place(twin), &right.view.shown(twin))));
                found.push(Finding {
                    code: "COPY-TWIN",
                    weight: Weight::Contradiction,
                    says: format!(
                        "a row named “{}” stands in a table below “{}”",
                        row.cells.first().map_or("", |cell| cell),
                        table.at.place.section
                    ),
                    arithmetic: format!("headings above: {}{also}", table.at.path.join(" > ")),
                    remedy: format!("“{other}” in the row, if its figures are those of that scenario"),
                    quotes,
                });
            }
        }
    }
}

/// COPY-TWIN: the same sentence with the same measured figure in both scenarios, although their loads differ.
pub(super) fn figures(seen: &Input<'_>, found: &mut Vec<Finding>) {
    for pair in &seen.pairs {
        let load =
            |word: &str, other: &str| seen.rates(word, other).iter().map(|(_, rate)| rate.value()).reduce(f64::max);
        let (Some(first), Some(second)) = (load(&pair.first, &pair.second), load(&pair.second, &pair.first)) else {
            continue;
        };
        if (first / second - 1.0).abs() < 0.2 {
            continue;
        }
        let below =
            |word, other| seen.sentences.iter().filter(move |sentence| seen.is_below(sentence.block, word, other));
        for one in below(&pair.first, &pair.second).filter(|sentence| is_measured(sentence)) {
            let twin = below(&pair.second, &pair.first)
                .find(|other| is_measured(other) && are_alike(&one.lower, &other.lower));
            let (Some(twin), Some(share)) = (twin, one.quantities.iter().find(|one| one.unit == Unit::Percent)) else {
                continue;
            };
            let demand = |load: f64| number(10.0 * share.value() / load);
            found.push(Finding {
                code: "COPY-TWIN",
                weight: Weight::Question,
                says: format!("the same {} % is reported at {} and at {} a second", number(share.value()), number(first), number(second)),
                arithmetic: format!(
                    "{} % of the time for each second's load is {} ms of it for each message at {}/s, and {} ms at {}/s",
                    number(share.value()), demand(first), number(first), demand(second), number(second)
                ),
                remedy: "look up both figures: one of them was probably copied".to_owned(),
                quotes: vec![quote(&one.place, &one.text), quote(&twin.place, &twin.text)],
            });
        }
    }
}

/// A sentence about what a machine did, with a share in it.
fn is_measured(sentence: &Sentence) -> bool {
    // What names a limit says nothing of what was measured.
    const LIMITS: [&str; 10] =
        ["below", "under", "exceed", "above", "most", "less", "limit", "threshold", "onder", "boven"];
    let is_about =
        has_word(&sentence.lower, &["cpu", "processor", "utilization", "utilisation", "processorbelastning"]);
    is_about
        && !has_word(&sentence.lower, &LIMITS)
        && sentence.quantities.iter().any(|one| one.unit == Unit::Percent)
        && words(&sentence.text).count() >= 6
}

/// Whether two sentences are the same but for a letter or two in a word or two.
fn are_alike(one: &str, other: &str) -> bool {
    let (a, b): (Vec<String>, Vec<String>) = (words(one).collect(), words(other).collect());
    let apart = a.iter().zip(&b).filter(|(x, y)| x != y).collect::<Vec<_>>();
    let is_slip = |(x, y): &(&String, &String)| {
        let same = x.chars().zip(y.chars()).take_while(|(p, q)| p == q).count();
        same + 2 >= x.chars().count().max(y.chars().count()) && !x.contains(|c: char| c.is_ascii_digit())
    };
    a.len() == b.len() && apart.len() <= 2 && apart.iter().all(is_slip)
}
