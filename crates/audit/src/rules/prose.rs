//! ORDER and MEAN in sentences and lists: `p95 = 80 ms, p99 = 70 ms, max = 60 ms`.

use super::order::{Statistic, above, out_of_order};
use crate::columns::{Figure, Role, has_word};
use crate::finding::{Finding, Quote, Weight, quote};
use crate::model::Kind;
use crate::quantity::{Decimals, Quantity, Unit, quantities};
use crate::seen::{Input, Sentence};
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// Groups of [`NAME`].
const NAME_GROUPS: usize = 4;
/// Names of statistics, with the digits of percentiles in the first three groups and a word in the last.
const NAME: &str = r"(?:\bt?p ?(\d{2}(?:[.,]\d{1,2})?|9{3,5})\b|\bp\((\d{2}(?:[.,]\d{1,3})?)\)|\b(\d{2}(?:[.,]\d{1,2})?) ?(?:th|st|nd|rd|e|%|\.)?[ -]*(?:percentiles?|percentiel|percentil|%ile|fraktil)\b|\b(median|mediaan|med|mean|average|avg\.?|gemiddelde|gemiddeld|gennemsnit|max\.?|maximum|maximale|maks\.?|maksimum|min\.?|minimum)(?:\b|$))";
/// What the statistic is of, where that is nothing but the time of calls.
const OF: &str =
    r"(?: (?:response times?|service times?|latency|latencies|times?|durations?|svartid|responstijd|value))?";
/// A time, with its unit in a group of its own; some units follow at the end of a list only.
const TIME: &str = r"(\d[\d.,]*\d|\d)(?: ?(µs|μs|us|ms|msec|milliseconds?|milliseconden|millisekunder|s|secs?|seconds?|seconden|sekunder)\b)?";

/// `p95 of 80 ms`: name, then time.
static NAME_FIRST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(&format!(
        r"(?i){NAME}{OF}(?: ?[=:≈(]+| of| is| was| at| er| var| på| van| reached| being)? ?(?:about |around |only |just |~)?{TIME}\)?"
    ))
    .ok()
});
/// `80 ms at p95`, `80 ms (p95)`: time, then name.
static TIME_FIRST: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(&format!(r"(?i)\b{TIME} ?(?:\(| at (?:the )?| for (?:the )?)?{NAME}\)?")).ok());
/// The end of a time that a name directly follows.
static TIME_BEFORE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\d ?(?:µs|μs|us|ms|msec|milliseconds?|s|secs?|seconds?) ?(?:\(| at(?: the)?| for(?: the)?)? ?$")
        .ok()
});
/// What may stand between two statistics of one thing.
static BETWEEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)^[ ,;/|&)]*(?:(?:and|with|og|en|the|a|an|its|de|het|den|det|met|med) )*\(?$").ok()
});
/// A whole item of a list: `p95: 80 ms`.
static ITEM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(&format!(r"(?i)^(?:the )?{NAME}{OF}(?: \(\D*\))? ?[:=–-] ?~?{TIME}(?: \([^0-9]*\))?[.;,]?$")).ok()
});

/// Words that make one of the times a limit.
const LIMITS: [&str; 22] = [
    "allowed",
    "limit",
    "limits",
    "must",
    "should",
    "shall",
    "requirement",
    "requirements",
    "required",
    "target",
    "targets",
    "slo",
    "slos",
    "sla",
    "threshold",
    "thresholds",
    "goal",
    "budget",
    "timeout",
    "krav",
    "eis",
    "mål",
];
/// Words for what was added to times, or taken from them: such figures need not rise with the percentile.
const DELTAS: [&str; 38] = [
    "adds",
    "added",
    "add",
    "adding",
    "saves",
    "saved",
    "save",
    "saving",
    "savings",
    "overhead",
    "difference",
    "differences",
    "differ",
    "delta",
    "improvement",
    "improvements",
    "gain",
    "gains",
    "gained",
    "extra",
    "additional",
    "cuts",
    "shaves",
    "shaved",
    "reduction",
    "increase",
    "faster",
    "slower",
    "costs",
    "forskel",
    "forbedring",
    "besparelse",
    "verschil",
    "verbetering",
    "bespaart",
    "unterschied",
    "differenz",
    "verbesserung",
];

