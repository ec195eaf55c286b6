//! RATIO and CHANGE in words: `doubled from 140 ms to 300 ms`, `cut by 40 % from 200 ms to 150 ms`, `three times faster
//! (40 ms instead of 60 ms)`.

use super::sums::{change, ratio_range};
use crate::columns::has_word;
use crate::finding::{Finding, Weight, number, quote};
use crate::quantity::{Quantity, Unit, quantities};
use crate::seen::{Input, Sentence};
use regex::Regex;
use std::sync::LazyLock;

/// How far a factor in words may fall short, as a share of it: `doubled` is 1.7 times or more.
const SHORT: f64 = 0.15;
/// How far it may go beyond: `doubled` is 2.5 times or less, for more is "more than doubled".
const BEYOND: f64 = 0.25;
/// The same where `roughly` or a word like it stands before: 1.5 to 3 times.
const ROUGHLY: (f64, f64) = (0.25, 0.5);
/// How far a share in percent may be off, in percent of it: people round.
const SHARE: f64 = 0.05;

/// A number with its unit: `140 ms`, `2,839 events/s`, `1.2 million requests per second`.
const FIGURE: &str = r"(?:[~≈]\s?|(?:about|around|roughly|nearly|almost|approximately|ca\.?|ongeveer)\s+)?\d[\d.,]*(?:\s?(?:%|[\p{L}µ]+))?(?:(?:\s\p{L}+)?(?:\s?/\s?\p{L}+|\s(?:per|pr\.?)\s\p{L}+))?";

/// Verbs that are a factor by themselves; with 2 for those that halve, whose second figure is the smaller one.
const VERBS: [(&str, f64, bool); 15] = [
    ("doubled", 2.0, true),
    ("doubles", 2.0, true),
    ("doubling", 2.0, true),
    ("tripled", 3.0, true),
    ("triples", 3.0, true),
    ("trebled", 3.0, true),
    ("quadrupled", 4.0, true),
    ("quintupled", 5.0, true),
    ("halved", 2.0, false),
    ("halves", 2.0, false),
    ("halving", 2.0, false),
    ("verdubbelde", 2.0, true),
    ("gehalveerd", 2.0, false),
    ("fordoblet", 2.0, true),
    ("halveret", 2.0, false),
];

/// `doubled (in size), from A to B`.
static VERB: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let verbs = VERBS.map(|(verb, ..)| verb).join("|");
    Regex::new(&format!(
        r"(?i)\b((?:more than|less than|almost|nearly|about|approximately|roughly|around|over|at least|meer dan|bijna|ongeveer|mere end|næsten|omtrent)\s+)?({verbs})\s*[,(]?\s*(?:again\s+|exactly\s+)?(?:from|fra|van)\s+({FIGURE})\s+(?:to|til|naar)\s+({FIGURE})"
    ))
    .ok()
});
/// `grew threefold from A to B`, `improved 2.5x from A to B`, `rose by a factor of 3 from A to B`.
static FOLD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(&format!(
        r"(?i)\b(?:increased|increases|grew|rose|went up|improved|improves|decreased|decreases|fell|dropped|drops|went down|was reduced|were reduced|reduced)\s+(?:by\s+)?((?:more than|less than|almost|nearly|about|approximately|roughly|around|over|at least)\s+)?(?:a\s+factor\s+of\s+(\d+(?:[.,]\d+)?|two|three|four|five|six|seven|eight|nine|ten)|(\d+(?:[.,]\d+)?)\s?(?:x|×|times|-?\s?fold)|(two|three|four|five|six|seven|eight|nine|ten)(?:\s?-?fold|\s+times))\s*[,(]?\s*(?:from)\s+({FIGURE})\s+to\s+({FIGURE})"
    ))
    .ok()
});
/// `rose by 50 % from A to B`.
static BY_SHARE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(&format!(
        r"(?i)\b(increased|increases|grew|rose|went up|climbed|jumped|improved|improves|decreased|decreases|fell|dropped|drops|went down|declined|shrank|reduced|cut|steg|faldt|steeg|daalde)\s+(?:by\s+|with\s+|med\s+|met\s+)?(?:about\s+|nearly\s+|almost\s+|approximately\s+|roughly\s+|around\s+|over\s+|ca\.?\s+|~\s?)?(\d[\d.,]*)\s?(?:%|percent|procent)\s*[,(]?\s*(?:from|fra|van)\s+({FIGURE})\s+(?:to|til|naar)\s+({FIGURE})"
    ))
    .ok()
});
/// `three times faster (A instead of B)`, `2.5x as many as before: A vs. B`.
static BESIDE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(&format!(
        r"(?i)\b((?:more than|less than|almost|nearly|about|approximately|roughly|around|over|at least|up to)\s+)?(?:(\d+(?:[.,]\d+)?)\s?(?:x|×|times)|(twice)|(two|three|four|five|six|seven|eight|nine|ten)\s+times)\s+(?:as\s+(?:fast|many|much|slow|long|high|low)|faster|slower|higher|lower|longer|shorter|more|less)\b[^\d.;:()]{{0,60}}[(:,]\s*(?:at\s+|with\s+)?({FIGURE})\s+(?:vs\.?|versus|compared\s+(?:to|with)|against|instead\s+of|rather\s+than)\s+({FIGURE})"
    ))
    .ok()
});
/// What is reported about a factor.
#[derive(Clone, Copy, Debug, PartialEq)]
enum How {
    /// `doubled`.
    Plain,
    /// `roughly doubled`.
    Roughly,
    /// `more than doubled`.
    More,
    /// `nearly doubled`.
    Less,
}

