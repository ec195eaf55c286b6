//! LITTLE: users, rate and mean time of the same calls. By Little's law rate × mean time are in flight, and users
//! that wait for their answers have one each at most.

use crate::columns::{Role, has_word};
use crate::finding::{Finding, Weight, number, quote, time};
use crate::model::Kind;
use crate::quantity::{Quantity, Unit};
use crate::seen::{Input, Sentence, words};
use std::collections::HashSet;

/// Words for those who wait for their answers.
const USERS: [&str; 12] = [
    "users",
    "user",
    "threads",
    "vus",
    "clients",
    "gebruikers",
    "brugere",
    "tråde",
    "customers",
    "sessions",
    "workers",
    "consumers",
];
/// By how much a table may be above: means of what succeeded, rates of whole runs and users that came and went.
const TABLE_SLACK: f64 = 1.05;

/// A number of users.
fn users(sentence: &Sentence) -> Option<&Quantity> {
    let mut found = sentence.quantities.iter().filter(|quantity| match &quantity.unit {
        Unit::Count(noun) => noun.split(' ').take(3).any(|word| USERS.contains(&word)),
        _ => false,
    });
    let first = found.next()?;
    found.all(|other| (other.value() - first.value()).abs() < 1e-9).then_some(first)
}

/// The mean time of a sentence: the one that it calls so, or its only time where it speaks of a mean. Without a word for
/// the time of an answer, users and rate must stand in the same sentence.
fn mean_time(seen: &Input<'_>, sentence: &Sentence) -> Option<Quantity> {
    let is_mean = has_word(
        &sentence.lower,
        &["average", "averaged", "averaging", "avg", "mean", "gemiddelde", "gemiddeld", "gennemsnitlig", "gennemsnit"],
    );
    if !is_mean {
        return None;
    }
    let is_response =
        ["latency", "response", "respons", "svartid", "answer"].iter().any(|word| sentence.lower.contains(word));
    let is_whole =
        users(sentence).is_some() && sentence.quantities.iter().any(Quantity::is_rate) && is_closed(sentence);
    let longest = if is_response { 600.0 } else { 60.0 };
    let mut times = sentence.quantities.iter().filter(|quantity| quantity.is_time() && quantity.value() < longest);
    let only = times.next().filter(|_| is_response || is_whole)?;
    if times.next().is_none() {
        return Some(only.clone());
    }
    // Of several times the one that is called the mean.
    let named = super::prose::named(sentence);
    let mut means = named.iter().filter(|one| one.role == Role::Mean);
    let mean = means.next().filter(|_| is_whole && means.next().is_none())?;
    mean.quantity(seen.decimals)
}

/// Whether nothing in a sentence says that a user may have several calls in flight, or that its rate is that of a moment.
fn is_closed(sentence: &Sentence) -> bool {
    const OPEN: [&str; 21] = [
        "open",
        "arrival",
        "arrivals",
        "async",
        "asynchronous",
        "asynchronously",
        "pipelined",
        "pipelining",
        "pipeline",
        "batch",
        "batches",
        "batched",
        "bundle",
        "bundles",
        "each",
        "parallel",
        "multiplexed",
        "streams",
        "node",
        "nodes",
        "machines",
    ];
    const PEAK: [&str; 8] = ["peak", "peaked", "peaks", "max", "maximum", "highest", "bursts", "up"];
    let is_of_a_moment = sentence.quantities.iter().filter(|quantity| quantity.is_rate()).any(|rate| {
        let before = sentence.text.get(..rate.place.start).unwrap_or_default();
        words(before).collect::<Vec<_>>().iter().rev().take(4).any(|word| PEAK.contains(&word.as_str()))
    });
    !has_word(&sentence.lower, &OPEN) && !is_of_a_moment
}

/// Whether words say that one user may have several calls in flight, or that times begin before calls are sent.
fn says_overlap(text: &str) -> bool {
    const OVERLAPS: [&str; 16] = [
        "pipelin",
        "multiplex",
        "async",
        "open-loop",
        "open loop",
        "open model",
        "open workload",
        "arrival rate",
        "wrk2",
        "coordinated omission",
        "http/2",
        "h2load",
        "streams in each",
        "streams per",
        "constant rate",
        "in flight per",
    ];
    let lower = text.to_lowercase();
    OVERLAPS.iter().any(|words| lower.contains(words))
}

