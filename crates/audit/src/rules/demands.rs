//! The limits on times that a report's sentences set: `response time must be less than 2 s`, `p95 of Order < 300 ms`.

use crate::columns::{has_word, percentiles};
use crate::quantity::{Quantity, Unit};
use crate::seen::{Input, Sentence, words};

/// Most limits that are looked at: beyond it a text lists figures, and sets no requirements.
const LIMITS_MAX: usize = 100;
/// Longest sentence that lets something exceed a limit, in bytes, since each is held against many rows.
const OTHER_MAX: usize = 1000;

const MUST: [&str; 16] = [
    "must",
    "shall",
    "should",
    "moet",
    "moeten",
    "dient",
    "skal",
    "required",
    "requirement",
    "requirements",
    "eis",
    "eisen",
    "krav",
    "kravene",
    "sla",
    "slo",
];
const BELOW: [&str; 23] = [
    "less than",
    "lower than",
    "below",
    "under ",
    "within",
    "at most",
    "no more than",
    "no higher than",
    "no longer than",
    "not exceed",
    "not be above",
    "not be more than",
    "not be higher than",
    "not be longer than",
    "minder dan",
    "kleiner dan",
    "onder ",
    "binnen ",
    "maximaal",
    "mindre end",
    "højst",
    "<",
    "≤",
];
const TIMES: [&str; 8] = [
    "response time",
    "responsetijd",
    "responstijd",
    "svartid",
    "latency",
    "response times",
    "reactietijd",
    "antwoordtijd",
];
const MEANS: [&str; 6] = ["mean", "average", "gemiddelde", "gemiddeld", "gennemsnit", "gennemsnittet"];
/// What shares of calls are shares of: `95 % of requests must complete within 2 s`.
const CALLS: [&str; 12] = [
    "requests",
    "calls",
    "transactions",
    "operations",
    "responses",
    "verzoeken",
    "aanroepen",
    "kald",
    "forespørgsler",
    "svar",
    "request",
    "call",
];

/// Words that say nothing of what a limit is for, beside those above: those of statistics, units, load, and calls as such,
/// with the methods that rows have before a name.
const PLAIN: [&str; 115] = [
    "a",
    "above",
    "all",
    "alle",
    "an",
    "and",
    "answered",
    "any",
    "api",
    "are",
    "at",
    "be",
    "below",
    "binnen",
    "blijven",
    "clients",
    "complete",
    "completed",
    "concurrent",
    "connections",
    "dan",
    "de",
    "delete",
    "den",
    "det",
    "duration",
    "each",
    "end",
    "endpoint",
    "endpoints",
    "er",
    "every",
    "exceed",
    "finish",
    "for",
    "fraktil",
    "get",
    "has",
    "have",
    "het",
    "higher",
    "http",
    "https",
    "højst",
    "i",
    "ile",
    "is",
    "its",
    "kleiner",
    "latencies",
    "latency",
    "less",
    "liggen",
    "load",
    "longer",
    "lower",
    "maximaal",
    "mediaan",
    "median",
    "millisecond",
    "milliseconds",
    "minder",
    "mindre",
    "more",
    "most",
    "ms",
    "msec",
    "nfr",
    "no",
    "of",
    "on",
    "onder",
    "operation",
    "our",
    "overall",
    "p",
    "patch",
    "pctl",
    "per",
    "percent",
    "percentiel",
    "percentil",
    "percentile",
    "percentiles",
    "post",
    "procent",
    "put",
    "remain",
    "req",
    "response",
    "rps",
    "s",
    "sec",
    "second",
    "seconds",
    "service",
    "stay",
    "system",
    "than",
    "the",
    "threads",
    "time",
    "times",
    "tps",
    "transaction",
    "under",
    "user",
    "users",
    "van",
    "voor",
    "vus",
    "være",
    "with",
    "within",
    "zijn",
];
/// Words for what is not held against a limit that others must keep.
const EXEMPT: [&str; 8] = ["may", "allowed", "permitted", "exempt", "exempted", "excluded", "except", "exception"];

/// A limit on times.
pub(super) struct Limit<'a> {
    pub(super) sentence: &'a Sentence,
    pub(super) seconds: f64,
    /// The share of calls it is for; all of them without.
    pub(super) share: Option<f64>,
    /// Where nothing says that it is on the time of calls, the words that must name what was measured: `p95 of the
    /// garbage collector must be below 20 ms` is not a limit on calls.
    pub(super) subject: Option<Vec<String>>,
}