impl How {
    fn of(words: Option<&str>) -> Self {
        let words = words.unwrap_or_default().trim().to_lowercase();
        match words.as_str() {
            "" => Self::Plain,
            "more than" | "over" | "at least" | "meer dan" | "mere end" => Self::More,
            "less than" | "almost" | "nearly" | "up to" | "bijna" | "næsten" => Self::Less,
            _ => Self::Roughly,
        }
    }

    /// The factors that the words allow.
    fn range(self, stated: f64) -> (f64, f64) {
        match self {
            Self::Plain => (stated * (1.0 - SHORT), stated * (1.0 + BEYOND)),
            Self::Roughly => (stated * (1.0 - ROUGHLY.0), stated * (1.0 + ROUGHLY.1)),
            Self::More => (stated, f64::INFINITY),
            Self::Less => (stated * (1.0 - ROUGHLY.0), stated * (1.0 + 0.01)),
        }
    }
}

/// A number in digits or in words.
fn counted(text: &str) -> Option<f64> {
    const NAMES: [&str; 9] = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let lower = text.to_lowercase();
    let named = NAMES.iter().position(|name| *name == lower).map(|at| at as f64 + 2.0);
    named.or_else(|| lower.replace(',', ".").parse().ok()).filter(|value| (1.05..=1000.0).contains(value))
}

/// The kinds of things that are compared. Counts are left out: most often they are what was set, `doubled from 4 to 16
/// threads`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Time,
    Rate,
    Bytes,
}

/// Words that say what a figure is of.
const SUBJECTS: [(Kind, &[&str]); 3] = [
    (
        Kind::Time,
        &[
            "latency",
            "latencies",
            "time",
            "times",
            "duration",
            "p50",
            "p90",
            "p95",
            "p99",
            "percentile",
            "median",
            "mean",
            "average",
            "delay",
            "svartid",
            "svartiden",
            "responstijd",
            "responsetijd",
            "latens",
        ],
    ),
    (
        Kind::Rate,
        &[
            "throughput",
            "rate",
            "rates",
            "tps",
            "rps",
            "qps",
            "iops",
            "bandwidth",
            "traffic",
            "doorvoer",
            "load",
            "requests",
            "queries",
            "transactions",
            "events",
            "messages",
        ],
    ),
    (Kind::Bytes, &["memory", "heap", "size", "footprint", "ram", "rss", "hukommelse", "geheugen", "usage"]),
];