/// For which parts of a report its words on calls that overlap hold.
struct Overlaps<'a> {
    /// Headings, from the outermost on, of the sections that have results and such words: theirs alone, and those of the
    /// sections within.
    sections: HashSet<&'a [String]>,
    /// Whether such words stand where no results are, as in a section on the method: they hold for all.
    is_of_all: bool,
}

impl<'a> Overlaps<'a> {
    fn of(seen: &'a Input<'_>) -> Self {
        let path = |block: usize| -> &'a [String] { &seen.document.blocks[block].path };
        let said: HashSet<&[String]> = seen
            .sentences
            .iter()
            .filter(|sentence| says_overlap(&sentence.lower))
            .map(|sentence| path(sentence.block))
            .collect();
        if said.is_empty() {
            return Self { sections: said, is_of_all: false };
        }
        let tables = seen.tables.iter().filter(|table| {
            let has = |role| table.view.only(role).is_some();
            has(Role::Throughput) && has(Role::Mean)
        });
        let told = seen.sentences.iter().filter(|sentence| mean_time(seen, sentence).is_some());
        let results = tables.map(|table| table.block).chain(told.map(|sentence| sentence.block));
        let with_results: HashSet<&[String]> =
            results.flat_map(|block| (0..=path(block).len()).map(move |end| &path(block)[..end])).collect();
        let is_of_all = said.iter().any(|section| !with_results.contains(section));
        Self { sections: said, is_of_all }
    }

    /// What users, rate and mean that disagree are in a block of a report.
    fn weight(&self, seen: &Input<'_>, number: usize) -> Weight {
        let block = &seen.document.blocks[number];
        let says = match &block.kind {
            Kind::Table(table) => {
                table.header.iter().chain(table.rows.iter().flat_map(|row| &row.cells)).any(|cell| says_overlap(cell))
            }
            _ => false,
        };
        let is_within = (0..=block.path.len()).any(|end| self.sections.contains(&block.path[..end]));
        // A conclusion may speak of every section.
        let is_of_any = !self.sections.is_empty() && (self.is_of_all || seen.is_conclusion(number));
        let may_overlap = says || is_within || is_of_any || block.path.iter().any(|heading| says_overlap(heading));
        if may_overlap { Weight::Question } else { Weight::Contradiction }
    }
}

/// LITTLE in a paragraph: `80 users in a tight loop … 2839 events/second and 29 ms on average`.
pub(super) fn sentences(seen: &Input<'_>, found: &mut Vec<Finding>) {
    let overlaps = Overlaps::of(seen);
    for sentence in &seen.sentences {
        let Some(mean) = mean_time(seen, sentence).filter(Quantity::is_sure) else { continue };
        // Of several rates the least: whichever is meant, it is not below.
        let rates = sentence.quantities.iter().filter(|quantity| quantity.is_rate());
        let Some(rate) = rates.min_by(|a, b| a.value().total_cmp(&b.value())).filter(|rate| rate.is_sure()) else {
            continue;
        };
        let near = seen.sentences.iter().filter(|other| other.block == sentence.block);
        let Some((source, users)) = near.rev().find_map(|other| Some((other, users(other)?))) else { continue };
        // The mean and the rate may both have been rounded up.
        let least = (mean.value() - mean.half()) * (rate.value() - rate.half());
        if least <= users.value() || users.value() < 2.0 || mean.is_about || rate.is_about {
            continue;
        }
        let mut quotes = vec![quote(&sentence.place, &sentence.text)];
        if source.text != sentence.text {
            quotes.push(quote(&source.place, &source.text));
        }
        found.push(Finding {
            code: "LITTLE",
            weight: overlaps.weight(seen, sentence.block),
            says: format!("{} users cannot have that many calls in flight", number(users.value())),
            arithmetic: format!(
                "{}/s × {} (the lowest value that rounds to {}) = {} in flight, more than {} users",
                number(rate.value()),
                time(mean.value() - mean.half()),
                time(mean.value()),
                number((100.0 * least).round() / 100.0),
                number(users.value())
            ),
            remedy: format!(
                "{} users have {} at {}/s, or {}/s at {}: one figure is from another run",
                number(users.value()),
                time(users.value() / rate.value()),
                number(rate.value()),
                number((users.value() / mean.value()).round()),
                time(mean.value())
            ),
            quotes,
        });
    }
}