/// What a report demands.
pub(super) struct Demands<'a> {
    pub(super) limits: Vec<Limit<'a>>,
    /// How many are not read, such as those of two times, or are beyond the bound.
    pub(super) left_out: usize,
    /// Sentences that may set what they name a limit of its own: limits that are not read, and leave to exceed one.
    pub(super) others: Vec<&'a Sentence>,
}

/// Whether a word says nothing of what was measured.
pub(super) fn is_plain(word: &str) -> bool {
    [&PLAIN[..], &MUST, &MEANS, &CALLS].iter().any(|list| list.contains(&word))
}

/// Whether a word is a figure or a number of a list: `95th`, `p95`, `R1`, `NFR3`.
fn is_numbered(word: &str) -> bool {
    let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
    word.starts_with(|c: char| c.is_ascii_digit())
        || (letters.len() < word.len() && ["p", "r", "req", "nfr", "slo", "sla"].contains(&letters))
}

/// The words of a limit that name what it is for. `not` is one of them, since what must not be below is not a limit,
/// unless it is part of the words that make the limit.
fn subject(sentence: &Sentence) -> Vec<String> {
    let demand = BELOW
        .iter()
        .filter(|word| word.starts_with("not "))
        .fold(sentence.lower.clone(), |text, word| text.replace(word, " "));
    words(&demand).filter(|word| !is_plain(word) && !is_numbered(word)).collect()
}

/// Whether the words of a limit stand right before its time.
fn is_before(sentence: &Sentence, time: &Quantity) -> bool {
    let before = sentence.text.get(..time.place.start).unwrap_or_default().to_lowercase();
    let before = before.trim_end().trim_end_matches('=').trim_end();
    BELOW.iter().any(|word| before.ends_with(word.trim_end()))
}

/// The limit of a sentence; nothing where it has several times or shares.
fn limit(sentence: &Sentence) -> Option<Limit<'_>> {
    let mut times = sentence.quantities.iter().filter(|quantity| quantity.is_time() && quantity.is_sure());
    let first = times.next()?;
    let shares: Vec<f64> =
        sentence.quantities.iter().filter(|one| one.unit == Unit::Percent).map(Quantity::value).collect();
    let share = match (&shares[..], &percentiles(&sentence.lower)[..]) {
        ([], []) => None,
        ([one], []) if (50.0..100.0).contains(one) => Some(one / 100.0),
        ([], [one]) => Some(*one),
        _ => return None,
    };
    let is_of_calls = TIMES.iter().any(|word| sentence.lower.contains(word));
    // Without words for the time of calls, the sentence has to be nothing but a limit.
    let subject = (!is_of_calls).then(|| subject(sentence));
    let is_clear = is_of_calls || is_before(sentence, first);
    (times.next().is_none() && is_clear).then_some(Limit { sentence, seconds: first.value(), share, subject })
}

/// Limits that sentences set: `response time must be less than 2 s`, `under 6,5 sekund for 95 %`.
pub(super) fn demands<'a>(seen: &'a Input<'_>) -> Demands<'a> {
    let is_limit = |sentence: &&Sentence| {
        let lower = &sentence.lower;
        let names_statistic = || {
            let has_share = sentence.quantities.iter().any(|one| one.unit == Unit::Percent);
            has_word(lower, &MEANS) || !percentiles(lower).is_empty() || (has_share && has_word(lower, &CALLS))
        };
        sentence.quantities.iter().any(Quantity::is_time)
            && has_word(lower, &MUST)
            && BELOW.iter().any(|word| lower.contains(word))
            && (TIMES.iter().any(|word| lower.contains(word)) || names_statistic())
    };
    let mut all = Demands { limits: Vec::new(), left_out: 0, others: Vec::new() };
    for sentence in seen.sentences.iter().filter(is_limit) {
        match limit(sentence).filter(|_| all.limits.len() < LIMITS_MAX) {
            Some(limit) => all.limits.push(limit),
            None => {
                all.left_out += 1;
                all.others.push(sentence);
            }
        }
    }
    all.others.extend(seen.sentences.iter().filter(|sentence| has_word(&sentence.lower, &EXEMPT)));
    all.others.retain(|sentence| sentence.text.len() <= OTHER_MAX);
    all.others.truncate(LIMITS_MAX);
    all
}