fn kind(quantity: &Quantity) -> Option<Kind> {
    match quantity.unit {
        Unit::Time => Some(Kind::Time),
        Unit::Rate(_) => Some(Kind::Rate),
        Unit::Bytes => Some(Kind::Bytes),
        _ => None,
    }
}

/// Two figures of one kind, `140 ms` and `260 ms`, or `140` and `260 ms`; and whether the words before them, back to the
/// last comma, name something else. `Latency doubled from 1000/s to 2000/s` says at which rates it did.
fn figures(seen: &Input<'_>, before: &str, first: &str, second: &str) -> Option<(Quantity, Quantity)> {
    let whole = |text: &str| quantities(text.trim(), seen.decimals).into_iter().next();
    let second_quantity = whole(second)?;
    let mut first_quantity = whole(first)?;
    let own = kind(&second_quantity)?;
    if first_quantity.unit == Unit::Bare {
        // The unit stands behind the second only: its number is read with it.
        let unit = second.trim().trim_start_matches(|c: char| c.is_ascii_digit() || ".,~≈ ".contains(c));
        first_quantity = whole(&format!("{} {unit}", first.trim()))?;
    }
    let is_sure = |one: &Quantity| one.is_sure() && one.value() > 0.0;
    if kind(&first_quantity) != Some(own) || !is_sure(&first_quantity) || !is_sure(&second_quantity) {
        return None;
    }
    let clause = before.rsplit([',', ';', ':', '(']).next().unwrap_or(before).to_lowercase();
    let named = |kind: Kind| SUBJECTS.iter().any(|(of, words)| *of == kind && has_word(&clause, words));
    let is_other = [Kind::Time, Kind::Rate, Kind::Bytes].into_iter().any(|kind| kind != own && named(kind));
    (named(own) || !is_other).then_some((first_quantity, second_quantity))
}

/// Whether a figure goes on behind what was matched: a range, a list, a product.
fn goes_on(rest: &str) -> bool {
    let rest = rest.trim_start();
    rest.starts_with(['-', '–', '/', '*', '×', '±', '+'])
        || rest.starts_with(|c: char| c.is_ascii_digit())
        || ["and ", "or ", "og ", "en "].iter().any(|word| {
            rest.strip_prefix(word).is_some_and(|rest| {
                let rest = rest.trim_start_matches(|c: char| c.is_alphabetic() || c.is_whitespace());
                rest.starts_with(|c: char| c.is_ascii_digit())
            })
        })
}

/// RATIO: a factor in words that its two figures do not make.
pub(super) fn factors(seen: &Input<'_>, found: &mut Vec<Finding>) {
    for sentence in &seen.sentences {
        for (words, how, stated, figures, is_directed) in said(seen, sentence) {
            let is_about = figures.0.is_about || figures.1.is_about;
            let how = if how == How::Plain && is_about { How::Roughly } else { how };
            let (low, high) = ratio_range(&figures.0, &figures.1);
            let fits = |(low, high): (f64, f64), stated: f64| {
                let (least, most) = how.range(stated);
                high >= least && low <= most
            };
            let (up, down) = ((low, high), (1.0 / high, 1.0 / low));
            let is_right = match is_directed {
                Some(true) => fits(up, stated),
                Some(false) => fits(down, stated),
                // `Increased three times` is to three times to one, by three times to another.
                None => [up, down].into_iter().any(|way| fits(way, stated) || fits(way, stated + 1.0)),
            };
            if is_right {
                continue;
            }
            let ratio = figures.1.value() / figures.0.value();
            let factor =
                if is_directed == Some(false) || (is_directed.is_none() && ratio < 1.0) { 1.0 / ratio } else { ratio };
            let factor = number((100.0 * factor).round() / 100.0);
            found.push(Finding {
                code: "RATIO",
                weight: Weight::Contradiction,
                says: "the factor in words is not that of its two figures".to_owned(),
                arithmetic: format!("{words}: the figures make {factor}, the words {}", shown(how, stated)),
                remedy: format!("a factor of {factor}, or other figures"),
                quotes: vec![quote(&sentence.place, &sentence.text)],
            });
        }
    }
}