/// Words that may follow a time without making it a time of something else.
const FOLLOWERS: [&str; 24] = [
    "and",
    "with",
    "for",
    "in",
    "at",
    "under",
    "during",
    "when",
    "but",
    "which",
    "on",
    "og",
    "en",
    "ved",
    "bij",
    "i",
    "med",
    "met",
    "latency",
    "the",
    "a",
    "while",
    "per",
    "respectively",
];

/// A statistic with its place in a sentence.
pub(super) struct Named {
    pub(super) role: Role,
    name: String,
    /// The number as printed, and its unit; empty where none follows it.
    number: String,
    unit: String,
    /// Whether a sign gives it its time: `p95=80ms`, `p95: 80 ms`.
    is_set: bool,
    start: usize,
    end: usize,
}

impl Named {
    /// Reads groups of a match; those of the name begin at one place, those of the time at another.
    fn of(groups: &Captures<'_>, name_at: usize, time_at: usize) -> Option<Self> {
        let whole = groups.get(0)?;
        let word_at = name_at + NAME_GROUPS - 1;
        let percentile = (name_at..word_at).find_map(|group| groups.get(group)).map(|digits| digits.as_str());
        let role = match percentile {
            Some(digits) => Role::Percentile(share(digits)?),
            None => match groups.get(word_at)?.as_str().to_lowercase().trim_end_matches('.') {
                "median" | "mediaan" | "med" => Role::Percentile(0.5),
                "max" | "maximum" | "maximale" | "maks" | "maksimum" => Role::Max,
                "min" | "minimum" => Role::Min,
                _ => Role::Mean,
            },
        };
        let name = match (percentile, groups.get(word_at)) {
            (Some(digits), _) => format!("p{digits}"),
            (None, word) => word?.as_str().to_owned(),
        };
        let time = groups.get(time_at)?;
        let named = groups.iter().skip(name_at).take(NAME_GROUPS).flatten().next()?;
        // Nothing where the time stands first.
        let between = whole.as_str().get(named.end() - whole.start()..time.start() - whole.start()).unwrap_or_default();
        let is_set = between.trim_end().ends_with(['=', ':']);
        // In Danish it is `with`.
        if name.eq_ignore_ascii_case("med") && !is_set {
            return None;
        }
        Some(Self {
            role,
            name,
            is_set,
            number: time.as_str().to_owned(),
            unit: groups.get(time_at + 1).map_or("", |unit| unit.as_str()).to_owned(),
            start: whole.start(),
            end: whole.end(),
        })
    }

    /// Its time, where its unit stands behind it.
    pub(super) fn quantity(&self, decimals: Decimals) -> Option<Quantity> {
        let text = format!("{} {}", self.number, self.unit);
        quantities(&text, decimals).into_iter().next().filter(Quantity::is_time)
    }

    /// Its time in seconds, in its own unit or in another's.
    fn figure(&self, unit: &str, decimals: Decimals) -> Option<Figure> {
        let unit = if self.unit.is_empty() { unit } else { &self.unit };
        let text = format!("{} {unit}", self.number);
        let quantity = quantities(text.trim(), decimals).into_iter().next()?;
        let is_read = quantity.place.start == 0 && matches!(quantity.unit, Unit::Time | Unit::Bare);
        let unit = (quantity.unit == Unit::Time).then_some(1.0);
        is_read.then_some(Figure { readings: quantity.readings, unit, text })
    }
}

/// The share of a percentile: `95`, `99.9`, and `999` for the latter.
fn share(digits: &str) -> Option<f64> {
    let digits = digits.replace(',', ".");
    let text = match digits.split_at_checked(2) {
        Some((whole, rest)) if !rest.is_empty() && !rest.starts_with('.') => format!("{whole}.{rest}"),
        _ => digits,
    };
    text.parse::<f64>().ok().map(|percent| percent / 100.0).filter(|share| *share > 0.0 && *share < 1.0)
}

