//! SHARE in prose: `400 of 80,000 requests failed (1.50%)`.

use crate::columns::has_word;
use crate::finding::{Finding, Weight, number, quote};
use crate::quantity::{ABOUT, Decimals, Unit, leading};
use crate::seen::{Input, Sentence};
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// A count of failures, with groups of thousands.
const PART: &str = r"(?P<part>\d{1,3}(?:[ \x{a0}\x{202f}]\d{3})+|\d[\d.,]*\d|\d)";
/// What it is of.
const WHOLE: &str =
    r"(?:the |all |all the |our |de |alle )?(?P<whole>\d{1,3}(?:[ \x{a0}\x{202f}]\d{3})+|\d[\d.,]*\d|\d)";
/// What was counted, with one word before it.
const NOUN: &str = r"(?:[\p{L}-]+ )?(?:requests|calls|messages|events|samples|transactions|iterations|operations|queries|jobs|attempts|responses|verzoeken|aanroepen|berichten|kald|forespørgsler|beskeder)";
/// That it failed.
const FAILED: &str = r"(?:(?:have|had|has|were|was|are|zijn|er|blev) )?(?:failed|timed out|rejected|lost|dropped|errored|unsuccessful|refused|aborted|mislukt|mislukten|faalden|fejlede|mislykkedes)";
const SHARE: &str = r"(?P<share>\d[\d.,]*) ?(?:%|percent)";
const OF: &str = r"(?:out of|of|van|af)";

/// The ways to say it. Nothing but these words is between the figures, so that the share is of no other thing.
static FORMS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        format!(r"{PART} {OF} {WHOLE} (?:{NOUN} )?{FAILED} \({SHARE}\)"),
        format!(r"{PART} {OF} {WHOLE} {NOUN} {FAILED},? (?:i\.e\.,?|that is,?|which is|or|an? (?:error|failure) rate of) {SHARE}(?:[.;,)]|$)"),
        format!(r"{PART} {OF} {WHOLE} {NOUN} \({SHARE}\) {FAILED}"),
        format!(r"{PART}(?: {NOUN})? \({SHARE}\) {OF} {WHOLE} {NOUN} {FAILED}"),
        format!(r"{PART}/{WHOLE} (?:{NOUN} )?{FAILED} \({SHARE}\)"),
        // What succeeded may be counted apart.
        format!(r"{PART} (?P<apart>errors|failures|timeouts|failed {NOUN}) (?:in|among|{OF}) {WHOLE}(?: {NOUN})? \({SHARE}\)"),
    ]
    .iter()
    .filter_map(|form| Regex::new(&format!(r"(?i)\b{form}")).ok())
    .collect()
});

/// Fewest calls: of a few, a share is a manner of speaking.
const LEAST: f64 = 100.0;
/// Words of a sentence that reports nothing.
const SUPPOSED: [&str; 22] = [
    "if",
    "would",
    "could",
    "may",
    "might",
    "must",
    "should",
    "shall",
    "limit",
    "target",
    "goal",
    "budget",
    "allowed",
    "allow",
    "expected",
    "example",
    "threshold",
    "suppose",
    "instead",
    "assuming",
    "hvis",
    "als",
];

/// Whether a count is exact: nothing before it makes it about so many, or one end of a range.
fn is_exact(before: &str) -> bool {
    const MORE: [&str; 16] = [
        "than",
        "least",
        "most",
        "to",
        "and",
        "or",
        "some",
        "og",
        "en",
        "of",
        "til",
        "tot",
        "end",
        "dan",
        "additional",
        "plus",
    ];
    let before = before.trim_end();
    let word: String = before.trim_end_matches('.').chars().rev().take_while(|c| c.is_alphanumeric()).collect();
    let word = word.chars().rev().collect::<String>().to_lowercase();
    let is_after_word = !word.is_empty() && !word.starts_with(|c: char| c.is_ascii_digit());
    let is_open = before.is_empty() || before.ends_with([':', ';', '(', '—']);
    // `In run 2, 400 of …`, not `300, 400 of …`
    let is_clause = before.ends_with(',') && before.trim_end_matches(',').ends_with(char::is_alphabetic);
    is_open || is_clause || (is_after_word && ![&ABOUT[..], &MORE].iter().any(|list| list.contains(&word.as_str())))
}

/// A whole number; the sign in it can only be one of thousands.
fn count(text: &str, decimals: Decimals) -> Option<f64> {
    let (readings, rest) = leading(text, decimals)?;
    let mut whole = readings.into_iter().filter(|(_, last)| *last >= 1.0).map(|(value, _)| value);
    let first = whole.next().filter(|_| rest.is_empty())?;
    whole.next().is_none().then_some(first)
}

/// The counts and the share of a match, where they cannot all be right: part, whole, and the share in percent.
fn wrong(groups: &Captures<'_>, sentence: &Sentence, decimals: Decimals) -> Option<String> {
    let text = |name: &str| groups.name(name).map(|group| group.as_str());
    let start = groups.get(0)?.start();
    // Counts show by themselves which sign is which, so no reading of them is excluded beforehand.
    let (part, whole) = (count(text("part")?, Decimals::default())?, count(text("whole")?, Decimals::default())?);
    let (readings, _) = leading(text("share")?, decimals)?;
    if !is_exact(&sentence.text[..start]) || whole < LEAST || part > whole {
        return None;
    }
    let share = 100.0 * part / whole;
    let agrees =
        |share: f64| readings.iter().any(|(value, last)| share > value - last + 1e-9 && share < value + last - 1e-9);
    let apart = groups.name("apart").map(|_| 100.0 * part / (part + whole));
    // The share of those that succeeded, too.
    let is_right = agrees(share) || agrees(100.0 - share) || apart.is_some_and(agrees);
    let written = text("share")?;
    (!is_right).then(|| format!("{} of {} = {} %, written is {written} %", number(part), number(whole), number(share)))
}

/// SHARE: failed calls of all calls, and in the same words a share that is not theirs.
pub(super) fn shares(seen: &Input<'_>, found: &mut Vec<Finding>) {
    for sentence in &seen.sentences {
        let percents = sentence.quantities.iter().filter(|one| one.unit == Unit::Percent).count();
        if percents == 0 || has_word(&sentence.lower, &SUPPOSED) {
            continue;
        }
        let all: Vec<Captures<'_>> = FORMS.iter().flat_map(|form| form.captures_iter(&sentence.text)).collect();
        // `failed (75 %) or were slow (25 %)` are parts of another whole.
        if all.len() != percents {
            continue;
        }
        let wrong: Vec<String> =
            all.iter().filter_map(|groups| wrong(groups, sentence, seen.decimals)).take(6).collect();
        if !wrong.is_empty() {
            found.push(Finding {
                code: "SHARE",
                weight: Weight::Contradiction,
                says: "the share of failures is not that of the counts beside it".to_owned(),
                arithmetic: wrong.join("; "),
                remedy: "say what the share is of, or correct it or the counts".to_owned(),
                quotes: vec![quote(&sentence.place, &sentence.text)],
            });
        }
    }
}