/// LITTLE in a table with users, rate and mean time in each row.
pub(super) fn tables(seen: &Input<'_>, found: &mut Vec<Finding>) {
    let overlaps = Overlaps::of(seen);
    for table in &seen.tables {
        let view = &table.view;
        let (Some(users), Some(rate), Some(mean)) =
            (view.only(Role::Users), view.only(Role::Throughput), view.only(Role::Mean))
        else {
            continue;
        };
        let mut wrong = Vec::new();
        for row in &view.rows {
            let figure = |at| view.figure(row, at, seen.decimals).filter(|figure| figure.readings.len() == 1);
            let (Some(users), Some(rate), Some(mean)) = (figure(users), figure(rate), figure(mean)) else { continue };
            let least = rate.low() * mean.low();
            // A rate in thousands would be a letter of its own.
            if mean.unit.is_none() || users.value() < 2.0 || least <= TABLE_SLACK * users.value() {
                continue;
            }
            wrong.push((
                row,
                format!(
                    "{}/s × {} = {} in flight, more than {} users",
                    rate.text,
                    time(mean.value()),
                    number((10.0 * rate.value() * mean.value()).round() / 10.0),
                    users.text
                ),
            ));
        }
        let Some((first, _)) = wrong.first() else { continue };
        found.push(Finding {
            code: "LITTLE",
            weight: overlaps.weight(seen, table.block),
            says: format!(
                "users, rate and mean time of {} cannot belong together",
                if wrong.len() == 1 { "a row".to_owned() } else { format!("{} rows", wrong.len()) }
            ),
            arithmetic: wrong.iter().map(|(_, text)| text.as_str()).take(4).collect::<Vec<_>>().join("; "),
            remedy:
                "say whether users wait for their answers, which unit the times have, and of which calls the mean is"
                    .to_owned(),
            quotes: vec![quote(&table.place(first), &view.shown(first))],
        });
    }
}

/// LITTLE for streams: the mean time of a scenario's table and the rate below its heading, against the streams that it is
/// said to have run in parallel.
pub(super) fn streams(seen: &Input<'_>, found: &mut Vec<Finding>) {
    for pair in &seen.pairs {
        for (own, other) in [(&pair.first, &pair.second), (&pair.second, &pair.first)] {
            let Some((rate_at, rate)) =
                seen.rates(own, other).into_iter().rev().max_by(|a, b| a.1.value().total_cmp(&b.1.value()))
            else {
                continue;
            };
            let is_of_streams = |quantity: &&Quantity| match &quantity.unit {
                Unit::Count(noun) => {
                    words(noun).take(3).any(|word| super::labels::STREAMS[..3].iter().any(|end| word.ends_with(end)))
                }
                _ => false,
            };
            let streams = seen.sentences.iter().find_map(|sentence| {
                let is_below = seen.is_below(sentence.block, own, other);
                sentence.quantities.iter().find(is_of_streams).filter(|_| is_below).map(|quantity| (sentence, quantity))
            });
            let Some((streams_at, streams)) = streams else { continue };
            for table in seen.tables.iter().filter(|table| seen.is_below(table.block, own, other)) {
                let ([row], Some(mean)) = (&table.view.rows[..], table.view.only(Role::Mean)) else { continue };
                let Some(mut mean) = table.view.figure(row, mean, seen.decimals) else { continue };
                if mean.unit.is_none() {
                    let Some(unit) = super::requirement::unit_of(
                        seen,
                        &table.view.columns[table.view.only(Role::Mean).unwrap_or(0)].heading,
                    ) else {
                        continue;
                    };
                    mean.readings.iter_mut().for_each(|(value, last)| (*value, *last) = (*value * unit, *last * unit));
                }
                let under_way = rate.value() * mean.value();
                if under_way <= 2.0 * streams.value() || mean.readings.len() != 1 {
                    continue;
                }
                found.push(Finding {
                    code: "LITTLE",
                    weight: Weight::Question,
                    says: format!("where were {} requests at once?", number(under_way)),
                    arithmetic: format!(
                        "{}/s × {} = {} in flight; {} streams that wait for each answer send {}/s at most",
                        number(rate.value()),
                        time(mean.value()),
                        number(under_way),
                        number(streams.value()),
                        number(((streams.value() / mean.value()) * 100.0).round() / 100.0)
                    ),
                    remedy: "say how many requests a stream may have open, or measure how many were".to_owned(),
                    quotes: vec![
                        quote(&table.place(row), &table.view.shown(row)),
                        quote(&rate_at.place, &rate_at.text),
                        quote(&streams_at.place, &streams_at.text),
                    ],
                });
            }
        }
    }
}