/// Whether what stands behind a time leaves it what it is: no range, no change, no other noun.
fn ends(rest: &str) -> bool {
    let trimmed = rest.trim_start();
    let word: String = trimmed.chars().take_while(|c| c.is_alphabetic()).collect();
    if !word.is_empty() {
        return FOLLOWERS.contains(&word.to_lowercase().as_str());
    }
    !trimmed.starts_with(['-', '–', '→', '±', '+', '%', '*', '×', '>', '<', '='])
}

/// All statistics of a sentence that stand beside their times.
pub(super) fn named(sentence: &Sentence) -> Vec<Named> {
    let text = sentence.text.as_str();
    let (Some(name_first), Some(time_first), Some(before)) =
        (NAME_FIRST.as_ref(), TIME_FIRST.as_ref(), TIME_BEFORE.as_ref())
    else {
        return Vec::new();
    };
    let plain: Vec<Named> =
        name_first.captures_iter(text).filter_map(|groups| Named::of(&groups, 1, 1 + NAME_GROUPS)).collect();
    let turned: Vec<Named> = time_first.captures_iter(text).filter_map(|groups| Named::of(&groups, 3, 1)).collect();
    let is_turned = turned.iter().any(|one| !one.unit.is_empty());
    let is_set = !plain.is_empty() && plain.iter().all(|one| one.is_set && !one.unit.is_empty());
    let found = match (plain.first(), is_turned) {
        // Signs say which time is whose: `p50=10ms p95=8ms`.
        (Some(_), true) if is_set => plain,
        // `p50 10 ms p95 80 ms` can be read from both ends: the first sign decides, or nothing does.
        (Some(first), true) => {
            let is_first = turned.first().is_some_and(|turned| turned.start <= first.start);
            let is_clean = plain.iter().all(|one| before.is_match(&text[..one.start]));
            if is_first && is_clean { turned } else { Vec::new() }
        }
        (None, true) => turned,
        _ => plain,
    };
    // Where signs say whose each time is, another setting may follow at once.
    let starts: Vec<usize> = found.iter().skip(1).map(|next| next.start).chain([text.len()]).collect();
    let is_followed = |one: &Named, next: usize| {
        let until_next = text.get(one.end..next).unwrap_or_default();
        is_set && (until_next.trim().is_empty() || is_setting(&text[one.end..]))
    };
    let kept = found.into_iter().zip(starts).filter(|(one, next)| ends(&text[one.end..]) || is_followed(one, *next));
    kept.map(|(one, _)| one).collect()
}

/// Whether a text goes on with a setting, such as ` errors=0`.
fn is_setting(text: &str) -> bool {
    let word = text.trim_start().trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
    text.starts_with(' ') && word.starts_with('=')
}

/// Statistics that follow each other with nothing between them but what joins them, each role once.
fn runs<'a>(sentence: &Sentence, named: &'a [Named]) -> Vec<Vec<&'a Named>> {
    let mut all: Vec<Vec<&Named>> = Vec::new();
    for one in named {
        let is_next = |run: &&mut Vec<&Named>| {
            let last = run.last().map_or(0, |last| last.end);
            let is_joined = sentence
                .text
                .get(last..one.start)
                .is_some_and(|between| BETWEEN.as_ref().is_some_and(|joins| joins.is_match(between)));
            is_joined && run.iter().all(|other| other.role != one.role)
        };
        match all.last_mut().filter(is_next) {
            Some(run) => run.push(one),
            None => all.push(vec![one]),
        }
    }
    all
}

/// Statistics of one run with their figures; `None` where a number has two readings, or a unit is not known.
fn figures(seen: &Input<'_>, run: &[&Named], is_of_time: bool) -> Option<Vec<Statistic>> {
    let statistic = |(at, one): (usize, &&Named)| {
        let later = run[at..].iter().map(|other| &other.unit).find(|unit| !unit.is_empty());
        let unit = later.or_else(|| run.iter().map(|other| &other.unit).find(|unit| !unit.is_empty()));
        let figure = one.figure(unit.map_or("", String::as_str), seen.decimals)?;
        let is_known = figure.unit.is_some() || is_of_time;
        let is_sure = figure.readings.len() == 1;
        (is_known && is_sure).then(|| Statistic { heading: one.name.clone(), role: one.role, figure })
    };
    run.iter().enumerate().map(statistic).collect()
}