fn shown(how: How, stated: f64) -> String {
    let (least, most) = how.range(stated);
    let round = |value: f64| number((100.0 * value).round() / 100.0);
    if most.is_finite() { format!("{} to {}", round(least), round(most)) } else { format!("{} or more", round(least)) }
}

type Said = (String, How, f64, (Quantity, Quantity), Option<bool>);

/// Factors in words with their two figures; with whether the second is the larger one, where the words say so.
fn said(seen: &Input<'_>, sentence: &Sentence) -> Vec<Said> {
    let text = sentence.text.as_str();
    let mut all = Vec::new();
    let words = |found: &regex::Match<'_>| found.as_str().split_whitespace().collect::<Vec<_>>().join(" ");
    for groups in VERB.iter().flat_map(|verb| verb.captures_iter(text)) {
        let Some(whole) = groups.get(0).filter(|whole| !goes_on(&text[whole.end()..])) else { continue };
        let verb = groups[2].to_lowercase();
        let Some((_, factor, is_up)) = VERBS.into_iter().find(|(known, ..)| *known == verb) else { continue };
        let how = How::of(groups.get(1).map(|words| words.as_str()));
        if let Some(two) = figures(seen, &text[..whole.start()], &groups[3], &groups[4]) {
            all.push((words(&whole), how, factor, two, Some(is_up)));
        }
    }
    for groups in FOLD.iter().flat_map(|fold| fold.captures_iter(text)) {
        let Some(whole) = groups.get(0).filter(|whole| !goes_on(&text[whole.end()..])) else { continue };
        let factor = [2, 3, 4].into_iter().find_map(|group| groups.get(group)).and_then(|text| counted(text.as_str()));
        let how = How::of(groups.get(1).map(|words| words.as_str()));
        let two = figures(seen, &text[..whole.start()], &groups[5], &groups[6]);
        if let (Some(factor), Some(two)) = (factor, two) {
            all.push((words(&whole), how, factor, two, None));
        }
    }
    for groups in BESIDE.iter().flat_map(|beside| beside.captures_iter(text)) {
        let Some(whole) = groups.get(0).filter(|whole| !goes_on(&text[whole.end()..])) else { continue };
        let factor = match (groups.get(2), groups.get(3), groups.get(4)) {
            (Some(number), _, _) | (_, _, Some(number)) => counted(number.as_str()),
            (_, Some(_), _) => Some(2.0),
            _ => None,
        };
        let how = How::of(groups.get(1).map(|words| words.as_str()));
        // What is beside a factor is of one kind, whatever the clause speaks of: no check of the subject.
        let two = figures(seen, "", &groups[5], &groups[6]);
        if let (Some(factor), Some(two)) = (factor, two) {
            all.push((words(&whole), how, factor, two, None));
        }
    }
    all
}

/// CHANGE: `rose by 50 % from A to B`, where no way to count gives that share.
pub(super) fn shares(seen: &Input<'_>, found: &mut Vec<Finding>) {
    let Some(by_share) = BY_SHARE.as_ref() else { return };
    for sentence in seen.sentences.iter().filter(|sentence| sentence.text.contains(['%', 'p'])) {
        for groups in by_share.captures_iter(&sentence.text) {
            let Some(whole) = groups.get(0).filter(|whole| !goes_on(&sentence.text[whole.end()..])) else { continue };
            let Some((from, to)) = figures(seen, &sentence.text[..whole.start()], &groups[3], &groups[4]) else {
                continue;
            };
            let Some(share) = quantities(&format!("{} %", &groups[2]), seen.decimals).into_iter().next() else {
                continue;
            };
            let texts = [groups[3].trim(), groups[4].trim(), &groups[2]];
            if !from.is_about && !to.is_about && share.is_sure() {
                found.extend(change(sentence, texts, &from, &to, &share, SHARE));
            }
        }
    }
}