/// ORDER and MEAN of the statistics of one thing.
fn judged(statistics: &[Statistic], quotes: &[Quote], found: &mut Vec<Finding>) {
    let before = found.len();
    for (says, arithmetic) in out_of_order(statistics) {
        found.push(Finding {
            code: "ORDER",
            weight: Weight::Contradiction,
            says,
            arithmetic,
            remedy: "the figures may be exchanged, or taken from other calls".to_owned(),
            quotes: quotes.to_vec(),
        });
    }
    let mean = statistics.iter().find(|one| one.role == Role::Mean);
    if let Some(text) = mean.and_then(|mean| above(statistics, mean, None)).filter(|_| found.len() == before) {
        found.push(Finding {
            code: "MEAN",
            weight: Weight::Contradiction,
            says: "the mean cannot be that of calls with these percentiles".to_owned(),
            arithmetic: text,
            remedy: "mean and percentiles are of different calls: say of which".to_owned(),
            quotes: quotes.to_vec(),
        });
    }
}

/// ORDER in prose: percentiles, mean and greatest that a sentence, or a list, names one after another.
pub(super) fn order(seen: &Input<'_>, found: &mut Vec<Finding>) {
    for sentence in &seen.sentences {
        if has_word(&sentence.lower, &LIMITS) || has_word(&sentence.lower, &DELTAS) {
            continue;
        }
        let is_of_time =
            ["latenc", "response time", "responstijd", "svartid"].iter().any(|word| sentence.lower.contains(word));
        let named = named(sentence);
        for run in runs(sentence, &named).iter().filter(|run| run.len() >= 2) {
            if let Some(statistics) = figures(seen, run, is_of_time) {
                judged(&statistics, &[quote(&sentence.place, &sentence.text)], found);
            }
        }
    }
    lists(seen, found);
}

/// The same in items of a list, one statistic each.
fn lists(seen: &Input<'_>, found: &mut Vec<Finding>) {
    let Some(item) = ITEM.as_ref() else { return };
    let mut run: Vec<(&Sentence, Named)> = Vec::new();
    let mut close = |run: &mut Vec<(&Sentence, Named)>| {
        let all: Vec<&Named> = run.iter().map(|(_, named)| named).collect();
        // `Improvement over the last release:` above the list.
        let above = run.first().and_then(|(first, _)| seen.document.blocks.get(first.block.checked_sub(1)?));
        let is_of_deltas = above.is_some_and(|above| {
            let above = above.text.trim().to_lowercase();
            above.ends_with(':') && has_word(&above, &DELTAS)
        });
        if all.len() >= 2
            && !is_of_deltas
            && let Some(statistics) = figures(seen, &all, false)
        {
            let quotes: Vec<Quote> = run.iter().map(|(sentence, _)| quote(&sentence.place, &sentence.text)).collect();
            judged(&statistics, &quotes, found);
        }
        run.clear();
    };
    for sentence in &seen.sentences {
        let is_item = seen.document.blocks[sentence.block].kind == Kind::Item;
        let one = item
            .captures(sentence.text.trim())
            .filter(|_| is_item)
            .and_then(|groups| Named::of(&groups, 1, 1 + NAME_GROUPS))
            .filter(|one| !one.unit.is_empty());
        let Some(one) = one else {
            close(&mut run);
            continue;
        };
        let is_next = run
            .last()
            .is_none_or(|(last, _)| last.block + 1 == sentence.block && last.place.section == sentence.place.section);
        if !is_next || run.iter().any(|(_, other)| other.role == one.role) {
            close(&mut run);
        }
        run.push((sentence, one));
    }
    close(&mut run);
}
